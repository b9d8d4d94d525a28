//! The subset of JSON Schema that a dialect accepts. The lowering rewrites every schema into it.

use super::limits::{Refused, limits};

limits! {
    /// What a dialect accepts of JSON Schema 2020-12. A limit that is `None` restricts nothing.
    SchemaSubset {
        /// The accepted keywords about values. Lowering ignores whether the list also contains keywords about structure (`type`,
        /// `description`, `properties`, `required`, `items`).
        keywords: &'static [&'static str],
        /// The accepted values of `format`.
        formats: &'static [&'static str],
        /// Patterns beyond what a grammar can express: those that are not anchored, or contain more than classes, groups
        /// and repetitions.
        non_grammar_patterns: Refused,
        /// Patterns of values in arrays and objects, rather than of parameters.
        nested_patterns: Refused,
        /// How often a grammar may repeat a part: the maximum of the bounds of lengths, and of the repetitions in patterns.
        max_repetitions: u64,
        /// The maximum value of `minItems`.
        max_min_items: u64,
        /// Where a `$ref` may be.
        refs: Refs,
        /// What the values of an `enum` may be.
        enums: Enums,
        /// The type null, and `nullable`.
        null: Refused,
        /// A list of types in `type`.
        type_lists: Refused,
        /// Keywords next to `anyOf`, a description included.
        union_siblings: Refused,
        /// Objects with further properties: `additionalProperties` other than `false`.
        open_objects: Refused,
        /// Objects without properties.
        empty_objects: Refused,
        /// Properties that may be absent. Each becomes required, and null stands for absence.
        optional_properties: Refused,
        /// Arrays without `items`.
        untyped_arrays: Refused,
        /// Levels of schemas within schemas. Deeper ones are sent as JSON text.
        max_depth: usize,
    }
}

/// Where a `$ref` may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refs {
    /// Alone in its schema.
    Alone {
        /// Whether it may refer to a definition that refers to itself, directly or through other definitions.
        recursive: bool,
    },
    /// Nowhere.
    Never,
}

/// What the values of an `enum` may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Enums {
    /// No arrays and no objects.
    Scalars,
    /// Strings that are not empty.
    Strings,
}

/// Every keyword about values that a manifest can contain.
pub const KEYWORDS: &[&str] = &[
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
