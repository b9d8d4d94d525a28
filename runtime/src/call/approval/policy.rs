//! The configuration of a session that judges shell commands before they run.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use toolc_commands::FileSystem;
use toolc_commands::rules::RuleSet;

use crate::call::approval::log::ApprovalLog;
use crate::call::approval::store::ApprovalStore;

/// How a session judges shell commands: see [`SessionBuilder::commands`](crate::SessionBuilder::commands).
///
/// Each call of a tool whose manifest names a shell parameter (`approval = { shell = "command" }`) is judged by the rules before
/// the handler runs, wherever the tool comes from.
///
/// ```
/// use std::sync::LazyLock;
/// use toolc::approval::{CommandApproval, CommandMode};
/// use toolc::commands::programs::USUAL;
/// use toolc::commands::rules::RuleSet;
///
/// // A generated catalog has `commands::rules()`.
/// static RULES: LazyLock<RuleSet<'static>> = LazyLock::new(|| RuleSet::new(&[], &[], USUAL));
///
/// let commands = CommandApproval::new(&RULES).mode(CommandMode::Deny).directory("/srv/project").home("/home/agent");
/// let session = toolc::Registry::new().session().commands(commands).build();
/// # session.unwrap();
/// ```
#[derive(Clone)]
#[must_use = "pass it to `SessionBuilder::commands`"]
pub struct CommandApproval {
    pub(crate) rules: &'static RuleSet<'static>,
    pub(crate) mode: CommandMode,
    pub(crate) environment: String,
    pub(crate) home: Option<PathBuf>,
    pub(crate) directory: Option<PathBuf>,
    pub(crate) processes: Option<fn() -> Vec<u32>>,
    pub(crate) own_folder: Option<PathBuf>,
    pub(crate) files: Option<Arc<dyn FileSystem>>,
    pub(crate) store: Option<Arc<dyn ApprovalStore>>,
    pub(crate) log: Option<Arc<dyn ApprovalLog>>,
    /// Tools, each with a shell parameter that the host names.
    pub(crate) named: Vec<(String, String)>,
    /// Tools whose shell parameters are not recognized by name.
    pub(crate) unrecognized: Vec<String>,
}

/// What happens to a command about which a person has to decide. A command that a rule denies never runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum CommandMode {
    /// The session's approver decides. Without an approver, the command is denied.
    #[default]
    Ask,
    /// The command is denied, unless it is in the [store](CommandApproval::store). Use this for sessions without a person.
    Deny,
    /// The command runs. Use this for environments in which no command can do damage.
    Off,
}

impl CommandMode {
    /// All modes.
    pub const ALL: [Self; 3] = [Self::Ask, Self::Deny, Self::Off];

    /// Returns the word for the mode: `ask`, `deny` or `off`.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Ask => "ask",
            Self::Deny => "deny",
            Self::Off => "off",
        }
    }

    /// Returns the mode with this word.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|mode| mode.word() == word)
    }
}

impl CommandApproval {
    /// The environment of commands that run on the machine of this process.
    pub const LOCAL: &'static str = "local";

    /// Returns a configuration that judges commands by these rules.
    pub fn new(rules: &'static RuleSet<'static>) -> Self {
        Self {
            rules,
            mode: CommandMode::default(),
            environment: Self::LOCAL.to_owned(),
            home: None,
            directory: None,
            processes: None,
            own_folder: None,
            files: None,
            store: None,
            log: None,
            named: Vec::new(),
            unrecognized: Vec::new(),
        }
    }

    /// Sets what happens to a command about which a person has to decide, [`Ask`](CommandMode::Ask) by default.
    pub fn mode(mut self, mode: CommandMode) -> Self {
        self.mode = mode;
        self
    }

    /// Sets the kind of environment in which commands run, `local` by default. In any other, the variables of the session's
    /// [`Env`](crate::Env) are not those of the commands, so no variable is known to the judge. A task can have
    /// [another kind](crate::Task::set_environment).
    pub fn environment(mut self, kind: impl Into<String>) -> Self {
        self.environment = kind.into();
        self
    }

    /// Sets the home folder of the user who runs the commands: an absolute path. By default, it is the variable `HOME` of the
    /// session's [`Env`](crate::Env) if the environment is `local`, and unknown otherwise.
    pub fn home(mut self, path: impl Into<PathBuf>) -> Self {
        self.home = Some(path.into());
        self
    }

    /// Sets the function that returns the numbers of the processes on which the host depends, so that rules recognise a signal to one
    /// of them. By default, it is only the process itself. It is called for each command that runs on the machine of this process.
    pub fn processes(mut self, find: fn() -> Vec<u32>) -> Self {
        self.processes = Some(find);
        self
    }

    /// Sets the folder in which the host keeps its settings, keys and approvals: an absolute path. Places of rules name it `@`. It counts
    /// for commands that run on the machine of this process.
    pub fn own_folder(mut self, path: impl Into<PathBuf>) -> Self {
        self.own_folder = Some(path.into());
        self
    }

    /// Sets the file system of this machine, so that a path in a command is compared with the places of rules as it is written, and as
    /// the file system has it at that moment: through links, mounts and hard links. By default, only as it is written. It is
    /// asked about commands that run on the machine of this process.
    pub fn files(mut self, files: Arc<dyn FileSystem>) -> Self {
        self.files = Some(files);
        self
    }

    /// Sets the directory in which commands run: an absolute path. Unknown by default. An argument of the call called
    /// `workdir`, `cwd`, `directory`, `working_dir` or `working_directory` takes precedence, and is relative to it.
    ///
    /// The answers `session` and `always` are only offered if the directory is known.
    pub fn directory(mut self, path: impl Into<PathBuf>) -> Self {
        self.directory = Some(path.into());
        self
    }

    /// Sets the store of commands that a person has approved permanently. Without a store, the answer `always` is not offered.
    pub fn store(mut self, store: Arc<dyn ApprovalStore>) -> Self {
        self.store = Some(store);
        self
    }

    /// Sets the log of decisions.
    pub fn log(mut self, log: Arc<dyn ApprovalLog>) -> Self {
        self.log = Some(log);
        self
    }

    /// Returns the kind of a task's environment, if it is not that of the session.
    pub(crate) fn elsewhere<'k>(&self, of_task: Option<&'k str>) -> Option<&'k str> {
        of_task.filter(|kind| *kind != self.environment)
    }

    /// Judges the value of a parameter of a tool, in addition to the parameters that the tool declares. Use this for tools without
    /// a manifest, such as those of an MCP server, which can be registered later. `tool` is the tool's own name. If the tool has no
    /// such parameter, each of its calls needs approval.
    pub fn shell_parameter(mut self, tool: impl Into<String>, parameter: impl Into<String>) -> Self {
        self.named.push((tool.into(), parameter.into()));
        self
    }

    /// Does not judge parameters of a run-time tool only because of their names, such as `command`, `script` or `code`. Parameters
    /// that the tool declares, or that [`shell_parameter`](Self::shell_parameter) names, are still judged.
    pub fn no_shell_parameter(mut self, tool: impl Into<String>) -> Self {
        self.unrecognized.push(tool.into());
        self
    }
}

impl fmt::Debug for CommandApproval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CommandApproval")
            .field("rules", &self.rules.rules().len())
            .field("mode", &self.mode)
            .field("environment", &self.environment)
            .field("home", &self.home)
            .field("directory", &self.directory)
            .field("named", &self.named)
            .field("unrecognized", &self.unrecognized)
            .finish_non_exhaustive()
    }
}
