//! The kinds of keys. A kind says what a key accepts, and what it is read as; a table names one for each of its keys.

use std::marker::PhantomData;

use serde_json::{Map, Value, json};

use crate::diagnostic::At;
use crate::read::fact_to_json;
use crate::{HasKeys, KeyKind, KeyType, Language, ReadKey, ReadTable, Reader, Words};

/// Declares kinds whose value is what a method of the reader returns.
macro_rules! kinds {
    ($($(#[$meta:meta])* $name:ident: $key_type:ident => $value:ty = $method:ident $(, |$of:ident| $json:expr)?;)+) => { $(
        $(#[$meta])*
        #[derive(Debug)]
        pub struct $name;

        impl KeyKind for $name {
            const TYPE: KeyType = KeyType::$key_type;

            type Value = $value;

            $(fn to_json($of: &$value) -> Value {
                $json
            })?
        }

        impl<L: Language> ReadKey<L> for $name {
            fn read(reader: &Reader<'_, L>, key: &'static str) -> $value {
                reader.$method(key)
            }
        }
    )+ };
}

kinds! {
    /// A string, with its place.
    Text: Text => Option<At<String>> = text, |text| json!(text.as_ref().map(|text| &text.value));
    /// A string that means nothing to the reader; empty if it is missing.
    Prose: Text => String = prose, |text| json!(text);
    /// `true` or `false`, with its place.
    Flag: Flag => Option<At<bool>> = flag_at, |flag| json!(flag.as_ref().map(|flag| flag.value));
    /// An array of strings, which may be empty.
    Texts: Texts => Vec<At<String>> = texts, |texts| strings(texts);
    /// An array of at least one string.
    Names: Names => Vec<At<String>> = texts, |texts| strings(texts);
    /// An integer of at least 1.
    Count: Count => Option<At<u32>> = count_at, |count| json!(count.as_ref().map(|count| count.value));
    /// An integer of at least 0.
    WholeNumber: WholeNumber => Option<At<u32>> = whole_number, |number| json!(number.as_ref().map(|number| number.value));
    /// Numbers above 0 and up to 100, by name.
    Percents: Percents => Vec<(At<String>, f64)> = numbers_by_name;
    /// A string, a boolean or an integer.
    FactValue: FactValue => Option<toolc::FactValue> = fact_value, |value| value.as_ref().map_or(Value::Null, fact_to_json);
    /// Strings, booleans and integers, by name.
    FactValues: FactValues => Vec<(At<String>, At<toolc::FactValue>)> = fact_values,
        |values| values.iter().map(|(name, value)| (name.value.clone(), fact_to_json(&value.value))).collect();
    /// Strings, by name.
    TextsByName: TextsByName => Vec<(At<String>, At<String>)> = texts_by_name,
        |texts| texts.iter().map(|(name, text)| (name.value.clone(), json!(text.value))).collect();
    /// A finite number of at least 0.
    Amount: Amount => Option<At<f64>> = amount, |amount| json!(amount.as_ref().map(|amount| amount.value));
    /// A JSON value.
    Json: Json => Option<At<Value>> = json, |json| json!(json.as_ref().map(|json| &json.value));
    /// An array of JSON values.
    Jsons: Jsons => Vec<At<Value>> = jsons;
}

/// Returns texts as a JSON array.
fn strings(texts: &[At<String>]) -> Value {
    texts.iter().map(|text| text.value.as_str()).collect()
}

/// A table that knows its name.
pub trait HasName: HasKeys {
    /// Returns the name.
    fn name(&self) -> &str;
}

/// Declares kinds of a type, with their values.
macro_rules! generic_kinds {
    ($($(#[$meta:meta])* $name:ident<$of:ident: $bound:ident> => $key_type:expr, $value:ty $(, |$read:ident| $json:expr)?;)+) => { $(
        $(#[$meta])*
        #[derive(Debug)]
        pub struct $name<$of>(PhantomData<$of>);

        impl<$of: $bound> KeyKind for $name<$of> {
            const TYPE: KeyType = $key_type;

            type Value = $value;

            $(fn to_json($read: &$value) -> Value {
                $json
            })?
        }
    )+ };
}

generic_kinds! {
    /// One word of a set.
    Word<W: Words> => KeyType::Word(W::WORDS), Option<At<W>>, |word| json!(word.as_ref().map(|word| word.value.word()));
    /// An array of at least one word of a set.
    WordList<W: Words> => KeyType::Words(W::WORDS), Vec<At<String>>, |words| strings(words);
    /// Words of a set, by name.
    WordsByName<W: Words> => KeyType::WordsByName(W::WORDS), Vec<(At<String>, W)>;
    /// A table.
    Table<T: HasKeys> => KeyType::Table(T::KEYS), Option<T>,
        |table| table.as_ref().map_or(Value::Null, |table| table.to_json().into());
    /// A table, empty if it is missing.
    TableOrDefault<T: HasKeys> => KeyType::Table(T::KEYS), T, |table| table.to_json().into();
    /// A table whose keys have their defaults if it is missing.
    Section<T: HasKeys> => KeyType::Table(T::KEYS), T, |table| table.to_json().into();
    /// Tables by name, in the author's order, each of which knows its name.
    Named<T: HasName> => KeyType::Tables(T::KEYS), Vec<T>,
        |tables| tables.iter().map(|table| (table.name().to_owned(), Value::Object(table.to_json()))).collect();
    /// Tables by name, in the author's order.
    Tables<T: HasKeys> => KeyType::Tables(T::KEYS), Vec<T>;
    /// An array of tables.
    List<T: HasKeys> => KeyType::List(T::KEYS), Vec<T>,
        |tables| tables.iter().map(|table| Value::Object(table.to_json())).collect();
}

impl<L: Language, W: Words> ReadKey<L> for Word<W> {
    fn read(reader: &Reader<'_, L>, key: &'static str) -> Self::Value {
        let word = reader.text(key)?;
        Some(At::new(W::from_word(&word.value)?, word.place))
    }
}

impl<L: Language, W: Words> ReadKey<L> for WordList<W> {
    fn read(reader: &Reader<'_, L>, key: &'static str) -> Self::Value {
        reader.texts(key)
    }
}

impl<L: Language, W: Words> ReadKey<L> for WordsByName<W> {
    fn read(reader: &Reader<'_, L>, key: &'static str) -> Self::Value {
        let words = reader.texts_by_name(key).into_iter();
        words.filter_map(|(name, word)| Some((name, W::from_word(&word.value)?))).collect()
    }
}

impl<L: Language, T: ReadTable<L>> ReadKey<L> for Table<T> {
    fn read(reader: &Reader<'_, L>, key: &'static str) -> Self::Value {
        reader.table(key).map(|reader| T::read(&reader))
    }
}

impl<L: Language, T: ReadTable<L> + Default> ReadKey<L> for TableOrDefault<T> {
    fn read(reader: &Reader<'_, L>, key: &'static str) -> T {
        reader.table(key).map_or_else(T::default, |reader| T::read(&reader))
    }
}

impl<L: Language, T: ReadTable<L>> ReadKey<L> for Section<T> {
    fn read(reader: &Reader<'_, L>, key: &'static str) -> T {
        T::read(&reader.section(key))
    }
}

impl<L: Language, T: ReadTable<L> + HasName> ReadKey<L> for Named<T> {
    fn read(reader: &Reader<'_, L>, key: &'static str) -> Self::Value {
        reader.tables(key).iter().map(T::read).collect()
    }
}

impl<L: Language, T: ReadTable<L>> ReadKey<L> for Tables<T> {
    fn read(reader: &Reader<'_, L>, key: &'static str) -> Self::Value {
        reader.tables(key).iter().map(T::read).collect()
    }
}

impl<L: Language, T: ReadTable<L>> ReadKey<L> for List<T> {
    fn read(reader: &Reader<'_, L>, key: &'static str) -> Self::Value {
        reader.list(key).iter().map(T::read).collect()
    }
}

/// A length of time.
#[derive(Debug)]
pub struct Duration;

impl KeyKind for Duration {
    const TYPE: KeyType = KeyType::Duration;

    type Value = Option<At<std::time::Duration>>;

    fn to_json(duration: &Self::Value) -> Value {
        json!(duration.as_ref().map(|duration| duration.value.as_millis()))
    }

    /// As a number, whose unit is part of the name.
    fn add_json(key: &str, value: &Self::Value, to: &mut Map<String, Value>) {
        to.insert(format!("{key}_ms"), Self::to_json(value));
    }
}

impl<L: Language> ReadKey<L> for Duration {
    fn read(reader: &Reader<'_, L>, key: &'static str) -> Self::Value {
        reader.duration(key)
    }
}

/// `true` or `false`, with the default for a missing key.
#[derive(Debug)]
pub struct FlagOr<const DEFAULT: bool>;

impl<const DEFAULT: bool> KeyKind for FlagOr<DEFAULT> {
    const TYPE: KeyType = KeyType::Flag;

    type Value = bool;

    fn to_json(flag: &bool) -> Value {
        json!(flag)
    }
}

impl<L: Language, const DEFAULT: bool> ReadKey<L> for FlagOr<DEFAULT> {
    fn read(reader: &Reader<'_, L>, key: &'static str) -> bool {
        reader.flag(key).unwrap_or(DEFAULT)
    }
}

/// A required key.
#[derive(Debug)]
pub struct Required<K>(PhantomData<K>);

impl<K: KeyKind> KeyKind for Required<K> {
    const TYPE: KeyType = K::TYPE;
    const REQUIRED: bool = true;

    type Value = K::Value;

    fn to_json(value: &K::Value) -> Value {
        K::to_json(value)
    }
}

impl<L: Language, K: ReadKey<L>> ReadKey<L> for Required<K> {
    fn read(reader: &Reader<'_, L>, key: &'static str) -> K::Value {
        K::read(reader, key)
    }
}
