//! Schemas: what is none, and what no value fits.

use super::rules;

rules! {
    DEFAULT_VIOLATES_SCHEMA default_violates_schema
    DUPLICATE_ENUM_VALUE duplicate_enum_value
    DUPLICATE_PARAMETER duplicate_parameter
    ENDLESS_DEFAULT endless_default
    ENUM_TYPE_MISMATCH enum_type_mismatch
    EXAMPLE_VIOLATES_SCHEMA example_violates_schema
    NOT_2020_12 not_2020_12
    REF_ELSEWHERE ref_elsewhere
    REF_RING ref_ring
    SCHEMA_TOO_LARGE schema_too_large
    UNKNOWN_DEF unknown_definition
    UNKNOWN_TYPE unknown_type
    UNUSED_DEF unused_definition
}
