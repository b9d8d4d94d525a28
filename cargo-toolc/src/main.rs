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

/// A command of the compiler, or of a crate that uses it.
#[derive(Debug, Subcommand)]
enum Command {
    #[command(flatten)]
    Compiler(cli::Command),
    /// Serve an editor over standard input and output: findings while typing, completion, hover, navigation, rename.
    #[cfg(feature = "lsp")]
    Lsp(toolc_lsp::Args),
}

fn main() -> ExitCode {
    // Cargo runs `cargo-toolc toolc ARGS`; a user may run `cargo-toolc ARGS`.
    let is_from_cargo = env::args_os().nth(1).is_some_and(|first| first == "toolc");
    let program = env::args_os().take(1);
    let args = program.chain(env::args_os().skip(1 + usize::from(is_from_cargo)));
    let matches = Cli::command().bin_name(cli::run_as()).get_matches_from(args);
    let Cli { project, command } = Cli::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    match command {
        Command::Compiler(command) => cli::run(project, command).into(),
        #[cfg(feature = "lsp")]
        Command::Lsp(args) => toolc_lsp::run(project, args).into(),
    }
}
