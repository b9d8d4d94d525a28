//! The rules of repair. The reader labels each repair with its rule; `docs/repair.md` explains them.

use std::fmt;

/// A rule by which arguments are repaired.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum RepairRule {
    /// A tool gets its declared name.
    ToolName,
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
    /// A number beyond a bound becomes the nearest allowed number.
    Bound,
    /// A string becomes a boolean.
    Boolean,
    /// A string becomes the array or object whose JSON it holds.
    JsonText,
    /// A text that is almost JSON becomes an array or object.
    AlmostJson,
    /// Arguments that are said twice become one object.
    Repetition,
    /// A code fence is removed.
    CodeFence,
    /// A number or boolean becomes a string.
    String,
    /// A value becomes an array with this one item.
    SingleItem,
}

impl RepairRule {
    /// All rules.
    pub const ALL: [RepairRule; 14] = [
        RepairRule::ToolName,
        RepairRule::EmptyArguments,
        RepairRule::ParameterName,
        RepairRule::NullWord,
        RepairRule::EnumWord,
        RepairRule::Number,
        RepairRule::Bound,
        RepairRule::Boolean,
        RepairRule::JsonText,
        RepairRule::AlmostJson,
        RepairRule::Repetition,
        RepairRule::CodeFence,
        RepairRule::String,
        RepairRule::SingleItem,
    ];

    /// Returns the id of the rule, as logs and traces show it.
    pub const fn id(self) -> &'static str {
        match self {
            RepairRule::ToolName => "tool_name",
            RepairRule::EmptyArguments => "empty_arguments",
            RepairRule::ParameterName => "parameter_name",
            RepairRule::NullWord => "null_word",
            RepairRule::EnumWord => "enum_word",
            RepairRule::Number => "number",
            RepairRule::Bound => "bound",
            RepairRule::Boolean => "boolean",
            RepairRule::JsonText => "json_text",
            RepairRule::AlmostJson => "almost_json",
            RepairRule::Repetition => "repetition",
            RepairRule::CodeFence => "code_fence",
            RepairRule::String => "string",
            RepairRule::SingleItem => "single_item",
        }
    }
}

impl fmt::Display for RepairRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.id())
    }
}
