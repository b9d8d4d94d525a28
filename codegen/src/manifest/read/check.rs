//! What a table is held against: the keys that it may have, those that it must have, and what each of them takes.

use std::time::Duration;

use toml::Spanned;
use toml::de::DeValue;
use toolc::table::Type;

use super::Reader;
use super::json::{json, written_as_json};
use crate::diagnostic::{Code, Diagnostic, Place};
use crate::manifest::keys::{FOREIGN, Form, Key};

impl Reader<'_> {
    pub(super) fn check(&self, what: &str) {
        let known = || self.keys.iter().copied().flatten();
        // A misspelt key is not reported as missing, too.
        let mut meant = Vec::new();
        for (name, value) in self.table {
            if let Some(key) = known().find(|key| key.name == &**name.get_ref()) {
                self.check_value(key, name.get_ref(), value);
                continue;
            }
            let names = || known().map(|key| key.name);
            let found = Diagnostic::new(Code::UNKNOWN_KEY, self.at(name), format!("unknown key `{}`", name.get_ref()))
                .label(format!("{what} has no such key"));
            let is_schema = names().any(|known| known == "anyOf");
            let foreign = FOREIGN.iter().find(|(word, _)| is_schema && *word == &**name.get_ref());
            self.sink.push(if let Some((_, instead)) = foreign {
                found.help(*instead)
            } else {
                meant.extend(toolc::nearest(name.get_ref(), names()).into_iter().next());
                found.help_nearest(name.get_ref(), names(), "the keys are")
            });
        }
        for key in known().filter(|key| key.required && !self.table.contains_key(key.name)) {
            if !meant.contains(&key.name) {
                self.sink.push(
                    Diagnostic::new(Code::MISSING_KEY, self.place, format!("missing key `{}`", key.name))
                        .label(format!("{what} needs `{}`", key.name))
                        .help(format!("add `{} = ...`: {}", key.name, key.doc)),
                );
            }
        }
    }

    fn check_value(&self, key: &Key, name: &str, value: &Spanned<DeValue<'_>>) {
        let toml = value.get_ref();
        match key.form {
            Form::Word(words) if toml.is_str() => self.check_word(name, value, words),
            Form::Words(words) if toml.is_array() => {
                self.check_some(key, name, value);
                for item in self.items(name) {
                    if item.get_ref().is_str() {
                        self.check_word(name, item, words);
                    } else {
                        self.wrong_type(key, name, item, "a string");
                    }
                }
            }
            Form::WordsByName(words) if toml.is_table() => {
                for (name, value) in toml.as_table().into_iter().flatten() {
                    if value.get_ref().is_str() {
                        self.check_word(name.get_ref(), value, words);
                    } else {
                        self.wrong_type(key, name.get_ref(), value, "a string");
                    }
                }
            }
            Form::Percents if toml.is_table() => {
                if toml.as_table().is_some_and(|table| table.is_empty()) {
                    self.invalid(value, name, "at least one entry");
                }
                let table = toml.as_table().into_iter().flatten();
                for (name, value) in table {
                    let number = json(value).ok().and_then(|number| number.as_f64());
                    match number.map(|percent| percent > 0.0 && percent <= 100.0) {
                        Some(true) => {}
                        Some(false) => self.invalid(value, name.get_ref(), "a number above 0 and up to 100"),
                        None => self.wrong_type(key, name.get_ref(), value, "a number"),
                    }
                }
            }
            Form::Duration if toml.is_str() => {
                if duration(toml.as_str().unwrap_or_default()).is_none() {
                    self.invalid(value, name, "a number and its unit, such as `500ms`, `90s`, `5m`; a day at most");
                }
            }
            Form::Count if toml.is_integer() => {
                if self.count(name).is_none() {
                    self.invalid(value, name, "an integer of at least 1, and less than 2^32");
                }
            }
            Form::Types if toml.is_str() => self.check_type(value),
            Form::Types if toml.is_array() => {
                for item in self.items(name) {
                    if item.get_ref().is_str() {
                        self.check_type(item);
                    } else {
                        self.wrong_type(key, name, item, "a type's name");
                    }
                }
            }
            Form::Texts | Form::Names if toml.is_array() => {
                if matches!(key.form, Form::Names) {
                    self.check_some(key, name, value);
                }
                for item in self.items(name).filter(|item| !item.get_ref().is_str()) {
                    self.wrong_type(key, name, item, "a string");
                }
            }
            Form::Jsons if toml.is_array() => {
                self.check_some(key, name, value);
                for item in self.items(name) {
                    self.check_json(name, item);
                }
            }
            Form::Choices if toml.is_array() => {
                self.check_some(key, name, value);
                let plain = |item: &&Spanned<DeValue<'_>>| {
                    item.get_ref().as_table().is_none_or(|table| written_as_json(table).is_some())
                };
                for item in self.items(name).filter(plain) {
                    self.check_json(name, item);
                }
            }
            Form::Schemas | Form::List(_) if toml.is_array() => {
                self.check_some(key, name, value);
                for item in self.items(name).filter(|item| !item.get_ref().is_table()) {
                    self.wrong_type(key, name, item, "a table");
                }
            }
            Form::Properties | Form::Tables(_) if toml.is_table() => {
                let table = toml.as_table().into_iter().flatten();
                for (property, value) in table.filter(|(_, value)| !value.get_ref().is_table()) {
                    self.wrong_type(key, property.get_ref(), value, "a table");
                }
            }
            Form::Json => self.check_json(name, value),
            Form::Number if toml.is_float() || toml.is_integer() => self.check_json(name, value),
            Form::Integer if toml.is_integer() => self.check_json(name, value),
            Form::Text | Form::Template | Form::Condition | Form::Reference if toml.is_str() => {}
            Form::FactValue if toml.is_str() || toml.is_bool() => {}
            Form::FactValue if toml.is_integer() => {
                const SAFE: i64 = 1 << 53;
                if !json(value).is_ok_and(|json| json.as_i64().is_some_and(|i| (-SAFE..=SAFE).contains(&i))) {
                    self.wrong_type(key, name, value, "an integer within ±2^53");
                }
            }
            Form::Flag if toml.is_bool() => {}
            Form::Schema | Form::Table(_) if toml.is_table() => {}
            Form::FlagOrSchema if toml.is_bool() || toml.is_table() => {}
            form => self.wrong_type(key, name, value, form.expected()),
        }
    }

    fn check_some(&self, key: &Key, name: &str, value: &Spanned<DeValue<'_>>) {
        if self.items(name).next().is_none() {
            let message = format!("`{name}` is empty");
            let found =
                Diagnostic::new(Code::INVALID_VALUE, self.at(value), message).label("expected at least one entry");
            self.sink.push(found.help(format!("take the key away, or fill it: {}", key.doc)));
        }
    }

    fn invalid(&self, value: &Spanned<DeValue<'_>>, name: &str, expected: &str) {
        let message = format!("`{name}` cannot be this");
        let found = Diagnostic::new(Code::INVALID_VALUE, self.at(value), message);
        self.sink.push(found.label(format!("expected {expected}")));
    }

    fn check_word(&self, key: &str, value: &Spanned<DeValue<'_>>, words: &[(&'static str, &str)]) {
        let word = value.get_ref().as_str().unwrap_or_default();
        let words: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
        if !words.contains(&word) {
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
                alias => found.help(format!("JSON Schema's word for it is `{alias}`")),
            });
        }
    }

    fn check_json(&self, key: &str, value: &Spanned<DeValue<'_>>) {
        if let Err((span, why)) = json(value) {
            let place = Place::new(self.source, span);
            self.sink.push(Diagnostic::new(Code::WRONG_TYPE, place, format!("`{key}` cannot hold this")).label(why));
        }
    }

    fn wrong_type(&self, key: &Key, name: &str, value: &Spanned<DeValue<'_>>, expected: &str) {
        let got = value.get_ref().type_str();
        let found = Diagnostic::new(Code::WRONG_TYPE, self.at(value), format!("`{name}` cannot be of type {got}"))
            .label(format!("expected {expected}"));
        self.sink.push(match (name, value.get_ref()) {
            ("required", DeValue::Array(_)) => found.help("write `required = true` in each required property instead"),
            _ => found.help(format!("`{}`: {}", key.name, key.doc)),
        });
    }
}

/// Reads a length of time: `500ms`, `90s`, `5m`, `1h`, of a day at most.
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

/// What people write for a type that JSON Schema calls otherwise.
const TYPE_ALIASES: &[(&str, &[&str])] = &[
    ("string", &["str", "text", "String"]),
    ("integer", &["int", "i64", "long"]),
    ("number", &["float", "double", "f64", "decimal"]),
    ("boolean", &["bool"]),
    ("array", &["list", "tuple", "set", "vec"]),
    ("object", &["dict", "map", "table", "struct", "record"]),
    ("null", &["none", "None", "nil", "void"]),
];
