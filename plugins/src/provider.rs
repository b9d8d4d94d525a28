//! A plugin as a tool provider: serves the compiled data, and asks the program about each call.

use std::sync::Arc;

use toolc::approval::CodeParameter;
use toolc::args::Slots;
use toolc::catalog::{Definition, Fact, Variable};
use toolc::{Call, Dialect, HandlerReply, Tool, ToolProvider, Toolset, Value};

use crate::invoke;
use crate::plugin::Plugin;
use toolc_program::parts::Programs;

/// The tool provider of a plugin.
pub(crate) struct PluginProvider {
    pub(crate) plugin: Arc<Plugin>,
    pub(crate) programs: Programs,
    /// The tools of the plugin, without the aliases that belong to other tools.
    pub(crate) tools: Vec<Tool>,
}

impl ToolProvider for PluginProvider {
    fn tools(&self) -> &[Tool] {
        &self.tools
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
        let (plugin, programs) = (Arc::clone(&self.plugin), self.programs.clone());
        let guard = programs.calls.start();
        HandlerReply::blocking(call, move |call| {
            let _guard = guard;
            invoke::run(&programs, &plugin, index, &arguments, call)
        })
    }
}
