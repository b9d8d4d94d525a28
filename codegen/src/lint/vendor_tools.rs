//! The vendors' own tools that the requests of the project contain, according to `[vendor_tools]` of `toolc.toml`.

use super::Lint;
use crate::catalog::{Tool, ToolId, ToolsetId};
use crate::diagnostic::{At, Place};
use crate::dialects::{Dialect, ListSize, Vendor};
use crate::lower::{DefinitionSizes, accepts, form};
use crate::manifest::keys::kinds::Words;
use crate::manifest::{AnthropicTool, Caller, GeminiTool, OpenAiTool};

/// One of a vendor's own tools.
#[derive(Debug, Clone, Copy)]
pub(super) struct VendorTool {
    /// Where `toolc.toml` lists it.
    pub(super) place: Place,
    /// The names that no other tool of a request may have.
    pub(super) names: &'static [&'static str],
    /// Whether it finds deferred tools.
    searches: bool,
    /// Whether it runs code that calls tools.
    runs_code: bool,
}

/// A large toolset from which a vendor's tool search finds tools.
#[derive(Debug)]
pub(super) struct SearchedToolset {
    /// The toolset.
    pub(super) id: ToolsetId,
    /// The number of its tools.
    pub(super) tools: usize,
    /// An estimate of the tokens of their definitions.
    pub(super) tokens: usize,
    /// The number of tools that may be deferred.
    pub(super) deferrable: usize,
    /// The dialects in whose requests it is large, and the place of the vendor's tool search.
    pub(super) dialects: Vec<(&'static Dialect, Place)>,
}

impl Lint<'_> {
    /// Returns the vendors' own tools in the requests of a dialect.
    pub(super) fn vendor_tools(&self, dialect: &Dialect) -> Vec<VendorTool> {
        let listed = &self.settings().vendor_tools;
        let none: &[&str] = &[];
        let tool = |place, names, searches, runs_code| VendorTool { place, names, searches, runs_code };
        match dialect.vendor {
            Some(Vendor::Anthropic) => read(&listed.anthropic, |place, one: AnthropicTool| {
                tool(place, one.names(), one == AnthropicTool::ToolSearch, one == AnthropicTool::CodeExecution)
            }),
            Some(Vendor::OpenAi) => read(&listed.openai, |place, one: OpenAiTool| {
                tool(place, none, one == OpenAiTool::ToolSearch, one == OpenAiTool::ProgrammaticToolCalling)
            }),
            Some(Vendor::Gemini) => {
                read(&listed.gemini, |place, one: GeminiTool| tool(place, none, one == GeminiTool::ToolSearch, false))
            }
            None => Vec::new(),
        }
    }

    /// Returns whether `toolc.toml` lists any of the vendors' own tools.
    pub(super) fn lists_vendor_tools(&self) -> bool {
        let listed = &self.settings().vendor_tools;
        !(listed.anthropic.is_empty() && listed.openai.is_empty() && listed.gemini.is_empty())
    }

    /// Returns the place of the vendor's tool search in the requests of a dialect.
    pub(super) fn tool_search(&self, dialect: &Dialect) -> Option<Place> {
        self.vendor_tools(dialect).into_iter().find(|tool| tool.searches).map(|tool| tool.place)
    }

    /// Returns whether the requests of a dialect contain a tool of the vendor that runs code which calls tools.
    pub(super) fn runs_code(&self, dialect: &Dialect) -> bool {
        self.vendor_tools(dialect).iter().any(|tool| tool.runs_code)
    }

    /// Returns the declared toolsets that are large for one of the vendors whose tool search requests contain. Toolsets with tools that
    /// are added at run time are left out: whether those may be deferred is not known.
    pub(super) fn searched_toolsets(&self) -> Vec<SearchedToolset> {
        let vendors: Vec<(&'static Dialect, Place, ListSize)> = self
            .dialects()
            .filter_map(|dialect| Some((dialect, self.tool_search(dialect)?, dialect.search.advised_from()?.value)))
            .collect();
        if vendors.is_empty() {
            return Vec::new();
        }
        let mut sizes = DefinitionSizes::new(self);
        let declared = self.toolsets().filter(|(id, toolset)| toolset.declared && !self.has_external_tools(*id));
        let searched = declared.filter_map(|(id, _)| {
            let tools = self.resolved(id);
            let tokens = sizes.tokens(tools);
            let is_large = |dialect: &'static Dialect, list: ListSize| {
                let count = tools.iter().filter(|tool| accepts(dialect, &self[**tool])).count();
                count >= list.tools || list.tokens.is_some_and(|most| tokens > most)
            };
            let large = vendors.iter().filter(|(dialect, _, list)| is_large(dialect, *list));
            let dialects: Vec<_> = large.map(|(dialect, place, _)| (*dialect, *place)).collect();
            let deferrable = tools.iter().filter(|tool: &&ToolId| self[**tool].manifest.defer).count();
            (!dialects.is_empty()).then_some(SearchedToolset { id, tools: tools.len(), tokens, deferrable, dialects })
        });
        searched.collect()
    }
}

/// Reads the words of a list. Unknown ones have been reported.
fn read<W: Words>(words: &[At<String>], tool: impl Fn(Place, W) -> VendorTool) -> Vec<VendorTool> {
    words.iter().filter_map(|word| Some(tool(word.place, W::from_word(&word.value)?))).collect()
}

impl Tool {
    /// Returns where the manifest says that code may call the tool, or `None` if code may not.
    pub(super) fn called_by_code(&self) -> Option<Place> {
        let code = self.manifest.callers.iter().find(|caller| caller.value == Caller::Code.word());
        code.map(|caller| caller.place)
    }

    /// Returns the dialects in which code may call the tool.
    pub(super) fn dialects_with_code<'l>(&'l self, lint: &'l Lint<'_>) -> impl Iterator<Item = &'static Dialect> + 'l {
        let has_callers = |dialect: &'static Dialect| {
            self.called_by_code().is_some() && form(dialect, self).extensions.callers().is_some()
        };
        lint.dialects().filter(move |dialect| has_callers(dialect) && accepts(dialect, self))
    }
}
