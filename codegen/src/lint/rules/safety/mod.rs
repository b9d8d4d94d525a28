//! Rules about safety: what a tool does to the world, and what a text does to a model.

use super::declare_rules;

declare_rules! {
    DESTRUCTIVE_IN_SAFE destructive_in_safe
    DESTRUCTIVE_UNDECLARED destructive_undeclared
    EXTERNAL_WITHOUT_REQUIREMENT external_without_requirement
    INJECTION_PHRASE injection_phrase
    INVISIBLE_UNICODE invisible_unicode
    METADATA_ADDRESS metadata_address
    OPEN_WORLD_IN_CLOSED_SET open_world_in_closed_set
    READ_ONLY_AND_DESTRUCTIVE read_only_and_destructive
    READ_ONLY_CONTRADICTED read_only_contradicted
    SECRET_IN_HEADER secret_in_header
    SECRET_IN_TEXT secret_in_text
    SECRET_WITH_VALUE secret_with_value
    SHELL_WITHOUT_APPROVAL shell_without_approval
    UNATTENDED_CODE unattended_code
    UNBOUNDED_ARRAY unbounded_array
    UNBOUNDED_RESULT unbounded_result
    UNMARKED_SECRET unmarked_secret
}
