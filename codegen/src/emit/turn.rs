//! The turn for which definitions are rendered: `generated/` holds those of one turn, and a bundle those of a turn of the user's choice.

use std::borrow::Cow;

use toolc::__gen::graph::Members;
use toolc::FactValue;

use crate::catalog::{Catalog, FactId, Tool, ToolId, TurnValues};

/// A turn. By default, all tools are available and every fact has its default.
#[derive(Debug, Clone)]
pub struct Turn {
    /// The facts that do not have their defaults.
    pub facts: Vec<(FactId, FactValue)>,
    /// The only tools that are available besides the one that is rendered, or `None` if all are.
    pub available: Option<Members>,
}

/// The turn of the files in `generated/`.
pub(super) static DEFAULT: Turn = Turn { facts: Vec::new(), available: None };

impl Turn {
    /// Returns the values for a tool in a turn with these tools and the facts of this turn.
    pub(super) fn values(&self, catalog: &Catalog, tool: &Tool, members: &[bool]) -> TurnValues {
        catalog.turn_values_with_facts(tool, members, &self.facts)
    }

    /// Returns the values for a tool in this turn. `all` are the tools if no other tools were chosen.
    pub(super) fn values_of(&self, catalog: &Catalog, id: ToolId, all: &Members) -> TurnValues {
        let mut members = Cow::Borrowed(self.available.as_ref().unwrap_or(all));
        if self.available.is_some() {
            members.to_mut()[id.0] = true;
        }
        self.values(catalog, &catalog[id], &members)
    }

    /// Returns the tools that this turn shows if `granted` are granted.
    pub(super) fn shown(&self, catalog: &Catalog, mut granted: Members) -> Members {
        for (granted, available) in granted.iter_mut().zip(self.available.iter().flatten()) {
            *granted &= available;
        }
        catalog.shown_with_facts(granted, &self.facts)
    }
}
