//! What the schemas of each dialect may say. Data: [`narrow`](super::narrow) keeps to it, and the guide to the dialects is
//! made of it. Limits are those that providers stated, or enforced, by 2026-11; where they differ, the narrower one.

use crate::dialects::{Limit, gemini, openai};
use crate::schema::Spelling;

/// What a language of schemas takes.
#[derive(Debug, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools, reason = "each is a fact about a provider")]
pub struct SchemaSubset {
    /// The words that it has. Whether those that describe a structure are among them (`type`, `description`, `properties`,
    /// `required`, `items`) makes no difference.
    pub words: &'static [&'static str],
    /// The values of `format` that it knows. None: any.
    pub formats: Option<&'static [&'static str]>,
    /// What patterns may be.
    pub patterns: Patterns,
    /// The greatest `minItems`.
    pub most_min_items: Option<u64>,
    /// What may be said of a `$ref`.
    pub refs: Refs,
    /// What the values of an `enum` may be.
    pub enums: Enums,
    /// Whether there is null.
    pub null: bool,
    /// Whether `type` may be a list.
    pub type_lists: bool,
    /// Whether a description may stand beside `anyOf`.
    pub described_unions: bool,
    /// Whether an object may have no properties.
    pub empty_objects: bool,
    /// Whether a property may be left out. Where not, each is required, and null stands for absence.
    pub optional: bool,
    /// Levels of schemas within schemas. Those below are sent as JSON text.
    pub levels: usize,
    /// How it is written.
    pub spelling: Spelling,
}

/// What patterns may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Patterns {
    /// Any regular expression.
    Any,
    /// Anchored on both sides, of classes, groups and repetitions: what a grammar is made of.
    Grammar,
}

/// What may be said of a `$ref`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refs {
    /// Anything beside it, and it may lead back.
    Free,
    /// It stands alone.
    Alone {
        /// Whether it may lead back to where it stands.
        recursive: bool,
    },
    /// There is none.
    Never,
}

/// What the values of an `enum` may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Enums {
    /// Any.
    Any,
    /// No arrays and no objects.
    Scalars,
    /// Strings.
    Strings,
}

impl SchemaSubset {
    /// Draft 2020-12, as the author wrote it.
    pub const WHOLE: Self = Self {
        words: WORDS,
        formats: None,
        patterns: Patterns::Any,
        most_min_items: None,
        refs: Refs::Free,
        enums: Enums::Any,
        null: true,
        type_lists: true,
        described_unions: true,
        empty_objects: true,
        optional: true,
        levels: 24,
        spelling: Spelling::JSON_SCHEMA,
    };

    /// OpenAI's strict mode.
    pub const OPENAI_STRICT: Self = Self {
        words: stated(openai::STRICT.supported),
        formats: Some(stated(openai::STRICT.formats)),
        refs: Refs::Alone { recursive: true },
        enums: Enums::Scalars,
        optional: false,
        levels: stated(openai::STRICT.size).depth,
        spelling: Spelling { says_required: true, ..Spelling::JSON_SCHEMA },
        ..Self::WHOLE
    };

    /// Anthropic's strict mode.
    pub const ANTHROPIC_STRICT: Self = Self {
        words: &["title", "enum", "minItems", "format", "anyOf"],
        // Those that its SDK keeps.
        formats: Some(&["date-time", "time", "date", "duration", "email", "hostname", "uri", "ipv4", "ipv6", "uuid"]),
        most_min_items: Some(1),
        refs: Refs::Alone { recursive: false },
        enums: Enums::Scalars,
        // Its SDK takes none apart.
        type_lists: false,
        ..Self::WHOLE
    };

    /// The `OpenAPI` subset of Gemini's `parameters`.
    pub const OPENAPI: Self = Self {
        words: stated(gemini::OPENAPI.supported),
        formats: Some(&["date-time", "int32", "int64", "float", "double"]),
        refs: Refs::Never,
        enums: Enums::Strings,
        type_lists: false,
        described_unions: false,
        empty_objects: false,
        spelling: Spelling { openapi: true, says_closed: false, says_required: false },
        ..Self::WHOLE
    };

    /// What every provider takes, llama.cpp's grammar included.
    pub const PORTABLE: Self = Self {
        words: &[
            "title",
            "enum",
            "minimum",
            "maximum",
            "minLength",
            "maxLength",
            "pattern",
            "format",
            "minItems",
            "maxItems",
            "anyOf",
        ],
        formats: Some(&["date-time"]),
        patterns: Patterns::Grammar,
        null: false,
        spelling: Spelling { openapi: false, says_closed: false, says_required: false },
        ..Self::OPENAPI
    };

    /// Whether null may be among the types of a schema. Where not, it is an alternative.
    pub fn lists_null(&self) -> bool {
        self.type_lists || self.spelling.openapi
    }

    /// Whether it has a word.
    pub fn takes(&self, word: &str) -> bool {
        self.words.contains(&word)
    }

    /// Whether it takes whatever an author may write.
    pub fn is_whole(&self) -> bool {
        *self == Self::WHOLE
    }
}

/// What a provider is known to say: a language is made of no more than that.
const fn stated<T: Copy>(limit: Option<Limit<T>>) -> T {
    match limit {
        Some(limit) => limit.value,
        None => panic!("the provider's data have no such limit"),
    }
}

/// Every word that is not about the structure of a value.
pub const WORDS: &[&str] = &[
    "title",
    "deprecated",
    "default",
    "examples",
    "enum",
    "const",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minLength",
    "maxLength",
    "pattern",
    "format",
    "minItems",
    "maxItems",
    "uniqueItems",
    "minProperties",
    "maxProperties",
    "anyOf",
    "oneOf",
    "allOf",
];
