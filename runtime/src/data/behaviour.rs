//! How a tool behaves, as its author declared it: how it runs, how long, how much it may say, beside what, and whether
//! somebody has to be asked first.

use std::borrow::Cow;
use std::time::Duration;

/// Everything that is declared of a tool's behaviour.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Behaviour {
    /// How its handler runs.
    pub execution: Execution,
    /// What it does to the world.
    pub annotations: Annotations,
    /// Characters of a result that the model gets at most. None: the host's limit.
    pub max_result_chars: Option<u32>,
    /// How long a call may take. None: the host's limit.
    pub timeout: Option<Duration>,
    /// What may run beside it.
    pub parallel: Parallel,
    /// Whether a call has to be approved.
    pub approval: Approval,
    /// Whether tool search may stand for it, where there are many tools.
    pub defer: bool,
    /// Whether it should no longer be used.
    pub deprecated: Option<Deprecated>,
}

impl Behaviour {
    /// That of a tool whose author said nothing.
    pub const DEFAULT: Behaviour = Behaviour {
        execution: Execution::Sync,
        annotations: Annotations::DEFAULT,
        max_result_chars: None,
        timeout: None,
        parallel: Parallel::Never,
        approval: Approval::NONE,
        defer: true,
        deprecated: None,
    };
}

impl Default for Behaviour {
    fn default() -> Self {
        Self::DEFAULT
    }
}

/// How a handler runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Execution {
    /// Inline, on the caller's thread.
    Sync,
    /// On a thread of its own.
    Blocking,
    /// As a future, on the caller's executor.
    Async,
    /// The agent's own loop runs it: it has no handler.
    Agent,
}

impl Execution {
    /// All of them.
    pub const ALL: [Execution; 4] = [Execution::Sync, Execution::Blocking, Execution::Async, Execution::Agent];

    /// The word for it in a manifest.
    pub const fn word(self) -> &'static str {
        match self {
            Execution::Sync => "sync",
            Execution::Blocking => "blocking",
            Execution::Async => "async",
            Execution::Agent => "agent",
        }
    }
}

/// What a tool does to the world, in MCP's terms. Hints for a host's policy, told by the tool's author.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools, reason = "MCP has these four")]
pub struct Annotations {
    /// It changes nothing.
    pub read_only: bool,
    /// What it changes may be lost.
    pub destructive: bool,
    /// A second call with the same arguments changes nothing more.
    pub idempotent: bool,
    /// It reaches what the host does not know: the network, other people.
    pub open_world: bool,
}

impl Annotations {
    /// What MCP assumes of a tool that says nothing.
    pub const DEFAULT: Annotations =
        Annotations { read_only: false, destructive: true, idempotent: false, open_world: true };
}

/// Which calls of one batch may overlap.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Parallel {
    /// Any others may run beside it.
    Always,
    /// None may.
    Never,
    /// Others may, but for those of the same space and key; two that are both read-only do not hinder each other.
    Keyed {
        /// The property whose value is the key.
        key: Cow<'static, str>,
        /// What the keys name: files, for example.
        space: Cow<'static, str>,
    },
}

/// Which calls have to be approved by somebody.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Approval {
    /// Every one.
    pub always: bool,
    /// Those whose shell command, in this property, is judged dangerous.
    pub shell: Option<Cow<'static, str>>,
}

impl Approval {
    /// No call.
    pub const NONE: Approval = Approval { always: false, shell: None };
}

/// A tool that should no longer be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Deprecated {
    /// The tool to use instead.
    pub replacement: Option<Cow<'static, str>>,
    /// Why, and what to do.
    pub note: Cow<'static, str>,
}
