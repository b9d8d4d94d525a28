//! The rules of repair, as data. The reader labels each repair with its rule, and `docs/repair.md` is rendered from the rules.

mod examples;

use std::fmt;

/// A rule by which arguments are repaired.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum RepairRule {
    /// Missing arguments become `{}`.
    EmptyArguments,
    /// A parameter gets its declared name.
    ParameterName,
    /// The string `null` becomes null.
    NullWord,
    /// A string becomes a word of the `enum`.
    EnumWord,
    /// A string becomes a number.
    Number,
    /// A string becomes a boolean.
    Boolean,
    /// A string becomes the array or object whose JSON it holds.
    JsonText,
    /// A text that is almost JSON becomes an array or object.
    AlmostJson,
    /// A code fence is removed.
    CodeFence,
    /// A number or boolean becomes a string.
    String,
    /// A value becomes an array with this one item.
    SingleItem,
}

/// What [a rule](RepairRule) does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct RuleDescription {
    /// What is sent.
    pub from: &'static str,
    /// What it becomes.
    pub to: &'static str,
    /// When the rule applies.
    pub condition: &'static str,
    /// Why only one value can be meant.
    pub reason: &'static str,
    /// Arguments to which the rule applies, and similar ones to which it does not.
    pub examples: &'static [Example],
}

/// Arguments that are not repaired, or not accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
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
#[non_exhaustive]
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
#[non_exhaustive]
pub enum Subject {
    /// The value of one parameter.
    Parameter,
    /// The arguments as a whole. Unknown keys are refused.
    Arguments,
}

/// The result of an [`Example`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
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

impl RepairRule {
    /// All rules.
    pub const ALL: [RepairRule; 11] = [
        RepairRule::EmptyArguments,
        RepairRule::ParameterName,
        RepairRule::NullWord,
        RepairRule::EnumWord,
        RepairRule::Number,
        RepairRule::Boolean,
        RepairRule::JsonText,
        RepairRule::AlmostJson,
        RepairRule::CodeFence,
        RepairRule::String,
        RepairRule::SingleItem,
    ];

    /// Returns the id of the rule, as logs and traces show it.
    pub const fn id(self) -> &'static str {
        match self {
            RepairRule::EmptyArguments => "empty_arguments",
            RepairRule::ParameterName => "parameter_name",
            RepairRule::NullWord => "null_word",
            RepairRule::EnumWord => "enum_word",
            RepairRule::Number => "number",
            RepairRule::Boolean => "boolean",
            RepairRule::JsonText => "json_text",
            RepairRule::AlmostJson => "almost_json",
            RepairRule::CodeFence => "code_fence",
            RepairRule::String => "string",
            RepairRule::SingleItem => "single_item",
        }
    }

    /// Returns what the rule does.
    pub const fn description(self) -> RuleDescription {
        match self {
            RepairRule::EmptyArguments => RuleDescription {
                from: "no text, white space, `null` or an empty string as the arguments",
                to: "`{}`",
                condition: "always; a required parameter is then reported as missing",
                reason: "APIs send nothing, or an empty string, for a call without arguments.",
                examples: examples::EMPTY_ARGUMENTS,
            },
            RepairRule::ParameterName => RuleDescription {
                from: "a parameter's name that differs only in case, `_`, `-` or spaces",
                to: "the declared name",
                condition: "unknown keys are refused, exactly one declared name fits, and it is not sent as well",
                reason: "The key would be refused, and only one parameter has a name like it. If the schema allows unknown \
                         keys, the key may be one of them, and is kept.",
                examples: examples::PARAMETER_NAME,
            },
            RepairRule::NullWord => RuleDescription {
                from: "the string `null`, in any case",
                to: "null",
                condition: "the schema's types include null; white space around the word is ignored",
                reason: "The schema allows null, and null has this name in JSON. `None` and `nil` can be other names.",
                examples: examples::NULL_WORD,
            },
            RepairRule::EnumWord => RuleDescription {
                from: "a string that is not one of the words of the `enum`",
                to: "the word that it equals without regard to case",
                condition: "exactly one word fits; white space around it is ignored, and only ASCII letters have case",
                reason: "All allowed values are known, and only one has this spelling. A near miss (`contents` for \
                         `content`) could mean something else.",
                examples: examples::ENUM_WORD,
            },
            RepairRule::Number => RuleDescription {
                from: "a string that contains a decimal number",
                to: "an integer or number",
                condition: "integer: the value fits 64 bits with a sign; leading zeros, a fraction of zeros and an exponent of 0 \
                            or more are allowed, and the number before the exponent must be an integer. number: the value is \
                            finite, and not rounded to 0. A leading sign is allowed, and white space around the number is ignored",
                reason: "The digits can be read in only one way. `1,000` can be read in two, because a comma is also a decimal \
                         point. A fraction would have to be rounded to an integer.",
                examples: examples::NUMBERS,
            },
            RepairRule::Boolean => RuleDescription {
                from: "a string that contains `true` or `false`, in any case",
                to: "a boolean",
                condition: "white space around it is ignored",
                reason: "These are the names of the two values. `yes`, `1` and `on` can be meant for another parameter, and a \
                         flag that is set by mistake can do harm.",
                examples: examples::BOOLEANS,
            },
            RepairRule::JsonText => RuleDescription {
                from: "a string that contains JSON and nothing else",
                to: "the array or object in it",
                condition: "the schema allows that type and not a string; the arguments as a whole may be such a string. A key that \
                            occurs twice in the string has its last value",
                reason: "APIs send the arguments as JSON in a string, and some models encode a part of them as a string again.",
                examples: examples::JSON_TEXT,
            },
            RepairRule::AlmostJson => RuleDescription {
                from: "a text like JSON with single quotes, `True`, `False`, `None`, a comma after the last item, or line \
                       breaks and tabs inside of strings",
                to: "the array or object in it",
                condition: "as for `json_text`. The arguments as a whole may be such a text if no key occurs twice and all \
                            escapes are those of JSON",
                reason: "Each of these can be read in only one way. Missing brackets or quotes can be added in several places, \
                         and a text that was cut off lacks a part of what the model meant.",
                examples: examples::ALMOST_JSON,
            },
            RepairRule::CodeFence => RuleDescription {
                from: "JSON or almost JSON in a Markdown code fence, with the language `json` or none, and nothing else",
                to: "the array or object in it",
                condition: "the text is the arguments as a whole, or the schema expects an object, or an array whose items \
                            cannot be strings",
                reason: "A fence is not JSON, so it can only be decoration. If items can be strings, the text may be an item.",
                examples: examples::CODE_FENCE,
            },
            RepairRule::String => RuleDescription {
                from: "a number or boolean",
                to: "a string with its JSON text",
                condition: "the schema allows a string, and not the value's own type",
                reason: "The model wrote this text, and only left out the quotes.",
                examples: examples::STRINGS_OF_VALUES,
            },
            RepairRule::SingleItem => RuleDescription {
                from: "any other value except null",
                to: "an array with this one item",
                condition: "the schema allows an array, no other rule applies, and the value is not a string that begins like \
                            an array or object and is cut off",
                reason: "A single value can only mean a list of one item. A comma can be a part of an item, so a string is \
                         never split.",
                examples: examples::SINGLE_ITEM,
            },
        }
    }
}

impl NoRepair {
    /// What is accepted as it is, although it looks like a mistake.
    pub const KEPT: &'static [NoRepair] = examples::KEPT;

    /// What is refused, although a program could guess what was meant.
    pub const REFUSED: &'static [NoRepair] = examples::REFUSED;
}

impl fmt::Display for RepairRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.id())
    }
}
