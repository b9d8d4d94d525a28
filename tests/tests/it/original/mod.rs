//! Behaviour shared with the Python system that toolc re-imagines: one test for each, named after it. `docs/differences.md`
//! lists the differences and their reasons.

mod distributions;
mod registry;
mod toolsets;

use toolc::{Dialect, DynamicTool, DynamicTools, Env, Registry, ToolOutput, Turn};

/// Returns a tool that accepts any arguments and returns its name.
fn tool(name: &'static str, home: &'static str) -> DynamicTool {
    let schema = serde_json::json!({"type": "object"});
    DynamicTool::sync(name, "Does something.", schema, |_, call| Ok(ToolOutput::text(call.tool()))).toolset(home)
}

/// Returns a registry with these tools, each from a provider of its own.
fn registry(tools: impl IntoIterator<Item = DynamicTool>) -> Registry {
    let registry = Registry::new();
    for tool in tools {
        registry.add(tool.build().expect("the tool is valid")).expect("its name is free");
    }
    registry
}

fn add(registry: &Registry, tools: DynamicTools) {
    registry.add(tools.build().expect("the tools are valid")).expect("the registry accepts them");
}

fn turn(registry: &Registry, enabled: &[&str], disabled: &[&str]) -> Turn {
    let session = registry.session().enable(enabled.iter().copied()).disable(disabled.iter().copied());
    session.env(Env::empty()).build().expect("the toolsets are known").turn_blocking(Dialect::OpenAi)
}

/// Returns the names of the tools that a turn shows.
fn shown(registry: &Registry, enabled: &[&str], disabled: &[&str]) -> String {
    turn(registry, enabled, disabled).tools().collect::<Vec<_>>().join(" ")
}
