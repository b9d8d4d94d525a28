//! A tool's module: its arguments as Rust types, and the tool itself as data.

use quote::{format_ident, quote};

use super::print::print;
use super::{behaviour, requires, segments, table, text, types};
use crate::catalog::Tool;
use crate::check::Checked;
use crate::names::module;

/// Its text. Tokens within tokens are copied at every level, so the parts are printed one by one.
pub(super) fn of(catalog: &Checked, tool: &Tool) -> String {
    let types = print(types::of(tool, &catalog.full_setting(tool)), 1);
    let tables = print(table::of(&tool.manifest.params, &tool.manifest.defs), 2);
    let definitions = catalog.settings().dialects.iter().map(|dialect| {
        let variant = format_ident!("{}", dialect.variant);
        let name = tool.otherwise(dialect.name).and_then(|otherwise| otherwise.name.as_ref());
        let name = name.map(|name| text(&name.value)).map_or(quote!(None), |name| quote!(Some(#name)));
        let segments = dialect.definition(catalog, tool).segments();
        let segments = segments.iter().map(segments::segment);
        quote!(Definition { dialect: Dialect::#variant, name: #name, segments: Borrowed(&[#(#segments),*]) })
    });
    let atoms = tool.atoms.iter().map(|atom| segments::atom(catalog, atom));
    let facts = tool.facts.iter().map(|id| text(&catalog[*id].name.value));
    let requires = requires::of(catalog, &tool.requires, &tool.manifest.requires, &tool.atoms);
    let behaviour = behaviour::of(catalog, tool);
    let name = text(tool.name());
    let toolset = text(&tool.manifest.toolset.as_ref().map(|home| home.value.clone()).unwrap_or_default());
    let emoji = text(&tool.manifest.emoji);
    let data = quote! {
        use ::std::borrow::Cow::Borrowed;

        use ::toolc::behaviour::*;
        use ::toolc::requirement::Requirement;
        use ::toolc::segment::*;
        use ::toolc::table::*;
        use ::toolc::{Definition, Dialect, Tool};

        /// The tool as data.
        pub const TOOL: Tool = Tool {
            name: #name,
            toolset: #toolset,
            emoji: #emoji,
            arguments: Table::new(NODES, PROPERTIES, LITERALS, BRANCHES, BOUNDS, CONDITIONS),
            atoms: Borrowed(&[#(#atoms),*]),
            facts: Borrowed(&[#(#facts),*]),
            definitions: Borrowed(DEFINITIONS),
            requires: #requires,
            behaviour: Borrowed(#behaviour),
        };

        const DEFINITIONS: &[Definition] = &[#(#definitions),*];
    };
    let (module, name, data) = (module(tool.name()), tool.name(), print(data, 2));
    format!(
        "/// The tool `{name}`.\npub mod {module} {{\n    pub use data::TOOL;\n\n{types}\n    mod data {{\n{data}\n{tables}    }}\n}}\n"
    )
}
