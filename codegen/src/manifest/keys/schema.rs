//! The keywords of schemas: JSON Schema's own (draft 2020-12), and what manifests add to them.

use super::kinds::{
    Boolean, Choices, Condition, FlagOr, FlagOrSchema, Integer, Json, Jsons, KeyKind, Names, Number, ObjectType,
    Pattern, Properties, Reference, Required, Schema, Schemas, Template, Text, Types, manifest_kinds,
};
use super::{Key, KeyType, TypedKey};
use crate::diagnostic::Place;

pub(in crate::manifest) const TYPE: TypedKey<Types> =
    TypedKey::new("type", "The JSON type, or an array of the types that are allowed.");
pub(in crate::manifest) const REF: TypedKey<Reference> =
    TypedKey::new("$ref", "The definition to use, from `$defs` in `[schema]`. Written `#/$defs/NAME`.");
pub(in crate::manifest) const TITLE: TypedKey<Text> = TypedKey::new("title", "A short name for people.");
pub(in crate::manifest) const DESCRIPTION: TypedKey<Template> =
    TypedKey::new("description", "A description for the model.");
pub(in crate::manifest) const DEPRECATED: TypedKey<FlagOr<false>> =
    TypedKey::new("deprecated", "Whether the model should no longer use it. Passed to the model.");
pub(in crate::manifest) const ENUM: TypedKey<Choices> = TypedKey::new(
    "enum",
    "The values that are allowed. Written `{ value = ..., when = ... }` if a value is not available in every turn.",
);
pub(in crate::manifest) const CONST: TypedKey<Json> = TypedKey::new("const", "The only value that is allowed.");
pub(in crate::manifest) const DEFAULT: TypedKey<Json> =
    TypedKey::new("default", "The value that the handler receives if the model sends none.");
pub(in crate::manifest) const EXAMPLES: TypedKey<Jsons> = TypedKey::new("examples", "Example values.");
pub(in crate::manifest) const MINIMUM: TypedKey<Number> =
    TypedKey::new("minimum", "The smallest number that is allowed.");
pub(in crate::manifest) const MAXIMUM: TypedKey<Number> =
    TypedKey::new("maximum", "The largest number that is allowed.");
pub(in crate::manifest) const EXCLUSIVE_MINIMUM: TypedKey<Number> =
    TypedKey::new("exclusiveMinimum", "The number that values must be greater than.");
pub(in crate::manifest) const EXCLUSIVE_MAXIMUM: TypedKey<Number> =
    TypedKey::new("exclusiveMaximum", "The number that values must be less than.");
pub(in crate::manifest) const MULTIPLE_OF: TypedKey<Number> =
    TypedKey::new("multipleOf", "The number that values must be a multiple of.");
pub(in crate::manifest) const MIN_LENGTH: TypedKey<Integer> =
    TypedKey::new("minLength", "The minimum length of a string, in code points.");
pub(in crate::manifest) const MAX_LENGTH: TypedKey<Integer> =
    TypedKey::new("maxLength", "The maximum length of a string, in code points.");
pub(in crate::manifest) const PATTERN: TypedKey<Pattern> = TypedKey::new(
    "pattern",
    "A regular expression that must match somewhere in a string. Arguments that do not match are refused.",
);
pub(in crate::manifest) const FORMAT: TypedKey<Text> = TypedKey::new(
    "format",
    "The format of a string, such as `date-time`, `uri` or `email`. Arguments in another format are refused.",
);
pub(in crate::manifest) const ANY_OF: TypedKey<Schemas> =
    TypedKey::new("anyOf", "Alternatives, at least one of which must match.");
pub(in crate::manifest) const ONE_OF: TypedKey<Schemas> =
    TypedKey::new("oneOf", "Alternatives, exactly one of which must match.");
pub(in crate::manifest) const ALL_OF: TypedKey<Schemas> = TypedKey::new("allOf", "Schemas, all of which must match.");
pub(in crate::manifest) const ITEMS: TypedKey<Schema> = TypedKey::new("items", "The schema of the items of an array.");
pub(in crate::manifest) const MIN_ITEMS: TypedKey<Integer> = TypedKey::new("minItems", "The minimum number of items.");
pub(in crate::manifest) const MAX_ITEMS: TypedKey<Integer> = TypedKey::new("maxItems", "The maximum number of items.");
pub(in crate::manifest) const UNIQUE_ITEMS: TypedKey<Boolean> =
    TypedKey::new("uniqueItems", "Whether the items must differ from each other.");
pub(in crate::manifest) const PROPERTIES: TypedKey<Properties> =
    TypedKey::new("properties", "The properties of an object, with a table for each.");
pub(in crate::manifest) const ADDITIONAL_PROPERTIES: TypedKey<FlagOrSchema> = TypedKey::new(
    "additionalProperties",
    "Whether an object may have further properties, or their schema. Default: `false`.",
);
pub(in crate::manifest) const MIN_PROPERTIES: TypedKey<Integer> =
    TypedKey::new("minProperties", "The minimum number of properties.");
pub(in crate::manifest) const MAX_PROPERTIES: TypedKey<Integer> =
    TypedKey::new("maxProperties", "The maximum number of properties.");
pub(in crate::manifest) const ROOT_TYPE: TypedKey<ObjectType> =
    TypedKey::new("type", "The type of the arguments, which is always `object`.");
pub(in crate::manifest) const DEFS: TypedKey<Definitions> =
    TypedKey::new("$defs", "Definitions for `$ref`, with a table for each.");
pub(in crate::manifest) const REQUIRED: TypedKey<FlagOr<false>> =
    TypedKey::new("required", "Whether the model must send the parameter. Default: `false`.");
pub(in crate::manifest) const WHEN: TypedKey<Condition> = TypedKey::new(
    "when",
    "A condition that says in which turns it is available. It may use `tools.NAME`, `facts.NAME`, comparisons, `and`, `or` and `not`.",
);
pub(in crate::manifest) const SECRET: TypedKey<FlagOr<false>> =
    TypedKey::new("secret", "Whether the value must not appear in errors and logs. Default: `false`.");
pub(in crate::manifest) const ALIASES: TypedKey<Names> = TypedKey::new(
    "aliases",
    "Other names by which models know the parameter. A value under one of them is a value of the parameter. They are never sent to the model.",
);
pub(in crate::manifest) const CLAMP: TypedKey<FlagOr<false>> = TypedKey::new(
    "clamp",
    "Whether a number beyond its bounds becomes the nearest allowed number instead of an error. Default: `false`.",
);
pub(in crate::manifest) const MCP_HEADER: TypedKey<Text> = TypedKey::new(
    "x-mcp-header",
    "The name of the HTTP header in which MCP clients repeat the value. `Region` stands for `Mcp-Param-Region`.",
);
pub(in crate::manifest) const VALUE: TypedKey<Required<Json>> = TypedKey::new("value", "The value.");
pub(in crate::manifest) const VALUE_WHEN: TypedKey<Required<Condition>> =
    TypedKey::new("when", "A condition that says in which turns the value is allowed.");

/// The keywords of a schema.
pub const SCHEMA: &[Key] = &[
    TYPE.key,
    REF.key,
    TITLE.key,
    DESCRIPTION.key,
    DEPRECATED.key,
    ENUM.key,
    CONST.key,
    DEFAULT.key,
    EXAMPLES.key,
    MINIMUM.key,
    MAXIMUM.key,
    EXCLUSIVE_MINIMUM.key,
    EXCLUSIVE_MAXIMUM.key,
    MULTIPLE_OF.key,
    MIN_LENGTH.key,
    MAX_LENGTH.key,
    PATTERN.key,
    FORMAT.key,
    ANY_OF.key,
    ONE_OF.key,
    ALL_OF.key,
    ITEMS.key,
    MIN_ITEMS.key,
    MAX_ITEMS.key,
    UNIQUE_ITEMS.key,
    PROPERTIES.key,
    ADDITIONAL_PROPERTIES.key,
    MIN_PROPERTIES.key,
    MAX_PROPERTIES.key,
];

/// The keywords of the schema of a tool's arguments.
pub const ROOT: &[Key] = &[
    ROOT_TYPE.key,
    TITLE.key,
    DESCRIPTION.key,
    DEPRECATED.key,
    EXAMPLES.key,
    ANY_OF.key,
    ONE_OF.key,
    ALL_OF.key,
    PROPERTIES.key,
    ADDITIONAL_PROPERTIES.key,
    MIN_PROPERTIES.key,
    MAX_PROPERTIES.key,
    DEFS.key,
];

manifest_kinds! {
    /// The keywords of the schema of a tool's arguments.
    ArgumentsRoot: KeyType::Table(ROOT) => Option<Place>;
    /// Schemas by name, for `$ref`s to refer to.
    Definitions: KeyType::Tables(SCHEMA) => ();
}

/// The keys of a property besides the keywords of its schema.
pub const PROPERTY: &[Key] = &[REQUIRED.key, WHEN.key, SECRET.key, ALIASES.key, CLAMP.key, MCP_HEADER.key];

/// The keys of a conditional value of an `enum`.
pub const CHOICE: &[Key] = &[VALUE.key, VALUE_WHEN.key];

/// Keywords of JSON Schema and other formats that manifests do not support, and what to write instead. No vendor's strict mode accepts
/// them, and the runtime could not check arguments against them.
pub const FOREIGN: &[(&str, &str)] = &[
    ("not", "describe the allowed values instead, with `enum`, bounds or `anyOf`"),
    ("if", "write the cases as alternatives of `oneOf`, each with a required property that has a different `const`"),
    ("then", "write the cases as alternatives of `oneOf`, each with a required property that has a different `const`"),
    ("else", "write the cases as alternatives of `oneOf`, each with a required property that has a different `const`"),
    ("patternProperties", "write one schema for all undeclared properties: `additionalProperties`"),
    ("propertyNames", "state in `description` how the properties may be named"),
    ("required", "write `required = true` in each required property"),
    ("dependentRequired", "write the cases as alternatives of `anyOf`, each with the properties that it requires"),
    ("dependentSchemas", "write the cases as alternatives of `anyOf`, each with the properties that it requires"),
    ("dependencies", "write the cases as alternatives of `anyOf`, each with the properties that it requires"),
    ("prefixItems", "make it an object with a property for each item, or give all items one schema: `items`"),
    ("additionalItems", "give all items one schema: `items`"),
    ("unevaluatedItems", "give all items one schema: `items`"),
    ("unevaluatedProperties", "write `additionalProperties` in each object; the default is `false`"),
    ("contains", "state in `description` what the array must contain"),
    ("minContains", "state in `description` what the array must contain"),
    ("maxContains", "state in `description` what the array must contain"),
    ("definitions", "write `$defs`, in `[schema]`"),
    ("$defs", "definitions belong in `[schema]`, for the whole tool"),
    ("$id", "remove it: a `$ref` is `#/$defs/NAME`"),
    ("$anchor", "give the schema a name in `$defs`: a `$ref` is `#/$defs/NAME`"),
    ("$dynamicAnchor", "give the schema a name in `$defs`: a `$ref` is `#/$defs/NAME`"),
    ("$dynamicRef", "write `$ref`"),
    ("$recursiveRef", "write `$ref`"),
    ("$schema", "remove it: schemas are always draft 2020-12"),
    ("$vocabulary", "remove it: schemas are always draft 2020-12"),
    ("$comment", "write a TOML comment: `# ...`"),
    ("contentEncoding", "state in `description` how the text is encoded"),
    ("contentMediaType", "state in `description` what the text contains"),
    ("contentSchema", "state in `description` what the text contains"),
    ("readOnly", "remove properties that the model cannot send"),
    ("writeOnly", "state it in `description`"),
    ("nullable", "add the type null: `type = [\"string\", \"null\"]`, or `{ type = \"null\" }` in `anyOf`"),
    ("example", "write `examples`, an array"),
    ("name", "remove it: the name is in the header, `[params.NAME]`"),
    ("optional", "remove it: a property is optional unless it has `required = true`"),
    ("strict", "remove it: objects accept no further properties unless they have `additionalProperties`"),
    (
        "discriminator",
        "remove it: alternatives are distinguished by a required property with a different `const` in each",
    ),
];

/// Keys of tools in other formats, and what to write instead.
pub const FOREIGN_TO_TOOLS: &[(&str, &str)] = &[
    ("parameters", "write `[params.NAME]`, a table for each parameter"),
    ("properties", "write `[params.NAME]`, a table for each parameter"),
    ("arguments", "write `[params.NAME]`, a table for each parameter"),
    ("args", "write `[params.NAME]`, a table for each parameter"),
    ("parameter", "write `[params.NAME]`, a table for each parameter"),
    ("param", "write `[params.NAME]`, a table for each parameter"),
    ("inputs", "write `[params.NAME]`, a table for each parameter"),
    ("version", "remove it: a tool has no version of its own"),
    ("type", "remove it: a tool is a function, and its arguments are an object"),
    ("function", "remove it: the handler is the method of this name in the trait of the toolset"),
    ("handler", "remove it: the handler is the method of this name in the trait of the toolset"),
    (
        "enabled",
        "remove it: a toolset that contains the tool is enabled or disabled by the host; conditions are in `[requires]`",
    ),
    (
        "disabled",
        "remove it: a toolset that contains the tool is enabled or disabled by the host; conditions are in `[requires]`",
    ),
    ("strict", "remove it: the dialect decides, such as `openai-strict`"),
    ("input_schema", "write `[params.NAME]`, a table for each of its `properties`, and the rest in `[schema]`"),
    ("inputSchema", "write `[params.NAME]`, a table for each of its `properties`, and the rest in `[schema]`"),
    ("output_schema", "write `[returns]`"),
    ("outputSchema", "write `[returns]`"),
    ("readOnly", "write `read_only`, in `[annotations]`"),
];

/// Old names of keys of `plugin.toml`, with what to write instead.
pub const RENAMED_IN_PLUGINS: &[(&str, &str)] = &[("environment", "`environment` is now `env`")];
