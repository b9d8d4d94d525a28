//! `README.md`: describes the folder, and lists the tools and toolsets.

use minijinja::context;
use toolc_lower::dialects::{Language, find};
use toolc_lower::text::first_sentence;

use super::{Draft, Inputs};
use crate::lower::Lowered;
use crate::markdown;
use crate::project::MARK;

pub(super) fn emit<'c>(catalog: &'c Lowered<'c>) -> Vec<Draft<'c>> {
    vec![Draft::new("README.md", Inputs::All, || text(catalog))]
}

fn text(catalog: &Lowered<'_>) -> String {
    let table_cell = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ").replace('|', "\\|");
    let tools: Vec<_> = (catalog.tools())
        .map(|(_, tool)| {
            let description = table_cell(&catalog.full_turn_values(tool).text(&tool.manifest.description.value));
            context! {
                name => tool.name(),
                toolset => catalog[tool.home].name(),
                emoji => tool.manifest.emoji.as_str(),
                sentence => first_sentence(&description),
            }
        })
        .collect();
    let toolsets: Vec<_> = (catalog.toolsets())
        .map(|(id, toolset)| {
            let members: Vec<String> =
                catalog.resolve(id).into_iter().map(|tool| catalog[tool].name().to_owned()).collect();
            context! { name => toolset.name(), description => table_cell(&toolset.manifest.description), members }
        })
        .collect();
    let rust = catalog.settings().rust.as_deref().unwrap_or("rust");
    let written = &catalog.settings().schemas;
    let folders = [("tools", written.tools), ("toolsets", written.toolsets)].into_iter().filter(|(_, is_on)| *is_on);
    let folders: Vec<String> = folders.map(|(folder, _)| format!("`schemas/DIALECT/{folder}/`")).collect();
    let python = catalog.tools().any(|(_, tool)| tool.manifest.scripts);
    let typescript =
        written.dialects.iter().filter_map(|name| find(name)).any(|it| it.language == Language::TypeScript);
    let schemas = folders.join(", ");
    let context = context! { mark => MARK, rust, python, schemas, typescript, tools, toolsets };
    markdown::render(include_str!("readme.md.jinja"), context)
}
