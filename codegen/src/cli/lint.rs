//! `lint` and `explain`.

use std::mem::ManuallyDrop;
use std::path::{Path, PathBuf};

use clap::{Arg, ArgAction, ArgMatches, Args, FromArgMatches};
use similar::Algorithm;
use similar::udiff::unified_diff;
use toolc::suggest::{did_you_mean, nearest};

use super::watch::{Run, watch};
use super::{Memory, Project, Streams, find_root, markdown, print};
use crate::lint::codes;

use crate::diagnostic::{Level, Places};
use crate::failure::Failure;
use crate::fix::fix;
use crate::lint::{self, Baseline, Options, Selected, docs_page};
use crate::project::{SETTINGS, write_target};
use crate::report::{Format, Report, Shown, plural};
use crate::scaffold::manifests;
use crate::source::Sources;
use crate::timings::Timings;
use crate::{Compilation, compile_timed, compile_with};

/// The end of `lint --help`.
pub(super) const HELP: &str = "\
Formats:
  human    findings with their source lines; on standard output, the first ten of each rule (see --all)
  concise  a line for each finding, for editors and grep
  json     every field of every finding, for programs
  sarif    SARIF 2.1.0, for code scanning
  github   workflow commands of GitHub Actions, which annotate lines

Exit status:
  0  no finding is an error
  1  a finding is an error
  2  the command itself failed, or its arguments are wrong";

/// The arguments of `lint`.
#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "options of a command line")]
pub struct LintArgs {
    /// Run only these rules, given by code or name [default: all].
    #[arg(value_name = "RULE")]
    rules: Vec<String>,
    #[command(flatten)]
    levels: LevelArgs,
    /// Count warnings as errors.
    #[arg(long)]
    deny_warnings: bool,
    /// Write the findings in this format: human, concise, json, sarif or github (repeatable) [default: human].
    #[arg(long, value_name = "FORMAT[=PATH]")]
    format: Vec<String>,
    /// Fix the findings that can be fixed automatically.
    #[arg(long)]
    fix: bool,
    /// Show what `--fix` would change, without changing it.
    #[arg(long, conflicts_with = "fix")]
    diff: bool,
    /// Write all findings to a baseline, and its path to `baseline` in `toolc.toml`, so that later runs do not report them.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["fix", "diff"])]
    write_baseline: Option<PathBuf>,
    /// Remove the entries of the baseline whose findings no longer exist. Adds no new findings.
    #[arg(long, conflicts_with_all = ["fix", "diff", "write_baseline"])]
    prune_baseline: bool,
    /// Show all findings. By default, the format `human` shows the first ten of each rule on standard output.
    #[arg(long)]
    all: bool,
    /// Run again whenever a manifest changes, until Ctrl-C.
    #[arg(long, conflicts_with_all = ["fix", "diff", "write_baseline", "prune_baseline", "list_rules"])]
    watch: bool,
    /// Print how long each stage took.
    #[arg(long)]
    timings: bool,
    /// List all rules, with `--format` text, json or md.
    #[arg(long)]
    list_rules: bool,
}

/// The values of `-A`, `-W` and `-D`, in the order of the command line: the last one that matches a rule wins.
#[derive(Debug, Clone, Default)]
struct LevelArgs(Vec<(String, Option<Level>)>);

const LEVELS: [(&str, char, Option<Level>, &str); 3] = [
    ("allow", 'A', None, "Disable a rule or category"),
    ("warn", 'W', Some(Level::Warning), "Report a rule or category as a warning"),
    ("deny", 'D', Some(Level::Error), "Report a rule or category as an error"),
];

impl Args for LevelArgs {
    fn augment_args(command: clap::Command) -> clap::Command {
        LEVELS.iter().fold(command, |command, (name, short, _, help)| {
            let arg = Arg::new(*name).long(*name).short(*short).help(*help);
            command.arg(arg.value_name("CODE|NAME|CATEGORY").action(ArgAction::Append))
        })
    }

    fn augment_args_for_update(command: clap::Command) -> clap::Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for LevelArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut all = Vec::new();
        for (name, _, level, _) in LEVELS {
            let indices = matches.indices_of(name).into_iter().flatten();
            let texts = matches.get_many::<String>(name).into_iter().flatten();
            all.extend(indices.zip(texts).map(|(index, text)| (index, text.clone(), level)));
        }
        all.sort_by_key(|(index, ..)| *index);
        Ok(Self(all.into_iter().map(|(_, text, level)| (text, level)).collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// Lints the project. Returns whether no finding is an error.
pub(super) fn run(project: Project, args: &LintArgs, streams: &mut Streams<'_>) -> Result<bool, Failure> {
    if args.list_rules {
        return list_rules(&args.format, streams);
    }
    let options = options(args)?;
    let formats = formats(&args.format)?;
    let root = find_root(project.root)?;
    let mut timings = Timings::default();
    if args.watch {
        return watch(&root, streams, |streams| {
            let mut timings = Timings::default();
            let (sources, memory) = timings.measure("scan", || Memory::scan(&root, &options, true))?;
            let compilation = compile_timed(&sources, &options, memory.kept(), &mut timings);
            memory.store(&sources);
            sources.check_unchanged()?;
            report(&sources, &compilation, &formats, args, &mut timings, streams)?;
            let baseline = compilation.catalog.as_ref().and_then(|catalog| catalog.settings().baseline.as_ref());
            Ok(Run::new(String::new(), &compilation.diagnostics, baseline.map(|file| root.join(&file.value))))
        });
    }
    // Never dropped, because the process ends after the command, and freeing a large catalog takes as long as checking it.
    let (sources, memory) = timings.measure("scan", || Memory::scan(&root, &options, true))?;
    let mut sources = ManuallyDrop::new(sources);
    if let Some(file) = &args.write_baseline {
        return write_baseline(&sources, &options, file, &root, streams);
    }
    if args.prune_baseline {
        return prune_baseline(&sources, &options, &root, streams);
    }
    if args.diff {
        return diff(&sources, &options, streams);
    }
    if args.fix {
        let fixed = timings.measure("fix", || fix(&sources, &options));
        for (id, text) in &fixed {
            sources.write(*id, text)?;
        }
        sources = ManuallyDrop::new(sources.with(&fixed));
        print(
            streams.err,
            &match fixed.len() {
                0 => NOTHING_TO_FIX.to_owned(),
                count => format!("fixed: {}\n", plural(count, "file")),
            },
        )?;
    }
    let compilation = ManuallyDrop::new(compile_timed(&sources, &options, memory.kept(), &mut timings));
    memory.store(&sources);
    sources.check_unchanged()?;
    report(&sources, &compilation, &formats, args, &mut timings, streams)?;
    Ok(compilation.catalog.is_some())
}

/// Writes the findings in the formats that were asked for.
fn report(
    sources: &Sources,
    compilation: &Compilation,
    formats: &[Target],
    args: &LintArgs,
    timings: &mut Timings,
    streams: &mut Streams<'_>,
) -> Result<(), Failure> {
    let places = Places::new(sources);
    let checked = compilation.catalog.as_ref().map(|it| (it.tools().count(), it.toolsets().count()));
    let mut report = Report {
        findings: &compilation.diagnostics,
        places: &places,
        // The summary of each run says that nothing was found.
        checked: checked.filter(|_| !args.watch),
        colour: false,
        shown: Shown::All,
        program: &streams.program,
    };
    for (format, path) in formats {
        let to_stdout = path.is_none();
        report.colour = to_stdout && streams.colour[0];
        report.shown = if to_stdout && !args.all { Shown::Capped } else { Shown::All };
        let text = timings.measure("report", || (format.write)(&report));
        match path {
            None => print(streams.out, &text)?,
            Some(path) => write_target(path, &text)?,
        }
    }
    if args.timings {
        print(streams.err, &timings.table())?;
    }
    Ok(())
}

/// Removes the unused entries of the project's baseline.
fn prune_baseline(
    sources: &Sources,
    options: &Options,
    root: &Path,
    streams: &mut Streams<'_>,
) -> Result<bool, Failure> {
    let unused = codes::UNUSED_BASELINE_ENTRY;
    let mut options = options.clone();
    options.levels.push((unused, Some(Level::Warning)));
    if !options.only.is_empty() {
        options.only.push(unused);
    }
    let compilation = compile_with(sources, &options);
    let Some(baseline) = sources.other() else {
        return Err(Failure::new("the project has no baseline that can be read: set `baseline` in `toolc.toml`"));
    };
    let failed = |why| Failure::new(format!("failed to read the baseline `{}`: {why}", baseline.path));
    let (kept, removed) = Baseline::pruned(&baseline.text, sources, &compilation.diagnostics).map_err(failed)?;
    if removed > 0 {
        write_target(&root.join(&baseline.path), &kept.text())?;
    }
    let entries = if removed == 1 { "1 entry".to_owned() } else { format!("{removed} entries") };
    print(streams.out, &format!("{}: {entries} removed, {} kept\n", baseline.path, kept.len()))?;
    Ok(true)
}

/// Prints the documentation of a rule, given by code or name.
pub(super) fn explain(rule: &str, as_markdown: bool, streams: &mut Streams<'_>) -> Result<bool, Failure> {
    let code = lint::find(rule).ok_or_else(|| unknown(rule))?;
    let text = if as_markdown { code.markdown() } else { markdown::render(&code.markdown(), streams.colour[0]) };
    print(streams.out, &text)?;
    Ok(true)
}

fn list_rules(formats: &[String], streams: &mut Streams<'_>) -> Result<bool, Failure> {
    let text = match formats {
        [] => docs_page::text(),
        [format] if format == "text" => docs_page::text(),
        [format] if format == "json" => docs_page::json(),
        [format] if format == "md" => docs_page::markdown(),
        _ => return Err(Failure::new("`--list-rules` supports only one `--format`: text, json or md")),
    };
    print(streams.out, &text)?;
    Ok(true)
}

fn options(args: &LintArgs) -> Result<Options, Failure> {
    let mut options = Options { deny_warnings: args.deny_warnings, ..Options::default() };
    for rule in &args.rules {
        match lint::select(rule) {
            Selected::Rules(rules) => options.only.extend(rules),
            Selected::Fixed(code) => options.only.push(code),
            Selected::Unknown => return Err(unknown(rule)),
        }
    }
    for (name, level) in &args.levels.0 {
        match lint::select(name) {
            Selected::Rules(rules) => options.levels.extend(rules.into_iter().map(|code| (code, *level))),
            // It is an error already.
            Selected::Fixed(_) if *level == Some(Level::Error) => {}
            Selected::Fixed(code) => {
                return Err(Failure::new(format!("`{}` is always an error: its level cannot be changed", code.name)));
            }
            Selected::Unknown => return Err(unknown(name)),
        }
    }
    Ok(options)
}

fn unknown(rule: &str) -> Failure {
    let names: Vec<&str> = lint::all_codes().flat_map(|code| [code.id, code.name]).collect();
    let hint = did_you_mean(&nearest(rule, names));
    let hint = hint.unwrap_or_else(|| "`lint --list-rules` lists all rules".to_owned());
    Failure::new(format!("unknown rule `{rule}`: {hint}"))
}

/// A format, and the file to write; `None` is standard output.
type Target = (&'static Format, Option<PathBuf>);

/// Parses the values of `--format`: `NAME` or `NAME=PATH`.
fn formats(values: &[String]) -> Result<Vec<Target>, Failure> {
    let format = |value: &String| {
        let (name, path) = match value.split_once('=') {
            Some((name, path)) => (name, Some(PathBuf::from(path))),
            None => (value.as_str(), None),
        };
        let names: Vec<&str> = Format::ALL.iter().map(|format| format.name).collect();
        let failure = || Failure::new(format!("unknown format `{name}`: the formats are {}", names.join(", ")));
        Format::named(name).map(|format| (format, path)).ok_or_else(failure)
    };
    let targets = values.iter().map(format).collect::<Result<Vec<Target>, Failure>>()?;
    if targets.iter().filter(|(_, path)| path.is_none()).count() > 1 {
        return Err(Failure::new(
            "only one format can be written to standard output: write the others to files with `--format NAME=PATH`",
        ));
    }
    Ok(if targets.is_empty() { vec![(&Format::ALL[0], None)] } else { targets })
}

/// What `--fix` and `--diff` print if they change nothing.
const NOTHING_TO_FIX: &str = "no finding has a fix\n";

/// Prints what `--fix` would change. Returns whether the files as they are have no error.
fn diff(sources: &Sources, options: &Options, streams: &mut Streams<'_>) -> Result<bool, Failure> {
    let mut text = String::new();
    for (id, fixed) in fix(sources, options) {
        let path = sources.display(id);
        text += &unified_diff(Algorithm::Myers, &sources.get(id).text, &fixed, 3, Some((&path, &path)));
    }
    if text.is_empty() {
        print(streams.err, NOTHING_TO_FIX)?;
    }
    print(streams.out, &text)?;
    Ok(compile_with(sources, options).catalog.is_some())
}

fn write_baseline(
    sources: &Sources,
    options: &Options,
    file: &Path,
    root: &Path,
    streams: &mut Streams<'_>,
) -> Result<bool, Failure> {
    let options = Options { without_baseline: true, ..options.clone() };
    let compilation = compile_with(sources, &options);
    let baseline = Baseline::new(&compilation.diagnostics, &Places::new(sources));
    write_target(&root.join(file), &baseline.text())?;
    print(streams.out, &format!("{}: {} written\n", file.display(), plural(baseline.len(), "finding")))?;
    let errors = compilation.diagnostics.iter().filter(|found| found.code.is_fixed()).count();
    if errors > 0 {
        let errors = plural(errors, "error");
        print(streams.err, &format!("{errors} cannot be added to a baseline: `lint` shows what to correct\n"))?;
    }
    use_baseline(sources, file, root, streams)?;
    Ok(errors == 0)
}

/// Writes the path of the baseline to `toolc.toml`, so that later runs use it. Prints the line to add if the file cannot be edited.
fn use_baseline(sources: &Sources, file: &Path, root: &Path, streams: &mut Streams<'_>) -> Result<(), Failure> {
    let path = project_path(file, root);
    let old = sources.find(SETTINGS);
    let is_readable = old.is_none_or(|id| sources.get(id).fault.is_none());
    let new = manifests::with_baseline(old.map(|id| &*sources.get(id).text), &path).filter(|_| is_readable);
    let line = manifests::baseline_line(&path);
    let Some(new) = new else {
        let line = line.trim_end();
        return print(streams.err, &format!("{SETTINGS} cannot be read: to use the baseline, add the line `{line}`\n"));
    };
    match old {
        Some(id) if *sources.get(id).text == *new => return Ok(()),
        Some(id) => sources.write(id, &new)?,
        None => write_target(&root.join(SETTINGS), &new)?,
    }
    print(streams.out, &format!("{SETTINGS}: `{}` written\n", line.trim_end()))
}

/// Returns the path of a file relative to the project, with `/` as separator, or as it is if the file is elsewhere.
fn project_path(file: &Path, root: &Path) -> String {
    let inside = root.join(file);
    let inside = inside.strip_prefix(root).unwrap_or(file);
    let text = inside.to_string_lossy();
    if cfg!(windows) { text.replace('\\', "/") } else { text.into_owned() }
}
