//! `cargo xtask ...`: the compiler's command line, and the tasks of this repository.

mod cargo;
mod check;
mod debian;
mod engine;
mod package;
mod packages;
mod picture;
mod sdk;
mod soak;
mod ssh_server;

use std::env;
use std::error::Error;
use std::fs;
use std::path::Path;
use std::process::ExitCode;
use std::time::{SystemTime, UNIX_EPOCH};

use clap::{Parser, Subcommand};
use toolc_codegen::cli::{self, CatalogCommand, Command, GenArgs, Project};

/// Compiles tool manifests to typed Rust, JSON schemas for every vendor, and a catalog.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask", version, after_help = cli::EXIT_STATUS)]
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
    /// Write everything that is generated: `generated/`, here and in the projects of the tests, and parts of `docs/`.
    Docs {
        /// Write nothing, and fail if anything is out of date.
        #[arg(long)]
        check: bool,
    },
    /// Run all checks: generated files, formatting, clippy, tests.
    Test {
        /// Install the Debian packages that some tests need, and start an engine for containers, as if `CI` were set. Without them,
        /// these tests are skipped.
        #[arg(long)]
        install: bool,
    },
    /// Write the pictures of the chat in `docs/host/`. Needs tmux.
    Picture,
    /// Repeat tests that look for rare failures, many times; without a name, list them.
    Soak {
        /// The name of the tests.
        name: Option<String>,
    },
    /// Measure calls and definitions relative to hand-written code, and the time of gen and of building its output.
    Bench {
        /// Compare with other libraries for LLM tools instead (fetches and builds them).
        #[arg(long)]
        peers: bool,
        /// Also build the smallest program with each library, from scratch: takes minutes.
        #[arg(long, requires = "peers")]
        builds: bool,
    },
    /// Build the compiler and the program `toolc`, and write their packages for Python and npm.
    Package(package::Package),
    /// Package and build the published crates without publishing them (uses the registry, and builds all dependencies).
    PublishCheck {
        /// Accept files that are not committed.
        #[arg(long)]
        allow_dirty: bool,
    },
}

fn main() -> ExitCode {
    let Cli { project, task } = Cli::try_parse().unwrap_or_else(|error| match cli::command_of_program(&error) {
        // Built only now, so that gen and lint need nothing of it.
        Some(_) => std::process::exit(cargo::exit_status("cargo-toolc", env::args_os().skip(1))),
        None => error.exit(),
    });
    match task {
        Task::Compiler(command) => cli::run(project, command).into(),
        Task::Docs { check } => docs(project, check).map_or_else(
            |error| {
                eprintln!("error: {error}");
                ExitCode::from(2)
            },
            ExitCode::from,
        ),
        Task::Test { install } => check::run(install),
        Task::Picture => match picture::write(&Path::new(env!("CARGO_MANIFEST_DIR")).join("..")) {
            Ok(()) => ExitCode::SUCCESS,
            Err(message) => {
                eprintln!("error: {message}");
                ExitCode::from(2)
            }
        },
        Task::Soak { name } => soak::run(name.as_deref()),
        // Several commands, because cargo would unify the features: the runtime would be measured with those of the compiler.
        Task::Bench { peers: false, .. } => cargo::status(
            ["toolc-speed", "toolc-tests", "toolc-files", "toolc-code", "toolc-host"]
                .map(|package| cargo::run(&["bench", "--quiet", "--package", package]))
                == [true; 5],
        ),
        Task::Bench { builds, .. } => {
            let mut args = vec!["bench", "--quiet", "--locked", "--manifest-path", PEERS, "--"];
            args.extend(builds.then_some("--builds"));
            cargo::status(cargo::run(&args))
        }
        Task::Package(package) => package.run(),
        Task::PublishCheck { allow_dirty } => publish_check(allow_dirty),
    }
}

/// Writes what gen writes and the generated parts of `docs/`, or checks that they are up to date. Returns the exit status.
fn docs(project: Project, check: bool) -> Result<u8, Box<dyn Error>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut projects = vec![project];
    for entry in fs::read_dir(root.join("tests/projects"))? {
        let folder = entry?.path();
        if folder.join("toolc.toml").exists() {
            projects.push(Project { root: Some(folder) });
        }
    }
    let mut status = 0;
    for project in projects {
        if let Some(folder) = &project.root {
            println!("{}:", folder.strip_prefix(&root)?.display());
        }
        status = status
            .max(cli::run(project, Command::Catalog(CatalogCommand::Gen(GenArgs { check, ..GenArgs::default() }))));
    }
    let pages = toolc_codegen::docs::pages(&root)?;
    for (path, text) in pages {
        if fs::read_to_string(root.join(&path)).is_ok_and(|found| found == text) {
            continue;
        }
        if check {
            println!("stale: {path}: run `cargo xtask docs`");
            status = status.max(1);
        } else {
            fs::write(root.join(&path), text).map_err(|error| format!("failed to write {path}: {error}"))?;
            println!("written: {path}");
        }
    }
    // The crates of the other pages are not among those of this program, which everybody compiles before the first gen. A test of
    // `toolc-config` checks them.
    let written = check || cargo::run(&["run", "--package", "toolc-config", "--example", "pages"]);
    Ok(status.max(u8::from(!written)))
}

/// The benchmarks against other libraries. They are a separate workspace, so that nothing else depends on those libraries.
const PEERS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/peers/Cargo.toml");

/// Packages and builds the published crates. Each run has its own target folder, because cargo caches the packages of the temporary
/// registry there by version, and would reuse those of an earlier run.
fn publish_check(allow_dirty: bool) -> ExitCode {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../target/publish-check/{}", now.as_millis()));
    let target = folder.display().to_string();
    let mut args = vec!["publish", "--workspace", "--dry-run", "--locked", "--target-dir", &target];
    args.extend(allow_dirty.then_some("--allow-dirty"));
    let passed = cargo::run(&args);
    if let Err(error) = fs::remove_dir_all(&folder) {
        eprintln!("warning: failed to remove {target}: {error}");
    }
    cargo::status(passed)
}
