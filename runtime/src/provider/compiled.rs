//! A generated catalog as a provider: its data, unpacked when somebody asks, and the functions that lead to its handlers.
//! Generated code names them and no more. What a provider does is written here, once, and not compiled for each toolset.

use std::sync::{Arc, OnceLock};

use crate::args::Slots;
use crate::call::Call;
use crate::data::catalog::{Definition, Fact, Tool, Toolset, Variable};
use crate::data::dialect::{Dialect, PerDialect};
use crate::data::env::Env;
use crate::data::pack::{Pack, Packed, unpack};
use crate::provider::availability::{Availability, AvailabilityCheck};
use crate::provider::{HandlerReply, ToolProvider};

/// The tools of one toolset, packed.
#[derive(Debug)]
pub struct CompiledToolset {
    /// The tools, in the order of their numbers.
    pub tools: &'static [&'static str],
    /// How a dialect defines them, in that order. Nothing where the program does not have it.
    pub definitions: fn(Dialect) -> &'static [&'static str],
    /// What they are found by. Nothing without the feature `search`.
    pub index: &'static [&'static str],
}

/// What all toolsets of a catalog have in common.
#[derive(Debug)]
pub struct CatalogData {
    /// Every toolset.
    pub toolsets: &'static Packed<Toolset>,
    /// What the tools' conditions and texts ask for.
    pub facts: &'static Packed<Fact>,
    /// Environment variables that tools require.
    pub variables: &'static Packed<Variable>,
}

/// A toolset's tools, or those of several: what is the same whoever handles them.
#[derive(Debug)]
pub struct CompiledTools {
    parts: &'static [&'static CompiledToolset],
    common: &'static CatalogData,
    tools: OnceLock<Vec<Tool>>,
    definitions: PerDialect<Vec<Option<Definition>>>,
}

/// Calls the tool of a number, as [`ToolProvider::call`] does. The handlers are shared, as those that block outlive the call.
pub type CallHandler<H> = for<'a, 's, 't> fn(&'a Arc<H>, usize, Slots<'s, 't>, &'a Call<'a>) -> HandlerReply<'a>;

/// Asks the handlers, as [`ToolProvider::available`] does.
pub type AskHandler<H> = fn(&H, AvailabilityCheck<'_>, &Env) -> Availability;

impl CompiledTools {
    /// Of these parts. A tool's number counts on from one to the next.
    pub const fn new(parts: &'static [&'static CompiledToolset], common: &'static CatalogData) -> Self {
        Self { parts, common, tools: OnceLock::new(), definitions: PerDialect::new() }
    }

    /// The provider of these tools, run by `handlers`. Where no tool has a check, there is nothing to `ask` them.
    pub fn provider<H: Send + Sync + 'static>(
        &'static self,
        handlers: H,
        call: CallHandler<H>,
        ask: Option<AskHandler<H>>,
    ) -> Box<dyn ToolProvider> {
        Box::new(Handled { compiled: self, handlers: Arc::new(handlers), call, ask })
    }

    /// What these texts of each part come to.
    fn unpacked<T: Pack>(&self, texts: impl Fn(&CompiledToolset) -> &'static [&'static str]) -> Vec<T> {
        unpack(&self.parts.iter().flat_map(|part| texts(part)).copied().collect::<Vec<_>>())
    }
}

struct Handled<H> {
    compiled: &'static CompiledTools,
    handlers: Arc<H>,
    call: CallHandler<H>,
    ask: Option<AskHandler<H>>,
}

impl<H: Send + Sync + 'static> ToolProvider for Handled<H> {
    fn tools(&self) -> &[Tool] {
        self.compiled.tools.get_or_init(|| self.compiled.unpacked(|part| part.tools))
    }

    fn definitions(&self, dialect: Dialect) -> &[Option<Definition>] {
        let compiled = self.compiled;
        compiled.definitions.get_or_init(dialect, || compiled.unpacked(|part| (part.definitions)(dialect)))
    }

    fn toolsets(&self) -> &[Toolset] {
        self.compiled.common.toolsets
    }

    fn facts(&self) -> &[Fact] {
        self.compiled.common.facts
    }

    fn variables(&self) -> &[Variable] {
        self.compiled.common.variables
    }

    #[cfg(feature = "search")]
    fn index(&self) -> Option<crate::index::Index> {
        Some(crate::index::Index::joined(&self.compiled.unpacked(|part| part.index)))
    }

    fn available(&self, check: AvailabilityCheck<'_>, env: &Env) -> Availability {
        self.ask.map_or(Availability::Available, |ask| ask(&self.handlers, check, env))
    }

    fn call<'a>(&'a self, index: usize, args: Slots<'_, '_>, call: &'a Call<'a>) -> HandlerReply<'a> {
        (self.call)(&self.handlers, index, args, call)
    }
}
