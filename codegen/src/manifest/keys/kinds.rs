//! The kinds of keys. A kind says what a key accepts here, and [what it is read as](super::super::read::ReadKey) in the
//! reader; a table of a manifest names one for each of its keys.

use std::marker::PhantomData;

use super::{Key, KeyType};

/// The word for a limit that does not exist.
pub const UNLIMITED: &str = "unlimited";

/// A kind of key.
pub trait KeyKind {
    /// What the key accepts.
    const TYPE: KeyType;
    /// Whether a manifest without the key is refused.
    const REQUIRED: bool = false;
}

/// A table with declared keys.
pub trait HasKeys {
    /// The keys, in the order in which they are documented and formatted.
    const KEYS: &'static [Key];
}

/// A closed set of words, each with its documentation.
pub trait Words: Copy + Sized + 'static {
    /// The words, in the order of the variants.
    const WORDS: &'static [(&'static str, &'static str)];

    /// The variants.
    const ALL: &'static [Self];

    /// Returns the word for it in a manifest.
    fn word(self) -> &'static str;

    /// Returns the variant that a word stands for, or `None` if the word is unknown.
    fn from_word(word: &str) -> Option<Self> {
        let at = Self::WORDS.iter().position(|(known, _)| *known == word)?;
        Self::ALL.get(at).copied()
    }
}

/// Declares an enum of words, with the documentation of each word.
#[doc(hidden)]
#[macro_export]
macro_rules! words {
    ($(#[$meta:meta])* pub enum $name:ident { $($(#[doc = $doc:literal])+ $variant:ident = $word:literal,)+ }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum $name {
            $($(#[doc = $doc])+ $variant,)+
        }

        impl $name {
            /// Returns the word for it in a manifest.
            pub const fn word(self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)+
                }
            }
        }

        impl $crate::manifest::keys::kinds::Words for $name {
            const WORDS: &'static [(&'static str, &'static str)] =
                &[$(($word, concat!($($doc),+).trim_ascii()),)+];
            const ALL: &'static [Self] = &[$(Self::$variant,)+];

            fn word(self) -> &'static str {
                $name::word(self)
            }
        }
    };
}
pub(in crate::manifest) use words;

macro_rules! kinds {
    ($($(#[$meta:meta])* $name:ident => $key_type:ident;)+) => { $(
        $(#[$meta])*
        #[derive(Debug)]
        pub struct $name;

        impl KeyKind for $name {
            const TYPE: KeyType = KeyType::$key_type;
        }
    )+ };
}

kinds! {
    /// The name of the declared tool, toolset or the like; the file's stem if the key is missing.
    Name => Text;
    /// A string, with its place.
    Text => Text;
    /// The address of a page, with its place.
    Url => Text;
    /// A string that means nothing to the compiler; empty if it is missing.
    Prose => Text;
    /// A string with conditions and facts in it.
    Template => Template;
    /// The description of a tool: a template, empty if it is missing.
    Description => Template;
    /// A condition.
    Condition => Condition;
    /// `true` or `false`, with its place.
    Flag => Flag;
    /// An array of strings, which may be empty.
    Texts => Texts;
    /// An array of at least one string.
    Names => Names;
    /// An integer of at least 1.
    Count => Count;
    /// An integer of at least 0.
    WholeNumber => WholeNumber;
    /// The maximum number of characters of a result: an integer of at least 1, or [`UNLIMITED`].
    MaxResultChars => CountOrUnlimited;
    /// A length of time.
    Duration => Duration;
    /// Numbers above 0 and up to 100, by name.
    Percents => Percents;
    /// A string, a boolean or an integer.
    FactValue => FactValue;
    /// Strings, booleans and integers, by name.
    FactValues => FactValues;
    /// Strings, by name.
    TextsByName => TextsByName;
    /// A finite number of at least 0.
    Amount => Amount;
    /// A schema.
    Schema => Schema;
    /// The parameters of a tool, combined with its `schema`.
    Params => Properties;
    /// A JSON value.
    Json => Json;
    /// An array of JSON values.
    Jsons => Jsons;
    /// An integer or a float that JSON Schema itself checks.
    Number => Number;
    /// An integer that JSON Schema itself checks.
    Integer => Integer;
    /// A boolean that JSON Schema itself checks.
    Boolean => Flag;
    /// A regular expression.
    Pattern => Text;
    /// The name of a JSON type, or an array of them.
    Types => Types;
    /// The values of an enum.
    Choices => Choices;
    /// The target of a `$ref`.
    Reference => Reference;
    /// An array of schemas.
    Schemas => Schemas;
    /// Schemas by the name of their property.
    Properties => Properties;
    /// `true`, `false`, or a schema.
    FlagOrSchema => FlagOrSchema;
}

macro_rules! generic_kinds {
    ($($(#[$meta:meta])* $name:ident<$of:ident: $bound:ident> => $key_type:expr;)+) => { $(
        $(#[$meta])*
        #[derive(Debug)]
        pub struct $name<$of>(PhantomData<$of>);

        impl<$of: $bound> KeyKind for $name<$of> {
            const TYPE: KeyType = $key_type;
        }
    )+ };
}

generic_kinds! {
    /// One word of a set.
    Word<W: Words> => KeyType::Word(W::WORDS);
    /// An array of at least one word of a set.
    WordList<W: Words> => KeyType::Words(W::WORDS);
    /// Words of a set, by name.
    WordsByName<W: Words> => KeyType::WordsByName(W::WORDS);
    /// A table.
    Table<T: HasKeys> => KeyType::Table(T::KEYS);
    /// A table, empty if it is missing.
    TableOrDefault<T: HasKeys> => KeyType::Table(T::KEYS);
    /// Tables by name, in the author's order.
    Tables<T: HasKeys> => KeyType::Tables(T::KEYS);
    /// An array of tables.
    List<T: HasKeys> => KeyType::List(T::KEYS);
}

/// `true` or `false`, with the default for a missing key.
#[derive(Debug)]
pub struct FlagOr<const DEFAULT: bool>;

impl<const DEFAULT: bool> KeyKind for FlagOr<DEFAULT> {
    const TYPE: KeyType = KeyType::Flag;
}

/// How the handler of a tool runs; `sync` if it is missing.
#[derive(Debug)]
pub struct Execution;

impl KeyKind for Execution {
    const TYPE: KeyType = KeyType::Word(<toolc::behaviour::Execution as Words>::WORDS);
}

impl Words for toolc::behaviour::Execution {
    const WORDS: &'static [(&'static str, &'static str)] = &[
        (Self::Sync.word(), "Runs on the caller's thread, for work that is done in moments."),
        (Self::Blocking.word(), "Runs on a thread of a pool, for work that computes or waits for long."),
        (Self::Async.word(), "Runs as a future on the caller's executor."),
        (Self::Agent.word(), "Runs in the agent's own loop. The tool has no handler."),
    ];
    const ALL: &'static [Self] = &toolc::behaviour::Execution::ALL;

    fn word(self) -> &'static str {
        toolc::behaviour::Execution::word(self)
    }
}

/// Implements [`Words`] for sets that the crate `toolc-commands` declares.
macro_rules! words_of_commands {
    ($($kind:ty)*) => { $(
        impl Words for $kind {
            const WORDS: &'static [(&'static str, &'static str)] = &{
                let mut words = [("", ""); <$kind>::WORDS.len()];
                let mut at = 0;
                while at < words.len() {
                    words[at] = (<$kind>::WORDS[at].0, <$kind>::WORDS[at].2);
                    at += 1;
                }
                words
            };
            const ALL: &'static [Self] = &{
                let mut all = [<$kind>::WORDS[0].1; <$kind>::WORDS.len()];
                let mut at = 0;
                while at < all.len() {
                    all[at] = <$kind>::WORDS[at].1;
                    at += 1;
                }
                all
            };

            fn word(self) -> &'static str {
                <$kind>::word(self)
            }
        }
    )* };
}

words_of_commands! {
    toolc_commands::programs::CodeShell
    toolc_commands::programs::ScriptLanguage
    toolc_commands::rules::ExpansionKind
    toolc_commands::rules::InputKind
    toolc_commands::rules::ScriptEffect
    toolc_commands::rules::Statement
    toolc_commands::rules::Verdict
}

/// The keywords of the schema of a tool's arguments.
#[derive(Debug)]
pub struct ArgumentsRoot;

impl KeyKind for ArgumentsRoot {
    const TYPE: KeyType = KeyType::Table(super::ROOT);
}

/// The type of a tool's arguments.
#[derive(Debug)]
pub struct ObjectType;

impl KeyKind for ObjectType {
    const TYPE: KeyType = KeyType::Word(&[("object", "Arguments are always an object.")]);
}

/// Schemas by name, for `$ref`s to refer to.
#[derive(Debug)]
pub struct Definitions;

impl KeyKind for Definitions {
    const TYPE: KeyType = KeyType::Tables(super::SCHEMA);
}

/// A required key.
#[derive(Debug)]
pub struct Required<K>(PhantomData<K>);

impl<K: KeyKind> KeyKind for Required<K> {
    const TYPE: KeyType = K::TYPE;
    const REQUIRED: bool = true;
}
