//! What the reader is not certain about. A doubt means that a person should look at the line.

use std::fmt;

use crate::span::Span;

/// A reason why the list of commands may be incomplete, or may not mean what a person sees.
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
    /// The syntax is unknown. The commands before this place are listed.
    Syntax,
    /// Shells read the text in different ways, and not every reading is listed.
    ShellsDiffer,
    /// A control character, or an invisible one.
    Invisible,
    /// The name of a program has letters that look like others.
    LookAlike,
    /// Code is built at run time: the argument of `eval` or `sh -c` has an expansion.
    BuiltCode,
    /// The output of commands is run as code: `eval "$(...)"`, `curl ... | sh`, `. <(...)`.
    OutputAsCode,
    /// Text that can run when it is used as an array subscript, an arithmetic expression or a prompt.
    HiddenCode,
    /// An alias or a function replaces a command in a way that was not followed.
    Redefined,
    /// Code of a shell or a language that this crate does not read.
    ForeignCode,
}

impl DoubtKind {
    /// Returns the name, as exceptions of rules use it.
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
            Self::LookAlike => "the name of a program has letters that look like others",
            Self::BuiltCode => "the line runs code that it builds at run time",
            Self::OutputAsCode => "the line runs the output of a command",
            Self::HiddenCode => "text of the line can run as code",
            Self::Redefined => "the line redefines a command",
            Self::ForeignCode => "the line has code in a language that is not read",
        }
    }
}

impl fmt::Display for DoubtKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.reason())
    }
}
