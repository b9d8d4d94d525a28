//! Checks tables: their keys, missing keys, and the types of values.

use std::fmt::Arguments;
use std::time::Duration;

use toml::Spanned;
use toml::de::DeValue;
use toolc::__gen::table::Type;
use toolc::FactValue;

use super::json::{json, written_as_json};
use super::{Reader, Unknown};
use crate::diagnostic::{Code, Diagnostic, Place, ticked};
use crate::manifest::keys::kinds::UNLIMITED;
use crate::manifest::keys::{FOREIGN, FOREIGN_TO_TOOLS, Key, KeyType, PROPERTY, RENAMED_IN_PLUGINS, SCHEMA};
use crate::source::Kind;

impl<'t> Reader<'t> {
    /// Checks all keys and values of the table, and returns the unknown keys.
    pub(super) fn check(&self, what: Arguments<'_>) -> Vec<Unknown<'t>> {
        let known = || self.keys.iter().copied().flatten();
        let mut unknown = Vec::new();
        for (name, value) in self.table {
            let key_name = &**name.get_ref();
            if let Some(key) = known().find(|key| key.name == key_name) {
                self.check_value(key, key_name, value);
                continue;
            }
            let names = || known().map(|key| key.name);
            let is_schema = names().any(|known| known == "anyOf");
            let foreign = self.foreign(key_name, is_schema);
            let nearest_keys = if foreign.is_none() { toolc::__gen::nearest(key_name, names()) } else { Vec::new() };
            let code = if is_schema && !nearest_keys.is_empty() { Code::MISSPELT_KEYWORD } else { Code::UNKNOWN_KEY };
            let found = Diagnostic::new(code, self.at(name), format!("unknown key `{key_name}`"))
                .label(format!("{what} has no such key"));
            self.sink.push(match (foreign, self.belongs(key_name)) {
                (Some(instead), _) => found.help(instead),
                (None, Some(belongs)) if nearest_keys.is_empty() => found.help(belongs),
                (None, belongs) => {
                    let found = found.help_nearest(key_name, names(), "the keys are");
                    belongs.into_iter().fold(found, Diagnostic::help)
                }
            });
            unknown.push((nearest_keys.first().copied(), value));
        }
        // A misspelt key is not also reported as missing.
        let is_intended = |key: &Key| unknown.iter().any(|(intended, _)| *intended == Some(key.name));
        for key in known().filter(|key| key.required && self.value(key.name).is_none()) {
            if !is_intended(key) {
                self.sink.push(
                    Diagnostic::new(Code::MISSING_KEY, self.place, format!("missing key `{}`", key.name))
                        .label(format!("{what} needs `{}`", key.name))
                        .help(format!("add `{} = {}`, {}", key.name, key.key_type.sample(), key.phrase())),
                );
            }
        }
        unknown
    }

    /// Returns what to write instead of a key of another format.
    fn foreign(&self, name: &str, is_schema: bool) -> Option<&'static str> {
        let is_tool = self.document.0 == Kind::Tool && self.depth == 0;
        let of_tools = FOREIGN_TO_TOOLS.iter().filter(|_| is_tool);
        let is_plugin = self.document.0 == Kind::Plugin && self.depth == 0;
        let of_plugins = RENAMED_IN_PLUGINS.iter().filter(|_| is_plugin);
        let mut foreign = of_tools.chain(of_plugins).chain(FOREIGN.iter().filter(|_| is_tool || is_schema));
        foreign.find(|(word, _)| *word == name).map(|(_, instead)| *instead)
    }

    /// Returns a help for a key of another table: at the root, or in a table of the root.
    fn belongs(&self, name: &str) -> Option<String> {
        if self.depth > 0 {
            return self.belongs_above(name);
        }
        let root = || self.keys.iter().copied().flatten();
        let has = |keys: &[Key]| keys.iter().any(|key| key.name == name);
        let mut tables: Vec<String> = root()
            .filter_map(|key| match key.key_type {
                KeyType::Table(keys) if has(keys) => Some(format!("`[{}]`", key.name)),
                KeyType::Tables(keys) if has(keys) => Some(format!("`[{}.NAME]`", key.name)),
                KeyType::List(keys) if has(keys) => Some(format!("`[[{}]]`", key.name)),
                _ => None,
            })
            .collect();
        if tables.is_empty() && (has(SCHEMA) || has(PROPERTY)) {
            let properties = root().filter(|key| matches!(key.key_type, KeyType::Properties));
            tables.extend(properties.map(|key| format!("`[{}.NAME]`", key.name)));
        }
        (!tables.is_empty()).then(|| format!("it belongs in {}", tables.join(" or ")))
    }

    /// Returns a help for a key of the root that follows the header of a table.
    fn belongs_above(&self, name: &str) -> Option<String> {
        let (kind, document) = self.document;
        let is_of_root = kind.keys().iter().copied().flatten().any(|key| key.name == name);
        (is_of_root && !document.contains_key(name))
            .then(|| format!("`{name}` is a key of {}: write it above the first `[...]`", kind.document()))
    }

    fn check_value(&self, key: &Key, name: &str, value: &Spanned<DeValue<'_>>) {
        match (key.key_type, value.get_ref()) {
            (_, DeValue::Array(_)) if self.check_array(key, name, value) => {}
            (_, DeValue::Table(_)) if self.check_table(key, name, value) => {}
            (KeyType::Word(words), DeValue::String(_)) => self.check_word(name, value, words),
            (KeyType::Types, DeValue::String(_)) => self.check_type(value),
            (KeyType::Duration, DeValue::String(text)) => {
                if duration(text).is_none() {
                    self.invalid(value, name, "a number and its unit, such as `500ms`, `90s`, `5m`; at most one day");
                }
            }
            (KeyType::Count | KeyType::CountOrUnlimited, DeValue::Integer(_)) => {
                if self.count(name).is_none() {
                    let or_word =
                        if matches!(key.key_type, KeyType::CountOrUnlimited) { ", or `unlimited`" } else { "" };
                    self.invalid(value, name, &format!("an integer of at least 1, and less than 2^32{or_word}"));
                }
            }
            (KeyType::CountOrUnlimited, DeValue::String(text)) => {
                if text != UNLIMITED {
                    self.invalid(value, name, KeyType::CountOrUnlimited.expected());
                }
            }
            (KeyType::FactValue, DeValue::Integer(_)) => {
                if !json(value).is_ok_and(|json| json.as_i64().is_some_and(|i| FactValue::INTEGERS.contains(&i))) {
                    self.invalid(value, name, "an integer within ±2^53, which every language can hold");
                }
            }
            (KeyType::Number, DeValue::Float(_) | DeValue::Integer(_))
            | (KeyType::Integer, DeValue::Integer(_))
            | (KeyType::Json, _) => self.check_json(name, value),
            (
                KeyType::Text | KeyType::Template | KeyType::Condition | KeyType::Reference | KeyType::FactValue,
                DeValue::String(_),
            )
            | (KeyType::Flag | KeyType::FactValue | KeyType::FlagOrSchema, DeValue::Boolean(_)) => {}
            (key_type, _) => self.wrong_type(key, name, value, (key_type.expected(), key_type)),
        }
    }

    /// Checks the items of an array. Returns false if the key does not accept arrays.
    fn check_array(&self, key: &Key, name: &str, value: &Spanned<DeValue<'_>>) -> bool {
        let is_some = self.items(name).next().is_some();
        let each = |fits: fn(&DeValue<'_>) -> bool, expected: &str, check: &dyn Fn(&Spanned<DeValue<'_>>)| {
            for item in self.items(name) {
                if fits(item.get_ref()) {
                    check(item);
                } else {
                    self.wrong_type(key, name, item, (expected, key.key_type));
                }
            }
        };
        match key.key_type {
            KeyType::Types => each(is_text, "a type's name", &|item| self.check_type(item)),
            KeyType::Texts | KeyType::Names => each(is_text, "a string", &|_| {}),
            KeyType::Words(words) => each(is_text, "a string", &|item| self.check_word(name, item, words)),
            KeyType::Schemas | KeyType::List(_) => each(is_table, "a table", &|_| {}),
            KeyType::Jsons => self.items(name).for_each(|item| self.check_json(name, item)),
            KeyType::Choices => {
                let plain = |item: &&Spanned<DeValue<'_>>| {
                    item.get_ref().as_table().is_none_or(|table| written_as_json(table).is_some())
                };
                self.items(name).filter(plain).for_each(|item| self.check_json(name, item));
            }
            _ => return false,
        }
        if !is_some && !matches!(key.key_type, KeyType::Types | KeyType::Texts) {
            let found = Diagnostic::new(Code::INVALID_VALUE, self.at(value), format!("`{name}` is empty"));
            let found = found.label("expected at least one entry");
            self.sink.push(found.help(format!("remove the key, or add an entry: {}", key.meaning())));
        }
        true
    }

    /// Checks the values of a table with any names as keys. Returns false if the key does not accept such tables.
    fn check_table(&self, key: &Key, name: &str, value: &Spanned<DeValue<'_>>) -> bool {
        let table = || value.get_ref().as_table().into_iter().flatten();
        let each = |fits: fn(&DeValue<'_>) -> bool, key_type: KeyType, check: &dyn Fn(&str, &Spanned<DeValue<'_>>)| {
            for (name, value) in table() {
                let name = name.get_ref();
                if fits(value.get_ref()) {
                    check(name, value);
                } else {
                    self.wrong_type(key, name, value, (key_type.expected(), key_type));
                }
            }
        };
        match key.key_type {
            KeyType::Schema | KeyType::Table(_) | KeyType::FlagOrSchema => {}
            KeyType::Properties => each(is_table, KeyType::Schema, &|_, _| {}),
            KeyType::Tables(keys) => each(is_table, KeyType::Table(keys), &|_, _| {}),
            KeyType::WordsByName(words) => {
                each(is_text, KeyType::Word(words), &|name, value| self.check_word(name, value, words));
            }
            KeyType::Percents => {
                let is_number = |value: &DeValue<'_>| value.is_integer() || value.is_float();
                each(is_number, KeyType::Number, &|name, value| {
                    let percent = json(value).ok().and_then(|number| number.as_f64());
                    if !percent.is_some_and(|percent| percent > 0.0 && percent <= 100.0) {
                        self.invalid(value, name, "a number above 0 and up to 100");
                    }
                });
                if table().next().is_none() {
                    self.invalid(value, name, "at least one entry");
                }
            }
            _ => return false,
        }
        true
    }

    fn invalid(&self, value: &Spanned<DeValue<'_>>, name: &str, expected: &str) {
        let message = format!("invalid value for `{name}`");
        let found = Diagnostic::new(Code::INVALID_VALUE, self.at(value), message);
        self.sink.push(found.label(format!("expected {expected}")));
    }

    fn check_word(&self, key: &str, value: &Spanned<DeValue<'_>>, words: &[(&'static str, &str)]) {
        let word = value.get_ref().as_str().unwrap_or_default();
        let words: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
        if !words.contains(&word) {
            // Only the schema of the arguments has a key `type` with fixed words.
            if key == "type" {
                let found = Diagnostic::new(Code::ROOT_NOT_OBJECT, self.at(value), "a tool's arguments are an object");
                let found = found.label(format!("expected `object`, found `{word}`"));
                self.sink.push(found.help("remove this key, and declare the value as a parameter: `[params.NAME]`"));
                return;
            }
            self.sink.push(
                Diagnostic::new(Code::UNKNOWN_WORD, self.at(value), format!("`{key}` cannot be `{word}`"))
                    .help_nearest(word, words, "it can be"),
            );
        }
    }

    fn check_type(&self, value: &Spanned<DeValue<'_>>) {
        let word = value.get_ref().as_str().unwrap_or_default();
        if Type::from_name(word).is_none() {
            let (alias, _) = TYPE_ALIASES.iter().find(|(_, aliases)| aliases.contains(&word)).unwrap_or(&("", &[]));
            let found = Diagnostic::new(Code::UNKNOWN_TYPE, self.at(value), format!("unknown JSON type `{word}`"));
            self.sink.push(match *alias {
                "" => found.help_nearest(word, Type::ALL.map(Type::name), "the types are"),
                alias => found.help(format!("in JSON Schema, the type is `{alias}`")),
            });
        }
    }

    fn check_json(&self, key: &str, value: &Spanned<DeValue<'_>>) {
        if let Err((span, why)) = json(value) {
            let place = Place::new(self.source, span);
            self.sink.push(Diagnostic::new(Code::WRONG_TYPE, place, format!("invalid value for `{key}`")).label(why));
        }
    }

    /// Reports a value of the wrong type. `expected` describes the accepted values; the help shows a sample of `key_type`.
    fn wrong_type(&self, key: &Key, name: &str, value: &Spanned<DeValue<'_>>, (expected, key_type): (&str, KeyType)) {
        let got = value.get_ref().type_str();
        let found = Diagnostic::new(Code::WRONG_TYPE, self.at(value), format!("`{name}` cannot be of type {got}"))
            .label(format!("expected {expected}"));
        if name == "required" && value.get_ref().is_array() {
            self.sink.push(found.help("write `required = true` in each required property instead"));
            return;
        }
        let found = found.help(key.meaning());
        // An entry of a table with arbitrary names may be a key that belongs above the table.
        if name != key.name
            && let Some(belongs) = self.belongs_above(name)
        {
            self.sink.push(found.help(belongs));
            return;
        }
        let sample = key_type.sample();
        self.sink.push(match key_type {
            KeyType::Word(words) => {
                let words: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
                found.help(format!("it can be: {}", ticked(&words, ", ")))
            }
            KeyType::Table(keys) if (2..=MAX_SHOWN_KEYS).contains(&keys.len()) => {
                let names: Vec<&str> = keys.iter().map(|key| key.name).collect();
                found.help(format!("write `{name} = {sample}`; the keys are: {}", ticked(&names, ", ")))
            }
            _ if sample.starts_with(['[', '{']) => found.help(format!("write `{name} = {sample}`")),
            _ => found,
        });
    }
}

/// The maximum number of keys in a message.
const MAX_SHOWN_KEYS: usize = 8;

fn is_text(value: &DeValue<'_>) -> bool {
    value.is_str()
}

fn is_table(value: &DeValue<'_>) -> bool {
    value.is_table()
}

/// Parses a duration of at most a day: `500ms`, `90s`, `5m`, `1h`.
pub(super) fn duration(text: &str) -> Option<Duration> {
    const DAY: u64 = 24 * 60 * 60 * 1000;
    let digits = text.find(|letter: char| !letter.is_ascii_digit())?;
    let unit = match &text[digits..] {
        "ms" => 1,
        "s" => 1000,
        "m" => 60 * 1000,
        "h" => 60 * 60 * 1000,
        _ => return None,
    };
    let millis = text[..digits].parse::<u64>().ok()?.checked_mul(unit)?;
    (1..=DAY).contains(&millis).then(|| Duration::from_millis(millis))
}

/// Names of types in other languages, and their names in JSON Schema.
const TYPE_ALIASES: &[(&str, &[&str])] = &[
    ("string", &["str", "text", "String"]),
    ("integer", &["int", "i64", "long"]),
    ("number", &["float", "double", "f64", "decimal"]),
    ("boolean", &["bool"]),
    ("array", &["list", "tuple", "set", "vec"]),
    ("object", &["dict", "map", "table", "struct", "record"]),
    ("null", &["none", "None", "nil", "void"]),
];
