//! Reads each kind of key, and writes it to `catalog.json`.

use serde_json::{Map, Value, json};
use toolc::__gen::table::Type;
use toolc::behaviour::{Execution, MaxResultChars};

use super::Reader;
use crate::diagnostic::{At, Place};
use crate::manifest::keys::kinds::{self, HasKeys, KeyKind, Words};
use crate::schema::{Additional, Choice, Property, Reference, Schema};
use crate::text::atoms::{Template, When};

/// A kind of key that has a value.
pub trait ReadKey: KeyKind {
    /// What is read.
    type Value;

    /// Reads the value. What does not fit has been reported, and is read as if the key were missing.
    fn read(reader: &Reader<'_>, key: &'static str) -> Self::Value;

    /// Returns the value as JSON, or null if it is missing or if writing it takes more than the manifest.
    fn to_json(_: &Self::Value) -> Value {
        Value::Null
    }

    /// Adds the value to the object of its table.
    fn add_json(key: &str, value: &Self::Value, to: &mut Map<String, Value>) {
        to.insert(key.to_owned(), Self::to_json(value));
    }
}

/// A table that can be read.
pub trait ReadTable: HasKeys {
    /// Reads the values of all keys.
    fn read(reader: &Reader<'_>) -> Self;

    /// Returns the values by their keys, in order. Those that [`ReadKey::to_json`] does not write are null.
    fn to_json(&self) -> Map<String, Value>;
}

impl<K: ReadKey> ReadKey for kinds::Required<K> {
    type Value = K::Value;

    fn read(reader: &Reader<'_>, key: &'static str) -> K::Value {
        K::read(reader, key)
    }

    fn to_json(value: &K::Value) -> Value {
        K::to_json(value)
    }
}

/// Implements [`ReadKey`] for kinds whose value is what a method of the reader returns.
macro_rules! read {
    ($($kind:ident => $value:ty = $method:ident $(, |$of:ident| $json:expr)?;)+) => { $(
        impl ReadKey for kinds::$kind {
            type Value = $value;

            fn read(reader: &Reader<'_>, key: &'static str) -> $value {
                reader.$method(key)
            }

            $(fn to_json($of: &$value) -> Value {
                $json
            })?
        }
    )+ };
}

read! {
    Name => At<String> = name_or_stem, |name| json!(name.value);
    Text => Option<At<String>> = text, |text| json!(text.as_ref().map(|text| &text.value));
    Url => Option<At<String>> = text, |url| json!(url.as_ref().map_or("", |url| &url.value));
    Prose => String = prose, |text| json!(text);
    Template => Option<At<Template>> = template;
    Description => At<Template> = description;
    Condition => Option<At<When>> = condition;
    Flag => Option<At<bool>> = flag_at, |flag| json!(flag.as_ref().map(|flag| flag.value));
    Texts => Vec<At<String>> = texts, |texts| strings(texts);
    Names => Vec<At<String>> = texts, |texts| strings(texts);
    Count => Option<At<u32>> = count_at, |count| json!(count.as_ref().map(|count| count.value));
    MaxResultChars => Option<MaxResultChars> = max_result_chars, |max| match max {
        Some(MaxResultChars::Chars(chars)) => json!(chars),
        Some(MaxResultChars::Unlimited) => json!(kinds::UNLIMITED),
        None => Value::Null,
    };
    WholeNumber => Option<At<u32>> = whole_number, |number| json!(number.as_ref().map(|number| number.value));
    Percents => Vec<(At<String>, f64)> = numbers_by_name;
    FactValues => Vec<(At<String>, At<toolc::FactValue>)> = fact_values;
    TextsByName => Vec<(At<String>, At<String>)> = texts_by_name;
    Amount => Option<At<f64>> = amount, |amount| json!(amount.as_ref().map(|amount| amount.value));
    FactValue => Option<toolc::FactValue> = fact_value, |value| value.as_ref().map_or(Value::Null, fact);
    Schema => Option<Schema> = subschema;
    Json => Option<At<Value>> = json, |json| json!(json.as_ref().map(|json| &json.value));
    Jsons => Vec<At<Value>> = jsons;
    Number => Option<At<Value>> = bound;
    Integer => Option<At<Value>> = bound;
    Boolean => Option<At<Value>> = bound;
    FlagOrSchema => Additional = additional;
    Reference => Option<Reference> = reference;
    Pattern => Option<At<String>> = pattern;
    Types => Vec<Type> = types;
    Choices => Vec<Choice> = choices;
    Schemas => Vec<Schema> = subschemas;
    Properties => Vec<Property> = properties;
}

fn strings(texts: &[At<String>]) -> Value {
    texts.iter().map(|text| text.value.as_str()).collect()
}

/// Returns the value of a fact as JSON.
pub(crate) fn fact(value: &toolc::FactValue) -> Value {
    match value {
        toolc::FactValue::Text(text) => json!(text),
        toolc::FactValue::Boolean(flag) => json!(flag),
        toolc::FactValue::Integer(integer) => json!(integer),
    }
}

impl ReadKey for kinds::Duration {
    type Value = Option<At<std::time::Duration>>;

    fn read(reader: &Reader<'_>, key: &'static str) -> Self::Value {
        reader.duration(key)
    }

    fn to_json(duration: &Self::Value) -> Value {
        json!(duration.as_ref().map(|duration| duration.value.as_millis()))
    }

    /// As a number, whose unit is part of the name.
    fn add_json(key: &str, value: &Self::Value, to: &mut Map<String, Value>) {
        to.insert(format!("{key}_ms"), Self::to_json(value));
    }
}

impl<const DEFAULT: bool> ReadKey for kinds::FlagOr<DEFAULT> {
    type Value = bool;

    fn read(reader: &Reader<'_>, key: &'static str) -> bool {
        reader.flag(key).unwrap_or(DEFAULT)
    }

    fn to_json(flag: &bool) -> Value {
        json!(flag)
    }
}

impl<W: Words> ReadKey for kinds::Word<W> {
    type Value = Option<At<W>>;

    fn read(reader: &Reader<'_>, key: &'static str) -> Self::Value {
        let word = reader.text(key)?;
        Some(At::new(W::from_word(&word.value)?, word.place))
    }

    fn to_json(word: &Self::Value) -> Value {
        json!(word.as_ref().map(|word| word.value.word()))
    }
}

impl<W: Words> ReadKey for kinds::WordList<W> {
    type Value = Vec<At<String>>;

    fn read(reader: &Reader<'_>, key: &'static str) -> Self::Value {
        reader.texts(key)
    }

    fn to_json(words: &Self::Value) -> Value {
        strings(words)
    }
}

impl<W: Words> ReadKey for kinds::WordsByName<W> {
    type Value = Vec<(At<String>, W)>;

    fn read(reader: &Reader<'_>, key: &'static str) -> Self::Value {
        let words = reader.texts_by_name(key).into_iter();
        words.filter_map(|(name, word)| Some((name, W::from_word(&word.value)?))).collect()
    }
}

impl ReadKey for kinds::Execution {
    type Value = At<Execution>;

    fn read(reader: &Reader<'_>, key: &'static str) -> Self::Value {
        let Some(word) = reader.text(key) else { return At::new(Execution::Sync, reader.name_place()) };
        match Execution::from_word(&word.value) {
            Some(execution) => At::new(execution, word.place),
            // The value was reported. `async` accepts every other key, so no further errors follow.
            None => At::new(Execution::Async, reader.name_place()),
        }
    }

    fn to_json(execution: &Self::Value) -> Value {
        json!(execution.value.word())
    }
}

impl<T: ReadTable> ReadKey for kinds::Table<T> {
    type Value = Option<T>;

    fn read(reader: &Reader<'_>, key: &'static str) -> Self::Value {
        reader.table(key).map(|reader| T::read(&reader))
    }

    fn to_json(table: &Self::Value) -> Value {
        table.as_ref().map_or(Value::Null, |table| table.to_json().into())
    }
}

impl<T: ReadTable + Default> ReadKey for kinds::TableOrDefault<T> {
    type Value = T;

    fn read(reader: &Reader<'_>, key: &'static str) -> T {
        reader.table(key).map_or_else(T::default, |reader| T::read(&reader))
    }

    fn to_json(table: &T) -> Value {
        table.to_json().into()
    }
}

impl<T: ReadTable> ReadKey for kinds::Tables<T> {
    type Value = Vec<T>;

    fn read(reader: &Reader<'_>, key: &'static str) -> Self::Value {
        reader.tables(key).iter().map(T::read).collect()
    }
}

impl<T: ReadTable> ReadKey for kinds::List<T> {
    type Value = Vec<T>;

    fn read(reader: &Reader<'_>, key: &'static str) -> Self::Value {
        reader.list(key).iter().map(T::read).collect()
    }

    fn to_json(tables: &Self::Value) -> Value {
        tables.iter().map(|table| Value::Object(table.to_json())).collect()
    }
}

impl ReadKey for kinds::Params {
    type Value = Schema;

    /// Reads an object without properties: the schema is read from two keys, by [`Reader::arguments`].
    fn read(reader: &Reader<'_>, _: &'static str) -> Schema {
        Schema::new(reader.name_place())
    }
}

impl ReadKey for kinds::ArgumentsRoot {
    type Value = Option<Place>;

    fn read(reader: &Reader<'_>, key: &'static str) -> Self::Value {
        reader.place_of(key)
    }
}
