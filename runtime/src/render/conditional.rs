//! Parameters that depend on the turn.

use std::sync::OnceLock;

use crate::data::segment::Atoms;
use crate::data::table::Table;
use crate::registration::ids::ToolId;

/// A tool whose parameters depend on the turn.
pub(crate) struct ConditionalTable {
    id: ToolId,
    /// The atoms of the tool's conditions that hold in the turn.
    pub(crate) atoms: Atoms,
    /// The table without hidden parameters, built on first use, or `None` if no parameter is hidden.
    table: OnceLock<Option<Box<Table>>>,
}

impl ConditionalTable {
    pub(crate) fn new(id: ToolId, atoms: Atoms) -> Self {
        Self { id, atoms, table: OnceLock::new() }
    }

    /// Finds a tool in a list that is sorted by tool.
    pub(crate) fn find(sorted: &[Self], id: ToolId) -> Option<&Self> {
        sorted.binary_search_by_key(&id, |conditional| conditional.id).ok().map(|at| &sorted[at])
    }

    /// Returns the table of the tool in the turn. `declared` is its table with all parameters.
    pub(crate) fn table<'t>(&'t self, declared: &'t Table) -> &'t Table {
        self.table.get_or_init(|| declared.in_turn(self.atoms).map(Box::new)).as_deref().unwrap_or(declared)
    }
}
