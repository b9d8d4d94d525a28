//! `cargo toolc ...`, or `cargo-toolc ...` without cargo: the command line of the compiler.

use std::env;
use std::process::ExitCode;

use clap::{CommandFactory as _, FromArgMatches as _, Parser, Subcommand};
use toolc_codegen::cli::{self, Project};

/// The compiler allocates many small values on all cores. With this allocator, gen takes about half the time.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Compiles tool manifests to typed Rust, JSON schemas for every vendor, and a catalog.
#[derive(Debug, Parser)]
#[command(name = "cargo toolc", bin_name = "cargo toolc", version, after_help = cli::EXIT_STATUS)]
struct Cli {
    #[command(flatten)]
    project: Project,
    #[command(subcommand)]
    command: Command,
}

/// A command: one of the compiler, or one whose code is a crate of its own.
#[derive(Debug, Subcommand)]
#[expect(clippy::large_enum_variant, reason = "the program has one value of it")]
enum Command {
    #[command(flatten)]
    Compiler(cli::Command),
    /// Compare the tools with another version of them, and say what breaks.
    #[cfg(feature = "breaking")]
    Breaking(toolc_compare::Breaking),
    /// Write manifests for tools that exist elsewhere.
    #[cfg(feature = "import")]
    Import(toolc_import::Args),
    /// Serve an editor over standard input and output: findings while typing, completion, hover, navigation, rename.
    #[cfg(feature = "lsp")]
    Lsp(toolc_lsp::Args),
    /// Read recorded calls of models: what is accepted, what is refused, and what a change breaks.
    #[cfg(feature = "replay")]
    Replay(toolc_replay::Args),
    /// Count the tokens of the definitions, for each tool, toolset and dialect.
    #[cfg(feature = "stats")]
    Stats(toolc_stats::Args),
}

fn main() -> ExitCode {
    // Cargo runs `cargo-toolc toolc ARGS`; a user may run `cargo-toolc ARGS`.
    let is_from_cargo = env::args_os().nth(1).is_some_and(|first| first == "toolc");
    let program = env::args_os().take(1);
    let args = program.chain(env::args_os().skip(1 + usize::from(is_from_cargo)));
    let matches = Cli::command().bin_name(cli::run_as()).get_matches_from(args);
    let Cli { project, command } = Cli::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    let status = match command {
        Command::Compiler(command) => cli::run(project, command),
        #[cfg(feature = "breaking")]
        Command::Breaking(args) => toolc_compare::run(project, &args),
        #[cfg(feature = "import")]
        Command::Import(args) => toolc_import::run(project, &args),
        #[cfg(feature = "lsp")]
        Command::Lsp(args) => toolc_lsp::run(project, args),
        #[cfg(feature = "replay")]
        Command::Replay(args) => toolc_replay::run(project, &args),
        #[cfg(feature = "stats")]
        Command::Stats(args) => toolc_stats::run(project, &args),
    };
    status.into()
}
