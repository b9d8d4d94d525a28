//! Compares two versions of a project's tools, and says what breaks, for whom, with a witness: `cargo toolc breaking`.
//!
//! [`load`](load::load) reads a [`Snapshot`] from a commit, a folder, a bundle or a list of MCP tools. [`compare()`] compares two of them.
//! [`contain()`] decides whether one JSON Schema accepts everything that another one accepts.

mod accepted;
mod automata;
mod changes;
mod codes;
mod comparison;
mod contain;
mod finding;
mod forms;
mod git;
mod keys;
pub mod load;
mod places;
mod prove;
mod report;
mod search;
mod shape;
mod snapshot;
mod strings;
mod tools;
mod turns;

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use toolc_codegen::cli::{Project, find_root};
use toolc_codegen::{Failure, Sources};
use toolc_mcp::Endpoint;

use accepted::{Accepted, FILE};

pub use codes::{CODES, Code, Level, Tier};
pub use comparison::{Bump, Comparison, compare};
pub use contain::{Containment, contain};
pub use finding::{Finding, Spot, Witness};
pub use snapshot::{CompiledProject, Extent, Readers, Snapshot, schema};

/// The end of `breaking --help`.
pub const HELP: &str = "\
Exit status:
  0  no change is denied
  1  a change is denied and not accepted: by default, those of the tiers wire and source
  2  the command itself failed, or its arguments are wrong";

/// The arguments of `breaking`.
#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub struct Breaking {
    /// Compare with this: a commit such as `origin/main` (`git:NAME` if a folder has the same name), the folder of a project or of a
    /// bundle, a JSON file with the answer of an MCP server to `tools/list`, or the address of an MCP server.
    #[arg(long, value_name = "REF|DIR|BUNDLE|FILE|URL", required_unless_present = "program")]
    against: Option<String>,
    /// Compare with the tools of this MCP server, which is started.
    #[arg(last = true, value_name = "PROGRAM", conflicts_with = "against")]
    program: Vec<String>,
    /// A header of requests to the address of an MCP server, with the variable that holds its value: `Authorization=TOKEN_VARIABLE`.
    #[arg(long, value_name = "NAME=VARIABLE")]
    header: Vec<String>,
    /// Write the changes in this form.
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "text")]
    format: Format,
    /// Write to this file instead of standard output.
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Show all changes, also those that are accepted, or only counted.
    #[arg(long)]
    all: bool,
    /// Add the denied changes to `breaking.toml`, with this reason.
    #[arg(long, value_name = "REASON")]
    accept: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For people at a terminal.
    Text,
    /// Every field of every change, for programs.
    Json,
    /// SARIF 2.1.0, for code scanning.
    Sarif,
    /// A comment for a pull request.
    Markdown,
}

/// Compares the tools of a project with another version of them. Returns the exit status.
pub fn run(project: Project, args: &Breaking) -> u8 {
    match args.attempt(project) {
        Ok(true) => 0,
        Ok(false) => 1,
        Err(failure) => {
            eprintln!("error: {}", toolc_tables::visible::visible(&failure.to_string()));
            2
        }
    }
}

impl Breaking {
    /// Returns whether no change is denied.
    fn attempt(&self, project: Project) -> Result<bool, Failure> {
        let root = find_root(project.root)?;
        let accepted = Accepted::read(&root)?;
        let new = || load::compiled("the project".to_owned(), Sources::scan(&root)?);
        let (before, after) = rayon::join(|| self.load(&root), new);
        let comparison = comparison::compare_with(&before?, &after?, &accepted, &accepted::today())?;
        if let Some(reason) = &self.accept {
            return accept(&root, &comparison, reason).map(|()| true);
        }
        let text = match self.format {
            Format::Text => report::text(&comparison, self.all),
            Format::Json => report::json(&comparison),
            Format::Sarif => report::sarif(&comparison, &prefix(&root)),
            Format::Markdown => report::markdown(&comparison),
        };
        self.write(&text)?;
        Ok(!comparison.breaks())
    }

    /// Loads the other version.
    fn load(&self, root: &Path) -> Result<Snapshot, Failure> {
        match self.against.as_deref() {
            None => {
                let command = self.program.clone();
                load::server(&Endpoint::Program { command, env: Vec::new(), directory: None })
            }
            Some(url) if url.starts_with("https://") || url.starts_with("http://") => {
                let endpoint = Endpoint::at(url, &self.header).map_err(|error| Failure::new(error.to_string()))?;
                load::server(&endpoint)
            }
            Some(against) => load::load(root, against),
        }
    }

    fn write(&self, text: &str) -> Result<(), Failure> {
        if let Some(path) = &self.output {
            return fs::write(path, text)
                .map_err(|error| Failure::new(format!("failed to write {}: {error}", path.display())));
        }
        let mut out = std::io::stdout().lock();
        match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
            Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
                Err(Failure::new(format!("failed to write the result: {error}")))
            }
            _ => Ok(()),
        }
    }
}

/// Adds the denied changes to the file of accepted ones.
fn accept(root: &Path, comparison: &Comparison, reason: &str) -> Result<(), Failure> {
    if reason.trim().is_empty() {
        return Err(Failure::new("`--accept` needs a reason: write why the change is right"));
    }
    let denied = comparison.findings.iter().filter(|found| found.level == Level::Deny && found.accepted.is_none());
    let denied: Vec<&Finding> = denied.collect();
    let path = root.join(FILE);
    let before = fs::read_to_string(&path).unwrap_or_default();
    if !denied.is_empty() {
        let text = accepted::append(&before, &denied, reason);
        fs::write(&path, text).map_err(|error| Failure::new(format!("failed to write {}: {error}", path.display())))?;
    }
    println!("{}: {} accepted", path.display(), denied.len());
    Ok(())
}

/// Returns the path from the root of the repository to the project, empty or with `/` at its end.
fn prefix(root: &Path) -> String {
    let Ok(project) = root.canonicalize() else { return String::new() };
    let repository = project.ancestors().find(|folder| folder.join(".git").exists()).unwrap_or(&project);
    let parts = project.strip_prefix(repository).unwrap_or(Path::new("")).components();
    parts.flat_map(|part| [part.as_os_str().to_string_lossy(), "/".into()]).collect()
}
