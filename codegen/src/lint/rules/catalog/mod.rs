//! Rules about the catalog: the graph of toolsets, conditions, facts, and the linter's own comments.

use super::declare_rules;

declare_rules! {
    ALLOW_WITHOUT_REASON allow_without_reason
    CONDITION_ALWAYS_TRUE condition_always_true
    CONDITION_NEVER_TRUE condition_never_true
    DEPRECATED_IN_USE deprecated_in_use
    DISABLING_DOES_NOTHING disabling_does_nothing
    DUPLICATE_ITEM duplicate_item
    EMPTY_TOOLSET empty_toolset
    EXCLUDES_NOTHING excludes_nothing
    NOT_PASSED_ON not_passed_on
    REDUNDANT_INCLUDE redundant_include
    UNLISTED_HOME_TOOL unlisted_home_tool
    UNREACHABLE_TOOL unreachable_tool
    UNUSED_ALLOW unused_allow
    UNUSED_BASELINE_ENTRY unused_baseline_entry
    UNUSED_FACT unused_fact
}
