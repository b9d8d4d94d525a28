//! Doubts: what the reader is not certain about. A person should look at a line that has one.

use std::fmt;

use crate::span::Span;

/// A reason why the list of commands may be incomplete, or may differ from what a person would expect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Doubt {
    /// The reason.
    pub kind: DoubtKind,
    /// The text that causes it.
    pub span: Span,
}

/// The reasons for doubts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum DoubtKind {
    /// The line is longer than [`MAX_BYTES`](crate::MAX_BYTES).
    TooLong,
    /// Constructs are nested deeper than [`MAX_DEPTH`](crate::MAX_DEPTH).
    TooDeep,
    /// Reading takes more steps than the budget of a line of this length allows.
    TooMuchWork,
    /// The syntax is unknown. Only the commands before this position are listed.
    Syntax,
    /// Shells read the text in different ways, and not all of the resulting commands are listed.
    ShellsDiffer,
    /// The text has a control character or an invisible character.
    Invisible,
    /// The name of a program has letters that look like other letters.
    LookAlike,
    /// Code is built at run time: the argument of `eval` or `sh -c` has an expansion.
    BuiltCode,
    /// The output of commands is run as code: `eval "$(...)"`, `curl ... | sh`, `. <(...)`.
    OutputAsCode,
    /// Text can run as code when it is used as an array subscript, an arithmetic expression or a prompt.
    HiddenCode,
    /// An alias or a function replaces a command in a way that the reader does not follow.
    Redefined,
    /// The code is for a shell or a language that this crate does not read.
    ForeignCode,
}

/// Declares `DoubtKind::ALL`. A missing kind is a compile error.
macro_rules! doubts {
    ($($kind:ident)*) => {
        impl DoubtKind {
            /// Every kind of doubt.
            pub const ALL: &'static [Self] = &[$(Self::$kind),*];
        }

        const _: fn(DoubtKind) = |kind| match kind {
            $(DoubtKind::$kind => {})*
        };
    };
}

doubts! {
    TooLong TooDeep TooMuchWork Syntax ShellsDiffer Invisible LookAlike BuiltCode OutputAsCode HiddenCode Redefined ForeignCode
}

impl DoubtKind {
    /// Returns the name, as `exempts` of a rule uses it.
    pub fn name(self) -> &'static str {
        match self {
            Self::TooLong => "too-long",
            Self::TooDeep => "too-deep",
            Self::TooMuchWork => "too-much-work",
            Self::Syntax => "syntax",
            Self::ShellsDiffer => "shells-differ",
            Self::Invisible => "invisible",
            Self::LookAlike => "look-alike",
            Self::BuiltCode => "built-code",
            Self::OutputAsCode => "output-as-code",
            Self::HiddenCode => "hidden-code",
            Self::Redefined => "redefined",
            Self::ForeignCode => "foreign-code",
        }
    }

    /// Returns a sentence part that completes "the command asks because ...".
    pub fn reason(self) -> &'static str {
        match self {
            Self::TooLong => "the line is too long",
            Self::TooDeep => "the line is nested too deeply",
            Self::TooMuchWork => "the line is too complex",
            Self::Syntax => "the line has unknown syntax",
            Self::ShellsDiffer => "shells read the line in different ways",
            Self::Invisible => "the line has control characters or invisible characters",
            Self::LookAlike => "the name of a program has letters that look like other letters",
            Self::BuiltCode => "the line runs code that it builds at run time",
            Self::OutputAsCode => "the line runs the output of a command",
            Self::HiddenCode => "quoted text in the line can run as code",
            Self::Redefined => "the line redefines a command",
            Self::ForeignCode => "the line runs code in a language that cannot be analyzed",
        }
    }
}

impl fmt::Display for DoubtKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.reason())
    }
}
