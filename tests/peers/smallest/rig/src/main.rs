//! The smallest program with rig: one tool, called once with the arguments on the command line.

#[path = "../../answer.rs"]
mod answer;
#[path = "../../ready.rs"]
mod ready;
mod trivial;

use rig::tool::{ToolContext, ToolSet};

fn main() {
    let arguments = std::env::args().nth(1).unwrap_or_default();
    let (mut tools, mut context) = (ToolSet::default(), ToolContext::new());
    tools.add_tool(trivial::Trivial);
    println!("{}", ready::ready(tools.execute("trivial", arguments, &mut context)).output().render());
}
