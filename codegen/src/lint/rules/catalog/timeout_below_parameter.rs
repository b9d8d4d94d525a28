//! A `timeout` that is shorter than what a parameter lets the model ask for, such as `timeout_seconds` with a `maximum` of
//! 600 in a tool that is stopped after 20 seconds.
//!
//! ## Why is this bad
//! The schema promises a duration that no call can have. A model that asks for it gets a timeout instead of a result.
//!
//! ## Example
//! ```toml
//! # manifests/tools/read_file.toml
//! execution = "blocking"
//! timeout = "20s"
//!
//! [params.timeout_seconds]
//! type = "integer"
//! description = "How long to wait for the file to appear."
//! maximum = 600
//! ```
//!
//! ## Use instead
//! ```toml
//! # manifests/tools/read_file.toml
//! execution = "blocking"
//! timeout = "11m"
//!
//! [params.timeout_seconds]
//! type = "integer"
//! description = "How long to wait for the file to appear."
//! maximum = 600
//! ```

use std::time::Duration;

use toolc_lower::schema::Property;

use crate::lint::codes;
use crate::catalog::Tool;
use crate::diagnostic::{Diagnostic, Level, Sink};
use crate::lint::verbs::words;
use crate::lint::{Check, Lint, Rule};

pub(super) const RULE: Rule = Rule::new("C064", "timeout-below-parameter", Some(Level::Warning), Check::Tool(check));

/// Names of parameters that say how long a call may take, without their unit.
const DURATIONS: &[&str] = &["deadline", "max_duration", "max_wait", "timeout", "wait", "wait_for", "wait_timeout"];

/// Units at the end of a name, in milliseconds.
const UNITS: &[(&[&str], u64)] = &[
    (&["ms", "millis", "milliseconds", "msec"], 1),
    (&["s", "sec", "secs", "seconds", "second"], 1_000),
    (&["m", "min", "mins", "minutes", "minute"], 60_000),
    (&["h", "hours", "hour"], 3_600_000),
];

fn check(lint: &Lint<'_>, tool: &Tool, sink: &Sink) {
    let Some(timeout) = &tool.manifest.timeout else { return };
    for parameter in &tool.manifest.params.properties {
        let Some(unit) = unit(lint, tool, parameter) else { continue };
        let bounds = &parameter.schema.bounds;
        let choices = parameter.schema.choices.iter().map(|choice| &choice.value);
        let longest = bounds.maximum.iter().chain(&bounds.exclusive_maximum).chain(choices).chain(&parameter.schema.default);
        let longest = longest.filter_map(|value| Some((value.value.as_f64()?, value.place)));
        let Some((count, place)) = longest.max_by(|one, other| one.0.total_cmp(&other.0)) else { continue };
        let Ok(longest) = Duration::try_from_secs_f64(count * unit / 1_000.0) else { continue };
        if longest > timeout.value {
            let name = &parameter.name.value;
            let message = format!("`{name}` allows {}, but a call is stopped after {}", shown(longest), shown(timeout.value));
            sink.push(
                Diagnostic::new(codes::TIMEOUT_BELOW_PARAMETER, timeout.place, message)
                    .related(place, "the longest duration")
                    .help(format!("raise `timeout`, or lower the `maximum` of `{name}`")),
            );
        }
    }
}

/// Returns the unit of a parameter that limits the duration of a call, in milliseconds. Without a unit in its name, its description
/// must say it.
fn unit(lint: &Lint<'_>, tool: &Tool, parameter: &Property) -> Option<f64> {
    let name = words(&parameter.name.value);
    let of = |word: &str| UNITS.iter().find(|(names, _)| names.contains(&word)).map(|(_, unit)| *unit);
    let is_duration = |words: &[std::borrow::Cow<'_, str>]| DURATIONS.contains(&words.join("_").as_str());
    let (last, rest) = name.split_last()?;
    let unit = match of(last).filter(|_| is_duration(rest)) {
        Some(unit) => unit,
        None if is_duration(&name) => {
            let text = lint.full_text(tool, &parameter.schema.description.as_ref()?.value)?;
            words(&text).iter().find_map(|word| of(word).filter(|_| word.len() > 1))?
        }
        None => return None,
    };
    #[expect(clippy::cast_precision_loss, reason = "units are small")]
    Some(unit as f64)
}

fn shown(duration: Duration) -> String {
    let seconds = duration.as_secs();
    match duration.subsec_millis() {
        0 if seconds >= 60 && seconds.is_multiple_of(60) => format!("{}m", seconds / 60),
        0 => format!("{seconds}s"),
        _ => format!("{}ms", duration.as_millis()),
    }
}
