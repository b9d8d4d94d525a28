//! `README.md`: describes the folder, and lists the tools and toolsets.

use std::borrow::Cow;

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
    // Not in the template, which would take most of the time: a catalog may have many thousands of tools.
    let (mut tools, mut toolsets) = (String::new(), String::new());
    for (_, tool) in catalog.tools() {
        let description = catalog.full_turn_values(tool).text(&tool.manifest.description.value);
        let description = table_cell(&description);
        let (name, home, sentence) = (tool.name(), catalog[tool.home].name(), first_sentence(&description));
        let emoji = &tool.manifest.emoji;
        let space = if emoji.is_empty() { "" } else { " " };
        tools.extend(["\n| ", emoji, space, "`", name, "` | `", home, "` | ", sentence, " |"]);
    }
    for (id, toolset) in catalog.toolsets() {
        toolsets.extend(["\n| `", toolset.name(), "` | "]);
        for (index, &tool) in catalog.resolve(id).iter().enumerate() {
            toolsets.extend([if index == 0 { "`" } else { ", `" }, catalog[tool].name(), "`"]);
        }
        toolsets.extend([" | ", &table_cell(&toolset.manifest.description), " |"]);
    }
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

/// Returns a text as a cell of a table: on one line, without vertical bars.
fn table_cell(text: &str) -> Cow<'_, str> {
    let is_cell = text.is_ascii()
        && text.trim().len() == text.len()
        && !text.contains("  ")
        && !text.bytes().any(|byte| byte == b'|' || byte.is_ascii_control());
    if is_cell {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.split_whitespace().collect::<Vec<_>>().join(" ").replace('|', "\\|"))
}
