//! The shipped tools with their handlers, as one tool provider. The program `toolc` and the example hosts serve it.

use std::path::Path;

use toolc::ToolProvider;
use toolc_agent::{
    ClarifyHandlers, CronjobHandlers, KanbanHandlers, MemoryHandlers, SessionSearchHandlers, TodoHandlers,
};
use toolc_catalog::Handlers;
use toolc_code::CodeHandlers;
use toolc_environment::SandboxKind;
use toolc_files::FileHandlers;
use toolc_terminal::TerminalHandlers;
use toolc_workspace::{Environments, Workspace};

/// Returns the shipped tools. Their working directory is the process's current directory.
///
/// ```
/// let registry = toolc::Registry::new();
/// registry.add(toolc_host::shipped_tools())?;
/// # Ok::<(), toolc::error::RegistryError>(())
/// ```
pub fn shipped_tools() -> Box<dyn ToolProvider> {
    in_workspace(Workspace::current())
}

/// Returns the shipped tools. Their working directory is `dir`.
pub fn shipped_tools_in(dir: impl AsRef<Path>) -> Box<dyn ToolProvider> {
    in_workspace(Workspace::new(dir))
}

/// Returns the shipped tools. They act in these environments, and their working directory is that of the workspace. `file` can change
/// the handlers of the toolset `file`, for example to let them read [long results](FileHandlers::with_spilled), and `terminal` those of
/// the toolset `terminal`, for example to get news about [processes](TerminalHandlers::on_event).
pub fn shipped_tools_with(
    workspace: Workspace,
    environments: Environments,
    file: impl FnOnce(FileHandlers) -> FileHandlers,
    terminal: impl FnOnce(TerminalHandlers) -> TerminalHandlers,
) -> Box<dyn ToolProvider> {
    toolc_catalog::provider(Handlers {
        clarify: ClarifyHandlers,
        cronjob: CronjobHandlers,
        code: CodeHandlers::new(&workspace).environments(environments.clone()),
        file: file(FileHandlers::new(workspace.clone()).environments(environments.clone())),
        kanban: KanbanHandlers,
        memory: MemoryHandlers,
        session_search: SessionSearchHandlers,
        terminal: terminal(TerminalHandlers::new(workspace).environments(environments)),
        todo: TodoHandlers,
    })
}

/// Returns the kinds of environments of the shipped tools: `local` by default, and `sandbox` for tasks that the host
/// [does not trust](Environments::set_untrusted) and for scripts.
pub fn environments(workspace: &Workspace) -> Environments {
    Environments::local(workspace).with_kind(SandboxKind::default())
}

fn in_workspace(workspace: Workspace) -> Box<dyn ToolProvider> {
    let environments = environments(&workspace);
    shipped_tools_with(workspace, environments, |file| file, |terminal| terminal)
}
