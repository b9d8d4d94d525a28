//! Turns: immutable snapshots of a session in one dialect.

use std::borrow::Cow;
use std::fmt;
use std::pin::Pin;
use std::sync::Arc;

use crate::args::Arguments;
use crate::availability::resolve::{AvailabilityResult, TurnInputs};
use crate::availability::{HiddenReason, HiddenTool};
use crate::call::hooks::HostError;
use crate::call::response::CallResponse;
use crate::data::catalog::Tool;
use crate::data::dialect::Dialect;
use crate::data::segment::Atoms;
#[cfg(feature = "search")]
use crate::data::segment::Segment;
use crate::data::table::Table;
use crate::registration::atoms::{FactLookup, FactValues};
use crate::registration::ids::{ToolId, same_tools};
use crate::registration::rendered::RenderedDefinitions;
use crate::registration::state::{DispatchPlan, RegistrySnapshot};
use crate::render::conditional::ConditionalTable;
use crate::render::{Deferral, DefinitionsRenderer};
use crate::result::error::ToolError;
use crate::result::output::ToolResult;
use crate::run::cancel::CancelEpoch;
use crate::session::config::SessionConfig;
use crate::session::prepared::{AgentLoop, HandlerFuture, PreparedCall};
use crate::sorted;
use crate::text::tokens::estimated_tokens;

/// An immutable snapshot of a session in one dialect: the definitions for a request to the model, and the only tools that the
/// model can call in its response. See [`Session::turn`](crate::Session::turn). Cheap to clone.
#[derive(Clone)]
pub struct Turn {
    /// One `Arc` for everything, so that cloning a turn increments only one counter.
    inner: Arc<TurnInner>,
}

struct TurnInner {
    /// Shared by all turns that show the same tools.
    snapshot: Arc<Snapshot>,
    /// The inputs of the turn, or `None` if no tool has a requirement and nothing is hidden.
    inputs: Option<TurnInputs>,
    /// What runs the hooks, or `None` if the session has neither hooks nor an approver nor permissions.
    observers: Option<&'static dyn Observers>,
}

/// The interceptors of a call that run. The output is the arguments to run it with, which hooks may have changed.
pub(crate) type Interceptors<'c> = Pin<Box<dyn Future<Output = Result<Arguments, ToolError>> + Send + 'c>>;

/// What runs the hooks, the approver and the permissions of a session. Only what adds one of them refers to the implementation, so that
/// other programs do not contain it.
pub(crate) trait Observers: fmt::Debug + Send + Sync {
    /// Shows a call to the hooks, and to the approver if it needs approval. Refuses a call that `agent`, the agent's own loop, would not
    /// take.
    fn intercept<'c>(
        &self,
        turn: &'c Turn,
        id: ToolId,
        call: &'c mut PreparedCall<'_>,
        session: CancelEpoch<'c>,
        agent: Option<&'c AgentLoop<'_>>,
    ) -> Interceptors<'c>;

    /// Passes a result to the hooks, which can replace it.
    fn transform<'c>(
        &self,
        turn: &'c Turn,
        call: &'c PreparedCall<'_>,
        session: CancelEpoch<'c>,
        result: ToolResult,
    ) -> HandlerFuture<'c>;

    /// Passes the response to the hooks.
    fn after_call(&self, turn: &Turn, call: &PreparedCall<'_>, response: &CallResponse);

    /// Reports a failure of a part of the host to every hook.
    fn host_error(&self, turn: &Turn, call: &PreparedCall<'_>, error: &HostError<'_>);

    /// Passes what differs between the tools of two turns to the hooks.
    fn tools_changed(&self, before: &Turn, turn: &Turn);
}

struct Snapshot {
    state: Arc<RegistrySnapshot>,
    config: Arc<SessionConfig>,
    dialect: Dialect,
    /// The shown tools, sorted.
    tools: Vec<ToolId>,
    /// The shown tools with another name in the dialect, sorted by that name.
    renamed: Vec<(Cow<'static, str>, ToolId)>,
    /// The shown tools whose parameters depend on the turn, sorted.
    conditional: Vec<ConditionalTable>,
    /// The missing toolsets of the session's selection.
    missing: Arc<[Cow<'static, str>]>,
    /// The facts that the host has set.
    facts: Arc<FactValues>,
    /// The definitions, which sessions share.
    definitions: Arc<RenderedDefinitions>,
    deferral: Deferral,
}

impl Turn {
    /// Makes a turn. Reuses the parts of `latest`, a turn of the same state and dialect, that are the same.
    pub(crate) fn new(
        state: &Arc<RegistrySnapshot>,
        config: &Arc<SessionConfig>,
        dialect: Dialect,
        availability: AvailabilityResult,
        facts: FactLookup<'_>,
        latest: Option<&Turn>,
        observers: Option<&'static dyn Observers>,
    ) -> Self {
        let AvailabilityResult { tools, inputs, .. } = availability;
        let latest = latest.map(|turn| &turn.inner.snapshot).filter(|snapshot| same_tools(&snapshot.tools, &tools));
        let snapshot = match latest {
            Some(snapshot) if Arc::ptr_eq(&snapshot.facts, facts.set) => Arc::clone(snapshot),
            _ => {
                let before = latest.map(|snapshot| &*snapshot.definitions);
                let (state, config, missing) = (Arc::clone(state), Arc::clone(config), &inputs.env.missing);
                Arc::new(Snapshot::new(state, config, dialect, tools, missing, facts, before))
            }
        };
        let has_inputs = !state.requirements.is_empty() || !inputs.hidden.is_empty();
        Self { inner: Arc::new(TurnInner { snapshot, inputs: has_inputs.then_some(inputs), observers }) }
    }

    /// Returns the definitions of the shown tools for the request to the model, sorted by the tools' own names: the text of one JSON
    /// array, or of declarations in a dialect that [is not JSON](Dialect::is_json). Turns with the same tools and facts have the same
    /// text, which keeps prompt caches valid.
    pub fn definitions(&self) -> &str {
        &self.inner.snapshot.definitions.text
    }

    /// Returns the [definitions](Self::definitions) as indented JSON, for people. In a dialect that [is not JSON](Dialect::is_json), this
    /// is the same text.
    pub fn pretty_definitions(&self) -> String {
        if !self.dialect().is_json() {
            return self.definitions().to_owned();
        }
        crate::text::json::indented(self.definitions(), 0)
    }

    /// Returns the [definitions](Self::definitions) as a `serde_json` value, to embed in a request without parsing. The value
    /// is created once and shared by turns with the same tools and facts.
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
    /// Returns an error if the dialect [is not JSON](Dialect::is_json), or if a hand-written tool provider defines a tool with
    /// invalid JSON.
    #[cfg(feature = "raw-value")]
    pub fn raw_definitions(&self) -> serde_json::Result<&serde_json::value::RawValue> {
        let definitions = &*self.inner.snapshot.definitions;
        if let Some(raw) = definitions.raw.get() {
            return Ok(raw);
        }
        if !self.dialect().is_json() {
            let message =
                format!("definitions in the dialect `{}` are not JSON: use `definitions`", self.dialect().name());
            return Err(serde_core::de::Error::custom(message));
        }
        let made = serde_json::value::RawValue::from_string(definitions.text.clone())?;
        Ok(definitions.raw.get_or_init(|| made))
    }

    /// Returns the shown tools, sorted.
    pub(crate) fn tool_ids(&self) -> &[ToolId] {
        &self.inner.snapshot.tools
    }

    /// Returns the own names of the shown tools, sorted.
    pub fn tools(&self) -> impl Iterator<Item = &str> {
        self.inner.snapshot.tools.iter().map(|&id| self.name(id))
    }

    /// Returns the declaration of a shown tool by its own name, for example for its title and description.
    pub fn tool(&self, name: &str) -> Option<&Tool> {
        self.inner.snapshot.tools.iter().find(|&&id| self.name(id) == name).map(|&id| self.state().tool(id))
    }

    /// Returns the declaration of the tool that a call with this name runs. The name may be [corrected](crate::repair::RepairRule::ToolName).
    pub fn tool_called(&self, name: &str) -> Option<&Tool> {
        self.resolve_name(name).map(|id| self.state().tool(id))
    }

    /// Returns the granted tools that are not shown, sorted by name, each with the reason.
    pub fn hidden(&self) -> impl Iterator<Item = HiddenTool<'_>> {
        self.hidden_ids().map(|(id, reason)| HiddenTool { tool: self.name(id), reason })
    }

    /// Returns the toolsets of the session's selection that no longer exist, and enabled toolsets that are empty. They existed
    /// when the session was built, and have an effect again when their provider is registered again.
    pub fn missing_toolsets(&self) -> impl Iterator<Item = &str> {
        self.inner.snapshot.missing.iter().map(|name| &**name)
    }

    pub(crate) fn hidden_ids(&self) -> impl Iterator<Item = (ToolId, &HiddenReason)> {
        self.inputs().into_iter().flat_map(|inputs| &inputs.hidden).map(|(id, reason)| (*id, reason))
    }

    /// Returns the inputs of the turn, or `None` if no tool has a requirement and nothing is hidden.
    pub(crate) fn inputs(&self) -> Option<&TurnInputs> {
        self.inner.inputs.as_ref()
    }

    /// Returns whether both turns share their definitions.
    pub(crate) fn has_definitions_of(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.inner.snapshot, &other.inner.snapshot)
    }

    /// Returns whether the turn was made from this state and in this dialect.
    pub(crate) fn belongs_to(&self, state: &Arc<RegistrySnapshot>, dialect: Dialect) -> bool {
        Arc::ptr_eq(&self.inner.snapshot.state, state) && self.dialect() == dialect
    }

    pub(crate) fn dialect(&self) -> Dialect {
        self.inner.snapshot.dialect
    }

    pub(crate) fn state(&self) -> &RegistrySnapshot {
        &self.inner.snapshot.state
    }

    /// Returns the session's configuration.
    pub(crate) fn config(&self) -> &SessionConfig {
        &self.inner.snapshot.config
    }

    /// Returns what runs the hooks of the session, if it has any, or an approver or permissions.
    #[inline]
    pub(crate) fn observers(&self) -> Option<&'static dyn Observers> {
        self.inner.observers
    }

    /// Returns how calls of a tool are dispatched.
    pub(crate) fn plan(&self, id: ToolId) -> DispatchPlan {
        self.state()[id].plan
    }

    /// Returns whether a tool is shown.
    pub(crate) fn has(&self, id: ToolId) -> bool {
        self.inner.snapshot.tools.binary_search(&id).is_ok()
    }

    pub(crate) fn facts(&self) -> FactLookup<'_> {
        let Snapshot { state, facts, .. } = &*self.inner.snapshot;
        FactLookup { set: facts, defaults: &state.facts }
    }

    /// Returns which atoms of a tool's conditions hold in the turn.
    pub(crate) fn atoms(&self, id: ToolId) -> Atoms {
        self.facts().evaluate(&self.state()[id].atoms, &self.inner.snapshot.tools)
    }

    /// Returns a tool's own name.
    pub(crate) fn name(&self, id: ToolId) -> &str {
        &self.state()[id].name
    }

    /// Returns the name of a tool in the turn's dialect.
    pub(crate) fn dialect_name(&self, id: ToolId) -> &str {
        let renamed = self.state().definitions(self.dialect()).names.renamed(id);
        renamed.map_or(self.name(id), |name| &**name)
    }

    /// Returns the names of the shown tools in the dialect, which the model can call.
    pub(crate) fn callable_names(&self) -> impl Iterator<Item = &str> {
        self.inner.snapshot.tools.iter().map(|&id| self.dialect_name(id))
    }

    /// Returns the tool that the model calls `name`.
    pub(crate) fn find(&self, name: &str) -> Option<ToolId> {
        let Snapshot { state, tools, renamed, .. } = &*self.inner.snapshot;
        if let Ok(at) = renamed.binary_search_by(|(dialect_name, _)| (**dialect_name).cmp(name)) {
            return Some(renamed[at].1);
        }
        let id = state.find(name)?;
        let is_shown = tools.len() == state.tools.len() || tools.binary_search(&id).is_ok();
        (is_shown && !renamed.iter().any(|&(_, other)| other == id)).then_some(id)
    }

    /// Returns the deferred tools, sorted.
    pub(crate) fn deferred_ids(&self) -> &[ToolId] {
        self.inner.snapshot.deferral.tools()
    }

    /// Returns whether the turn has the three tools of tool search.
    #[cfg(feature = "search")]
    pub(crate) fn has_search_tools(&self) -> bool {
        self.inner.snapshot.deferral.has_search_tools()
    }

    pub(crate) fn deferral(&self) -> &Deferral {
        &self.inner.snapshot.deferral
    }

    /// Renders the definition of a tool in this turn.
    pub(crate) fn definition(&self, id: ToolId) -> String {
        let mut text = String::new();
        self.renderer().write(id, &mut text);
        text
    }

    /// Renders the JSON of a tool's definition in this turn. A dialect that is not JSON writes its text from this JSON.
    #[cfg(feature = "search")]
    pub(crate) fn definition_json(&self, id: ToolId) -> String {
        let mut text = String::new();
        self.renderer().write_json(id, &mut text);
        text
    }

    /// Returns the definition of a tool in this turn as a JSON value: a string in a dialect that is not JSON.
    #[cfg(feature = "search")]
    pub(crate) fn definition_value(&self, id: ToolId) -> serde_json::Value {
        let text = self.definition(id);
        if self.dialect().is_json() { serde_json::from_str(&text).unwrap_or_default() } else { text.into() }
    }

    fn renderer(&self) -> DefinitionsRenderer<'_> {
        let Snapshot { state, dialect, tools, conditional, .. } = &*self.inner.snapshot;
        let (definitions, facts) = (state.definitions(*dialect), self.facts());
        DefinitionsRenderer { state, dialect: *dialect, definitions, tools, facts, conditional }
    }

    /// Returns the description of a tool in this turn.
    #[cfg(feature = "search")]
    pub(crate) fn description(&self, id: ToolId) -> Cow<'_, str> {
        let is_text = |segment: &Segment| matches!(segment, Segment::Text(_));
        match self.state().definition(id, self.dialect()) {
            Some(definition) if !definition.segments.iter().all(is_text) => {
                let mut json = String::new();
                self.renderer().write_json(id, &mut json);
                let definition = serde_json::from_str(&json).unwrap_or_default();
                self.dialect().description_in(&definition).unwrap_or_default().to_owned().into()
            }
            _ => Cow::Borrowed(&self.state().tool(id).description),
        }
    }

    /// Returns the table for the arguments of a tool in this turn.
    pub(crate) fn table(&self, id: ToolId) -> &Table {
        let Snapshot { state, conditional, .. } = &*self.inner.snapshot;
        let declared = &*state[id].table;
        match ConditionalTable::find(conditional, id) {
            Some(conditional) => conditional.table(declared),
            None => declared,
        }
    }
}

impl Turn {
    /// Returns an estimate of the tokens in the definitions: see [`estimated_tokens`].
    pub fn estimated_tokens(&self) -> usize {
        estimated_tokens(self.definitions().len())
    }
}

impl Turn {
    /// Returns the names of the environment variables that are secret.
    pub(crate) fn secret_names(&self) -> Vec<String> {
        self.state().secret_names(&self.config().env)
    }
}

impl Snapshot {
    fn new(
        state: Arc<RegistrySnapshot>,
        config: Arc<SessionConfig>,
        dialect: Dialect,
        tools: Vec<ToolId>,
        missing: &Arc<[Cow<'static, str>]>,
        facts: FactLookup<'_>,
        before: Option<&RenderedDefinitions>,
    ) -> Self {
        let definitions = state.definitions(dialect);
        let (mut renamed, mut conditional) = (Vec::<(Cow<'static, str>, ToolId)>::new(), Vec::new());
        for id in definitions.adapted(&tools) {
            let tool = state.tool(id);
            renamed.extend(definitions.names.renamed(id).map(|name| (name.clone(), id)));
            if !tool.arguments.conditions.is_empty() {
                let atoms = facts.evaluate(&state[id].atoms, &tools);
                conditional.push(ConditionalTable::new(id, atoms));
            }
        }
        let renderer = DefinitionsRenderer {
            state: &state,
            dialect,
            definitions,
            tools: &tools,
            facts,
            conditional: &conditional,
        };
        #[cfg(feature = "search")]
        let deferral = renderer.deferral(config.search);
        #[cfg(not(feature = "search"))]
        let deferral = Deferral::None;
        let render = || match before {
            // Marked definitions are not copied.
            Some(before) if deferral.vendor_tool().is_none() => renderer.rerender(before),
            #[cfg(feature = "search")]
            _ => renderer.render_with(&deferral),
            #[cfg(not(feature = "search"))]
            _ => renderer.render(),
        };
        let definitions = match deferral {
            Deferral::None => definitions.shared.get_or_render(&tools, facts.set, render),
            // What is deferred depends on the session.
            #[cfg(feature = "search")]
            Deferral::ByTools(..) | Deferral::ByVendor(..) => Arc::new(render()),
        };
        let renamed_at = sorted::positions(renamed.len(), &|a, b| renamed[a].0.cmp(&renamed[b].0));
        let renamed = renamed_at.into_iter().map(|at| renamed[at].clone()).collect();
        Self {
            state,
            config,
            dialect,
            tools,
            renamed,
            conditional,
            missing: Arc::clone(missing),
            facts: Arc::clone(facts.set),
            definitions,
            deferral,
        }
    }
}

impl fmt::Debug for Turn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Turn")
            .field("dialect", &self.inner.snapshot.dialect)
            .field("tools", &self.tools().collect::<Vec<_>>())
            .finish_non_exhaustive()
    }
}
