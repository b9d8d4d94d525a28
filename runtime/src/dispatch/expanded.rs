//! The first step of every call: expands the model's call into the calls to run. These are the call itself, the calls inside a call of tool
//! search's `tool_call`, or the same call with arguments instead of a text. A call in the [namespace](super::namespace) of others is refused.

use std::borrow::Cow;

use crate::call::ToolCall;
use crate::registration::ids::ToolId;
use crate::result::error::ToolError;
use crate::session::turn::Turn;
use crate::text::display::short_name;

/// The calls to run for a call of the model.
pub(super) enum Expanded<'r> {
    /// The call itself, with what it calls.
    Itself(Called),
    /// The calls inside it, or the same call with arguments instead of a text.
    Inner(InnerCalls<'r>),
}

/// The calls inside a call of `tool_call`: at least one. The first is apart, so that the usual single call needs no list.
pub(super) struct InnerCalls<'r> {
    pub(super) first: Inner<'r>,
    pub(super) rest: Vec<Inner<'r>>,
}

/// A call inside a call of `tool_call`.
pub(super) enum Inner<'r> {
    Call {
        name: Cow<'r, str>,
        arguments: Cow<'r, str>,
    },
    /// A call that cannot be read, or that is for something else than the tools of the turn.
    Refused(ToolError),
}

/// What a name calls.
#[derive(Clone, Copy, Default)]
pub(super) struct Called {
    tool: Option<ToolId>,
    is_corrected: bool,
}

/// A call to run. Its tool is `None` for a tool of tool search and for an unknown tool.
#[derive(Clone, Copy)]
pub(super) struct Step<'s> {
    pub(super) request: ToolCall<'s>,
    pub(super) tool: Option<ToolId>,
    /// Whether the model wrote another name of the tool, which was corrected.
    pub(super) is_corrected: bool,
    /// The error of a call that must not run.
    pub(super) refusal: Option<&'s ToolError>,
}

impl<'s> Step<'s> {
    fn new(request: ToolCall<'s>, Called { tool, is_corrected }: Called) -> Self {
        Step { request, tool, is_corrected, refusal: None }
    }

    /// Returns the name that the model wrote, which is truncated if no tool has it.
    pub(super) fn name(&self) -> Cow<'_, str> {
        let name = self.request.name();
        if self.tool.is_some() { name.into() } else { short_name(name).into() }
    }
}

impl Turn {
    /// Expands a call of the model.
    pub(super) fn expand<'r>(&self, call: &ToolCall<'r>) -> Expanded<'r> {
        if let Err(error) = self.check_namespace(call) {
            return Expanded::Inner(InnerCalls { first: Inner::Refused(error), rest: Vec::new() });
        }
        if call.is_text() {
            if let Some(calls) = self.inner_calls(call) {
                return Expanded::Inner(calls);
            }
            return Expanded::Inner(InnerCalls { first: self.with_arguments(call), rest: Vec::new() });
        }
        let exact = self.find(call.name());
        match exact.is_none().then(|| self.inner_calls(call)).flatten() {
            Some(calls) => Expanded::Inner(calls),
            None => Expanded::Itself(self.called(exact, call.name())),
        }
    }

    /// Returns what a name calls. `exact` is the tool of exactly this name.
    fn called(&self, exact: Option<ToolId>, name: &str) -> Called {
        match exact {
            Some(_) => Called { tool: exact, is_corrected: false },
            None => Called { tool: self.resolve_name(name), is_corrected: true },
        }
    }

    fn step<'s>(&self, outer: ToolCall<'s>, inner: &'s Inner<'_>) -> Step<'s> {
        match inner {
            Inner::Call { name, arguments } => {
                Step::new(outer.redirected(name, arguments), self.called(self.find(name), name))
            }
            Inner::Refused(error) => Step { refusal: Some(error), ..Step::new(outer, Called::default()) },
        }
    }
}

impl Expanded<'_> {
    /// Returns the only call, or `None` if there are several. `call` is the model's call.
    pub(super) fn single<'s>(&'s self, turn: &Turn, call: ToolCall<'s>) -> Option<Step<'s>> {
        match self {
            Self::Itself(called) => Some(Step::new(call, *called)),
            Self::Inner(InnerCalls { first, rest }) => rest.is_empty().then(|| turn.step(call, first)),
        }
    }

    /// Returns all calls, in order.
    pub(super) fn steps<'s>(&'s self, turn: &Turn, call: ToolCall<'s>) -> Vec<Step<'s>> {
        match self {
            Self::Itself(_) => self.single(turn, call).into_iter().collect(),
            Self::Inner(InnerCalls { first, rest }) => {
                std::iter::once(first).chain(rest).map(|inner| turn.step(call, inner)).collect()
            }
        }
    }
}
