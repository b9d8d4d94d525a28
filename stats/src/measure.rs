//! The sizes of a project's definitions.

use std::collections::BTreeMap;

use rayon::prelude::*;
use toolc_codegen::catalog::{Tool, ToolId, ToolsetId};
use toolc_codegen::dialects::Dialect;
use toolc_codegen::lower::definition;
use toolc_codegen::{Catalog, Checked};

use crate::encoding::{Encoding, is_exact};

/// The tokens of a project's definitions.
#[derive(Debug)]
pub(crate) struct Sizes {
    /// The dialects, in the order of the columns.
    pub dialects: Vec<Column>,
    /// The toolsets by name.
    pub toolsets: BTreeMap<String, Toolset>,
    /// The tokens of each tool by its name, in the order of the dialects.
    pub tools: BTreeMap<String, Tokens>,
}

#[derive(Debug)]
pub(crate) struct Column {
    pub name: &'static str,
    /// Whether the vendor's models use this vocabulary. The numbers of other dialects are estimates.
    pub is_exact: bool,
}

/// A number of tokens for each dialect. `None` where the dialect does not accept the tool, or the toolset has no definition.
pub(crate) type Tokens = Vec<Option<usize>>;

#[derive(Debug)]
pub(crate) struct Toolset {
    pub tools: usize,
    /// The maximum that the linter enforces.
    pub budget: Option<u32>,
    pub tokens: Tokens,
}

/// What is measured.
pub(crate) struct Selection {
    /// The dialects, in the order of the columns.
    pub dialects: Vec<&'static Dialect>,
    /// The toolsets. All declared ones if it is empty.
    pub toolsets: Vec<String>,
}

impl Selection {
    fn toolsets<'c>(&self, catalog: &'c Catalog) -> Vec<(ToolsetId, &'c str)> {
        let all = catalog.toolsets().filter(|(_, toolset)| match self.toolsets.as_slice() {
            [] => toolset.declared,
            names => names.iter().any(|name| toolset.is_called(name)),
        });
        all.map(|(id, toolset)| (id, toolset.name())).collect()
    }
}

/// Counts the tokens of definitions as a request contains them: of each tool in a turn with all tools, and of each toolset in a turn with
/// that toolset alone. All facts have their defaults, and all requirements on the environment are met.
pub(crate) fn measure(catalog: &Checked, selection: &Selection, encoding: Encoding) -> Sizes {
    let dialects = &selection.dialects;
    let toolsets = selection.toolsets(catalog);
    let is_shown = |id: &ToolId| {
        selection.toolsets.is_empty() || toolsets.iter().any(|(set, _)| catalog.resolve(*set).contains(id))
    };
    let tools: Vec<(ToolId, &Tool)> = catalog.tools().filter(|(id, _)| is_shown(id)).collect();
    let definitions: BTreeMap<ToolId, Vec<_>> = tools
        .par_iter()
        .map(|(id, tool)| {
            let documents = dialects.iter().map(|dialect| definition(dialect, catalog, tool).definition);
            (*id, documents.collect())
        })
        .collect();
    let text = |id: ToolId, at: usize, members: &[bool]| {
        let values = catalog.turn_values(&catalog[id], members);
        let document = definitions.get(&id)?[at].as_ref()?;
        Some(dialects[at].written(values.value(document).to_string()))
    };
    let of_tool = |(id, tool): &(ToolId, &Tool)| {
        let count = |at| text(*id, at, catalog.everything()).map(|text| encoding.count(&text));
        (tool.name().to_owned(), (0..dialects.len()).map(count).collect())
    };
    let of_toolset = |(id, name): &(ToolsetId, &str)| {
        let members = catalog.shown(catalog.graph().resolve(id.0));
        let tokens = dialects.iter().enumerate().map(|(at, dialect)| {
            let shown = catalog.resolve(*id).iter().filter(|tool| members[tool.0]);
            let texts: Vec<String> = shown.filter_map(|tool| text(*tool, at, &members)).collect();
            (!texts.is_empty()).then(|| encoding.count(&dialect.list(&texts)))
        });
        let budget = catalog[*id].manifest.token_budget.as_ref().or(catalog.settings().token_budget.as_ref());
        let toolset = Toolset {
            tools: members.iter().filter(|shown| **shown).count(),
            budget: budget.map(|budget| budget.value),
            tokens: tokens.collect(),
        };
        ((*name).to_owned(), toolset)
    };
    Sizes {
        toolsets: toolsets.par_iter().map(of_toolset).collect(),
        tools: tools.par_iter().map(of_tool).collect(),
        dialects: dialects
            .iter()
            .map(|dialect| Column { name: dialect.name, is_exact: is_exact(dialect.name) })
            .collect(),
    }
}
