//! What a session chose among toolsets, by name, and what that comes to in a state of its registry: toolsets come and go.
//!
//! What is gone grants nothing, and what was denied stays denied: a choice never comes to more because something left.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::Text;
use crate::graph::{Graph, Members, Pick};
use crate::registry::{EVERYTHING, State};

/// The toolsets that a session enables and disables.
#[derive(Debug, Clone, Default)]
pub(crate) struct Choice {
    pub(crate) enabled: Vec<String>,
    pub(crate) disabled: Vec<String>,
}

/// The last state that the choice was looked up in, and what it denied there by names that mean nothing any more.
pub(crate) struct Denied {
    pub(crate) state: Arc<State>,
    tools: BTreeMap<String, Vec<Text>>,
}

/// What a choice comes to.
#[derive(Default)]
pub(crate) struct Granted {
    pub(crate) members: Members,
    /// Chosen toolsets that there are not, and enabled ones that hold nothing.
    pub(crate) missing: Arc<[Text]>,
}

impl Choice {
    /// The first name that means nothing in `state`.
    pub(crate) fn unknown(&self, state: &State) -> Option<&str> {
        self.names().find(|name| pick(state, name).is_none())
    }

    /// What it comes to in `state`.
    pub(crate) fn granted(&self, state: &Arc<State>, denied: &mut Denied) -> Granted {
        denied.follow(&self.disabled, state);
        let graph = &state.graph;
        let disabled: Vec<Pick> = self.disabled.iter().filter_map(|name| pick(state, name)).collect();
        let (mut members, empty) = self.granted_by(state);
        graph.deny(&mut members, &disabled);
        let still_denied = denied.tools.values().flatten().filter_map(|tool| state.find(tool));
        still_denied.for_each(|tool| members[tool] = false);
        let gone = self.names().filter(|name| pick(state, name).is_none());
        let missing = gone.chain(empty).map(|name| Text::from(name.to_owned())).collect();
        Granted { members, missing }
    }

    /// What the enabled ones hold together, and those that hold nothing.
    fn granted_by<'c>(&'c self, state: &State) -> (Members, Vec<&'c str>) {
        let Graph { tools, .. } = state.graph;
        // Not the same as nothing that is left of what was enabled.
        if self.enabled.is_empty() {
            return (vec![true; tools], Vec::new());
        }
        let (mut members, mut empty) = (vec![false; tools], Vec::new());
        for name in &self.enabled {
            match pick(state, name) {
                Some(Pick::All) => members.fill(true),
                Some(Pick::Set(set)) => {
                    let more = state.graph.resolve(set);
                    if !more.contains(&true) {
                        empty.push(name.as_str());
                    }
                    members.iter_mut().zip(more).for_each(|(member, new)| *member |= new);
                }
                None => {}
            }
        }
        (members, empty)
    }

    fn names(&self) -> impl Iterator<Item = &str> {
        self.enabled.iter().chain(&self.disabled).map(String::as_str)
    }
}

impl Denied {
    /// By a choice that was made in `state`.
    pub(crate) fn new(state: Arc<State>) -> Self {
        Self { state, tools: BTreeMap::new() }
    }

    /// Goes on to `state`: remembers what those denied that are not there any more.
    fn follow(&mut self, disabled: &[String], state: &Arc<State>) {
        for name in disabled {
            if pick(state, name).is_some() {
                self.tools.remove(name);
            } else if let Some(pick) = pick(&self.state, name) {
                let mut kept = vec![true; self.state.tools.len()];
                self.state.graph.deny(&mut kept, &[pick]);
                let taken = self.state.tools.iter().zip(kept).filter(|(_, kept)| !kept);
                self.tools.insert(name.clone(), taken.map(|(tool, _)| tool.name.clone()).collect());
            }
        }
        self.state = Arc::clone(state);
    }
}

pub(crate) fn pick(state: &State, name: &str) -> Option<Pick> {
    if EVERYTHING.contains(&name) {
        return Some(Pick::All);
    }
    state.toolset(name).map(Pick::Set)
}
