//! Compares the reader with real shells: whatever bash, dash and busybox run is in the list of commands, or the reader has a doubt.
//!
//! The lines are random, but the same in every run. `cargo xtask soak shells` tries many more than `cargo test`.
#![cfg(target_os = "linux")]

mod grammar;
mod random;
mod sandbox;

use std::collections::BTreeSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::thread;

use grammar::Grammar;
use sandbox::{SHELLS, Sandbox, Shell, TRACED, find};
use toolc_commands::programs::USUAL;
use toolc_commands::{Program, Surroundings, read};

/// What the reader says about a line.
enum Answer {
    /// It is not certain.
    Unsure,
    /// These programs, and no others.
    Programs(BTreeSet<String>),
}

fn answer(line: &str) -> Answer {
    let reading = read(line, &USUAL, &Surroundings::default());
    let unknown = reading.commands.iter().any(|command| command.program == Program::Unknown);
    if unknown || !reading.doubts.is_empty() {
        return Answer::Unsure;
    }
    let names = reading.commands.iter().filter_map(|command| command.program.name());
    Answer::Programs(names.map(str::to_owned).collect())
}

#[test]
fn what_real_shells_run_is_listed() {
    let tries: u64 = std::env::var("TOOLC_TRIES").map_or(1_000, |tries| tries.parse().expect("a number of tries"));
    let first: u64 = std::env::var("TOOLC_FIRST").map_or(0, |first| first.parse().expect("a number of a line"));
    let (present, missing): (Vec<&Shell>, Vec<&Shell>) = SHELLS.iter().partition(|shell| find(shell.program).is_some());
    for shell in missing {
        println!("skipped: {} is not installed", shell.name);
    }
    let (next, sure, ran) = (AtomicU64::new(first), AtomicUsize::new(0), AtomicUsize::new(0));
    let failures = Mutex::new(Vec::new());
    let threads = thread::available_parallelism().map_or(2, std::num::NonZero::get) * 2;
    thread::scope(|scope| {
        for number in 0..threads {
            let (next, sure, ran, failures, present) = (&next, &sure, &ran, &failures, &present);
            scope.spawn(move || {
                let mut sandbox = Sandbox::new(&number.to_string());
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= first + tries {
                        return;
                    }
                    let line = Grammar::line(seed);
                    // With a doubt, everything may run.
                    let Answer::Programs(listed) = answer(&line) else { continue };
                    sure.fetch_add(1, Ordering::Relaxed);
                    for shell in present {
                        let recorded = sandbox.run(shell, &line);
                        ran.fetch_add(recorded.len(), Ordering::Relaxed);
                        let mut missed: Vec<String> = recorded.difference(&listed).cloned().collect();
                        if missed.iter().any(|name| TRACED.contains(&name.as_str())) {
                            // The traces of two processes can be mixed up.
                            let again = sandbox.run(shell, &line);
                            missed.retain(|name| !TRACED.contains(&name.as_str()) || again.contains(name));
                        }
                        if !missed.is_empty() {
                            let text =
                                format!("line {seed}: {} runs {missed:?}, which is not listed:\n{line}", shell.name);
                            failures.lock().expect("no thread panics").push(text);
                        }
                    }
                }
            });
        }
    });
    let failures = failures.into_inner().expect("no thread panics");
    let sure = sure.into_inner();
    println!(
        "{tries} lines, {sure} without a doubt, {} recorded programs, {} misses",
        ran.into_inner(),
        failures.len()
    );
    let shown: Vec<&str> = failures.iter().take(25).map(String::as_str).collect();
    assert!(failures.is_empty(), "{}", shown.join("\n----\n"));
    // The comparison is worth something only if the reader commits itself, and the shells run something.
    assert!(sure as u64 * 5 > tries, "only {sure} of {tries} lines are certain");
}
