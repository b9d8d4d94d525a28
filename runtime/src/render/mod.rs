//! Rendering the definitions of a turn.

pub(crate) mod conditional;
#[cfg(feature = "search")]
mod listing;
#[cfg(feature = "search")]
pub(crate) mod search_tools;
#[cfg(feature = "search")]
pub(crate) mod vendor_search;

use std::borrow::Cow;
#[cfg(feature = "search")]
use std::collections::BTreeMap;
use std::ops::Range;

use crate::data::dialect::Dialect;
#[cfg(feature = "search")]
use crate::data::dialect::{VendorListing, VendorSearch};
use crate::data::segment;
use crate::data::segment::FactValue;
use crate::registration::atoms::FactLookup;
use crate::registration::definition_table::{DefinitionSlot, DefinitionTable};
use crate::registration::ids::ToolId;
use crate::registration::rendered::RenderedDefinitions;
use crate::registration::state::RegistrySnapshot;
use crate::render::conditional::ConditionalTable;
#[cfg(feature = "search")]
use crate::render::listing::ListedToolset;
#[cfg(feature = "search")]
use crate::render::search_tools::ToolSearch;

/// Renders the definitions of a turn.
#[derive(Clone, Copy)]
pub(crate) struct DefinitionsRenderer<'p> {
    pub(crate) state: &'p RegistrySnapshot,
    pub(crate) dialect: Dialect,
    /// The definitions of the dialect.
    pub(crate) definitions: &'p DefinitionTable,
    /// The turn's tools, sorted.
    pub(crate) tools: &'p [ToolId],
    pub(crate) facts: FactLookup<'p>,
    /// Those of the tools whose parameters depend on the turn, sorted.
    pub(crate) conditional: &'p [ConditionalTable],
}

/// The tools of a turn that are deferred, sorted, and how the model finds them.
pub(crate) enum Deferral {
    /// No tool is deferred.
    None,
    /// The three tools of tool search replace the definitions.
    #[cfg(feature = "search")]
    ByTools(Vec<ToolId>, ToolSearch),
    /// The definitions are marked for the search of the vendor.
    #[cfg(feature = "search")]
    ByVendor(Vec<ToolId>, VendorSearch),
}

impl Deferral {
    /// Returns the deferred tools, sorted.
    pub(crate) fn tools(&self) -> &[ToolId] {
        match self {
            Self::None => &[],
            #[cfg(feature = "search")]
            Self::ByTools(tools, _) | Self::ByVendor(tools, _) => tools,
        }
    }

    /// Returns whether the three tools of tool search replace the definitions.
    pub(crate) const fn has_search_tools(&self) -> bool {
        match self {
            Self::None => false,
            #[cfg(feature = "search")]
            Self::ByVendor(..) => false,
            #[cfg(feature = "search")]
            Self::ByTools(..) => true,
        }
    }

    /// Returns whether the definition of a tool is in the namespace of its home toolset.
    #[cfg_attr(not(feature = "search"), expect(unused_variables, reason = "nothing is deferred"))]
    pub(crate) fn has_namespace(&self, id: ToolId) -> bool {
        match self {
            Self::None => false,
            #[cfg(feature = "search")]
            Self::ByTools(..) => false,
            #[cfg(feature = "search")]
            Self::ByVendor(tools, search) => {
                search.listing == VendorListing::Namespaces && tools.binary_search(&id).is_ok()
            }
        }
    }

    /// Returns the tool of the vendor that a request needs for the search, as JSON.
    pub(crate) const fn vendor_tool(&self) -> Option<&'static str> {
        match self {
            Self::None => None,
            #[cfg(feature = "search")]
            Self::ByTools(..) => None,
            #[cfg(feature = "search")]
            Self::ByVendor(_, search) => Some(search.tool),
        }
    }
}

impl DefinitionsRenderer<'_> {
    /// Renders all definitions.
    pub(crate) fn render(self) -> RenderedDefinitions {
        let max_len: usize = self.tools.iter().map(|&id| self.definitions[id].max_len() + 1).sum();
        let mut output = RenderedDefinitions::begin(self.dialect, max_len + 2);
        for &id in self.tools {
            self.push_definition(id, &mut output);
        }
        output.close(self.dialect)
    }

    /// Renders all definitions again after a change of facts. `before` has the same tools. Static definitions do not depend on
    /// facts and are copied.
    pub(crate) fn rerender(self, before: &RenderedDefinitions) -> RenderedDefinitions {
        let max_len: usize = before.rendered.iter().map(|&(id, _)| self.definitions[id].max_len()).sum();
        let mut text = String::with_capacity(before.text.len() + max_len);
        let mut copied = 0;
        let rendered = before.rendered.iter().map(|(id, Range { start, end })| {
            text.push_str(&before.text[copied..*start]);
            copied = *end;
            let start = text.len();
            self.write(*id, &mut text);
            (*id, start..text.len())
        });
        let rendered = rendered.collect();
        text.push_str(&before.text[copied..]);
        RenderedDefinitions::new(text, rendered)
    }

    fn push_definition(self, id: ToolId, output: &mut RenderedDefinitions) {
        if let DefinitionSlot::Static(text) = &self.definitions[id] {
            output.text.push_str(text);
        } else {
            let start = output.text.len();
            self.write(id, &mut output.text);
            output.rendered.push((id, start..output.text.len()));
        }
        output.text.push_str(self.dialect.list()[1]);
    }

    /// Writes one definition.
    pub(crate) fn write(self, id: ToolId, out: &mut String) {
        match &self.definitions[id] {
            DefinitionSlot::Absent => {}
            DefinitionSlot::Static(text) => out.push_str(text),
            DefinitionSlot::Rendered { .. } if self.dialect.is_json() => self.write_json(id, out),
            DefinitionSlot::Rendered { .. } => {
                let mut json = String::new();
                self.write_json(id, &mut json);
                out.push_str(&self.dialect.written(Cow::Owned(json)).unwrap_or_default());
            }
        }
    }

    /// Writes the JSON of one definition. A dialect that is not JSON writes its text from this JSON.
    pub(crate) fn write_json(self, id: ToolId, out: &mut String) {
        let Some(definition) = self.state.definition(id, self.dialect) else { return };
        let tool = self.state.tool(id);
        let conditional = if tool.atoms.is_empty() { None } else { ConditionalTable::find(self.conditional, id) };
        let atoms = match conditional {
            Some(conditional) => conditional.atoms,
            None => self.facts.evaluate(&self.state[id].atoms, self.tools),
        };
        let values: Vec<FactValue> = tool.facts.iter().filter_map(|n| self.facts.get(n).cloned()).collect();
        segment::render(&definition.segments, atoms, &values, out);
    }
}

#[cfg(feature = "search")]
impl DefinitionsRenderer<'_> {
    /// Returns the tools that are deferred, and how they are found.
    pub(crate) fn deferral(self, search: Option<ToolSearch>) -> Deferral {
        let Some(search) = search else { return Deferral::None };
        let mut deferrable: Vec<ToolId> = self.tools.to_vec();
        deferrable.retain(|&id| self.state[id].plan.is_deferrable);
        let vendor_search =
            self.dialect.shape().search.filter(|vendor_search| deferrable.len() <= vendor_search.max_deferred);
        let vendor_search = vendor_search.filter(|_| search.is_by_vendor());
        // Code calls the tools that are defined, not `tool_call`.
        if vendor_search.is_none() && self.dialect.shows_callers() {
            deferrable.retain(|&id| !self.state[id].plan.callers.code);
        }
        let bytes = deferrable.iter().map(|&id| self.definitions[id].max_len()).sum();
        if !search.defers(bytes) {
            return Deferral::None;
        }
        match vendor_search {
            Some(vendor_search) => Deferral::ByVendor(self.deferred_by_vendor(deferrable), vendor_search),
            None => Deferral::ByTools(deferrable, search),
        }
    }

    /// Renders all definitions of a turn.
    pub(crate) fn render_with(self, deferral: &Deferral) -> RenderedDefinitions {
        match deferral {
            Deferral::None => self.render(),
            Deferral::ByTools(deferred, search) => self.render_with_search_tools(deferred, *search),
            Deferral::ByVendor(deferred, search) => self.render_for_vendor_search(deferred, search),
        }
    }

    /// Returns the list of the deferred tools. It does not depend on facts, so it is the same for the same tools.
    fn listing(self, deferred: &[ToolId], max_tokens: usize) -> String {
        let mut toolsets = BTreeMap::<&str, ListedToolset<'_>>::new();
        for &id in deferred {
            let tool = self.state.tool(id);
            let listed = toolsets.entry(&tool.toolset).or_insert_with(|| ListedToolset {
                name: &tool.toolset,
                description: self.state.toolset_description(&tool.toolset),
                tools: Vec::new(),
            });
            let name = tool.name_in(self.dialect).unwrap_or(&tool.name);
            listed.tools.push((name, &tool.description));
        }
        listing::write(&toolsets.into_values().collect::<Vec<_>>(), max_tokens)
    }

    /// Renders the definitions of the tools that are not `deferred`, and of the three tools of tool search.
    fn render_with_search_tools(self, deferred: &[ToolId], search: ToolSearch) -> RenderedDefinitions {
        let listing = self.listing(deferred, search.listing());
        let mut search_tools =
            crate::render::search_tools::definitions(self.dialect, deferred.len(), &listing).into_iter().peekable();
        let mut output = RenderedDefinitions::begin(self.dialect, 0);
        for &id in self.tools.iter().filter(|id| deferred.binary_search(id).is_err()) {
            while let Some((_, text)) = search_tools.next_if(|(name, _)| **name < *self.state[id].name) {
                output.push(self.dialect, &text);
            }
            self.push_definition(id, &mut output);
        }
        for (_, text) in search_tools {
            output.push(self.dialect, &text);
        }
        output.close(self.dialect)
    }
}
