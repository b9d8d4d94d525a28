//! The state that repair, validation and filling share: the table, the limits, and a budget of steps.
//!
//! Without the budget, a schema that refers to itself through `anyOf` could need unlimited work for a small text.

use std::cell::{Cell, OnceCell};

use super::Limits;
use crate::data::table::{Node, NodeId, Table};
use crate::vec_map::VecMap;

/// The maximum number of steps for one text. Texts of 4 MiB need fewer, unless they are made to need many.
const STEP_BUDGET: usize = 16_000_000;

/// The maximum depth that `serde_json` parses. It limits every recursion here.
const MAX_DEPTH: usize = 127;

pub(crate) struct Reader<'t> {
    pub(crate) table: &'t Table,
    pub(super) limits: Limits,
    budget: Cell<usize>,
    /// Set when repair changes a value.
    pub(super) changed: Cell<bool>,
    /// Set when repair makes a string of a number whose spelling is not known.
    pub(super) has_spelled: Cell<bool>,
    /// The other names of parameters, once one of them may have been sent.
    pub(super) aliases: OnceCell<VecMap<&'t str, String>>,
}

/// Returns the part of a node that has nothing but one part, as `{"allOf": [{"$ref": "…"}]}`, and otherwise the node itself.
fn only_part(table: &Table, mut id: NodeId) -> NodeId {
    for _ in 0..MAX_DEPTH {
        let node = table.node(id);
        let has_more = !table.types(node).is_any()
            || node.any_of.len > 0
            || node.literals.len > 0
            || node.properties.len > 0
            || node.items.is_some()
            || node.bounds.is_some()
            || node.further != 0;
        match table.all_of(node) {
            [part] if !has_more => id = *part,
            _ => break,
        }
    }
    id
}

impl<'t> Reader<'t> {
    pub(super) fn new(table: &'t Table, limits: Limits) -> Self {
        Self::with_budget(table, limits, STEP_BUDGET)
    }

    pub(super) fn with_budget(table: &'t Table, limits: Limits, budget: usize) -> Self {
        let limits = Limits { max_depth: limits.max_depth.min(MAX_DEPTH), ..limits };
        Self {
            table,
            limits,
            budget: Cell::new(budget),
            changed: Cell::new(false),
            has_spelled: Cell::new(false),
            aliases: OnceCell::new(),
        }
    }

    /// Takes `steps` from the budget. Returns false if it is exhausted.
    pub(crate) fn spend(&self, steps: usize) -> bool {
        let left = self.budget.get().checked_sub(steps);
        self.budget.set(left.unwrap_or(0));
        left.is_some()
    }

    /// Returns the alternatives of `node`, including those of nested alternatives, or `None` if one of them has no
    /// type, so that the schema does not determine a type.
    pub(super) fn leaves(&self, node: &Node) -> Option<Vec<NodeId>> {
        const MAX_LEAVES: usize = 256;
        const MAX_NESTED: usize = 16;
        fn walk(table: &Table, node: &Node, depth: usize, leaves: &mut Vec<NodeId>) -> Option<()> {
            for &id in table.any_of(node) {
                let id = only_part(table, id);
                let branch = table.node(id);
                if branch.all_of.len > 0 || leaves.len() == MAX_LEAVES || depth == MAX_NESTED {
                    return None;
                }
                if !table.types(branch).is_any() {
                    leaves.push(id);
                } else if branch.any_of.len == 0 {
                    return None;
                } else {
                    walk(table, branch, depth + 1, leaves)?;
                }
            }
            Some(())
        }
        let mut leaves = Vec::new();
        walk(self.table, node, 0, &mut leaves)?;
        Some(leaves)
    }
}
