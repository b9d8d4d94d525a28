//! What the rules of repair do.

use toolc::repair::RepairRule;

use super::examples::{self, Example};

/// What each rule does, in the order of [`RepairRule::ALL`].
pub const RULES: &[RuleDescription] = &[
    RuleDescription {
        rule: RepairRule::ToolName,
        from: "a name of the tool that differs only in case, `-`, a known prefix or another known decoration, or one of its `aliases`",
        to: "the name of the tool",
        condition: "exactly one tool of the registry fits, and the turn shows it",
        reason: "The author of the tool has said that models know it by this name, or the name can be read in only one way: \
                 see [wrong names](calls.md#wrong-names).",
        examples: &[],
    },
    RuleDescription {
        rule: RepairRule::EmptyArguments,
        from: "no text, white space, `null` or an empty string as the arguments",
        to: "`{}`",
        condition: "always; a required parameter is then reported as missing",
        reason: "APIs send nothing, or an empty string, for a call without arguments.",
        examples: examples::EMPTY_ARGUMENTS,
    },
    RuleDescription {
        rule: RepairRule::ParameterName,
        from: "a parameter's name that differs only in case, `_`, `-` or spaces, or one of its `aliases`",
        to: "the declared name",
        condition: "unknown keys are refused, exactly one declared name fits, and no other value is sent for it",
        reason: "The key would be refused, and only one parameter has a name like it. If the schema allows unknown \
                 keys, the key may be one of them, and is kept. The same value under two names counts once; two values are refused.",
        examples: examples::PARAMETER_NAME,
    },
    RuleDescription {
        rule: RepairRule::NullWord,
        from: "the string `null`, in any case",
        to: "null",
        condition: "the schema's types include null; white space around the word is ignored",
        reason: "The schema allows null, and null has this name in JSON. `None` and `nil` can be other names.",
        examples: examples::NULL_WORD,
    },
    RuleDescription {
        rule: RepairRule::EnumWord,
        from: "a string that is not one of the words of the `enum`",
        to: "the word that it equals without regard to case",
        condition: "exactly one word fits; white space around it is ignored, and only ASCII letters have case",
        reason: "All allowed values are known, and only one has this spelling. A near miss (`contents` for \
                 `content`) could mean something else.",
        examples: examples::ENUM_WORD,
    },
    RuleDescription {
        rule: RepairRule::Number,
        from: "a string that contains a decimal number",
        to: "an integer or number",
        condition: "integer: the value fits 64 bits with a sign; leading zeros, a fraction of zeros and an exponent of 0 \
                    or more are allowed, and the number before the exponent must be an integer. number: the value is \
                    finite, and not rounded to 0. A leading sign is allowed, and white space around the number is ignored",
        reason: "The digits can be read in only one way. `1,000` can be read in two, because a comma is also a decimal \
                 point. A fraction would have to be rounded to an integer.",
        examples: examples::NUMBERS,
    },
    RuleDescription {
        rule: RepairRule::Bound,
        from: "a number of any size, below or above its bounds",
        to: "the nearest allowed number",
        condition: "the manifest says `clamp = true` for the parameter",
        reason: "For the number of a line or of results, what is meant is the first line, or as many as there can be. Only the \
                 author of a tool knows that.",
        examples: &[],
    },
    RuleDescription {
        rule: RepairRule::Boolean,
        from: "a string that contains `true` or `false`, in any case",
        to: "a boolean",
        condition: "white space around it is ignored",
        reason: "These are the names of the two values. `yes`, `1` and `on` can be meant for another parameter, and a \
                 flag that is set by mistake can do harm.",
        examples: examples::BOOLEANS,
    },
    RuleDescription {
        rule: RepairRule::JsonText,
        from: "a string that contains JSON and nothing else",
        to: "the array or object in it",
        condition: "the schema allows that type and not a string; the arguments as a whole may be such a string. A key that \
                    occurs twice in the string has its last value",
        reason: "APIs send the arguments as JSON in a string, and some models encode a part of them as a string again.",
        examples: examples::JSON_TEXT,
    },
    RuleDescription {
        rule: RepairRule::AlmostJson,
        from: "a text like JSON with single quotes, `True`, `False`, `None`, a comma after the last item, or line \
               breaks and tabs inside of strings",
        to: "the array or object in it",
        condition: "as for `json_text`. The arguments as a whole may be such a text if no key occurs twice and all \
                    escapes are those of JSON",
        reason: "Each of these can be read in only one way. Missing brackets or quotes can be added in several places, \
                 and a text that was cut off lacks a part of what the model meant.",
        examples: examples::ALMOST_JSON,
    },
    RuleDescription {
        rule: RepairRule::Repetition,
        from: "an object that is said twice, or an empty object before it",
        to: "the object",
        condition: "the text is the arguments as a whole, or a string as for `json_text`. All objects are equal, except for empty ones \
                    before them",
        reason: "Some servers write complete arguments twice, or begin with `{}`. Neither is a second call or a correction.",
        examples: examples::REPETITIONS,
    },
    RuleDescription {
        rule: RepairRule::CodeFence,
        from: "JSON or almost JSON in a Markdown code fence, with the language `json` or none, and nothing else",
        to: "the array or object in it",
        condition: "the text is the arguments as a whole, or the schema expects an object, or an array whose items \
                    cannot be strings",
        reason: "A fence is not JSON, so it can only be decoration. If items can be strings, the text may be an item.",
        examples: examples::CODE_FENCE,
    },
    RuleDescription {
        rule: RepairRule::String,
        from: "a number or boolean",
        to: "a string with its JSON text, character by character",
        condition: "the schema allows a string, and not the value's own type",
        reason: "The model wrote this text, and only left out the quotes.",
        examples: examples::STRINGS_OF_VALUES,
    },
    RuleDescription {
        rule: RepairRule::SingleItem,
        from: "any other value except null",
        to: "an array with this one item",
        condition: "the schema allows an array, no other rule applies, and the value is not a string that begins like \
                    an array or object and is cut off",
        reason: "A single value can only mean a list of one item. A comma can be a part of an item, so a string is \
                 never split.",
        examples: examples::SINGLE_ITEM,
    },
];

/// A rule of the reader, and what it does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RuleDescription {
    /// The rule.
    pub rule: RepairRule,
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
