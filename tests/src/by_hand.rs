//! A tool provider written by hand, for tests of behaviour that generated catalogs do not have.

use std::borrow::Cow;
use toolc::args::Slots;
use toolc::behaviour::Behaviour;
use toolc::catalog::Definition;
use toolc::schema::Table;
use toolc::{Call, Dialect, HandlerReply, Registry, SessionBuilder, Tool, ToolProvider, Toolset, Value};

type Answer = dyn for<'a> Fn(Value, &'a Call<'a>) -> HandlerReply<'a> + Send + Sync;

/// Tools that accept any arguments, and one function that handles all their calls.
pub struct ByHand {
    tools: Vec<Tool>,
    definitions: Vec<Option<Definition>>,
    answer: Box<Answer>,
}

impl ByHand {
    /// Returns a provider without tools.
    pub fn new(answer: impl for<'a> Fn(Value, &'a Call<'a>) -> HandlerReply<'a> + Send + Sync + 'static) -> Self {
        Self { tools: Vec::new(), definitions: Vec::new(), answer: Box::new(answer) }
    }

    /// Adds a tool whose definition is its name.
    #[must_use]
    pub fn tool(mut self, name: &'static str, behaviour: Behaviour) -> Self {
        let arguments = Table::from_schema(&serde_json::json!({ "type": "object" })).expect("the schema is valid");
        self.definitions.push(Some(Cow::from(format!("{name:?}")).into()));
        let tool = Tool::new(name, "by_hand").with_arguments(arguments).with_behaviour(behaviour);
        self.tools.push(tool);
        self
    }

    /// Returns a session with only these tools.
    pub fn session(self) -> SessionBuilder {
        let registry = Registry::new();
        registry.add(Box::new(self)).expect("the registry is empty");
        registry.session()
    }
}

impl std::fmt::Debug for ByHand {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ByHand").field("tools", &self.tools).finish_non_exhaustive()
    }
}

impl ToolProvider for ByHand {
    fn tools(&self) -> &[Tool] {
        &self.tools
    }

    fn definitions(&self, _: Dialect) -> &[Option<Definition>] {
        &self.definitions
    }

    fn toolsets(&self) -> &[Toolset] {
        &[]
    }

    fn call<'a>(&'a self, _: usize, mut args: Slots<'_, '_>, call: &'a Call<'a>) -> HandlerReply<'a> {
        (self.answer)(args.value(0), call)
    }
}
