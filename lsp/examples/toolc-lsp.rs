//! The language server as a program of its own, for the tests. `cargo toolc lsp` is the same.

use std::process::ExitCode;

use clap::Parser;
use toolc_codegen::cli::Project;

/// A language server for tool manifests, over standard input and output.
#[derive(Debug, Parser)]
#[command(version)]
struct Cli {
    #[command(flatten)]
    project: Project,
    #[command(flatten)]
    args: toolc_lsp::Args,
}

fn main() -> ExitCode {
    let Cli { project, args } = Cli::parse();
    toolc_lsp::run(project, args).into()
}
