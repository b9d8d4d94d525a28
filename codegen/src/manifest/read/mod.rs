//! The reader of all tables of manifests. It is driven by the declared keys: it reports whatever does not fit them, and returns the rest.

mod check;
mod duration;
mod json;
mod kinds;
mod schema;
mod wrong_type;

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::fmt::Arguments;
use std::ops::Range;
use std::sync::LazyLock;
use std::time::Duration;

use serde_json::Value;
use toml::Spanned;
use toml::de::{DeTable, DeValue};
use toolc::FactValue;
use toolc::behaviour::MaxResultChars;

use super::keys::kinds::UNLIMITED;
use super::keys::{Key, KeyType, TypedKey};
use super::offsets;
use crate::diagnostic::{At, Code, Diagnostic, Place, Sink, SourceId};
use crate::source::{Kind, Source};
use crate::text::Fault;
use crate::text::atoms::{AtomId, AtomTable, Template, When};
use crate::text::condition::{self, ParsedAtom};
use crate::text::template::{self, ParsedFact, Piece};
use json::json;
pub(crate) use kinds::fact as fact_to_json;
pub use kinds::{ReadKey, ReadTable};

/// The maximum nesting of schemas.
const MAX_DEPTH: usize = 64;

/// The key of the name of a manifest or a table.
const NAME: &str = "name";

/// A table whose keys were checked. A value that does not fit was reported, and is read as if it were missing.
pub struct Reader<'t> {
    source: SourceId,
    text: &'t str,
    table: &'t DeTable<'t>,
    keys: &'static [&'static [Key]],
    place: Place,
    /// The name of the table in the manifest, or the stem of the file.
    name: &'t str,
    sink: &'t Sink,
    atom_table: &'t RefCell<AtomTable>,
    /// The definitions that a `$ref` can refer to, as written.
    defs: Option<&'t DeTable<'t>>,
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
#[derive(Clone, Copy)]
pub(in crate::manifest) struct Form {
    /// The kind of manifest, or `None` if another crate declares the keys.
    pub(in crate::manifest) kind: Option<Kind>,
    /// How messages refer to the document.
    pub(in crate::manifest) noun: &'static str,
    /// The keys at its root.
    pub(in crate::manifest) keys: &'static [&'static [Key]],
}

impl From<Kind> for Form {
    fn from(kind: Kind) -> Self {
        Self { kind: Some(kind), noun: kind.document(), keys: kind.keys() }
    }
}

/// The whole document to which a table belongs.
#[derive(Clone, Copy)]
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
    pub(in crate::manifest) fn set_missing(&mut self) {
        self.missing = true;
    }

    /// Returns whether any value is unknown.
    pub fn is_any(&self) -> bool {
        self.missing || !self.keys.is_empty()
    }
}

/// The most likely intended key, and the value, of an unknown key.
type Unknown<'t> = (Option<&'static str>, &'t Spanned<DeValue<'t>>);

impl<'t> Reader<'t> {
    /// Returns the reader of a whole document. The atoms of its conditions are collected in `atom_table`.
    pub(in crate::manifest) fn document(
        (id, source): (SourceId, &'t Source),
        form: Form,
        document: &'t Spanned<DeTable<'t>>,
        atom_table: &'t RefCell<AtomTable>,
        sink: &'t Sink,
    ) -> Self {
        let table = document.get_ref();
        // The span of the whole file is useless in a message.
        let first = table.keys().map(Spanned::span).min_by_key(|span| span.start).unwrap_or(0..0);
        let place = Place::new(id, first);
        let reader = Self {
            source: id,
            text: &source.text,
            table,
            keys: form.keys,
            place,
            name: &source.stem,
            sink,
            atom_table,
            defs: None,
            document: Document { form, table },
            depth: 0,
            unknown: Vec::new(),
            refused: Refused::default(),
            is_refused: Cell::default(),
        };
        let (unknown, refused) = reader.check(format_args!("{}", form.noun));
        let reader = Self { unknown, refused, ..reader };
        Self { defs: reader.defs(), ..reader }
    }

    /// Returns the reader of a nested table, or `None` if the nesting is too deep.
    fn nested(
        &self,
        table: &'t DeTable<'t>,
        place: Place,
        keys: &'static [&'static [Key]],
        what: Arguments<'_>,
    ) -> Option<Self> {
        let (unknown, refused) = (Vec::new(), Refused::default());
        let depth = self.depth + 1;
        let reader = Self { table, keys, place, depth, unknown, refused, is_refused: Cell::default(), ..*self };
        if reader.depth > MAX_DEPTH {
            let message = format!("a schema nested more than {MAX_DEPTH} deep");
            self.sink.push(Diagnostic::new(Code::SCHEMA_TOO_LARGE, place, message).help("flatten it"));
            return None;
        }
        let (unknown, refused) = reader.check(what);
        Some(Self { unknown, refused, ..reader })
    }

    /// Returns the value of a key of a schema.
    fn get<K: ReadKey>(&self, key: &TypedKey<K>) -> K::Value {
        K::read(self, key.key.name)
    }

    /// Returns the place of the table.
    pub fn place(&self) -> Place {
        self.place
    }

    /// Returns whether the table is a schema.
    fn is_schema(&self) -> bool {
        self.keys.iter().copied().flatten().any(|key| key.name == "anyOf")
    }

    /// Marks a value as refused, so that later stages report nothing about it.
    fn refuse(&self, value: &Spanned<DeValue<'_>>, code: Code) {
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

    /// Returns the name that the manifest declares, if it does.
    pub(super) fn declared_name(&self) -> Option<At<String>> {
        self.text(NAME)
    }

    /// Reads the name of a manifest, or returns the stem of the file. A nested table without a name has the empty name.
    fn name_or_stem(&self, key: &str) -> At<String> {
        let Some(name) = self.text(key) else {
            let default = if self.depth == 0 { self.name } else { "" };
            return At::new(default.to_owned(), self.place);
        };
        // The names of files are checked together with their stems.
        if name.value.is_empty() && self.depth > 0 {
            let found = Diagnostic::new(Code::INVALID_NAME, name.place, "the name is empty");
            self.sink.push(found.label("expected at least one letter"));
        }
        name
    }

    /// Returns the place to point at if a key is missing: the name.
    fn name_place(&self) -> Place {
        self.declared_name().map_or(self.place, |name| name.place)
    }

    /// Returns the place of the value of a key.
    pub(crate) fn place_of(&self, key: &str) -> Option<Place> {
        self.value(key).map(|value| self.at(value))
    }

    /// Reads a string without a meaning to the compiler.
    fn prose(&self, key: &str) -> String {
        self.text(key).map(|text| text.value).unwrap_or_default()
    }

    /// Reads the description of a tool; empty if it is missing.
    fn description(&self, key: &str) -> At<Template> {
        self.template(key).unwrap_or_else(|| At::new(Vec::new(), self.name_place()))
    }

    /// Reads a string.
    fn text(&self, key: &str) -> Option<At<String>> {
        let value = self.value(key)?;
        value.get_ref().as_str().map(|text| At::new(text.to_owned(), self.at(value)))
    }

    /// Reads the strings of an array.
    fn texts(&self, key: &str) -> Vec<At<String>> {
        self.items(key)
            .filter_map(|item| item.get_ref().as_str().map(|text| At::new(text.to_owned(), self.at(item))))
            .collect()
    }

    /// Reads a string with conditions and facts in it.
    fn template(&self, key: &str) -> Option<At<Template>> {
        let (value, text) = self.string(key)?;
        let place = self.at(value);
        let pieces = match template::parse(text) {
            Ok(pieces) => pieces,
            Err(fault) => {
                self.fault(value, text, fault, Code::TEMPLATE);
                return Some(At::new(vec![Piece::Text(text.to_owned())], place));
            }
        };
        let mut atom_table = self.atom_table.borrow_mut();
        let atom_table = RefCell::new(&mut *atom_table);
        let mut atom = |parsed: ParsedAtom| self.intern(&mut atom_table.borrow_mut(), value, text, parsed);
        let mut fact = |(name, span): ParsedFact| atom_table.borrow_mut().fact(name, || self.within(value, text, span));
        Some(At::new(pieces.into_iter().map(|piece| piece.map(&mut atom, &mut fact)).collect(), place))
    }

    /// Reads a condition.
    fn condition(&self, key: &str) -> Option<At<When>> {
        let (value, text) = self.string(key)?;
        match condition::parse(text) {
            Ok(condition) => {
                let mut atom_table = self.atom_table.borrow_mut();
                let condition = condition.map(&mut |parsed| self.intern(&mut atom_table, value, text, parsed));
                Some(At::new(condition, self.at(value)))
            }
            Err(fault) => {
                self.fault(value, text, fault, Code::CONDITION);
                None
            }
        }
    }

    fn intern(
        &self,
        atom_table: &mut AtomTable,
        value: &Spanned<DeValue<'_>>,
        text: &str,
        parsed: ParsedAtom,
    ) -> AtomId {
        atom_table.atom(parsed.atom, || self.within(value, text, parsed.span))
    }

    fn fault(&self, value: &Spanned<DeValue<'_>>, text: &str, fault: Fault, code: Code) {
        let place = self.within(value, text, fault.span);
        let found = Diagnostic::new(code, place, fault.message);
        self.sink.push(fault.help.into_iter().fold(found, Diagnostic::help));
        self.sink.refuse(self.at(value), code);
    }

    /// Returns the place of a part of a string.
    fn within(&self, value: &Spanned<DeValue<'_>>, text: &str, span: Range<usize>) -> Place {
        let whole = value.span();
        let part = offsets::written(&self.text[whole.clone()], text, span);
        Place::new(self.source, whole.start + part.start..whole.start + part.end)
    }

    fn string(&self, key: &str) -> Option<(&'t Spanned<DeValue<'t>>, &'t str)> {
        let value = self.value(key)?;
        Some((value, value.get_ref().as_str()?))
    }

    /// Returns the table of a key. A value of another type is read as a table whose keys are all unknown.
    fn table(&self, key: &str) -> Option<Self> {
        let value = self.value(key)?;
        let Some(table) = value.get_ref().as_table() else {
            static NOTHING: LazyLock<DeTable<'static>> = LazyLock::new(DeTable::new);
            let refused = Refused { keys: Vec::new(), missing: true };
            let (keys, depth) = (self.inner(key), self.depth + 1);
            let (place, unknown, is_refused) = (self.at(value), Vec::new(), Cell::default());
            return Some(Self { table: &NOTHING, keys, place, depth, unknown, refused, is_refused, ..*self });
        };
        let reader = self.nested(table, self.at(value), self.inner(key), format_args!("`{key}`"))?;
        // What the table does not say may be what could not be read. Schemas know that themselves.
        if reader.refused.is_any() && !reader.is_schema() {
            self.refuse(value, Code::UNKNOWN_KEY);
        }
        Some(reader)
    }

    /// Returns the tables of a key by name, in the author's order.
    fn tables(&self, key: &str) -> Vec<Self> {
        let table = self.value(key).and_then(|value| value.get_ref().as_table());
        let read = |(name, value): (&'t Spanned<Cow<'t, str>>, &'t Spanned<DeValue<'t>>)| {
            let (table, what) = (value.get_ref().as_table()?, name.get_ref());
            let reader = self.nested(table, self.at(name), self.inner(key), format_args!("`{key}.{what}`"))?;
            Some(Self { name: what, ..reader })
        };
        table.into_iter().flatten().filter_map(read).collect()
    }

    /// Returns the tables of an array.
    fn list(&self, key: &str) -> Vec<Self> {
        let table = |item: &'t Spanned<DeValue<'t>>| {
            let table = item.get_ref().as_table()?;
            // The span of the whole table is useless in a message.
            let first = table.keys().map(Spanned::span).min_by_key(|span| span.start).unwrap_or(item.span());
            let place = Place::new(self.source, first);
            self.nested(table, place, self.inner(key), format_args!("a table of `{key}`"))
        };
        self.items(key).filter_map(table).collect()
    }

    /// Reads the strings of a table, by name.
    fn texts_by_name(&self, key: &str) -> Vec<(At<String>, At<String>)> {
        let text = |(name, value): (At<String>, &'t Spanned<DeValue<'t>>)| {
            Some((name, At::new(value.get_ref().as_str()?.to_owned(), self.at(value))))
        };
        self.entries(key).filter_map(text).collect()
    }

    /// Reads the numbers of a table, by name.
    fn numbers_by_name(&self, key: &str) -> Vec<(At<String>, f64)> {
        let number = |(name, value): (At<String>, &'t Spanned<DeValue<'t>>)| Some((name, json(value).ok()?.as_f64()?));
        self.entries(key).filter_map(number).collect()
    }

    fn entries(&self, key: &str) -> impl Iterator<Item = (At<String>, &'t Spanned<DeValue<'t>>)> + use<'t> {
        let (source, table) = (self.source, self.value(key).and_then(|value| value.get_ref().as_table()));
        table
            .into_iter()
            .flatten()
            .map(move |(name, value)| (At::new(name.get_ref().to_string(), Place::new(source, name.span())), value))
    }

    /// Returns the kind of value that a key accepts.
    fn key_type(&self, key: &str) -> Option<&'static KeyType> {
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
    fn duration(&self, key: &str) -> Option<At<Duration>> {
        let (value, text) = self.string(key)?;
        duration::duration(text).ok().map(|duration| At::new(duration, self.at(value)))
    }

    /// Reads an integer of at least 1.
    fn count(&self, key: &str) -> Option<u32> {
        self.json(key)?.value.as_u64().and_then(|count| u32::try_from(count).ok()).filter(|count| *count > 0)
    }

    /// Reads an integer of at least 0, with its place.
    fn whole_number(&self, key: &str) -> Option<At<u32>> {
        let number = self.json(key)?;
        Some(At::new(u32::try_from(number.value.as_u64()?).ok()?, number.place))
    }

    /// Reads an integer of at least 1, with its place.
    fn count_at(&self, key: &str) -> Option<At<u32>> {
        Some(At::new(self.count(key)?, self.place_of(key)?))
    }

    /// Reads a limit of results.
    fn max_result_chars(&self, key: &str) -> Option<MaxResultChars> {
        match self.string(key) {
            Some((_, text)) => (text == UNLIMITED).then_some(MaxResultChars::Unlimited),
            None => self.count(key).map(MaxResultChars::Chars),
        }
    }

    /// Reads the value of a fact.
    fn fact_value(&self, key: &str) -> Option<FactValue> {
        as_fact(self.json(key)?.value)
    }

    /// Reads the values of facts, by name.
    fn fact_values(&self, key: &str) -> Vec<(At<String>, At<FactValue>)> {
        let entries = self.entries(key);
        entries.filter_map(|(name, value)| Some((name, At::new(as_fact(json(value).ok()?)?, self.at(value))))).collect()
    }

    /// Reads a finite number of at least 0.
    fn amount(&self, key: &str) -> Option<At<f64>> {
        let number = self.json(key)?;
        number.value.as_f64().filter(|amount| *amount >= 0.0).map(|amount| At::new(amount, number.place))
    }

    /// Reads a boolean.
    fn flag(&self, key: &str) -> Option<bool> {
        self.value(key)?.get_ref().as_bool()
    }

    /// Reads a boolean, with its place.
    fn flag_at(&self, key: &str) -> Option<At<bool>> {
        let value = self.value(key)?;
        value.get_ref().as_bool().map(|flag| At::new(flag, self.at(value)))
    }

    fn json(&self, key: &str) -> Option<At<Value>> {
        let value = self.value(key)?;
        Some(At::new(json(value).ok()?, self.at(value)))
    }

    /// Returns the value of a key. A misspelt key is read as the nearest one, so that the key is not also reported as missing.
    fn value(&self, key: &str) -> Option<&'t Spanned<DeValue<'t>>> {
        // Tables are small: a linear search is faster than a hash of each key that they might have.
        let found = self.table.iter().find(|(name, _)| name.get_ref() == key).map(|(_, value)| value);
        let misspelt = || self.unknown.iter().find(|(intended, _)| *intended == Some(key)).map(|(_, value)| *value);
        found.or_else(misspelt)
    }

    fn items(&self, key: &str) -> impl Iterator<Item = &'t Spanned<DeValue<'t>>> + use<'t> {
        self.value(key).and_then(|value| value.get_ref().as_array()).into_iter().flat_map(|array| array.iter())
    }

    fn at<T>(&self, spanned: &Spanned<T>) -> Place {
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
