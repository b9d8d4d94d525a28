//! The examples of the rules, and what is not repaired. A test runs the examples.

use ExampleResult::{Absent, Kept, Refused, Repaired};

/// Arguments that are not repaired, or not accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NoRepair {
    /// What is sent.
    pub from: &'static str,
    /// Why it is not repaired.
    pub reason: &'static str,
    /// Examples.
    pub examples: &'static [Example],
}

/// An example of repair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Example {
    /// What the example shows.
    pub subject: Subject,
    /// The JSON Schema of the parameter. For the arguments as a whole, that of each parameter by name, or one with
    /// `properties`.
    pub schema: &'static str,
    /// What the model sends.
    pub sent: &'static str,
    /// What the handler gets.
    pub result: ExampleResult,
}

/// The subject of an [`Example`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Subject {
    /// The value of one parameter.
    Parameter,
    /// The arguments as a whole. Unknown keys are refused.
    Arguments,
}

/// The result of an [`Example`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExampleResult {
    /// This JSON, by repair.
    Repaired(&'static str),
    /// The JSON that was sent.
    Kept,
    /// The parameter is absent.
    Absent,
    /// The call is refused.
    Refused,
}

const fn value(schema: &'static str, sent: &'static str, result: ExampleResult) -> Example {
    Example { subject: Subject::Parameter, schema, sent, result }
}

const fn arguments(schema: &'static str, sent: &'static str, result: ExampleResult) -> Example {
    Example { subject: Subject::Arguments, schema, sent, result }
}

const INTEGER: &str = r#"{"type": "integer"}"#;
const NUMBER: &str = r#"{"type": "number"}"#;
const BOOLEAN: &str = r#"{"type": "boolean"}"#;
const STRING: &str = r#"{"type": "string"}"#;
const OBJECT: &str = r#"{"type": "object"}"#;
const INTEGERS: &str = r#"{"type": "array", "items": {"type": "integer"}}"#;
const STRINGS: &str = r#"{"type": "array", "items": {"type": "string"}}"#;
const UNITS: &str = r#"{"enum": ["metric", "imperial"]}"#;
const ONE_OPTIONAL: &str = r#"{"limit": {"type": "integer"}}"#;
const FILE_PATH: &str = r#"{"file_path": {"type": "string"}}"#;

pub(super) const EMPTY_ARGUMENTS: &[Example] = &[
    arguments(ONE_OPTIONAL, "", Repaired("{}")),
    arguments(ONE_OPTIONAL, "null", Repaired("{}")),
    arguments(ONE_OPTIONAL, r#""""#, Repaired("{}")),
    arguments(ONE_OPTIONAL, "[]", Refused),
];

pub(super) const PARAMETER_NAME: &[Example] = &[
    arguments(FILE_PATH, r#"{"filePath": "a"}"#, Repaired(r#"{"file_path": "a"}"#)),
    arguments(FILE_PATH, r#"{"File-Path": "a"}"#, Repaired(r#"{"file_path": "a"}"#)),
    arguments(FILE_PATH, r#"{"filePath": "a", "file_path": "a"}"#, Repaired(r#"{"file_path": "a"}"#)),
    arguments(FILE_PATH, r#"{"path": "a"}"#, Refused),
    arguments(FILE_PATH, r#"{"filePath": "a", "file_path": "b"}"#, Refused),
    arguments(FILE_PATH, r#"{"filePath": "a", "FilePath": "b"}"#, Refused),
    arguments(r#"{"x_1": {"type": "string"}, "x1": {"type": "string"}}"#, r#"{"X1": "a"}"#, Refused),
];

pub(super) const NULL_WORD: &[Example] = &[
    value(r#"{"type": ["integer", "null"]}"#, r#""null""#, Repaired("null")),
    value(r#"{"type": ["string", "null"]}"#, r#"" NULL ""#, Repaired("null")),
    value(r#"{"type": ["boolean", "null"]}"#, r#""None""#, Refused),
    value(STRING, r#""null""#, Kept),
];

pub(super) const ENUM_WORD: &[Example] = &[
    value(UNITS, r#""Metric""#, Repaired(r#""metric""#)),
    value(UNITS, r#"" imperial ""#, Repaired(r#""imperial""#)),
    value(UNITS, r#""metrical""#, Refused),
    value(r#"{"enum": ["on", "On"]}"#, r#""ON""#, Refused),
    value(r#"{"enum": ["on", "On"]}"#, r#""On""#, Kept),
];

pub(super) const NUMBERS: &[Example] = &[
    value(INTEGER, r#""5""#, Repaired("5")),
    value(INTEGER, r#"" +007 ""#, Repaired("7")),
    value(INTEGER, r#""2.0""#, Repaired("2")),
    value(INTEGER, r#""1e3""#, Repaired("1000")),
    value(INTEGER, r#""4.6""#, Refused),
    value(INTEGER, r#""1,000""#, Refused),
    value(INTEGER, r#""1_000""#, Refused),
    value(INTEGER, r#""0.1e1""#, Refused),
    value(INTEGER, r#""9223372036854775808""#, Refused),
    value(NUMBER, r#""1.5e-7""#, Repaired("1.5e-7")),
    value(NUMBER, r#"".5""#, Repaired("0.5")),
    value(NUMBER, r#""1,5""#, Refused),
    value(NUMBER, r#""NaN""#, Refused),
    value(NUMBER, r#""1e-400""#, Refused),
];

pub(super) const BOOLEANS: &[Example] = &[
    value(BOOLEAN, r#""true""#, Repaired("true")),
    value(BOOLEAN, r#"" False""#, Repaired("false")),
    value(BOOLEAN, r#""yes""#, Refused),
    value(BOOLEAN, r#""1""#, Refused),
    value(BOOLEAN, "1", Refused),
];

pub(super) const JSON_TEXT: &[Example] = &[
    value(INTEGERS, r#""[1, \"2\"]""#, Repaired("[1, 2]")),
    value(OBJECT, r#""{\"a\": {\"b\": null}}""#, Repaired(r#"{"a": {"b": null}}"#)),
    value(OBJECT, r#""{\"a\": 1, \"a\": 2}""#, Repaired(r#"{"a": 2}"#)),
    arguments(ONE_OPTIONAL, r#""{\"limit\": 5}""#, Repaired(r#"{"limit": 5}"#)),
    value(STRING, r#""{\"a\": 1}""#, Kept),
    value(OBJECT, r#""{\"a\": 1} and more""#, Refused),
    value(OBJECT, r#""{\"a\": 1""#, Refused),
    value(STRINGS, r#""[\"a\", \"b""#, Refused),
];

pub(super) const ALMOST_JSON: &[Example] = &[
    value(OBJECT, r#""{'a': True, 'b': None,}""#, Repaired(r#"{"a": true, "b": null}"#)),
    value(STRINGS, r#""[\"a\nb\"]""#, Repaired(r#"["a\nb"]"#)),
    arguments(ONE_OPTIONAL, r#"{"limit": 5,}"#, Repaired(r#"{"limit": 5}"#)),
    arguments(FILE_PATH, "{'file_path': 'a'}", Repaired(r#"{"file_path": "a"}"#)),
    arguments(FILE_PATH, r#"{file_path: "a"}"#, Refused),
    arguments(FILE_PATH, r#"{"file_path": "C:\dir\new",}"#, Refused),
    arguments(FILE_PATH, r#"{"file_path": "a"}}"#, Refused),
    arguments(FILE_PATH, r#"{"file_path": "a""#, Refused),
];

pub(super) const CODE_FENCE: &[Example] = &[
    arguments(ONE_OPTIONAL, r#"```json {"limit": 5} ```"#, Repaired(r#"{"limit": 5}"#)),
    value(OBJECT, r#""```json\n{\"a\": 1}\n```""#, Repaired(r#"{"a": 1}"#)),
    value(INTEGERS, r#""```\n[1]\n```""#, Repaired("[1]")),
    value(STRING, r#""```json\n{}\n```""#, Kept),
    arguments(ONE_OPTIONAL, r#"Here: ```json {"limit": 5} ```"#, Refused),
];

pub(super) const REPETITIONS: &[Example] = &[
    arguments(r#"{"limit": {"type": "integer"}}"#, r#"{"limit": 5}{"limit": 5}"#, Repaired(r#"{"limit": 5}"#)),
    arguments(r#"{"limit": {"type": "integer"}}"#, r#"{}{"limit": 5}"#, Repaired(r#"{"limit": 5}"#)),
    arguments(r#"{"limit": {"type": "integer"}}"#, r#"{"limit": 5}{"limit": 6}"#, Refused),
    arguments(r#"{"limit": {"type": "integer"}}"#, r#"{"limit": 5}{}"#, Refused),
];

pub(super) const STRINGS_OF_VALUES: &[Example] = &[
    value(STRING, "5", Repaired(r#""5""#)),
    value(STRING, "3.10", Repaired(r#""3.10""#)),
    value(STRING, "108177563933458432123", Repaired(r#""108177563933458432123""#)),
    value(STRING, "true", Repaired(r#""true""#)),
    value(STRING, r#"{"a": 1}"#, Refused),
    value(STRING, r#"["a"]"#, Refused),
];

pub(super) const SINGLE_ITEM: &[Example] = &[
    value(STRINGS, r#""rust""#, Repaired(r#"["rust"]"#)),
    value(STRINGS, "5", Repaired(r#"["5"]"#)),
    value(STRINGS, r#""x, y""#, Repaired(r#"["x, y"]"#)),
    value(STRINGS, r#""```json\n[]\n```""#, Repaired(r#"["```json\n[]\n```"]"#)),
    value(r#"{"type": "array", "items": {"type": "object"}}"#, r#"{"a": 1}"#, Repaired(r#"[{"a": 1}]"#)),
    value(r#"{"type": ["array", "string"]}"#, r#""a""#, Kept),
    value(STRINGS, r#"{"a": 1}"#, Refused),
];

/// What is accepted as it is, although it looks like a mistake.
pub const KEPT: &[NoRepair] = &[
    NoRepair {
        from: "a number without a fraction for an integer",
        reason: "`2.0` is an integer in JSON Schema. The handler gets `2`, and so does the server of a tool.",
        examples: &[value(INTEGER, "2.0", Kept), value(INTEGER, "4.6", Refused)],
    },
    NoRepair {
        from: "null for an optional parameter that does not allow null",
        reason: "In strict dialects, models must write absent parameters this way. The parameter counts as absent.",
        examples: &[value(INTEGER, "null", Absent), value(STRING, "null", Absent)],
    },
    NoRepair {
        from: "a value of one of several types",
        reason: "It is what the model chose, even if it could be converted to another of the types.",
        examples: &[
            value(r#"{"type": ["integer", "string"]}"#, r#""5""#, Kept),
            value(r#"{"type": ["boolean", "integer"]}"#, r#""5""#, Repaired("5")),
            value(r#"{"anyOf": [{"type": "integer"}, {"type": "null"}]}"#, r#""7""#, Repaired("7")),
            value(r#"{"anyOf": [{"type": "integer"}, {"type": "boolean"}]}"#, r#""true""#, Repaired("true")),
        ],
    },
];

/// What is refused, although a program could guess what was meant.
pub const REFUSED: &[NoRepair] = &[
    NoRepair {
        from: "a misspelt name",
        reason: "Which parameter was meant is a guess. The error names the nearest ones. If the schema allows unknown keys, \
                 the key is kept.",
        examples: &[arguments(ONE_OPTIONAL, r#"{"limti": 5}"#, Refused)],
    },
    NoRepair {
        from: "a missing required parameter",
        reason: "Only the model knows its value.",
        examples: &[arguments(
            r#"{"properties": {"limit": {"type": "integer"}}, "required": ["limit"]}"#,
            "{}",
            Refused,
        )],
    },
    NoRepair {
        from: "a value outside the bounds",
        reason: "The nearest allowed value is not what the model asked for, unless the author says so: see \
                 [`bound`](#bound).",
        examples: &[value(r#"{"type": "integer", "maximum": 2000}"#, "5000", Refused)],
    },
    NoRepair {
        from: "a key that occurs twice in the arguments",
        reason: "One of the values would be lost.",
        examples: &[arguments(ONE_OPTIONAL, r#"{"limit": 1, "limit": 2}"#, Refused)],
    },
    NoRepair {
        from: "a text that was cut off, or a text with more than the arguments",
        reason: "What is missing is unknown. What follows may be a second call, or a correction.",
        examples: &[
            arguments(ONE_OPTIONAL, r#"{"limit": 5"#, Refused),
            arguments(ONE_OPTIONAL, r#"{"limit": 5} {"limit": 6}"#, Refused),
        ],
    },
    NoRepair {
        from: "an array for a single value",
        reason: "Even an array of one item can be meant as a list.",
        examples: &[value(INTEGER, "[5]", Refused)],
    },
    NoRepair {
        from: "a value whose schemas in `allOf` have no type in common",
        reason: "No value satisfies them.",
        examples: &[value(r#"{"allOf": [{"type": "integer"}, {"type": "string"}]}"#, r#""5""#, Refused)],
    },
];
