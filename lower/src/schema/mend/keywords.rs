//! The keywords of one schema, except those that refer to other schemas.

use serde_json::Value;

use super::{Mender, Object, shown};
use toolc::__gen::table::Type;

/// The keywords that say nothing about values, and that vendors may refuse.
const REMOVED: &[&str] =
    &["$schema", "$id", "$comment", "$vocabulary", "$anchor", "$dynamicAnchor", "$recursiveAnchor"];
/// The keywords whose value is a text.
const TEXTS: &[&str] = &["title", "description", "pattern", "format"];
/// The keywords of a text that restricts nothing.
const ANNOTATIONS: &[&str] = &["title", "description"];
/// The keywords whose value is a number.
const NUMBERS: &[&str] = &["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"];
/// The keywords whose value is a whole number.
const COUNTS: &[&str] =
    &["minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties", "minContains", "maxContains"];

/// Returns the type that a word of another language or draft means.
pub(super) fn type_name(word: &str) -> Option<&'static str> {
    let word = word.trim().to_ascii_lowercase();
    if let Some(known) = Type::from_name(&word) {
        return Some(known.name());
    }
    Some(match word.as_str() {
        "str" | "text" | "uuid" | "uri" | "url" | "date" | "datetime" | "date-time" => "string",
        "int" | "int32" | "int64" | "long" => "integer",
        "float" | "double" | "decimal" => "number",
        "bool" => "boolean",
        "list" | "tuple" | "set" => "array",
        "dict" | "map" | "record" | "struct" => "object",
        "none" => "null",
        _ => return None,
    })
}

impl Mender {
    pub(super) fn keywords(&mut self, map: &mut Object) {
        map.retain(|keyword, _| !REMOVED.contains(&keyword.as_str()));
        // Draft 4 spells `$id` so. A property may have this name, too, but it is not here.
        if map.get("id").is_some_and(Value::is_string) {
            map.remove("id");
        }
        self.keywords_of_draft_3(map);
        self.types(map);
        self.values(map);
        self.bounds(map);
        self.texts(map);
        self.items(map);
        self.objects(map);
        self.unions(map);
        remove_keywords_of_other_types(map);
    }

    /// Replaces keywords that later drafts have renamed.
    fn keywords_of_draft_3(&mut self, map: &mut Object) {
        if let Some(divisor) = map.remove("divisibleBy") {
            map.entry("multipleOf").or_insert(divisor);
        }
        if let Some(base) = map.remove("extends") {
            let bases = if base.is_array() { base } else { Value::from(vec![base]) };
            let all = map.entry("allOf").or_insert_with(|| Value::Array(Vec::new()));
            if let (Value::Array(all), Value::Array(bases)) = (all, bases) {
                all.extend(bases);
            }
        }
        match map.remove("disallow") {
            None => {}
            Some(Value::String(name)) => drop(map.entry("not").or_insert(serde_json::json!({ "type": name }))),
            Some(Value::Array(types)) if types.iter().all(Value::is_string) => {
                map.entry("not").or_insert(serde_json::json!({ "type": types }));
            }
            Some(_) => {
                self.leaves_out("disallow");
                self.mended("disallow", "is of an older draft: it is left out");
            }
        }
    }

    /// Removes a keyword whose value has the wrong form.
    fn remove(&mut self, map: &mut Object, keyword: &str, expected: &str) {
        map.remove(keyword);
        if !ANNOTATIONS.contains(&keyword) {
            self.leaves_out(keyword);
        }
        self.mended(keyword, format!("is not {expected}: it is left out"));
    }

    /// Removes a keyword whose value says nothing, as some libraries write an absent one. This is not worth a report.
    fn drop_null(&mut self, map: &mut Object, keyword: &str) {
        map.remove(keyword);
        if !ANNOTATIONS.contains(&keyword) {
            self.leaves_out(keyword);
        }
    }

    fn types(&mut self, map: &mut Object) {
        let is_nullable = map.remove("nullable") == Some(Value::Bool(true));
        let Some(types) = map.get("type") else { return };
        let words: Vec<&Value> = types.as_array().map_or_else(|| vec![types], |list| list.iter().collect());
        let (mut names, mut unknown) = (Vec::<&str>::new(), Vec::new());
        for word in words {
            match word.as_str().map(|word| (word, type_name(word))) {
                Some((_, Some(name))) if names.contains(&name) => {}
                Some((_, Some(name))) => names.push(name),
                Some((word, None)) => unknown.push(word.to_owned()),
                None => unknown.push(word.to_string()),
            }
        }
        let is_any = unknown.iter().any(|word| ["any", "mixed", "unknown"].contains(&word.as_str()));
        if is_any {
            names.clear();
        }
        if is_nullable && !names.is_empty() && !names.contains(&"null") {
            names.push("null");
            if let Some(Value::Array(choices)) = map.get_mut("enum")
                && !choices.contains(&Value::Null)
            {
                choices.push(Value::Null);
            }
        }
        let mended = match names.as_slice() {
            [] => None,
            [only] => Some(Value::from(*only)),
            several => Some(Value::from(several.to_vec())),
        };
        if !unknown.is_empty() && !is_any {
            self.leaves_out("type");
            let words = unknown.iter().map(|word| shown(word).replace("\\\"", "\"")).collect::<Vec<_>>().join(", ");
            self.mended("type", format!("`{words}` is not a type of JSON: it is left out"));
        }
        match mended {
            Some(types) => map.insert("type".to_owned(), types),
            None => map.remove("type"),
        };
    }

    fn values(&mut self, map: &mut Object) {
        match map.get_mut("enum") {
            None => {}
            Some(Value::Array(choices)) => {
                let mut seen = Vec::new();
                choices.retain(|choice| {
                    !seen.contains(choice) && {
                        seen.push(choice.clone());
                        true
                    }
                });
                if choices.is_empty() {
                    map.remove("enum");
                    self.leaves_out("enum");
                    self.mended("enum", "has no values: any value is allowed");
                }
            }
            Some(_) => self.remove(map, "enum", "a list of values"),
        }
        if let Some(examples) = map.get_mut("examples").filter(|examples| !examples.is_array()) {
            *examples = Value::Array(vec![examples.take()]);
        }
    }

    fn bounds(&mut self, map: &mut Object) {
        // Draft 4 says with a boolean that the bound itself is excluded.
        for (exclusive, inclusive) in [("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")] {
            if let Some(Value::Bool(is_exclusive)) = map.get(exclusive).cloned() {
                map.remove(exclusive);
                if let Some(bound) = map.get(inclusive).cloned().filter(|_| is_exclusive) {
                    map.remove(inclusive);
                    map.insert(exclusive.to_owned(), bound);
                }
            }
        }
        for keyword in NUMBERS.iter().chain(COUNTS) {
            let Some(value) = map.get(*keyword) else { continue };
            let number = match value {
                Value::String(text) => serde_json::from_str(text.trim()).ok(),
                value => Some(value.clone()),
            };
            let number = number.filter(Value::is_number).and_then(|number: Value| {
                let is_count = COUNTS.contains(keyword);
                let whole = number.as_f64().filter(|float| float.fract() == 0.0 && (0.0..9e18).contains(float));
                match (number.as_u64(), whole) {
                    _ if !is_count => (*keyword != "multipleOf" || number.as_f64() > Some(0.0)).then_some(number),
                    (Some(count), _) => Some(Value::from(count)),
                    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked above")]
                    (None, Some(whole)) => Some(Value::from(whole as u64)),
                    (None, None) => None,
                }
            });
            match number {
                Some(number) => drop(map.insert((*keyword).to_owned(), number)),
                None => self.remove(map, keyword, if COUNTS.contains(keyword) { "a count" } else { "a number" }),
            }
        }
        if map.get("uniqueItems").is_some_and(|unique| !unique.is_boolean()) {
            self.remove(map, "uniqueItems", "a boolean");
        }
    }

    fn texts(&mut self, map: &mut Object) {
        for keyword in TEXTS {
            match map.get(*keyword) {
                None | Some(Value::String(_)) => {}
                Some(Value::Null) => self.drop_null(map, keyword),
                Some(_) => self.remove(map, keyword, "a text"),
            }
        }
        for keyword in ["deprecated", "readOnly", "writeOnly"] {
            if map.get(keyword).is_some_and(|flag| !flag.is_boolean()) {
                map.remove(keyword);
            }
        }
    }

    fn items(&mut self, map: &mut Object) {
        let further = map.remove("additionalItems");
        if let Some(Value::Array(items)) = map.get("items") {
            // Drafts before 2020-12 write tuples like this.
            let tuple = items.clone();
            map.remove("items");
            if !tuple.is_empty() {
                map.insert("prefixItems".to_owned(), tuple.into());
                map.extend(further.map(|further| ("items".to_owned(), further)));
            }
        }
        match map.get("prefixItems") {
            None => {}
            Some(Value::Array(items)) if !items.is_empty() => {}
            Some(Value::Array(_) | Value::Null) => drop(map.remove("prefixItems")),
            Some(_) => self.drop_null(map, "prefixItems"),
        }
        let is_array = match map.get("type") {
            Some(Value::String(name)) => name == "array",
            Some(Value::Array(names)) => names.iter().any(|name| name == "array"),
            _ => false,
        };
        if map.get("items").is_some_and(Value::is_null) {
            map.remove("items");
        }
        if is_array && !map.contains_key("items") {
            if !map.contains_key("prefixItems") {
                self.mended("", "is an array without `items`: they may be any values");
            }
            map.insert("items".to_owned(), Value::Object(Object::new()));
        }
    }

    fn objects(&mut self, map: &mut Object) {
        for keyword in super::MAPS {
            match map.get(*keyword) {
                None | Some(Value::Object(_)) => {}
                // PHP writes an empty object so.
                Some(Value::Array(none)) if none.is_empty() && *keyword == "properties" => {
                    map.insert((*keyword).to_owned(), Value::Object(Object::new()));
                }
                Some(Value::Array(none)) if none.is_empty() => drop(map.remove(*keyword)),
                // Go writes one so.
                Some(Value::Null) => drop(map.remove(*keyword)),
                Some(_) => self.remove(map, keyword, "an object"),
            }
        }
        match map.get("additionalProperties") {
            None | Some(Value::Bool(_) | Value::Object(_)) => {}
            Some(Value::String(word)) if word == "false" => {
                map.insert("additionalProperties".to_owned(), false.into());
            }
            Some(_) => self.drop_null(map, "additionalProperties"),
        }
        match map.get_mut("required") {
            None | Some(Value::Bool(_)) => {}
            Some(Value::Array(names)) => {
                let mut seen = Vec::new();
                names.retain(|name| {
                    name.is_string() && !seen.contains(name) && {
                        seen.push(name.clone());
                        true
                    }
                });
                if names.is_empty() {
                    map.remove("required");
                }
            }
            Some(Value::String(name)) => {
                let name = std::mem::take(name);
                if map.get("properties").is_some_and(|declared| declared.get(&name).is_some()) {
                    map.insert("required".to_owned(), vec![name].into());
                } else {
                    self.remove(map, "required", "a list of names");
                }
            }
            Some(Value::Null) => drop(map.remove("required")),
            Some(_) => self.remove(map, "required", "a list of names"),
        }
        if map.get("required").is_some_and(Value::is_boolean) {
            map.remove("required");
        }
        divide_dependencies(map);
    }

    fn unions(&mut self, map: &mut Object) {
        for keyword in ["anyOf", "oneOf", "allOf"] {
            match map.get_mut(keyword) {
                None => {}
                Some(Value::Array(schemas)) if !schemas.is_empty() => {}
                Some(schema @ Value::Object(_)) => *schema = Value::Array(vec![schema.take()]),
                Some(_) => self.remove(map, keyword, "a list of schemas"),
            }
        }
    }
}

/// Removes keywords about objects and arrays from schemas of other types: they say nothing there, and some vendors refuse them.
fn remove_keywords_of_other_types(map: &mut Object) {
    let types: Vec<&str> = match map.get("type") {
        Some(Value::String(name)) => vec![name],
        Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect(),
        _ => return,
    };
    let of_objects: &[&str] = &["properties", "required", "additionalProperties", "patternProperties", "propertyNames"];
    let of_arrays: &[&str] = &["items", "prefixItems"];
    let unused = [("object", of_objects), ("array", of_arrays)];
    let unused: Vec<&str> =
        unused.into_iter().filter(|(ty, _)| !types.contains(ty)).flat_map(|(_, keywords)| keywords).copied().collect();
    map.retain(|keyword, _| !unused.contains(&keyword.as_str()));
}

/// Divides `dependencies` of older drafts into the two keywords that have replaced it.
fn divide_dependencies(map: &mut Object) {
    let Some(Value::Object(dependencies)) = map.remove("dependencies") else { return };
    for (name, dependency) in dependencies {
        let (keyword, dependency) = match dependency {
            Value::String(other) => ("dependentRequired", Value::from(vec![other])),
            Value::Array(names) => ("dependentRequired", names.into()),
            schema => ("dependentSchemas", schema),
        };
        let all = map.entry(keyword).or_insert_with(|| Value::Object(Object::new()));
        if let Some(all) = all.as_object_mut() {
            all.entry(name).or_insert(dependency);
        }
    }
}
