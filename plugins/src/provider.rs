//! A plugin as a provider: the compiler's data, and a process for each call.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use toolc::args::Slots;
use toolc::catalog::{Definition, Fact, Variable};
use toolc::{Call, Dialect, HandlerReply, Tool, ToolProvider, Toolset, Value};

use crate::environment::Passed;
use crate::invoke;
use crate::plugins::Calls;
use crate::schema_values::Shape;

/// A plugin that is well.
#[derive(Debug)]
pub(crate) struct Plugin {
    pub(crate) name: String,
    /// Its folder.
    pub(crate) root: PathBuf,
    /// Its program, in that.
    pub(crate) executable: PathBuf,
    pub(crate) tools: Vec<Tool>,
    /// Theirs, in their order.
    pub(crate) definitions: BTreeMap<Dialect, Vec<Option<Definition>>>,
    /// Those of the tools, in their order.
    pub(crate) shapes: Vec<Shape>,
    pub(crate) toolsets: Vec<Toolset>,
    pub(crate) facts: Vec<Fact>,
    pub(crate) variables: Vec<Variable>,
    pub(crate) passed: Passed,
    /// Bytes that the program may print for one call.
    pub(crate) max_output: usize,
}

/// A plugin in a registry.
pub(crate) struct Served {
    pub(crate) plugin: Arc<Plugin>,
    /// The working directory of programs, or `None` for that of the host.
    pub(crate) dir: Option<PathBuf>,
    pub(crate) calls: Arc<Calls>,
}

impl ToolProvider for Served {
    fn tools(&self) -> &[Tool] {
        &self.plugin.tools
    }

    fn definitions(&self, dialect: Dialect) -> &[Option<Definition>] {
        self.plugin.definitions.get(&dialect).map_or(&[], Vec::as_slice)
    }

    fn toolsets(&self) -> &[Toolset] {
        &self.plugin.toolsets
    }

    fn facts(&self) -> &[Fact] {
        &self.plugin.facts
    }

    fn variables(&self) -> &[Variable] {
        &self.plugin.variables
    }

    fn call<'a>(&'a self, index: usize, mut args: Slots<'_, '_>, call: &'a Call<'a>) -> HandlerReply<'a> {
        let Some(shape) = self.plugin.shapes.get(index) else { return HandlerReply::no_such_tool(index) };
        let mut arguments: Value = args.value(0);
        shape.fill(&mut arguments);
        let (plugin, dir, under_way) = (Arc::clone(&self.plugin), self.dir.clone(), self.calls.begin());
        HandlerReply::blocking(call, move |call| {
            let _under_way = under_way;
            invoke::run(&plugin, index, &arguments, dir.as_deref(), call)
        })
    }
}
