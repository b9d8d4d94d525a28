//! A provider of manifests that a test has in memory. Its tools return their arguments.

use std::collections::BTreeMap;

use toolc::__gen::table::SlotKind;
use toolc::args::Slots;
use toolc::catalog::{Definition, Fact};
use toolc::{Call, Dialect, HandlerReply, Tool, ToolOutput, ToolProvider, Toolset, Value};
use toolc_codegen::catalog::FactId;
use toolc_codegen::check::Checked;
use toolc_codegen::lower::lower;

/// The compiled tools of a catalog.
pub(crate) struct Compiled {
    tools: Vec<Tool>,
    definitions: BTreeMap<Dialect, Vec<Option<Definition>>>,
    toolsets: Vec<Toolset>,
    facts: Vec<Fact>,
}

impl Compiled {
    /// Lowers the tools of a catalog, in the dialects of its settings.
    pub(crate) fn new(catalog: &Checked) -> Self {
        let lowered = lower(catalog);
        let mut definitions = BTreeMap::new();
        for (at, record) in catalog.settings().dialects.iter().enumerate() {
            let dialect = record.in_runtime().expect("the tests have every dialect");
            definitions.insert(dialect, catalog.tools().map(|(id, _)| lowered.definitions(id)[at].clone()).collect());
        }
        Self {
            tools: catalog.tools().map(|(id, _)| with_untyped_arguments(lowered.tool(id))).collect(),
            definitions,
            toolsets: catalog.toolsets().map(|(id, _)| lowered.toolset(id)).collect(),
            facts: (0..catalog.facts().len()).map(|id| lowered.fact(FactId(id))).collect(),
        }
    }
}

/// Returns a tool whose handler gets its arguments as one JSON value: there is no Rust type for them.
fn with_untyped_arguments(tool: &Tool) -> Tool {
    let mut tool = tool.clone();
    let mut table = (*tool.arguments).clone();
    for node in &mut table.nodes {
        node.form = SlotKind::Value;
    }
    tool.arguments = table.into();
    tool
}

impl ToolProvider for Compiled {
    fn tools(&self) -> &[Tool] {
        &self.tools
    }

    fn definitions(&self, dialect: Dialect) -> &[Option<Definition>] {
        self.definitions.get(&dialect).map_or(&[], Vec::as_slice)
    }

    fn toolsets(&self) -> &[Toolset] {
        &self.toolsets
    }

    fn facts(&self) -> &[Fact] {
        &self.facts
    }

    fn call<'a>(&'a self, _: usize, mut args: Slots<'_, '_>, _: &'a Call<'a>) -> HandlerReply<'a> {
        HandlerReply::Ready(ToolOutput::json(&args.value::<Value>(0)))
    }
}
