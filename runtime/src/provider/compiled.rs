//! A generated catalog as a tool provider: its data, which is unpacked on first use, and the functions that call its
//! handlers. The code of the provider is here, so that it is not compiled again for each toolset.

use std::sync::{Arc, OnceLock};

use crate::args::Slots;
use crate::call::Call;
use crate::data::catalog::{Definition, Fact, Tool, Toolset, Variable};
use crate::data::dialect::{Dialect, PerDialect};
use crate::data::env::Env;
use crate::data::pack::{Pack, Packed, unpack};
use crate::provider::availability::{Availability, AvailabilityCheck};
use crate::provider::{HandlerReply, ToolProvider};

/// The packed tools of one toolset.
#[derive(Debug)]
pub struct CompiledToolset {
    /// The tools, in the order of their numbers.
    pub tools: &'static [&'static str],
    /// The definitions in a dialect, in that order. Empty if the program does not have the dialect.
    pub definitions: fn(Dialect) -> &'static [&'static str],
    /// The search index. Empty without the feature `search`.
    pub index: &'static [&'static str],
}

/// The data that all toolsets of a catalog share.
#[derive(Debug)]
pub struct CatalogData {
    /// All toolsets.
    pub toolsets: &'static Packed<Toolset>,
    /// The facts in the tools' conditions and texts.
    pub facts: &'static Packed<Fact>,
    /// Environment variables that tools require.
    pub variables: &'static Packed<Variable>,
}

/// The tools of one or several toolsets, independent of their handlers.
#[derive(Debug)]
pub struct CompiledTools {
    parts: &'static [&'static CompiledToolset],
    common: &'static CatalogData,
    tools: OnceLock<Vec<Tool>>,
    definitions: PerDialect<Vec<Option<Definition>>>,
}

/// Calls the tool with this number, like [`ToolProvider::call`]. The handlers are shared, because blocking ones can
/// outlive the call.
pub type CallHandler<H> = for<'a, 's, 't> fn(&'a Arc<H>, usize, Slots<'s, 't>, &'a Call<'a>) -> HandlerReply<'a>;

/// Asks the handlers, like [`ToolProvider::available`].
pub type AskHandler<H> = fn(&H, AvailabilityCheck<'_>, &Env) -> Availability;

impl CompiledTools {
    /// Combines these parts. The numbers of tools continue from one part to the next.
    pub const fn new(parts: &'static [&'static CompiledToolset], common: &'static CatalogData) -> Self {
        Self { parts, common, tools: OnceLock::new(), definitions: PerDialect::new() }
    }

    /// Returns a tool provider with these tools and `handlers`. Without checks, `ask` is never called.
    pub fn provider<H: Send + Sync + 'static>(
        &'static self,
        handlers: H,
        call: CallHandler<H>,
        ask: Option<AskHandler<H>>,
    ) -> Box<dyn ToolProvider> {
        Box::new(Handled { compiled: self, handlers: Arc::new(handlers), call, ask })
    }

    /// Unpacks these texts of each part.
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
