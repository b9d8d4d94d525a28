//! `gen`: checks the manifests and writes the generated files, or compares them.

use std::mem::ManuallyDrop;
use std::path::Path;
use std::thread;

use clap::Args;
use similar::Algorithm;
use similar::udiff::unified_diff;
use toolc_tables::visible::visible;

use super::watch::{Run, watch};
use super::{Memory, Project, Streams, find_root, print};
use crate::build_cache::{BuildCache, Digests};
use crate::check::Checked;
use crate::emit;
use crate::failure::Failure;
use crate::lint::Options;
use crate::lower::lower;
use crate::report::{Shown, plural};
use crate::source::{Kind, Sources};
use crate::timings::Timings;
use crate::write::{self, Plan, Stale};
use crate::{Compilation, compile_timed};

/// The arguments of `gen`.
#[derive(Debug, Clone, Default, Args)]
#[expect(clippy::struct_excessive_bools, reason = "options of a command line")]
pub struct GenArgs {
    /// Write nothing, and fail if a generated file is out of date.
    #[arg(long)]
    pub check: bool,
    /// With `--check`, show the lines that gen would change.
    #[arg(long, requires = "check")]
    pub diff: bool,
    /// Run again whenever a manifest changes, until Ctrl-C.
    #[arg(long, conflicts_with = "check")]
    pub watch: bool,
    /// Print how long each stage took.
    #[arg(long)]
    pub timings: bool,
    /// Also write a package in Python to this folder, relative to the project. Default: `python` in toolc.toml.
    #[arg(long, value_name = "DIR")]
    pub python: Option<String>,
    /// Also write a module in TypeScript to this folder, relative to the project. Default: `typescript` in toolc.toml.
    #[arg(long, value_name = "DIR")]
    pub typescript: Option<String>,
}

impl GenArgs {
    /// Returns the command that writes the same files.
    fn command(&self) -> String {
        let folders = [("python", &self.python), ("typescript", &self.typescript)];
        let options = folders.into_iter().filter_map(|(name, folder)| Some(format!(" --{name} {}", folder.as_ref()?)));
        format!("gen{}", options.collect::<String>())
    }
}

/// Runs `gen`. Returns whether the manifests have no error and, for `--check`, no generated file is out of date.
pub(super) fn run(project: Project, args: &GenArgs, streams: &mut Streams<'_>) -> Result<bool, Failure> {
    let root = find_root(project.root)?;
    if args.watch {
        return watch(&root, streams, |streams| {
            let Outcome { sources, compilation, summary, .. } = run_once(&root, args, streams)?;
            let baseline = compilation.catalog.as_ref().and_then(|catalog| catalog.settings().baseline.as_ref());
            let run = Run::new(summary, &compilation.diagnostics, baseline.map(|file| root.join(&file.value)));
            // This process keeps running, so the memory is freed.
            drop((ManuallyDrop::into_inner(compilation), ManuallyDrop::into_inner(sources)));
            Ok(run)
        });
    }
    let outcome = run_once(&root, args, streams)?;
    print(streams.out, &outcome.text)?;
    Ok(outcome.success)
}

/// The result of one run.
struct Outcome {
    // Not dropped before the process ends, because freeing a large catalog takes as long as checking it.
    sources: ManuallyDrop<Sources>,
    compilation: ManuallyDrop<Compilation>,
    success: bool,
    /// The output of a single run.
    text: String,
    /// The summary of this run with `--watch`.
    summary: String,
}

fn run_once(root: &Path, args: &GenArgs, streams: &mut Streams<'_>) -> Result<Outcome, Failure> {
    let mut timings = Timings::default();
    let options = Options::default();
    let (sources, memory) = timings.measure("scan", || Memory::scan(root, &options, !args.check))?;
    let sources = ManuallyDrop::new(sources);
    let mut compilation = ManuallyDrop::new(compile_timed(&sources, &options, memory.kept(), &mut timings));
    if let Some(catalog) = &mut compilation.catalog {
        catalog.replace_folders(args.python.as_deref(), args.typescript.as_deref()).map_err(Failure::new)?;
    }
    let is_plugin = sources.all().iter().any(|source| source.kind == Some(Kind::Plugin));
    let has_folder = args.python.is_some()
        || args.typescript.is_some()
        || compilation.catalog.as_ref().is_some_and(|catalog| catalog.generated_folders().next().is_some());
    if is_plugin && !has_folder {
        return Err(Failure::new(format!(
            "{} is a plugin, whose manifests the host reads: gen writes only its types in other languages, with `--python DIR` or \
             `--typescript DIR`; `{} lint` checks the manifests",
            root.display(),
            streams.program
        )));
    }
    // What this run keeps is stored while the files are generated.
    let (success, text, summary) = thread::scope(|scope| {
        if !args.check {
            scope.spawn(|| memory.store(&sources));
        }
        generate(root, args, &sources, &compilation, &mut timings, streams)
    })?;
    Ok(Outcome { sources, compilation, success, text, summary })
}

/// Reports the findings, and writes or compares the generated files if none is an error. Returns whether that succeeded, the output, and the
/// summary.
fn generate(
    root: &Path,
    args: &GenArgs,
    sources: &Sources,
    compilation: &Compilation,
    timings: &mut Timings,
    streams: &mut Streams<'_>,
) -> Result<(bool, String, String), Failure> {
    streams.report(sources, &compilation.diagnostics, Shown::Errors)?;
    let mut summary = "nothing written".to_owned();
    let (mut success, mut text) = (false, String::new());
    match &compilation.catalog {
        Some(catalog) if args.check => {
            let command = format!("{} {}", streams.program, args.command());
            (success, text) = check(root, sources, catalog, args.diff, &command, timings)?;
        }
        Some(catalog) => {
            (text, summary) = write(root, sources, catalog, timings)?;
            success = true;
        }
        None => {}
    }
    if args.timings {
        print(streams.err, &timings.table())?;
    }
    Ok((success, text, summary))
}

/// Writes the generated files. Returns the output, and the counts in it.
fn write(
    root: &Path,
    sources: &Sources,
    catalog: &Checked,
    timings: &mut Timings,
) -> Result<(String, String), Failure> {
    let _lock = write::lock(root);
    let (plan, cache) = plan(root, sources, catalog, |cache| cache, timings)?;
    sources.check_unchanged()?;
    timings.measure("write", || {
        plan.apply()?;
        cache.store(root, &plan.files);
        Ok(())
    })?;
    let (files, removed) = (plural(plan.files.len(), "file"), plan.orphans.len());
    let counts = format!("{} of {files} written, {removed} removed", plan.stale.len());
    let orphans = plan.orphans.iter().map(|orphan| format!("removed: {}\n", visible(&orphan.name)));
    let text = format!("{}{}: {counts}\n", first_lines(orphans, 40), folders(catalog));
    Ok((text, counts))
}

/// Renders what has changed, and compares it with the disk and with the build cache as `with` changes it.
fn plan(
    root: &Path,
    sources: &Sources,
    catalog: &Checked,
    with: impl FnOnce(BuildCache) -> BuildCache + Send,
    timings: &mut Timings,
) -> Result<(Plan, BuildCache), Failure> {
    timings.measure("emit", || {
        let lowered = lower(catalog);
        let render = || (Digests::new(sources, &lowered), emit::drafts(&lowered));
        let (cache, (digests, drafts)) = rayon::join(|| with(BuildCache::open(root)), render);
        Ok((write::plan(root, catalog.generated_folders(), &drafts, &digests, &cache)?, cache))
    })
}

/// Returns the folders of generated files, for messages.
fn folders(catalog: &Checked) -> String {
    catalog.generated_folders().map(|folder| format!("{folder}/")).collect::<Vec<_>>().join(", ")
}

/// Compares the generated files. Returns whether none is out of date, and the output. `command` is the one that writes them.
fn check(
    root: &Path,
    sources: &Sources,
    catalog: &Checked,
    with_diff: bool,
    command: &str,
    timings: &mut Timings,
) -> Result<(bool, String), Failure> {
    let (plan, _) = plan(root, sources, catalog, BuildCache::by_text, timings)?;
    if plan.is_clean() {
        return Ok((true, format!("{}: {} up to date\n", folders(catalog), plural(plan.files.len(), "file"))));
    }
    let stale = plan.stale.iter().map(|stale| {
        let word = if stale.exists { "stale" } else { "missing" };
        format!("{word}: {}\n", visible(&stale.name))
    });
    let orphans = plan.orphans.iter().map(|orphan| format!("orphan: {}\n", visible(&orphan.name)));
    let mut text = first_lines(stale.chain(orphans), 500);
    if with_diff {
        text += &first_lines(plan.stale.iter().flat_map(diff), 1_000);
    }
    text += &format!("run `{command}`, and commit what it writes");
    text += if with_diff { "\n" } else { "; `--diff` shows the changed lines\n" };
    Ok((false, text))
}

/// Returns the lines that gen would change in a file, or a line that says why they are not shown. Empty for a missing file.
fn diff(stale: &Stale) -> Vec<String> {
    const LINES: usize = 40;
    const CHARACTERS: usize = 1_000;
    let (path, text) = (&stale.name, stale.text().unwrap_or_default());
    let mut lines = vec![format!("--- {path}\n"), format!("+++ {path}, as gen writes it\n")];
    match stale.found.as_deref().and_then(|found| std::str::from_utf8(found).ok()) {
        _ if !stale.exists => return Vec::new(),
        _ if stale.is_packed => lines.push("    (packed data: not shown)\n".to_owned()),
        None => lines.push("    (not text: not shown)\n".to_owned()),
        Some(found) => {
            let diff = unified_diff(Algorithm::Myers, found, text, 3, None);
            let cut = |line: &str| match line.char_indices().nth(CHARACTERS) {
                Some((end, _)) => format!("{}…\n", visible(&line[..end])),
                None => format!("{}\n", visible(line)),
            };
            lines.push(first_lines(diff.lines().map(cut), LINES));
        }
    }
    lines
}

/// Joins the first lines, and adds the number of omitted lines.
fn first_lines(mut lines: impl Iterator<Item = String>, count: usize) -> String {
    let text: String = lines.by_ref().take(count).collect();
    match lines.count() {
        0 => text,
        omitted => format!("{text}... and {omitted} more lines\n"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_lines_are_cut_and_counted() {
        let lines = |count: usize| first_lines((0..count).map(|line| format!("{line}\n")), 40);
        assert_eq!(lines(0), "");
        assert!(lines(40).ends_with("39\n"));
        assert!(lines(42).ends_with("39\n... and 2 more lines\n"));
    }
}
