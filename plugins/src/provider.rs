//! A plugin as a tool provider: serves the compiled data, and runs a process for each call.

use std::path::PathBuf;
use std::sync::Arc;

use toolc::__gen::CodeParameter;
use toolc::args::Slots;
use toolc::catalog::{Definition, Fact, Variable};
use toolc::{Call, Dialect, HandlerReply, Tool, ToolProvider, Toolset, Value};

use crate::invoke;
use crate::plugin::Plugin;
use crate::running_calls::RunningCalls;

/// The tool provider of a plugin.
pub(crate) struct PluginProvider {
    pub(crate) plugin: Arc<Plugin>,
    /// The working directory of programs, or `None` for that of the host.
    pub(crate) dir: Option<PathBuf>,
    pub(crate) calls: Arc<RunningCalls>,
}

impl ToolProvider for PluginProvider {
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

    fn code_parameters(&self, index: usize) -> Vec<CodeParameter> {
        self.plugin.code_parameters.get(index).cloned().unwrap_or_default()
    }

    fn call<'a>(&'a self, index: usize, mut args: Slots<'_, '_>, call: &'a Call<'a>) -> HandlerReply<'a> {
        let Some(schemas) = self.plugin.schemas.get(index) else { return HandlerReply::no_such_tool(index) };
        let mut arguments: Value = args.value(0);
        schemas.fill_defaults(&mut arguments);
        let plugin = Arc::clone(&self.plugin);
        let dir = self.dir.clone();
        let guard = self.calls.start();
        HandlerReply::blocking(call, move |call| {
            let _guard = guard;
            invoke::run(&plugin, index, &arguments, dir.as_deref(), call)
        })
    }
}
