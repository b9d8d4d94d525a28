//! Parses JSON and almost JSON: the arguments as the model sent them, and the arrays and objects in strings.

use serde_json::{Map, Value};

use super::reader::Reader;
use super::rules::RepairRule;
use super::tree::Tree;
use super::{Limits, literal};
use crate::data::table::{Node, Type};

/// Parses the text of the arguments. A text that is almost JSON is repaired, and missing arguments are an empty object.
///
/// # Errors
/// Returns the error of the JSON parser if the text can be read in no other way.
pub(super) fn parse_arguments(text: &str, limits: Limits) -> serde_json::Result<(Value, Option<RepairRule>)> {
    let json = |text: &str| Tree { depth: limits.max_depth, unique: true }.parse(text);
    let error = match json(text) {
        Ok(value) if is_blank(&value) => return Ok((Map::new().into(), Some(RepairRule::EmptyArguments))),
        Ok(value) => return Ok((value, None)),
        Err(_) if text.trim().is_empty() => return Ok((Map::new().into(), Some(RepairRule::EmptyArguments))),
        Err(error) => error,
    };
    if let Some(said) = literal::last_said(text).filter(|said| said.len() < text.trim().len()) {
        let said = json(said).ok().or_else(|| literal::parse_arguments(said, limits.max_depth));
        return said.map(|value| (value, Some(RepairRule::Repetition))).ok_or(error);
    }
    let almost = |text: &str| literal::parse_arguments(text, limits.max_depth);
    let repaired = match in_fence(text) {
        Some(inner) => json(inner).ok().or_else(|| almost(inner)).map(|value| (value, Some(RepairRule::CodeFence))),
        None => almost(text).map(|value| (value, Some(RepairRule::AlmostJson))),
    };
    repaired.filter(|(value, _)| value.is_object()).ok_or(error)
}

/// Returns the array or object in the text of arguments, or of a string in them, with the digits of its numbers: see [`spelling`](literal::spelling).
pub(super) fn spelled(text: &str) -> Option<Value> {
    let whole = literal::spelled_value;
    let is_nested = |value: &Value| value.is_array() || value.is_object();
    match whole(text).or_else(|| whole(in_fence(text)?)) {
        Some(value) if is_nested(&value) => Some(value),
        // Arguments as a whole may be a string.
        Some(value) => match literal::spelling(&value)? {
            literal::Spelling::Text(inner) if text.trim_start().starts_with('"') => whole(inner).filter(is_nested),
            _ => None,
        },
        None => literal::last_said(text).and_then(whole),
    }
}

/// Returns whether the arguments are missing: null, or a string that contains nothing or `null`.
pub(super) fn is_blank(arguments: &Value) -> bool {
    match arguments {
        Value::Null => true,
        Value::String(text) => matches!(text.trim(), "" | "null"),
        _ => false,
    }
}

/// Returns the text inside a Markdown code fence without a language or with the language `json`, if `text` is nothing else
/// than such a fence around an array or object.
fn in_fence(text: &str) -> Option<&str> {
    let text = text.trim();
    let ticks = &text[..text.len() - text.trim_start_matches('`').len()];
    let inner = text[ticks.len()..].strip_suffix(ticks).filter(|_| ticks.len() >= 3)?.trim();
    let rest = match inner.get(..4) {
        Some(language) if language.eq_ignore_ascii_case("json") => inner[4..].trim_start(),
        _ => inner,
    };
    is_closed(rest).then_some(rest)
}

/// Returns whether `text` begins and ends like an array or object.
fn is_closed(text: &str) -> bool {
    (text.starts_with('[') && text.ends_with(']')) || (text.starts_with('{') && text.ends_with('}'))
}

pub(super) fn opens_with(text: &str, bracket: char) -> bool {
    text.trim_start().starts_with(bracket)
}

impl Reader<'_> {
    /// Returns the array or object in `text`, if `node` allows its type.
    pub(super) fn open_toward(&self, text: &str, wanted: Type, node: &Node, depth: usize) -> Option<Value> {
        let bracket = if wanted == Type::Array { '[' } else { '{' };
        if opens_with(text, bracket) {
            return self.open(text, depth);
        }
        let inner = in_fence(text).filter(|inner| inner.starts_with(bracket))?;
        let is_item = wanted == Type::Array && node.items.is_none_or(|id| self.may_be_string(self.table.node(id)));
        if is_item { None } else { self.open(inner, depth) }
    }

    /// Returns the array or object in `text`, with the rule that applies, without regard to a schema.
    pub(super) fn opened(&self, text: &str) -> Option<(Value, RepairRule)> {
        let depth = self.limits.max_depth;
        if let Some(inner) = in_fence(text) {
            return self.open(inner, depth).map(|value| (value, RepairRule::CodeFence));
        }
        let value = self.open(text, depth)?;
        let is_json = Tree { depth, unique: false }.parse(text.trim()).is_ok();
        Some((value, if is_json { RepairRule::JsonText } else { RepairRule::AlmostJson }))
    }

    /// Parses the array or object in `text`, as JSON or almost JSON.
    pub(super) fn open(&self, text: &str, depth: usize) -> Option<Value> {
        let text = text.trim();
        if !is_closed(text) || !self.spend(text.len() / 8) {
            return None;
        }
        let parse = |text| Tree { depth, unique: false }.parse(text).ok().or_else(|| literal::parse(text, depth));
        parse(text).or_else(|| parse(literal::last_said(text)?))
    }

    /// Returns whether a value of `node` may be a string.
    fn may_be_string(&self, node: &Node) -> bool {
        let types = self.table.types(node);
        if !types.is_any() {
            return types.contains(Type::String);
        }
        match self.leaves(node) {
            Some(leaves) if node.any_of.len > 0 && node.all_of.len == 0 => {
                leaves.iter().any(|leaf| self.table.types(self.table.node(*leaf)).contains(Type::String))
            }
            _ => true,
        }
    }
}
