//! Rules about the limits of vendors, which are data in [`dialects`](toolc_lower::dialects). A rule checks only the dialects that the
//! project lists. Lowering rewrites most of what a vendor rejects; the rules that report such rewrites are off by default.
//! Rules that warn are about what is omitted, or rejected nevertheless.

use super::declare_rules;

declare_rules! {
    ALL_TOOLS_DEFERRED all_tools_deferred
    ANTHROPIC_STRICT_BUDGET anthropic_strict_budget
    ANTHROPIC_STRICT_UNSUPPORTED anthropic_strict_unsupported
    BACKGROUND_AND_CODE background_and_code
    CODE_CANNOT_CALL code_cannot_call
    CODE_WITHOUT_RUNNER code_without_runner
    CONSTRAINT_LOST constraint_lost
    GEMINI_ANYOF gemini_anyof
    GEMINI_ENUM gemini_enum
    GEMINI_RECURSION gemini_recursion
    GEMINI_UNSUPPORTED_KEYWORD gemini_unsupported_keyword
    IGNORED_KEYWORD ignored_keyword
    LARGE_NAMESPACE large_namespace
    LLAMACPP_PATTERN llamacpp_pattern
    MCP_HEADER mcp_header
    NOTHING_DEFERRED nothing_deferred
    OPENAI_SIZE openai_size
    OPENAI_STRICT_SHAPE openai_strict_shape
    OPENAI_UNSUPPORTED_KEYWORD openai_unsupported_keyword
    PARAMETER_NAME parameter_name
    PREFIX_HEADROOM prefix_headroom
    REF_WITH_SIBLINGS ref_with_siblings
    ROOT_COMBINATOR root_combinator
    TIMEOUT_BEYOND_CODE timeout_beyond_code
    TOOL_COUNT tool_count
    TOOL_NAME tool_name
    UNUSABLE_IDENTIFIER unusable_identifier
    UNSUPPORTED_GRAMMAR unsupported_grammar
    VARIES_PER_SESSION varies_per_session
    VENDOR_TOOL_NAME vendor_tool_name
}
