//! Explanations as text for people, and as JSON.

use std::borrow::Cow;
use std::fmt;
use std::time::Duration;

use super::{
    Absence, AtomValue, ConditionalPart, Denial, Diagnosis, Doctor, Explanation, Grant, Lacking, Missing, Need,
    NeedState, PartPlace, Status, UnknownTool,
};
use crate::availability::HiddenReason;
use crate::data::list_format::list;
use crate::data::requirement::Requirement;
use crate::data::segment::FactValue;
use crate::data::to_json::Presence::{Always, Optional};
use crate::data::to_json::ToJson;
use crate::data::to_json::{Field, object};
use crate::text::display::{EscapedText, Truncated};

/// The maximum number of missing tools in a text; a chain of them can be long.
const MOST_MISSING: usize = 20;
/// The maximum length of a quoted text, in characters.
const EXCERPT: usize = 60;

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let called = self.called.as_ref().map(|called| format!(", here called `{called}`,")).unwrap_or_default();
        let status = match &self.status {
            Status::Shown if self.is_deferred => "is not listed: `tool_search` finds it".to_owned(),
            Status::Shown => "is shown".to_owned(),
            Status::Hidden(reason) => format!("is hidden: {reason}"),
            Status::TakenAway => "is disabled".to_owned(),
            Status::NotGranted => "is not granted".to_owned(),
        };
        write!(f, "{}", EscapedText(&format!("`{}`{called} {status}", self.tool)))?;
        below(f, self.grants.iter().map(|grant| format!("granted: {grant}")))?;
        below(f, &self.denials)?;
        if self.grants.is_empty() {
            let comes = match &*self.brought_by {
                [] => "no toolset contains it".to_owned(),
                names => format!("it is part of {}", list(names, "or")),
            };
            below(f, [comes])?;
        }
        below(f, &self.needs)?;
        absent(f, &self.missing)?;
        below(f, &self.parts)
    }
}

/// Writes a line for each item, escaped so that no name or text can control a terminal.
fn below(f: &mut fmt::Formatter<'_>, lines: impl IntoIterator<Item: ToString>) -> fmt::Result {
    lines.into_iter().try_for_each(|line| write!(f, "\n    {}", EscapedText(&line.to_string())))
}

fn absent(f: &mut fmt::Formatter<'_>, missing: &[Missing]) -> fmt::Result {
    below(f, missing.iter().take(MOST_MISSING))?;
    let more = missing.len().saturating_sub(MOST_MISSING);
    below(f, (more > 0).then(|| format!("and {more} more tools are missing")))
}

impl fmt::Display for Grant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Grant::NothingEnabled => f.write_str("the session enables nothing, which grants all tools"),
            Grant::Tool => f.write_str("by its name"),
            Grant::All(name) => write!(f, "`{name}`, which is every tool"),
            Grant::Path(path) => f.write_str(&path.join(" → ")),
        }
    }
}

impl fmt::Display for Denial {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Denial::All(name) => write!(f, "disabled: `{name}`, which is every tool"),
            Denial::Tool => f.write_str("disabled by its name"),
            Denial::Disabled(path) => write!(f, "disabled: {}", path.join(" → ")),
            Denial::Excluded { path, by } => write!(f, "excluded by `{by}`: {}", path.join(" → ")),
        }
    }
}

/// "! needs the program `git`, like all tools of `home`: `git` is not found".
impl fmt::Display for Need {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { requirement, toolset, state, age } = self;
        let mark = match state {
            NeedState::Met | NeedState::Flake(_) => '✓',
            NeedState::Unmet(_) => '!',
            NeedState::Unasked => '-',
        };
        write!(f, "{mark} needs {requirement}")?;
        if let Some(toolset) = toolset {
            write!(f, ", like all tools of `{toolset}`")?;
        }
        match state {
            NeedState::Met => {}
            NeedState::Unasked => f.write_str(": not checked")?,
            NeedState::Unmet(reason) => write!(f, ": {}", shortfall(reason))?,
            NeedState::Flake(reason) => write!(f, ": it failed just now ({reason})")?,
        }
        match (state, age) {
            (NeedState::Flake(_), Some(age)) => write!(f, ", but succeeded {} ago", Ago(*age)),
            (_, Some(age)) => write!(f, ", {} ago", Ago(*age)),
            (_, None) => Ok(()),
        }
    }
}

/// Describes the difference between a reason and its requirement, which has already been written.
fn shortfall(reason: &HiddenReason) -> String {
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
        HiddenReason::Unregistered(names) => format!("no tool provider has {}", list(names, "and")),
        HiddenReason::Dialect | HiddenReason::Check(_) | HiddenReason::Panicked(_) | HiddenReason::TimedOut(_) => {
            reason.to_string()
        }
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

impl fmt::Display for Missing {
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
        let Self { place, condition, atoms, is_shown } = self;
        let verb = if *is_shown { "is shown" } else { "is left out" };
        write!(f, "{place} {verb}: `{condition}`")?;
        for (index, (_, value)) in atoms.iter().enumerate() {
            write!(f, "{}{value}", if index == 0 { " (" } else { ", " })?;
        }
        f.write_str(if atoms.is_empty() { "" } else { ")" })
    }
}

impl fmt::Display for PartPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PartPlace::Text { within, text } => {
                // Keys below `properties` are names of parameters.
                let below = within.windows(2).filter(|pair| pair[0] == "properties").map(|pair| &*pair[1]);
                let below: Vec<&str> = below.collect();
                write!(f, "text \"{}\"", Truncated(text.trim(), EXCERPT))?;
                if below.is_empty() { Ok(()) } else { write!(f, " of `{}`", below.join(".")) }
            }
            PartPlace::Parameter(name) => write!(f, "parameter `{name}`"),
            PartPlace::Value { parameter, value } => write!(f, "value {value} of `{parameter}`"),
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

/// Writes a line for each tool, with what it lacks below it, and then the variables that tools lack.
impl fmt::Display for Doctor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.tools.iter().try_for_each(|tool| writeln!(f, "{tool}"))?;
        for name in &self.missing_toolsets {
            writeln!(f, "! the toolset `{}` does not exist any more, or is empty", EscapedText(name))?;
        }
        let shown = self.tools.iter().filter(|tool| tool.is_shown).count();
        write!(f, "{shown} of {} tools are available", self.tools.len())?;
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
        below(f, &self.lacks)?;
        below(f, &self.flakes)?;
        absent(f, &self.missing)
    }
}

impl fmt::Display for Lacking {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "  {}", EscapedText(&self.name))?;
        below(f, [&self.description, &self.url].into_iter().filter(|text| !text.is_empty()))?;
        below(f, [format!("for {}", list(&self.tools, "and"))])
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
        "called" Optional it.called,
        "toolset" Always it.toolset,
        "status" Always it.status.word(),
        "is_deferred" Always it.is_deferred,
        "reason" Optional if let Status::Hidden(reason) = &it.status { Some(reason) } else { None },
        "grants" Always it.grants,
        "denials" Always it.denials,
        "brought_by" Always it.brought_by,
        "needs" Always it.needs,
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
    Need: |it| [
        "needs" Always it.requirement,
        "toolset" Optional it.toolset,
        "state" Always match it.state {
            NeedState::Met => "met",
            NeedState::Flake(_) => "flake",
            NeedState::Unmet(_) => "unmet",
            NeedState::Unasked => "unasked",
        },
        "reason" Optional match &it.state {
            NeedState::Flake(reason) | NeedState::Unmet(reason) => Some(reason),
            NeedState::Met | NeedState::Unasked => None,
        },
        "age" Optional it.age.map(|age| age.as_secs_f64()),
    ];
    Requirement: |it| ["kind" Always it.sort().0, "names" Optional it.sort().1, "text" Always it.to_string()];
    HiddenReason: |it| ["kind" Always it.sort().0, "names" Optional it.sort().1, "text" Always it.to_string()];
    Missing: |it| [
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
        "text" Optional if let PartPlace::Text { text, .. } = &it.place { Some(text) } else { None },
        "within" Optional if let PartPlace::Text { within, .. } = &it.place { Some(within) } else { None },
        "parameter" Optional match &it.place {
            PartPlace::Parameter(name) | PartPlace::Value { parameter: name, .. } => Some(name),
            PartPlace::Text { .. } => None,
        },
        "value" Optional if let PartPlace::Value { value, .. } = &it.place { Some(Json(value)) } else { None },
        "condition" Always it.condition,
        "atoms" Always it.atoms.iter().map(Atom).collect::<Vec<_>>(),
        "is_shown" Always it.is_shown,
    ];
    Atom<'_>: |it| [
        "atom" Always it.0.0,
        "value" Always match &it.0.1 {
            AtomValue::Tool(_, is_there) => FactValue::Boolean(*is_there),
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
        "lacks" Always it.lacks,
        "flakes" Always it.flakes,
        "missing" Always it.missing,
    ];
    Lacking: |it| [
        "name" Always it.name,
        "description" Always it.description,
        "prompt" Always it.prompt,
        "url" Always it.url,
        "secret" Always it.secret,
        "tools" Always it.tools,
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
            Status::TakenAway => "taken_away",
            Status::NotGranted => "not_granted",
        }
    }
}

/// A kind of value, with its names if it has any.
trait Sort {
    fn sort(&self) -> (&'static str, Option<&Vec<Cow<'static, str>>>);
}

impl Sort for Requirement {
    fn sort(&self) -> (&'static str, Option<&Vec<Cow<'static, str>>>) {
        match self {
            Requirement::Env(names) => ("env", Some(names)),
            Requirement::AnyEnv(names) => ("any_env", Some(names)),
            Requirement::Programs(names) => ("programs", Some(names)),
            Requirement::Os(names) => ("os", Some(names)),
            Requirement::Tools(names) => ("tools", Some(names)),
            Requirement::AnyTools(names) => ("any_tools", Some(names)),
            Requirement::When { .. } => ("when", None),
            Requirement::Check => ("check", None),
        }
    }
}

impl Sort for HiddenReason {
    fn sort(&self) -> (&'static str, Option<&Vec<Cow<'static, str>>>) {
        match self {
            HiddenReason::Dialect => ("dialect", None),
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
            HiddenReason::Unregistered(names) => ("unregistered", Some(names)),
        }
    }
}
