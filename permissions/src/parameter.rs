//! Conditions on arguments.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::PathBuf;

use serde_json::{Number, Value};
use toolc_commands::rules::matches_pattern;

use crate::host_pattern::{HostPattern, host_of};
use crate::paths::{PathPattern, Paths};

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
    /// An object in a list that does not have the value.
    Missing,
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

    /// Returns whether the values of the parameter fulfil the conditions: for a strict rule one of them, for a careful one all. `whole` is
    /// the argument as it is, if it is given.
    pub(crate) fn holds(
        &self,
        values: &[Given<'_>],
        whole: Option<&Value>,
        paths: &CallPaths<'_>,
        reading: Reading,
    ) -> bool {
        if self.is_free() {
            return true;
        }
        if whole.is_some_and(|whole| {
            whole.is_array() && self.has_only_values() && self.is.iter().any(|own| same(own, whole))
        }) {
            return true;
        }
        match reading {
            Reading::Strict if values.is_empty() => reading.holds(self.given(Given::Missing, paths, reading)),
            Reading::Strict => values.iter().any(|value| reading.holds(self.given(*value, paths, reading))),
            Reading::Careful => {
                !values.is_empty() && values.iter().all(|value| reading.holds(self.given(*value, paths, reading)))
            }
        }
    }

    /// Returns whether `is` is the only condition.
    fn has_only_values(&self) -> bool {
        Self { is: Vec::new(), ..self.clone() }.is_free()
    }

    fn given(&self, value: Given<'_>, paths: &CallPaths<'_>, reading: Reading) -> Match {
        let value = match value {
            Given::Value(value) => value,
            Given::Missing if reading == Reading::Careful => return Match::Unknown,
            Given::Path(_) | Given::Missing if !self.is_about_paths() => return Match::No,
            // Tools that take paths begin in the working directory.
            Given::Missing => return self.path(".", paths, reading),
            Given::Path(None) => return Match::Unknown,
            Given::Path(Some(path)) => return self.path(path, paths, reading),
        };
        let mut found = Match::Yes;
        let mut add = |next: Match| found = found.min(next);
        if !self.is.is_empty() {
            add(yes(self.is.iter().any(|own| same(own, value))));
        }
        if !self.matches.is_empty() || !self.without.is_empty() {
            add(self.text(value));
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

    fn text(&self, value: &Value) -> Match {
        let text = match value {
            Value::String(text) => text.clone(),
            Value::Number(_) | Value::Bool(_) => value.to_string(),
            _ => return Match::Unknown,
        };
        let is_one = |patterns: &[String]| patterns.iter().any(|pattern| matches_pattern(pattern, &text));
        yes((self.matches.is_empty() || is_one(&self.matches)) && !is_one(&self.without))
    }

    fn host(&self, value: &Value) -> Match {
        let Some(host) = value.as_str().and_then(host_of) else { return Match::Unknown };
        let is_one = |patterns: &[HostPattern]| patterns.iter().any(|pattern| pattern.matches(&host));
        yes((self.hosts.is_empty() || is_one(&self.hosts)) && !is_one(&self.without_hosts))
    }

    /// Compares a path, as the tools locate it. If a link or the case of letters leaves it open, the stricter reading counts.
    fn path(&self, text: &str, paths: &CallPaths<'_>, reading: Reading) -> Match {
        let (Some(files), Some(path)) = (paths.get(), paths.locate(text)) else { return Match::Unknown };
        let is_strict = reading == Reading::Strict;
        let as_written = |pattern: &PathPattern, ignore_case| {
            pattern.rooted(files).map_or(Match::Unknown, |pattern| yes(pattern.contains(&path, ignore_case)))
        };
        let resolved =
            |pattern: &PathPattern| yes(pattern.resolved(files).is_some_and(|pattern| pattern.contains(&path, true)));
        let mut found = Match::Yes;
        if !self.within.is_empty() {
            let of = |pattern: &PathPattern| {
                let written = as_written(pattern, is_strict);
                if is_strict { written.max(resolved(pattern)) } else { written }
            };
            found = found.min(self.within.iter().map(of).max().unwrap_or(Match::No));
        }
        if !self.outside.is_empty() {
            let of = |pattern: &PathPattern| {
                let written = as_written(pattern, !is_strict);
                let inside = if is_strict { written } else { written.max(resolved(pattern)) };
                match inside {
                    Match::Yes => Match::No,
                    Match::Unknown => Match::Unknown,
                    Match::No => Match::Yes,
                }
            };
            found = found.min(self.outside.iter().map(of).min().unwrap_or(Match::No));
        }
        found
    }
}

impl Bound {
    fn holds(&self, number: &Number) -> Match {
        use std::cmp::Ordering::{Greater, Less};
        let Some(order) = compare(number, &self.number) else { return Match::Unknown };
        yes(match self.kind {
            BoundKind::Minimum => order != Less,
            BoundKind::Maximum => order != Greater,
            BoundKind::ExclusiveMinimum => order == Greater,
            BoundKind::ExclusiveMaximum => order == Less,
        })
    }
}

fn yes(holds: bool) -> Match {
    if holds { Match::Yes } else { Match::No }
}

/// Compares two numbers. Integers are compared exactly.
pub(crate) fn compare(one: &Number, other: &Number) -> Option<std::cmp::Ordering> {
    match (one.as_i128(), other.as_i128()) {
        (Some(one), Some(other)) => Some(one.cmp(&other)),
        _ => one.as_f64()?.partial_cmp(&other.as_f64()?),
    }
}

/// Returns whether two JSON values are equal: numbers by their value, and objects in any order of their keys.
pub(crate) fn same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => compare(one, other) == Some(std::cmp::Ordering::Equal),
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
