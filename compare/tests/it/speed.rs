//! The time of a comparison.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use toolc_compare::compare;

use crate::project::{snapshot, tool};

/// A thousand tools, of which a tenth has changed. In release, `cargo test --release -- --nocapture` prints the figures.
#[test]
fn a_thousand_tools_are_compared_in_moments() {
    let project = |changed: usize| {
        let tools = (0..1_000).map(|number| {
            let mut lines = String::new();
            for parameter in 0..8 {
                let max = if number % 10 == 0 { 100 + changed } else { 100 };
                let _ = writeln!(
                    lines,
                    "params.p{parameter} = {{ type = \"integer\", description = \"The number {parameter}.\", minimum = 1, maximum = {max} }}"
                );
            }
            tool(&format!("t{number:04}"), &lines)
        });
        snapshot(tools)
    };
    let started = Instant::now();
    let (before, after) = (project(50), project(0));
    let loaded = started.elapsed();
    let started = Instant::now();
    let comparison = compare(&before, &after).unwrap();
    let compared = started.elapsed();
    println!("loading both: {loaded:?}, comparing: {compared:?}");
    let wire = comparison.findings.iter().filter(|found| found.code.id == "W002").count();
    assert_eq!(wire, 100 * 8);
    let limit = if cfg!(debug_assertions) { Duration::from_mins(2) } else { Duration::from_secs(1) };
    assert!(compared < limit, "{compared:?}");
}
