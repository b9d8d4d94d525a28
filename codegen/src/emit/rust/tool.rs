//! A tool's module: its arguments as Rust types, and the tool itself as data.

use quote::quote;

use super::data::{borrowed, list};
use super::print::{inline, print};
use super::{behaviour, requires, segments, table, text, types};
use crate::catalog::Tool;
use crate::check::Checked;
use crate::names::module;

pub(super) fn of(catalog: &Checked, tool: &Tool) -> String {
    let (name, module) = (tool.name(), module(tool.name()));
    let (types, data) = (print(types::of(tool, &catalog.full_setting(tool)), 1), data(catalog, tool));
    format!(
        "/// The tool `{name}`.\n\
         pub mod {module} {{\n    \
             pub use data::TOOL;\n\n\
             {types}\n    \
             mod data {{\n{data}    }}\n\
         }}\n"
    )
}

fn data(catalog: &Checked, tool: &Tool) -> String {
    let definitions: Vec<String> = (catalog.settings().dialects.iter())
        .map(|dialect| {
            let name = tool.otherwise(dialect.name).and_then(|otherwise| otherwise.name.as_ref());
            let name = name.map_or("None".to_owned(), |name| format!("Some({})", borrowed(&name.value)));
            let segments = dialect.definition(catalog, tool).segments();
            let segments: Vec<String> = segments.iter().map(segments::segment).collect();
            let (variant, segments) = (dialect.variant, segments.join(", "));
            format!("Definition {{ dialect: Dialect::{variant}, name: {name}, segments: Borrowed(&[{segments}]) }}")
        })
        .collect();
    let atoms = tool.atoms.iter().map(|atom| segments::atom(catalog, atom));
    let facts = tool.facts.iter().map(|id| text(&catalog[*id].name.value));
    let [atoms, facts] = [inline(quote!(Borrowed(&[#(#atoms),*]))), inline(quote!(Borrowed(&[#(#facts),*])))];
    let requires = inline(requires::of(catalog, &tool.requires, &tool.manifest.requires, &tool.atoms));
    let behaviour = inline(behaviour::of(catalog, tool));
    let home = tool.manifest.toolset.as_ref().map_or("", |home| home.value.as_str());
    let (name, home, emoji) = (borrowed(tool.name()), borrowed(home), borrowed(&tool.manifest.emoji));
    let rust = format!(
        "        use ::std::borrow::Cow::Borrowed;
        use ::toolc::behaviour::*;
        use ::toolc::requirement::Requirement;
        use ::toolc::segment::*;
        use ::toolc::table::*;
        use ::toolc::{{Definition, Dialect, Tool}};

        /// The tool as data.
        pub const TOOL: Tool = Tool {{
            name: {name},
            toolset: {home},
            emoji: {emoji},
            arguments: Table::new(NODES, PROPERTIES, LITERALS, BRANCHES, BOUNDS, CONDITIONS),
            atoms: {atoms},
            facts: {facts},
            definitions: Borrowed(DEFINITIONS),
            requires: {requires},
            behaviour: Borrowed({behaviour}),
        }};

"
    );
    rust + &list("DEFINITIONS", "Definition", &definitions) + &table::of(&tool.manifest.params, &tool.manifest.defs)
}
