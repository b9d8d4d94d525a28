//! Test doubles for this crate's tests: a tool provider, its tools, and a clock.

use std::borrow::Cow;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::args::Slots;
use crate::call::Call;
use crate::data::catalog::{Definition, Fact, Tool, Toolset, Variable};
use crate::data::dialect::Dialect;
use crate::data::requirement::Requirement;
use crate::data::segment::Segment;
use crate::data::table::Table;
use crate::env::Env;
use crate::provider::availability::{Availability, AvailabilityCheck};
use crate::provider::{HandlerReply, ToolProvider};
use crate::registry::Registry;
use crate::result::output::ToolOutput;
use crate::run::clock::Clock;

type CheckFn = dyn Fn(&str, &Env) -> Availability + Send + Sync;
type AnswerFn = dyn for<'a> Fn(Value, &'a Call<'a>) -> HandlerReply<'a> + Send + Sync;

/// A fake tool provider. By default, the definition of a tool is its name as a JSON string, in the dialect `openai` only, each
/// check succeeds, and the result of each call is the name of the tool.
pub(crate) struct Fake {
    tools: Vec<Tool>,
    definitions: Vec<Option<Definition>>,
    /// The only dialect with definitions, or `None` for all dialects.
    dialect: Option<Dialect>,
    toolsets: Vec<Toolset>,
    facts: Vec<Fact>,
    variables: Vec<Variable>,
    available: Box<CheckFn>,
    answer: Box<AnswerFn>,
    /// The names of the tools and toolsets whose checks were run, in order.
    checks_run: Arc<Mutex<Vec<String>>>,
}

impl Fake {
    pub(crate) fn new(tools: impl IntoIterator<Item = Tool>) -> Self {
        let tools: Vec<Tool> = tools.into_iter().collect();
        let definition = |tool: &Tool| Some(Cow::from(format!("\"{}\"", tool.name)).into());
        Self {
            definitions: tools.iter().map(definition).collect(),
            dialect: Some(Dialect::OpenAi),
            tools,
            toolsets: Vec::new(),
            facts: Vec::new(),
            variables: Vec::new(),
            available: Box::new(|_, _| Availability::Available),
            answer: Box::new(|_, call| HandlerReply::Ready(Ok(ToolOutput::text(call.tool())))),
            checks_run: Arc::default(),
        }
    }

    /// Sets the definition of the tool of this name.
    pub(crate) fn defined(mut self, name: &str, definition: Option<Vec<Segment>>) -> Self {
        let index = self.tools.iter().position(|tool| tool.name == name).unwrap();
        self.definitions[index] = definition.map(|segments| Definition { segments });
        self
    }

    /// Defines the tools in every dialect.
    pub(crate) fn every_dialect(self) -> Self {
        Self { dialect: None, ..self }
    }

    pub(crate) fn toolset(mut self, toolset: Toolset) -> Self {
        self.toolsets.push(toolset);
        self
    }

    pub(crate) fn fact(mut self, name: &'static str, default: bool) -> Self {
        self.facts.push(Fact { name: name.into(), default: default.into() });
        self
    }

    pub(crate) fn variable(mut self, variable: Variable) -> Self {
        self.variables.push(variable);
        self
    }

    /// Sets the function that answers availability checks. It gets the name of the tool or toolset.
    pub(crate) fn available(self, available: impl Fn(&str, &Env) -> Availability + Send + Sync + 'static) -> Self {
        Self { available: Box::new(available), ..self }
    }

    /// Sets the handler of all tools.
    pub(crate) fn answer(
        self,
        answer: impl for<'a> Fn(&'a Call<'a>) -> HandlerReply<'a> + Send + Sync + 'static,
    ) -> Self {
        self.answer_with(move |_, call| answer(call))
    }

    /// Sets the handler of all tools, which also gets the arguments if the tool has a table that was made at run time.
    pub(crate) fn answer_with(
        self,
        answer: impl for<'a> Fn(Value, &'a Call<'a>) -> HandlerReply<'a> + Send + Sync + 'static,
    ) -> Self {
        Self { answer: Box::new(answer), ..self }
    }

    /// Returns the shared list of the tools and toolsets whose checks were run.
    pub(crate) fn checks_run(&self) -> Arc<Mutex<Vec<String>>> {
        Arc::clone(&self.checks_run)
    }

    /// Returns a registry with only this provider.
    pub(crate) fn registry(self) -> Registry {
        let registry = Registry::new();
        registry.add(Box::new(self)).unwrap();
        registry
    }
}

impl ToolProvider for Fake {
    fn tools(&self) -> &[Tool] {
        &self.tools
    }

    fn definitions(&self, dialect: Dialect) -> &[Option<Definition>] {
        if self.dialect.is_none_or(|only| only == dialect) { &self.definitions } else { &[] }
    }

    fn toolsets(&self) -> &[Toolset] {
        &self.toolsets
    }

    fn facts(&self) -> &[Fact] {
        &self.facts
    }

    fn variables(&self) -> &[Variable] {
        &self.variables
    }

    fn available(&self, check: AvailabilityCheck<'_>, env: &Env) -> Availability {
        let name = match check {
            AvailabilityCheck::Tool(index) => &self.tools[index].name,
            AvailabilityCheck::Toolset(name) => name,
        };
        self.checks_run.lock().unwrap().push(name.to_owned());
        (self.available)(name, env)
    }

    fn call<'a>(&'a self, index: usize, mut args: Slots<'_, '_>, call: &'a Call<'a>) -> HandlerReply<'a> {
        let has_table = !self.tools[index].arguments.nodes.is_empty();
        (self.answer)(if has_table { args.value(0) } else { Value::Null }, call)
    }
}

/// Returns a tool of the toolset `home`.
pub(crate) fn tool(name: &str, home: &'static str, requires: &[Requirement]) -> Tool {
    Tool { name: name.to_owned().into(), toolset: home.into(), requires: requires.to_vec(), ..Tool::default() }
}

/// Returns a table with the required string `say` and the secret integer `pin`.
pub(crate) fn secretive() -> Arc<Table> {
    let schema = json!({"type": "object", "properties": {"say": {"type": "string"}, "pin": {"type": "integer"}},
        "required": ["say"], "additionalProperties": false});
    let mut table = Table::from_schema(&schema).unwrap();
    for property in table.properties.iter_mut().filter(|property| &*property.name == "pin") {
        property.secret = true;
    }
    Arc::new(table)
}

/// Returns `tool` with the name `name` in the dialect `openai`.
pub(crate) fn renamed(name: &'static str, mut tool: Tool) -> Tool {
    tool.names.push((Dialect::OpenAi, name.into()));
    tool
}

pub(crate) fn toolset(name: &'static str) -> Toolset {
    Toolset { name: name.into(), ..Toolset::default() }
}

pub(crate) fn texts(names: &[&'static str]) -> Vec<Cow<'static, str>> {
    names.iter().map(|&name| name.into()).collect()
}

/// A clock that only advances on request. Clones share the time.
#[derive(Clone)]
pub(crate) struct FakeTime {
    now: Arc<Mutex<Instant>>,
    reads: Arc<AtomicUsize>,
}

impl FakeTime {
    pub(crate) fn new() -> Self {
        Self { now: Arc::new(Mutex::new(Instant::now())), reads: Arc::default() }
    }

    /// Advances the time.
    pub(crate) fn advance(&self, seconds: u64) {
        *self.now.lock().unwrap() += Duration::from_secs(seconds);
    }

    /// Returns how often the time was read.
    pub(crate) fn reads(&self) -> usize {
        self.reads.load(Ordering::SeqCst)
    }

    pub(crate) fn clock(&self) -> Clock {
        let time = self.clone();
        Clock::Test(Arc::new(move || {
            time.reads.fetch_add(1, Ordering::SeqCst);
            Some(*time.now.lock().unwrap())
        }))
    }
}

/// Polls `condition` until it holds.
pub(crate) fn until(mut condition: impl FnMut() -> bool) {
    while !condition() {
        std::thread::sleep(Duration::from_millis(1));
    }
}

pub(crate) use crate::run::block_on::park as wait;
