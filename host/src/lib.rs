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
use toolc_skills::SkillsHandlers;
use toolc_terminal::{ProcessEvent, TerminalHandlers};
use toolc_web::{WebHandlers, WebSettings};
use toolc_workspace::{Environments, Workspace};

/// Returns the shipped tools. Their working directory is the process's current directory.
///
/// ```
/// let registry = toolc::Registry::new();
/// registry.add(toolc_host::shipped_tools())?;
/// # Ok::<(), toolc::error::RegistryError>(())
/// ```
pub fn shipped_tools() -> Box<dyn ToolProvider> {
    ShippedTools::new(Workspace::current()).provider()
}

/// Returns the shipped tools. Their working directory is `dir`.
pub fn shipped_tools_in(dir: impl AsRef<Path>) -> Box<dyn ToolProvider> {
    ShippedTools::new(Workspace::new(dir)).provider()
}

/// A builder of the shipped tools with other settings than in [`shipped_tools`].
///
/// ```
/// use toolc_host::ShippedTools;
/// use toolc_workspace::Workspace;
///
/// let registry = toolc::Registry::new();
/// let tools = ShippedTools::new(Workspace::current()).on_process(|event| eprintln!("{event}"));
/// registry.add(tools.provider())?;
/// # Ok::<(), toolc::error::RegistryError>(())
/// ```
#[derive(Debug)]
#[must_use = "the tools are made by `provider`"]
pub struct ShippedTools {
    file: FileHandlers,
    terminal: TerminalHandlers,
    code: CodeHandlers,
    web: WebHandlers,
    kanban: KanbanHandlers,
}

impl ShippedTools {
    /// Returns the tools in a workspace: they have its working directory and its [environments](environments).
    pub fn new(workspace: Workspace) -> Self {
        let environments = environments(&workspace);
        Self {
            code: CodeHandlers::new(&workspace),
            file: FileHandlers::new(workspace.clone()),
            terminal: TerminalHandlers::new(workspace),
            web: WebHandlers::default(),
            kanban: KanbanHandlers::default(),
        }
        .environments(environments)
    }

    /// Sets the environments in which tools act.
    pub fn environments(self, environments: Environments) -> Self {
        Self {
            code: self.code.environments(environments.clone()),
            file: self.file.environments(environments.clone()),
            terminal: self.terminal.environments(environments),
            ..self
        }
    }

    /// Sets the folder of [long results](FileHandlers::with_spill_folder), so that the tools that read files can read them.
    pub fn long_results(self, folder: impl AsRef<Path>) -> Self {
        Self { file: self.file.with_spill_folder(folder), ..self }
    }

    /// Sets the function that is called with each [event](TerminalHandlers::on_event) of a background process.
    pub fn on_process(self, on_process: impl Fn(&ProcessEvent) + Send + Sync + 'static) -> Self {
        Self { terminal: self.terminal.on_event(on_process), ..self }
    }

    /// Sets what a person configures of the web tools, and of what other tools fetch.
    pub fn web(self, settings: WebSettings) -> Self {
        Self { kanban: KanbanHandlers::new(settings.client()), web: WebHandlers::new(settings), ..self }
    }

    /// Returns the tool provider.
    pub fn provider(self) -> Box<dyn ToolProvider> {
        let Self { file, terminal, code, web, kanban } = self;
        toolc_catalog::provider(Handlers {
            clarify: ClarifyHandlers,
            code,
            cronjob: CronjobHandlers,
            file,
            kanban,
            memory: MemoryHandlers,
            session_search: SessionSearchHandlers,
            skills: SkillsHandlers,
            terminal,
            todo: TodoHandlers,
            web,
        })
    }
}

/// Returns the kinds of environments of the shipped tools: `local` by default, and `sandbox` for tasks that the host
/// [does not trust](Environments::set_untrusted) and for scripts.
pub fn environments(workspace: &Workspace) -> Environments {
    Environments::local(workspace).with_kind(SandboxKind::default())
}
