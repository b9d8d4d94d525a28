//! Reading arguments: parses the model's JSON text into slots. Generated code takes each field of its types from a slot.
//!
//! One reader serves all tools, driven by a [`Table`]. The strict pass comes first, and fills the slots without a tree of
//! JSON values. Only if it fails, the text is parsed into a tree, repaired toward the table, and [validated](validate), so
//! that the error lists all problems.

mod digits;
mod expectation_text;
mod fill;
pub(crate) mod further;
#[cfg(feature = "search")]
mod inner_call;
mod json_type;
mod literal;
mod null_absence;
#[cfg(feature = "__wire-api")]
pub(crate) mod object_text;
mod open;
mod origin;
pub(crate) mod reader;
mod redact;
mod repair;
pub(crate) mod repaired;
pub(crate) mod repairs;
pub(crate) mod rules;
mod scan;
pub(crate) mod slot;
mod strict;
mod tree;
mod validate;

pub use slot::{FromSlot, Heap, Slot, SlotBuffer, Slots};

use std::fmt::Write as _;

use serde_json::{Map, Value};

use crate::data::table::{NodeId, Table};
use crate::result::error::{ErrorKind, Problem, ToolError};
pub(crate) use digits::restore_numbers;
pub(crate) use expectation_text::{counted, got as described, quoted as described_key};
#[cfg(feature = "search")]
pub(crate) use inner_call::{InnerCall, ParsedCall, inner_calls, into_owned, only_inner_call, parse_call};
use reader::Reader;
use repaired::RepairedParameters;
pub(crate) use scan::{same, three_words};
use validate::Problems;

/// Limits of the arguments of one call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The maximum size of the JSON text in bytes.
    pub max_bytes: usize,
    /// The maximum depth of nested arrays and objects, including the arguments object. Values above 127 count as 127.
    pub max_depth: usize,
}

impl Default for Limits {
    /// Returns the limits of every call: 4 MiB and 64 levels.
    fn default() -> Self {
        Self { max_bytes: 4 << 20, max_depth: 64 }
    }
}

/// Parses, repairs and validates the arguments in `text`, a JSON object as the model wrote it, and fills `buffer` with them.
///
/// If the root of the table is a [`SlotKind::Value`](crate::data::table::SlotKind::Value), there is one slot with the whole
/// object. Otherwise there is a slot for each declared property, and one for additional properties if they are allowed.
///
/// # Errors
/// Returns [`ErrorKind::MalformedArguments`] if `text` is not JSON, too large or too deep, or repeats a key, and
/// [`ErrorKind::InvalidArguments`] with all problems if the arguments do not satisfy the table even after repair.
pub fn read<'s, 'a>(
    text: &'a str,
    table: &Table,
    limits: Limits,
    buffer: &'s mut SlotBuffer<'a>,
) -> Result<Slots<'s, 'a>, ToolError> {
    read_and_record(text, table, limits, buffer).map(|(slots, _)| slots)
}

/// Does the same as [`read`], and returns which parameters have been repaired.
#[inline]
pub(crate) fn read_and_record<'s, 'a>(
    text: &'a str,
    table: &Table,
    limits: Limits,
    buffer: &'s mut SlotBuffer<'a>,
) -> Result<(Slots<'s, 'a>, RepairedParameters), ToolError> {
    check_size(text, limits)?;
    let reader = Reader::new(table, limits);
    let mut repaired = RepairedParameters::default();
    if reader.read_strictly(text, buffer).is_none() {
        let slots;
        (slots, repaired) = read_leniently(text, &reader)?;
        buffer.fill(slots);
    }
    Ok((buffer.slots(), repaired))
}

/// Parses a tree, repairs and validates it, and returns its slots.
#[cold]
fn read_leniently(text: &str, reader: &Reader<'_>) -> Result<(Vec<Slot<'static>>, RepairedParameters), ToolError> {
    let (value, repaired) = parse_and_repair(text, reader)?;
    Ok((reader.fill_arguments(value), repaired))
}

/// Parses, repairs and validates the arguments in `text`.
fn parse_and_repair(text: &str, reader: &Reader<'_>) -> Result<(Value, RepairedParameters), ToolError> {
    let parse = || open::parse_arguments(text, reader.limits).map_err(|error| unreadable(text, &error, reader.limits));
    let (mut value, rule) = parse()?;
    let mut repaired = reader.repair_arguments(&mut value);
    if reader.has_spelled.get() {
        digits::restore_strings(text, &mut value, reader.table);
    }
    if rule.is_some() {
        repaired.add_whole();
    }
    reader.drop_absent(&mut value, 0);
    if reader.are_valid(&value) {
        return Ok((value, repaired));
    }
    // The errors name places in what the model sent, which is parsed again because most arguments need no error.
    let (sent, _) = parse()?;
    let error = invalid(reader.problems(&value, Some(&sent)));
    Err(if text.trim().is_empty() { empty(&error) } else { error })
}

/// Repaired and valid arguments as a tree, which hooks see before the handler.
#[derive(Debug, Clone)]
pub(crate) struct Arguments(Value);

impl Arguments {
    /// Returns the arguments, and which parameters have been repaired.
    ///
    /// # Errors
    /// Returns the same errors as [`read`].
    pub(crate) fn read(text: &str, table: &Table, limits: Limits) -> Result<(Self, RepairedParameters), ToolError> {
        check_size(text, limits)?;
        parse_and_repair(text, &Reader::new(table, limits)).map(|(value, repaired)| (Self(value), repaired))
    }

    /// Replaces the arguments that `changes` contains, and repairs and validates all arguments again.
    ///
    /// # Errors
    /// Returns [`ErrorKind::InvalidArguments`] if the arguments are no longer valid.
    pub(crate) fn change(self, changes: Map<String, Value>, table: &Table, limits: Limits) -> Result<Self, ToolError> {
        let Value::Object(mut all) = self.0 else { return Ok(self) };
        all.extend(changes);
        let (reader, mut value) = (Reader::new(table, limits), Value::from(all));
        reader.repair_arguments(&mut value);
        reader.drop_absent(&mut value, 0);
        if reader.are_valid(&value) { Ok(Self(value)) } else { Err(invalid(reader.problems(&value, None))) }
    }

    /// Returns an argument. Secrets are not redacted.
    #[cfg(feature = "approval")]
    pub(crate) fn get(&self, name: &str) -> Option<&Value> {
        self.0.get(name)
    }

    /// Returns the arguments. Secrets are not redacted.
    pub(crate) fn value(&self) -> &Value {
        &self.0
    }

    /// Returns the arguments with secrets redacted.
    pub(crate) fn redacted(&self, table: &Table, limits: Limits) -> Value {
        Reader::new(table, limits).redacted(&self.0)
    }

    /// Fills the buffer with the slots for the handler.
    pub(crate) fn fill<'s, 'a>(self, table: &Table, limits: Limits, buffer: &'s mut SlotBuffer<'a>) -> Slots<'s, 'a> {
        buffer.fill(Reader::new(table, limits).fill_arguments(self.0));
        buffer.slots()
    }
}

fn check_size(text: &str, limits: Limits) -> Result<(), ToolError> {
    if text.len() <= limits.max_bytes {
        return Ok(());
    }
    Err(malformed(&format!("they have {} bytes, but at most {} are allowed", text.len(), limits.max_bytes)))
}

/// Does the same as [`read`] for a program in another language, and returns the arguments as one value, with the list of repairs.
///
/// # Errors
/// Returns the same errors as [`read`].
#[doc(hidden)]
pub fn read_value(text: &str, table: &Table) -> Result<(Value, Vec<repairs::Repair>), ToolError> {
    let limits = Limits::default();
    let (arguments, repaired) = Arguments::read(text, table, limits)?;
    let repairs = if repaired.is_empty() { Vec::new() } else { repairs::find(text, table, limits) };
    Ok((arguments.0, repairs))
}

/// Repairs the arguments `value` toward `table`, without validating them.
#[doc(hidden)]
pub fn repair(value: &mut Value, table: &Table) {
    let _ = Reader::new(table, Limits::default()).repair_arguments(value);
}

/// Returns the problems of the arguments `value`: at most 20, or none if the arguments are valid. Does not repair them.
pub fn validate(value: &Value, table: &Table) -> Vec<Problem> {
    let (reader, mut value) = (Reader::new(table, Limits::default()), value.clone());
    reader.drop_absent(&mut value, 0);
    reader.problems(&value, None).listed
}

/// Describes what a node accepts.
pub(crate) fn expected(table: &Table, node: NodeId) -> String {
    expectation_text::expected(table, table.node(node))
}

fn malformed(reason: &str) -> ToolError {
    ToolError::with_kind(ErrorKind::MalformedArguments, format!("failed to read the arguments: {reason}"))
}

/// Returns the error for no text at all, where `error` has the arguments that are missing.
fn empty(error: &ToolError) -> ToolError {
    let message = format!("they are empty. Send a JSON object: {}", error.message());
    malformed(&message).with_problems(error.problems().to_vec())
}

fn unreadable(text: &str, error: &serde_json::Error, limits: Limits) -> ToolError {
    let (line, column) = (error.line(), error.column());
    if error.is_eof() {
        return malformed(&format!("the JSON is cut off at line {line} column {column}. Send the complete call again"));
    }
    let reason = error.to_string();
    // These messages of `serde_json` are not useful to a model. The text is not quoted, because it may contain secrets.
    if reason.starts_with("expected ident") || reason.starts_with("expected value") {
        return malformed(&format!("invalid JSON at line {line} column {column}. Send one JSON object"));
    }
    if reason.starts_with("trailing characters") {
        let rest = text.lines().nth(line.saturating_sub(1)).and_then(|line| line.get(column.saturating_sub(1)..));
        let what = match rest.unwrap_or_default().bytes().next() {
            Some(b'{') => "another object, which differs from it,",
            Some(b'}' | b']') => "a bracket too many",
            _ => "other text",
        };
        let text =
            format!("{what} follows the JSON value at line {line} column {column}. Send one JSON object for each call");
        return malformed(&text);
    }
    let limit = if reason.starts_with(tree::TOO_DEEP) {
        format!(": at most {} levels are allowed", limits.max_depth)
    } else if reason.starts_with(tree::OUT_OF_RANGE) {
        format!(": numbers must be between {:e} and {:e}", f64::MIN, f64::MAX)
    } else {
        ". Send one JSON object".to_owned()
    };
    malformed(&(reason + &limit))
}

/// Returns the error for an array of calls or the like, at this path, that has too few or too many items.
#[cfg(feature = "search")]
pub(crate) fn wrong_count(path: &str, min: usize, max: usize, count: usize) -> ToolError {
    let (expected, got) = (format!("an array of {min} to {max} items"), expectation_text::counted(count, "item"));
    let problem = Problem { path: path.to_owned(), expected, got };
    invalid(Problems { listed: vec![problem], more: 0 })
}

fn invalid(Problems { listed: mut problems, more }: Problems) -> ToolError {
    if problems.is_empty() {
        // The budget was exhausted before validation could find a problem.
        let (expected, got) = ("something simpler".to_owned(), "too much to check".to_owned());
        problems.push(Problem { path: String::new(), expected, got });
    }
    let mut message = String::from("invalid arguments: ");
    for (index, problem) in problems.iter().enumerate() {
        let separator = if index == 0 { "" } else { "; " };
        let colon = if problem.path.is_empty() { "" } else { ": " };
        let Problem { path, expected, got } = problem;
        let _ = write!(message, "{separator}{path}{colon}expected {expected}, got {got}");
    }
    if more > 0 {
        let _ = write!(message, "; and {more} more");
    }
    ToolError::with_kind(ErrorKind::InvalidArguments, message).with_problems(problems)
}

#[cfg(test)]
mod agreement;
#[cfg(test)]
mod alias_tests;
#[cfg(test)]
mod clamp_tests;
#[cfg(all(test, feature = "patterns"))]
mod further_tests;
#[cfg(test)]
mod number_tests;
#[cfg(test)]
mod schema_tests;
#[cfg(test)]
mod tests;
#[cfg(all(test, feature = "patterns"))]
mod text_rule_tests;
