//! `cargo xtask ...`: the compiler's command line, and this project's own tasks beside it.

use std::process::{Command, ExitCode, Stdio};

use clap::{Parser, Subcommand};
use toolc_codegen::cli::{self, Project};

/// A catalog is many small pieces, made on all processors: with this allocator gen takes about half the time.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Compiles tool manifests to typed Rust, provider-ready JSON schemas and a catalog.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct Cli {
    #[command(flatten)]
    project: Project,
    #[command(subcommand)]
    task: Task,
}

#[derive(Debug, Subcommand)]
enum Task {
    #[command(flatten)]
    Compiler(cli::Command),
    /// Run everything that has to pass: formatting, generated files, clippy, tests.
    Test,
    /// Measure: calls and definitions against hand-written code, as ratios; gen, and building what it writes.
    Bench {
        /// Measure toolc beside other libraries for LLM tools instead (fetches and builds them).
        #[arg(long)]
        peers: bool,
        /// With that, build the smallest program with each, from nothing: takes minutes.
        #[arg(long, requires = "peers")]
        builds: bool,
    },
}

fn main() -> ExitCode {
    let Cli { project, task } = Cli::parse();
    match task {
        Task::Compiler(command) => cli::run(project, command),
        Task::Test => test(),
        // One after the other: built together, the runtime would have what the compiler needs.
        Task::Bench { peers: false, .. } => status(
            ["toolc-speed", "toolc-tests"].map(|package| cargo(&["bench", "--quiet", "--package", package]))
                == [true; 2],
        ),
        Task::Bench { builds, .. } => {
            let mut args = vec!["bench", "--quiet", "--locked", "--manifest-path", PEERS, "--"];
            args.extend(builds.then_some("--builds"));
            status(cargo(&args))
        }
    }
}

/// A workspace of its own, so that nothing else here needs what it is about.
const PEERS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/peers/Cargo.toml");

/// Each check's name, the component that it needs beside cargo, and the command.
const CHECKS: &[(&str, Option<&str>, &[&str])] = &[
    ("generated files", None, &["xtask", "gen", "--check"]),
    ("manifests", None, &["xtask", "lint", "--deny-warnings"]),
    ("their layout", None, &["xtask", "fmt", "--check"]),
    ("formatting", Some("fmt"), &["fmt", "--all", "--check"]),
    ("clippy", Some("clippy"), &["clippy", "--quiet", "--workspace", "--all-targets", "--", "--deny", "warnings"]),
    // All test programs run: a failure in one says nothing about the others.
    ("tests", None, &["test", "--workspace", "--no-fail-fast"]),
];

/// Runs every check, also after one has failed: all mistakes of a run at once.
fn test() -> ExitCode {
    let (mut passed, mut failed, mut skipped) = (0, 0, 0);
    for (name, component, command) in CHECKS {
        println!("==> {name}: cargo {}", command.join(" "));
        if component.is_some_and(|component| !has(component)) {
            println!("    skipped: this Rust has no `cargo {0}` (`rustup component add` brings it)", command[0]);
            skipped += 1;
        } else if cargo(command) {
            passed += 1;
        } else {
            println!("    FAILED: {name}");
            failed += 1;
        }
    }
    println!("checks: {passed} passed, {failed} failed, {skipped} skipped");
    status(failed == 0)
}

fn has(component: &str) -> bool {
    let version = Command::new(env!("CARGO")).args([component, "--version"]).stdout(Stdio::null()).status();
    version.is_ok_and(|status| status.success())
}

fn cargo(args: &[&str]) -> bool {
    match Command::new(env!("CARGO")).args(args).status() {
        Ok(status) => status.success(),
        Err(error) => {
            eprintln!("error: failed to run cargo {}: {error}", args.join(" "));
            false
        }
    }
}

fn status(good: bool) -> ExitCode {
    if good { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
