//! Toolsets that take more of a model's context than they should: by their own budget, or by the project's.

use crate::catalog::{Catalog, Toolset, ToolsetId};
use crate::diagnostic::{Code, Diagnostic, Sink};

pub(super) fn check(catalog: &Catalog, sink: &Sink) {
    let settings = catalog.settings();
    let budget = |toolset: &Toolset| toolset.manifest.token_budget.or(settings.token_budget);
    let mut sizes = Sizes(vec![None; catalog.tools().count()]);
    for (id, toolset) in catalog.toolsets().filter(|(_, toolset)| toolset.declared) {
        let place = toolset.manifest.name.place;
        if let Some(most) = settings.most_tools {
            let count = catalog.resolve(id).len();
            if count > most as usize {
                let message = format!("`{}` resolves to {count} tools, where at most {most} should be", toolset.name());
                sink.push(
                    Diagnostic::new(Code::TOO_MANY_TOOLS, place, message)
                        .help("divide it, or raise `budgets.tools` in `toolc.toml`"),
                );
            }
        }
        if let Some(most) = budget(toolset) {
            let tokens = toolc::estimated_tokens(sizes.of(catalog, id));
            if tokens > most as usize {
                let message = format!(
                    "the definitions of `{}` take about {tokens} tokens, {most} at most should be",
                    toolset.name()
                );
                sink.push(
                    Diagnostic::new(Code::TOKEN_BUDGET, place, message)
                        .help("shorten the descriptions, divide the toolset, or raise its `token_budget`"),
                );
            }
        }
    }
}

/// Bytes of each tool's definition in the first dialect, as far as they have been asked for.
struct Sizes(Vec<Option<usize>>);

impl Sizes {
    /// Bytes of the JSON array that a turn with this toolset alone shows at most.
    fn of(&mut self, catalog: &Catalog, id: ToolsetId) -> usize {
        let Some(dialect) = catalog.settings().dialects.first() else { return 0 };
        let size = |tool: crate::catalog::ToolId, known: &mut Option<usize>| {
            let tool = &catalog[tool];
            let text = || {
                let definition = dialect.lower(catalog, tool).definition;
                definition.map_or(0, |doc| catalog.full_setting(tool).value(&doc).to_string().len())
            };
            *known.get_or_insert_with(text)
        };
        let tools = catalog.resolve(id);
        let commas = tools.len().saturating_sub(1);
        let brackets = 2;
        tools.into_iter().map(|tool| size(tool, &mut self.0[tool.0])).sum::<usize>() + commas + brackets
    }
}
