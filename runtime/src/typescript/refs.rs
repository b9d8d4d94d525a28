//! `$ref`s, and what can be known of a schema before its type is written.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};

use super::json::Json;
use super::kinds::{Kinds, is_nullable, literals};

/// The maximum number of schemas for one value that are looked through for a cycle. More are taken for one.
const MAX_IN_PLACE: usize = 1_000;

/// The maximum number of schemas that are read ahead to find what a schema allows.
const MAX_AHEAD: usize = 64;

/// The properties of an object besides the declared ones.
pub(super) enum Rest<'s> {
    None,
    Any,
    Of(&'s Json),
}

/// Returns what a schema says about properties that it does not declare.
pub(super) fn rest(schema: &Json) -> Rest<'_> {
    let has_patterns = schema.get("patternProperties").is_some_and(|patterns| !patterns.entries().is_empty());
    match schema.get("additionalProperties") {
        Some(_) if has_patterns => Rest::Any,
        Some(Json::Boolean(false)) => Rest::None,
        Some(values @ Json::Object(_)) => Rest::Of(values),
        _ => Rest::Any,
    }
}

/// The `$ref`s of a document.
pub(super) struct Refs<'s> {
    pub(super) root: Option<&'s Json>,
    /// The targets that were looked up, by their pointers. `None` if there is no such schema, or it is a part of itself.
    targets: RefCell<HashMap<String, Option<&'s Json>>>,
}

impl<'s> Refs<'s> {
    pub(super) fn new(root: Option<&'s Json>) -> Self {
        Self { root, targets: RefCell::default() }
    }

    /// Returns the value at a pointer.
    pub(super) fn at(&self, pointer: &str) -> Option<&'s Json> {
        self.root?.pointer(pointer)
    }

    /// Returns the target of the `$ref` of a schema with its pointer, if it is in the document, and does not contain itself as a
    /// schema for the same value: TypeScript refuses such types, and they say nothing.
    pub(super) fn target(&self, schema: &Json) -> Option<(String, &'s Json)> {
        let pointer = pointer(schema)?;
        if let Some(known) = self.targets.borrow().get(&pointer) {
            return known.map(|target| (pointer, target));
        }
        let is_schema = |target: &&Json| matches!(target, Json::Object(_) | Json::Boolean(_));
        let target = self.at(&pointer).filter(is_schema).filter(|target| !self.is_cyclic(target));
        self.targets.borrow_mut().insert(pointer.clone(), target);
        target.map(|target| (pointer, target))
    }

    fn is_cyclic(&self, schema: &'s Json) -> bool {
        let mut seen: BTreeSet<*const Json> = BTreeSet::new();
        let mut pending = self.in_place(schema);
        while let Some(next) = pending.pop() {
            if std::ptr::eq(next, schema) || seen.len() > MAX_IN_PLACE {
                return true;
            }
            if seen.insert(std::ptr::from_ref(next)) {
                pending.extend(self.in_place(next));
            }
        }
        false
    }

    /// Returns the schemas for the same value as a schema.
    fn in_place(&self, schema: &'s Json) -> Vec<&'s Json> {
        let lists = ["anyOf", "oneOf", "allOf"].iter().filter_map(|key| schema.get(key));
        let target = pointer(schema).and_then(|pointer| self.at(&pointer));
        lists.flat_map(Json::items).chain(target).collect()
    }

    /// Returns whether a schema allows no properties besides its own.
    pub(super) fn is_closed(&self, schema: &Json) -> bool {
        self.is_closed_within(schema, &mut { MAX_AHEAD })
    }

    fn is_closed_within(&self, schema: &Json, ahead: &mut usize) -> bool {
        let Some(left) = ahead.checked_sub(1) else { return false };
        *ahead = left;
        let target = self.target(schema).map(|(_, target)| target);
        let mut parts = target.into_iter().chain(schema.get("allOf").map_or(&[][..], Json::items));
        matches!(rest(schema), Rest::None) || parts.any(|part| self.is_closed_within(part, ahead))
    }

    /// Returns the kinds of the values that a schema allows, or more.
    pub(super) fn kinds(&self, schema: &Json) -> Kinds {
        self.kinds_within(schema, &mut { MAX_AHEAD })
    }

    /// Returns the kinds of the values that the keywords of a schema besides `nullable` allow, or more.
    pub(super) fn kinds_besides_nullable(&self, schema: &Json) -> Kinds {
        self.kinds_of_keywords(schema, &mut { MAX_AHEAD })
    }

    fn kinds_within(&self, schema: &Json, ahead: &mut usize) -> Kinds {
        let kinds = self.kinds_of_keywords(schema, ahead);
        if is_nullable(schema) { kinds.or(Kinds::NULL) } else { kinds }
    }

    fn kinds_of_keywords(&self, schema: &Json, ahead: &mut usize) -> Kinds {
        let Some(left) = ahead.checked_sub(1) else { return Kinds::ALL };
        *ahead = left;
        let mut kinds = match schema {
            Json::Object(_) => Kinds::of_schema(schema),
            Json::Boolean(false) => Kinds::NONE,
            _ => Kinds::ALL,
        };
        if let Some(values) = literals(schema, kinds) {
            kinds = values.into_iter().map(Kinds::of_value).fold(Kinds::NONE, Kinds::or);
        }
        for list in ["anyOf", "oneOf"].iter().filter_map(|key| schema.get(key)).map(Json::items) {
            if !list.is_empty() {
                let any = list.iter().map(|one| self.kinds_within(one, ahead)).fold(Kinds::NONE, Kinds::or);
                kinds = kinds.and(any);
            }
        }
        let target = self.target(schema).map(|(_, target)| target);
        for part in target.into_iter().chain(schema.get("allOf").map_or(&[][..], Json::items)) {
            kinds = kinds.and(self.kinds_within(part, ahead));
        }
        kinds
    }
}

/// Returns the JSON Pointer of a `$ref` into the same document.
fn pointer(schema: &Json) -> Option<String> {
    let fragment = schema.get("$ref")?.as_str()?.strip_prefix('#')?;
    if !fragment.contains('%') {
        return Some(fragment.to_owned());
    }
    let bytes = fragment.as_bytes();
    let (mut out, mut at) = (Vec::with_capacity(bytes.len()), 0);
    while let Some(&byte) = bytes.get(at) {
        let hex = bytes.get(at + 1..at + 3).and_then(|pair| std::str::from_utf8(pair).ok());
        let escaped = hex.filter(|_| byte == b'%').and_then(|hex| u8::from_str_radix(hex, 16).ok());
        out.push(escaped.unwrap_or(byte));
        at += if escaped.is_some() { 3 } else { 1 };
    }
    String::from_utf8(out).ok()
}
