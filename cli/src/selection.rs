//! The options that choose a session and a turn: toolsets, tools, facts and the dialect.

use std::borrow::Cow;
use std::fmt;

use clap::Args;
use toolc::availability::HiddenReason;
use toolc::catalog::Fact;
use toolc::suggest::{did_you_mean, nearest};
use toolc::{Dialect, FactValue, Registry, Session, SessionBuilder, Turn};

use crate::app::App;
use crate::failure::Failure;

/// The options that choose what a session grants, and its facts. By default, everything.
#[derive(Debug, Clone, Default, Args)]
#[non_exhaustive]
pub struct Selection {
    /// Toolsets to enable. Default: those that are on, or all if the program switches none off.
    #[arg(long, visible_alias = "toolsets", value_name = "TOOLSET", value_delimiter = ',')]
    pub enable: Vec<String>,
    /// Toolsets to disable. Takes precedence over enabling.
    #[arg(long, value_name = "TOOLSET", value_delimiter = ',')]
    pub disable: Vec<String>,
    /// Tools to enable in addition to the toolsets. Without `--enable`, only these are enabled.
    #[arg(long, value_name = "TOOL", value_delimiter = ',')]
    pub enable_tools: Vec<String>,
    /// Tools to disable. Takes precedence over enabling.
    #[arg(long, value_name = "TOOL", value_delimiter = ',')]
    pub disable_tools: Vec<String>,
    /// Set a fact. Can be repeated. Default: the declared default of each fact.
    #[arg(long, value_name = "FACT=VALUE")]
    pub fact: Vec<String>,
}

/// The options that choose a turn: a session, and the dialect of the definitions.
#[derive(Debug, Args)]
#[non_exhaustive]
pub struct View {
    /// The session.
    #[command(flatten)]
    pub selection: Selection,
    /// The dialect of the definitions, such as `anthropic`. Default: the first one in which the tools are defined.
    #[arg(long, value_parser = dialect)]
    pub dialect: Option<Dialect>,
}

impl Selection {
    /// Returns a builder of a session with these options.
    ///
    /// # Errors
    /// Returns an error about the first fact that cannot be read.
    pub fn builder(&self, registry: &Registry) -> Result<SessionBuilder, FactError> {
        let declared = registry.facts();
        let facts = self.fact.iter().map(|fact| parse_fact(fact, &declared)).collect::<Result<Vec<_>, _>>()?;
        Ok(registry
            .session()
            .enable(&self.enable)
            .disable(&self.disable)
            .enable_tools(&self.enable_tools)
            .disable_tools(&self.disable_tools)
            .facts(facts))
    }

    /// Returns whether the options enable neither toolsets nor tools.
    pub fn is_empty(&self) -> bool {
        self.enable.is_empty() && self.enable_tools.is_empty()
    }

    /// Returns a session with these options.
    pub(crate) fn session(&self, app: &App) -> Result<SessionBuilder, FactError> {
        Ok(self.builder(&app.registry)?.env(app.env.clone()))
    }
}

impl View {
    /// Returns the first turn of a session with these options.
    pub(crate) fn turn(&self, app: &App) -> Result<Turn, Failure> {
        self.turn_of(self.selection.session(app)?)
    }

    /// Returns the first turn of a session in the dialect of these options.
    pub(crate) fn turn_of(&self, session: SessionBuilder) -> Result<Turn, Failure> {
        let (session, dialect) = self.session_and_dialect(session)?;
        Ok(session.turn_blocking(dialect))
    }

    /// Builds a session, and returns it with the dialect of these options.
    pub(crate) fn session_and_dialect(&self, session: SessionBuilder) -> Result<(Session, Dialect), Failure> {
        let session = session.build().map_err(|error| error.to_string())?;
        // A tool that is hidden for another reason has a definition.
        let is_undefined = |reason: &HiddenReason| {
            use HiddenReason::{Dialect, DialectName, UndeclaredDialect};
            matches!(reason, Dialect | UndeclaredDialect(_) | DialectName { .. })
        };
        let has_definitions = |dialect: &Dialect| {
            let turn = session.turn_blocking(*dialect);
            turn.tools().next().is_some() || turn.hidden().any(|hidden| !is_undefined(hidden.reason))
        };
        let first = || Dialect::ALL.iter().copied().find(has_definitions);
        let dialect = self.dialect.or_else(first).unwrap_or(Dialect::OpenAi);
        Ok((session, dialect))
    }
}

/// Parses `NAME=VALUE`. The declared default of the fact determines the type of the value.
pub(crate) fn parse_fact(text: &str, declared: &[Fact]) -> Result<(Cow<'static, str>, FactValue), FactError> {
    let (name, value) = text.split_once('=').ok_or_else(|| FactError::Syntax { text: text.to_owned() })?;
    let Some(fact) = declared.iter().find(|fact| fact.name == name) else {
        // The session refuses the name, and suggests others.
        return Ok((name.to_owned().into(), value.to_owned().into()));
    };
    let value = fact.default.parse_same_type(value).ok_or_else(|| FactError::Type {
        fact: name.to_owned(),
        default: fact.default.clone(),
        value: value.to_owned(),
    })?;
    Ok((fact.name.clone(), value))
}

/// Why a fact of the command line cannot be read. The session checks its name.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum FactError {
    /// The text is not of the form `FACT=VALUE`.
    Syntax {
        /// The text.
        text: String,
    },
    /// The value has another type than the fact.
    Type {
        /// The name of the fact.
        fact: String,
        /// Its declared default, which has its type.
        default: FactValue,
        /// The text of the value.
        value: String,
    },
}

impl fmt::Display for FactError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Syntax { text } => write!(f, "expected FACT=VALUE, got `{text}`"),
            Self::Type { fact, default, value } => {
                let values = match default {
                    FactValue::Boolean(_) => ": `true` or `false`",
                    FactValue::Integer(_) => " within ±2^53",
                    FactValue::Text(_) => "",
                };
                write!(f, "the fact `{fact}` is {}{values}; got `{value}`", default.noun())
            }
        }
    }
}

impl std::error::Error for FactError {}

impl From<FactError> for Failure {
    fn from(error: FactError) -> Self {
        Failure::Usage(error.to_string())
    }
}

/// Parses the name of a dialect whose feature is enabled.
fn dialect(name: &str) -> Result<Dialect, String> {
    if let Some(found) = Dialect::ALL.iter().find(|dialect| dialect.name() == name) {
        return Ok(*found);
    }
    if Dialect::NAMES.contains(&name) {
        return Err(switched_off(name));
    }
    let names: Vec<&str> = Dialect::ALL.iter().map(|dialect| dialect.name()).collect();
    let hint = did_you_mean(&nearest(name, Dialect::NAMES.iter().copied()));
    Err(hint.unwrap_or_else(|| format!("the dialects of this program are {}", names.join(", "))))
}

/// Says how a developer adds a dialect to the program.
fn switched_off(name: &str) -> String {
    format!(
        "this program was built without the dialect `{name}`: add \"{name}\" to `dialects` in toolc.toml and to the `features` of \
         `toolc` in Cargo.toml, run gen, and build again"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dialect_that_the_program_lacks_says_how_to_add_it() {
        // The tests have all dialects, or only those of this crate.
        assert_eq!(dialect("mcp"), Ok(Dialect::Mcp));
        let lacking = switched_off("openai-strict");
        assert!(lacking.starts_with("this program was built without the dialect `openai-strict`: add"), "{lacking}");
        let is_enabled = Dialect::ALL.iter().any(|dialect| dialect.name() == "openai-strict");
        assert_eq!(dialect("openai-strict").err(), (!is_enabled).then_some(lacking));
        assert_eq!(dialect("opnai-strict"), Err("did you mean `openai-strict`?".to_owned()));
        assert!(dialect("xml").is_err_and(|why| why.starts_with("the dialects of this program are openai, ")));
    }

    #[test]
    fn the_value_of_a_fact_has_the_type_of_its_default() {
        let declared = [Fact::new("admin", false), Fact::new("depth", 3), Fact::new("city", "Bern")];
        let parse = |text: &str| parse_fact(text, &declared).map(|(_, value)| value);
        assert_eq!(parse("admin=true"), Ok(true.into()));
        assert_eq!(parse("depth=-4"), Ok((-4).into()));
        assert_eq!(parse("city="), Ok("".into()));
        assert_eq!(parse("city=a=b"), Ok("a=b".into()));
        let message = |text: &str| parse(text).unwrap_err().to_string();
        assert_eq!(message("admin=yes"), "the fact `admin` is a boolean: `true` or `false`; got `yes`");
        assert_eq!(
            message("depth=9007199254740993"),
            "the fact `depth` is an integer within ±2^53; got `9007199254740993`"
        );
        assert_eq!(message("admin"), "expected FACT=VALUE, got `admin`");
    }
}
