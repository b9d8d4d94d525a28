//! The kinds of keys that only manifests have, besides those of [`toolc_tables`].

use serde_json::{Value, json};
use toolc::__gen::table::Type;
use toolc::behaviour::{self, MaxResultChars as Max};
use toolc_lower::schema as read_as;
use toolc_lower::text::atoms::{Template as Pieces, When};
use toolc_tables::KeyType;
pub use toolc_tables::kinds::*;
pub use toolc_tables::{KeyKind, UNLIMITED, Words};

use crate::diagnostic::At;

/// Declares kinds, with their values.
macro_rules! manifest_kinds {
    ($($(#[$meta:meta])* $name:ident: $key_type:expr => $value:ty $(, |$of:ident| $json:expr)?;)+) => { $(
        $(#[$meta])*
        #[derive(Debug)]
        pub struct $name;

        impl KeyKind for $name {
            const TYPE: KeyType = $key_type;

            type Value = $value;

            $(fn to_json($of: &$value) -> Value {
                $json
            })?
        }
    )+ };
}

pub(super) use manifest_kinds;

manifest_kinds! {
    /// The name of the declared tool, toolset or the like; the file's stem if the key is missing.
    Name: KeyType::Text => At<String>, |name| json!(name.value);
    /// The address of a page, with its place.
    Url: KeyType::Text => Option<At<String>>, |url| json!(url.as_ref().map_or("", |url| &url.value));
    /// A string with conditions and facts in it.
    Template: KeyType::Template => Option<At<Pieces>>;
    /// The description of a tool: a template, empty if it is missing.
    Description: KeyType::Template => At<Pieces>;
    /// A condition.
    Condition: KeyType::Condition => Option<At<When>>;
    /// How the handler of a tool runs; `sync` if it is missing.
    Execution: KeyType::Word(EXECUTIONS) => At<behaviour::Execution>, |execution| json!(execution.value.word());
    /// The maximum number of characters of a result: an integer of at least 1, or [`UNLIMITED`].
    MaxResultChars: KeyType::CountOrUnlimited => Option<Max>, |max| match max {
        Some(Max::Chars(chars)) => json!(chars),
        Some(Max::Unlimited) => json!(UNLIMITED),
        None => Value::Null,
    };
    /// The parameters of a tool. The schema is read from two keys, by [`arguments`](schema::arguments): this is an object without
    /// properties.
    Params: KeyType::Properties => read_as::Schema;
    /// The type of a tool's arguments.
    ObjectType: KeyType::Word(&[("object", "Arguments are always an object.")]) => ();
    /// A schema.
    Schema: KeyType::Schema => Option<read_as::Schema>;
    /// An integer or a float that JSON Schema itself checks.
    Number: KeyType::Number => Option<At<Value>>;
    /// An integer that JSON Schema itself checks.
    Integer: KeyType::Integer => Option<At<Value>>;
    /// A boolean that JSON Schema itself checks.
    Boolean: KeyType::Flag => Option<At<Value>>;
    /// A regular expression.
    Pattern: KeyType::Text => Option<At<String>>;
    /// The name of a JSON type, or an array of them.
    Types: KeyType::Types => Vec<Type>;
    /// The values of an enum.
    Choices: KeyType::Choices => Vec<read_as::Choice>;
    /// The target of a `$ref`.
    Reference: KeyType::Reference => Option<read_as::Reference>;
    /// An array of schemas.
    Schemas: KeyType::Schemas => Vec<read_as::Schema>;
    /// Schemas by the name of their property.
    Properties: KeyType::Properties => Vec<read_as::Property>;
    /// `true`, `false`, or a schema.
    FlagOrSchema: KeyType::FlagOrSchema => read_as::Additional;
}

const EXECUTIONS: &[(&str, &str)] = &[
    (behaviour::Execution::Sync.word(), "Runs on the caller's thread, for work that is done in moments."),
    (behaviour::Execution::Blocking.word(), "Runs on a thread of a pool, for work that computes or waits for long."),
    (behaviour::Execution::Async.word(), "Runs as a future on the caller's executor."),
    (behaviour::Execution::Agent.word(), "Runs in the agent's own loop. The tool has no handler."),
];

/// A word of a set that the crate `toolc-commands` declares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OfCommands<W>(pub W);

/// Implements [`Words`] for sets that the crate `toolc-commands` declares.
macro_rules! words_of_commands {
    ($($kind:ty)*) => { $(
        impl Words for OfCommands<$kind> {
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
                let mut all = [Self(<$kind>::WORDS[0].1); <$kind>::WORDS.len()];
                let mut at = 0;
                while at < all.len() {
                    all[at] = Self(<$kind>::WORDS[at].1);
                    at += 1;
                }
                all
            };

            fn word(self) -> &'static str {
                self.0.word()
            }
        }
    )* };
}

words_of_commands! {
    toolc_commands::programs::CodeShell
    toolc_commands::programs::ScriptLanguage
    toolc_commands::rules::ExpansionKind
    toolc_commands::rules::InputKind
    toolc_commands::rules::Rights
    toolc_commands::rules::ScriptEffect
    toolc_commands::rules::Statement
    toolc_commands::rules::Verdict
}
