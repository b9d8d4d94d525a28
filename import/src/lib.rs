//! `cargo toolc import`: writes manifests for tools that exist elsewhere.
//!
//! A [source](source) says which tools there are. [`schema`] and [`manifest`] turn each into a manifest that means the same, [`sound`]
//! compiles it, and [`plan`] decides what is written. A [`report`] lists everything that is not as in the source.

pub mod manifest;
pub mod merge;
pub mod name;
pub mod plan;
pub mod print;
pub mod record;
pub mod report;
pub mod schema;
pub mod sound;
pub mod source;
pub mod tool;

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use globset::{Glob, GlobSet, GlobSetBuilder};
use toolc_codegen::Failure;
use toolc_codegen::cli::{Project, find_root};
use toolc_codegen::project::write_atomically;

use plan::{Choice, Chosen, Plan};
use source::{document, lists};
use tool::Source;

/// What `--help` says after the options.
const HELP: &str = "\
Examples:
  cargo toolc import tools.json                 a list of OpenAI, Anthropic, Gemini, MCP, the AI SDK or LangChain

Exit status:
  0  success; with --check: the source is as it was
  1  a tool was left out, an edit conflicts, or, with --check, the source has changed
  2  the command itself failed, or its arguments are wrong";

/// The arguments of `import`.
#[derive(Debug, Clone, clap::Args)]
#[command(after_help = HELP)]
pub struct Args {
    /// What to import: a file, or `-` for standard input.
    #[arg(value_name = "SOURCE")]
    pub source: Option<PathBuf>,
    /// The toolset of the tools [default: the name of the source].
    #[arg(long, value_name = "NAME")]
    pub toolset: Option<String>,
    /// Import only the tools whose names match this pattern, such as `get_*` (repeatable).
    #[arg(long, value_name = "GLOB")]
    pub only: Vec<String>,
    /// Leave out the tools whose names match this pattern (repeatable).
    #[arg(long, value_name = "GLOB")]
    pub except: Vec<String>,
    /// Put this before the name of each tool, such as `github_`.
    #[arg(long, value_name = "TEXT")]
    pub prefix: Option<String>,
    /// Refuse properties that the source does not declare, where it does not say whether they are accepted.
    #[arg(long)]
    pub closed: bool,
    /// Merge what is new in the source into manifests of an earlier import.
    #[arg(long)]
    pub update: bool,
    /// Write nothing, and fail if the source is no longer as it was imported.
    #[arg(long, conflicts_with_all = ["update", "dry_run"])]
    pub check: bool,
    /// Write nothing, and show what would happen.
    #[arg(long)]
    pub dry_run: bool,
    /// Print the report as JSON.
    #[arg(long)]
    pub json: bool,
}

/// Runs `import` and prints its report. Returns the exit status: 0, 1 or 2, as `--help` explains.
pub fn run(project: Project, args: &Args) -> u8 {
    match attempt(project, args) {
        Ok((text, is_complete)) => {
            let mut out = std::io::stdout();
            // A closed pipe is not a failure.
            let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
            u8::from(!is_complete)
        }
        Err(failure) => {
            eprintln!("error: {}", toolc_tables::visible::visible(&failure.to_string()));
            2
        }
    }
}

/// Imports, and returns the report and whether it is complete.
///
/// # Errors
/// If the source or the project cannot be read, or a file cannot be written.
pub fn attempt(project: Project, args: &Args) -> Result<(String, bool), Failure> {
    let root = find_root(project.root)?;
    let source = read(args)?;
    let choice = choice(args, &source)?;
    let plan = plan::plan(&root, &source, &choice)?;
    let (report, is_dry) = match () {
        () if args.check => (plan.moved(&choice, &source), true),
        () if args.dry_run => (plan.report, true),
        () => {
            write(&root, &plan)?;
            (plan.report, false)
        }
    };
    let text = if args.json {
        format!("{:#}\n", report.to_json())
    } else if args.check && !report.is_incomplete {
        format!("{} is as it was imported\n", source.label)
    } else {
        report.to_text(is_dry && !args.check)
    };
    Ok((text, !report.is_incomplete))
}

/// Reads the source.
fn read(args: &Args) -> Result<Source, Failure> {
    let Some(path) = &args.source else {
        return Err(Failure::new("no source: name a file, or `-` for standard input"));
    };
    let text = document::text(path)?;
    let source = lists::read(&document::json(path, &text)?, &path.display().to_string());
    let stem = path.file_stem().filter(|_| path != Path::new("-")).map(|stem| stem.to_string_lossy().into_owned());
    Ok(Source { name: source.name.clone().or(stem), ..source })
}

fn choice(args: &Args, source: &Source) -> Result<Choice, Failure> {
    let wanted = args.toolset.as_ref().or(source.name.as_ref());
    let Some(wanted) = wanted else {
        return Err(Failure::new("the source has no name: name the toolset, --toolset NAME"));
    };
    let toolset = name::valid(wanted);
    if args.toolset.as_ref().is_some_and(|given| *given != toolset) || name::is_reserved(&toolset) {
        return Err(Failure::new(format!(
            "`{wanted}` cannot be the name of a toolset: use letters, digits, `_` and `-`, such as --toolset my_tools"
        )));
    }
    let chosen = Chosen { only: globs(&args.only)?, except: globs(&args.except)? };
    if !source.tools.is_empty() && !source.tools.iter().any(|tool| chosen.has(&tool.name)) {
        let names: Vec<&str> = source.tools.iter().map(|tool| tool.name.as_str()).take(10).collect();
        return Err(Failure::new(format!("--only and --except leave no tool; the source has: {}", names.join(", "))));
    }
    Ok(Choice { toolset, prefix: args.prefix.clone(), closed: args.closed, update: args.update, chosen })
}

fn globs(patterns: &[String]) -> Result<Option<GlobSet>, Failure> {
    let invalid = |error: globset::Error| Failure::new(format!("invalid pattern: {error}"));
    let mut all = GlobSetBuilder::new();
    for pattern in patterns {
        all.add(Glob::new(pattern).map_err(invalid)?);
    }
    if patterns.is_empty() { Ok(None) } else { all.build().map(Some).map_err(invalid) }
}

/// Writes the files of a plan.
fn write(root: &Path, plan: &Plan) -> Result<(), Failure> {
    for (path, text) in &plan.writes {
        write_atomically(&root.join(path), text)?;
    }
    for path in &plan.removes {
        let path = root.join(path);
        fs::remove_file(&path)
            .map_err(|error| Failure::new(format!("failed to remove {}: {error}", path.display())))?;
    }
    Ok(())
}
