//! Converts JSON Schema to the schemas of manifests, without a change of meaning where manifests have the words for it.
//!
//! What they cannot say is left out, so that nothing valid is refused: the manifest then accepts more than the source, and the report
//! says so.

mod limits;
mod objects;
mod values;

use serde_json::{Map, Value, json};

use crate::report::{Effect, escaped};

pub use limits::{MAX_DEPTH, check_depth};
pub use values::{data, template};

/// A table of a manifest, or a part of one, as JSON. A value that TOML cannot write is `{ "json": TEXT }`.
pub type Table = Map<String, Value>;

/// What was changed in a schema.
pub type Note = (String, String, String, Effect);

/// How schemas are converted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Style {
    /// Whether objects that do not say so accept no further properties.
    pub closed: bool,
}

/// The converter of the schemas of one tool.
#[derive(Debug)]
pub struct Converter {
    style: Style,
    /// The place of the current schema.
    pointer: String,
    /// What was changed.
    pub notes: Vec<Note>,
    /// Whether the reader of arguments reads the values.
    is_read: bool,
    /// The number of notes about what the schema accepts. Equal before and after a part: the part has its exact meaning.
    widened: usize,
}

/// The schema of a tool's arguments in a manifest.
#[derive(Debug, Default, PartialEq)]
pub struct Arguments {
    /// The parameters.
    pub params: Table,
    /// The other keywords, with `$defs`.
    pub root: Table,
}

/// Keywords that say nothing about which values are accepted, and that manifests do not have.
const ANNOTATIONS: [&str; 4] = ["readOnly", "writeOnly", "contentEncoding", "contentMediaType"];
/// Keywords that restrict values, and that manifests do not have.
const INEXPRESSIBLE: [&str; 7] =
    ["not", "contains", "minContains", "maxContains", "dependentRequired", "dependentSchemas", "contentSchema"];
/// Keywords that are copied as they are.
const COPIED: [&str; 14] = [
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minLength",
    "maxLength",
    "pattern",
    "format",
    "minItems",
    "maxItems",
    "uniqueItems",
    "minProperties",
    "maxProperties",
];
/// Formats that the reader of arguments enforces. JSON Schema leaves that open.
const ENFORCED: [&str; 11] =
    ["date-time", "date", "time", "duration", "uri", "email", "uuid", "ipv4", "ipv6", "hostname", "regex"];
/// Keywords that are read elsewhere.
const READ: [&str; 22] = [
    "$ref",
    "$defs",
    "type",
    "title",
    "description",
    "deprecated",
    "enum",
    "const",
    "default",
    "examples",
    "example",
    "anyOf",
    "oneOf",
    "allOf",
    "items",
    "prefixItems",
    "properties",
    "required",
    "additionalProperties",
    "patternProperties",
    "propertyNames",
    "unevaluatedProperties",
];

impl Converter {
    /// Creates a converter of the schema at a place of a definition.
    pub fn new(style: Style, pointer: &str) -> Self {
        Self { style, pointer: pointer.to_owned(), notes: Vec::new(), is_read: true, widened: 0 }
    }

    /// Converts the schema of arguments.
    ///
    /// # Errors
    /// If it cannot be the schema of an object.
    pub fn arguments(&mut self, schema: &Value) -> Result<Arguments, String> {
        let mended = self.mended(schema)?;
        let root = Self::root_object(mended)?;
        let mut table = self.schema(&root);
        table.shift_remove("type");
        let params = match table.shift_remove("properties") {
            Some(Value::Object(params)) => params,
            _ => Table::new(),
        };
        for keyword in ["enum", "const", "default", "format", "pattern"] {
            if let Some(value) = table.shift_remove(keyword) {
                let is_restriction = ["enum", "const"].contains(&keyword);
                let effect = if is_restriction { Effect::Wider } else { Effect::Same };
                self.note(keyword, &value, "left out: the arguments as a whole cannot have it", effect);
            }
        }
        if self.style.closed && root.get("additionalProperties").is_none() {
            table.shift_remove("additionalProperties");
        }
        self.definitions(&root, &mut table);
        Ok(Arguments { params, root: table })
    }

    /// Converts the schema of a result. Returns its definitions, too.
    ///
    /// # Errors
    /// If it is not a schema.
    pub fn result(&mut self, schema: &Value) -> Result<(Table, Table), String> {
        self.is_read = false;
        let mut mended = self.mended(schema)?;
        refer_to_root(&mut mended, "result");
        let mut table = self.schema(&mended);
        let mut with_definitions = Table::new();
        self.definitions(&mended, &mut with_definitions);
        let definitions = match with_definitions.shift_remove("$defs") {
            Some(Value::Object(definitions)) => definitions,
            _ => Table::new(),
        };
        table.shift_remove("$defs");
        Ok((table, definitions))
    }

    /// Brings a schema into draft 2020-12, and records what had to change.
    fn mended(&mut self, schema: &Value) -> Result<Value, String> {
        if !schema.is_object() {
            return Err(format!("its schema is {}, not an object", noun(schema)));
        }
        check_depth(schema)?;
        let mut mended = schema.clone();
        if let Some(map) = mended.as_object_mut() {
            // In PHP and Go, empty objects.
            map.retain(|_, value| !value.is_null());
        }
        let before = schema.clone();
        for mend in toolc_lower::schema::mend(&mut mended) {
            let found = before.pointer(&mend.pointer).map(Value::to_string).unwrap_or_default();
            let is_same = mend.what.contains("without `items`") || mend.what.contains("may be any value");
            let effect = if is_same { Effect::Same } else { Effect::Wider };
            if mend.what.contains("is required and not declared") || mend.what.contains("without `items`") {
                continue;
            }
            self.notes.push((format!("{}{}", self.pointer, mend.pointer), found, mend.what, effect));
        }
        check_depth(&mended)?;
        Ok(mended)
    }

    /// Resolves the root of arguments to a schema with its own keywords: manifests have no `$ref` there.
    fn root_object(mut root: Value) -> Result<Value, String> {
        for _ in 0..8 {
            let Some(Value::String(target)) = root.get("$ref") else { break };
            let target = toolc_lower::schema::target_of(&root, target).cloned();
            let Some(Value::Object(target)) = target else {
                return Err("its schema is a `$ref` that leads nowhere".to_owned());
            };
            let Some(map) = root.as_object_mut() else { break };
            map.shift_remove("$ref");
            if let Some(key) = target.keys().find(|key| map.contains_key(*key) && !is_text(key)) {
                return Err(format!("its schema has `{key}` both in itself and in the target of its `$ref`"));
            }
            for (key, value) in target {
                map.entry(key).or_insert(value);
            }
        }
        match root.get("type") {
            None => {}
            Some(Value::String(name)) if name == "object" => {}
            Some(Value::Array(names)) if names.iter().any(|name| name == "object") => {}
            Some(other) => return Err(format!("its arguments have the type {other}, not `object`")),
        }
        if let Some(map) = root.as_object_mut() {
            map.insert("type".to_owned(), "object".into());
        }
        refer_to_root(&mut root, "arguments");
        Ok(root)
    }

    /// Adds the definitions of a root.
    fn definitions(&mut self, root: &Value, table: &mut Table) {
        let Some(Value::Object(all)) = root.get("$defs") else { return };
        let mut definitions = Table::new();
        for (name, schema) in all {
            let converted = self.at(&["$defs", name], |this| this.any(schema));
            definitions.insert(definition_name(name), Value::Object(converted.unwrap_or_default()));
        }
        if !definitions.is_empty() {
            table.insert("$defs".to_owned(), Value::Object(definitions));
        }
    }

    /// Does something at a place below the current one.
    fn at<T>(&mut self, steps: &[&str], work: impl FnOnce(&mut Self) -> T) -> T {
        let length = self.pointer.len();
        for step in steps {
            self.pointer.push('/');
            self.pointer += &escaped(step);
        }
        let done = work(self);
        self.pointer.truncate(length);
        done
    }

    /// Records a change of a keyword of the current schema.
    fn note(&mut self, keyword: &str, found: &Value, done: impl Into<String>, effect: Effect) {
        if effect == Effect::Wider {
            self.widened += 1;
        }
        let found = found.as_str().map_or_else(|| found.to_string(), str::to_owned);
        self.notes.push((format!("{}/{keyword}", self.pointer), found, done.into(), effect));
    }

    /// Converts a schema that can be a boolean. Returns `None` if no value matches it.
    fn any(&mut self, schema: &Value) -> Option<Table> {
        match schema {
            Value::Bool(false) => None,
            Value::Object(_) => Some(self.schema(schema)),
            _ => Some(Table::new()),
        }
    }

    /// Converts a schema.
    fn schema(&mut self, schema: &Value) -> Table {
        let mut out = Table::new();
        let Some(map) = schema.as_object() else { return out };
        if let Some(Value::String(target)) = map.get("$ref") {
            out.insert("$ref".to_owned(), current_reference(target).into());
        }
        if let Some(types) = map.get("type") {
            out.insert("type".to_owned(), types.clone());
        }
        self.values(map, &mut out);
        for keyword in COPIED {
            if let Some(value) = map.get(keyword) {
                self.copy(keyword, value, &mut out);
            }
        }
        self.unions(map, &mut out);
        self.items(map, &mut out);
        self.object(map, &mut out);
        self.leave_out(map, &mut out);
        out
    }

    fn copy(&mut self, keyword: &str, value: &Value, out: &mut Table) {
        if value.is_u64() && !value.is_i64() {
            self.note(keyword, value, "left out: the number has more than 63 bits", Effect::Wider);
            return;
        }
        if self.is_read && keyword == "format" && value.as_str().is_some_and(|format| ENFORCED.contains(&format)) {
            self.note(keyword, value, "enforced: texts in another form are refused", Effect::Narrower);
        }
        let is_default = keyword == "uniqueItems" && *value == json!(false);
        if !is_default {
            out.insert(keyword.to_owned(), value.clone());
        }
    }

    fn unions(&mut self, map: &Map<String, Value>, out: &mut Table) {
        for keyword in ["anyOf", "oneOf", "allOf"] {
            let Some(Value::Array(schemas)) = map.get(keyword) else { continue };
            let before = self.widened;
            let mut converted = Vec::new();
            for (index, schema) in schemas.iter().enumerate() {
                match self.at(&[keyword, &index.to_string()], |this| this.any(schema)) {
                    Some(table) => converted.push(Value::Object(table)),
                    None if keyword == "allOf" => {
                        self.note(keyword, schema, "left out: no value matches it", Effect::Wider);
                    }
                    None => {}
                }
            }
            if converted.is_empty() {
                continue;
            }
            let mut target = keyword;
            if keyword == "oneOf" && self.widened > before {
                let done = "written as `anyOf`: a value could match two alternatives that are wider now";
                self.note(keyword, &json!(schemas.len()), done, Effect::Wider);
                target = "anyOf";
            }
            if out.contains_key(target) {
                let both = json!([{ target: out.shift_remove(target) }, { target: converted }]);
                add_to_all(out, both);
            } else if target == "allOf" {
                add_to_all(out, Value::Array(converted));
            } else {
                out.insert(target.to_owned(), Value::Array(converted));
            }
        }
    }

    /// Leaves out the keywords that manifests do not have.
    fn leave_out(&mut self, map: &Map<String, Value>, out: &mut Table) {
        let mut lost = Map::new();
        for keyword in INEXPRESSIBLE {
            if let Some(value) = map.get(keyword) {
                lost.insert(keyword.to_owned(), value.clone());
            }
        }
        if map.contains_key("then") || map.contains_key("else") {
            for keyword in ["if", "then", "else"] {
                lost.extend(map.get(keyword).map(|value| (keyword.to_owned(), value.clone())));
            }
        }
        for (keyword, value) in &lost {
            self.note(keyword, value, "left out, and stated in the description", Effect::Wider);
        }
        if !lost.is_empty() {
            values::state(out, &lost);
        }
        for (keyword, value) in map {
            let is_known = READ.contains(&keyword.as_str())
                || COPIED.contains(&keyword.as_str())
                || lost.contains_key(keyword)
                || ["if", "then", "else", "unevaluatedItems"].contains(&keyword.as_str());
            if is_known {
                continue;
            }
            let is_default = ANNOTATIONS.contains(&keyword.as_str()) && *value == json!(false);
            if !is_default {
                self.note(keyword, value, "left out: manifests do not have this keyword", Effect::Same);
            }
        }
        if let Some(further) = map.get("unevaluatedItems").filter(|further| **further != json!(true)) {
            self.note("unevaluatedItems", further, "left out: further items are not checked", Effect::Wider);
        }
    }
}

/// Adds schemas to `allOf`.
fn add_to_all(out: &mut Table, schemas: Value) {
    let all = out.entry("allOf").or_insert_with(|| Value::Array(Vec::new()));
    if let (Value::Array(all), Value::Array(schemas)) = (all, schemas) {
        all.extend(schemas);
    }
}

/// Makes the root a definition, if a `$ref` leads to it.
fn refer_to_root(root: &mut Value, name: &str) {
    fn rename(value: &mut Value, new: &str) -> bool {
        match value {
            Value::Object(map) => {
                let mut found = false;
                if let Some(Value::String(target)) = map.get_mut("$ref")
                    && ["#", "#/"].contains(&target.as_str())
                {
                    new.clone_into(target);
                    found = true;
                }
                map.values_mut().fold(found, |found, value| rename(value, new) | found)
            }
            Value::Array(items) => items.iter_mut().fold(false, |found, value| rename(value, new) | found),
            _ => false,
        }
    }
    let is_taken = |name: &str| root["$defs"].get(name).is_some();
    let name = std::iter::once(name.to_owned()).chain((2_usize..).map(|number| format!("{name}_{number}")));
    let Some(name) = name.into_iter().find(|name| !is_taken(name)) else { return };
    if rename(root, &format!("#/$defs/{name}")) {
        let mut copy = root.clone();
        if let Some(map) = copy.as_object_mut() {
            map.shift_remove("$defs");
        }
        if let Some(map) = root.as_object_mut()
            && let Some(definitions) = map.entry("$defs").or_insert_with(|| json!({})).as_object_mut()
        {
            definitions.insert(name, copy);
        }
    }
}

/// Returns the name of a definition with the letters that manifests accept.
fn definition_name(name: &str) -> String {
    let is_letter = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-' | '.');
    if !name.is_empty() && name.chars().all(is_letter) {
        return name.to_owned();
    }
    let plain: String = name.chars().map(|letter| if is_letter(letter) { letter } else { '_' }).collect();
    // Two names can have the same letters in common.
    let digest = name
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    format!("{plain}_{:08x}", digest & 0xffff_ffff)
}

/// Returns a `$ref` to a definition under its name in the manifest.
fn current_reference(target: &str) -> String {
    let Some(name) = target.strip_prefix("#/$defs/") else { return target.to_owned() };
    let plain = percent_decoded(name).replace("~1", "/").replace("~0", "~");
    format!("#/$defs/{}", definition_name(&plain))
}

/// Returns a text without the escapes of a URI. A `%` that begins none stays.
pub fn percent_decoded(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        let code = after.get(..2).and_then(|code| u8::from_str_radix(std::str::from_utf8(code).ok()?, 16).ok());
        let code = code.filter(|_| byte == b'%');
        bytes.push(code.unwrap_or(byte));
        rest = if code.is_some() { &after[2..] } else { after };
    }
    String::from_utf8(bytes).unwrap_or_else(|_| text.to_owned())
}

/// Returns whether a keyword is a text for people or models.
fn is_text(keyword: &str) -> bool {
    ["title", "description", "$defs", "examples", "type"].contains(&keyword)
}

/// Returns how messages name the type of a JSON value.
pub fn noun(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}
