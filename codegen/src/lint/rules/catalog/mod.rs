//! Rules about the catalog: the graph of toolsets, conditions, facts, and the linter's own comments.

use super::declare_rules;

declare_rules! {
    ALIAS_WITHOUT_EFFECT alias_without_effect
    ALLOW_WITHOUT_REASON allow_without_reason
    CONDITION_ALWAYS_TRUE condition_always_true
    CONDITION_IN_PLAIN_TEXT condition_in_plain_text
    CONDITION_NEVER_TRUE condition_never_true
    CONFLICTING_RULES conflicting_rules
    DEPRECATED_IN_USE deprecated_in_use
    DISABLING_DOES_NOTHING disabling_does_nothing
    DUPLICATE_ITEM duplicate_item
    EMPTY_TOOLSET empty_toolset
    EXCLUDES_NOTHING excludes_nothing
    LISTED_AND_EXCLUDED listed_and_excluded
    NOT_PASSED_ON not_passed_on
    REDUNDANT_INCLUDE redundant_include
    REQUIREMENT_ALWAYS_MET requirement_always_met
    REQUIREMENT_OUTSIDE_TOOLSET requirement_outside_toolset
    TIMEOUT_BELOW_PARAMETER timeout_below_parameter
    UNKNOWN_FACT_VALUE unknown_fact_value
    UNLISTED_HOME_TOOL unlisted_home_tool
    UNREACHABLE_TOOL unreachable_tool
    UNUSED_ALLOW unused_allow
    UNUSED_BASELINE_ENTRY unused_baseline_entry
    UNUSED_FACT unused_fact
    UNUSED_VARIABLE unused_variable
    VARIABLE_IN_LOWER_CASE variable_in_lower_case
}

pub use conflicting_rules::check_user_rules;
