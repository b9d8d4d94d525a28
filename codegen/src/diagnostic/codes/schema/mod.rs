//! Errors in schemas.

toolc_tables::codes! {
    DEFAULT_VIOLATES_SCHEMA default_violates_schema
    DUPLICATE_ENUM_VALUE duplicate_enum_value
    DUPLICATE_PARAMETER duplicate_parameter
    ENDLESS_DEFAULT endless_default
    ENUM_TYPE_MISMATCH enum_type_mismatch
    EXAMPLE_VIOLATES_SCHEMA example_violates_schema
    EXTERNAL_REF external_ref
    INVALID_PATTERN invalid_pattern
    NOT_2020_12 not_2020_12
    REF_CYCLE ref_cycle
    ROOT_NOT_OBJECT root_not_object
    SCHEMA_TOO_LARGE schema_too_large
    UNRESOLVED_REF unresolved_ref
}
