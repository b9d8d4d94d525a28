//! One reader for every table of every manifest, driven by the tables of keys: it reports what does not fit, and
//! hands out what does.

mod check;
mod json;
mod schema;

use std::cell::RefCell;
use std::fmt::Arguments;
use std::ops::Range;
use std::time::Duration;

use serde_json::Value;
use toml::Spanned;
use toml::de::{DeTable, DeValue};
use toolc::segment::FactValue;

use super::keys::{Key, KeyType};
use super::offsets;
use crate::diagnostic::{At, Code, Diagnostic, Place, Sink, SourceId};
use crate::source::{Kind, Source};
use crate::text::Fault;
use crate::text::atoms::{AtomId, AtomTable, Template, When};
use crate::text::condition::{self, Written};
use crate::text::template::{self, Piece, WrittenFact};
use json::json;

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
    atom_table: &'t RefCell<AtomTable>,
    /// The definitions that a `$ref` may lead to, as they are written.
    defs: Option<&'t DeTable<'t>>,
    /// The whole manifest, and what it is of.
    document: (Kind, &'t DeTable<'t>),
    depth: usize,
    /// What it should not have.
    unknown: Vec<Unknown<'t>>,
}

/// The value of a key that a table should not have, and the key that is most likely meant.
type Unknown<'t> = (Option<&'static str>, &'t Spanned<DeValue<'t>>);

impl<'t> Reader<'t> {
    /// A whole manifest. What its conditions ask is collected in `atom_table`.
    pub(super) fn document(
        (id, source): (SourceId, &'t Source),
        kind: Kind,
        document: &'t Spanned<DeTable<'t>>,
        atom_table: &'t RefCell<AtomTable>,
        sink: &'t Sink,
    ) -> Self {
        let table = document.get_ref();
        // The whole file would be no place to point at.
        let first = table.keys().map(Spanned::span).min_by_key(|span| span.start).unwrap_or(0..0);
        let place = Place::new(id, first);
        let (text, keys, document, unknown) = (&source.text, kind.keys(), (kind, table), Vec::new());
        let reader =
            Self { source: id, text, table, keys, place, sink, atom_table, defs: None, document, depth: 0, unknown };
        let unknown = reader.check(format_args!("{}", kind.document()));
        let reader = Self { unknown, ..reader };
        Self { defs: reader.defs(), ..reader }
    }

    /// A table within it. None where it is too deep.
    fn nested(
        &self,
        table: &'t DeTable<'t>,
        place: Place,
        keys: &'static [&'static [Key]],
        what: Arguments<'_>,
    ) -> Option<Self> {
        let reader = Self { table, keys, place, depth: self.depth + 1, unknown: Vec::new(), ..*self };
        if reader.depth > DEEPEST {
            let message = format!("a schema nested more than {DEEPEST} deep");
            self.sink.push(Diagnostic::new(Code::SCHEMA_TOO_LARGE, place, message).help("flatten it"));
            return None;
        }
        let unknown = reader.check(what);
        Some(Self { unknown, ..reader })
    }

    /// Where this table stands.
    pub(super) fn place(&self) -> Place {
        self.place
    }

    /// A string.
    pub(super) fn text(&self, key: &str) -> Option<At<String>> {
        let value = self.get(key)?;
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
        let mut atom_table = self.atom_table.borrow_mut();
        let atom_table = RefCell::new(&mut *atom_table);
        let mut atom = |asked: Written| self.ask(&mut atom_table.borrow_mut(), value, text, asked);
        let mut fact =
            |(name, span): WrittenFact| atom_table.borrow_mut().fact(name, || self.within(value, text, span));
        Some(At::new(pieces.into_iter().map(|piece| piece.map(&mut atom, &mut fact)).collect(), place))
    }

    /// A condition.
    pub(super) fn condition(&self, key: &str) -> Option<At<When>> {
        let (value, text) = self.string(key)?;
        match condition::parse(text) {
            Ok(condition) => {
                let mut atom_table = self.atom_table.borrow_mut();
                let condition = condition.map(&mut |asked| self.ask(&mut atom_table, value, text, asked));
                Some(At::new(condition, self.at(value)))
            }
            Err(fault) => {
                self.fault(value, text, fault, Code::CONDITION);
                None
            }
        }
    }

    fn ask(&self, atom_table: &mut AtomTable, value: &Spanned<DeValue<'_>>, text: &str, asked: Written) -> AtomId {
        atom_table.atom(asked.asks, || self.within(value, text, asked.span))
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
        let value = self.get(key)?;
        Some((value, value.get_ref().as_str()?))
    }

    /// The table that is a key's value.
    pub(super) fn table(&self, key: &str) -> Option<Self> {
        let value = self.get(key)?;
        self.nested(value.get_ref().as_table()?, self.at(value), self.inner(key), format_args!("`{key}`"))
    }

    /// The tables in a key's table, with their names, in the author's order.
    pub(super) fn tables(&self, key: &str) -> Vec<(At<String>, Self)> {
        let table = |(name, value): (At<String>, &'t Spanned<DeValue<'t>>)| {
            let (table, what) = (value.get_ref().as_table()?, &name.value);
            let reader = self.nested(table, name.place, self.inner(key), format_args!("`{key}.{what}`"))?;
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
            self.nested(table, place, self.inner(key), format_args!("a table of `{key}`"))
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
        let (source, table) = (self.source, self.get(key).and_then(|value| value.get_ref().as_table()));
        table
            .into_iter()
            .flatten()
            .map(move |(name, value)| (At::new(name.get_ref().to_string(), Place::new(source, name.span())), value))
    }

    /// What a key takes.
    fn key_type(&self, key: &str) -> Option<&'static KeyType> {
        self.keys.iter().copied().flatten().find(|known| known.name == key).map(|known| &known.key_type)
    }

    /// The keys of the tables in a key's value.
    fn inner(&self, key: &str) -> &'static [&'static [Key]] {
        match self.key_type(key) {
            Some(KeyType::Table(keys) | KeyType::Tables(keys) | KeyType::List(keys)) => std::slice::from_ref(keys),
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

    /// `true` or `false`.
    pub(super) fn flag(&self, key: &str) -> Option<bool> {
        self.get(key)?.get_ref().as_bool()
    }

    /// The same, with its place.
    pub(super) fn flag_at(&self, key: &str) -> Option<At<bool>> {
        let value = self.get(key)?;
        value.get_ref().as_bool().map(|flag| At::new(flag, self.at(value)))
    }

    fn json(&self, key: &str) -> Option<At<Value>> {
        let value = self.get(key)?;
        Some(At::new(json(value).ok()?, self.at(value)))
    }

    /// The value of a key. One that is misspelt stands for the nearest one: what rests on its absence is not reported.
    fn get(&self, key: &str) -> Option<&'t Spanned<DeValue<'t>>> {
        // Tables are small, and asked for every key that they might have: a hash of each would take longer.
        let found = self.table.iter().find(|(name, _)| name.get_ref() == key).map(|(_, value)| value);
        let meant = || self.unknown.iter().find(|(meant, _)| *meant == Some(key)).map(|(_, value)| *value);
        found.or_else(meant)
    }

    fn items(&self, key: &str) -> impl Iterator<Item = &'t Spanned<DeValue<'t>>> + use<'t> {
        self.get(key).and_then(|value| value.get_ref().as_array()).into_iter().flat_map(|array| array.iter())
    }

    fn at<T>(&self, spanned: &Spanned<T>) -> Place {
        Place::new(self.source, spanned.span())
    }
}
