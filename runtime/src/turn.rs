//! A turn: an immutable snapshot of a session in one dialect.

use std::fmt;
use std::sync::Arc;

use crate::decide::Decided;
use crate::facts::Facts;
use crate::registry::State;
use crate::segment::{self, FactValue};
use crate::table::Table;
use crate::{Dialect, Hidden, Reason, Text};

/// What the model is shown, and the only things that it can call. Cheap to clone.
#[derive(Clone)]
pub struct Turn {
    snapshot: Arc<Snapshot>,
    /// Granted tools that are not shown, by position. None: there are none.
    hidden: Option<Arc<[(usize, Reason)]>>,
}

struct Snapshot {
    state: Arc<State>,
    dialect: Dialect,
    /// Sorted by name, as the state is.
    tools: Vec<Shown>,
    /// Those that the dialect calls by another name: that name, sorted, and the position in `tools`.
    renamed: Vec<(Text, usize)>,
    definitions: String,
}

/// A tool of this turn.
pub(crate) struct Shown {
    /// Its position in the state.
    pub(crate) id: usize,
    /// What its arguments are read against, where conditions hide some of them.
    table: Option<Box<Table>>,
}

impl Turn {
    /// The turn of this set. It is the `latest` once more, if that one shows the same.
    pub(crate) fn new(
        state: &Arc<State>,
        dialect: Dialect,
        set: Decided<'_>,
        facts: Facts<'_>,
        latest: Option<&Turn>,
    ) -> Self {
        let is_same = |turn: &&Turn| {
            let (known, new) = (turn.snapshot.tools.iter(), set.there.iter());
            known.map(|shown| shown.id).eq(new.map(|member| member.id))
        };
        let snapshot = latest.filter(is_same).map(|turn| Arc::clone(&turn.snapshot));
        Self {
            snapshot: snapshot.unwrap_or_else(|| Arc::new(Snapshot::new(Arc::clone(state), dialect, &set, facts))),
            hidden: (!set.hidden.is_empty()).then(|| set.hidden.into()),
        }
    }

    /// The definitions of all its tools: one JSON array, sorted by tool name, the same bytes for the same set.
    pub fn definitions(&self) -> &str {
        &self.snapshot.definitions
    }

    /// The names of its tools, sorted: their own ones, whatever the dialect calls them.
    pub fn tools(&self) -> impl Iterator<Item = &str> {
        self.snapshot.tools.iter().map(|shown| self.name(shown.id))
    }

    /// Why granted tools are not among them, by name.
    pub fn hidden(&self) -> impl Iterator<Item = Hidden<'_>> {
        self.hidden_ids().map(|(id, reason)| Hidden { tool: self.name(id), reason })
    }

    pub(crate) fn hidden_ids(&self) -> impl Iterator<Item = (usize, &Reason)> {
        self.hidden.as_deref().unwrap_or_default().iter().map(|(id, reason)| (*id, reason))
    }

    pub(crate) fn is_of(&self, state: &Arc<State>, dialect: Dialect) -> bool {
        Arc::ptr_eq(&self.snapshot.state, state) && self.snapshot.dialect == dialect
    }

    pub(crate) fn state(&self) -> &State {
        &self.snapshot.state
    }

    /// The own name of the tool at a position of the state.
    pub(crate) fn name(&self, id: usize) -> &str {
        &self.state().tools[id].name
    }

    /// What the turn's dialect calls the tool at a position of the state.
    pub(crate) fn called(&self, id: usize) -> &str {
        let definition = self.state().tool(id).defined(self.snapshot.dialect);
        definition.and_then(|definition| definition.name.as_deref()).unwrap_or_else(|| self.name(id))
    }

    /// Every name that can be called.
    pub(crate) fn callable(&self) -> impl Iterator<Item = &str> {
        self.snapshot.tools.iter().map(|shown| self.called(shown.id))
    }

    /// The tool that the model calls `name`.
    pub(crate) fn find(&self, name: &str) -> Option<&Shown> {
        let Snapshot { state, tools, renamed, .. } = &*self.snapshot;
        if let Ok(at) = renamed.binary_search_by(|(called, _)| (**called).cmp(name)) {
            return Some(&tools[renamed[at].1]);
        }
        let at = tools.binary_search_by(|shown| (*state.tools[shown.id].name).cmp(name)).ok()?;
        (!renamed.iter().any(|&(_, position)| position == at)).then(|| &tools[at])
    }

    /// What the arguments of a tool are read against.
    pub(crate) fn table<'t>(&'t self, shown: &'t Shown) -> &'t Table {
        shown.table.as_deref().unwrap_or_else(|| &self.state().tool(shown.id).arguments)
    }
}

impl Snapshot {
    fn new(state: Arc<State>, dialect: Dialect, set: &Decided<'_>, facts: Facts<'_>) -> Self {
        let members = &set.there;
        let is_there = |id| members.binary_search_by_key(&id, |member| member.id).is_ok();
        let most: usize = members.iter().map(|member| segment::most(&member.definition.segments) + 1).sum();
        let mut tools = Vec::with_capacity(members.len());
        let mut renamed = Vec::new();
        let mut definitions = String::with_capacity(most + 2);
        definitions.push('[');
        for member in members {
            let atoms = facts.atoms(&state.tools[member.id].atoms, is_there);
            let values: Vec<FactValue> = member.tool.facts.iter().filter_map(|name| facts.get(name).cloned()).collect();
            if definitions.len() > 1 {
                definitions.push(',');
            }
            segment::render(&member.definition.segments, atoms, &values, &mut definitions);
            if let Some(name) = &member.definition.name {
                renamed.push((name.clone(), tools.len()));
            }
            tools.push(Shown { id: member.id, table: member.tool.arguments.in_turn(atoms).map(Box::new) });
        }
        definitions.push(']');
        renamed.sort_unstable();
        Self { state, dialect, tools, renamed, definitions }
    }
}

impl fmt::Debug for Turn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Turn")
            .field("dialect", &self.snapshot.dialect)
            .field("tools", &self.tools().collect::<Vec<_>>())
            .finish_non_exhaustive()
    }
}
