//! What providers take, as data: each value with where it was read and when. Rules and lowering read it; nothing else
//! knows a provider's limit. A dialect is a file here and a line in [`PROVIDERS`].

mod anthropic;
pub(crate) mod gemini;
mod llamacpp;
mod mcp;
pub(crate) mod openai;
mod portable;
pub mod schema_subset;

use crate::catalog::Settings;

/// A value, and why it is believed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limit<T> {
    /// The value.
    pub value: T,
    /// Where it was read.
    pub source: &'static str,
    /// When, as `YYYY-MM-DD`.
    pub verified_on: &'static str,
    /// How much to rely on it: only what is sure makes an error.
    pub confidence: Confidence,
}

/// How much a value can be relied on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Confidence {
    /// By absence, by one report, or long ago.
    Low,
    /// Written somewhere, or seen by several.
    Medium,
    /// Written by the provider, or enforced by it.
    High,
}

/// What a provider wants where tools are shown in one dialect. None: it says nothing about that.
#[derive(Debug)]
pub struct Provider {
    /// The dialect's name.
    pub dialect: &'static str,
    /// Tools' names.
    pub tool_name: Option<Limit<NameGrammar>>,
    /// Parameters' names at the top level.
    pub parameter_name: Option<Limit<NameGrammar>>,
    /// Parameters' names below that.
    pub nested_name: Option<Limit<NameGrammar>>,
    /// Characters of a tool's description, at most.
    pub description_chars: Option<Limit<usize>>,
    /// Sentences of a tool's description, at least, as advised.
    pub advised_sentences: Option<Limit<usize>>,
    /// Tools of one request, at most.
    pub tools: Option<Limit<usize>>,
    /// Tools of one request, as advised.
    pub advised_tools: Option<Limit<usize>>,
    /// Words that the root of the arguments must not have.
    pub refused_at_root: Option<Limit<&'static [&'static str]>>,
    /// Words that no schema may have.
    pub refused: Option<Limit<&'static [&'static str]>>,
    /// The only words that a schema may have.
    pub supported: Option<Limit<&'static [&'static str]>>,
    /// The only values of `format`.
    pub formats: Option<Limit<&'static [&'static str]>>,
    /// Whether words beside a `$ref` are refused.
    pub lone_ref: Option<Limit<bool>>,
    /// Whether words beside an `anyOf` are refused.
    pub lone_any_of: Option<Limit<bool>>,
    /// Whether definitions may lead to themselves.
    pub recursion: Option<Limit<bool>>,
    /// Whether an enum holds strings only.
    pub string_enums: Option<Limit<bool>>,
    /// Whether an array must say what its items are.
    pub array_items: Option<Limit<bool>>,
    /// Whether an object must have properties.
    pub object_properties: Option<Limit<bool>>,
    /// Whether every object has to refuse further properties.
    pub closed_objects: Option<Limit<bool>>,
    /// Whether every property has to be required: an optional one is a union with null.
    pub all_required: Option<Limit<bool>>,
    /// Values that `minItems` takes. Empty: any.
    pub min_items: Option<Limit<&'static [u64]>>,
    /// What a pattern has to be like.
    pub pattern: Option<Limit<Pattern>>,
    /// How large one tool's schema may be.
    pub size: Option<Limit<Size>>,
    /// How much the tools of one request may hold together.
    pub budget: Option<Limit<Budget>>,
}

/// The shape of a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NameGrammar {
    /// What its first letter may be besides a letter of ASCII.
    pub first: &'static str,
    /// What its other letters may be besides letters and digits of ASCII.
    pub rest: &'static str,
    /// Whether it may begin with a digit.
    pub starts_with_digit: bool,
    /// Characters, at most.
    pub max_length: usize,
}

/// What a regular expression has to be like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pattern {
    /// Whether it has to begin with `^` and end with `$`.
    pub anchored: bool,
    /// Escapes that it must not have.
    pub refused: &'static [&'static str],
}

/// How large one schema may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    /// Properties, at every depth.
    pub properties: usize,
    /// Levels of objects.
    pub depth: usize,
    /// Characters of names, enums and constants together.
    pub text: usize,
    /// Values of all enums together.
    pub enum_values: usize,
    /// An enum with more values than this is a long one.
    pub long_enum: usize,
    /// Characters of the values of a long enum.
    pub long_enum_text: usize,
}

/// How much the tools of one request may hold together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    /// Tools in this dialect.
    pub tools: usize,
    /// Optional parameters.
    pub optional: usize,
    /// Unions: `anyOf`, and lists of types.
    pub unions: usize,
}

/// Every dialect's.
pub const PROVIDERS: &[Provider] = &[
    openai::CHAT,
    openai::STRICT,
    openai::RESPONSES,
    anthropic::MESSAGES,
    anthropic::STRICT,
    gemini::JSON_SCHEMA,
    gemini::OPENAPI,
    mcp::MCP,
    portable::PORTABLE,
];

/// What llama.cpp's grammars take: no dialect, but what many local hosts run.
pub use llamacpp::PATTERN as LLAMACPP_PATTERN;
pub use portable::CLIENT_PREFIX;

/// That of a dialect.
pub fn provider(dialect: &str) -> Option<&'static Provider> {
    PROVIDERS.iter().find(|provider| provider.dialect == dialect)
}

/// Those of the dialects that a project is for: what `toolc.toml` names; all that are written, where it names none.
pub fn declared(settings: &Settings) -> impl Iterator<Item = &'static Provider> + use<> {
    let names = settings.declared_dialects.clone();
    PROVIDERS.iter().filter(move |provider| names.contains(&provider.dialect))
}

impl NameGrammar {
    /// The same as a regular expression.
    pub fn pattern(self) -> String {
        let Self { first, rest, starts_with_digit, max_length } = self;
        if starts_with_digit && first == rest {
            return format!("^[a-zA-Z0-9{rest}]{{1,{max_length}}}$");
        }
        let digits = if starts_with_digit { "0-9" } else { "" };
        format!("^[a-zA-Z{digits}{first}][a-zA-Z0-9{rest}]{{0,{}}}$", max_length - 1)
    }

    /// Whether a name is of this shape.
    pub fn takes(&self, name: &str) -> bool {
        let is_first = |c: char| {
            c.is_ascii_alphabetic() || self.first.contains(c) || (self.starts_with_digit && c.is_ascii_digit())
        };
        let is_other = |c: char| c.is_ascii_alphanumeric() || self.rest.contains(c);
        let mut letters = name.chars();
        letters.next().is_some_and(is_first) && letters.all(is_other) && name.chars().count() <= self.max_length
    }
}

impl Provider {
    /// One that says nothing.
    const fn new(dialect: &'static str) -> Self {
        Self {
            dialect,
            tool_name: None,
            parameter_name: None,
            nested_name: None,
            description_chars: None,
            advised_sentences: None,
            tools: None,
            advised_tools: None,
            refused_at_root: None,
            refused: None,
            supported: None,
            formats: None,
            lone_ref: None,
            lone_any_of: None,
            recursion: None,
            string_enums: None,
            array_items: None,
            object_properties: None,
            closed_objects: None,
            all_required: None,
            min_items: None,
            pattern: None,
            size: None,
            budget: None,
        }
    }
}

/// A value that was read there, on that day.
#[allow(clippy::unnecessary_wraps, reason = "it is written where there may be none")]
const fn limit<T>(
    value: T,
    confidence: Confidence,
    verified_on: &'static str,
    source: &'static str,
) -> Option<Limit<T>> {
    Some(Limit { value, source, verified_on, confidence })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifest::keys::{PROPERTY, SCHEMA};

    #[test]
    fn every_dialect_of_the_design_is_known_once() {
        let names: Vec<&str> = PROVIDERS.iter().map(|provider| provider.dialect).collect();
        let design = [
            "openai",
            "openai-strict",
            "openai-responses",
            "anthropic",
            "anthropic-strict",
            "gemini",
            "gemini-openapi",
            "mcp",
            "portable",
        ];
        assert_eq!(names, design);
        assert_eq!(crate::lower::DIALECTS.iter().map(|dialect| dialect.name).collect::<Vec<_>>(), names);
    }

    #[test]
    fn names_are_held_against_their_shape() {
        let takes = |dialect: &str, name: &str| provider(dialect).unwrap().tool_name.unwrap().value.takes(name);
        assert!(takes("openai", "1-a") && !takes("openai", "a.b") && !takes("openai", &"a".repeat(65)));
        assert!(takes("gemini", "_a.b:c") && !takes("gemini", "1a"));
        assert!(takes("portable", "a_b-c") && !takes("portable", "é") && !takes("portable", ""));
        assert!(takes("mcp", &"a".repeat(128)));
    }

    /// A misspelt word would never be found in a schema.
    #[test]
    fn words_are_those_of_json_schema_and_dates_are_dates() {
        const OTHERS: [&str; 17] = [
            "not",
            "if",
            "then",
            "else",
            "patternProperties",
            "propertyNames",
            "dependentRequired",
            "dependentSchemas",
            "prefixItems",
            "unevaluatedItems",
            "unevaluatedProperties",
            "contains",
            "required",
            "nullable",
            "example",
            "propertyOrdering",
            "$defs",
        ];
        let known = |word: &str| OTHERS.contains(&word) || SCHEMA.iter().chain(PROPERTY).any(|key| key.name == word);
        for provider in PROVIDERS {
            for limit in [provider.refused_at_root, provider.refused, provider.supported].into_iter().flatten() {
                limit.value.iter().for_each(|word| assert!(known(word), "{}: {word}", provider.dialect));
                let parts: Vec<&str> = limit.verified_on.split('-').collect();
                assert_eq!(parts.iter().map(|part| part.len()).collect::<Vec<_>>(), [4, 2, 2]);
                assert!(!limit.source.is_empty());
            }
        }
    }
}
