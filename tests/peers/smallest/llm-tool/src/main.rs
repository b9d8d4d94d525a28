//! The smallest program with llm-tool: one tool, called once with the arguments on the command line.

#[path = "../../answer.rs"]
mod answer;
#[path = "../../ready.rs"]
mod ready;
mod trivial;

use llm_tool::{ToolContext, ToolRegistry};

fn main() {
    let arguments = std::env::args().nth(1).unwrap_or_default();
    let (registry, context) = (ToolRegistry::new().with_tool(trivial::Trivial), ToolContext::new());
    match ready::ready(registry.dispatch_str("trivial", &arguments, &context)) {
        Ok(output) => println!("{}", output.content()),
        Err(error) => println!("{error}"),
    }
}
