//! The manifest language as data: every key of every kind of manifest, once. The reader, the suggestions and the
//! published JSON Schemas all come from these tables.

use crate::source::Kind;

/// One key of a table.
#[derive(Debug)]
pub struct Key {
    /// As it is written.
    pub name: &'static str,
    /// What it takes.
    pub form: Form,
    /// Whether it must be there.
    pub required: bool,
    /// For the author: what it means.
    pub doc: &'static str,
}

/// What a key takes.
#[derive(Debug, Clone, Copy)]
pub enum Form {
    /// A string.
    Text,
    /// A string with conditions and facts in it: see [`text`](crate::text).
    Template,
    /// A condition.
    Condition,
    /// One of these words; each with what it means.
    Word(&'static [(&'static str, &'static str)]),
    /// `true` or `false`.
    Flag,
    /// An integer.
    Integer,
    /// An integer or a float.
    Number,
    /// An array of strings.
    Texts,
    /// Any value that JSON has, too.
    Json,
    /// An array of such values.
    Jsons,
    /// A JSON type's name, or an array of them.
    Types,
    /// An array of values that JSON has, each by itself or as `{ value = ..., when = ... }`.
    Choices,
    /// A table of facts by name, each of [`FACT`]'s keys.
    Facts,
    /// A string, a boolean or an integer within ±2^53.
    FactValue,
    /// A schema: a table of [`SCHEMA`]'s keys.
    Schema,
    /// An array of schemas.
    Schemas,
    /// A table of schemas by property name, each of [`PROPERTY`]'s keys.
    Properties,
    /// `true`, `false`, or a schema.
    FlagOrSchema,
}

impl Form {
    /// In words, for a message: what was expected.
    pub fn expected(self) -> &'static str {
        match self {
            Form::Text | Form::Word(_) | Form::Template => "a string",
            Form::Condition => "a string: a condition",
            Form::Facts => "a table of facts",
            Form::FactValue => "a string, a boolean or an integer",
            Form::Flag => "`true` or `false`",
            Form::Integer => "an integer",
            Form::Number => "a number",
            Form::Texts => "an array of strings",
            Form::Json => "a value that JSON has, too",
            Form::Jsons | Form::Choices => "an array",
            Form::Types => "a type's name, or an array of them",
            Form::Schema => "a table: a schema",
            Form::Schemas => "an array of schemas",
            Form::Properties => "a table of properties",
            Form::FlagOrSchema => "`true`, `false` or a schema",
        }
    }
}

const fn key(name: &'static str, form: Form, doc: &'static str) -> Key {
    Key { name, form, required: false, doc }
}

const fn required(name: &'static str, form: Form, doc: &'static str) -> Key {
    Key { name, form, required: true, doc }
}

/// `manifests/tools/NAME.toml`
pub const TOOL: &[Key] = &[
    required("name", Form::Text, "What the model calls it. Equals the file's stem, and is unique in the project."),
    required("toolset", Form::Text, "Its home: the one toolset that owns it."),
    required(
        "description",
        Form::Template,
        "What the model is told: what the tool does, when to use it and when not, what it returns.",
    ),
    key("emoji", Form::Text, "For a person's eyes, beside the tool's name. The model never sees it."),
    key("execution", Form::Word(EXECUTIONS), "How its handler runs. `sync` unless said otherwise."),
    key("params", Form::Properties, "Its parameters: a table for each, with JSON Schema's own words."),
];

/// Values of `execution`.
pub const EXECUTIONS: &[(&str, &str)] = &[
    ("sync", "Inline, on the caller's thread: for work that is done in moments."),
    ("async", "As a future, on the caller's executor."),
];

/// `manifests/toolsets/NAME.toml`
pub const TOOLSET: &[Key] = &[
    required(
        "name",
        Form::Text,
        "What hosts enable and disable. Equals the file's stem, and is unique in the project.",
    ),
    required("description", Form::Text, "For a person who chooses toolsets: what it is for."),
    key("kind", Form::Word(TOOLSET_KINDS), "`bundle` unless said otherwise."),
    key("tools", Form::Texts, "Tools that have another home. A toolset holds its home tools by itself."),
    key("includes", Form::Texts, "Toolsets whose tools it brings along."),
    key("base", Form::Text, "The toolset that it builds on: enabled with it, and left alone when it is disabled."),
];

/// Values of a toolset's `kind`.
pub const TOOLSET_KINDS: &[(&str, &str)] =
    &[("bundle", "Tools that serve one purpose."), ("preset", "Stands for a platform: mostly includes, on a base.")];

/// Words of a schema, JSON Schema's own (draft 2020-12).
pub const SCHEMA: &[Key] = &[
    key("type", Form::Types, "The JSON type, or an array of those that are allowed."),
    key("title", Form::Text, "A short name for people."),
    key("description", Form::Template, "What the model is told about it."),
    key(
        "enum",
        Form::Choices,
        "The values that are allowed; `{ value = ..., when = ... }` where one is not in every turn.",
    ),
    key("const", Form::Json, "The one value that is allowed."),
    key("default", Form::Json, "What is assumed where the model sends nothing. The handler gets it."),
    key("examples", Form::Jsons, "Values that show what is meant."),
    key("minimum", Form::Number, "The least number."),
    key("maximum", Form::Number, "The greatest number."),
    key("exclusiveMinimum", Form::Number, "Numbers must be greater than this."),
    key("exclusiveMaximum", Form::Number, "Numbers must be less than this."),
    key("multipleOf", Form::Number, "Numbers must be a multiple of this."),
    key("minLength", Form::Integer, "The least length of a string, in code points."),
    key("maxLength", Form::Integer, "The greatest length of a string, in code points."),
    key("pattern", Form::Text, "A regular expression that a string has to match somewhere in it."),
    key("format", Form::Text, "What a string stands for: `date-time`, `uri`, `email` and the like. Told to the model."),
    key("anyOf", Form::Schemas, "Alternatives, of which at least one has to hold."),
    key("oneOf", Form::Schemas, "Alternatives, of which exactly one has to hold."),
    key("items", Form::Schema, "The schema of an array's items."),
    key("minItems", Form::Integer, "The least number of items."),
    key("maxItems", Form::Integer, "The greatest number of items."),
    key("uniqueItems", Form::Flag, "Whether items must differ from one another."),
    key("properties", Form::Properties, "An object's properties: a table for each."),
    key(
        "additionalProperties",
        Form::FlagOrSchema,
        "Whether an object may have further properties, or the schema of those. `false` unless said otherwise.",
    ),
    key("minProperties", Form::Integer, "The least number of properties."),
    key("maxProperties", Form::Integer, "The greatest number of properties."),
];

/// What a property has beyond the words of its schema.
pub const PROPERTY: &[Key] = &[
    key("required", Form::Flag, "Whether the model must send it."),
    key(
        "when",
        Form::Condition,
        "In which turns it is there: `tools.NAME`, `facts.NAME`, comparisons, `and`, `or`, `not`.",
    ),
];

/// What a conditional value of an enum has.
pub const CHOICE: &[Key] =
    &[required("value", Form::Json, "The value."), required("when", Form::Condition, "In which turns it is allowed.")];

/// `manifests/facts.toml`
pub const FACTS: &[Key] =
    &[required("facts", Form::Facts, "What the host tells about its world: a table for each fact.")];

/// What a fact has.
pub const FACT: &[Key] = &[
    required(
        "default",
        Form::FactValue,
        "What is assumed where the host says nothing. It also gives the fact its type.",
    ),
    required("description", Form::Text, "For whoever writes a host: what it means."),
];

impl Kind {
    /// The keys of this kind of manifest.
    pub const fn keys(self) -> &'static [Key] {
        match self {
            Kind::Tool => TOOL,
            Kind::Toolset => TOOLSET,
            Kind::Facts => FACTS,
        }
    }
}
