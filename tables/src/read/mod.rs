//! The reader of all tables. It is driven by the declared keys: it reports whatever does not fit them, and returns the rest.

mod check;
pub(crate) mod duration;
pub(crate) mod json;
mod wrong_type;

use std::borrow::Cow;
use std::cell::Cell;
use std::fmt::Arguments;
use std::ops::Range;
use std::sync::LazyLock;
use std::time::Duration;

use serde_json::{Value, json as json_value};
use toml::Spanned;
use toml::de::{DeTable, DeValue};
use toolc::FactValue;

use crate::diagnostic::{At, Code, Place, Sink, SourceId};
use crate::{HasKeys, Key, KeyKind, KeyType, Language, TypedKey, codes, written};
use json::json;

/// A kind of key that files in the language `L` can have.
pub trait ReadKey<L>: KeyKind {
    /// Reads the value. What does not fit has been reported, and is read as if the key were missing.
    fn read(reader: &Reader<'_, L>, key: &'static str) -> Self::Value;
}

/// A table that files in the language `L` can have.
pub trait ReadTable<L>: HasKeys {
    /// Reads the values of all keys.
    fn read(reader: &Reader<'_, L>) -> Self;
}

/// A table whose keys were checked. A value that does not fit was reported, and is read as if it were missing.
#[derive(Debug)]
pub struct Reader<'t, L> {
    source: SourceId,
    text: &'t str,
    table: &'t DeTable<'t>,
    keys: &'static [&'static [Key]],
    place: Place,
    /// The name of the table in its file, or that of the file.
    name: &'t str,
    sink: &'t Sink,
    /// The language of the document, with its state.
    pub language: L,
    document: Document<'t>,
    depth: usize,
    /// The unknown keys of the table.
    unknown: Vec<Unknown<'t>>,
    /// The keys whose values were refused.
    refused: Refused,
    /// Whether the value that is being checked was refused.
    is_refused: Cell<bool>,
}

/// What a document is.
#[derive(Debug, Clone, Copy)]
pub struct Form {
    /// How messages refer to the document.
    pub noun: &'static str,
    /// The keys at its root.
    pub keys: &'static [&'static [Key]],
}

/// A table without keys.
static NOTHING: LazyLock<DeTable<'static>> = LazyLock::new(DeTable::new);

/// The whole document to which a table belongs.
#[derive(Debug, Clone, Copy)]
struct Document<'t> {
    form: Form,
    table: &'t DeTable<'t>,
}

/// The keys of a table that could not be read, so that what depends on them is unknown.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Refused {
    keys: Vec<&'static str>,
    /// Whether any missing key may be one that could not be read.
    missing: bool,
}

impl Refused {
    /// Returns whether the value of a key is unknown. `is_missing` says whether none was read.
    pub fn has(&self, key: &str, is_missing: bool) -> bool {
        self.keys.contains(&key) || self.missing && is_missing
    }

    /// Records that something could not be read, and that it is not known what.
    pub fn set_missing(&mut self) {
        self.missing = true;
    }

    /// Returns whether any value is unknown.
    pub fn is_any(&self) -> bool {
        self.missing || !self.keys.is_empty()
    }
}

/// The most likely intended key, and the value, of an unknown key.
type Unknown<'t> = (Option<&'static str>, &'t Spanned<DeValue<'t>>);

impl<'t, L: Language> Reader<'t, L> {
    /// Returns the reader of a whole document: its id, its text, and the name that it has without a key.
    pub fn document(
        (source, text, name): (SourceId, &'t str, &'t str),
        form: Form,
        document: &'t Spanned<DeTable<'t>>,
        language: L,
        sink: &'t Sink,
    ) -> Self {
        let table = document.get_ref();
        // The span of the whole file is useless in a message.
        let first = table.keys().map(Spanned::span).min_by_key(|span| span.start).unwrap_or(0..0);
        let reader = Self {
            source,
            text,
            table,
            keys: form.keys,
            place: Place::new(source, first),
            name,
            sink,
            language,
            document: Document { form, table },
            depth: 0,
            unknown: Vec::new(),
            refused: Refused::default(),
            is_refused: Cell::default(),
        };
        let (unknown, refused) = reader.check(format_args!("{}", form.noun));
        Self { unknown, refused, ..reader }
    }

    /// Returns the reader of a nested table.
    #[must_use]
    pub fn nested(
        &self,
        table: &'t DeTable<'t>,
        place: Place,
        keys: &'static [&'static [Key]],
        what: Arguments<'_>,
    ) -> Self {
        let (unknown, refused) = (Vec::new(), Refused::default());
        let depth = self.depth + 1;
        let reader = Self { table, keys, place, depth, unknown, refused, is_refused: Cell::default(), ..*self };
        let (unknown, refused) = reader.check(what);
        Self { unknown, refused, ..reader }
    }

    /// Returns the value of a key.
    pub fn get<K: ReadKey<L>>(&self, key: &TypedKey<K>) -> K::Value {
        K::read(self, key.key.name)
    }

    /// Returns the place of the table.
    pub fn place(&self) -> Place {
        self.place
    }

    /// Returns the table as TOML has it.
    pub fn toml(&self) -> &'t DeTable<'t> {
        self.table
    }

    /// Returns the whole document as TOML has it.
    pub fn root(&self) -> &'t DeTable<'t> {
        self.document.table
    }

    /// Returns how deep the table is nested: 0 for the whole document.
    pub fn depth(&self) -> usize {
        self.depth
    }

    /// Returns where findings go.
    pub fn sink(&self) -> &'t Sink {
        self.sink
    }

    /// Returns whether the table has a key that it should not have.
    pub fn has_unknown_keys(&self) -> bool {
        !self.unknown.is_empty()
    }

    /// Returns whether the table is a schema.
    fn is_schema(&self) -> bool {
        self.language.is_schema(self.keys)
    }

    /// Marks a value as refused, so that later stages report nothing about it.
    pub fn refuse(&self, value: &Spanned<DeValue<'_>>, code: Code) {
        self.sink.refuse(self.at(value), code);
        if let Some(table) = value.get_ref().as_table() {
            // The span of a table with a header is that of the header.
            table.iter().for_each(|(_, value)| self.refuse(value, code));
        }
    }

    /// Returns the keys that could not be read.
    pub fn refused(&self) -> Refused {
        self.refused.clone()
    }

    /// Returns the name of the table, whose keys are names that the author chose.
    pub fn table_name(&self) -> At<String> {
        At::new(self.name.to_owned(), self.place)
    }

    /// Returns the place of the value of a key.
    pub fn place_of(&self, key: &str) -> Option<Place> {
        self.value(key).map(|value| self.at(value))
    }

    /// Reads a string without a meaning to the compiler.
    pub fn prose(&self, key: &str) -> String {
        self.text(key).map(|text| text.value).unwrap_or_default()
    }

    /// Reads a string.
    pub fn text(&self, key: &str) -> Option<At<String>> {
        let value = self.value(key)?;
        value.get_ref().as_str().map(|text| At::new(text.to_owned(), self.at(value)))
    }

    /// Reads the strings of an array.
    pub fn texts(&self, key: &str) -> Vec<At<String>> {
        self.items(key)
            .filter_map(|item| item.get_ref().as_str().map(|text| At::new(text.to_owned(), self.at(item))))
            .collect()
    }

    /// Returns the place of a part of a string.
    pub fn within(&self, value: &Spanned<DeValue<'_>>, text: &str, span: Range<usize>) -> Place {
        let whole = value.span();
        let part = written(&self.text[whole.clone()], text, span);
        Place::new(self.source, whole.start + part.start..whole.start + part.end)
    }

    /// Returns the value of a key as TOML has it, and its text, if it is a string.
    pub fn string(&self, key: &str) -> Option<(&'t Spanned<DeValue<'t>>, &'t str)> {
        let value = self.value(key)?;
        Some((value, value.get_ref().as_str()?))
    }

    /// Returns the table of a key. A value of another type is read as a table whose keys are all unknown.
    pub fn table(&self, key: &str) -> Option<Self> {
        let value = self.value(key)?;
        let Some(table) = value.get_ref().as_table() else {
            let refused = Refused { keys: Vec::new(), missing: true };
            let (keys, depth) = (self.inner(key), self.depth + 1);
            let (place, unknown, is_refused) = (self.at(value), Vec::new(), Cell::default());
            return Some(Self { table: &NOTHING, keys, place, depth, unknown, refused, is_refused, ..*self });
        };
        let reader = self.nested(table, self.at(value), self.inner(key), format_args!("`{key}`"));
        // What the table does not say may be what could not be read. Schemas know that themselves.
        if reader.refused.is_any() && !reader.is_schema() {
            self.refuse(value, codes::UNKNOWN_KEY);
        }
        Some(reader)
    }

    /// Returns the table of a key, or an empty one if the key is missing.
    #[must_use]
    pub fn section(&self, key: &str) -> Self {
        self.table(key).unwrap_or_else(|| {
            let (keys, depth, refused) = (self.inner(key), self.depth + 1, Refused::default());
            Self { table: &NOTHING, keys, depth, unknown: Vec::new(), refused, is_refused: Cell::default(), ..*self }
        })
    }

    /// Returns the tables of a key by name, in the author's order.
    pub fn tables(&self, key: &str) -> Vec<Self> {
        let table = self.value(key).and_then(|value| value.get_ref().as_table());
        let read = |(name, value): (&'t Spanned<Cow<'t, str>>, &'t Spanned<DeValue<'t>>)| {
            let (table, what) = (value.get_ref().as_table()?, name.get_ref());
            let reader = self.nested(table, self.at(name), self.inner(key), format_args!("`{key}.{what}`"));
            Some(Self { name: what, ..reader })
        };
        table.into_iter().flatten().filter_map(read).collect()
    }

    /// Returns the tables of an array.
    pub fn list(&self, key: &str) -> Vec<Self> {
        let table = |item: &'t Spanned<DeValue<'t>>| {
            let table = item.get_ref().as_table()?;
            // The span of the whole table is useless in a message.
            let first = table.keys().map(Spanned::span).min_by_key(|span| span.start).unwrap_or(item.span());
            let place = Place::new(self.source, first);
            Some(self.nested(table, place, self.inner(key), format_args!("a table of `{key}`")))
        };
        self.items(key).filter_map(table).collect()
    }

    /// Reads the strings of a table, by name.
    pub fn texts_by_name(&self, key: &str) -> Vec<(At<String>, At<String>)> {
        let text = |(name, value): (At<String>, &'t Spanned<DeValue<'t>>)| {
            Some((name, At::new(value.get_ref().as_str()?.to_owned(), self.at(value))))
        };
        self.entries(key).filter_map(text).collect()
    }

    /// Reads the numbers of a table, by name.
    pub fn numbers_by_name(&self, key: &str) -> Vec<(At<String>, f64)> {
        let number = |(name, value): (At<String>, &'t Spanned<DeValue<'t>>)| Some((name, json(value).ok()?.as_f64()?));
        self.entries(key).filter_map(number).collect()
    }

    /// Returns the entries of a table, with their names.
    pub fn entries(&self, key: &str) -> impl Iterator<Item = (At<String>, &'t Spanned<DeValue<'t>>)> + use<'t, L> {
        let (source, table) = (self.source, self.value(key).and_then(|value| value.get_ref().as_table()));
        table
            .into_iter()
            .flatten()
            .map(move |(name, value)| (At::new(name.get_ref().to_string(), Place::new(source, name.span())), value))
    }

    /// Reads an array of JSON values.
    pub fn jsons(&self, key: &str) -> Vec<At<Value>> {
        self.items(key).filter_map(|item| Some(At::new(json(item).ok()?, self.at(item)))).collect()
    }

    /// Returns the kind of value that a key accepts.
    pub fn key_type(&self, key: &str) -> Option<&'static KeyType> {
        self.keys.iter().copied().flatten().find(|known| known.name == key).map(|known| &known.key_type)
    }

    /// Returns the keys of the tables of a key.
    fn inner(&self, key: &str) -> &'static [&'static [Key]] {
        match self.key_type(key) {
            Some(KeyType::Table(keys) | KeyType::Tables(keys) | KeyType::List(keys)) => std::slice::from_ref(keys),
            _ => unreachable!("`{key}` holds no tables"),
        }
    }

    /// Reads a duration.
    pub fn duration(&self, key: &str) -> Option<At<Duration>> {
        let (value, text) = self.string(key)?;
        duration::duration(text).ok().map(|duration| At::new(duration, self.at(value)))
    }

    /// Reads an integer of at least 1.
    pub fn count(&self, key: &str) -> Option<u32> {
        self.json(key)?.value.as_u64().and_then(|count| u32::try_from(count).ok()).filter(|count| *count > 0)
    }

    /// Reads an integer of at least 0, with its place.
    pub fn whole_number(&self, key: &str) -> Option<At<u32>> {
        let number = self.json(key)?;
        Some(At::new(u32::try_from(number.value.as_u64()?).ok()?, number.place))
    }

    /// Reads an integer of at least 1, with its place.
    pub fn count_at(&self, key: &str) -> Option<At<u32>> {
        Some(At::new(self.count(key)?, self.place_of(key)?))
    }

    /// Reads the value of a fact.
    pub fn fact_value(&self, key: &str) -> Option<FactValue> {
        as_fact(self.json(key)?.value)
    }

    /// Reads the values of facts, by name.
    pub fn fact_values(&self, key: &str) -> Vec<(At<String>, At<FactValue>)> {
        let entries = self.entries(key);
        entries.filter_map(|(name, value)| Some((name, At::new(as_fact(json(value).ok()?)?, self.at(value))))).collect()
    }

    /// Reads a finite number of at least 0.
    pub fn amount(&self, key: &str) -> Option<At<f64>> {
        let number = self.json(key)?;
        number.value.as_f64().filter(|amount| *amount >= 0.0).map(|amount| At::new(amount, number.place))
    }

    /// Reads a boolean.
    pub fn flag(&self, key: &str) -> Option<bool> {
        self.value(key)?.get_ref().as_bool()
    }

    /// Reads a boolean, with its place.
    pub fn flag_at(&self, key: &str) -> Option<At<bool>> {
        let value = self.value(key)?;
        value.get_ref().as_bool().map(|flag| At::new(flag, self.at(value)))
    }

    /// Reads a JSON value.
    pub fn json(&self, key: &str) -> Option<At<Value>> {
        let value = self.value(key)?;
        Some(At::new(json(value).ok()?, self.at(value)))
    }

    /// Returns the value of a key. A misspelt key is read as the nearest one, so that the key is not also reported as missing.
    pub fn value(&self, key: &str) -> Option<&'t Spanned<DeValue<'t>>> {
        // Tables are small: a linear search is faster than a hash of each key that they might have.
        let found = self.table.iter().find(|(name, _)| name.get_ref() == key).map(|(_, value)| value);
        let misspelt = || self.unknown.iter().find(|(intended, _)| *intended == Some(key)).map(|(_, value)| *value);
        found.or_else(misspelt)
    }

    /// Returns the items of an array.
    pub fn items(&self, key: &str) -> impl Iterator<Item = &'t Spanned<DeValue<'t>>> + use<'t, L> {
        self.value(key).and_then(|value| value.get_ref().as_array()).into_iter().flat_map(|array| array.iter())
    }

    /// Returns the place of a part of the file.
    pub fn at<T>(&self, spanned: &Spanned<T>) -> Place {
        Place::new(self.source, spanned.span())
    }
}

/// Returns the value of a fact, or `None` if a fact cannot have it.
fn as_fact(value: Value) -> Option<FactValue> {
    match value {
        Value::String(text) => Some(FactValue::Text(text.into())),
        Value::Bool(flag) => Some(FactValue::Boolean(flag)),
        value => value.as_i64().filter(|integer| FactValue::INTEGERS.contains(integer)).map(FactValue::Integer),
    }
}

/// Returns the value of a fact as JSON.
pub fn fact_to_json(value: &FactValue) -> Value {
    match value {
        FactValue::Text(text) => json_value!(text),
        FactValue::Boolean(flag) => json_value!(flag),
        FactValue::Integer(integer) => json_value!(integer),
    }
}
