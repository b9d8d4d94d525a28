//! Conditions on arguments.

use std::cell::RefCell;
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::path::PathBuf;

use serde_json::{Number, Value};
use toolc_commands::rules::matches_pattern;

use crate::host_pattern::{HostPattern, host_of};
use crate::paths::{PathPattern, Paths, RootedPattern, without_dots};

/// Conditions on one argument.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Parameter {
    pub(crate) name: String,
    pub(crate) is: Vec<Value>,
    pub(crate) matches: Vec<String>,
    pub(crate) without: Vec<String>,
    pub(crate) within: Vec<PathPattern>,
    pub(crate) outside: Vec<PathPattern>,
    pub(crate) hosts: Vec<HostPattern>,
    pub(crate) without_hosts: Vec<HostPattern>,
    pub(crate) bounds: Vec<Bound>,
}

/// A bound of a number.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Bound {
    pub(crate) number: Number,
    pub(crate) kind: BoundKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BoundKind {
    Minimum,
    Maximum,
    ExclusiveMinimum,
    ExclusiveMaximum,
}

/// Whether a condition holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Match {
    No,
    /// The value cannot be compared, such as a URL without a host.
    Unknown,
    Yes,
}

/// How a rule reads what is uncertain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reading {
    /// For a rule that asks or denies: what is uncertain matches.
    Strict,
    /// For a rule that allows: what is uncertain does not match.
    Careful,
}

impl Reading {
    pub(crate) fn holds(self, found: Match) -> bool {
        found == Match::Yes || (found == Match::Unknown && self == Self::Strict)
    }
}

/// The paths of one call, each of which is located once.
pub(crate) struct CallPaths<'p> {
    paths: Option<Box<dyn Paths + 'p>>,
    located: RefCell<BTreeMap<String, Option<PathBuf>>>,
}

impl<'p> CallPaths<'p> {
    pub(crate) fn new(paths: Option<Box<dyn Paths + 'p>>) -> Self {
        Self { paths, located: RefCell::default() }
    }

    pub(crate) fn get(&self) -> Option<&dyn Paths> {
        self.paths.as_deref()
    }

    pub(crate) fn locate(&self, text: &str) -> Option<PathBuf> {
        if let Some(known) = self.located.borrow().get(text) {
            return known.clone();
        }
        let found = self.get().and_then(|paths| paths.locate(text));
        self.located.borrow_mut().insert(text.to_owned(), found.clone());
        found
    }
}

/// A value of a parameter.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Given<'v> {
    Value(&'v Value),
    /// A path that is named elsewhere; `None` if it is not known.
    Path(Option<&'v str>),
    /// No value: the argument, or the object that would have it, does not have one, or it is null.
    Missing,
    /// A text that may hold the value.
    Unknown,
}

impl Parameter {
    pub(crate) fn is_free(&self) -> bool {
        *self == Self { name: self.name.clone(), ..Self::default() }
    }

    /// Returns whether a condition is about paths.
    pub(crate) fn is_about_paths(&self) -> bool {
        !self.within.is_empty() || !self.outside.is_empty()
    }

    /// Returns whether a condition is about hosts.
    pub(crate) fn is_about_hosts(&self) -> bool {
        !self.hosts.is_empty() || !self.without_hosts.is_empty()
    }

    /// Adds the values of an argument: those of an array each by itself, unless `is` has the whole array. Null counts as missing.
    pub(crate) fn spread<'v>(&self, value: &'v Value, found: &mut Vec<Given<'v>>) {
        match value {
            Value::Array(_) if self.has_only_values() && self.equals(value) => found.push(Given::Value(value)),
            Value::Array(items) => items.iter().for_each(|item| self.spread(item, found)),
            Value::Null => found.push(Given::Missing),
            value => found.push(Given::Value(value)),
        }
    }

    /// Returns whether the values of the parameter fulfil the conditions: for a strict rule one of them, for a careful one all. There are
    /// none in an empty array.
    pub(crate) fn holds(&self, values: &[Given<'_>], paths: &CallPaths<'_>, reading: Reading) -> bool {
        let holds = |value: &Given<'_>| reading.holds(self.given(*value, paths, reading));
        match reading {
            Reading::Strict if values.is_empty() => self.is_about_paths() && holds(&Given::Missing),
            Reading::Strict => values.iter().any(holds),
            Reading::Careful => !values.is_empty() && values.iter().all(holds),
        }
    }

    /// Returns whether `is` has this value.
    fn equals(&self, value: &Value) -> bool {
        self.is.iter().any(|own| same(own, value))
    }

    /// Returns whether `is` is the only condition.
    fn has_only_values(&self) -> bool {
        Self { is: Vec::new(), ..self.clone() }.is_free()
    }

    fn given(&self, value: Given<'_>, paths: &CallPaths<'_>, reading: Reading) -> Match {
        let value = match value {
            Given::Value(value) => value,
            Given::Missing if self.has_only_values() && self.equals(&Value::Null) => return Match::Yes,
            Given::Missing if reading == Reading::Careful => return Match::Unknown,
            Given::Path(_) | Given::Missing if !self.is_about_paths() => return Match::No,
            // Tools that take paths begin in the working directory.
            Given::Missing => return self.path(".", paths, reading),
            Given::Unknown | Given::Path(None) => return Match::Unknown,
            Given::Path(Some(path)) => return self.path(path, paths, reading),
        };
        let mut found = Match::Yes;
        let mut add = |next: Match| found = found.min(next);
        if !self.is.is_empty() {
            add(yes(self.equals(value)));
        }
        if !self.matches.is_empty() || !self.without.is_empty() {
            add(self.text(value, reading));
        }
        if self.is_about_paths() {
            add(value.as_str().map_or(Match::Unknown, |path| self.path(path, paths, reading)));
        }
        if self.is_about_hosts() {
            add(self.host(value));
        }
        for bound in &self.bounds {
            add(value.as_number().map_or(Match::Unknown, |number| bound.holds(number)));
        }
        found
    }

    fn text(&self, value: &Value, reading: Reading) -> Match {
        let is_one = |patterns: &[String], text: &str| patterns.iter().any(|pattern| matches_pattern(pattern, text));
        let holds =
            |text: &str| (self.matches.is_empty() || is_one(&self.matches, text)) && !is_one(&self.without, text);
        let number = match value {
            Value::String(text) => return yes(holds(text)),
            Value::Bool(_) => return yes(holds(&value.to_string())),
            Value::Number(number) => number,
            _ => return Match::Unknown,
        };
        // A handler that takes an integer reads 5.0 as 5.
        let (written, whole) = (holds(&number.to_string()), holds(&whole_text(number)));
        yes(if reading == Reading::Strict { written || whole } else { written && whole })
    }

    fn host(&self, value: &Value) -> Match {
        let Some(host) = value.as_str().and_then(host_of) else { return Match::Unknown };
        let is_one = |patterns: &[HostPattern]| patterns.iter().any(|pattern| pattern.matches(&host));
        yes((self.hosts.is_empty() || is_one(&self.hosts)) && !is_one(&self.without_hosts))
    }

    /// Compares a path, as the tools locate it. If a link or the case of letters leaves it open, the stricter reading counts: a path is
    /// also in what a pattern excludes if the links that were written are.
    fn path(&self, text: &str, paths: &CallPaths<'_>, reading: Reading) -> Match {
        let (Some(files), Some(path)) = (paths.get(), paths.locate(text)) else { return Match::Unknown };
        let is_strict = reading == Reading::Strict;
        let certain = |pattern: &PathPattern| {
            pattern.rooted(files).map_or(Match::Unknown, |pattern| yes(pattern.contains(&path, false)))
        };
        let written = files.written(text).map(|written| without_dots(&written)).filter(|written| *written != path);
        let possible = |pattern: &PathPattern| {
            let Some(rooted) = pattern.rooted(files) else { return Match::Unknown };
            let is_in = |pattern: &RootedPattern| {
                pattern.contains(&path, true) || written.as_ref().is_some_and(|path| pattern.contains(path, true))
            };
            yes(is_in(&rooted) || pattern.resolved(files).is_some_and(|pattern| is_in(&pattern)))
        };
        let is_in = |pattern: &PathPattern, strict: bool| if strict { possible(pattern) } else { certain(pattern) };
        let mut found = Match::Yes;
        if !self.within.is_empty() {
            let within = self.within.iter().map(|pattern| is_in(pattern, is_strict)).max();
            found = found.min(within.unwrap_or(Match::No));
        }
        if !self.outside.is_empty() {
            let outside = self.outside.iter().map(|pattern| match is_in(pattern, !is_strict) {
                Match::Yes => Match::No,
                Match::Unknown => Match::Unknown,
                Match::No => Match::Yes,
            });
            found = found.min(outside.min().unwrap_or(Match::No));
        }
        found
    }
}

impl Bound {
    fn holds(&self, number: &Number) -> Match {
        let Some(order) = compare(number, &self.number) else { return Match::Unknown };
        yes(match self.kind {
            BoundKind::Minimum => order != Ordering::Less,
            BoundKind::Maximum => order != Ordering::Greater,
            BoundKind::ExclusiveMinimum => order == Ordering::Greater,
            BoundKind::ExclusiveMaximum => order == Ordering::Less,
        })
    }
}

fn yes(holds: bool) -> Match {
    if holds { Match::Yes } else { Match::No }
}

/// Compares two numbers exactly, also an integer with a float.
pub(crate) fn compare(one: &Number, other: &Number) -> Option<Ordering> {
    match (one.as_i128(), other.as_i128()) {
        (Some(one), Some(other)) => Some(one.cmp(&other)),
        (Some(integer), None) => compare_with_float(integer, other.as_f64()?),
        (None, Some(integer)) => compare_with_float(integer, one.as_f64()?).map(Ordering::reverse),
        (None, None) => one.as_f64()?.partial_cmp(&other.as_f64()?),
    }
}

/// Compares an integer of at most 64 bits with a float.
fn compare_with_float(integer: i128, float: f64) -> Option<Ordering> {
    /// Beyond every integer of JSON, and within `i128`.
    const BEYOND: f64 = 1e30;
    if float.is_nan() {
        return None;
    }
    let whole = float.trunc().clamp(-BEYOND, BEYOND);
    #[expect(clippy::cast_possible_truncation, reason = "it is whole, and fits")]
    let by_whole = integer.cmp(&(whole as i128));
    Some(by_whole.then_with(|| {
        let fraction = float - float.trunc();
        fraction.partial_cmp(&0.0).map_or(Ordering::Equal, Ordering::reverse)
    }))
}

/// Returns the text of a number, without the fraction of a whole one.
fn whole_text(number: &Number) -> String {
    /// The largest number of which JSON libraries print all digits.
    const MAX: f64 = 1e21;
    match number.as_f64() {
        // Adding zero ends the sign of a negative one.
        Some(float) if number.is_f64() && float.fract() == 0.0 && float.abs() < MAX => format!("{:.0}", float + 0.0),
        _ => number.to_string(),
    }
}

/// Returns whether two JSON values are equal: numbers by their value, and objects in any order of their keys.
pub(crate) fn same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => compare(one, other) == Some(Ordering::Equal),
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| same(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            one.len() == other.len()
                && one.iter().all(|(key, one)| other.get(key).is_some_and(|other| same(one, other)))
        }
        _ => one == other,
    }
}
