//! The shipped tools with their handlers, as one tool provider. The program `toolc` and the example hosts serve it.

use std::path::Path;

use toolc::ToolProvider;
use toolc_agent::TodoHandlers;
use toolc_catalog::Handlers;
use toolc_files::FileHandlers;
use toolc_terminal::{ProcessEvent, TerminalHandlers};
use toolc_workspace::Workspace;

/// Returns the shipped tools. Their working directory is the process's current directory.
///
/// ```
/// let registry = toolc::Registry::new();
/// registry.add(toolc_host::shipped_tools())?;
/// # Ok::<(), toolc::error::RegistryError>(())
/// ```
pub fn shipped_tools() -> Box<dyn ToolProvider> {
    in_workspace(Workspace::current(), |terminal| terminal)
}

/// Returns the shipped tools, like [`shipped_tools`], and calls `on_event` with news about background processes, which the host passes
/// on to the model.
pub fn shipped_tools_with(on_event: impl Fn(&ProcessEvent) + Send + Sync + 'static) -> Box<dyn ToolProvider> {
    in_workspace(Workspace::current(), |terminal| terminal.on_event(on_event))
}

/// Returns the shipped tools. Their working directory is `dir`.
pub fn shipped_tools_in(dir: impl AsRef<Path>) -> Box<dyn ToolProvider> {
    in_workspace(Workspace::new(dir), |terminal| terminal)
}

fn in_workspace(
    workspace: Workspace,
    change: impl FnOnce(TerminalHandlers) -> TerminalHandlers,
) -> Box<dyn ToolProvider> {
    toolc_catalog::provider(Handlers {
        file: FileHandlers::new(workspace.clone()),
        terminal: change(TerminalHandlers::new(workspace)),
        todo: TodoHandlers,
    })
}
