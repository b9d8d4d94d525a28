//! Definitions for the search of a vendor: deferred tools are marked, so that the model sees them after it has found them.

use std::fmt::Write as _;

use crate::data::dialect::{VendorListing, VendorSearch};
use crate::registration::ids::ToolId;
use crate::render::listing::first_sentence;
use crate::render::{DefinitionsRenderer, RenderedDefinitions};
use crate::text::json;

impl DefinitionsRenderer<'_> {
    /// Returns those of the `deferrable` tools that the vendor's search defers. At least one tool of the turn is not deferred, because
    /// vendors refuse a request without such a tool: if all may be, that is the one with the smallest definition.
    pub(crate) fn deferred_by_vendor(self, mut deferrable: Vec<ToolId>) -> Vec<ToolId> {
        if deferrable.len() == self.tools.len() {
            let smallest = deferrable.iter().copied().min_by_key(|&id| (self.definitions[id].max_len(), id));
            deferrable.retain(|&id| Some(id) != smallest);
        }
        deferrable
    }

    /// Renders the definitions of all tools. Those in `deferred` are marked, and listed in namespaces if the vendor has them.
    pub(crate) fn render_for_vendor_search(self, deferred: &[ToolId], search: &VendorSearch) -> RenderedDefinitions {
        let is_deferred = |id: &ToolId| deferred.binary_search(id).is_ok();
        let mut output = RenderedDefinitions::begin(0);
        if search.listing == VendorListing::Namespaces {
            for &id in self.tools.iter().filter(|id| !is_deferred(id)) {
                self.push_definition(id, &mut output);
            }
            self.push_namespaces(deferred, &mut output);
        } else {
            for &id in self.tools {
                if is_deferred(&id) {
                    let mut text = String::new();
                    self.write_deferred(id, search.listing, &mut text);
                    output.push(&text);
                } else {
                    self.push_definition(id, &mut output);
                }
            }
        }
        output.close()
    }

    /// Appends a namespace for each home toolset of the deferred tools, sorted by name.
    fn push_namespaces(self, deferred: &[ToolId], output: &mut RenderedDefinitions) {
        let mut by_toolset: Vec<(&str, ToolId)> =
            deferred.iter().map(|&id| (&*self.state.tool(id).toolset, id)).collect();
        by_toolset.sort_unstable();
        for tools in by_toolset.chunk_by(|(a, _), (b, _)| a == b) {
            let toolset = tools[0].0;
            let mut text = String::from(r#"{"type":"namespace","name":"#);
            json::push_string(&mut text, toolset);
            text.push_str(r#","description":"#);
            match self.state.toolset_description(toolset) {
                "" => json::push_string(&mut text, &format!("The tools of `{toolset}`.")),
                description => json::push_string(&mut text, description),
            }
            text.push_str(r#","tools":["#);
            for (at, (_, id)) in tools.iter().enumerate() {
                if at > 0 {
                    text.push(',');
                }
                self.write_deferred(*id, VendorListing::Namespaces, &mut text);
            }
            text.push_str("]}");
            output.push(&text);
        }
    }

    /// Writes the definition of a deferred tool.
    fn write_deferred(self, id: ToolId, listing: VendorListing, out: &mut String) {
        self.write(id, out);
        // A definition is an object with entries.
        if out.ends_with('}') {
            out.pop();
            out.push_str(r#","defer_loading":true"#);
            if listing == VendorListing::ShortDescriptions {
                let _ = write!(out, r#","short_description":"#);
                json::push_string(out, &first_sentence(&self.state.tool(id).description));
            }
            out.push('}');
        }
    }
}
