//! The reasons why granted tools are not shown.

use std::borrow::Cow;
use std::fmt;
use std::time::Duration;

use crate::data::dialect::Dialect;
use crate::data::list_format;
use crate::data::requirement::Requirement;

/// The reason why a granted tool is not shown: the first of its requirements, or those of its home toolset, that is not met.
/// Its `Display` form continues a sentence about the tool: "needs the program `git`".
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum HiddenReason {
    /// The tool has no definition in the turn's dialect.
    Dialect,
    /// The tool provider has no definitions at all in this dialect: the project does not list it in `dialects`.
    UndeclaredDialect(Dialect),
    /// In a dialect where names must be identifiers, such as `typescript`, no tool can have this name, or another tool has it.
    DialectName {
        /// The dialect.
        dialect: Dialect,
        /// The name that the tool would have there.
        name: Cow<'static, str>,
        /// The tool that has the name, or `None` if it is reserved.
        taken_by: Option<Cow<'static, str>>,
    },
    /// These environment variables are not set.
    Env(Vec<Cow<'static, str>>),
    /// None of these environment variables is set.
    AnyEnv(Vec<Cow<'static, str>>),
    /// These programs are not found.
    Programs(Vec<Cow<'static, str>>),
    /// The operating system is not one of these.
    Os(Vec<Cow<'static, str>>),
    /// A condition over these facts is false.
    Facts(Vec<Cow<'static, str>>),
    /// The availability check reported this reason.
    Check(Cow<'static, str>),
    /// The availability check panicked with this message.
    Panicked(Cow<'static, str>),
    /// The availability check did not end within this time.
    TimedOut(Duration),
    /// These required tools are not shown.
    Tools(Vec<Cow<'static, str>>),
    /// None of these alternatively required tools is shown.
    AnyTools(Vec<Cow<'static, str>>),
    /// None of these alternatives is met. Each is one of [`Requirement::Env`], [`Requirement::Programs`] and [`Requirement::When`].
    Any(Vec<Requirement>),
    /// No registered tool provider has these required tools.
    Unregistered(Vec<Cow<'static, str>>),
}

impl fmt::Display for HiddenReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            HiddenReason::Dialect => f.write_str("has no definition in this dialect"),
            HiddenReason::UndeclaredDialect(dialect) => write!(
                f,
                "was not generated for the dialect `{0}`: add \"{0}\" to `dialects` in toolc.toml, and run gen",
                dialect.name()
            ),
            HiddenReason::DialectName { dialect, name, taken_by } => {
                let dialect = dialect.name();
                match taken_by {
                    None => {
                        write!(f, "cannot be called `{name}` in the dialect `{dialect}`: the name is reserved there")
                    }
                    Some(other) => write!(
                        f,
                        "cannot be called `{name}` in the dialect `{dialect}`: the tool `{other}` has this name there"
                    ),
                }
            }
            HiddenReason::Env(names) => needs(f, "environment variable", names),
            HiddenReason::AnyEnv(names) => needs_one(f, "environment variable", names),
            HiddenReason::Programs(names) => needs(f, "program", names),
            HiddenReason::Os(names) => write!(f, "runs only on {}", list_format::list(names, "or")),
            HiddenReason::Facts(names) => match &**names {
                [name] => write!(f, "the fact `{name}` rules it out"),
                names => write!(f, "the facts {} rule it out", list_format::list(names, "and")),
            },
            HiddenReason::Check(text) => f.write_str(text),
            HiddenReason::Panicked(message) => write!(f, "its check failed unexpectedly: {message}"),
            HiddenReason::TimedOut(limit) => write!(f, "its check gave no answer within {limit:?}"),
            HiddenReason::Tools(names) => needs(f, "tool", names),
            HiddenReason::AnyTools(names) => needs_one(f, "tool", names),
            HiddenReason::Any(alternatives) => {
                f.write_str("needs ")?;
                list_format::one_of_these(f, alternatives)
            }
            HiddenReason::Unregistered(names) => {
                needs(f, "tool", names)?;
                f.write_str(", which no tool provider has")
            }
        }
    }
}

fn needs(f: &mut fmt::Formatter<'_>, what: &str, names: &[Cow<'static, str>]) -> fmt::Result {
    f.write_str("needs ")?;
    list_format::all_of(f, what, names)
}

fn needs_one(f: &mut fmt::Formatter<'_>, what: &str, names: &[Cow<'static, str>]) -> fmt::Result {
    f.write_str("needs ")?;
    list_format::one_of(f, what, names)
}
