//! A vendor's own tools, which requests contain besides those of the project, and what they demand of the others.

use super::limits::{Refused, limits};

/// A vendor with tools of its own. `[vendor_tools]` of `toolc.toml` has a key for each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Vendor {
    /// Anthropic.
    Anthropic,
    /// OpenAI.
    OpenAi,
    /// Google.
    Gemini,
}

limits! {
    /// What a dialect demands of tools that code may call: code that the model writes, and that the vendor runs.
    CodeLimits {
        /// Strict mode: code cannot call strict tools.
        strict_tools: Refused,
        /// Schemas that contain themselves by `$ref`.
        recursive_parameters: Refused,
        /// The number of seconds for which code waits for a result.
        max_wait_seconds: u64,
        /// Calls in the background, whose results follow later.
        background_calls: Refused,
    }
}

limits! {
    /// What a vendor advises about the tools that its tool search finds.
    SearchLimits {
        /// The lists of tools for which the vendor advises its search.
        advised_from: ListSize,
        /// A request with the search, but without a deferred tool.
        needs_deferred_tool: Refused,
        /// How many tools should not be deferred.
        advised_undeferred: &'static str,
        /// The number of functions that a namespace should not reach.
        namespace_functions: usize,
    }
}

/// The size of a list of tools. A list is this large if it has at least this many tools, or if their definitions need more tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ListSize {
    /// Tools.
    pub tools: usize,
    /// Tokens of the definitions.
    pub tokens: Option<usize>,
}
