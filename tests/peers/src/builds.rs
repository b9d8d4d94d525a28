//! Builds the smallest program with each library: one tool, called once. Each is built from scratch in its own folder, one after
//! the other, after its dependencies have been fetched.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use crate::{ARGUMENTS, FLOOR, processor, table};

struct Program {
    time: Duration,
    /// Processor time, which depends less on other load of the machine, or `None` if the system does not report it.
    processor: Option<Duration>,
    bytes: u64,
    /// The number of crates in its dependency tree, including itself.
    crates: usize,
}

#[expect(clippy::cast_precision_loss, reason = "no program is that large")]
pub(crate) fn measure(names: &[&str]) {
    cargo(&["fetch", "--quiet", "--locked"]);
    let programs: Vec<Program> = names.iter().map(|name| build(name)).collect();
    let ours = &programs[0];
    let seconds = |time: Duration, ours: Duration| {
        let time = time.as_secs_f64();
        (format!("{time:.1} s"), Some(time / ours.as_secs_f64()))
    };
    let wall = |program: &Program| Some(seconds(program.time, ours.time));
    table::row("smallest program, build", programs.iter().map(wall));
    let processor = |program: &Program| Some(seconds(program.processor?, ours.processor?));
    table::row("  processor time", programs.iter().map(processor));
    let size = |program: &Program| (kb(program.bytes), Some(program.bytes as f64 / ours.bytes as f64));
    table::row("smallest program, size", programs.iter().map(|program| Some(size(program))));
    let more = |program: &Program| Some((kb(program.bytes.saturating_sub(programs[FLOOR].bytes)), None));
    table::row("  more than the floor", programs.iter().map(more));
    table::row("its crates", programs.iter().map(|program| Some((program.crates.to_string(), None))));
}

fn kb(bytes: u64) -> String {
    format!("{} kB", bytes / 1_000)
}

fn build(name: &str) -> Program {
    let package = format!("smallest-{name}");
    let folder: PathBuf = [env!("CARGO_TARGET_TMPDIR"), &package].iter().collect();
    // Remove the output of an earlier run.
    let _ = fs::remove_dir_all(&folder);
    let target = folder.to_str().expect("cargo's folders are text");
    let (start, processor) = (Instant::now(), processor::of_children());
    cargo(&["build", "--quiet", "--release", "--offline", "--locked", "--package", &package, "--target-dir", target]);
    let time = start.elapsed();
    let processor = processor::of_children().zip(processor).map(|(after, before)| after.saturating_sub(before));
    let program = folder.join("release").join(format!("{package}{}", std::env::consts::EXE_SUFFIX));
    let bytes = fs::metadata(&program).expect("failed to find the program").len();
    let output = Command::new(&program).arg(ARGUMENTS).output().expect("failed to start the program");
    let answer = String::from_utf8_lossy(&output.stdout);
    assert!(answer.contains(r#""total":13"#), "{name}: {answer}");
    let tree =
        cargo(&["tree", "--offline", "--locked", "--package", &package, "--edges", "normal,build", "--prefix", "none"]);
    let mut crates: Vec<&str> = tree.lines().map(|line| line.trim_end_matches(" (*)")).collect();
    crates.sort_unstable();
    crates.dedup();
    let _ = fs::remove_dir_all(&folder);
    Program { time, processor, bytes, crates: crates.len() }
}

/// Runs a program and returns its output.
fn cargo(args: &[&str]) -> String {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let output = Command::new(env!("CARGO")).args(args).current_dir(here).output().expect("failed to run cargo");
    assert!(output.status.success(), "cargo {}: {}", args.join(" "), String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}
