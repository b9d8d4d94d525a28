//! The smallest program with rmcp: one tool, called once with the arguments on the command line.

#[path = "../../answer.rs"]
mod answer;
#[path = "../../ready.rs"]
mod ready;
mod server;
mod trivial;

use server::{Host, Server};

fn main() {
    let arguments = std::env::args().nth(1).unwrap_or_default();
    println!("{}", Host::new().call(&Server::trivial_router(), "trivial", &arguments).unwrap_or_else(|error| error));
}
