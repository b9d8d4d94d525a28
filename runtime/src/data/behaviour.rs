//! The declared behaviour of a tool: how it runs, its limits, which calls may overlap with it, and whether calls need
//! approval.

use std::borrow::Cow;
use std::time::Duration;

/// Declares each part of a behaviour once, with its default and its setter.
macro_rules! behaviour {
    ($($(#[$doc:meta])* $part:ident: $type:ty = $default:expr, $setter:ident;)*) => {
        /// The declared behaviour of a tool.
        #[derive(Debug, Clone, PartialEq, Eq)]
        #[non_exhaustive]
        pub struct Behaviour {
            $($(#[$doc])* pub $part: $type,)*
        }

        impl Behaviour {
            /// The behaviour of a tool that declares nothing.
            pub const DEFAULT: Behaviour = Behaviour { $($part: $default,)* };

            /// The names of all parts.
            #[doc(hidden)]
            pub const PARTS: &[&str] = &[$(stringify!($part)),*];

            /// Returns the names of the parts that differ from the default.
            #[doc(hidden)]
            pub fn changed_parts(&self) -> Vec<&'static str> {
                let is_changed = [$((stringify!($part), self.$part != Self::DEFAULT.$part)),*];
                is_changed.into_iter().filter(|(_, is_changed)| *is_changed).map(|(part, _)| part).collect()
            }

            $(
                #[doc = concat!("Sets [`", stringify!($part), "`](Self::", stringify!($part), ").")]
                #[must_use]
                pub fn $setter(mut self, $part: impl Into<$type>) -> Self {
                    self.$part = $part.into();
                    self
                }
            )*
        }
    };
}

behaviour! {
    /// How the handler runs.
    execution: Execution = Execution::Sync, with_execution;
    /// The effects of a call.
    annotations: Annotations = Annotations::DEFAULT, with_annotations;
    /// The limit of a result, or `None` for the session's limit.
    max_result_chars: Option<MaxResultChars> = None, with_max_result_chars;
    /// The time limit of a call, or `None` for the session's limit.
    timeout: Option<Duration> = None, with_timeout;
    /// Which calls of a batch may overlap with a call.
    parallel: Parallel = Parallel::Never, with_parallel;
    /// Which calls need approval.
    approval: Approval = Approval::NONE, with_approval;
    /// Whether tool search may defer the tool.
    defer: bool = true, with_defer;
    /// Who may call the tool.
    callers: Callers = Callers::MODEL, with_callers;
    /// Whether the model may continue while a call runs: see [`Turn::call_in_background`](crate::Turn::call_in_background).
    background: bool = false, with_background;
    /// The deprecation, or `None` if the tool is not deprecated.
    deprecated: Option<Deprecated> = None, with_deprecated;
}

impl Default for Behaviour {
    fn default() -> Self {
        Self::DEFAULT
    }
}

/// The maximum length of a tool's result. Longer results are stored or cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MaxResultChars {
    /// This number of characters.
    Chars(u32),
    /// No limit, not even the session's: the model gets every result complete.
    Unlimited,
}

impl MaxResultChars {
    /// Returns the number of characters, or `usize::MAX` if there is no limit.
    pub(crate) fn chars(self) -> usize {
        match self {
            MaxResultChars::Chars(chars) => usize::try_from(chars).unwrap_or(usize::MAX),
            MaxResultChars::Unlimited => usize::MAX,
        }
    }
}

impl From<u32> for MaxResultChars {
    fn from(chars: u32) -> Self {
        MaxResultChars::Chars(chars)
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

    /// Returns the name of the variant in a manifest.
    pub const fn word(self) -> &'static str {
        match self {
            Execution::Sync => "sync",
            Execution::Blocking => "blocking",
            Execution::Async => "async",
            Execution::Agent => "agent",
        }
    }
}

/// Who may call a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Callers {
    /// Whether the model may call the tool directly.
    pub model: bool,
    /// Whether code may call the tool: code that the model writes and the vendor runs. For scripts that the host runs, see
    /// [`Tool::python`](crate::Tool::python).
    pub code: bool,
}

impl Callers {
    /// The model alone.
    pub const MODEL: Callers = Callers { model: true, code: false };

    /// Code alone.
    pub const CODE: Callers = Callers { model: false, code: true };

    /// The model and code.
    pub const BOTH: Callers = Callers { model: true, code: true };

    /// Creates a set of callers.
    pub const fn new(model: bool, code: bool) -> Self {
        Self { model, code }
    }
}

impl Default for Callers {
    fn default() -> Self {
        Self::MODEL
    }
}

/// The effects of a tool, in MCP's terms. They are hints of the tool's author, for a host's policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "MCP has these four")]
#[non_exhaustive]
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

    /// Sets whether the tool only reads. A tool that only reads destroys nothing.
    #[must_use]
    pub const fn with_read_only(mut self, read_only: bool) -> Self {
        self.read_only = read_only;
        if read_only {
            self.destructive = false;
        }
        self
    }

    /// Sets whether the tool can destroy data.
    #[must_use]
    pub const fn with_destructive(mut self, destructive: bool) -> Self {
        self.destructive = destructive;
        self
    }

    /// Sets whether a second call with the same arguments has no further effect.
    #[must_use]
    pub const fn with_idempotent(mut self, idempotent: bool) -> Self {
        self.idempotent = idempotent;
        self
    }

    /// Sets whether the tool reaches outside of the host.
    #[must_use]
    pub const fn with_open_world(mut self, open_world: bool) -> Self {
        self.open_world = open_world;
        self
    }
}

impl Default for Annotations {
    fn default() -> Self {
        Self::DEFAULT
    }
}

/// Which calls of one batch may overlap.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Parallel {
    /// The call may overlap with any other call, except a call of a tool with `Never`.
    Always,
    /// The call never overlaps with another call.
    Never,
    /// The call may overlap with other calls, except with a call that has the same space and key, unless both are read-only.
    Keyed {
        /// The property whose value is the key.
        key: Cow<'static, str>,
        /// The kind of resource that keys identify, for example files.
        space: Cow<'static, str>,
    },
}

/// Which calls need approval.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Approval {
    /// Whether every call needs approval.
    pub always: bool,
    /// The property that contains a shell command, or its words. A session that judges commands (with the feature
    /// `approval`) does so before each call.
    pub shell: Option<Cow<'static, str>>,
}

impl Approval {
    /// No call needs approval.
    pub const NONE: Approval = Approval { always: false, shell: None };

    /// Every call needs approval.
    pub const ALWAYS: Approval = Approval { always: true, shell: None };

    /// Sets the property that contains a shell command.
    #[must_use]
    pub fn with_shell(mut self, property: impl Into<Cow<'static, str>>) -> Self {
        self.shell = Some(property.into());
        self
    }
}

impl Default for Approval {
    fn default() -> Self {
        Self::NONE
    }
}

/// A tool that should no longer be used.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Deprecated {
    /// The tool to use instead.
    pub replacement: Option<Cow<'static, str>>,
    /// Why the tool is deprecated, and what to do instead.
    pub note: Cow<'static, str>,
}

impl Deprecated {
    /// Creates a deprecation. The note says why the tool is deprecated, and what to do instead.
    pub fn new(note: impl Into<Cow<'static, str>>) -> Self {
        Self { replacement: None, note: note.into() }
    }

    /// Sets the tool to use instead.
    #[must_use]
    pub fn with_replacement(mut self, tool: impl Into<Cow<'static, str>>) -> Self {
        self.replacement = Some(tool.into());
        self
    }
}
