//! One reader for every table of every manifest, driven by the tables of keys: it reports what does not fit, and
//! hands out what does.

use std::borrow::Cow;
use std::cell::RefCell;
use std::ops::Range;

use serde_json::Value;
use toml::Spanned;
use toml::de::{DeTable, DeValue};
use toolc::segment::FactValue;
use toolc::table::Type;

use super::keys::{CHOICE, FACT, Form, Key, PROPERTY, SCHEMA};
use super::{FactManifest, offsets, standard};
use crate::diagnostic::{At, Code, Diagnostic, Place, Sink, SourceId};
use crate::schema::{Additional, Bounds, Choice, Property, Schema};
use crate::source::{Kind, Source};
use crate::text::Fault;
use crate::text::condition::{self, Written};
use crate::text::questions::{AtomId, Questions, Template, When};
use crate::text::template::{self, Piece, WrittenFact};

/// Schemas nest at most this deep.
const DEEPEST: usize = 64;

/// A table whose keys have been checked. Getters return what fits; what does not has been reported.
pub(super) struct Reader<'t> {
    source: SourceId,
    text: &'t str,
    table: &'t DeTable<'t>,
    place: Place,
    sink: &'t Sink,
    questions: &'t RefCell<Questions>,
    depth: usize,
}

impl<'t> Reader<'t> {
    /// A whole manifest. What its conditions ask is collected in `questions`.
    pub(super) fn document(
        (id, source): (SourceId, &'t Source),
        kind: Kind,
        document: &'t Spanned<DeTable<'t>>,
        questions: &'t RefCell<Questions>,
        sink: &'t Sink,
    ) -> Self {
        let table = document.get_ref();
        // The whole file would be no place to point at.
        let first = table.keys().map(Spanned::span).min_by_key(|span| span.start).unwrap_or(0..0);
        let place = Place::new(id, first);
        let reader = Self { source: id, text: &source.text, table, place, sink, questions, depth: 0 };
        reader.check(&[kind.keys()], &format!("a {}'s manifest", kind.noun()));
        reader
    }

    /// A table within it. None where it is too deep.
    fn nested(&self, table: &'t DeTable<'t>, place: Place, keys: &[&'static [Key]], what: &str) -> Option<Self> {
        let reader = Self { table, place, depth: self.depth + 1, ..*self };
        if reader.depth > DEEPEST {
            let message = format!("a schema nested more than {DEEPEST} deep");
            self.sink.push(Diagnostic::new(Code::SCHEMA_TOO_LARGE, place, message).help("flatten it"));
            return None;
        }
        reader.check(keys, what);
        Some(reader)
    }

    /// Where this table stands.
    pub(super) fn place(&self) -> Place {
        self.place
    }

    /// A string.
    pub(super) fn text(&self, key: &str) -> Option<At<String>> {
        let value = self.table.get(key)?;
        value.get_ref().as_str().map(|text| At::new(text.to_owned(), self.at(value)))
    }

    /// An array's strings.
    pub(super) fn texts(&self, key: &str) -> Vec<At<String>> {
        self.items(key)
            .filter_map(|item| item.get_ref().as_str().map(|text| At::new(text.to_owned(), self.at(item))))
            .collect()
    }

    /// A text with conditions.
    pub(super) fn template(&self, key: &str) -> Option<At<Template>> {
        let (value, text) = self.string(key)?;
        let place = self.at(value);
        let pieces = match template::parse(text) {
            Ok(pieces) => pieces,
            Err(fault) => {
                self.fault(value, text, fault, Code::TEMPLATE);
                return Some(At::new(vec![Piece::Text(text.to_owned())], place));
            }
        };
        let mut questions = self.questions.borrow_mut();
        let questions = RefCell::new(&mut *questions);
        let mut atom = |asked: Written| self.ask(&mut questions.borrow_mut(), value, text, asked);
        let mut fact = |(name, span): WrittenFact| questions.borrow_mut().fact(name, self.within(value, text, span));
        Some(At::new(pieces.into_iter().map(|piece| piece.map(&mut atom, &mut fact)).collect(), place))
    }

    /// A condition.
    pub(super) fn condition(&self, key: &str) -> Option<At<When>> {
        let (value, text) = self.string(key)?;
        match condition::parse(text) {
            Ok(condition) => {
                let mut questions = self.questions.borrow_mut();
                let condition = condition.map(&mut |asked| self.ask(&mut questions, value, text, asked));
                Some(At::new(condition, self.at(value)))
            }
            Err(fault) => {
                self.fault(value, text, fault, Code::CONDITION);
                None
            }
        }
    }

    fn ask(&self, questions: &mut Questions, value: &Spanned<DeValue<'_>>, text: &str, asked: Written) -> AtomId {
        questions.atom(asked.asks, self.within(value, text, asked.span))
    }

    fn fault(&self, value: &Spanned<DeValue<'_>>, text: &str, fault: Fault, code: Code) {
        let place = self.within(value, text, fault.span);
        let found = Diagnostic::new(code, place, fault.message);
        self.sink.push(fault.help.into_iter().fold(found, Diagnostic::help));
    }

    /// The place of a part of a string's value.
    fn within(&self, value: &Spanned<DeValue<'_>>, text: &str, span: Range<usize>) -> Place {
        let whole = value.span();
        let part = offsets::written(&self.text[whole.clone()], text, span);
        Place::new(self.source, whole.start + part.start..whole.start + part.end)
    }

    fn string(&self, key: &str) -> Option<(&'t Spanned<DeValue<'t>>, &'t str)> {
        let value = self.table.get(key)?;
        Some((value, value.get_ref().as_str()?))
    }

    /// The facts that a table declares, in the author's order.
    pub(super) fn facts(&self, key: &str) -> Vec<FactManifest> {
        let table = self.table.get(key).and_then(|value| value.get_ref().as_table());
        let fact = |(name, value): (&'t Spanned<Cow<'t, str>>, &'t Spanned<DeValue<'t>>)| {
            let place = Place::new(self.source, name.span());
            let what = format!("the fact `{}`", name.get_ref());
            let reader = self.nested(value.get_ref().as_table()?, place, &[FACT], &what)?;
            Some(FactManifest {
                name: At::new(name.get_ref().to_string(), place),
                default: reader.fact_value("default")?,
                description: reader.text("description").map(|text| text.value).unwrap_or_default(),
            })
        };
        table.into_iter().flatten().filter_map(fact).collect()
    }

    fn fact_value(&self, key: &str) -> Option<FactValue> {
        match self.json(key)?.value {
            Value::String(text) => Some(FactValue::Text(text.into())),
            Value::Bool(flag) => Some(FactValue::Boolean(flag)),
            value => value.as_i64().map(FactValue::Integer),
        }
    }

    /// A table of properties, in the author's order.
    pub(super) fn properties(&self, key: &str) -> Vec<Property> {
        let table = self.table.get(key).and_then(|value| value.get_ref().as_table());
        table.into_iter().flatten().filter_map(|(name, value)| self.property(name, value)).collect()
    }

    fn property(
        &self,
        name: &'t Spanned<std::borrow::Cow<'t, str>>,
        value: &'t Spanned<DeValue<'t>>,
    ) -> Option<Property> {
        let table = value.get_ref().as_table()?;
        let place = Place::new(self.source, name.span());
        let what = format!("the property `{}`", name.get_ref());
        let reader = self.nested(table, place, &[SCHEMA, PROPERTY], &what)?;
        Some(Property {
            name: At::new(name.get_ref().to_string(), place),
            required: reader.flag("required").unwrap_or(false),
            when: reader.condition("when"),
            schema: reader.schema(),
        })
    }

    fn schema(&self) -> Schema {
        Schema {
            place: self.place,
            types: self.types(),
            title: self.text("title").map(|text| text.value),
            description: self.template("description").or_else(|| self.excuse("description")),
            choices: self.choices("enum"),
            constant: self.json("const"),
            default: self.json("default"),
            examples: self.jsons("examples"),
            bounds: Bounds {
                minimum: self.bound("minimum"),
                maximum: self.bound("maximum"),
                exclusive_minimum: self.bound("exclusiveMinimum"),
                exclusive_maximum: self.bound("exclusiveMaximum"),
                multiple_of: self.bound("multipleOf"),
                min_length: self.bound("minLength"),
                max_length: self.bound("maxLength"),
                min_items: self.bound("minItems"),
                max_items: self.bound("maxItems"),
                unique_items: self.bound("uniqueItems"),
                min_properties: self.bound("minProperties"),
                max_properties: self.bound("maxProperties"),
            },
            pattern: self.pattern(),
            format: self.text("format").map(|text| text.value),
            any_of: self.subschemas("anyOf"),
            one_of: self.subschemas("oneOf"),
            items: self.subschema("items").map(Box::new),
            properties: self.properties("properties"),
            additional: match (self.flag("additionalProperties"), self.subschema("additionalProperties")) {
                (Some(true), _) => Additional::Allow,
                (_, Some(schema)) => Additional::Schema(Box::new(schema)),
                _ => Additional::Deny,
            },
        }
    }

    /// Stands for a text that is there but for a mistake, which has been reported and is not to be reported as a lack.
    fn excuse(&self, key: &str) -> Option<At<Template>> {
        let names = self.table.keys().map(|name| &**name.get_ref());
        (!toolc::nearest(key, names).is_empty()).then(|| At::new(vec![Piece::Text(key.to_owned())], self.place))
    }

    fn subschema(&self, key: &str) -> Option<Schema> {
        let value = self.table.get(key)?;
        let table = value.get_ref().as_table()?;
        Some(self.nested(table, self.at(value), &[SCHEMA], &format!("the schema `{key}`"))?.schema())
    }

    fn subschemas(&self, key: &str) -> Vec<Schema> {
        let schema = |item: &'t Spanned<DeValue<'t>>| {
            let table = item.get_ref().as_table()?;
            Some(self.nested(table, self.at(item), &[SCHEMA], &format!("a schema of `{key}`"))?.schema())
        };
        self.items(key).filter_map(schema).collect()
    }

    fn pattern(&self) -> Option<At<String>> {
        let pattern = self.text("pattern")?;
        let Some(why) = standard::refuses_pattern(&pattern.value) else { return Some(pattern) };
        let message = "`pattern` is not a regular expression";
        self.sink.push(Diagnostic::new(Code::NOT_2020_12, pattern.place, message).label(why));
        None
    }

    fn types(&self) -> Vec<Type> {
        // Repetitions and empty lists: names that are no types have been reported.
        if let Some(list) = self.json("type").filter(|list| list.value.is_array())
            && let Some(why) = standard::refuses("type", &list.value)
            && !self.items("type").any(|word| word.get_ref().as_str().and_then(Type::from_name).is_none())
        {
            let message = "`type` is not what JSON Schema 2020-12 takes";
            self.sink.push(Diagnostic::new(Code::NOT_2020_12, list.place, message).label(why));
        }
        let one = self.table.get("type").filter(|value| value.get_ref().is_str());
        let words = one.into_iter().chain(self.items("type"));
        let mut types = Vec::new();
        for named in words.filter_map(|word| Type::from_name(word.get_ref().as_str()?)) {
            if !types.contains(&named) {
                types.push(named);
            }
        }
        types
    }

    fn flag(&self, key: &str) -> Option<bool> {
        self.table.get(key)?.get_ref().as_bool()
    }

    fn json(&self, key: &str) -> Option<At<Value>> {
        let value = self.table.get(key)?;
        Some(At::new(json(value).ok()?, self.at(value)))
    }

    /// A word's value, unless the standard refuses it: then the schema has to do without.
    fn bound(&self, key: &str) -> Option<At<Value>> {
        let bound = self.json(key).filter(|bound| bound.value.is_number() || bound.value.is_boolean())?;
        let Some(why) = standard::refuses(key, &bound.value) else { return Some(bound) };
        let message = format!("`{key}` is not what JSON Schema 2020-12 takes");
        self.sink.push(Diagnostic::new(Code::NOT_2020_12, bound.place, message).label(why));
        None
    }

    fn jsons(&self, key: &str) -> Vec<At<Value>> {
        self.items(key).filter_map(|item| Some(At::new(json(item).ok()?, self.at(item)))).collect()
    }

    fn choices(&self, key: &str) -> Vec<Choice> {
        let choice = |item: &'t Spanned<DeValue<'t>>| match item.get_ref() {
            DeValue::Table(table) if written_as_json(table).is_none() => {
                let reader = self.nested(table, self.at(item), &[CHOICE], "a conditional value")?;
                Some(Choice { value: reader.json("value")?, when: Some(reader.condition("when")?) })
            }
            _ => Some(Choice { value: At::new(json(item).ok()?, self.at(item)), when: None }),
        };
        self.items(key).filter_map(choice).collect()
    }

    fn items(&self, key: &str) -> impl Iterator<Item = &'t Spanned<DeValue<'t>>> + use<'t> {
        self.table.get(key).and_then(|value| value.get_ref().as_array()).into_iter().flat_map(|array| array.iter())
    }

    fn at<T>(&self, spanned: &Spanned<T>) -> Place {
        Place::new(self.source, spanned.span())
    }

    fn check(&self, keys: &[&'static [Key]], what: &str) {
        let known = || keys.iter().copied().flatten();
        // A misspelt key is not reported as missing, too.
        let mut meant = Vec::new();
        for (name, value) in self.table {
            if let Some(key) = known().find(|key| key.name == &**name.get_ref()) {
                self.check_value(key, name.get_ref(), value);
                continue;
            }
            let names = || known().map(|key| key.name);
            meant.extend(toolc::nearest(name.get_ref(), names()).into_iter().next());
            self.sink.push(
                Diagnostic::new(Code::UNKNOWN_KEY, self.at(name), format!("unknown key `{}`", name.get_ref()))
                    .label(format!("{what} has no such key"))
                    .help_nearest(name.get_ref(), names(), "the keys are"),
            );
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
            Form::Word(words) if toml.is_str() => self.check_word(name, value, words.iter().map(|(word, _)| *word)),
            Form::Types if toml.is_str() => self.check_type(value),
            Form::Types if toml.is_array() => {
                for item in self.items(name) {
                    if item.get_ref().is_str() {
                        self.check_type(item);
                    } else {
                        self.wrong_type(name, item, "a type's name");
                    }
                }
            }
            Form::Texts if toml.is_array() => {
                for item in self.items(name).filter(|item| !item.get_ref().is_str()) {
                    self.wrong_type(name, item, "a string");
                }
            }
            Form::Jsons if toml.is_array() => {
                if self.items(name).next().is_none() {
                    self.wrong_type(name, value, "at least one value");
                }
                for item in self.items(name) {
                    self.check_json(name, item);
                }
            }
            Form::Choices if toml.is_array() => {
                if self.items(name).next().is_none() {
                    self.wrong_type(name, value, "at least one value");
                }
                let plain = |item: &&Spanned<DeValue<'_>>| {
                    item.get_ref().as_table().is_none_or(|table| written_as_json(table).is_some())
                };
                for item in self.items(name).filter(plain) {
                    self.check_json(name, item);
                }
            }
            Form::Schemas if toml.is_array() => {
                if self.items(name).next().is_none() {
                    self.wrong_type(name, value, "at least one schema");
                }
                for item in self.items(name).filter(|item| !item.get_ref().is_table()) {
                    self.wrong_type(name, item, "a table: a schema");
                }
            }
            Form::Properties | Form::Facts if toml.is_table() => {
                let table = toml.as_table().into_iter().flatten();
                for (property, value) in table.filter(|(_, value)| !value.get_ref().is_table()) {
                    self.wrong_type(property.get_ref(), value, "a table");
                }
            }
            Form::Json => self.check_json(name, value),
            Form::Number if toml.is_float() || toml.is_integer() => self.check_json(name, value),
            Form::Integer if toml.is_integer() => self.check_json(name, value),
            Form::Text | Form::Template | Form::Condition if toml.is_str() => {}
            Form::FactValue if toml.is_str() || toml.is_bool() => {}
            Form::FactValue if toml.is_integer() => {
                const SAFE: i64 = 1 << 53;
                if !json(value).is_ok_and(|json| json.as_i64().is_some_and(|i| (-SAFE..=SAFE).contains(&i))) {
                    self.wrong_type(name, value, "an integer within ±2^53");
                }
            }
            Form::Flag if toml.is_bool() => {}
            Form::Schema if toml.is_table() => {}
            Form::FlagOrSchema if toml.is_bool() || toml.is_table() => {}
            form => self.wrong_type(name, value, form.expected()),
        }
    }

    fn check_word(&self, key: &str, value: &Spanned<DeValue<'_>>, words: impl Iterator<Item = &'static str>) {
        let word = value.get_ref().as_str().unwrap_or_default();
        let words: Vec<&str> = words.collect();
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

    fn wrong_type(&self, key: &str, value: &Spanned<DeValue<'_>>, expected: &str) {
        let got = value.get_ref().type_str();
        let found = Diagnostic::new(Code::WRONG_TYPE, self.at(value), format!("`{key}` cannot be of type {got}"))
            .label(format!("expected {expected}"));
        self.sink.push(match (key, value.get_ref()) {
            ("required", DeValue::Array(_)) => found.help("write `required = true` in each required property instead"),
            _ => found,
        });
    }
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

/// Where in a value there is something that JSON has not, and why.
type NotJson = (Range<usize>, String);

/// A TOML value as JSON. What TOML cannot write is written as `{ json = '...' }`.
fn json(value: &Spanned<DeValue<'_>>) -> Result<Value, NotJson> {
    let refuse = |why: &str| Err((value.span(), why.to_owned()));
    match value.get_ref() {
        DeValue::String(text) => Ok(Value::String(text.to_string())),
        DeValue::Boolean(flag) => Ok(Value::Bool(*flag)),
        DeValue::Integer(integer) => match i64::from_str_radix(integer.as_str(), integer.radix()) {
            Ok(integer) => Ok(Value::from(integer)),
            Err(_) => refuse("this integer does not fit 64 bits"),
        },
        DeValue::Float(float) => match float.as_str().parse().ok().and_then(serde_json::Number::from_f64) {
            Some(number) => Ok(Value::Number(number)),
            None => refuse("JSON has no infinity and no NaN"),
        },
        DeValue::Datetime(_) => refuse("JSON has no dates: write it as a string"),
        DeValue::Array(items) => items.iter().map(json).collect::<Result<_, _>>().map(Value::Array),
        DeValue::Table(table) => match written_as_json(table) {
            Some(text) => serde_json::from_str(text).or_else(|error| refuse(&format!("this is not JSON: {error}"))),
            None => table
                .iter()
                .map(|(key, value)| Ok((key.get_ref().to_string(), json(value)?)))
                .collect::<Result<_, NotJson>>()
                .map(Value::Object),
        },
    }
}

/// The text of `{ json = '...' }`.
fn written_as_json<'t>(table: &'t DeTable<'_>) -> Option<&'t str> {
    if table.len() == 1 { table.get("json")?.get_ref().as_str() } else { None }
}
