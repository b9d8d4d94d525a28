//! Schemas: what is none, and what no value fits.

use super::rules;

rules! {
    ARRAY_WITHOUT_ITEMS array_without_items
    CONTRADICTORY_BOUNDS contradictory_bounds
    DEFAULT_VIOLATES_SCHEMA default_violates_schema
    DUPLICATE_ALTERNATIVE duplicate_alternative
    DUPLICATE_ENUM_VALUE duplicate_enum_value
    DUPLICATE_PARAMETER duplicate_parameter
    EMPTY_OBJECT empty_object
    ENDLESS_DEFAULT endless_default
    ENUM_TYPE_MISMATCH enum_type_mismatch
    EXAMPLE_VIOLATES_SCHEMA example_violates_schema
    EXTERNAL_REF external_ref
    INDISTINCT_ALTERNATIVE indistinct_alternative
    INVALID_PATTERN invalid_pattern
    KEYWORD_WITHOUT_EFFECT keyword_without_effect
    MISSPELT_KEYWORD misspelt_keyword
    NOT_2020_12 not_2020_12
    OPEN_OBJECT open_object
    REF_RING ref_ring
    REQUIRED_WITH_DEFAULT required_with_default
    ROOT_NOT_OBJECT root_not_object
    SCHEMA_TOO_LARGE schema_too_large
    UNKNOWN_TYPE unknown_type
    UNPORTABLE_PATTERN unportable_pattern
    UNRESOLVED_REF unresolved_ref
    UNSATISFIABLE unsatisfiable
    UNTYPED_PROPERTY untyped_property
    UNUSED_DEF unused_def
}
