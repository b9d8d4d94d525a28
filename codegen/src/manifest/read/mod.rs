//! One reader for every table of every manifest, driven by the tables of keys: it reports what does not fit, and
//! hands out what does.

mod check;
mod json;

use std::cell::RefCell;
use std::ops::Range;
use std::time::Duration;

use serde_json::Value;
use toml::Spanned;
use toml::de::{DeTable, DeValue};
use toolc::segment::FactValue;
use toolc::table::Type;

use super::keys::{CHOICE, Form, Key, PROPERTY, SCHEMA};
use super::{offsets, standard};
use crate::diagnostic::{At, Code, Diagnostic, Place, Sink, SourceId};
use crate::schema::{Additional, Bounds, Choice, Property, Schema};
use crate::source::{Kind, Source};
use crate::text::Fault;
use crate::text::condition::{self, Written};
use crate::text::questions::{AtomId, Questions, Template, When};
use crate::text::template::{self, Piece, WrittenFact};
use json::{json, written_as_json};

/// Schemas nest at most this deep.
const DEEPEST: usize = 64;

/// A table whose keys have been checked. Getters return what fits; what does not has been reported.
pub(super) struct Reader<'t> {
    source: SourceId,
    text: &'t str,
    table: &'t DeTable<'t>,
    keys: &'static [&'static [Key]],
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
        let keys = kind.keys();
        let reader = Self { source: id, text: &source.text, table, keys, place, sink, questions, depth: 0 };
        reader.check(kind.document());
        reader
    }

    /// A table within it. None where it is too deep.
    fn nested(
        &self,
        table: &'t DeTable<'t>,
        place: Place,
        keys: &'static [&'static [Key]],
        what: &str,
    ) -> Option<Self> {
        let reader = Self { table, keys, place, depth: self.depth + 1, ..*self };
        if reader.depth > DEEPEST {
            let message = format!("a schema nested more than {DEEPEST} deep");
            self.sink.push(Diagnostic::new(Code::SCHEMA_TOO_LARGE, place, message).help("flatten it"));
            return None;
        }
        reader.check(what);
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

    /// The table that is a key's value.
    pub(super) fn table(&self, key: &str) -> Option<Self> {
        let value = self.table.get(key)?;
        self.nested(value.get_ref().as_table()?, self.at(value), self.inner(key), &format!("`{key}`"))
    }

    /// The tables in a key's table, with their names, in the author's order.
    pub(super) fn tables(&self, key: &str) -> Vec<(At<String>, Self)> {
        let table = |(name, value): (At<String>, &'t Spanned<DeValue<'t>>)| {
            let what = format!("`{key}.{}`", name.value);
            let reader = self.nested(value.get_ref().as_table()?, name.place, self.inner(key), &what)?;
            Some((name, reader))
        };
        self.entries(key).filter_map(table).collect()
    }

    /// The tables in a key's array.
    pub(super) fn list(&self, key: &str) -> Vec<Self> {
        let table = |item: &'t Spanned<DeValue<'t>>| {
            let table = item.get_ref().as_table()?;
            // The whole table would be no place to point at.
            let first = table.keys().map(Spanned::span).min_by_key(|span| span.start).unwrap_or(item.span());
            let place = Place::new(self.source, first);
            self.nested(table, place, self.inner(key), &format!("a table of `{key}`"))
        };
        self.items(key).filter_map(table).collect()
    }

    /// The strings in a key's table, with their names.
    pub(super) fn texts_by_name(&self, key: &str) -> Vec<(At<String>, At<String>)> {
        let text = |(name, value): (At<String>, &'t Spanned<DeValue<'t>>)| {
            Some((name, At::new(value.get_ref().as_str()?.to_owned(), self.at(value))))
        };
        self.entries(key).filter_map(text).collect()
    }

    /// The numbers in a key's table, with their names.
    pub(super) fn numbers_by_name(&self, key: &str) -> Vec<(At<String>, f64)> {
        let number = |(name, value): (At<String>, &'t Spanned<DeValue<'t>>)| Some((name, json(value).ok()?.as_f64()?));
        self.entries(key).filter_map(number).collect()
    }

    fn entries(&self, key: &str) -> impl Iterator<Item = (At<String>, &'t Spanned<DeValue<'t>>)> + use<'t> {
        let (source, table) = (self.source, self.table.get(key).and_then(|value| value.get_ref().as_table()));
        table
            .into_iter()
            .flatten()
            .map(move |(name, value)| (At::new(name.get_ref().to_string(), Place::new(source, name.span())), value))
    }

    /// The keys of the tables in a key's value.
    fn inner(&self, key: &str) -> &'static [&'static [Key]] {
        let form = self.keys.iter().copied().flatten().find(|known| known.name == key).map(|known| &known.form);
        match form {
            Some(Form::Table(keys) | Form::Tables(keys) | Form::List(keys)) => std::slice::from_ref(keys),
            _ => unreachable!("`{key}` holds no tables"),
        }
    }

    /// A length of time.
    pub(super) fn duration(&self, key: &str) -> Option<At<Duration>> {
        let (value, text) = self.string(key)?;
        check::duration(text).map(|duration| At::new(duration, self.at(value)))
    }

    /// An integer of at least 1.
    pub(super) fn count(&self, key: &str) -> Option<u32> {
        self.json(key)?.value.as_u64().and_then(|count| u32::try_from(count).ok()).filter(|count| *count > 0)
    }

    /// A fact's value.
    pub(super) fn fact_value(&self, key: &str) -> Option<FactValue> {
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

    /// `true` or `false`.
    pub(super) fn flag(&self, key: &str) -> Option<bool> {
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
}
