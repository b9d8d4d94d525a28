//! Compares the reader with real shells: whatever bash, dash and busybox run is in the list of commands, or the reader has a doubt.
//!
//! The lines are random, but the same in every run. `cargo xtask soak shells` tries many more than `cargo test`.
#![cfg(target_os = "linux")]

mod grammar;
mod random;
mod sandbox;

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::thread;

use grammar::Grammar;
use sandbox::{SHELLS, Sandbox, Shell, TRACED};
use toolc_commands::programs::USUAL;
use toolc_commands::{Program, Surroundings, read};
use toolc_test_support::Missing;
use toolc_test_support::programs::find;

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
    let mut names = BTreeSet::new();
    for command in &reading.commands {
        let Some(name) = command.program.name() else { continue };
        // Traces show only the first word of a name with spaces.
        names.extend([name, name.split_whitespace().next().unwrap_or_default()].map(str::to_owned));
        if SCRIPTS.contains(&name) {
            // A script has the name of its file.
            // A program that `.` reads has the name of the shell.
            names.extend(["bash", "dash", "sh"].map(str::to_owned));
            let files = command.arguments().iter().filter_map(toolc_commands::Word::text);
            names.extend(files.map(|file| file.rsplit('/').next().unwrap_or_default().to_owned()));
        }
    }
    Answer::Programs(names)
}

/// Programs that run a file as a script.
const SCRIPTS: &[&str] = &[".", "source", "sh", "bash", "dash", "ash"];

#[test]
fn what_hard_lines_run_is_listed() {
    let lines = grammar::hard_lines();
    let count = lines.len() as u64;
    compare(0..count, |number| lines[usize::try_from(number).expect("it is an index")].to_owned());
}

#[test]
fn what_random_lines_run_is_listed() {
    let number = |name, default| std::env::var(name).map_or(default, |number| number.parse().expect("a number"));
    let (first, tries): (u64, u64) = (number("TOOLC_FIRST", 0), number("TOOLC_TRIES", 3_000));
    let sure = compare(first..first + tries, Grammar::line);
    // The comparison is worth something only if the reader commits itself.
    assert!(sure * 5 > tries, "only {sure} of {tries} lines are certain");
}

/// Runs lines in all shells, and compares what ran with what is listed. Returns the number of lines without a doubt.
fn compare(lines: Range<u64>, line: impl Fn(u64) -> String + Sync) -> u64 {
    let (present, missing): (Vec<&Shell>, Vec<&Shell>) = SHELLS.iter().partition(|shell| find(shell.program).is_some());
    for shell in missing {
        Missing::program(shell.program).skip();
    }
    let next = AtomicU64::new(lines.start);
    let (sure, ran) = (AtomicU64::new(0), AtomicUsize::new(0));
    let failures = Mutex::new(Vec::new());
    let threads = thread::available_parallelism().map_or(2, std::num::NonZero::get) * 2;
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                let mut sandbox = Sandbox::new();
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= lines.end {
                        return;
                    }
                    let line = line(number);
                    // With a doubt, everything may run.
                    let Answer::Programs(listed) = answer(&line) else { continue };
                    sure.fetch_add(1, Ordering::Relaxed);
                    for shell in &present {
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
                                format!("line {number}: {} runs {missed:?}, which is not listed:\n{line}", shell.name);
                            // A soak takes long: show it at once.
                            println!("{text}\n----");
                            failures.lock().expect("no thread panics").push(text);
                        }
                    }
                }
            });
        }
    });
    let failures = failures.into_inner().expect("no thread panics");
    let (sure, ran) = (sure.into_inner(), ran.into_inner());
    println!(
        "{} lines, {sure} without a doubt, {ran} recorded programs, {} misses",
        lines.end - lines.start,
        failures.len()
    );
    let shown: Vec<&str> = failures.iter().take(120).map(String::as_str).collect();
    assert!(failures.is_empty(), "{}", shown.join("\n----\n"));
    sure
}
