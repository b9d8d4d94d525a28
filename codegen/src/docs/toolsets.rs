//! The tables in `docs/toolsets.md`: the toolsets of the project, with their tools and tokens.

use super::replace_between;
use crate::catalog::Toolset;
use crate::check::Checked;
use crate::failure::Failure;
use crate::lower::DefinitionSizes;
use crate::manifest::ToolsetKind;

/// Returns the page with new tables of the toolsets of `catalog`.
///
/// # Errors
/// If the page has no place for the tables.
pub(super) fn renew_tables(catalog: &Checked, page: &str) -> Result<String, Failure> {
    let mut sizes = DefinitionSizes::new(catalog);
    let mut table = |title: &str, is_listed: &dyn Fn(&Toolset) -> bool| {
        let mut text = format!(
            "\n### {title}\n\n| toolset | what it is for | tools | tokens | budget | legacy names |\n|---|---|---|---|---|---|\n"
        );
        for (id, toolset) in catalog.toolsets().filter(|(_, toolset)| toolset.declared && is_listed(toolset)) {
            let tools = catalog.resolve(id);
            let names: Vec<String> = tools.iter().map(|tool| format!("`{}`", catalog[*tool].name())).collect();
            let manifest = &toolset.manifest;
            let budget = manifest.token_budget.as_ref().map_or_else(String::new, |budget| budget.value.to_string());
            let aliases: Vec<String> = manifest.aliases.iter().map(|alias| format!("`{}`", alias.value)).collect();
            text += &format!(
                "| `{}` | {} | {} | {} | {budget} | {} |\n",
                toolset.name(),
                manifest.description,
                names.join(", "),
                sizes.tokens(tools),
                aliases.join(", "),
            );
        }
        text
    };
    let is_preset =
        |toolset: &Toolset| toolset.manifest.kind.as_ref().is_some_and(|kind| kind.value == ToolsetKind::Preset);
    let presets = table("Presets", &is_preset);
    let others = table("Other toolsets", &|toolset| !is_preset(toolset));
    replace_between(page, "toolsets", &format!("{presets}{others}"))
}
