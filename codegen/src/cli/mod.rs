//! The command line of the compiler: `cargo toolc ...`, or `cargo xtask ...` with an `xtask` of the project.
//!
//! Exit status 0: success. 1: errors in manifests, or generated files that are out of date. 2: the tool itself failed, or
//! the command line names something unknown.

mod export;
mod fmt;
mod generate;
mod init;
mod inspect;
mod lint;
mod list;
mod markdown;
mod new;
mod resolve;
mod show;
mod turn;
mod watch;

use std::ffi::OsString;
use std::io::{IsTerminal as _, Write};
use std::mem::ManuallyDrop;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, Parser, Subcommand};
pub use generate::GenArgs;
pub use lint::LintArgs;
use toolc::__gen::graph::Pick;
use toolc::suggest::{did_you_mean, nearest};
use toolc_tables::visible::visible;

use crate::build_cache::KeptFiles;
use crate::diagnostic::{Diagnostic, Places};
use crate::failure::Failure;
use crate::kept::Kept;
use crate::lint::Options;
use crate::project::MANIFESTS;
use crate::report::{Format, Report, Shown};
use crate::source::{Sources, Stamps};
use crate::{Catalog, compile};

/// What the exit status of every command means, for `--help`.
pub const EXIT_STATUS: &str = "\
Exit status:
  0  success
  1  a manifest has an error, or a check failed
  2  the command itself failed, or its arguments are wrong";

/// Compiles tool manifests to typed Rust, vendor-ready JSON schemas and a catalog.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask", version, after_help = EXIT_STATUS)]
struct Cli {
    #[command(flatten)]
    project: Project,
    #[command(subcommand)]
    command: Command,
}

/// The project to work on.
#[derive(Debug, Args)]
pub struct Project {
    /// The project folder, which contains `manifests/` [default: the nearest one at or above the current folder].
    #[arg(long, global = true, value_name = "DIR")]
    pub root: Option<PathBuf>,
}

/// A command of the compiler.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// A command that needs a catalog without errors.
    #[command(flatten)]
    Catalog(CatalogCommand),
    /// A command that also runs if the manifests have errors.
    #[command(flatten)]
    Manifests(ManifestsCommand),
    /// Create a project with two tools, tests and a command line.
    Init(init::Init),
    /// Add a tool, a toolset, a distribution or a fact to the project.
    New {
        /// What to add.
        #[command(subcommand)]
        what: new::New,
    },
}

/// A command that needs a catalog without errors.
#[derive(Debug, Subcommand)]
pub enum CatalogCommand {
    /// Check the manifests and write `generated/`.
    #[command(after_help = EXIT_STATUS)]
    Gen(GenArgs),
    /// Write a bundle for other languages: the definitions, the catalog, and an index with digests.
    Export(export::Export),
}

/// A command that also runs if the manifests have errors.
#[derive(Debug, Subcommand)]
pub enum ManifestsCommand {
    /// Check the manifests: errors, features that vendors reject, and text that misleads models.
    #[command(after_help = lint::HELP)]
    Lint(LintArgs),
    /// Explain a rule: what it finds, why that is a problem, and what to write instead.
    Explain {
        /// The code or name of the rule.
        rule: String,
        /// Print the Markdown source.
        #[arg(long)]
        markdown: bool,
    },
    /// Format the manifests.
    Fmt {
        /// Write nothing, and fail if a manifest is not formatted.
        #[arg(long)]
        check: bool,
    },
    /// List the tools with their home toolsets and descriptions.
    List(list::List),
    /// List the tools of toolsets, each with the path by which the toolset contains it.
    Resolve(resolve::Resolve),
    /// Show the definition of a tool in one dialect.
    Show(show::Show),
}

/// Runs the command line of this process. This is the whole `main` of an `xtask` without tasks of its own.
pub fn main() -> ExitCode {
    main_with(std::env::args_os())
}

/// Runs a command line, the first item of which is the name of the program.
#[doc(hidden)]
pub fn main_with(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    let Cli { project, command } = Cli::parse_from(args);
    run(project, command).into()
}

/// Runs one command, for an `xtask` with tasks of its own. Returns the exit status: 0, or 1 if the manifests have errors or
/// a check failed, or 2 if the command itself failed.
pub fn run(project: Project, command: Command) -> u8 {
    let (out, mut err) = (std::io::stdout(), std::io::stderr());
    let colour = std::env::var_os("NO_COLOR").is_none();
    let mut streams = Streams {
        colour: [colour && out.is_terminal(), colour && err.is_terminal()],
        program: program(&run_as(), &project),
        width: if out.is_terminal() { terminal_width() } else { WIDTH },
        can_ask: std::io::stdin().is_terminal() && err.is_terminal(),
        out: &mut out.lock(),
        // Not locked: a thread that panics while this one waits for it must be able to print.
        err: &mut err,
    };
    execute(project, command, &mut streams)
}

/// Runs `cargo xtask ARGS`, and returns its exit status and what it prints to standard output and standard error.
pub fn capture<S: Into<OsString> + Clone>(args: impl IntoIterator<Item = S>) -> (u8, String, String) {
    let args = std::iter::once(OsString::from("xtask")).chain(args.into_iter().map(Into::into));
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let status = match Cli::try_parse_from(args) {
        Ok(Cli { project, command }) => {
            let program = program(XTASK, &project);
            execute(
                project,
                command,
                &mut Streams {
                    colour: [false; 2],
                    program,
                    width: WIDTH,
                    can_ask: false,
                    out: &mut out,
                    err: &mut err,
                },
            )
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

/// The number of characters of a line if the output is not a terminal.
const WIDTH: usize = 80;

/// Returns the number of characters of a line of the terminal.
fn terminal_width() -> usize {
    terminal_size::terminal_size().map_or(WIDTH, |(terminal_size::Width(width), _)| usize::from(width).max(20))
}

struct Streams<'s> {
    out: &'s mut dyn Write,
    err: &'s mut dyn Write,
    /// Whether `out` and `err` support colours, in this order.
    colour: [bool; 2],
    /// How the user runs the compiler, such as `cargo toolc`: for advice on what to run.
    program: String,
    /// The number of characters of a line.
    width: usize,
    /// Whether a person can answer questions: standard input and standard error are a terminal.
    can_ask: bool,
}

impl Streams<'_> {
    /// Prints findings to standard error, along with the output of another command.
    fn report(&mut self, sources: &Sources, findings: &[Diagnostic], shown: Shown) -> Result<(), Failure> {
        let (places, colour) = (Places::new(sources), self.colour[1]);
        let report = Report { findings, places: &places, checked: None, colour, shown, program: &self.program };
        print(self.err, &(Format::ALL[0].write)(&report))
    }
}

/// The command of a project's own `xtask`.
const XTASK: &str = "cargo xtask";

/// Returns how the user runs this program: `cargo xtask`, or `cargo toolc`, or `cargo-toolc` if there is no cargo.
pub fn run_as() -> String {
    // A project's `xtask` can run an installed compiler.
    if let Ok(given) = std::env::var(toolc_build::RUN_AS)
        && !given.is_empty()
    {
        return given;
    }
    let exe = std::env::current_exe().ok();
    // Cargo sets it for the commands that it runs.
    let is_from_cargo = std::env::var_os("CARGO").is_some();
    name_of(exe.as_ref().and_then(|path| path.file_stem()?.to_str()), is_from_cargo)
}

/// Returns the command that runs the program in a file with this name: `cargo toolc` or `cargo-toolc` for `cargo-toolc`, and
/// `cargo xtask` for `xtask` or `xtask-compiler`.
fn name_of(file: Option<&str>, is_from_cargo: bool) -> String {
    let Some(file) = file else { return XTASK.to_owned() };
    match file.strip_prefix("cargo-") {
        Some(_) if !is_from_cargo => file.to_owned(),
        Some(name) => format!("cargo {name}"),
        None => format!("cargo {}", file.strip_suffix("-compiler").unwrap_or(file)),
    }
}

/// Returns the command with which the user runs this program on the same project: with `--root DIR` if that was given.
fn program(run_as: &str, project: &Project) -> String {
    let root = project.root.as_ref().map(|root| root.display().to_string());
    let root = root.map(|root| {
        let is_plain = |letter: char| letter.is_alphanumeric() || "/._-+~:@%=,\\".contains(letter);
        // Quoted for a shell.
        if root.chars().all(is_plain) { root } else { format!("'{}'", root.replace('\'', r"'\''")) }
    });
    format!("{run_as}{}", root.map(|root| format!(" --root {root}")).unwrap_or_default())
}

fn execute(project: Project, command: Command, streams: &mut Streams<'_>) -> u8 {
    match attempt(project, command, streams) {
        Ok(true) => 0,
        Ok(false) => 1,
        Err(failure) => {
            let _ = writeln!(streams.err, "error: {}", visible(&failure.to_string()));
            2
        }
    }
}

/// Runs a command, and returns whether it succeeded.
fn attempt(project: Project, command: Command, streams: &mut Streams<'_>) -> Result<bool, Failure> {
    match command {
        Command::Catalog(command) => with_catalog(project, command, streams),
        Command::Init(init) => init.run(streams),
        Command::New { what } => what.run(project, streams),
        Command::Manifests(ManifestsCommand::Lint(args)) => lint::run(project, &args, streams),
        Command::Manifests(ManifestsCommand::Explain { rule, markdown }) => lint::explain(&rule, markdown, streams),
        Command::Manifests(ManifestsCommand::Fmt { check }) => fmt::run(project, check, streams),
        Command::Manifests(ManifestsCommand::List(list)) => list.run(project.root, streams),
        Command::Manifests(ManifestsCommand::Resolve(resolve)) => resolve.run(project.root, streams),
        Command::Manifests(ManifestsCommand::Show(show)) => show.run(project.root, streams),
    }
}

/// Compiles the project, and runs a command on its catalog if it has no errors.
fn with_catalog(project: Project, command: CatalogCommand, streams: &mut Streams<'_>) -> Result<bool, Failure> {
    let export = match command {
        CatalogCommand::Gen(args) => return generate::run(project, &args, streams),
        CatalogCommand::Export(export) => export,
    };
    let root = find_root(project.root)?;
    // Never dropped, because the process ends after the command, and freeing a large catalog takes as long as checking it.
    let sources = ManuallyDrop::new(Sources::scan(&root)?);
    let compilation = ManuallyDrop::new(compile(&sources));
    streams.report(&sources, &compilation.diagnostics, Shown::Errors)?;
    let Some(catalog) = &compilation.catalog else { return Ok(false) };
    export.run(catalog, streams.out).map(|()| true)
}

/// What the last run kept, and what this run keeps for the next one.
struct Memory(Option<(KeptFiles, Kept)>);

impl Memory {
    /// Reads the sources of the project at `root`, and what the last run kept. Files that have not changed since are not read if
    /// `by_stamp` is set.
    fn scan(root: &Path, options: &Options, by_stamp: bool) -> Result<(Sources, Self), Failure> {
        // A run with other rules or levels does not touch the cache, so that the findings of ordinary runs stay in it.
        if !options.only.is_empty() || !options.levels.is_empty() {
            return Ok((Sources::scan(root)?, Self(None)));
        }
        let files = KeptFiles::new(root);
        let scan = || {
            let stamps = if by_stamp { files.stamps() } else { String::new() };
            if by_stamp { Sources::scan_with(root, &Stamps::new(&stamps)) } else { Sources::scan(root) }
        };
        let (sources, kept) = rayon::join(scan, || files.kept());
        Ok((sources?, Self(Some((files, kept)))))
    }

    fn kept(&self) -> Option<&Kept> {
        self.0.as_ref().map(|(_, kept)| kept)
    }

    /// Stores what this run keeps, unless a file was changed while it was read.
    fn store(&self, sources: &Sources) {
        if let Some((files, kept)) = self.0.as_ref().filter(|_| sources.check_unchanged().is_ok()) {
            files.store(kept, sources.stamps().as_deref());
        }
    }
}

/// Returns the project folder: `given`, or the nearest ancestor of the current folder that contains manifests.
///
/// # Errors
/// If there is none, or it cannot be read.
#[doc(hidden)]
pub fn find_root(given: Option<PathBuf>) -> Result<PathBuf, Failure> {
    if let Some(root) = given {
        return match root.join(MANIFESTS).metadata() {
            Ok(about) if about.is_dir() => Ok(root),
            Ok(_) => Err(Failure::new(format!("failed to read {}: not a folder", root.join(MANIFESTS).display()))),
            Err(error) => Err(Failure::new(format!("failed to read {}: {error}", root.join(MANIFESTS).display()))),
        };
    }
    let here =
        std::env::current_dir().map_err(|error| Failure::new(format!("failed to read the current folder: {error}")))?;
    let root = here.ancestors().find(|folder| folder.join(MANIFESTS).is_dir());
    root.map(Path::to_owned)
        .ok_or_else(|| Failure::new(format!("no `{MANIFESTS}` folder in {} or above: pass --root DIR", here.display())))
}

/// Returns the selection of the toolsets with these names, or of every tool if `names` is empty.
fn picks(catalog: &Catalog, names: &[String]) -> Result<Vec<Pick>, Failure> {
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

/// Returns the failure for an unknown name on the command line.
fn unknown<'c>(what: &str, name: &str, known: impl Iterator<Item = &'c str>) -> Failure {
    let known: Vec<&str> = known.collect();
    let hint = did_you_mean(&nearest(name, known.iter().copied()));
    let hint = hint.unwrap_or_else(|| match known.as_slice() {
        [] => format!("the project declares no {what}"),
        known => format!("the {what}s are: {}", known.join(", ")),
    });
    Failure::new(format!("unknown {what} `{name}`: {hint}"))
}

/// Writes and flushes. A closed pipe (`| head`) is not a failure.
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
    use super::name_of;

    #[test]
    fn advice_names_the_command_that_the_user_runs() {
        for (file, is_from_cargo, expected) in [
            (Some("cargo-toolc"), true, "cargo toolc"),
            (Some("cargo-toolc"), false, "cargo-toolc"),
            (Some("xtask"), true, "cargo xtask"),
            (Some("xtask-compiler"), true, "cargo xtask"),
            (None, false, "cargo xtask"),
        ] {
            assert_eq!(name_of(file, is_from_cargo), expected, "{file:?}");
        }
    }
}
