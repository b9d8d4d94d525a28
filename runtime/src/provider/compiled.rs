//! Generated catalogs as tool providers: their packed data, which is unpacked on first use, and the functions that call
//! the handlers. The provider is implemented here and not in generated code, so that it is compiled only once.

use std::borrow::Cow;
use std::panic::Location;
use std::sync::{Arc, OnceLock};

use crate::args::Slots;
use crate::call::Call;
use crate::data::catalog::{Definition, Fact, Tool, Toolset, Variable};
use crate::data::dialect::{Dialect, PerDialect};
use crate::data::pack::{Damaged, Pack, Packed, unpack};
use crate::data::segment::Segment;
use crate::env::Env;
use crate::provider::availability::{Availability, AvailabilityCheck};
use crate::provider::probe_cache::CheckRunner;
use crate::provider::{HandlerReply, StartDirectory, ToolProvider};
use crate::text::json;

/// The packed tools of one toolset.
#[derive(Debug)]
pub struct CompiledToolset {
    /// The packed tools, in the order of their indices. A description is left out (empty) if it can be read from the OpenAI
    /// definition.
    pub tools: &'static [&'static str],
    /// Returns the packed definitions in a dialect, in the same order. Empty if the feature of the dialect is disabled.
    pub definitions: fn(Dialect) -> &'static [&'static str],
    /// The packed search index. Empty without the feature `search`.
    pub index: &'static [&'static str],
}

/// The data that all toolsets of a catalog share.
#[derive(Debug)]
pub struct CatalogData {
    /// All toolsets.
    pub toolsets: &'static Packed<Toolset>,
    /// The facts that the tools' conditions and texts use.
    pub facts: &'static Packed<Fact>,
    /// The environment variables that tools require.
    pub variables: &'static Packed<Variable>,
}

/// The tools of one or several toolsets, independent of their handlers.
#[derive(Debug)]
pub struct CompiledCatalog {
    parts: &'static [&'static CompiledToolset],
    common: &'static CatalogData,
    place: &'static Location<'static>,
    tools: OnceLock<Option<Vec<Tool>>>,
    definitions: PerDialect<Option<Vec<Option<Definition>>>>,
}

/// A function that calls the tool at an index, like [`ToolProvider::call`]. The handlers are in an `Arc`, because a
/// blocking handler can outlive its call.
pub type CallHandler<H> = for<'a, 's, 't> fn(&'a Arc<H>, usize, Slots<'s, 't>, &'a Call<'a>) -> HandlerReply<'a>;

/// A function that checks the availability of tools, like [`ToolProvider::available`].
pub type CheckHandler<H> = fn(&H, AvailabilityCheck<'_>, &Env) -> Availability;

/// A function that finds the directory in which the command of a tool starts, like [`ToolProvider::start_directory`].
pub type DirectoryHandler<H> =
    for<'a, 's, 't> fn(&'a Arc<H>, usize, Slots<'s, 't>, &'a Call<'a>) -> Option<StartDirectory<'a>>;

impl CompiledCatalog {
    /// Combines toolsets. The indices of tools continue from one toolset to the next.
    #[track_caller]
    pub const fn new(parts: &'static [&'static CompiledToolset], common: &'static CatalogData) -> Self {
        Self { parts, common, place: Location::caller(), tools: OnceLock::new(), definitions: PerDialect::new() }
    }

    /// Returns a tool provider with these tools and `handlers`. `check` is `None` if no tool has an availability check, and `directory`
    /// if no handler finds the directory of its commands.
    // Inlined, so that nothing of a program without checks refers to what runs them.
    #[inline]
    pub fn provider<H: Send + Sync + 'static>(
        &'static self,
        handlers: H,
        call: CallHandler<H>,
        check: Option<CheckHandler<H>>,
        directory: Option<DirectoryHandler<H>>,
    ) -> Box<dyn ToolProvider> {
        let checks = check.is_some().then(CheckRunner::new);
        Box::new(CompiledProvider { compiled: self, handlers: Arc::new(handlers), call, check, checks, directory })
    }

    fn tools(&self) -> Result<&[Tool], Damaged> {
        self.tools.get_or_init(|| self.unpacked_tools()).as_deref().ok_or(Damaged(self.place))
    }

    fn definitions(&self, dialect: Dialect) -> Result<&[Option<Definition>], Damaged> {
        let unpacked = self.definitions.get_or_init(dialect, || self.unpacked(|part| (part.definitions)(dialect)));
        unpacked.as_deref().ok_or(Damaged(self.place))
    }

    /// Unpacks the tools, with the descriptions that were left out, which are in their OpenAI definitions.
    fn unpacked_tools(&self) -> Option<Vec<Tool>> {
        let definitions = self.definitions(Dialect::OpenAi).ok()?;
        let mut tools: Vec<Tool> = self.unpacked(|part| part.tools)?;
        for (tool, definition) in tools.iter_mut().zip(definitions) {
            if tool.description.is_empty()
                && let Some(Definition { segments }) = definition
                && let Some(Segment::Text(Cow::Borrowed(text))) = segments.first()
            {
                tool.description = openai_description(text).unwrap_or_default();
            }
        }
        Some(tools)
    }

    /// Unpacks the texts that `texts` selects of each toolset.
    fn unpacked<T: Pack>(&self, texts: impl Fn(&CompiledToolset) -> &'static [&'static str]) -> Option<Vec<T>> {
        unpack(&self.parts.iter().flat_map(|part| texts(part)).copied().collect::<Vec<_>>())
    }
}

struct CompiledProvider<H> {
    compiled: &'static CompiledCatalog,
    handlers: Arc<H>,
    call: CallHandler<H>,
    check: Option<CheckHandler<H>>,
    checks: Option<CheckRunner>,
    directory: Option<DirectoryHandler<H>>,
}

impl<H: Send + Sync + 'static> ToolProvider for CompiledProvider<H> {
    fn tools(&self) -> &[Tool] {
        self.compiled.tools().unwrap_or_else(Damaged::panic)
    }

    fn definitions(&self, dialect: Dialect) -> &[Option<Definition>] {
        self.compiled.definitions(dialect).unwrap_or_else(Damaged::panic)
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
        let parts = self.compiled.unpacked(|part| part.index);
        Some(crate::index::Index::concat(&parts.unwrap_or_else(|| Damaged(self.compiled.place).panic())))
    }

    fn damage(&self) -> Option<String> {
        let CompiledCatalog { common, .. } = self.compiled;
        let loaded = self.compiled.tools().map(drop);
        let loaded = loaded.and(common.toolsets.items().map(drop)).and(common.facts.items().map(drop));
        loaded.err().map(|damaged| damaged.to_string())
    }

    fn available(&self, check: AvailabilityCheck<'_>, env: &Env) -> Availability {
        self.check.map_or(Availability::Available, |available| available(&self.handlers, check, env))
    }

    fn checks(&self) -> Option<CheckRunner> {
        self.checks
    }

    fn start_directory<'a>(
        &'a self,
        index: usize,
        args: Slots<'_, '_>,
        call: &'a Call<'a>,
    ) -> Option<StartDirectory<'a>> {
        (self.directory?)(&self.handlers, index, args, call)
    }

    fn call<'a>(&'a self, index: usize, args: Slots<'_, '_>, call: &'a Call<'a>) -> HandlerReply<'a> {
        (self.call)(&self.handlers, index, args, call)
    }
}

/// Reads the description from the OpenAI definition of a tool, of which `text` is the first segment. Returns `None` if there is
/// no description, or if it has conditions, so that the segment ends within it.
pub fn openai_description(text: &str) -> Option<Cow<'_, str>> {
    let (_name, rest) = text.strip_prefix(r#"{"type":"function","function":{"name":""#)?.split_once('"')?;
    let string = rest.strip_prefix(r#","description":"#).filter(|rest| rest.starts_with('"'))?;
    let string = &string[..json::string_len(string)?];
    if string.contains('\\') {
        return serde_json::from_str(string).ok().map(Cow::Owned);
    }
    Some(Cow::Borrowed(&string[1..string.len() - 1]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_description_of_an_openai_definition_is_read() {
        let definition = |rest| format!(r#"{{"type":"function","function":{{"name":"add_note"{rest}"#);
        for (rest, expected) in [
            (r#","description":"Adds a note.","parameters":{}}}"#, Some("Adds a note.")),
            (r#","description":"Adds \"one\" note.\nü","parameters":{}}}"#, Some("Adds \"one\" note.\nü")),
            (r#","description":"","parameters":{}}}"#, Some("")),
            (r#","description":"Adds a note. In a hurry,"#, None),
            (r#","description":"Adds \"one\" note. In a hurry,"#, None),
            (r#","parameters":{"description":"no"}}}"#, None),
        ] {
            assert_eq!(openai_description(&definition(rest)).as_deref(), expected, "{rest}");
        }
    }
}
