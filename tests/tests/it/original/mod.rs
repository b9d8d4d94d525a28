//! What the Python system that this re-imagines does, and so does this one: a test for each behaviour, named after it. What
//! differs, and why, is in `docs/differences.md`.

mod distributions;
mod registry;
mod toolsets;

use toolc::{Dialect, DynamicTool, DynamicTools, Env, Registry, ToolOutput, Turn};

/// A tool that takes anything and answers with its name.
fn tool(name: &'static str, home: &'static str) -> DynamicTool {
    let schema = serde_json::json!({"type": "object"});
    DynamicTool::sync(name, "Does something.", schema, |_, call| Ok(ToolOutput::text(call.tool()))).home(home)
}

/// A registry of these, each by itself.
fn registry(tools: impl IntoIterator<Item = DynamicTool>) -> Registry {
    let registry = Registry::new();
    for tool in tools {
        registry.add(tool.build().expect("it is right")).expect("its name is free");
    }
    registry
}

fn add(registry: &Registry, tools: DynamicTools) {
    registry.add(tools.build().expect("they are right")).expect("they are taken");
}

fn turn(registry: &Registry, enabled: &[&str], disabled: &[&str]) -> Turn {
    let session = registry.session().enable(enabled.iter().copied()).disable(disabled.iter().copied());
    session.env(Env::empty()).build().expect("there are such toolsets").turn(Dialect::OpenAi)
}

/// The names of what is shown.
fn shown(registry: &Registry, enabled: &[&str], disabled: &[&str]) -> String {
    turn(registry, enabled, disabled).tools().collect::<Vec<_>>().join(" ")
}
