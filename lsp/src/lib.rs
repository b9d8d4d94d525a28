//! `cargo toolc lsp`: a language server for tool manifests.
//!
//! The findings of the file that is edited come from a small project around it, and are shown at once. The findings of the graph follow after a
//! pause, from the compiler on a thread of its own, which keeps what it found in unchanged files.

mod completion;
mod document;
mod findings;
mod graph;
mod hover;
mod names;
mod navigation;
mod project;
mod rename;
mod requests;
mod scan;
mod server;
mod state;
mod text;
mod transport;
mod vocabulary;

use toolc_codegen::cli::Project;

/// The arguments of `lsp`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The dialect of the definitions that hover shows [default: the first dialect of the project].
    #[arg(long, value_name = "DIALECT")]
    pub dialect: Option<String>,
}

/// Serves a client over standard input and output until it ends. Returns the exit status: 0, 1 if the client ends without `shutdown`, or 2 if
/// the arguments are wrong.
pub fn run(project: Project, args: Args) -> u8 {
    if let Some(name) = &args.dialect
        && toolc_codegen::dialects::find(name).is_none()
    {
        let known: Vec<&str> = toolc_codegen::dialects::DIALECTS.iter().map(|dialect| dialect.name).collect();
        eprintln!("error: expected a dialect, not `{name}`: {}", known.join(", "));
        return 2;
    }
    server::serve(project.root, args.dialect)
}
