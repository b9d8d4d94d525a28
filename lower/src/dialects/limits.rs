//! Limits: facts about what a vendor accepts, each with its source, the date on which it was read, and its confidence.

use std::fmt::{self, Debug};

pub use toolc::__gen::name::NameGrammar;

/// A fact about a dialect, and its evidence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limit<T> {
    /// The value.
    pub value: T,
    /// The page or the issue in which the fact was read.
    pub source: &'static str,
    /// The date on which the fact was read, as `YYYY-MM-DD`.
    pub verified_on: &'static str,
    /// How reliable it is. Only a limit of high confidence makes a finding an error.
    pub confidence: Confidence,
}

/// How reliable a limit is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Confidence {
    /// Inferred from what is not documented, from one report, or long ago.
    Low,
    /// Documented somewhere, or reported by several users.
    Medium,
    /// Documented by the vendor, or enforced by its API.
    High,
}

impl Confidence {
    /// Returns `low`, `medium` or `high`.
    pub fn word(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
        }
    }
}

/// Returns a limit with its evidence, for a field of a record.
#[expect(clippy::unnecessary_wraps, reason = "the fields of a record are optional")]
pub(super) const fn limit<T>(
    value: T,
    confidence: Confidence,
    verified_on: &'static str,
    source: &'static str,
) -> Option<Limit<T>> {
    Some(Limit { value, source, verified_on, confidence })
}

/// Returns the limit of a value that the runtime has, too, if the dialect has it.
pub(super) const fn of_runtime<T: Copy>(
    value: Option<T>,
    confidence: Confidence,
    verified_on: &'static str,
    source: &'static str,
) -> Option<Limit<T>> {
    match value {
        Some(value) => limit(value, confidence, verified_on, source),
        None => None,
    }
}

/// The value of a limit on something that the dialect refuses entirely.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Refused;

impl Debug for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("refused")
    }
}

/// A limit for people: in the documentation, and in tests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatedLimit {
    /// The name of its field.
    pub name: &'static str,
    /// The value of the limit, as text.
    pub value: String,
    /// See [`Limit::source`].
    pub source: &'static str,
    /// See [`Limit::verified_on`].
    pub verified_on: &'static str,
    /// See [`Limit::confidence`].
    pub confidence: Confidence,
}

/// Declares a record of limits. Each can be read by the method of its name and by no other way, so that a test can tell
/// which limits nothing reads.
macro_rules! limits {
    ($(#[$about:meta])* $name:ident { $($(#[$doc:meta])* $field:ident: $type:ty,)* }) => {
        $(#[$about])*
        #[derive(Debug, Clone, Copy)]
        pub struct $name {
            $(pub(super) $field: Option<$crate::dialects::Limit<$type>>,)*
        }

        impl $name {
            /// The name of every limit.
            pub const NAMES: &[&str] = &[$(stringify!($field)),*];

            /// No limit at all.
            pub(super) const NONE: Self = Self { $($field: None,)* };

            $(
                $(#[$doc])*
                pub fn $field(&self) -> Option<$crate::dialects::Limit<$type>> {
                    self.$field
                }
            )*

            /// Returns the limits that are stated, for people to read.
            pub fn stated(&self) -> Vec<$crate::dialects::StatedLimit> {
                let mut stated = Vec::new();
                $(
                    stated.extend(self.$field.map(|limit| $crate::dialects::StatedLimit {
                        name: stringify!($field),
                        value: format!("{:?}", limit.value),
                        source: limit.source,
                        verified_on: limit.verified_on,
                        confidence: limit.confidence,
                    }));
                )*
                stated
            }
        }
    };
}
pub(super) use limits;

limits! {
    /// What a dialect accepts of one tool, apart from its [schemas](super::SchemaSubset).
    ToolLimits {
        /// Names of tools.
        tool_name: NameGrammar,
        /// Names that no tool can have.
        reserved_names: &'static [&'static str],
        /// Names of parameters at the top level.
        parameter_name: NameGrammar,
        /// Names of properties below the top level.
        nested_name: NameGrammar,
        /// The maximum number of characters of a tool's description.
        max_description: usize,
        /// The minimum number of sentences of a tool's description that the vendor advises.
        advised_sentences: usize,
        /// Keywords that the API ignores, although it accepts them. They are also stated in words.
        ignored_keywords: &'static [&'static str],
        /// Keywords that the root of the parameters must not have.
        root_keywords: &'static [&'static str],
        /// Patterns that not every engine of regular expressions reads: lookarounds, named groups, Unicode classes, back references,
        /// and an open bracket in a class.
        engine_patterns: Refused,
        /// Keywords next to a `$ref` other than `description` and `default`.
        ref_siblings: Refused,
        /// How large the schema of one tool may be.
        max_size: Size,
        /// Tools that only code may call: the dialect would let the model call them.
        code_only_tools: Refused,
        /// Parameters whose values clients repeat in HTTP headers.
        headers: HeaderRules,
        /// The number of characters that clients put before a tool's name. They count towards the length of the name.
        client_prefix: usize,
    }
}

limits! {
    /// What a dialect accepts of a whole request: limits on all of its tools together.
    RequestLimits {
        /// The maximum number of tools.
        max_tools: usize,
        /// The maximum number of tools that the vendor advises.
        advised_tools: usize,
        /// The maximum of what all tools contain together.
        max_total: Total,
        /// Two tools of the same name, the vendor's own tools included.
        duplicate_names: Refused,
        /// Lists of tools that differ between connections.
        varying_lists: Refused,
    }
}

/// The size of one schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    /// Properties, at every depth.
    pub properties: usize,
    /// Characters of names, enum values and constants together.
    pub text: usize,
    /// Values of all enums together.
    pub enum_values: usize,
    /// An enum with more values than this is a long one.
    pub long_enum: usize,
    /// Characters of the values of a long enum.
    pub long_enum_text: usize,
}

/// Which parameters a client may repeat in HTTP headers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HeaderRules {
    /// Characters of a name besides ASCII letters and digits.
    pub punctuation: &'static str,
    /// The types of the values.
    pub types: &'static [&'static str],
    /// The largest integer, and the smallest without its sign.
    pub max_integer: i64,
}

/// What the tools of a request contain together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Total {
    /// Tools.
    pub tools: usize,
    /// Optional parameters.
    pub optional: usize,
    /// Unions: `anyOf`, and lists of types.
    pub unions: usize,
}
