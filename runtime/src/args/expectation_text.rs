//! Descriptions of expected and actual values, for models.

use std::fmt::Write as _;

use serde_json::Value;

use crate::data::table::{Bound, Bounds, Literal, Node, NodeId, Table, Type, Types};
use crate::data::to_json;
use crate::text::names::same_name;
use crate::text::nearest::nearest;

/// The maximum length of a displayed value, in bytes.
const MAX_VALUE_BYTES: usize = 80;
/// The maximum length of displayed alternatives, in bytes.
const MAX_BRANCHES_BYTES: usize = 500;
/// The length of descriptions from which further branches are only counted. Descriptions become shorter before they are shown.
const MAX_DESCRIBED_BYTES: usize = 4 * MAX_BRANCHES_BYTES;
/// The description of a schema that says nothing in words.
const ANOTHER: &str = "another value";
/// The maximum number of displayed list entries.
const MAX_ENTRIES: usize = 20;

/// Describes an actual value. Arrays and objects are only named.
pub(crate) fn got(value: &Value) -> String {
    match value {
        Value::Array(_) => "array".to_owned(),
        Value::Object(_) => "object".to_owned(),
        Value::String(text) => quoted(text),
        other => to_json::text(other),
    }
}

/// Returns the beginning of `text`.
fn shortened(text: &str) -> String {
    let shown = &text[..text.floor_char_boundary(MAX_VALUE_BYTES)];
    format!("{shown}{}", if shown.len() < text.len() { "…" } else { "" })
}

/// Returns `text` as a JSON string, cut if it is long.
pub(crate) fn quoted(text: &str) -> String {
    let mut out = String::new();
    let shown = &text[..text.floor_char_boundary(MAX_VALUE_BYTES)];
    crate::text::json::push_string(&mut out, shown);
    if shown.len() < text.len() {
        out.push('…');
    }
    out
}

/// Returns a count with its noun: `1 item`, `2 items`.
pub(crate) fn counted(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

/// Describes what `node` accepts.
pub(super) fn expected(table: &Table, node: &Node) -> String {
    describe(table, node, 3)
}

/// Describes the values that distinguish alternatives. `tags` are the nodes of the distinguishing property.
pub(super) fn one_of(table: &Table, tags: &[&Node]) -> String {
    let all: Vec<String> = tags.iter().flat_map(|tag| table.literals(tag)).filter_map(literal_text).collect();
    format!("one of {}", list(all.into_iter()))
}

/// Describes an integer without bounds in the schema.
pub(super) fn integer_range() -> String {
    format!("integer between {} and {}", i64::MIN, i64::MAX)
}

/// Describes the error that the key `name` is unknown, with similar or all known keys, or that it is a second name of a known key.
pub(super) fn unknown_key(name: &str, table: &Table, node: &Node) -> String {
    let visible = || table.properties(node).iter().enumerate().filter(|(_, property)| !property.hidden);
    let known = || visible().map(|(_, property)| &*property.name);
    let aliases = || visible().flat_map(|(at, property)| table.aliases(node, at).map(|alias| (alias, &*property.name)));
    if let Some((_, real)) = aliases().find(|(alias, _)| same_name(alias, name)) {
        return format!("only one value for {}, of which this is another name", quoted(real));
    }
    let mut near = nearest(name, known());
    if near.is_empty() {
        let near_aliases = nearest(name, aliases().map(|(alias, _)| alias));
        near = near_aliases
            .iter()
            .flat_map(|near| aliases().filter(move |(alias, _)| alias == near))
            .map(|(_, real)| real)
            .collect();
        near.dedup();
    }
    if !near.is_empty() {
        let near: Vec<String> = near.into_iter().map(quoted).collect();
        format!("no argument of this name (did you mean {}?)", near.join(" or "))
    } else if known().next().is_none() {
        "no argument of this name (no arguments are known here)".to_owned()
    } else {
        format!("no argument of this name (the known ones are {})", list(known().map(quoted)))
    }
}

fn describe(table: &Table, node: &Node, depth: usize) -> String {
    let literals = table.literals(node);
    let (separator, branches) =
        if node.any_of.len > 0 { (" or ", table.any_of(node)) } else { (" and ", table.all_of(node)) };
    if !literals.is_empty() {
        let shown: Vec<String> = literals.iter().filter_map(literal_text).collect();
        return if let [one] = shown.as_slice() { one.clone() } else { format!("one of {}", list(shown.into_iter())) };
    }
    let bounds = table.bounds(node).cloned().unwrap_or_default();
    let types = if node.types.is_any() { bound_types(&bounds) } else { node.types };
    if !types.is_any() {
        let types: Vec<String> = types.iter().map(|t| typed(table, node, t, &bounds, depth)).collect();
        return types.join(" or ");
    }
    if branches.is_empty() || depth == 0 {
        return ANOTHER.to_owned();
    }
    joined(table, branches, node.any_of.len > 0, separator, depth - 1)
}

/// Describes several alternatives.
pub(super) fn alternatives(table: &Table, branches: &[NodeId]) -> String {
    joined(table, branches, true, " or ", 2)
}

/// Describes branches, as many as fit.
fn joined(table: &Table, branches: &[NodeId], is_any: bool, separator: &str, depth: usize) -> String {
    let mut descriptions: Vec<String> = Vec::new();
    let not_described = add_branches(table, branches, is_any, depth, &mut descriptions);
    say_objects_once(&mut descriptions);
    let fitting = descriptions.iter().scan(0, |length, text| {
        *length += text.len() + separator.len();
        (*length <= MAX_BRANCHES_BYTES).then_some(())
    });
    let shown = fitting.count().max(1);
    let more = descriptions.len().saturating_sub(shown) + not_described;
    descriptions.truncate(shown);
    let mut out = descriptions.join(separator);
    if more > 0 {
        let _ = write!(out, "{separator}{more} more");
    }
    out
}

/// Names the type once if several branches are objects, which differ in their properties.
fn say_objects_once(descriptions: &mut Vec<String>) {
    let object = Type::Object.name();
    let is_one_of_them = |text: &String| text.strip_prefix(object).is_some_and(|rest| rest.starts_with(" with \""));
    if descriptions.iter().any(|text| text == object) {
        descriptions.retain(|text| !is_one_of_them(text));
    }
    let Some(first) = descriptions.iter().position(is_one_of_them) else { return };
    let rest = descriptions.split_off(first + 1);
    let (others_of_type, others): (Vec<String>, Vec<String>) = rest.into_iter().partition(is_one_of_them);
    // The type and the space after it.
    descriptions.extend(others_of_type.into_iter().map(|text| text[object.len() + 1..].to_owned()));
    descriptions.extend(others);
}

/// Adds the description of each branch that differs from the others. A branch with nothing but branches of the same kind adds these.
/// Returns the number of branches that are not described, because the text has no room for them.
fn add_branches(table: &Table, branches: &[NodeId], is_any: bool, depth: usize, out: &mut Vec<String>) -> usize {
    let mut not_described = 0;
    for id in branches {
        if out.iter().map(String::len).sum::<usize>() > MAX_DESCRIBED_BYTES {
            not_described += 1;
            continue;
        }
        let node = table.node(*id);
        let is_bare = node.types.is_any() && node.literals.len == 0 && node.bounds.is_none() && depth > 0;
        let inner = if is_any { table.any_of(node) } else { table.all_of(node) };
        let is_same_kind = !inner.is_empty() && if is_any { node.all_of.len == 0 } else { node.any_of.len == 0 };
        if is_bare && is_same_kind {
            not_described += add_branches(table, inner, is_any, depth - 1, out);
            continue;
        }
        let branch = branch(table, node, depth);
        if !out.contains(&branch) {
            out.push(branch);
        }
    }
    not_described
}

/// Describes one of several alternatives. An object is described by the properties that distinguish it.
fn branch(table: &Table, node: &Node, depth: usize) -> String {
    let mut out = describe(table, node, depth);
    let has_required = table.visible_properties(node).any(|property| property.required);
    if out == ANOTHER && has_required {
        // Only an object has the properties.
        Type::Object.name().clone_into(&mut out);
    }
    if out == Type::Object.name() {
        let required = || table.visible_properties(node).filter(|property| property.required).take(3);
        let tags = required().filter_map(|property| match table.literals(table.node(property.node)) {
            [only] => Some(format!("{}: {}", quoted(&property.name), literal_text(only)?)),
            _ => None,
        });
        let mut distinguishing: Vec<String> = tags.collect();
        if distinguishing.is_empty() {
            distinguishing = required().map(|property| quoted(&property.name)).collect();
        }
        if !distinguishing.is_empty() {
            let _ = write!(out, " with {}", distinguishing.join(", "));
        }
    }
    out
}

/// Returns the types to which the bounds apply, for a schema without a type.
fn bound_types(bounds: &Bounds) -> Types {
    let Bounds { minimum, maximum, exclusive_minimum, exclusive_maximum, multiple_of, .. } = bounds;
    let is_number = [minimum, maximum, exclusive_minimum, exclusive_maximum, multiple_of].iter().any(|b| b.is_some());
    let is_string = bounds.min_length.or(bounds.max_length).is_some() || bounds.enforced().is_some();
    let is_array = bounds.min_items.or(bounds.max_items).is_some() || bounds.unique_items;
    let is_object = bounds.min_properties.or(bounds.max_properties).is_some();
    let all =
        [(is_number, Type::Number), (is_string, Type::String), (is_array, Type::Array), (is_object, Type::Object)];
    all.into_iter().filter(|(is, _)| *is).fold(Types::ANY, |types, (_, t)| types.with(t))
}

fn typed(table: &Table, node: &Node, wanted: Type, bounds: &Bounds, depth: usize) -> String {
    let mut out = wanted.name().to_owned();
    match wanted {
        Type::Integer | Type::Number => {
            let range = Range {
                low: bounds.minimum.map(number),
                high: bounds.maximum.map(number),
                above: bounds.exclusive_minimum.map(number),
                below: bounds.exclusive_maximum.map(number),
            };
            range.append(&mut out, "");
            if let Some(step) = bounds.multiple_of {
                out.push_str(" that is a multiple of ");
                out.push_str(&number(step));
            }
        }
        Type::String => {
            let Some(rule) = bounds.enforced() else {
                Range::from_counts(bounds.min_length, bounds.max_length).append(&mut out, " characters");
                return out;
            };
            if let Some(format) = rule.format {
                let (form, example) = format.form();
                out = format!("{form} like {example}");
            }
            Range::from_counts(bounds.min_length, bounds.max_length).append(&mut out, " characters");
            if let Some(pattern) = &rule.pattern {
                out.push_str(" that matches the pattern ");
                out.push_str(&shortened(pattern.as_str()));
            }
        }
        Type::Array => {
            if let Some(items) = node.items.filter(|_| depth > 0).and_then(|id| items(table, id, depth)) {
                out.push_str(" of ");
                out.push_str(&items);
            }
            Range::from_counts(bounds.min_items, bounds.max_items).append(&mut out, " items");
            if bounds.unique_items {
                out.push_str(" without duplicates");
            }
        }
        Type::Object => Range::from_counts(bounds.min_properties, bounds.max_properties).append(&mut out, " keys"),
        Type::Null | Type::Boolean => {}
    }
    out
}

fn items(table: &Table, id: NodeId, depth: usize) -> Option<String> {
    let node = table.node(id);
    (!table.types(node).is_any()).then(|| describe(table, node, depth - 1))
}

#[derive(Default)]
struct Range {
    low: Option<String>,
    high: Option<String>,
    above: Option<String>,
    below: Option<String>,
}

impl Range {
    fn from_counts(low: Option<u64>, high: Option<u64>) -> Self {
        Self { low: low.map(|n| n.to_string()), high: high.map(|n| n.to_string()), ..Self::default() }
    }

    fn append(&self, out: &mut String, unit: &str) {
        let with = if unit.is_empty() { "" } else { " with" };
        let counted = |count: &String| if count == "1" { unit.trim_end_matches('s') } else { unit };
        let _ = match (&self.low, &self.high) {
            (Some(low), Some(high)) if low == high => write!(out, "{with} exactly {low}{}", counted(low)),
            (Some(low), Some(high)) if unit.is_empty() => write!(out, " between {low} and {high}"),
            (Some(low), Some(high)) => write!(out, "{with} {low} to {high}{unit}"),
            (Some(low), None) => write!(out, "{with} at least {low}{}", counted(low)),
            (None, Some(high)) => write!(out, "{with} at most {high}{}", counted(high)),
            (None, None) => Ok(()),
        };
        let mut separator = if self.low.is_some() || self.high.is_some() { " and" } else { "" };
        for (word, bound) in [("greater than", &self.above), ("less than", &self.below)] {
            if let Some(bound) = bound {
                let _ = write!(out, "{separator} {word} {bound}");
                separator = " and";
            }
        }
    }
}

fn number(bound: Bound) -> String {
    match bound {
        Bound::Integer(integer) => integer.to_string(),
        Bound::Unsigned(integer) => integer.to_string(),
        Bound::Number(float) => decimal(float),
    }
}

/// Formats a float, without hundreds of zeros for very large or small numbers.
fn decimal(float: f64) -> String {
    if float == 0.0 || (1e-6..1e18).contains(&float.abs()) { float.to_string() } else { format!("{float:e}") }
}

fn literal_text(literal: &Literal) -> Option<String> {
    Some(match literal {
        Literal::Null => "null".to_owned(),
        Literal::Boolean(b) => b.to_string(),
        Literal::Integer(i) => i.to_string(),
        Literal::Number(n) => decimal(*n),
        Literal::String(text) => quoted(text),
        Literal::Json(text) => text[..text.floor_char_boundary(MAX_VALUE_BYTES)].to_owned(),
        Literal::Hidden => return None,
    })
}

fn list(all: impl Iterator<Item = String> + Clone) -> String {
    let more = all.clone().skip(MAX_ENTRIES).count();
    let mut list = all.take(MAX_ENTRIES).collect::<Vec<_>>().join(", ");
    if more > 0 {
        let _ = write!(list, " and {more} more");
    }
    list
}
