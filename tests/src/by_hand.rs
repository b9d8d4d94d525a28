//! A provider made by hand, for calls that behave as no generated catalog's should.

use toolc::behaviour::Behaviour;
use toolc::table::Table;
use toolc::{Call, Dialect, Provider, Registry, Reply, SessionBuilder, Slots, Tool, Toolset, Value};

type Answer = dyn for<'a> Fn(Value, &'a Call<'a>) -> Reply<'a> + Send + Sync;

/// Tools that take any arguments, and one function that answers for all of them.
pub struct ByHand {
    tools: Vec<Tool>,
    answer: Box<Answer>,
}

impl ByHand {
    /// No tools yet.
    pub fn new(answer: impl for<'a> Fn(Value, &'a Call<'a>) -> Reply<'a> + Send + Sync + 'static) -> Self {
        Self { tools: Vec::new(), answer: Box::new(answer) }
    }

    /// And this tool, shown as its name.
    #[must_use]
    pub fn tool(mut self, name: &'static str, behaviour: Behaviour) -> Self {
        let arguments = Table::from_schema(&serde_json::json!({ "type": "object" })).expect("this is a schema");
        let segments = vec![toolc::segment::Segment::Text(format!("{name:?}").into())];
        let definitions = vec![toolc::Definition { dialect: Dialect::OpenAi, name: None, segments }];
        let (toolset, arguments) = ("by_hand".into(), arguments.into());
        self.tools.push(Tool { name: name.into(), toolset, arguments, definitions, behaviour, ..Tool::default() });
        self
    }

    /// A session with these tools alone.
    pub fn session(self) -> SessionBuilder {
        let registry = Registry::new();
        registry.add(Box::new(self)).expect("an empty registry takes every provider");
        registry.session()
    }
}

impl std::fmt::Debug for ByHand {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ByHand").field("tools", &self.tools).finish_non_exhaustive()
    }
}

impl Provider for ByHand {
    fn tools(&self) -> &[Tool] {
        &self.tools
    }

    fn toolsets(&self) -> &[Toolset] {
        &[]
    }

    fn call<'a>(&'a self, _: usize, mut args: Slots<'_, '_>, call: &'a Call<'a>) -> Reply<'a> {
        (self.answer)(args.take(0), call)
    }
}
