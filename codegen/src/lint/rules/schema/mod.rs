//! Rules about schemas.

use super::declare_rules;

declare_rules! {
    ARRAY_WITHOUT_ITEMS array_without_items
    CONTRADICTORY_BOUNDS contradictory_bounds
    DOUBLE_ESCAPED_PATTERN double_escaped_pattern
    DUPLICATE_ALTERNATIVE duplicate_alternative
    EMPTY_OBJECT empty_object
    INDISTINCT_ALTERNATIVE indistinct_alternative
    INEXACT_INTEGER inexact_integer
    KEYWORD_WITHOUT_EFFECT keyword_without_effect
    ONLY_NULL only_null
    OPEN_OBJECT open_object
    OVERLAPPING_ALTERNATIVES overlapping_alternatives
    POINTLESS_PATTERN pointless_pattern
    REQUIRED_WITH_DEFAULT required_with_default
    SLOW_PATTERN slow_pattern
    UNCHECKED_FORMAT unchecked_format
    UNKNOWN_FORMAT unknown_format
    UNPORTABLE_PATTERN unportable_pattern
    UNSATISFIABLE unsatisfiable
    UNSUPPORTED_PATTERN unsupported_pattern
    UNTYPED_PROPERTY untyped_property
    UNUSED_DEF unused_def
    VALUE_VIOLATES_FORMAT value_violates_format
}
