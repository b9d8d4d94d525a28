//! A turn: an immutable snapshot of a session in one dialect, and the way a call takes through it.

use std::collections::BTreeMap;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use crate::args::{self, Limits};
use crate::registry::{Asked, State};
use crate::segment::{self, Atoms, FactValue, Segment};
use crate::table::Table;
use crate::{Call, Dialect, ErrorKind, Output, Reply, Text, Tool, ToolCall, ToolError, nearest};

/// What the model is shown, and the only things that it can call. Cheap to clone.
#[derive(Clone)]
pub struct Turn(Arc<Snapshot>);

struct Snapshot {
    state: Arc<State>,
    dialect: Dialect,
    /// Sorted by name, as the state is.
    tools: Vec<Shown>,
    definitions: String,
}

/// A tool of this turn.
struct Shown {
    /// Its position in the state.
    id: usize,
    /// What its arguments are read against, where conditions hide some of them.
    table: Option<Box<Table>>,
}

/// A call's answer: always one well-formed JSON text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// The handler's result, or `{"error": text, "kind": word, "problems": [...]}`.
    pub json: String,
    /// Whether the call failed. Some providers want to be told beside the text.
    pub is_error: bool,
}

impl Turn {
    pub(crate) fn new(
        state: Arc<State>,
        dialect: Dialect,
        members: &[bool],
        facts: &BTreeMap<Text, FactValue>,
    ) -> Self {
        let shown: Vec<(usize, &Tool, &[Segment])> = (0..members.len())
            .filter(|&id| members[id])
            .filter_map(|id| {
                let tool = state.tool(id);
                Some((id, tool, tool.definition(dialect)?))
            })
            .collect();
        let fact = |name: &Text| facts.get(name).or_else(|| state.facts.get(name));
        let holds = |asked: &Asked| match asked {
            Asked::Tool(id) => id.is_some_and(|id| shown.binary_search_by_key(&id, |(shown, ..)| *shown).is_ok()),
            Asked::Fact(name, comparison, with) => fact(name).is_some_and(|value| comparison.holds(value, with)),
        };
        let most: usize = shown.iter().map(|(_, _, segments)| segment::most(segments) + 1).sum();
        let mut tools = Vec::with_capacity(shown.len());
        let mut definitions = String::with_capacity(most + 2);
        definitions.push('[');
        for &(id, tool, segments) in &shown {
            let asked = &state.tools[id].atoms;
            let atoms = asked.iter().enumerate().map(|(index, asked)| Atoms::from(holds(asked)) << index).sum();
            let values: Vec<FactValue> = tool.facts.iter().filter_map(|name| fact(name).cloned()).collect();
            if definitions.len() > 1 {
                definitions.push(',');
            }
            segment::render(segments, atoms, &values, &mut definitions);
            tools.push(Shown { id, table: tool.arguments.in_turn(atoms).map(Box::new) });
        }
        definitions.push(']');
        Self(Arc::new(Snapshot { state, dialect, tools, definitions }))
    }

    /// The definitions of all its tools: one JSON array, sorted by tool name, the same bytes for the same set.
    pub fn definitions(&self) -> &str {
        &self.0.definitions
    }

    /// The names of its tools, sorted.
    pub fn tools(&self) -> impl Iterator<Item = &str> {
        self.0.tools.iter().map(|shown| &*self.0.state.tools[shown.id].name)
    }

    /// Answers a model's call. A panic of the handler, too, ends in an answer.
    pub async fn call(&self, request: &ToolCall<'_>) -> Answer {
        match self.run(request).await {
            Ok(output) => Answer { json: output.into_json(), is_error: false },
            Err(error) => Answer { json: error.to_json(), is_error: true },
        }
    }

    async fn run(&self, request: &ToolCall<'_>) -> Result<Output, ToolError> {
        let Some(shown) = self.find(request.name()) else { return Err(self.unknown(request.name())) };
        let (provider, index) = self.0.state.provider(shown.id);
        let table = shown.table.as_deref().unwrap_or_else(|| &self.0.state.tool(shown.id).arguments);
        let slots = args::read(request.arguments(), table, Limits::default())?;
        let call = Call::new(*request);
        match catch_unwind(AssertUnwindSafe(|| provider.call(index, slots, &call))) {
            Ok(Reply::Ready(result)) => result,
            Ok(Reply::Later(future)) => Caught(future).await,
            Err(panic) => Err(panicked(&*panic)),
        }
    }

    fn find(&self, name: &str) -> Option<&Shown> {
        let tools = &self.0.tools;
        let found = tools.binary_search_by(|shown| (*self.0.state.tools[shown.id].name).cmp(name));
        found.ok().map(|position| &tools[position])
    }

    fn unknown(&self, name: &str) -> ToolError {
        let shown: String = name.chars().take(64).collect();
        let near = nearest(name, self.tools());
        let hint = if near.is_empty() {
            match self.tools().collect::<Vec<_>>() {
                all if all.is_empty() => "no tool is enabled".to_owned(),
                all if all.len() <= 20 => format!("the tools are: {}", all.join(", ")),
                all => format!("{} tools are enabled; call one of those that were listed", all.len()),
            }
        } else {
            format!("did you mean `{}`?", near.join("` or `"))
        };
        ToolError::of(ErrorKind::UnknownTool, format!("there is no tool `{shown}` in this turn: {hint}"))
    }

    pub(crate) fn is_of(&self, state: &Arc<State>, dialect: Dialect) -> bool {
        Arc::ptr_eq(&self.0.state, state) && self.0.dialect == dialect
    }
}

impl fmt::Debug for Turn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Turn")
            .field("dialect", &self.0.dialect)
            .field("tools", &self.tools().collect::<Vec<_>>())
            .finish_non_exhaustive()
    }
}

/// A handler's future, whose panic is its error.
struct Caught<'a>(Pin<Box<dyn Future<Output = Result<Output, ToolError>> + Send + 'a>>);

impl Future for Caught<'_> {
    type Output = Result<Output, ToolError>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        catch_unwind(AssertUnwindSafe(|| self.0.as_mut().poll(context)))
            .unwrap_or_else(|panic| Poll::Ready(Err(panicked(&*panic))))
    }
}

fn panicked(panic: &(dyn std::any::Any + Send)) -> ToolError {
    let message = (panic.downcast_ref::<&str>().copied())
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no message");
    ToolError::of(ErrorKind::Panicked, format!("the tool failed unexpectedly: {message}"))
}
