//! Rules about what a model reads: descriptions, and their size.

use super::declare_rules;

declare_rules! {
    CODE_WITHOUT_RETURNS code_without_returns
    CONFUSABLE_NAME confusable_name
    DESCRIPTION_MISSING description_missing
    DESCRIPTION_TOO_LONG description_too_long
    DESCRIPTION_TOO_SHORT description_too_short
    ENUM_IN_PROSE enum_in_prose
    HARD_CODED_HOME hard_coded_home
    LEADING_OR_TRAILING_SPACE leading_or_trailing_space
    LEFTOVER_PLACEHOLDER leftover_placeholder
    MANY_ACTIONS_IN_ONE many_actions_in_one
    MENTION_WITHIN_TOOLSET mention_within_toolset
    NAME_WITHOUT_PREFIX name_without_prefix
    NEAR_DUPLICATE_DESCRIPTIONS near_duplicate_descriptions
    OPTIONAL_WITHOUT_DEFAULT optional_without_default
    OVERLAPPING_NAMES overlapping_names
    PARAMETER_DESCRIPTION_MISSING parameter_description_missing
    PLACEHOLDER_DESCRIPTION placeholder_description
    PLACEHOLDER_FOR_PEOPLE placeholder_for_people
    PROSE_CONTRADICTS_SCHEMA prose_contradicts_schema
    TOKEN_BUDGET token_budget
    TOO_MANY_PARAMETERS too_many_parameters
    TOO_MANY_TOOLS too_many_tools
    UNCONDITIONAL_MENTION unconditional_mention
    UNFINISHED_TEXT unfinished_text
    UNKNOWN_PARAMETER_MENTION unknown_parameter_mention
    UNKNOWN_TOOL_MENTION unknown_tool_mention
}
