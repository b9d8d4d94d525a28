//! The command line: `cargo xtask ...`.
//!
//! Exit status 0: all is well. 1: mistakes in manifests, or generated files that are not up to date. 2: the tool
//! could not do its work, or does not know what the command line names.

mod export;
mod fmt;
mod lint;
mod show;

use std::ffi::OsString;
use std::io::{IsTerminal as _, Write};
use std::mem::ManuallyDrop;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, Parser, Subcommand};
pub use lint::LintArgs;
use similar::TextDiff;
use toolc::__gen::graph::Pick;

use crate::check::Checked;
use crate::diagnostic::{Diagnostic, Places};
use crate::failure::Failure;
use crate::ledger::{Digests, Ledger};
use crate::lower::lower;
use crate::project::{GENERATED, MANIFESTS};
use crate::report::{Format, Report, plural};
use crate::source::Sources;
use crate::write::{self, Plan};
use crate::{compile, emit};

/// Compiles tool manifests to typed Rust, provider-ready JSON schemas and a catalog.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct Cli {
    #[command(flatten)]
    project: Project,
    #[command(subcommand)]
    command: Command,
}

/// Which project is meant.
#[derive(Debug, Args)]
pub struct Project {
    /// The project: a folder with `manifests/` in it. By default the nearest one upwards from here.
    #[arg(long, global = true, value_name = "DIR")]
    pub root: Option<PathBuf>,
}

/// What to do with it.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Check the manifests and write `generated/`.
    Gen {
        /// Write nothing; show what is not up to date, and fail if anything is.
        #[arg(long)]
        check: bool,
    },
    /// Check the manifests: what cannot be compiled, what a provider refuses, what leads a model astray.
    Lint(LintArgs),
    /// Explain one rule of `lint`: what it finds, why that is bad, what to use instead.
    Explain {
        /// Its code or name.
        rule: String,
    },
    /// Give every manifest the one layout.
    Fmt {
        /// Write nothing; show what would be changed, and fail if anything would be.
        #[arg(long)]
        check: bool,
    },
    /// List every tool with its toolset.
    List,
    /// Show a tool's definition, as a model gets it.
    Show(show::Show),
    /// Write the schemas and the catalog to a folder, to publish.
    Export(export::Export),
    /// List the tools that these toolsets resolve to.
    Resolve {
        /// Toolsets; `all` is every tool.
        #[arg(required = true)]
        toolsets: Vec<String>,
    },
}

/// The command line of this process: all that an `xtask` needs which has no tasks of its own.
pub fn main() -> ExitCode {
    let Cli { project, command } = Cli::parse();
    run(project, command)
}

/// Carries out one command, for an `xtask` with tasks of its own.
pub fn run(project: Project, command: Command) -> ExitCode {
    let (out, mut err) = (std::io::stdout(), std::io::stderr());
    let colour = std::env::var_os("NO_COLOR").is_none();
    let mut streams = Streams {
        colour: [colour && out.is_terminal(), colour && err.is_terminal()],
        out: &mut out.lock(),
        // Not locked: a stage that panicked on another thread would wait for ever to say so.
        err: &mut err,
    };
    ExitCode::from(execute(project, command, &mut streams))
}

/// What `cargo xtask ARGS` would do: its exit status, and what it would print to each stream.
pub fn capture<S: Into<OsString> + Clone>(args: impl IntoIterator<Item = S>) -> (u8, String, String) {
    let args = std::iter::once(OsString::from("xtask")).chain(args.into_iter().map(Into::into));
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let status = match Cli::try_parse_from(args) {
        Ok(Cli { project, command }) => {
            execute(project, command, &mut Streams { colour: [false; 2], out: &mut out, err: &mut err })
        }
        Err(usage) => {
            let to = if usage.use_stderr() { &mut err } else { &mut out };
            to.extend(usage.to_string().into_bytes());
            u8::try_from(usage.exit_code()).unwrap_or(2)
        }
    };
    let text = |bytes| String::from_utf8(bytes).unwrap_or_else(|_| unreachable!("only text is printed"));
    (status, text(out), text(err))
}

struct Streams<'s> {
    out: &'s mut dyn Write,
    err: &'s mut dyn Write,
    /// Whether each of the two takes colours.
    colour: [bool; 2],
}

fn execute(project: Project, command: Command, streams: &mut Streams<'_>) -> u8 {
    match attempt(project, command, streams) {
        Ok(true) => 0,
        Ok(false) => 1,
        Err(failure) => {
            let _ = writeln!(streams.err, "error: {failure}");
            2
        }
    }
}

/// Whether all is well.
fn attempt(project: Project, command: Command, streams: &mut Streams<'_>) -> Result<bool, Failure> {
    match &command {
        Command::Lint(args) => return lint::run(project, args, streams),
        Command::Explain { rule } => return lint::explain(rule, streams),
        Command::Fmt { check } => return fmt::run(project, *check, streams),
        _ => {}
    }
    let root = find_root(project.root)?;
    // The process ends with these: giving back a large catalog, piece by piece, takes as long as checking it.
    let sources = ManuallyDrop::new(Sources::scan(&root)?);
    let compilation = ManuallyDrop::new(compile(&sources));
    let Streams { out, err, colour } = streams;
    report(&sources, &compilation.diagnostics, colour[1], err)?;
    let Some(catalog) = &compilation.catalog else { return Ok(false) };
    match command {
        Command::Lint(_) | Command::Explain { .. } | Command::Fmt { .. } => unreachable!("carried out above"),
        Command::Gen { check } => generate(&root, &sources, catalog, check, out),
        Command::List => list(catalog, out).map(|()| true),
        Command::Show(show) => show.run(catalog, out).map(|()| true),
        Command::Export(export) => export.run(catalog, out).map(|()| true),
        Command::Resolve { toolsets } => resolve(catalog, &toolsets, out).map(|()| true),
    }
}

fn find_root(given: Option<PathBuf>) -> Result<PathBuf, Failure> {
    if let Some(root) = given {
        return match root.join(MANIFESTS).metadata() {
            Ok(about) if about.is_dir() => Ok(root),
            Ok(_) => Err(Failure::new(format!("failed to read {}: not a folder", root.join(MANIFESTS).display()))),
            Err(error) => Err(Failure::new(format!("failed to read {}: {error}", root.join(MANIFESTS).display()))),
        };
    }
    let here =
        std::env::current_dir().map_err(|error| Failure::new(format!("failed to read the current folder: {error}")))?;
    let found = here.ancestors().find(|folder| folder.join(MANIFESTS).is_dir());
    found.map(Path::to_owned).ok_or_else(|| {
        Failure::new(format!("found no `{MANIFESTS}` folder in {} or above: pass --root DIR", here.display()))
    })
}

/// Findings beside another command's output.
fn report(sources: &Sources, findings: &[Diagnostic], colour: bool, to: &mut dyn Write) -> Result<(), Failure> {
    let report = Report { findings, places: &Places::new(sources), looked_at: None, colour };
    print(to, &(Format::ALL[0].write)(&report))
}

fn generate(
    root: &Path,
    sources: &Sources,
    catalog: &Checked,
    check: bool,
    out: &mut dyn Write,
) -> Result<bool, Failure> {
    let _lock = (!check).then(|| write::lock(root));
    let module = catalog.settings().rust.as_deref();
    // A check believes nothing that it has not seen.
    let ledger = if check { Ledger::default() } else { Ledger::open(root) };
    let lowered = lower(catalog);
    let digests = Digests::new(sources, &lowered);
    let plan = write::plan(root, module, &emit::drafts(&lowered), &digests, &ledger)?;
    let folders = module.map_or(format!("{GENERATED}/"), |module| format!("{GENERATED}/, {module}/"));
    if check {
        return report_stale(&plan, &folders, out);
    }
    plan.apply()?;
    ledger.keep(root, &plan.files);
    let mut text = some(plan.orphans.iter().map(|orphan| format!("removed: {}\n", orphan.name)));
    let (written, removed) = (plan.stale.len(), plan.orphans.len());
    text += &format!("{folders}: {written} of {} written, {removed} removed\n", plural(plan.files.len(), "file"));
    print(out, &text)?;
    Ok(true)
}

/// The first of many lines, and how many there are beside: they are to show what happened, not to be worked on.
fn some(mut lines: impl Iterator<Item = String>) -> String {
    const LINES: usize = 40;
    let text: String = lines.by_ref().take(LINES).collect();
    match lines.count() {
        0 => text,
        more => format!("{text}... {more} lines more\n"),
    }
}

fn report_stale(plan: &Plan, folders: &str, out: &mut dyn Write) -> Result<bool, Failure> {
    let mut text = String::new();
    for stale in &plan.stale {
        let path = &stale.output.path;
        let Some(found) = &stale.found else {
            text += &format!("missing: {path}\n");
            continue;
        };
        text += &format!("stale: {path}\n");
        let diff = TextDiff::from_lines(found.as_str(), &stale.output.text);
        let diff = diff.unified_diff().header(path, "what gen writes").to_string();
        some(diff.lines().map(|line| format!("{line}\n"))).lines().for_each(|line| text += &format!("    {line}\n"));
    }
    text += &some(plan.orphans.iter().map(|orphan| format!("orphan: {}\n", orphan.name)));
    if plan.is_clean() {
        text += &format!("{folders}: {} up to date\n", plural(plan.files.len(), "file"));
    } else {
        text += "run `cargo xtask gen` and commit what it writes\n";
    }
    print(out, &text)?;
    Ok(plan.is_clean())
}

fn list(catalog: &Checked, out: &mut dyn Write) -> Result<(), Failure> {
    let width = catalog.tools().map(|(_, tool)| tool.name().chars().count()).max().unwrap_or(0);
    let mut text = String::new();
    for (_, tool) in catalog.tools() {
        text += &format!("{:width$}  {}\n", tool.name(), catalog[tool.home].name());
    }
    print(out, &text)
}

fn resolve(catalog: &Checked, names: &[String], out: &mut dyn Write) -> Result<(), Failure> {
    let picks = picks(catalog, names)?;
    let members = catalog.graph().select(&picks, &[]);
    let lines = catalog.tools().filter(|(id, _)| members[id.0]).map(|(_, tool)| format!("{}\n", tool.name()));
    print(out, &lines.collect::<String>())
}

/// The toolsets of these names, or all.
fn picks(catalog: &Checked, names: &[String]) -> Result<Vec<Pick>, Failure> {
    let mut picks = Vec::new();
    for name in names {
        match catalog.toolsets().find(|(_, toolset)| toolset.is_called(name)) {
            Some((id, _)) => picks.push(Pick::Set(id.0)),
            None if name == "all" || name == "*" => picks.push(Pick::All),
            None => return Err(unknown("toolset", name, catalog.toolsets().map(|(_, toolset)| toolset.name()))),
        }
    }
    Ok(if picks.is_empty() { vec![Pick::All] } else { picks })
}

/// What the command line names is not there.
fn unknown<'c>(what: &str, name: &str, known: impl Iterator<Item = &'c str>) -> Failure {
    let known: Vec<&str> = known.collect();
    let hint = match toolc::__gen::nearest(name, known.iter().copied()).as_slice() {
        [] => format!("the {what}s are: {}", known.join(", ")),
        near => format!("did you mean `{}`?", near.join("` or `")),
    };
    Failure::new(format!("unknown {what} `{name}`: {hint}"))
}

/// Writes and flushes. A reader that has gone away (`| head`) is nobody's failure.
fn print(to: &mut dyn Write, text: &str) -> Result<(), Failure> {
    match to.write_all(text.as_bytes()).and_then(|()| to.flush()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(Failure::new(format!("failed to write the result: {error}")))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_lines_are_cut_and_counted() {
        let lines = |count: usize| some((0..count).map(|line| format!("{line}\n")));
        assert_eq!((lines(0).as_str(), lines(2).as_str()), ("", "0\n1\n"));
        assert!(lines(40).ends_with("38\n39\n"));
        assert!(lines(45).ends_with("38\n39\n... 5 lines more\n"));
    }
}
