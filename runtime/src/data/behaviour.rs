//! The declared behaviour of a tool: how it runs, its limits, which calls may overlap with it, and whether calls need
//! approval.

use std::borrow::Cow;
use std::time::Duration;

/// The declared behaviour of a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Behaviour {
    /// How the handler runs.
    pub execution: Execution,
    /// The effects of a call.
    pub annotations: Annotations,
    /// The most characters of a result that the model gets, or `None` for the session's limit.
    pub max_result_chars: Option<u32>,
    /// The time limit of a call, or `None` for the session's limit.
    pub timeout: Option<Duration>,
    /// Which calls of a batch may overlap with a call.
    pub parallel: Parallel,
    /// Which calls need approval.
    pub approval: Approval,
    /// Whether tool search may defer the tool.
    pub defer: bool,
    /// The deprecation, or `None` if the tool is not deprecated.
    pub deprecated: Option<Deprecated>,
}

impl Behaviour {
    /// The behaviour of a tool that declares nothing.
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
    /// On a thread of the pool.
    Blocking,
    /// As a future, on the caller's executor.
    Async,
    /// In the agent's own loop. The tool has no handler.
    Agent,
}

impl Execution {
    /// All variants.
    pub const ALL: [Execution; 4] = [Execution::Sync, Execution::Blocking, Execution::Async, Execution::Agent];

    /// Returns its name in a manifest.
    pub const fn word(self) -> &'static str {
        match self {
            Execution::Sync => "sync",
            Execution::Blocking => "blocking",
            Execution::Async => "async",
            Execution::Agent => "agent",
        }
    }
}

/// The effects of a tool, in MCP's terms. They are hints of the tool's author, for a host's policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools, reason = "MCP has these four")]
pub struct Annotations {
    /// Whether the tool only reads.
    pub read_only: bool,
    /// Whether the tool can destroy data.
    pub destructive: bool,
    /// Whether a second call with the same arguments has no further effect.
    pub idempotent: bool,
    /// Whether the tool reaches outside of the host: the network, other people.
    pub open_world: bool,
}

impl Annotations {
    /// MCP's defaults.
    pub const DEFAULT: Annotations =
        Annotations { read_only: false, destructive: true, idempotent: false, open_world: true };
}

/// Which calls of one batch may overlap.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Parallel {
    /// Any other call may overlap, except `Never`.
    Always,
    /// No other call may overlap.
    Never,
    /// Other calls may overlap, except those with the same space and key, unless both are read-only.
    Keyed {
        /// The property whose value is the key.
        key: Cow<'static, str>,
        /// The kind of resource that keys identify, for example files.
        space: Cow<'static, str>,
    },
}

/// Which calls need approval.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Approval {
    /// Whether every call needs approval.
    pub always: bool,
    /// The property that contains a shell command, for a host that judges commands.
    pub shell: Option<Cow<'static, str>>,
}

impl Approval {
    /// No call needs approval.
    pub const NONE: Approval = Approval { always: false, shell: None };
}

/// A tool that should no longer be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Deprecated {
    /// The tool to use instead.
    pub replacement: Option<Cow<'static, str>>,
    /// The reason, and what to do.
    pub note: Cow<'static, str>,
}
