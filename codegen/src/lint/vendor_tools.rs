//! The vendors' own tools that the requests of the project contain, according to `[vendor_tools]` of `toolc.toml`.

use toolc_lower::dialects::{Dialect, ListSize, Vendor};
use toolc_tables::Words;

use super::Lint;
use crate::catalog::{Tool, ToolsetId};
use crate::diagnostic::{At, Place};
use crate::lower::{DefinitionSizes, accepts, form};
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

/// A toolset from which a vendor's tool search finds tools, in one dialect.
#[derive(Debug, Clone, Copy)]
pub(super) struct SearchedToolset {
    /// The toolset.
    pub(super) id: ToolsetId,
    /// The dialect.
    pub(super) dialect: &'static Dialect,
    /// The place of the vendor's tool search.
    pub(super) place: Place,
    /// The number of its tools that the dialect accepts. Not 0.
    pub(super) tools: usize,
    /// The number of tools that may be deferred.
    pub(super) deferrable: usize,
    /// An estimate of the tokens of the definitions of all its tools.
    pub(super) tokens: usize,
    /// Whether the toolset is so large that the vendor advises its search.
    pub(super) is_large: bool,
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

    /// Returns the declared toolsets from which the vendors' tool searches find tools, grouped by toolset. Toolsets with tools that are
    /// added at run time are left out: whether those may be deferred is not known.
    pub(super) fn searched_toolsets(&self) -> Vec<Vec<SearchedToolset>> {
        let vendor_searches: Vec<(&'static Dialect, Place)> =
            self.dialects().filter_map(|dialect| Some((dialect, self.tool_search(dialect)?))).collect();
        if vendor_searches.is_empty() {
            return Vec::new();
        }
        let mut sizes = DefinitionSizes::new(self);
        let declared = self.toolsets().filter(|(id, toolset)| toolset.declared && !self.has_external_tools(*id));
        let searched = declared.map(|(id, _)| {
            let resolved = self.resolve(id);
            let tokens = sizes.tokens(resolved);
            let in_dialect = |(dialect, place): &(&'static Dialect, Place)| {
                let accepted: Vec<&Tool> =
                    resolved.iter().map(|tool| &self[*tool]).filter(|tool| accepts(dialect, tool)).collect();
                let tools = accepted.len();
                let deferrable = accepted.iter().filter(|tool| tool.manifest.defer).count();
                let advised = dialect.search.advised_from().map(|limit| limit.value);
                let is_large = advised.is_some_and(|ListSize { tools: from, tokens: most }| {
                    tools >= from || most.is_some_and(|most| tokens > most)
                });
                SearchedToolset { id, dialect, place: *place, tools, deferrable, tokens, is_large }
            };
            vendor_searches.iter().map(in_dialect).filter(|searched| searched.tools > 0).collect()
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
