//! Errors in manifests other than schema errors: files, keys, names, the graph of toolsets, conditions, settings of the linter.

toolc_tables::codes! {
    ALIAS_SHADOWS_NAME alias_shadows_name
    AVAILABLE_CAN_BE_EMPTY available_can_be_empty
    CONDITION condition
    DUPLICATE_NAME duplicate_name
    DUPLICATE_TOOL duplicate_tool
    DUPLICATE_TOOLSET duplicate_toolset
    ENUM_CAN_VANISH enum_can_vanish
    FAILING_EXAMPLE failing_example
    FILE_NAME_MISMATCH file_name_mismatch
    INCLUDE_CYCLE include_cycle
    INCOMPATIBLE_KEYS incompatible_keys
    MISPLACED_FILE misplaced_file
    NOT_IN_A_PLUGIN not_in_a_plugin
    REQUIRED_WITH_WHEN required_with_when
    REQUIRES_CYCLE requires_cycle
    REQUIRES_WHEN requires_when
    RESERVED_NAME reserved_name
    RUST_NAME_COLLISION rust_name_collision
    TEMPLATE template
    TOO_MANY_ATOMS too_many_atoms
    UNKNOWN_CODE unknown_code
    UNKNOWN_DIALECT unknown_dialect
    UNKNOWN_GROUP unknown_group
    UNKNOWN_PARAMETER unknown_parameter
    UNKNOWN_PLACE unknown_place
    UNKNOWN_RULE unknown_rule
    UNKNOWN_VARIABLE unknown_variable
}
