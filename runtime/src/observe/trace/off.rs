//! Tracing without the feature: no spans and no events.

use crate::call::ToolCall;
use crate::call::hooks::{CallInfo, HostError};
use crate::call::response::CallResponse;
use crate::data::table::Table;

#[derive(Debug, Default)]
pub(crate) struct Trace;

#[derive(Debug, Clone, Copy)]
pub(crate) struct Scope;

pub(crate) const fn is_on() -> bool {
    false
}

pub(crate) const fn current() -> Scope {
    Scope
}

pub(crate) const fn host_error(_: &CallInfo<'_>, _: &HostError<'_>) {}

#[expect(clippy::unused_self, reason = "the feature `tracing` uses it")]
impl Trace {
    pub(crate) fn begin<'t>(_: &ToolCall<'_>, _: &str, _: Option<&str>, _: impl FnOnce() -> Option<&'t Table>) -> Self {
        Self
    }

    pub(crate) const fn scope(&self) -> Scope {
        Scope
    }

    pub(crate) const fn end(self, _: &CallResponse) {}
}

#[expect(clippy::unused_self, reason = "the feature `tracing` uses it")]
impl Scope {
    pub(crate) const fn none() -> Self {
        Scope
    }

    pub(crate) fn around<F: Future>(self, future: F) -> F {
        future
    }

    pub(crate) fn within<T>(self, work: impl FnOnce() -> T) -> T {
        work()
    }
}
