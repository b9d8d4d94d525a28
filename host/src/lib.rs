//! The shipped catalog with its handlers, as the program `toolc` serves it.

use std::path::Path;

use toolc::ToolProvider;
use toolc_agent::TodoHandlers;
use toolc_catalog::Handlers;
use toolc_files::FileHandlers;
use toolc_terminal::TerminalHandlers;
use toolc_workspace::Workspace;

/// Returns the shipped tools, working in the process's current directory.
///
/// ```
/// let registry = toolc::Registry::new();
/// registry.add(toolc_host::shipped_tools())?;
/// # Ok::<(), toolc::error::RegistryError>(())
/// ```
pub fn shipped_tools() -> Box<dyn ToolProvider> {
    in_workspace(Workspace::current())
}

/// Returns the shipped tools, working in `dir`.
pub fn shipped_tools_in(dir: impl AsRef<Path>) -> Box<dyn ToolProvider> {
    in_workspace(Workspace::new(dir))
}

fn in_workspace(workspace: Workspace) -> Box<dyn ToolProvider> {
    toolc_catalog::provider(Handlers {
        file: FileHandlers::new(workspace.clone()),
        terminal: TerminalHandlers::new(workspace),
        todo: TodoHandlers,
    })
}
