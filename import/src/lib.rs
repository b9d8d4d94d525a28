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
use toolc_mcp::Endpoint;

use plan::{Choice, Chosen, Plan};
use source::{clients, document, lists, mcp, openapi, python};
use tool::Source;

/// What `--help` says after the options.
const HELP: &str = "\
Examples:
  cargo toolc import tools.json                 a list of OpenAI, Anthropic, Gemini, MCP, the AI SDK or LangChain
  cargo toolc import -- npx -y SERVER ARGS...   an MCP server that this command starts
  cargo toolc import https://HOST/mcp           an MCP server at an address
  cargo toolc import .mcp.json --server NAME    an MCP server in the configuration of a client
  cargo toolc import api.yaml --tag pets        operations of an OpenAPI document, by default those that only read
  cargo toolc import tools.py                   functions in Python, or tools of a framework
  cargo toolc import bundle/                    a bundle of `export`

Exit status:
  0  success; with --check: the source is as it was
  1  a tool was left out, an edit conflicts, or, with --check, the source has changed
  2  the command itself failed, or its arguments are wrong";

/// The arguments of `import`.
#[derive(Debug, Clone, clap::Args)]
#[command(after_help = HELP)]
#[expect(clippy::struct_excessive_bools, reason = "each is an option of the command line")]
pub struct Args {
    /// What to import: a file, `-` for standard input, the folder of a bundle, or the address of an MCP server.
    #[arg(value_name = "SOURCE", required_unless_present_any = ["command", "program"])]
    pub source: Option<PathBuf>,
    /// The command line of an MCP server, which is started: `--command 'npx -y SERVER'`.
    #[arg(long, value_name = "LINE", conflicts_with_all = ["source", "program"])]
    pub command: Option<String>,
    /// The program of an MCP server and its arguments, which is started.
    #[arg(last = true, value_name = "PROGRAM", conflicts_with = "source")]
    pub program: Vec<String>,
    /// A variable of the environment that the program of an MCP server gets in addition to the usual ones (repeatable).
    #[arg(long, value_name = "NAME")]
    pub env: Vec<String>,
    /// The server to start, if the source is the configuration of a client.
    #[arg(long, value_name = "NAME")]
    pub server: Option<String>,
    /// A header of requests to the address of an MCP server, with the variable that holds its value: `Authorization=TOKEN_VARIABLE`.
    #[arg(long, value_name = "NAME=VARIABLE")]
    pub header: Vec<String>,
    /// The toolset of the tools [default: the name of the source].
    #[arg(long, value_name = "NAME")]
    pub toolset: Option<String>,
    /// Import only the tools whose names match this pattern, such as `get_*` (repeatable).
    #[arg(long, value_name = "GLOB")]
    pub only: Vec<String>,
    /// Leave out the tools whose names match this pattern (repeatable).
    #[arg(long, value_name = "GLOB")]
    pub except: Vec<String>,
    /// The methods of the operations to import, such as `post`, or `all` (repeatable) [default: get].
    #[arg(long, value_name = "METHOD", help_heading = "Documents of OpenAPI")]
    pub method: Vec<String>,
    /// Import only operations with this tag (repeatable).
    #[arg(long, value_name = "TAG", help_heading = "Documents of OpenAPI")]
    pub tag: Vec<String>,
    /// Import only operations whose paths match this pattern, such as `/pets/**` (repeatable).
    #[arg(long, value_name = "GLOB", help_heading = "Documents of OpenAPI")]
    pub path: Vec<String>,
    /// The interpreter that imports a module in Python.
    #[arg(long, value_name = "PROGRAM", default_value = "python3", help_heading = "Modules in Python")]
    pub python: String,
    /// Do not ask before a module is imported, which runs its code.
    #[arg(long, help_heading = "Modules in Python")]
    pub yes: bool,
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
    let program = match &args.command {
        Some(line) => shlex::split(line).ok_or_else(|| Failure::new("the command line has a quote without an end"))?,
        None => args.program.clone(),
    };
    if !program.is_empty() {
        let variable = |name: &String| Ok((name.clone(), variable(name)?));
        let env = args.env.iter().map(variable).collect::<Result<_, Failure>>()?;
        return mcp::read(&Endpoint::Program { command: program, env, directory: None });
    }
    if !args.env.is_empty() {
        return Err(Failure::new("--env is for the program of an MCP server: name it after `--`"));
    }
    let path = args.source.as_deref().filter(|path| !path.as_os_str().is_empty());
    let path = path.ok_or_else(|| Failure::new("no source: name a file, an address or a command"))?;
    if let Some(url) = path.to_str().filter(|text| text.starts_with("https://") || text.starts_with("http://")) {
        let endpoint = Endpoint::at(url, &args.header).map_err(|error| Failure::new(error.to_string()))?;
        return mcp::read(&endpoint);
    }
    let name = path.file_stem().filter(|_| path != Path::new("-")).map(|stem| stem.to_string_lossy().into_owned());
    let path = if path.is_dir() { path.join(BUNDLE) } else { path.to_owned() };
    let source = read_document(&path, args)?;
    Ok(Source { name: source.name.clone().or(name), ..source })
}

/// The file of a bundle that has the tools.
const BUNDLE: &str = "catalog.json";

/// Reads a document, and finds out what it is.
fn read_document(path: &Path, args: &Args) -> Result<Source, Failure> {
    let label = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    if path.extension().is_some_and(|end| end == "py") {
        return python::read(path, &args.python, args.yes, &label);
    }
    let text = document::text(path)?;
    let value = match path.extension().and_then(|end| end.to_str()) {
        Some("toml") => document::toml(path, &text)?,
        Some("yaml" | "yml") => document::yaml(path, &text)?,
        _ => document::json(path, &text)?,
    };
    if let Some(servers) = clients::servers(&value) {
        let endpoint = clients::endpoint(servers, args.server.as_deref(), &|name| std::env::var(name).ok())?;
        return Ok(Source { name: args.server.clone(), ..mcp::read(&endpoint)? });
    }
    if openapi::is_document(&value) {
        let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        let choice = openapi::Choice {
            methods: args.method.clone(),
            tags: args.tag.clone(),
            paths: globs(&args.path)?,
            variables: args.toolset.clone().unwrap_or(stem),
        };
        return openapi::read(value, path, &choice, &label);
    }
    if !args.method.is_empty() || !args.tag.is_empty() || !args.path.is_empty() {
        return Err(Failure::new(format!(
            "--method, --tag and --path choose operations of OpenAPI, and {label} is a list"
        )));
    }
    Ok(lists::read(&value, &label))
}

/// Returns the value of a variable of the environment.
fn variable(name: &str) -> Result<String, Failure> {
    std::env::var(name).map_err(|_| Failure::new(format!("the variable {name} is not set")))
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
