//! Lists the commands that a line could run: `cargo run -p toolc-commands --example list -- 'LINE'`.

use toolc_commands::programs::USUAL;
use toolc_commands::{Program, Surroundings, read};

fn main() {
    let Some(line) = std::env::args().nth(1) else {
        eprintln!("usage: list LINE");
        std::process::exit(2);
    };
    let reading = read(&line, &USUAL, &Surroundings::default());
    for (id, command) in (0..).zip(&reading.commands) {
        let name = match &command.program {
            Program::None => "(no program)".to_owned(),
            Program::Unknown => "(unknown program)".to_owned(),
            Program::Known { name, built: true } => format!("{name} (built)"),
            Program::Known { name, .. } => name.clone(),
        };
        let text = line.get(command.span.range()).unwrap_or_default();
        let wrappers: Vec<_> = reading.wrappers(id).filter_map(|(wrapper, _)| wrapper.program.name()).collect();
        println!("{id}: {name}: {text:?} via {wrappers:?} in {:?}", command.directory);
    }
    for doubt in &reading.doubts {
        println!("doubt: {} in {:?}", doubt.kind, line.get(doubt.span.range()).unwrap_or_default());
    }
}
