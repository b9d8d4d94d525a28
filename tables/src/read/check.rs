//! Checks tables: their keys, missing keys, and the types of values.

use std::borrow::Cow;
use std::fmt::Arguments;

use toml::Spanned;
use toml::de::DeValue;
use toolc::suggest::{did_you_mean, misspelt, nearest};

use super::duration::duration;
use super::json::{json, written_as_json};
use super::{Document, Reader, Refused, Unknown, as_fact};
use crate::diagnostic::{Diagnostic, Edit, Place, ticked};
use crate::key::{JSON_TYPES, UNLIMITED};
use crate::{Key, KeyType, Language, UnknownKey, codes};

impl<'t, L: Language> Reader<'t, L> {
    /// Checks all keys and values of the table, and returns the unknown keys and those whose values were refused.
    pub(super) fn check(&self, what: Arguments<'_>) -> (Vec<Unknown<'t>>, Refused) {
        let known = || self.keys.iter().copied().flatten();
        let (mut unknown, mut refused) = (Vec::new(), Refused::default());
        for (name, value) in self.table {
            if let Some(key) = known().find(|key| key.name == name.get_ref()) {
                self.is_refused.set(false);
                self.check_value(key, name.get_ref(), value);
                if self.is_refused.get() {
                    refused.keys.push(key.name);
                }
                continue;
            }
            let intended = self.unknown_key(name, value, &refused.keys, what);
            refused.keys.extend(intended);
            refused.missing |= intended.is_none();
            unknown.push((intended, value));
        }
        // A misspelt key is not also reported as missing.
        let is_intended = |key: &Key| unknown.iter().any(|(intended, _)| *intended == Some(key.name));
        for key in known().filter(|key| key.required && self.value(key.name).is_none()) {
            if !is_intended(key) {
                self.sink.push(
                    Diagnostic::new(codes::MISSING_KEY, self.place, format!("missing key `{}`", key.name))
                        .label(format!("{what} needs `{}`", key.name))
                        .help(format!("add `{} = {}`, {}", key.name, key.key_type.sample(), key.phrase())),
                );
            }
        }
        (unknown, refused)
    }

    /// Reports an unknown key, and returns the key that was probably meant. `taken` are keys that earlier entries have, or were
    /// meant to have.
    fn unknown_key(
        &self,
        name: &Spanned<Cow<'_, str>>,
        value: &Spanned<DeValue<'_>>,
        taken: &[&str],
        what: Arguments<'_>,
    ) -> Option<&'static str> {
        let key_name = &**name.get_ref();
        let key = UnknownKey { name: key_name, keys: self.keys, is_root: self.depth == 0 };
        let (names, hints) = (key.names(), self.language.hints(&key));
        let synonym = hints.synonym.filter(|_| hints.instead.is_none());
        let near = if hints.instead.is_none() { similar(key_name, &names) } else { Vec::new() };
        let code = if self.is_schema() && !near.is_empty() { codes::MISSPELT_KEYWORD } else { codes::UNKNOWN_KEY };
        let found = Diagnostic::new(code, self.at(name), format!("unknown key `{key_name}`"))
            .label(format!("{what} has no such key"));
        // A synonym may mean something else: the unit of `timeout_ms` is another one.
        let certain = match synonym {
            Some(synonym) => Some(synonym).filter(|synonym| letters(key_name) == letters(synonym)),
            None if near.is_empty() => None,
            None => misspelt(key_name, names.iter().copied()),
        };
        let found = match certain {
            Some(key) if self.value(key).is_none() && !taken.contains(&key) => {
                found.fix(Edit::Replace(self.at(name), toml_key(key)))
            }
            _ => found,
        };
        let belongs = self.belongs(key_name).or(hints.belongs);
        self.sink.push(match (hints.instead, synonym) {
            (Some(instead), _) => found.help(instead),
            (None, Some(key)) => match belongs {
                Some(belongs) => found.help(format!("write `{key}`")).help(belongs),
                None => found.help(format!("write `{key}`")),
            },
            (None, None) if near.is_empty() => match belongs.or(hints.elsewhere) {
                Some(help) => found.help(help),
                None => found.help_nearest(key_name, names, "the keys are"),
            },
            (None, None) => {
                let meant = certain.map_or(near.clone(), |key| vec![key]);
                found.help_if(did_you_mean(&meant)).help_if(belongs.or(hints.elsewhere))
            }
        });
        self.refuse(value, code);
        synonym.or(near.first().copied())
    }

    /// Returns a help for a key of another table: at the root, or in a table of the root.
    fn belongs(&self, name: &str) -> Option<String> {
        if self.depth > 0 {
            return self.belongs_above(name).or_else(|| self.belongs_in_the_only(name));
        }
        let root = || self.keys.iter().copied().flatten();
        let has = |keys: &[Key]| keys.iter().any(|key| key.name == name);
        let tables: Vec<String> = root()
            .filter_map(|key| match key.key_type {
                KeyType::Table(keys) if has(keys) => Some(format!("`[{}]`", key.name)),
                KeyType::Tables(keys) if has(keys) => Some(format!("`[{}.NAME]`", key.name)),
                KeyType::List(keys) if has(keys) => Some(format!("`[[{}]]`", key.name)),
                _ => None,
            })
            .collect();
        (!tables.is_empty()).then(|| format!("it belongs in {}", tables.join(" or ")))
    }

    /// Returns a help for a key that exactly one table of the document has.
    fn belongs_in_the_only(&self, name: &str) -> Option<String> {
        L::PLAIN?;
        let mut tables = Vec::new();
        let mut open: Vec<(String, &[Key])> = Vec::new();
        let inner = |path: &str, keys: &'static [Key]| {
            keys.iter()
                .filter_map(move |key| match key.key_type {
                    KeyType::Table(keys) => Some((format!("{path}{}", key.name), keys)),
                    _ => None,
                })
                .collect::<Vec<_>>()
        };
        open.extend(self.document.form.keys.iter().flat_map(|keys| inner("", keys)));
        while let Some((path, keys)) = open.pop() {
            open.extend(inner(&format!("{path}."), keys));
            if keys.iter().any(|key| key.name == name) {
                tables.push(path);
            }
        }
        match &tables[..] {
            [only] => Some(format!("it belongs in `[{only}]`")),
            _ => None,
        }
    }

    /// Returns a help for a key of the root that follows the header of a table.
    pub(super) fn belongs_above(&self, name: &str) -> Option<String> {
        let Document { form, table } = self.document;
        let is_of_root = form.keys.iter().copied().flatten().any(|key| key.name == name);
        (is_of_root && !table.contains_key(name))
            .then(|| format!("`{name}` is a key of {}: write it above the first `[...]`", form.noun))
    }

    fn check_value(&self, key: &Key, name: &str, value: &Spanned<DeValue<'_>>) {
        match (key.key_type, value.get_ref()) {
            (_, DeValue::Array(_)) if self.check_array(key, name, value) => {}
            (_, DeValue::Table(_)) if self.check_table(key, name, value) => {}
            (KeyType::Word(words), DeValue::String(_)) => self.check_word(name, value, words),
            (KeyType::Types, DeValue::String(_)) => self.check_type(value),
            (KeyType::Duration, DeValue::String(text)) => {
                if let Err((why, help)) = duration(text) {
                    let message = format!("invalid duration for `{name}`: `{text}` {why}");
                    let found = Diagnostic::new(codes::INVALID_VALUE, self.at(value), message);
                    let found = found.label("expected a number and its unit, such as `500ms`, `90s` or `5m`");
                    self.report(value, found.help_if(help));
                }
            }
            (KeyType::Count | KeyType::CountOrUnlimited, DeValue::Integer(_)) => {
                if self.count(name).is_none() {
                    let or_word =
                        if matches!(key.key_type, KeyType::CountOrUnlimited) { ", or `unlimited`" } else { "" };
                    self.invalid(value, name, &format!("an integer of at least 1, and less than 2^32{or_word}"));
                }
            }
            (KeyType::WholeNumber, DeValue::Integer(_)) => {
                if self.whole_number(name).is_none() {
                    self.invalid(value, name, "an integer of at least 0, and less than 2^32");
                }
            }
            (KeyType::CountOrUnlimited, DeValue::String(text)) => {
                if text != UNLIMITED {
                    self.invalid(value, name, KeyType::CountOrUnlimited.expected());
                }
            }
            (KeyType::FactValue, DeValue::Integer(_)) => {
                if !json(value).is_ok_and(|json| as_fact(json).is_some()) {
                    self.invalid(value, name, "an integer within ±2^53, which every language can hold");
                }
            }
            (KeyType::Amount, DeValue::Float(_) | DeValue::Integer(_)) => {
                if self.amount(name).is_none() {
                    self.invalid(value, name, KeyType::Amount.expected());
                }
            }
            (KeyType::Number, DeValue::Float(_) | DeValue::Integer(_))
            | (KeyType::Integer, DeValue::Integer(_))
            | (KeyType::Json, _) => self.check_json(name, value),
            (KeyType::Text, DeValue::String(text)) if L::PLAIN.is_some() => self.check_plain(name, value, text),
            (KeyType::Text, DeValue::String(text)) if text.trim().is_empty() && L::NOT_EMPTY.contains(&name) => {
                self.empty(key, value, "expected some text");
            }
            (
                KeyType::Text | KeyType::Template | KeyType::Condition | KeyType::Reference | KeyType::FactValue,
                DeValue::String(_),
            )
            | (KeyType::Flag | KeyType::FactValue | KeyType::FlagOrSchema, DeValue::Boolean(_)) => {}
            (key_type, _) => self.wrong_type(key, name, value, (key_type.expected(), key_type), false),
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
                    self.wrong_type(key, name, item, (expected, key.key_type), true);
                }
            }
        };
        if L::NOT_EMPTY.contains(&name) {
            let is_empty =
                |item: &&Spanned<DeValue<'_>>| item.get_ref().as_str().is_some_and(|text| text.trim().is_empty());
            for item in self.items(name).filter(is_empty) {
                let found =
                    Diagnostic::new(codes::INVALID_VALUE, self.at(item), format!("an entry of `{name}` is empty"));
                self.report(item, found.help("write a name, or remove the entry"));
            }
        }
        match key.key_type {
            KeyType::Types => each(is_text, "a type's name", &|item| self.check_type(item)),
            KeyType::Texts | KeyType::Names if L::PLAIN.is_some() => each(is_text, "a string", &|item| {
                // An empty argument of a program has a meaning.
                let text = item.get_ref().as_str().unwrap_or_default();
                if !text.is_empty() {
                    self.check_plain(name, item, text);
                }
            }),
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
            self.empty(key, value, "expected at least one entry");
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
                    self.wrong_type(key, name, value, (key_type.expected(), key_type), false);
                }
            }
        };
        match key.key_type {
            KeyType::Table(keys) if L::NOT_EMPTY.contains(&name) && table().next().is_none() => {
                let names: Vec<&str> = keys.iter().map(|key| key.name).collect();
                let found = Diagnostic::new(codes::INVALID_VALUE, self.at(value), format!("`{name}` is empty"));
                let found =
                    found.label("expected at least one key").help(format!("the keys are: {}", ticked(&names, ", ")));
                self.report(value, found.help("without any, remove it"));
            }
            KeyType::Schema | KeyType::Table(_) | KeyType::FlagOrSchema => {}
            KeyType::Properties => each(is_table, KeyType::Schema, &|_, _| {}),
            KeyType::Tables(keys) => each(is_table, KeyType::Table(keys), &|_, _| {}),
            KeyType::WordsByName(words) => {
                each(is_text, KeyType::Word(words), &|name, value| self.check_word(name, value, words));
            }
            KeyType::TextsByName => each(is_text, KeyType::Text, &|_, _| {}),
            KeyType::FactValues => {
                let is_fact = |value: &DeValue<'_>| value.is_str() || value.is_bool() || value.is_integer();
                each(is_fact, KeyType::FactValue, &|name, value| {
                    if !json(value).is_ok_and(|json| as_fact(json).is_some()) {
                        self.invalid(value, name, "an integer within ±2^53, which every language can hold");
                    }
                });
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

    fn empty(&self, key: &Key, value: &Spanned<DeValue<'_>>, expected: &str) {
        let found = Diagnostic::new(codes::INVALID_VALUE, self.at(value), format!("`{}` is empty", key.name));
        let what = if expected.contains("entry") { "an entry" } else { "some text" };
        self.report(value, found.label(expected).help(format!("remove the key, or add {what}: {}", key.meaning())));
    }

    /// Checks a text of a language whose texts are plain.
    fn check_plain(&self, name: &str, value: &Spanned<DeValue<'_>>, text: &str) {
        let Some(exceptions) = L::PLAIN else { return };
        let has_lines = exceptions.may_have_lines.contains(&name);
        let control = text.chars().find(|c| c.is_control() && !(has_lines && matches!(c, '\n' | '\r' | '\t')));
        let found = |message: String| Diagnostic::new(codes::INVALID_VALUE, self.at(value), message);
        if let Some(control) = control {
            let found = found(format!("`{name}` has a control character"));
            let found = found.label(format!("expected text without U+{:04X}", u32::from(control)));
            self.report(value, found.help("remove the character"));
        } else if text.trim().is_empty() && !exceptions.may_be_empty.contains(&name) {
            let found = found(format!("`{name}` is empty")).label("expected a text");
            self.report(value, found.help("for the default, leave it out"));
        }
    }

    fn invalid(&self, value: &Spanned<DeValue<'_>>, name: &str, expected: &str) {
        let message = format!("invalid value for `{name}`");
        let found =
            Diagnostic::new(codes::INVALID_VALUE, self.at(value), message).label(format!("expected {expected}"));
        let key = self.keys.iter().copied().flatten().find(|key| key.name == name).filter(|_| L::PLAIN.is_some());
        self.report(value, found.help_if(key.map(Key::meaning)));
    }

    /// Reports a value that was refused.
    pub fn report(&self, value: &Spanned<DeValue<'_>>, found: Diagnostic) {
        self.is_refused.set(true);
        let code = found.code;
        self.sink.push(found);
        self.refuse(value, code);
    }

    fn check_word(&self, key: &str, value: &Spanned<DeValue<'_>>, words: &[(&'static str, &str)]) {
        let word = value.get_ref().as_str().unwrap_or_default();
        let words: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
        if !words.contains(&word) {
            if let Some(found) = self.language.unknown_word(key, word, self.at(value)) {
                self.report(value, found);
                return;
            }
            let found = Diagnostic::new(codes::UNKNOWN_WORD, self.at(value), format!("`{key}` cannot be `{word}`"));
            self.report(value, self.corrected(found, value, word, &words, "it can be"));
        }
    }

    /// Adds a help about an unknown word, and the fix if it is a misspelling.
    fn corrected(
        &self,
        found: Diagnostic,
        value: &Spanned<DeValue<'_>>,
        word: &str,
        words: &[&'static str],
        title: &str,
    ) -> Diagnostic {
        match misspelt(word, words.iter().copied()) {
            Some(right) => {
                let found = found.fix(Edit::Replace(self.at(value), format!("\"{right}\"")));
                found.help_nearest(word, [right], title)
            }
            None => found.help_nearest(word, words.iter().copied(), title),
        }
    }

    fn check_type(&self, value: &Spanned<DeValue<'_>>) {
        let word = value.get_ref().as_str().unwrap_or_default();
        if !JSON_TYPES.contains(&word) {
            let (alias, _) = TYPE_ALIASES.iter().find(|(_, aliases)| aliases.contains(&word)).unwrap_or(&("", &[]));
            let found = Diagnostic::new(codes::UNKNOWN_TYPE, self.at(value), format!("unknown JSON type `{word}`"));
            self.report(
                value,
                match *alias {
                    "" => self.corrected(found, value, word, &JSON_TYPES, "the types are"),
                    alias => found
                        .help(format!("in JSON Schema, the type is `{alias}`"))
                        .fix(Edit::Replace(self.at(value), format!("\"{alias}\""))),
                },
            );
        }
    }

    fn check_json(&self, key: &str, value: &Spanned<DeValue<'_>>) {
        if let Err((span, why)) = json(value) {
            let place = Place::new(self.source, span);
            self.report(
                value,
                Diagnostic::new(codes::WRONG_TYPE, place, format!("invalid value for `{key}`")).label(why),
            );
        }
    }
}

/// Returns the keys that an unknown one may be a misspelling of, and those that are one of its words: `tools` in `all_tools`.
fn similar(unknown: &str, keys: &[&'static str]) -> Vec<&'static str> {
    let mut similar = nearest(unknown, keys.iter().copied());
    let is_word = |key: &str| unknown.split(['_', '-']).any(|word| word == key);
    let words: Vec<&str> = keys.iter().copied().filter(|key| is_word(key) && !similar.contains(key)).collect();
    similar.extend(words);
    similar
}

/// Returns a key as TOML writes it.
fn toml_key(key: &str) -> String {
    let is_bare = key.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte));
    if is_bare { key.to_owned() } else { format!("\"{key}\"") }
}

/// Returns the letters of a name, in lower case.
fn letters(name: &str) -> String {
    name.chars().filter(|letter| letter.is_alphabetic()).flat_map(char::to_lowercase).collect()
}

fn is_text(value: &DeValue<'_>) -> bool {
    value.is_str()
}

fn is_table(value: &DeValue<'_>) -> bool {
    value.is_table()
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
