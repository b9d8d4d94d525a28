//! Counts of repaired arguments: how many calls of each tool had a parameter that was repaired.
//!
//! A count is an atomic increment. The counters of a tool are made at its first repair, and kept when its provider is replaced.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use crate::args::repaired::RepairedParameters;
use crate::args::repairs::Repair;
use crate::data::table::{Name, Table};
use crate::sorted;
use crate::text::names::same_name;

/// The maximum number of undeclared keys that are counted for a tool: a model can invent any number of keys.
const MAX_OTHERS: usize = 100;

/// The number of calls in which a parameter was repaired: see [`Registry::repairs`](crate::Registry::repairs).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub struct RepairCount {
    /// The name of the tool.
    pub tool: String,
    /// The declared name of the parameter; empty for the arguments as a whole.
    pub parameter: String,
    /// The number of calls.
    pub calls: u64,
}

/// The counters of a registry.
#[derive(Debug, Default)]
pub(crate) struct RepairCounts(Mutex<Vec<(String, Arc<ToolRepairCounts>)>>);

/// The counters of one tool, made at its first repair.
#[derive(Debug, Clone, Default)]
pub(crate) struct ToolCountsCell(OnceLock<Arc<ToolRepairCounts>>);

#[derive(Debug)]
struct ToolRepairCounts {
    parameters: Vec<(Name, AtomicU64)>,
    whole: AtomicU64,
    /// The counts of keys that are not declared for the arguments object itself.
    others: Mutex<Vec<(String, u64)>>,
}

impl ToolRepairCounts {
    fn new(table: &Table) -> Self {
        let properties = table.properties(table.node(0)).iter();
        let parameters = properties.map(|property| (property.name.clone(), AtomicU64::new(0))).collect();
        Self { parameters, whole: AtomicU64::new(0), others: Mutex::default() }
    }

    fn fits(&self, table: &Table) -> bool {
        let properties = table.properties(table.node(0));
        self.parameters.len() == properties.len()
            && self.parameters.iter().zip(properties).all(|((name, _), property)| **name == *property.name)
    }

    fn add(&self, repaired: RepairedParameters, find: &dyn Fn() -> Vec<String>) {
        if repaired.has_whole() {
            self.whole.fetch_add(1, Ordering::Relaxed);
        }
        if let Some(indices) = repaired.indices() {
            for (_, count) in indices.filter_map(|index| self.parameters.get(index)) {
                count.fetch_add(1, Ordering::Relaxed);
            }
            return;
        }
        for key in find() {
            let similar = self.parameters.iter().find(|(name, _)| same_name(name, &key));
            if let Some((_, count)) = self.parameters.iter().find(|(name, _)| **name == *key).or(similar) {
                count.fetch_add(1, Ordering::Relaxed);
            } else {
                let mut others = self.others.lock().unwrap_or_else(PoisonError::into_inner);
                let count = others.len();
                match others.iter_mut().find(|(other, _)| *other == key) {
                    Some((_, calls)) => *calls += 1,
                    None if count < MAX_OTHERS => others.push((key, 1)),
                    None => {}
                }
            }
        }
    }

    fn list(&self) -> Vec<(String, u64)> {
        let counted = self.parameters.iter().map(|(name, count)| (name.to_string(), count.load(Ordering::Relaxed)));
        let whole = (String::new(), self.whole.load(Ordering::Relaxed));
        let others = self.others.lock().unwrap_or_else(PoisonError::into_inner).clone();
        counted.chain([whole]).chain(others).filter(|(_, calls)| *calls > 0).collect()
    }
}

impl ToolCountsCell {
    /// Counts a call of `tool`, whose arguments `table` describes. `find` lists the repairs; it is called only if necessary.
    pub(crate) fn count<'r>(
        &self,
        all: &RepairCounts,
        tool: &str,
        table: &Table,
        repaired: RepairedParameters,
        find: impl Fn() -> &'r [Repair],
    ) {
        let counts = self.0.get_or_init(|| all.of(tool, table));
        counts.add(repaired, &|| {
            let mut keys = Vec::new();
            find().iter().filter_map(|repair| first_key(&repair.path)).for_each(|key| sorted::insert(&mut keys, key));
            keys
        });
    }
}

impl RepairCounts {
    /// Returns the counters of a tool with these parameters.
    fn of(&self, tool: &str, table: &Table) -> Arc<ToolRepairCounts> {
        let mut tools = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, counts)) = tools.iter().find(|(name, counts)| name == tool && counts.fits(table)) {
            return Arc::clone(counts);
        }
        let counts = Arc::new(ToolRepairCounts::new(table));
        tools.push((tool.to_owned(), Arc::clone(&counts)));
        counts
    }

    /// Returns all counts that are not zero, sorted by tool and parameter.
    pub(crate) fn list(&self) -> Vec<RepairCount> {
        let mut list: Vec<RepairCount> = Vec::new();
        for (tool, counts) in &*self.0.lock().unwrap_or_else(PoisonError::into_inner) {
            for (parameter, calls) in counts.list() {
                match list.iter_mut().find(|count| count.tool == *tool && count.parameter == parameter) {
                    Some(count) => count.calls += calls,
                    None => list.push(RepairCount { tool: tool.clone(), parameter, calls }),
                }
            }
        }
        list.sort_unstable();
        list
    }
}

/// Returns the first key of a JSON pointer.
fn first_key(pointer: &str) -> Option<String> {
    let key = pointer.strip_prefix('/')?.split('/').next()?;
    Some(key.replace("~1", "/").replace("~0", "~"))
}
