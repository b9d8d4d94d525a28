//! `$ref`s, and the keywords to which they refer.

use std::collections::{BTreeSet, HashMap};

use serde_json::Value;

use super::{Mender, Object, for_each_subschema, push_step_even_empty, shown};

/// The maximum number of bytes of the schemas that are copied to `$defs`.
const MAX_COPIED: usize = 64 << 10;

/// Replaces the spellings of older drafts: `definitions`, `$recursiveRef`, names of schemas. Every `$ref` leads to the root or to `$defs`
/// then, because some vendors follow no other.
pub(super) fn modernise(schema: &mut Value) {
    let mut names = HashMap::new();
    rename_definitions(schema);
    collect_names(schema, "", &mut names);
    let mut targets = BTreeSet::new();
    each_schema(schema, &mut |map| {
        for old in ["$recursiveRef", "$dynamicRef"] {
            if let Some(target) = map.remove(old) {
                map.entry("$ref").or_insert(target);
            }
        }
        targets.extend(map.get("$ref").and_then(Value::as_str).map(str::to_owned));
    });
    let mut copies = Copies { left: MAX_COPIED, ..Copies::default() };
    let new: HashMap<String, String> = targets
        .into_iter()
        .map(|target| {
            let new = copies.definition(schema, current(schema, &target, &names));
            (target, new)
        })
        .collect();
    if !copies.made.is_empty()
        && let Some(defs) =
            schema.as_object_mut().map(|map| map.entry("$defs").or_insert_with(|| Value::Object(Object::new())))
        && let Some(defs) = defs.as_object_mut()
    {
        defs.extend(copies.made);
    }
    each_schema(schema, &mut |map| {
        if let Some(Value::String(target)) = map.get_mut("$ref")
            && let Some(new) = new.get(target.as_str())
        {
            target.clone_from(new);
        }
    });
}

/// Returns a `$ref` without names and keywords of older drafts.
fn current(root: &Value, target: &str, names: &HashMap<String, String>) -> String {
    if target_of(root, target).is_some() {
        return target.to_owned();
    }
    if let Some(pointer) = names.get(target.trim_end_matches('#')) {
        return pointer.clone();
    }
    let pointer = match target.split_once('#') {
        Some((address, pointer)) if names.get(address).is_some_and(|root| root == "#") => format!("#{pointer}"),
        _ => target.to_owned(),
    };
    pointer.replace("/definitions/", "/$defs/")
}

/// The schemas to which a `$ref` leads that are neither the root nor a definition: copies of them become definitions.
#[derive(Default)]
struct Copies {
    made: Object,
    left: usize,
}

impl Copies {
    /// Returns the `$ref` of the definition that is the target of a `$ref`, or that is a copy of it.
    fn definition(&mut self, root: &Value, target: String) -> String {
        let is_definition = target.strip_prefix("#/$defs/").is_some_and(|name| !name.contains('/'));
        let Some(schema) = target_of(root, &target).filter(|_| !is_definition && !["#", "#/"].contains(&&*target))
        else {
            return target;
        };
        let Some(left) = self.left.checked_sub(schema.to_string().len()) else { return target };
        self.left = left;
        let last = target.rsplit('/').next().unwrap_or_default();
        let is_letter = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-' | '.');
        let base: String = last.chars().map(|letter| if is_letter(letter) { letter } else { '_' }).take(80).collect();
        let mut name = base.clone();
        let mut number = 2_usize;
        while self.made.contains_key(&name) || root["$defs"].get(&name).is_some() {
            name = format!("{base}_{number}");
            number += 1;
        }
        self.made.insert(name.clone(), schema.clone());
        format!("#/$defs/{name}")
    }
}

fn each_schema(schema: &mut Value, each: &mut dyn FnMut(&mut Object)) {
    let Some(map) = schema.as_object_mut() else { return };
    each(map);
    for_each_subschema(map, &mut |_, _, schema| each_schema(schema, each));
    // What has not been mended yet: tuples of older drafts.
    if let Some(Value::Array(items)) = map.get_mut("items") {
        for schema in items {
            each_schema(schema, each);
        }
    }
}

fn rename_definitions(schema: &mut Value) {
    each_schema(schema, &mut |map| {
        let Some(Value::Object(definitions)) = map.get_mut("definitions").map(Value::take) else { return };
        map.remove("definitions");
        if let Some(known) = map.entry("$defs").or_insert_with(|| Value::Object(Object::new())).as_object_mut() {
            for (name, definition) in definitions {
                known.entry(name).or_insert(definition);
            }
        }
    });
}

/// Collects the pointers of schemas with an address or a name of their own.
fn collect_names(schema: &mut Value, pointer: &str, names: &mut HashMap<String, String>) {
    let Some(map) = schema.as_object_mut() else { return };
    for (keyword, prefix) in [("$id", ""), ("id", ""), ("$anchor", "#"), ("$dynamicAnchor", "#")] {
        if let Some(name) = map.get(keyword).and_then(Value::as_str) {
            names.entry(format!("{prefix}{}", name.trim_end_matches('#'))).or_insert_with(|| format!("#{pointer}"));
        }
    }
    for_each_subschema(map, &mut |keyword, name, schema| {
        let mut inner = pointer.to_owned();
        push_step_even_empty(&mut inner, keyword);
        if super::LISTS.contains(&keyword) || super::MAPS.contains(&keyword) {
            push_step_even_empty(&mut inner, name);
        }
        collect_names(schema, &inner, names);
    });
}

/// Removes the definitions to which nothing refers. Models would read them.
pub(super) fn drop_unused(root: &mut Value) {
    let mut open = Vec::new();
    collect_targets(root, &mut open);
    let mut used = BTreeSet::new();
    while let Some(target) = open.pop() {
        if ["#", "#/"].contains(&&*target) {
            continue;
        }
        let Some(name) = target.strip_prefix("#/$defs/").filter(|name| !name.contains('/')) else { return };
        let name = percent_decoded(name).unwrap_or_else(|| name.to_owned()).replace("~1", "/").replace("~0", "~");
        if !used.contains(&name) {
            if let Some(definition) = root["$defs"].get(&name) {
                collect_targets(definition, &mut open);
            }
            used.insert(name);
        }
    }
    let Some(map) = root.as_object_mut() else { return };
    let mut definitions = map.remove("$defs");
    if let Some(Value::Object(definitions)) = &mut definitions {
        definitions.retain(|name, _| used.contains(name));
        // The definitions of other schemas have been copied to these.
        definitions.values_mut().for_each(|schema| each_schema(schema, &mut |map| drop(map.remove("$defs"))));
    }
    each_schema(root, &mut |map| drop(map.remove("$defs")));
    if let (Some(map), Some(definitions)) = (root.as_object_mut(), definitions)
        && definitions.as_object().is_none_or(|definitions| !definitions.is_empty())
    {
        map.insert("$defs".to_owned(), definitions);
    }
}

/// Collects the `$ref`s of a schema, without its definitions.
fn collect_targets(schema: &Value, targets: &mut Vec<String>) {
    let Some(map) = schema.as_object() else { return };
    targets.extend(map.get("$ref").and_then(Value::as_str).map(str::to_owned));
    for (keyword, value) in map.iter().filter(|(keyword, _)| *keyword != "$defs") {
        match value {
            Value::Array(schemas) if super::LISTS.contains(&keyword.as_str()) => {
                for schema in schemas {
                    collect_targets(schema, targets);
                }
            }
            Value::Object(schemas) if super::MAPS.contains(&keyword.as_str()) => {
                for schema in schemas.values() {
                    collect_targets(schema, targets);
                }
            }
            schema if super::SINGLE.contains(&keyword.as_str()) => collect_targets(schema, targets),
            _ => {}
        }
    }
}

/// Removes the `$ref`s that have no target in the schema. Their values may be anything.
pub(super) fn check(root: &mut Value, mender: &mut Mender) {
    let mut dangling = Vec::new();
    find(root, root, "", &mut dangling);
    for (pointer, what) in dangling {
        if let Some(map) = root.pointer_mut(&pointer).and_then(Value::as_object_mut) {
            map.remove("$ref");
        }
        mender.pointer = pointer;
        mender.leaves_out("$ref");
        mender.mended("", what);
    }
    mender.pointer.clear();
}

/// Returns what is wrong with a `$ref`, or `None` if it leads to a schema that says something.
fn fault(root: &Value, target: &Value) -> Option<String> {
    let Some(text) = target.as_str() else {
        return Some("has a `$ref` that is not a string: it may be any value".to_owned());
    };
    if target_of(root, text).is_none() {
        return Some(format!("refers to `{}`, which the schema does not have: it may be any value", shown(text)));
    }
    is_endless(root, text)
        .then(|| format!("refers to `{}`, which leads back to itself: the `$ref` is left out", shown(text)))
}

/// Returns whether a `$ref` leads only to `$ref`s that lead to each other: such schemas describe no value.
fn is_endless(root: &Value, target: &str) -> bool {
    let mut seen = BTreeSet::new();
    let mut open = vec![target];
    // Schemas for the same value can contain the next `$ref`, too.
    while let Some(target) = open.pop() {
        if !seen.insert(target) {
            continue;
        }
        let Some(map) = target_of(root, target).and_then(Value::as_object) else { return false };
        let is_annotation = |keyword: &&String| ANNOTATIONS.contains(&keyword.as_str());
        let mut others = map.keys().filter(|keyword| !is_annotation(keyword));
        let parts = match (others.next().map(String::as_str), others.next()) {
            (Some("$ref"), None) => vec![&map["$ref"]],
            (Some("allOf"), None) => {
                let parts = map["allOf"].as_array().into_iter().flatten();
                let references: Vec<&Value> = parts.clone().filter_map(|part| part.get("$ref")).collect();
                if references.is_empty() || references.len() < parts.count() {
                    return false;
                }
                references
            }
            _ => return false,
        };
        open.extend(parts.into_iter().filter_map(Value::as_str));
    }
    true
}

/// The keywords with which a `$ref` still leads on: they name no further parts of a value.
const ANNOTATIONS: &[&str] = &[
    "type",
    "$defs",
    "$id",
    "$schema",
    "$anchor",
    "$comment",
    "title",
    "description",
    "examples",
    "default",
    "deprecated",
];

fn find(root: &Value, value: &Value, pointer: &str, dangling: &mut Vec<(String, String)>) {
    match value {
        Value::Object(map) => {
            if let Some(target) = map.get("$ref").filter(|target| !is_property(pointer, target)) {
                dangling.extend(fault(root, target).map(|what| (pointer.to_owned(), what)));
            }
            for (key, value) in map {
                if ["enum", "const", "default", "examples", "example"].contains(&key.as_str()) && !is_map(pointer) {
                    continue;
                }
                let mut inner = pointer.to_owned();
                push_step_even_empty(&mut inner, key);
                find(root, value, &inner, dangling);
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                find(root, item, &format!("{pointer}/{index}"), dangling);
            }
        }
        _ => {}
    }
}

/// Returns whether the place is that of an object with properties, whose keys are not keywords.
fn is_map(pointer: &str) -> bool {
    pointer.rsplit('/').next().is_some_and(|last| super::MAPS.contains(&last))
}

/// Returns whether `$ref` is the name of a property here.
fn is_property(pointer: &str, target: &Value) -> bool {
    is_map(pointer) && target.is_object()
}

/// Returns the target of a `$ref` within a schema.
pub fn target_of<'s>(root: &'s Value, target: &str) -> Option<&'s Value> {
    let pointer = target.strip_prefix('#')?;
    let schema = root.pointer(pointer).or_else(|| root.pointer(&percent_decoded(pointer)?))?;
    matches!(schema, Value::Object(_) | Value::Bool(_)).then_some(schema)
}

/// Returns `text` without URI escapes, or `None` if one is invalid.
fn percent_decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        if byte == b'%' {
            let code = std::str::from_utf8(rest.get(..2)?).ok()?;
            bytes.push(u8::from_str_radix(code, 16).ok()?);
            rest = &rest[2..];
        } else {
            bytes.push(byte);
        }
    }
    String::from_utf8(bytes).ok()
}
