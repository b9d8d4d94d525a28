//! `cargo xtask ...`: the compiler's command line, and the tasks of this repository.

use std::fs;
use std::path::Path;
use std::process::{self, ExitCode, Stdio};
use std::time::{SystemTime, UNIX_EPOCH};

use clap::{Parser, Subcommand};
use toolc_codegen::cli::{self, CatalogCommand, Command, Project};

/// The compiler allocates many small values on all cores. With this allocator, gen takes about half the time.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Compiles tool manifests to typed Rust, JSON schemas for every vendor, and a catalog.
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
    Compiler(Command),
    /// Write `generated/` and the generated parts of `docs/`.
    Docs {
        /// Write nothing, and fail if anything is out of date.
        #[arg(long)]
        check: bool,
    },
    /// Run all checks: generated files, formatting, clippy, tests.
    Test,
    /// Measure calls and definitions relative to hand-written code, and the time of gen and of building its output.
    Bench {
        /// Compare with other libraries for LLM tools instead (fetches and builds them).
        #[arg(long)]
        peers: bool,
        /// Also build the smallest program with each library, from scratch: takes minutes.
        #[arg(long, requires = "peers")]
        builds: bool,
    },
    /// Package and build the published crates without publishing them (uses the registry, and builds all dependencies).
    PublishCheck {
        /// Accept files that are not committed.
        #[arg(long)]
        allow_dirty: bool,
    },
}

fn main() -> ExitCode {
    let Cli { project, task } = Cli::parse();
    match task {
        Task::Compiler(command) => cli::run(project, command),
        Task::Docs { check } => docs(project, check),
        Task::Test => test(),
        // Two commands, because cargo would unify the features: the runtime would be measured with those of the compiler.
        Task::Bench { peers: false, .. } => status(
            ["toolc-speed", "toolc-tests"].map(|package| cargo(&["bench", "--quiet", "--package", package]))
                == [true; 2],
        ),
        Task::Bench { builds, .. } => {
            let mut args = vec!["bench", "--quiet", "--locked", "--manifest-path", PEERS, "--"];
            args.extend(builds.then_some("--builds"));
            status(cargo(&args))
        }
        Task::PublishCheck { allow_dirty } => publish_check(allow_dirty),
    }
}

/// Writes `generated/` and the generated parts of `docs/`, or checks that they are up to date.
fn docs(project: Project, check: bool) -> ExitCode {
    let generated = cli::run(project, Command::Catalog(CatalogCommand::Gen { check }));
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let pages = match toolc_codegen::docs::pages(&root) {
        Ok(pages) => pages,
        Err(failure) => {
            eprintln!("error: {failure}");
            return ExitCode::from(2);
        }
    };
    let mut stale = 0;
    for (path, text) in pages {
        if fs::read_to_string(root.join(path)).is_ok_and(|current| current == text) {
            continue;
        }
        stale += 1;
        if check {
            println!("stale: {path}: run `cargo xtask docs`");
        } else if let Err(error) = fs::write(root.join(path), text) {
            eprintln!("error: failed to write {path}: {error}");
            return ExitCode::from(2);
        } else {
            println!("written: {path}");
        }
    }
    if check && stale > 0 { ExitCode::FAILURE } else { generated }
}

/// The benchmarks against other libraries. They are a separate workspace, so that nothing else depends on those libraries.
const PEERS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/peers/Cargo.toml");

/// The checks: the name, the rustup component that the check needs, and the arguments of cargo.
const CHECKS: &[(&str, Option<&str>, &[&str])] = &[
    ("generated files", None, &["xtask", "docs", "--check"]),
    ("manifests", None, &["xtask", "lint", "--deny-warnings"]),
    ("formatting of manifests", None, &["xtask", "fmt", "--check"]),
    ("formatting", Some("fmt"), &["fmt", "--all", "--check"]),
    ("clippy", Some("clippy"), &["clippy", "--quiet", "--workspace", "--all-targets", "--", "--deny", "warnings"]),
    // `--no-fail-fast` also runs the test programs after one that fails.
    ("tests", None, &["test", "--workspace", "--no-fail-fast"]),
];

/// Runs all checks, also after one has failed.
fn test() -> ExitCode {
    let (mut passed, mut failed, mut skipped) = (0, 0, 0);
    for (name, component, command) in CHECKS {
        println!("==> {name}: cargo {}", command.join(" "));
        if component.is_some_and(|component| !is_installed(component)) {
            println!("    skipped: `cargo {0}` is not installed (`rustup component add` adds it)", command[0]);
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

/// Packages and builds the published crates. Each run has its own target folder, because cargo caches the packages of the temporary
/// registry there by version, and would reuse those of an earlier run.
fn publish_check(allow_dirty: bool) -> ExitCode {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../target/publish-check/{}", now.as_millis()));
    let target = folder.display().to_string();
    let mut args = vec!["publish", "--workspace", "--dry-run", "--locked", "--target-dir", &target];
    args.extend(allow_dirty.then_some("--allow-dirty"));
    let passed = cargo(&args);
    if let Err(error) = fs::remove_dir_all(&folder) {
        eprintln!("warning: failed to remove {target}: {error}");
    }
    status(passed)
}

/// Returns whether a cargo command of a rustup component works.
fn is_installed(component: &str) -> bool {
    let version = process::Command::new(env!("CARGO")).args([component, "--version"]).stdout(Stdio::null()).status();
    version.is_ok_and(|status| status.success())
}

/// Runs cargo and returns whether it succeeded.
fn cargo(args: &[&str]) -> bool {
    match process::Command::new(env!("CARGO")).args(args).status() {
        Ok(status) => status.success(),
        Err(error) => {
            eprintln!("error: failed to run cargo {}: {error}", args.join(" "));
            false
        }
    }
}

fn status(success: bool) -> ExitCode {
    if success { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
