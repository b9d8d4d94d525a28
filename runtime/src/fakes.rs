//! Test doubles for this crate's tests: a tool provider and tools for it.

use std::borrow::Cow;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::args::Slots;
use crate::call::Call;
use crate::data::catalog::{Definition, Fact, Tool, Toolset, Variable};
use crate::data::dialect::Dialect;
use crate::data::env::Env;
use crate::data::requirement::Requirement;
use crate::data::segment::Segment;
use crate::data::table::Table;
use crate::provider::availability::{Availability, AvailabilityCheck};
use crate::provider::{HandlerReply, ToolProvider};
use crate::registry::Registry;
use crate::result::output::ToolOutput;
use crate::run::clock::Clock;

type Available = dyn Fn(&str, &Env) -> Availability + Send + Sync;
type Answer = dyn for<'a> Fn(Value, &'a Call<'a>) -> HandlerReply<'a> + Send + Sync;

/// A fake tool provider. It defines a tool by its name, in OpenAI's dialect, and answers every call with that name.
pub(crate) struct Fake {
    tools: Vec<Tool>,
    definitions: Vec<Option<Definition>>,
    /// The only dialect with definitions, or `None` for all dialects.
    dialect: Option<Dialect>,
    toolsets: Vec<Toolset>,
    facts: Vec<Fact>,
    variables: Vec<Variable>,
    available: Box<Available>,
    answer: Box<Answer>,
    /// The questions that it was asked, in order.
    asked: Arc<Mutex<Vec<String>>>,
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
            asked: Arc::default(),
        }
    }

    /// Sets the definition of the tool of this name.
    pub(crate) fn defined(mut self, name: &str, definition: Option<Vec<Segment>>) -> Self {
        let index = self.tools.iter().position(|tool| tool.name == name).unwrap();
        self.definitions[index] = definition.map(|segments| Definition { segments });
        self
    }

    /// Defines its tools in every dialect.
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

    /// Sets the answer to checks of the tool or toolset of this name.
    pub(crate) fn available(self, available: impl Fn(&str, &Env) -> Availability + Send + Sync + 'static) -> Self {
        Self { available: Box::new(available), ..self }
    }

    pub(crate) fn answer(
        self,
        answer: impl for<'a> Fn(&'a Call<'a>) -> HandlerReply<'a> + Send + Sync + 'static,
    ) -> Self {
        self.answer_with(move |_, call| answer(call))
    }

    /// Sets the answer to calls, from the arguments of tables that are made at run time.
    pub(crate) fn answer_with(
        self,
        answer: impl for<'a> Fn(Value, &'a Call<'a>) -> HandlerReply<'a> + Send + Sync + 'static,
    ) -> Self {
        Self { answer: Box::new(answer), ..self }
    }

    /// Returns the list of questions, which grows from now on.
    pub(crate) fn asked(&self) -> Arc<Mutex<Vec<String>>> {
        Arc::clone(&self.asked)
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
        if self.dialect.is_none_or(|own| own == dialect) { &self.definitions } else { &[] }
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
        self.asked.lock().unwrap().push(name.to_owned());
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

/// Returns a table with a text and a secret pin.
pub(crate) fn secretive() -> Arc<Table> {
    let schema = json!({"type": "object", "properties": {"say": {"type": "string"}, "pin": {"type": "integer"}},
        "required": ["say"], "additionalProperties": false});
    let mut table = Table::from_schema(&schema).unwrap();
    for property in table.properties.iter_mut().filter(|property| &*property.name == "pin") {
        property.secret = true;
    }
    Arc::new(table)
}

/// Returns this tool, with the name `called` in OpenAI's dialect.
pub(crate) fn renamed(called: &'static str, mut tool: Tool) -> Tool {
    tool.names.push((Dialect::OpenAi, called.into()));
    tool
}

pub(crate) fn toolset(name: &'static str) -> Toolset {
    Toolset { name: name.into(), ..Toolset::default() }
}

pub(crate) fn texts(names: &[&'static str]) -> Vec<Cow<'static, str>> {
    names.iter().map(|&name| name.into()).collect()
}

/// A clock that advances only on request. Clones share the time.
#[derive(Clone)]
pub(crate) struct Time {
    now: Arc<Mutex<Instant>>,
    looks: Arc<AtomicUsize>,
}

impl Time {
    pub(crate) fn new() -> Self {
        Self { now: Arc::new(Mutex::new(Instant::now())), looks: Arc::default() }
    }

    pub(crate) fn pass(&self, seconds: u64) {
        *self.now.lock().unwrap() += Duration::from_secs(seconds);
    }

    /// Returns how often the time was read.
    pub(crate) fn looks(&self) -> usize {
        self.looks.load(Ordering::SeqCst)
    }

    pub(crate) fn clock(&self) -> Clock {
        let time = self.clone();
        Clock::Test(Arc::new(move || {
            time.looks.fetch_add(1, Ordering::SeqCst);
            Some(*time.now.lock().unwrap())
        }))
    }
}

/// Waits until the condition holds.
pub(crate) fn until(mut is_so: impl FnMut() -> bool) {
    while !is_so() {
        std::thread::sleep(Duration::from_millis(1));
    }
}

pub(crate) use crate::run::block_on::park as wait;
