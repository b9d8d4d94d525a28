//! The manifests of toolsets and distributions.

use toolc_lower::text::atoms::AtomTable;
use toolc_tables::{Reader, Refused};
use toolc_tables::{table, words};

use super::RequiresManifest;
use crate::diagnostic::At;
use crate::manifest::keys::kinds::{
    Count, FlagOr, Name, Names, Percents, Prose, Required, TableOrDefault, Text, Texts, Word,
};

table! {
    /// A toolset: `manifests/toolsets/NAME.toml`.
    #[derive(Debug, Clone)]
    pub struct ToolsetManifest {
        /// The name by which hosts enable and disable the toolset. Must equal the file's stem and be unique in the project.
        name: Required<Name>,
        /// The description for people who choose among toolsets.
        description: Required<Prose>,
        /// The kind of toolset. Default: `bundle`.
        kind: Word<ToolsetKind>,
        /// Tools whose home is another toolset. Home tools are always included.
        tools: Texts,
        /// Toolsets whose tools are included.
        includes: Texts,
        /// The toolset that this one extends. Enabled with it, and kept when it is disabled.
        base: Text,
        /// Tools that are left out, even if an included toolset has them.
        excludes: Names,
        /// Whether the toolset consists only of `tools`, without its home tools. Default: `false`.
        closed: FlagOr<false>,
        /// Legacy names that may be used to enable and disable the toolset.
        aliases: Names,
        /// Tags by which hosts select toolsets.
        tags: Names,
        /// The maximum number of tokens of the definitions of its tools. Default: `budgets.tokens` in `toolc.toml`.
        token_budget: Count,
        /// Requirements, all of which must be met for the model to see its home tools.
        requires: TableOrDefault<RequiresManifest>,
    } with {
        /// The atoms of its conditions.
        atom_table: AtomTable = |_: &Reader<'_, _>| AtomTable::default(),
    }
}

words! {
    /// A kind of toolset.
    pub enum ToolsetKind {
        /// Tools that serve one purpose.
        Bundle = "bundle",
        /// The toolset of a platform, which mostly includes other toolsets.
        Preset = "preset",
    }
}

impl ToolsetManifest {
    /// Returns a toolset that a tool names and no manifest declares.
    pub fn assumed(name: At<String>) -> Self {
        Self {
            name,
            description: String::new(),
            kind: None,
            tools: Vec::new(),
            includes: Vec::new(),
            base: None,
            excludes: Vec::new(),
            closed: false,
            aliases: Vec::new(),
            tags: Vec::new(),
            token_budget: None,
            requires: RequiresManifest::default(),
            atom_table: AtomTable::default(),
            refused: Refused::default(),
        }
    }

    /// Returns whether it is the toolset of a platform.
    pub fn is_preset(&self) -> bool {
        self.kind.as_ref().is_some_and(|kind| kind.value == ToolsetKind::Preset)
    }
}

table! {
    /// Toolsets that are drawn at random: `manifests/distributions/NAME.toml`.
    #[derive(Debug, Clone)]
    pub struct DistributionManifest {
        /// The name by which hosts draw from it. Must equal the file's stem.
        name: Required<Name>,
        /// The description for people who choose among distributions.
        description: Required<Prose>,
        /// Toolsets, each with the probability in percent that it is drawn. They are drawn independently; if none is drawn,
        /// the most probable one is used.
        toolsets: Required<Percents>,
    }
}
