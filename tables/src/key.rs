//! A key of a table: its name, what it accepts, and its documentation.

use std::marker::PhantomData;

use serde_json::{Map, Value};

/// The JSON types.
pub(crate) const JSON_TYPES: [&str; 7] = ["null", "boolean", "integer", "number", "string", "array", "object"];

/// One key of a table.
#[derive(Debug, Clone, Copy)]
pub struct Key {
    /// The name of the key.
    pub name: &'static str,
    /// The values that the key accepts.
    pub key_type: KeyType,
    /// Whether a table without it is refused.
    pub required: bool,
    /// The documentation of the key, for authors. The first sentence says what the value is; diagnostics quote it: see
    /// [`Key::meaning`].
    pub doc: &'static str,
    /// Returns what a missing key means, as JSON of what a file would say. `None` if the documentation alone says it.
    pub default: Option<fn() -> Value>,
}

impl Key {
    /// Returns a key whose values are of the kind `K`.
    pub const fn new<K: KeyKind>(name: &'static str, doc: &'static str) -> Self {
        Self { name, key_type: K::TYPE, required: K::REQUIRED, doc: doc.trim_ascii(), default: None }
    }

    /// Adds a default.
    #[must_use]
    pub const fn with_default(self, default: fn() -> Value) -> Self {
        Self { default: Some(default), ..self }
    }

    /// Returns the whole documentation, with the default.
    pub fn documentation(&self) -> String {
        match self.default.map(|default| default()) {
            None => self.doc.to_owned(),
            Some(Value::String(text)) => format!("{} Default: `{text}`.", self.doc),
            Some(Value::Bool(flag)) => format!("{} Default: `{flag}`.", self.doc),
            Some(default) => format!("{} Default: {default}.", self.doc),
        }
    }

    /// Returns the first sentence of the documentation as a phrase: without its capital and its full stop.
    pub fn phrase(&self) -> String {
        let sentence = self.doc.split_once(". ").map_or(self.doc.trim_end_matches('.'), |(first, _)| first);
        let begins_with_acronym = sentence.chars().nth(1).is_some_and(|second| second.is_ascii_uppercase());
        let mut phrase = sentence.to_owned();
        if let Some(first) = phrase.get_mut(..1)
            && !begins_with_acronym
        {
            first.make_ascii_lowercase();
        }
        phrase
    }

    /// Returns a sentence that says what the value is, for a help: "`timeout` is the maximum duration of a call".
    pub fn meaning(&self) -> String {
        let phrase = self.phrase();
        let is_question = ["whether ", "how ", "which "].iter().any(|word| phrase.starts_with(word));
        let verb = match self.key_type {
            _ if is_question => "says",
            KeyType::Texts
            | KeyType::Names
            | KeyType::Words(_)
            | KeyType::Jsons
            | KeyType::Choices
            | KeyType::List(_)
            | KeyType::Schemas => "lists",
            KeyType::Table(_)
            | KeyType::Tables(_)
            | KeyType::WordsByName(_)
            | KeyType::Percents
            | KeyType::FactValues
            | KeyType::TextsByName
            | KeyType::Properties => "holds",
            _ => "is",
        };
        format!("`{}` {verb} {phrase}", self.name)
    }
}

/// The word for a limit that does not exist.
pub const UNLIMITED: &str = "unlimited";

/// A kind of key.
pub trait KeyKind {
    /// What the key accepts.
    const TYPE: KeyType;
    /// Whether a table without the key is refused.
    const REQUIRED: bool = false;

    /// What is read.
    type Value;

    /// Returns the value as JSON, or null if it is missing or if writing it takes more than the file.
    fn to_json(_: &Self::Value) -> Value {
        Value::Null
    }

    /// Adds the value to the object of its table.
    fn add_json(key: &str, value: &Self::Value, to: &mut Map<String, Value>) {
        to.insert(key.to_owned(), Self::to_json(value));
    }
}

/// A table with declared keys.
pub trait HasKeys {
    /// The keys, in the order in which they are documented and formatted.
    const KEYS: &'static [Key];

    /// Returns the values by their keys, in order. Those that [`KeyKind::to_json`] does not write are null.
    fn to_json(&self) -> Map<String, Value>;
}

/// A key whose kind is a type parameter, so that the reader returns values of the right Rust type.
#[derive(Debug)]
pub struct TypedKey<K> {
    /// The key.
    pub key: Key,
    kind: PhantomData<fn() -> K>,
}

impl<K: KeyKind> TypedKey<K> {
    /// Returns a key of the kind `K`.
    pub const fn new(name: &'static str, doc: &'static str) -> Self {
        Self { key: Key::new::<K>(name, doc), kind: PhantomData }
    }
}

/// What a key accepts.
#[derive(Debug, Clone, Copy)]
pub enum KeyType {
    /// A string.
    Text,
    /// A string with conditions and facts in it.
    Template,
    /// A condition.
    Condition,
    /// One of these words, each with its documentation.
    Word(&'static [(&'static str, &'static str)]),
    /// `true` or `false`.
    Flag,
    /// An integer.
    Integer,
    /// An integer or a float.
    Number,
    /// An array of strings.
    Texts,
    /// An array of at least one string.
    Names,
    /// An array of at least one of these words.
    Words(&'static [(&'static str, &'static str)]),
    /// An integer from 1 to 2^32 - 1.
    Count,
    /// An integer from 0 to 2^32 - 1.
    WholeNumber,
    /// An integer from 1 to 2^32 - 1, or `unlimited`.
    CountOrUnlimited,
    /// A length of time: a number and its unit, as a string.
    Duration,
    /// A table with these keys.
    Table(&'static [Key]),
    /// Tables with these keys, by name.
    Tables(&'static [Key]),
    /// An array of tables with these keys.
    List(&'static [Key]),
    /// Words of this set, by name.
    WordsByName(&'static [(&'static str, &'static str)]),
    /// Numbers above 0 and up to 100, by name.
    Percents,
    /// Any JSON value.
    Json,
    /// An array of JSON values.
    Jsons,
    /// The name of a JSON type, or an array of them.
    Types,
    /// An array of JSON values, each as it is or as `{ value = ..., when = ... }`.
    Choices,
    /// A string, a boolean or an integer within ±2^53.
    FactValue,
    /// Such values, by name.
    FactValues,
    /// Strings, by name.
    TextsByName,
    /// A finite number of at least 0.
    Amount,
    /// A schema: a table with the keywords of JSON Schema.
    Schema,
    /// `#/$defs/NAME`
    Reference,
    /// An array of schemas.
    Schemas,
    /// A table of schemas by property name.
    Properties,
    /// `true`, `false`, or a schema.
    FlagOrSchema,
}

impl KeyType {
    /// Describes the accepted values, for a message that says what was expected.
    pub fn expected(self) -> &'static str {
        match self {
            KeyType::Text | KeyType::Word(_) | KeyType::Template => "a string",
            KeyType::Condition => "a string that holds a condition",
            KeyType::Names | KeyType::Words(_) => "an array of at least one string",
            KeyType::Count => "an integer of at least 1",
            KeyType::WholeNumber => "an integer of at least 0",
            KeyType::CountOrUnlimited => "an integer of at least 1, or `unlimited`",
            KeyType::Duration => "a string with a number and its unit, such as `90s`",
            KeyType::Table(_) => "a table",
            KeyType::Tables(_) => "a table of tables",
            KeyType::List(_) => "an array of tables",
            KeyType::WordsByName(_) => "a table of words",
            KeyType::Percents => "a table of numbers",
            KeyType::FactValue => "a string, a boolean or an integer",
            KeyType::FactValues => "a table of strings, booleans and integers",
            KeyType::TextsByName => "a table of strings",
            KeyType::Amount => "a number of at least 0",
            KeyType::Flag => "`true` or `false`",
            KeyType::Integer => "an integer",
            KeyType::Number => "a number",
            KeyType::Texts => "an array of strings",
            KeyType::Json => "a JSON value",
            KeyType::Jsons | KeyType::Choices => "an array",
            KeyType::Types => "the name of a type, or an array of them",
            KeyType::Schema => "a schema, which is a table",
            KeyType::Reference => "a string of the form `#/$defs/NAME`",
            KeyType::Schemas => "an array of schemas",
            KeyType::Properties => "a table of properties",
            KeyType::FlagOrSchema => "`true`, `false` or a schema",
        }
    }

    /// Returns the noun for a value in the tables of documentation.
    pub fn noun(self) -> &'static str {
        match self {
            KeyType::Text | KeyType::Reference => "string",
            KeyType::Template => "template",
            KeyType::Condition => "condition",
            KeyType::Word(_) => "word",
            KeyType::Flag => "boolean",
            KeyType::Integer | KeyType::Count | KeyType::WholeNumber => "integer",
            KeyType::Number | KeyType::Amount => "number",
            KeyType::Texts | KeyType::Names => "array of strings",
            KeyType::Words(_) => "array of words",
            KeyType::CountOrUnlimited => "integer, or `unlimited`",
            KeyType::Duration => "duration",
            KeyType::Table(_) => "table",
            KeyType::Tables(_) => "tables by name",
            KeyType::List(_) => "array of tables",
            KeyType::WordsByName(_) => "words by name",
            KeyType::Percents => "numbers by name",
            KeyType::Json => "any value",
            KeyType::Jsons | KeyType::Choices => "array",
            KeyType::Types => "string or array of strings",
            KeyType::FactValue => "string, boolean or integer",
            KeyType::FactValues => "strings, booleans or integers by name",
            KeyType::TextsByName => "strings by name",
            KeyType::Schema => "schema",
            KeyType::Schemas => "array of schemas",
            KeyType::Properties => "properties by name",
            KeyType::FlagOrSchema => "boolean or schema",
        }
    }

    /// Returns an example value. A table has its required keys, or its first key if none is required.
    pub fn sample(self) -> String {
        let word = |words: &[(&str, &str)]| words.first().map(|(word, _)| format!("\"{word}\"")).unwrap_or_default();
        let schema = "{ type = \"string\" }";
        let table = |keys: &[Key]| {
            let mut shown: Vec<&Key> = keys.iter().filter(|key| key.required).collect();
            if shown.is_empty() {
                shown.extend(keys.first());
            }
            let entries: Vec<String> =
                shown.iter().map(|key| format!("{} = {}", key.name, key.key_type.sample())).collect();
            format!("{{ {} }}", entries.join(", "))
        };
        match self {
            KeyType::Text | KeyType::Template | KeyType::FactValue | KeyType::Json => "\"...\"".to_owned(),
            KeyType::Condition => "\"facts.NAME\"".to_owned(),
            KeyType::Duration => "\"90s\"".to_owned(),
            KeyType::Types => "\"string\"".to_owned(),
            KeyType::Reference => "\"#/$defs/NAME\"".to_owned(),
            KeyType::Word(words) => word(words),
            KeyType::Flag | KeyType::FlagOrSchema => "true".to_owned(),
            KeyType::Integer
            | KeyType::Number
            | KeyType::Amount
            | KeyType::Count
            | KeyType::WholeNumber
            | KeyType::CountOrUnlimited => "1".to_owned(),
            KeyType::Texts | KeyType::Names | KeyType::Jsons | KeyType::Choices => "[\"...\"]".to_owned(),
            KeyType::Words(words) => format!("[{}]", word(words)),
            KeyType::Table(keys) => table(keys),
            KeyType::Tables(keys) => format!("{{ NAME = {} }}", table(keys)),
            KeyType::List(keys) => format!("[{}]", table(keys)),
            KeyType::WordsByName(words) => format!("{{ NAME = {} }}", word(words)),
            KeyType::Percents => "{ NAME = 50 }".to_owned(),
            KeyType::FactValues => "{ NAME = true }".to_owned(),
            KeyType::TextsByName => "{ NAME = \"...\" }".to_owned(),
            KeyType::Schema => schema.to_owned(),
            KeyType::Schemas => format!("[{schema}]"),
            KeyType::Properties => format!("{{ NAME = {schema} }}"),
        }
    }
}
