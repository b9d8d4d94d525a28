//! The words of schemas.

use super::{Key, KeyType, key, required};

/// Words of a schema, JSON Schema's own (draft 2020-12).
pub const SCHEMA: &[Key] = &[
    key("type", KeyType::Types, "The JSON type, or an array of those that are allowed."),
    key("$ref", KeyType::Reference, "The definition that it is, in `[schema]`'s `$defs`: `#/$defs/NAME`."),
    TITLE,
    DESCRIPTION,
    DEPRECATED,
    key(
        "enum",
        KeyType::Choices,
        "The values that are allowed; `{ value = ..., when = ... }` where one is not in every turn.",
    ),
    key("const", KeyType::Json, "The one value that is allowed."),
    key("default", KeyType::Json, "What is assumed where the model sends nothing. The handler gets it."),
    EXAMPLES,
    key("minimum", KeyType::Number, "The least number."),
    key("maximum", KeyType::Number, "The greatest number."),
    key("exclusiveMinimum", KeyType::Number, "Numbers must be greater than this."),
    key("exclusiveMaximum", KeyType::Number, "Numbers must be less than this."),
    key("multipleOf", KeyType::Number, "Numbers must be a multiple of this."),
    key("minLength", KeyType::Integer, "The least length of a string, in code points."),
    key("maxLength", KeyType::Integer, "The greatest length of a string, in code points."),
    key("pattern", KeyType::Text, "A regular expression that a string has to match somewhere in it."),
    key(
        "format",
        KeyType::Text,
        "What a string stands for: `date-time`, `uri`, `email` and the like. Told to the model.",
    ),
    ANY_OF,
    ONE_OF,
    ALL_OF,
    key("items", KeyType::Schema, "The schema of an array's items."),
    key("minItems", KeyType::Integer, "The least number of items."),
    key("maxItems", KeyType::Integer, "The greatest number of items."),
    key("uniqueItems", KeyType::Flag, "Whether items must differ from one another."),
    PROPERTIES,
    ADDITIONAL_PROPERTIES,
    MIN_PROPERTIES,
    MAX_PROPERTIES,
];

/// Words of the schema of a tool's arguments, which are an object.
pub const ROOT: &[Key] = &[
    key("type", KeyType::Word(&[("object", "Arguments are an object.")]), "`object`, which it is anyway."),
    TITLE,
    DESCRIPTION,
    DEPRECATED,
    EXAMPLES,
    ANY_OF,
    ONE_OF,
    ALL_OF,
    PROPERTIES,
    ADDITIONAL_PROPERTIES,
    MIN_PROPERTIES,
    MAX_PROPERTIES,
    key("$defs", KeyType::Tables(SCHEMA), "Schemas with a name, for `$ref`s to lead to: a table for each."),
];

const TITLE: Key = key("title", KeyType::Text, "A short name for people.");
const DESCRIPTION: Key = key("description", KeyType::Template, "What the model is told about it.");
const DEPRECATED: Key = key("deprecated", KeyType::Flag, "Whether it is better left alone. Told to the model.");
const EXAMPLES: Key = key("examples", KeyType::Jsons, "Values that show what is meant.");
const ANY_OF: Key = key("anyOf", KeyType::Schemas, "Alternatives, of which at least one has to hold.");
const ONE_OF: Key = key("oneOf", KeyType::Schemas, "Alternatives, of which exactly one has to hold.");
const ALL_OF: Key = key("allOf", KeyType::Schemas, "Schemas that have to hold all together.");
const PROPERTIES: Key = key("properties", KeyType::Properties, "An object's properties: a table for each.");
const ADDITIONAL_PROPERTIES: Key = key(
    "additionalProperties",
    KeyType::FlagOrSchema,
    "Whether an object may have further properties, or the schema of those. `false` unless said otherwise.",
);
const MIN_PROPERTIES: Key = key("minProperties", KeyType::Integer, "The least number of properties.");
const MAX_PROPERTIES: Key = key("maxProperties", KeyType::Integer, "The greatest number of properties.");

/// Words that schemas elsewhere have and manifests have not, with what to write instead. No provider's strict mode takes
/// them, and arguments could not be held against them.
pub const FOREIGN: &[(&str, &str)] = &[
    ("not", "say what is allowed instead: with `enum`, bounds or `anyOf`"),
    ("if", "write the cases as alternatives of `oneOf`, each with a property of one `const` that tells them apart"),
    ("then", "write the cases as alternatives of `oneOf`, each with a property of one `const` that tells them apart"),
    ("else", "write the cases as alternatives of `oneOf`, each with a property of one `const` that tells them apart"),
    ("patternProperties", "describe all further properties together: `additionalProperties` holds their schema"),
    ("propertyNames", "say in `description` how the properties may be named"),
    ("required", "write `required = true` in each required property"),
    ("dependentRequired", "write the cases as alternatives of `anyOf`, each with the properties that it requires"),
    ("dependentSchemas", "write the cases as alternatives of `anyOf`, each with the properties that it requires"),
    ("dependencies", "write the cases as alternatives of `anyOf`, each with the properties that it requires"),
    ("prefixItems", "make it an object with a property for each item, or give all items one schema: `items`"),
    ("additionalItems", "give all items one schema: `items`"),
    ("unevaluatedItems", "give all items one schema: `items`"),
    ("unevaluatedProperties", "write `additionalProperties` in each object; it is `false` unless said otherwise"),
    ("contains", "say in `description` what the array has to hold"),
    ("minContains", "say in `description` what the array has to hold"),
    ("maxContains", "say in `description` what the array has to hold"),
    ("definitions", "write `$defs`, in `[schema]`"),
    ("$defs", "definitions stand in `[schema]`, for the whole tool"),
    ("$id", "leave it out: a `$ref` leads to `#/$defs/NAME`"),
    ("$anchor", "give the schema a name in `$defs`: a `$ref` leads to `#/$defs/NAME`"),
    ("$dynamicAnchor", "give the schema a name in `$defs`: a `$ref` leads to `#/$defs/NAME`"),
    ("$dynamicRef", "write `$ref`"),
    ("$recursiveRef", "write `$ref`"),
    ("$schema", "leave it out: it is draft 2020-12"),
    ("$vocabulary", "leave it out: it is draft 2020-12"),
    ("$comment", "write a comment of TOML: `# ...`"),
    ("contentEncoding", "say in `description` how the text is encoded"),
    ("contentMediaType", "say in `description` what the text holds"),
    ("contentSchema", "say in `description` what the text holds"),
    ("readOnly", "leave out what the model cannot send"),
    ("writeOnly", "say it in `description`"),
    ("nullable", "name the type null, too: `type = [\"string\", \"null\"]`, or `{ type = \"null\" }` in `anyOf`"),
    ("example", "write `examples`, an array"),
    ("discriminator", "leave it out: alternatives are told apart by a required property of one `const` each"),
];

/// Words that stand at the root of a tool elsewhere, with what to write instead.
pub const FOREIGN_TO_TOOLS: &[(&str, &str)] = &[
    ("parameters", "write `[params.NAME]`, a table for each parameter"),
    ("properties", "write `[params.NAME]`, a table for each parameter"),
    ("arguments", "write `[params.NAME]`, a table for each parameter"),
    ("input_schema", "write `[params.NAME]`, a table for each of its `properties`, and the rest in `[schema]`"),
    ("inputSchema", "write `[params.NAME]`, a table for each of its `properties`, and the rest in `[schema]`"),
    ("output_schema", "write `[returns]`"),
    ("outputSchema", "write `[returns]`"),
    ("readOnly", "write `read_only`, in `[annotations]`"),
];

/// What a property has beyond the words of its schema.
pub const PROPERTY: &[Key] = &[
    key("required", KeyType::Flag, "Whether the model must send it."),
    key(
        "when",
        KeyType::Condition,
        "In which turns it is there: `tools.NAME`, `facts.NAME`, comparisons, `and`, `or`, `not`.",
    ),
    key(
        "secret",
        KeyType::Flag,
        "Whether its value must not be shown in an error or a log. `false` unless said otherwise.",
    ),
];

/// What a conditional value of an enum has.
pub const CHOICE: &[Key] = &[
    required("value", KeyType::Json, "The value."),
    required("when", KeyType::Condition, "In which turns it is allowed."),
];
