//! Rules about schemas.

use super::declare_rules;

declare_rules! {
    ARRAY_WITHOUT_ITEMS array_without_items
    CONTRADICTORY_BOUNDS contradictory_bounds
    DUPLICATE_ALTERNATIVE duplicate_alternative
    EMPTY_OBJECT empty_object
    INDISTINCT_ALTERNATIVE indistinct_alternative
    KEYWORD_WITHOUT_EFFECT keyword_without_effect
    OPEN_OBJECT open_object
    REQUIRED_WITH_DEFAULT required_with_default
    UNPORTABLE_PATTERN unportable_pattern
    UNSATISFIABLE unsatisfiable
    UNTYPED_PROPERTY untyped_property
    UNUSED_DEF unused_def
}
