//! A session: one conversation's choice of toolsets.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use crate::graph::Pick;
use crate::registry::{EVERYTHING, State};
use crate::{Dialect, Registry, Turn, nearest};

/// One conversation: what it was granted, out of whatever the registry holds at the time.
#[derive(Debug)]
pub struct Session {
    registry: Registry,
    enabled: Vec<String>,
    disabled: Vec<String>,
    /// The latest turn, handed out again while nothing has changed.
    latest: Mutex<Option<Turn>>,
}

/// The choices of a session that is about to begin.
#[derive(Debug)]
#[must_use = "a session begins with `build`"]
pub struct SessionBuilder {
    registry: Registry,
    enabled: Vec<String>,
    disabled: Vec<String>,
}

impl SessionBuilder {
    pub(crate) fn new(registry: Registry) -> Self {
        Self { registry, enabled: Vec::new(), disabled: Vec::new() }
    }

    /// Grants what these toolsets resolve to. `all` and `*` are every tool; nothing enabled means `all`.
    pub fn enable<S: Into<String>>(mut self, toolsets: impl IntoIterator<Item = S>) -> Self {
        self.enabled.extend(toolsets.into_iter().map(Into::into));
        self
    }

    /// Takes away what these toolsets resolve to, less what their bases do. Wins over enabling.
    pub fn disable<S: Into<String>>(mut self, toolsets: impl IntoIterator<Item = S>) -> Self {
        self.disabled.extend(toolsets.into_iter().map(Into::into));
        self
    }

    /// Begins the session.
    ///
    /// # Errors
    /// When the registry knows no toolset of a given name: a choice that silently comes to less than was asked
    /// for, or to more, is never right.
    pub fn build(self) -> Result<Session, UnknownToolset> {
        let state = self.registry.state();
        for name in self.enabled.iter().chain(&self.disabled) {
            if pick(&state, name).is_none() {
                return Err(UnknownToolset::new(&state, name));
            }
        }
        let Self { registry, enabled, disabled } = self;
        Ok(Session { registry, enabled, disabled, latest: Mutex::new(None) })
    }
}

impl Session {
    /// What the model is shown now, in `dialect`. An unchanged session hands out the same turn again.
    pub fn turn(&self, dialect: Dialect) -> Turn {
        let state = self.registry.state();
        let mut latest = self.latest.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(turn) = latest.as_ref().filter(|turn| turn.is_of(&state, dialect)) {
            return turn.clone();
        }
        let picks = |names: &[String]| names.iter().filter_map(|name| pick(&state, name)).collect::<Vec<_>>();
        let members = state.graph.select(&picks(&self.enabled), &picks(&self.disabled));
        let turn = Turn::new(Arc::clone(&state), dialect, &members);
        *latest = Some(turn.clone());
        turn
    }
}

fn pick(state: &State, name: &str) -> Option<Pick> {
    if EVERYTHING.contains(&name) {
        return Some(Pick::All);
    }
    state.toolsets.get(name).map(|&set| Pick::Set(set))
}

/// A session asked for a toolset that the registry does not know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownToolset {
    name: String,
    hint: String,
}

impl UnknownToolset {
    fn new(state: &State, name: &str) -> Self {
        let nearest = nearest(name, state.toolsets.keys().map(|name| &**name));
        let hint = if !nearest.is_empty() {
            format!("did you mean `{}`?", nearest.join("` or `"))
        } else if let Some(tool) = (0..state.tools.len()).map(|id| state.tool(id)).find(|tool| tool.name == name) {
            format!("it is a tool, of the toolset `{}`", tool.toolset)
        } else {
            let all: Vec<&str> = state.toolsets.keys().map(|name| &**name).collect();
            format!("there are: all, {}", all.join(", "))
        };
        Self { name: name.to_owned(), hint }
    }
}

impl fmt::Display for UnknownToolset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "unknown toolset `{}`: {}", self.name, self.hint)
    }
}

impl std::error::Error for UnknownToolset {}
