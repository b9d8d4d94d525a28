//! Explanations as text for people, and as JSON.

use std::borrow::Cow;
use std::fmt;
use std::time::Duration;

use super::{
    Absence, AtomValue, ConditionalPart, Denial, Diagnosis, Doctor, Explanation, Grant, MissingTool, MissingVariable,
    PartLocation, RequirementState, RequirementStatus, Status, UnknownTool,
};
use crate::availability::HiddenReason;
use crate::data::list_format::list;
use crate::data::requirement::Requirement;
use crate::data::segment::FactValue;
use crate::data::to_json::Presence::{Always, Optional};
use crate::data::to_json::ToJson;
use crate::data::to_json::{Field, object};
use crate::text::display::{EscapedText, Truncated};

/// The maximum number of missing tools in a text. A chain of requirements can be long.
const MAX_MISSING: usize = 20;
/// The maximum length of a quoted text, in characters.
const MAX_EXCERPT_CHARS: usize = 60;

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let dialect_name =
            self.dialect_name.as_ref().map(|name| format!(" (`{name}` in this dialect)")).unwrap_or_default();
        let status = match &self.status {
            Status::Shown if self.is_deferred => "is deferred: tool search finds it".to_owned(),
            Status::Shown => "is shown".to_owned(),
            Status::Hidden(reason) => format!("is hidden: {reason}"),
            Status::Disabled => "is disabled".to_owned(),
            Status::NotGranted => "is not granted".to_owned(),
        };
        write!(f, "{}", EscapedText(&format!("`{}`{dialect_name} {status}", self.tool)))?;
        write_lines(f, self.grants.iter().map(|grant| format!("granted: {grant}")))?;
        write_lines(f, &self.denials)?;
        if self.grants.is_empty() {
            let hint = match &*self.granting_toolsets {
                [] => "no toolset contains it".to_owned(),
                names => format!("it is part of {}", list(names, "or")),
            };
            write_lines(f, [hint])?;
        }
        write_lines(f, &self.requirements)?;
        write_missing(f, &self.missing)?;
        write_lines(f, &self.parts)
    }
}

/// Writes an indented line for each item, escaped so that no name or text can control a terminal.
fn write_lines(f: &mut fmt::Formatter<'_>, lines: impl IntoIterator<Item: ToString>) -> fmt::Result {
    lines.into_iter().try_for_each(|line| write!(f, "\n    {}", EscapedText(&line.to_string())))
}

fn write_missing(f: &mut fmt::Formatter<'_>, missing: &[MissingTool]) -> fmt::Result {
    write_lines(f, missing.iter().take(MAX_MISSING))?;
    let more = missing.len().saturating_sub(MAX_MISSING);
    write_lines(f, (more > 0).then(|| format!("and {more} more tools are missing")))
}

impl fmt::Display for Grant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Grant::NothingEnabled => {
                f.write_str("the session names no toolset or tool to enable, so it has all of them")
            }
            Grant::Tool => f.write_str("by its name"),
            Grant::All(name) => write!(f, "`{name}`, which means all tools"),
            Grant::Path(path) => f.write_str(&path.join(" → ")),
        }
    }
}

impl fmt::Display for Denial {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Denial::All(name) => write!(f, "disabled: `{name}`, which means all tools"),
            Denial::Tool => f.write_str("disabled by its name"),
            Denial::Disabled(path) => write!(f, "disabled: {}", path.join(" → ")),
            Denial::Excluded { path, by } => write!(f, "excluded by `{by}`: {}", path.join(" → ")),
        }
    }
}

/// Formats a requirement, for example as "! needs the program `git`, like all tools of `home`: `git` is not found".
impl fmt::Display for RequirementStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { requirement, toolset, state, age } = self;
        let mark = match state {
            RequirementState::Met | RequirementState::Flake(_) => '✓',
            RequirementState::Unmet(_) => '!',
            RequirementState::NotEvaluated => '-',
        };
        write!(f, "{mark} needs {requirement}")?;
        if let Some(toolset) = toolset {
            write!(f, ", like all tools of `{toolset}`")?;
        }
        match state {
            RequirementState::Met => {}
            RequirementState::NotEvaluated => f.write_str(": not checked")?,
            RequirementState::Unmet(reason) => write!(f, ": {}", unmet_detail(reason))?,
            RequirementState::Flake(reason) => write!(f, ": it failed just now ({reason})")?,
        }
        match (state, age) {
            (RequirementState::Flake(_), Some(age)) => write!(f, ", but succeeded {} ago", Ago(*age)),
            (_, Some(age)) => write!(f, ", {} ago", Ago(*age)),
            (_, None) => Ok(()),
        }
    }
}

/// Describes why a requirement is not met. The text follows that of the requirement, and does not repeat it.
fn unmet_detail(reason: &HiddenReason) -> String {
    let not = |names: &[Cow<'static, str>], what: &str| {
        let verb = if names.len() == 1 { "is" } else { "are" };
        format!("{} {verb} not {what}", list(names, "and"))
    };
    match reason {
        HiddenReason::Env(names) => not(names, "set"),
        HiddenReason::AnyEnv(_) => "none is set".to_owned(),
        HiddenReason::Programs(names) => not(names, "found"),
        HiddenReason::Os(_) => format!("this is `{}`", std::env::consts::OS),
        HiddenReason::Facts(_) => "the condition is false".to_owned(),
        HiddenReason::Tools(names) => not(names, "available"),
        HiddenReason::AnyTools(_) => "none is available".to_owned(),
        HiddenReason::Any(_) => "none of them is there".to_owned(),
        HiddenReason::Unregistered(names) => format!("no tool provider has {}", list(names, "and")),
        HiddenReason::Dialect
        | HiddenReason::UndeclaredDialect(_)
        | HiddenReason::DialectName { .. }
        | HiddenReason::Check(_)
        | HiddenReason::Panicked(_)
        | HiddenReason::TimedOut(_) => reason.to_string(),
    }
}

/// A duration in whole seconds, or in milliseconds if it is below one second.
struct Ago(Duration);

impl fmt::Display for Ago {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.as_secs() {
            0 => write!(f, "{} ms", self.0.as_millis()),
            seconds => write!(f, "{seconds} s"),
        }
    }
}

impl fmt::Display for MissingTool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is missing: ", self.tool)?;
        match &self.absence {
            Absence::Unregistered => f.write_str("no tool provider has it"),
            Absence::NotGranted => f.write_str("it is not granted"),
            Absence::Hidden(reasons) => {
                let reasons: Vec<String> = reasons.iter().map(ToString::to_string).collect();
                f.write_str(&reasons.join("; "))
            }
        }
    }
}

impl fmt::Display for ConditionalPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { location, condition, atoms, is_shown } = self;
        let verb = if *is_shown { "is included" } else { "is omitted" };
        write!(f, "{location} {verb}: `{condition}`")?;
        for (index, (_, value)) in atoms.iter().enumerate() {
            write!(f, "{}{value}", if index == 0 { " (" } else { ", " })?;
        }
        f.write_str(if atoms.is_empty() { "" } else { ")" })
    }
}

impl fmt::Display for PartLocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PartLocation::Text { within, text } => {
                // Keys below `properties` are names of parameters.
                let below = within.windows(2).filter(|pair| pair[0] == "properties").map(|pair| &*pair[1]);
                let below: Vec<&str> = below.collect();
                write!(f, "text \"{}\"", Truncated(text.trim(), MAX_EXCERPT_CHARS))?;
                if below.is_empty() { Ok(()) } else { write!(f, " of `{}`", below.join(".")) }
            }
            PartLocation::Parameter(name) => write!(f, "parameter `{name}`"),
            PartLocation::Value { parameter, value } => write!(f, "value {value} of `{parameter}`"),
        }
    }
}

impl fmt::Display for AtomValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AtomValue::Tool(name, true) => write!(f, "`{name}` is available"),
            AtomValue::Tool(name, false) => write!(f, "`{name}` is not available"),
            AtomValue::Fact(name, Some(value)) => write!(f, "`{name}` is {value}"),
            AtomValue::Fact(name, None) => write!(f, "unknown fact `{name}`"),
        }
    }
}

/// Formats the report for people: a line for each tool, followed by what it lacks, and then the variables to set.
impl fmt::Display for Doctor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.tools.iter().try_for_each(|tool| writeln!(f, "{tool}"))?;
        for name in &self.missing_toolsets {
            writeln!(f, "! the toolset `{}` no longer exists or is empty", EscapedText(name))?;
        }
        let shown = self.tools.iter().filter(|tool| tool.is_shown).count();
        match self.tools.len() {
            1 => write!(f, "{shown} of 1 tool is available")?,
            count => write!(f, "{shown} of {count} tools are available")?,
        }
        if !self.variables.is_empty() {
            f.write_str("\n\nenvironment variables to set:")?;
        }
        self.variables.iter().try_for_each(|variable| write!(f, "\n{variable}"))
    }
}

impl fmt::Display for Diagnosis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mark = if self.is_shown { '✓' } else { '!' };
        write!(f, "{mark} {} ({})", EscapedText(&self.tool), EscapedText(&self.toolset))?;
        write_lines(f, &self.unmet)?;
        write_lines(f, &self.flakes)?;
        write_missing(f, &self.missing)
    }
}

impl fmt::Display for MissingVariable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "  {}", EscapedText(&self.name))?;
        write_lines(f, [&self.description, &self.url].into_iter().filter(|text| !text.is_empty()))?;
        let one_of = if self.alternatives.is_empty() { "" } else { ", which needs only one of several variables" };
        write_lines(f, [format!("for {}{one_of}", list(&self.tools, "and"))])
    }
}

/// Implements `ToJson` for each type.
macro_rules! objects {
    ($($name:ty: |$it:ident| [$($key:literal $presence:ident $value:expr),* $(,)?];)*) => { $(
        impl ToJson for $name {
            fn to_json(&self, out: &mut String) {
                let $it = self;
                let fields: &[Field<'_>] = &[$((concat!(",\"", $key, "\":"), $presence, &$value)),*];
                object(out, fields);
            }
        }
    )* };
}

objects! {
    Explanation: |it| [
        "tool" Always it.tool,
        "dialect_name" Optional it.dialect_name,
        "toolset" Always it.toolset,
        "status" Always it.status.word(),
        "is_deferred" Always it.is_deferred,
        "reason" Optional if let Status::Hidden(reason) = &it.status { Some(reason) } else { None },
        "grants" Always it.grants,
        "denials" Always it.denials,
        "granting_toolsets" Always it.granting_toolsets,
        "requirements" Always it.requirements,
        "missing" Always it.missing,
        "parts" Always it.parts,
    ];
    Grant: |it| [
        "by" Always match it { Grant::NothingEnabled => "nothing_enabled", Grant::Tool => "tool", Grant::All(_) => "all", Grant::Path(_) => "path" },
        "name" Optional if let Grant::All(name) = it { Some(name) } else { None },
        "path" Optional if let Grant::Path(path) = it { Some(path) } else { None },
    ];
    Denial: |it| [
        "by" Always match it { Denial::All(_) => "all", Denial::Tool => "tool", Denial::Disabled(_) => "disabled", Denial::Excluded { .. } => "excluded" },
        "name" Optional match it { Denial::All(name) | Denial::Excluded { by: name, .. } => Some(name), Denial::Tool | Denial::Disabled(_) => None },
        "path" Optional match it { Denial::Disabled(path) | Denial::Excluded { path, .. } => Some(path), Denial::Tool | Denial::All(_) => None },
    ];
    RequirementStatus: |it| [
        "requirement" Always it.requirement,
        "toolset" Optional it.toolset,
        "state" Always match it.state {
            RequirementState::Met => "met",
            RequirementState::Flake(_) => "flake",
            RequirementState::Unmet(_) => "unmet",
            RequirementState::NotEvaluated => "not_evaluated",
        },
        "reason" Optional match &it.state {
            RequirementState::Flake(reason) | RequirementState::Unmet(reason) => Some(reason),
            RequirementState::Met | RequirementState::NotEvaluated => None,
        },
        "age" Optional it.age.map(|age| age.as_secs_f64()),
    ];
    Requirement: |it| ["kind" Always it.kind_and_names().0, "names" Optional it.kind_and_names().1, "text" Always it.to_string()];
    HiddenReason: |it| ["kind" Always it.kind_and_names().0, "names" Optional it.kind_and_names().1, "text" Always it.to_string()];
    MissingTool: |it| [
        "tool" Always it.tool,
        "absence" Always match it.absence {
            Absence::Unregistered => "unregistered",
            Absence::NotGranted => "not_granted",
            Absence::Hidden(_) => "hidden",
        },
        "reasons" Optional match &it.absence {
            Absence::Hidden(reasons) => Some(reasons),
            Absence::Unregistered | Absence::NotGranted => None,
        },
    ];
    ConditionalPart: |it| [
        "text" Optional if let PartLocation::Text { text, .. } = &it.location { Some(text) } else { None },
        "within" Optional if let PartLocation::Text { within, .. } = &it.location { Some(within) } else { None },
        "parameter" Optional match &it.location {
            PartLocation::Parameter(name) | PartLocation::Value { parameter: name, .. } => Some(name),
            PartLocation::Text { .. } => None,
        },
        "value" Optional if let PartLocation::Value { value, .. } = &it.location { Some(Json(value)) } else { None },
        "condition" Always it.condition,
        "atoms" Always it.atoms.iter().map(Atom).collect::<Vec<_>>(),
        "is_shown" Always it.is_shown,
    ];
    Atom<'_>: |it| [
        "atom" Always it.0.0,
        "value" Always match &it.0.1 {
            AtomValue::Tool(_, is_shown) => FactValue::Boolean(*is_shown),
            AtomValue::Fact(_, value) => value.clone().unwrap_or(FactValue::Boolean(false)),
        },
    ];
    UnknownTool: |it| ["error" Always it.to_string(), "nearest" Always it.nearest];
    Doctor: |it| [
        "tools" Always it.tools,
        "missing_toolsets" Always it.missing_toolsets,
        "variables" Always it.variables,
    ];
    Diagnosis: |it| [
        "tool" Always it.tool,
        "toolset" Always it.toolset,
        "is_shown" Always it.is_shown,
        "unmet" Always it.unmet,
        "flakes" Always it.flakes,
        "missing" Always it.missing,
    ];
    MissingVariable: |it| [
        "name" Always it.name,
        "description" Always it.description,
        "prompt" Always it.prompt,
        "url" Always it.url,
        "secret" Always it.secret,
        "tools" Always it.tools,
        "alternatives" Always it.alternatives,
    ];
}

/// An atom with its value.
struct Atom<'a>(&'a (String, AtomValue));

/// A string that contains JSON.
struct Json<'a>(&'a str);

impl ToJson for Json<'_> {
    fn to_json(&self, out: &mut String) {
        out.push_str(self.0);
    }
}

impl ToJson for FactValue {
    fn to_json(&self, out: &mut String) {
        match self {
            FactValue::Text(text) => text.to_json(out),
            FactValue::Boolean(flag) => flag.to_json(out),
            FactValue::Integer(integer) => integer.to_json(out),
        }
    }
}

impl Status {
    fn word(&self) -> &'static str {
        match self {
            Status::Shown => "shown",
            Status::Hidden(_) => "hidden",
            Status::Disabled => "disabled",
            Status::NotGranted => "not_granted",
        }
    }
}

/// A requirement or a reason, as JSON: the word of its kind, and its names.
trait KindAndNames {
    fn kind_and_names(&self) -> (&'static str, Option<&Vec<Cow<'static, str>>>);
}

impl KindAndNames for Requirement {
    fn kind_and_names(&self) -> (&'static str, Option<&Vec<Cow<'static, str>>>) {
        match self {
            Requirement::Env(names) => ("env", Some(names)),
            Requirement::AnyEnv(names) => ("any_env", Some(names)),
            Requirement::Programs(names) => ("programs", Some(names)),
            Requirement::Os(names) => ("os", Some(names)),
            Requirement::Tools(names) => ("tools", Some(names)),
            Requirement::AnyTools(names) => ("any_tools", Some(names)),
            Requirement::When { .. } => ("when", None),
            Requirement::Any(_) => ("any", None),
            Requirement::Check => ("check", None),
        }
    }
}

impl KindAndNames for HiddenReason {
    fn kind_and_names(&self) -> (&'static str, Option<&Vec<Cow<'static, str>>>) {
        match self {
            HiddenReason::Dialect => ("dialect", None),
            HiddenReason::UndeclaredDialect(_) => ("undeclared_dialect", None),
            HiddenReason::DialectName { .. } => ("dialect_name", None),
            HiddenReason::Env(names) => ("env", Some(names)),
            HiddenReason::AnyEnv(names) => ("any_env", Some(names)),
            HiddenReason::Programs(names) => ("programs", Some(names)),
            HiddenReason::Os(names) => ("os", Some(names)),
            HiddenReason::Facts(names) => ("facts", Some(names)),
            HiddenReason::Check(_) => ("check", None),
            HiddenReason::Panicked(_) => ("panicked", None),
            HiddenReason::TimedOut(_) => ("timed_out", None),
            HiddenReason::Tools(names) => ("tools", Some(names)),
            HiddenReason::AnyTools(names) => ("any_tools", Some(names)),
            HiddenReason::Any(_) => ("any", None),
            HiddenReason::Unregistered(names) => ("unregistered", Some(names)),
        }
    }
}
