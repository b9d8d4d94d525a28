//! A turn: an immutable snapshot of a session in one dialect.

use std::borrow::Cow;
use std::fmt;
use std::sync::{Arc, OnceLock};

use crate::availability::resolve::{AvailabilityResult, TurnInputs};
use crate::availability::{HiddenReason, HiddenTool};
use crate::call::scope::CallScope;
use crate::data::dialect::Dialect;
use crate::data::env::Env;
#[cfg(feature = "search")]
use crate::data::segment::Segment;
use crate::data::segment::{Atoms, FactValue};
use crate::data::table::Table;
use crate::data::tokens::estimated_tokens;
use crate::registration::atoms::{FactLookup, FactValues};
use crate::registration::definition_table::DefinitionSlot;
use crate::registration::ids::ToolId;
use crate::registration::state::{DispatchPlan, State};
use crate::render::{DefinitionsRenderer, RenderedDefinitions};
use crate::run::progress::ProgressSink;
use crate::session::config::SessionConfig;
use crate::sorted;

/// The tools that the model is shown, and the only ones that it can call. Cheap to clone.
#[derive(Clone)]
pub struct Turn {
    /// A single reference count, so that reusing a turn touches one counter only.
    made: Arc<Made>,
}

struct Made {
    /// Shared by all turns that show the same tools.
    snapshot: Arc<Snapshot>,
    /// The inputs of the turn, or `None` if there were no checks and nothing is hidden.
    found: Option<TurnInputs>,
}

struct Snapshot {
    state: Arc<State>,
    host: Arc<SessionConfig>,
    dialect: Dialect,
    /// The shown tools, sorted.
    tools: Vec<ToolId>,
    /// The tools with another name in the dialect, sorted by that name.
    renamed: Vec<(Cow<'static, str>, ToolId)>,
    /// The tools with hidden parameters, sorted.
    narrowed: Vec<Narrowed>,
    /// The missing toolsets of the session's selection.
    missing: Arc<[Cow<'static, str>]>,
    /// The facts that the host had set.
    facts: Arc<FactValues>,
    definitions: RenderedDefinitions,
    /// The tools that tool search defers, sorted. Empty without the feature `search`.
    deferred: Vec<ToolId>,
    /// The definitions, rendered on first use.
    #[cfg(feature = "raw-value")]
    raw: OnceLock<Box<serde_json::value::RawValue>>,
}

/// A tool whose parameters depend on the turn.
struct Narrowed {
    id: ToolId,
    atoms: Atoms,
    /// The table for its arguments, built on first use, or `None` if no parameter is hidden.
    table: OnceLock<Option<Box<Table>>>,
}

impl Turn {
    /// Returns the turn with this set. If the `latest` turn of the same state and dialect shows the same, it is reused.
    pub(crate) fn new(
        state: &Arc<State>,
        host: &Arc<SessionConfig>,
        dialect: Dialect,
        set: AvailabilityResult,
        facts: FactLookup<'_>,
        latest: Option<&Turn>,
    ) -> Self {
        let AvailabilityResult { tools: there, inputs: found, .. } = set;
        let latest = latest.map(|turn| &turn.made.snapshot).filter(|snapshot| snapshot.tools == there);
        let snapshot = match latest {
            Some(snapshot) if Arc::ptr_eq(&snapshot.facts, facts.set) => Arc::clone(snapshot),
            _ => {
                let before = latest.map(|snapshot| &snapshot.definitions);
                let (state, host, missing) = (Arc::clone(state), Arc::clone(host), &found.env.missing);
                Arc::new(Snapshot::new(state, host, dialect, there, missing, facts, before))
            }
        };
        let found = (!state.requirements.is_empty() || !found.hidden.is_empty()).then_some(found);
        Self { made: Arc::new(Made { snapshot, found }) }
    }

    /// Returns the definitions of all tools: one JSON array, sorted by tool name, with the same bytes for the same set.
    pub fn definitions(&self) -> &str {
        &self.made.snapshot.definitions.text
    }

    /// Returns the [definitions](Self::definitions) as a value of `serde_json`, to embed in a request without parsing.
    /// It is created once for all turns that show the same.
    ///
    /// ```
    /// use toolc::{RawValue, Turn};
    ///
    /// #[derive(serde::Serialize)]
    /// struct Request<'a> {
    ///     model: &'a str,
    ///     tools: &'a RawValue,
    /// }
    ///
    /// fn request(turn: &Turn) -> Result<String, serde_json::Error> {
    ///     serde_json::to_string(&Request { model: "a-model", tools: turn.raw_definitions()? })
    /// }
    /// # let session = toolc::Registry::new().session().build().unwrap();
    /// # let request = request(&session.turn_blocking(toolc::Dialect::OpenAi)).unwrap();
    /// # assert_eq!(request, r#"{"model":"a-model","tools":[]}"#);
    /// ```
    ///
    /// # Errors
    /// Returns an error if a hand-written tool provider defines a tool with invalid JSON.
    #[cfg(feature = "raw-value")]
    pub fn raw_definitions(&self) -> serde_json::Result<&serde_json::value::RawValue> {
        let Snapshot { definitions, raw, .. } = &*self.made.snapshot;
        if let Some(raw) = raw.get() {
            return Ok(raw);
        }
        let made = serde_json::value::RawValue::from_string(definitions.text.clone())?;
        Ok(raw.get_or_init(|| made))
    }

    /// Returns the tools' own names, sorted, whatever their names in the dialect.
    pub fn tools(&self) -> impl Iterator<Item = &str> {
        self.made.snapshot.tools.iter().map(|&id| self.name(id))
    }

    /// Returns the granted tools that are hidden, by name, with the reason.
    pub fn hidden(&self) -> impl Iterator<Item = HiddenTool<'_>> {
        self.hidden_ids().map(|(id, reason)| HiddenTool { tool: self.name(id), reason })
    }

    /// Returns the session's toolsets that no longer exist, and enabled ones that are now empty. They existed when the
    /// session was built, and may come back.
    pub fn missing_toolsets(&self) -> impl Iterator<Item = &str> {
        self.made.snapshot.missing.iter().map(|name| &**name)
    }

    pub(crate) fn hidden_ids(&self) -> impl Iterator<Item = (ToolId, &HiddenReason)> {
        self.found().into_iter().flat_map(|found| &found.hidden).map(|(id, reason)| (*id, reason))
    }

    /// The inputs of the turn, or `None` if there were no checks and nothing is hidden.
    pub(crate) fn found(&self) -> Option<&TurnInputs> {
        self.made.found.as_ref()
    }

    /// Returns whether it belongs to this state and dialect.
    pub(crate) fn is_of(&self, state: &Arc<State>, dialect: Dialect) -> bool {
        Arc::ptr_eq(&self.made.snapshot.state, state) && self.dialect() == dialect
    }

    pub(crate) fn dialect(&self) -> Dialect {
        self.made.snapshot.dialect
    }

    pub(crate) fn state(&self) -> &State {
        &self.made.snapshot.state
    }

    /// Returns the session's configuration.
    pub(crate) fn config(&self) -> &SessionConfig {
        &self.made.snapshot.host
    }

    /// Returns how calls of a tool are dispatched.
    pub(crate) fn plan(&self, id: ToolId) -> DispatchPlan {
        self.state()[id].plan
    }

    /// Returns whether a tool is shown.
    pub(crate) fn has(&self, id: ToolId) -> bool {
        self.made.snapshot.tools.binary_search(&id).is_ok()
    }

    pub(crate) fn facts(&self) -> FactLookup<'_> {
        let Snapshot { state, facts, .. } = &*self.made.snapshot;
        FactLookup { set: facts, defaults: &state.facts }
    }

    /// Returns the own name of a tool.
    pub(crate) fn name(&self, id: ToolId) -> &str {
        &self.state()[id].name
    }

    /// Returns the name of a tool in the turn's dialect.
    pub(crate) fn called(&self, id: ToolId) -> &str {
        self.state().tool(id).name_in(self.dialect()).map_or(self.name(id), |name| &**name)
    }

    /// Returns all names that can be called.
    pub(crate) fn callable(&self) -> impl Iterator<Item = &str> {
        self.made.snapshot.tools.iter().map(|&id| self.called(id))
    }

    /// Returns the tool that the model calls `name`.
    pub(crate) fn find(&self, name: &str) -> Option<ToolId> {
        let Snapshot { state, tools, renamed, .. } = &*self.made.snapshot;
        if let Ok(at) = renamed.binary_search_by(|(called, _)| (**called).cmp(name)) {
            return Some(renamed[at].1);
        }
        let id = state.find(name)?;
        let is_shown = tools.len() == state.tools.len() || tools.binary_search(&id).is_ok();
        (is_shown && !renamed.iter().any(|&(_, other)| other == id)).then_some(id)
    }

    /// Returns the tools that tool search defers, sorted.
    pub(crate) fn deferred_ids(&self) -> &[ToolId] {
        &self.made.snapshot.deferred
    }

    /// Returns the definition of a tool in this turn.
    #[cfg(any(feature = "search", feature = "wire-mcp"))]
    pub(crate) fn definition(&self, id: ToolId) -> String {
        let Snapshot { state, dialect, tools, .. } = &*self.made.snapshot;
        let (definitions, mut text) = (state.definitions(*dialect), String::new());
        DefinitionsRenderer { state, dialect: *dialect, definitions, tools, facts: self.facts() }.write(id, &mut text);
        text
    }

    /// Returns the description of a tool, as it is in this turn.
    #[cfg(feature = "search")]
    pub(crate) fn description(&self, id: ToolId) -> Cow<'_, str> {
        let is_text = |segment: &Segment| matches!(segment, Segment::Text(_));
        match self.state().definition(id, self.dialect()) {
            Some(definition) if !definition.segments.iter().all(is_text) => {
                let definition = serde_json::from_str(&self.definition(id)).unwrap_or_default();
                self.dialect().description_in(&definition).unwrap_or_default().to_owned().into()
            }
            _ => Cow::Borrowed(&self.state().tool(id).description),
        }
    }

    /// Returns the table for the arguments of a tool.
    pub(crate) fn table(&self, id: ToolId) -> &Table {
        let Snapshot { state, narrowed, .. } = &*self.made.snapshot;
        let declared = &*state[id].table;
        let Ok(at) = narrowed.binary_search_by_key(&id, |narrowed| narrowed.id) else { return declared };
        let Narrowed { atoms, table, .. } = &narrowed[at];
        table.get_or_init(|| declared.in_turn(*atoms).map(Box::new)).as_deref().unwrap_or(declared)
    }
}

impl Turn {
    /// Returns an estimate of the number of tokens that the definitions take: see [`estimated_tokens`].
    pub fn estimated_tokens(&self) -> usize {
        estimated_tokens(self.definitions().len())
    }
}

impl CallScope for Turn {
    fn session_id(&self) -> &str {
        &self.config().id
    }

    fn env(&self) -> &Env {
        &self.config().env
    }

    fn fact(&self, name: &str) -> Option<&FactValue> {
        self.facts().get(name)
    }

    fn shows(&self, tool: &str) -> bool {
        self.state().find(tool).is_some_and(|id| self.has(id))
    }

    fn progress(&self) -> Option<&ProgressSink> {
        self.config().progress.as_ref()
    }

    fn to_shared(&self) -> Arc<dyn CallScope> {
        Arc::new(self.clone())
    }
}

impl Snapshot {
    fn new(
        state: Arc<State>,
        host: Arc<SessionConfig>,
        dialect: Dialect,
        tools: Vec<ToolId>,
        missing: &Arc<[Cow<'static, str>]>,
        facts: FactLookup<'_>,
        before: Option<&RenderedDefinitions>,
    ) -> Self {
        let table = state.definitions(dialect);
        let (mut renamed, mut narrowed) = (Vec::<(Cow<'static, str>, ToolId)>::new(), Vec::new());
        for &id in &tools {
            let DefinitionSlot::Rendered { .. } = table[id] else { continue };
            let tool = state.tool(id);
            renamed.extend(tool.name_in(dialect).map(|name| (name.clone(), id)));
            if !tool.arguments.conditions.is_empty() {
                let atoms = facts.evaluate(&state[id].atoms, &|id| tools.binary_search(&id).is_ok());
                narrowed.push(Narrowed { id, atoms, table: OnceLock::new() });
            }
        }
        let page = DefinitionsRenderer { state: &state, dialect, definitions: table, tools: &tools, facts };
        #[cfg(feature = "search")]
        let deferred = page.deferred(host.search);
        #[cfg(not(feature = "search"))]
        let deferred = Vec::new();
        let definitions = match before {
            Some(before) => page.again(before),
            #[cfg(feature = "search")]
            None if !deferred.is_empty() => page.searched(&deferred),
            None => page.all(),
        };
        let renamed_at = sorted::positions(renamed.len(), &|a, b| renamed[a].0.cmp(&renamed[b].0));
        let renamed = renamed_at.into_iter().map(|at| renamed[at].clone()).collect();
        Self {
            state,
            host,
            dialect,
            tools,
            renamed,
            narrowed,
            missing: Arc::clone(missing),
            facts: Arc::clone(facts.set),
            definitions,
            deferred,
            #[cfg(feature = "raw-value")]
            raw: OnceLock::new(),
        }
    }
}

impl fmt::Debug for Turn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Turn")
            .field("dialect", &self.made.snapshot.dialect)
            .field("tools", &self.tools().collect::<Vec<_>>())
            .finish_non_exhaustive()
    }
}
