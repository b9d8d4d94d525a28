//! Typed positions, one type for each kind of list that a [state](crate::registration::state::State) has.

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident)*) => { $(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub(crate) struct $name(pub(crate) usize);
    )* };
}

ids! {
    /// A tool of a state. Tools are sorted by name, and so are lists of sorted `ToolId`s.
    ToolId
    /// A toolset of a state, and its set in the state's graph.
    ToolsetId
    /// A tool provider of a state, in the order of registration.
    ProviderIndex
    /// A tool among those of its tool provider.
    IndexInProvider
    /// A requirement of a state's tools.
    RequirementId
}

/// Finds the tools and toolsets of a state by name.
pub(crate) trait NameLookup {
    /// Finds a tool by its own name.
    fn find(&self, name: &str) -> Option<ToolId>;

    /// Finds a toolset by its name or an alias.
    fn toolset(&self, name: &str) -> Option<ToolsetId>;
}

/// Returns whether two lists of tools are equal. Without an early exit, which `==` has, rustc compares several at a time.
#[expect(clippy::needless_bitwise_bool, reason = "`&&` would be an early exit")]
pub(crate) fn same_tools(a: &[ToolId], b: &[ToolId]) -> bool {
    a.len() == b.len() && a.iter().zip(b).fold(true, |same, (a, b)| same & (a == b))
}
