//! `gen`: checks the manifests and writes the generated files, or compares them.

use std::mem::ManuallyDrop;
use std::path::Path;

use clap::Args;
use similar::TextDiff;

use super::{Project, Streams, find_root, print};
use crate::build_cache::{BuildCache, Digests};
use crate::check::Checked;
use crate::emit;
use crate::failure::Failure;
use crate::lint::Options;
use crate::lower::lower;
use crate::project::GENERATED;
use crate::report::{Shown, plural};
use crate::source::{Kind, Sources};
use crate::timings::Timings;
use crate::write::{self, Plan, Stale};
use crate::{Compilation, compile_timed};

/// The arguments of `gen`.
#[derive(Debug, Clone, Copy, Default, Args)]
pub struct GenArgs {
    /// Write nothing, and fail if a generated file is out of date.
    #[arg(long)]
    pub check: bool,
    /// With `--check`, show the lines that gen would change.
    #[arg(long, requires = "check")]
    pub diff: bool,
    /// Print how long each stage took.
    #[arg(long)]
    pub timings: bool,
}

/// Runs `gen`. Returns whether the manifests have no error and, for `--check`, no generated file is out of date.
pub(super) fn run(project: Project, args: GenArgs, streams: &mut Streams<'_>) -> Result<bool, Failure> {
    let root = find_root(project.root)?;
    let mut timings = Timings::default();
    // Never dropped, because the process ends after the command, and freeing a large catalog takes as long as checking it.
    let sources = ManuallyDrop::new(timings.measure("scan", || Sources::scan(&root))?);
    if sources.all().iter().any(|source| source.kind == Some(Kind::Plugin)) {
        return Err(Failure::new(format!(
            "{} is a plugin, and gen generates nothing for plugins: the host reads the manifests; `{} lint` checks them",
            root.display(),
            streams.program
        )));
    }
    let compilation = ManuallyDrop::new(compile_timed(&sources, &Options::default(), &mut timings));
    let Compilation { catalog, diagnostics } = &*compilation;
    streams.report(&sources, diagnostics, Shown::Errors)?;
    let success = match catalog {
        Some(catalog) if args.check => check(&root, &sources, catalog, args.diff, streams, &mut timings)?,
        Some(catalog) => write(&root, &sources, catalog, streams, &mut timings).map(|()| true)?,
        None => false,
    };
    if args.timings {
        print(streams.err, &timings.table())?;
    }
    Ok(success)
}

fn write(
    root: &Path,
    sources: &Sources,
    catalog: &Checked,
    streams: &mut Streams<'_>,
    timings: &mut Timings,
) -> Result<(), Failure> {
    let _lock = write::lock(root);
    let cache = BuildCache::open(root);
    let plan = plan(root, sources, catalog, &cache, timings)?;
    timings.measure("write", || {
        plan.apply()?;
        cache.store(root, &plan.files);
        Ok(())
    })?;
    let removed = plan.orphans.iter().map(|orphan| format!("removed: {}\n", orphan.name));
    let mut text = first_lines(removed, 40);
    let counts = (plan.stale.len(), plural(plan.files.len(), "file"), plan.orphans.len());
    text += &format!("{}: {} of {} written, {} removed\n", folders(catalog), counts.0, counts.1, counts.2);
    print(streams.out, &text)
}

/// Renders what has changed, and compares it with the disk.
fn plan(
    root: &Path,
    sources: &Sources,
    catalog: &Checked,
    cache: &BuildCache,
    timings: &mut Timings,
) -> Result<Plan, Failure> {
    timings.measure("emit", || {
        let lowered = lower(catalog);
        let digests = Digests::new(sources, &lowered);
        let module = catalog.settings().rust.as_deref();
        write::plan(root, module, &emit::drafts(&lowered), &digests, cache)
    })
}

/// Returns the folders of generated files, for messages.
fn folders(catalog: &Checked) -> String {
    let module = catalog.settings().rust.as_ref();
    module.map_or(format!("{GENERATED}/"), |module| format!("{GENERATED}/, {module}/"))
}

/// Prints which generated files are out of date. Returns true if none is.
fn check(
    root: &Path,
    sources: &Sources,
    catalog: &Checked,
    with_diff: bool,
    streams: &mut Streams<'_>,
    timings: &mut Timings,
) -> Result<bool, Failure> {
    // Every file is rendered, so that a wrong entry of the cache cannot hide a stale file.
    let plan = plan(root, sources, catalog, &BuildCache::default(), timings)?;
    if plan.is_clean() {
        let files = plural(plan.files.len(), "file");
        print(streams.out, &format!("{}: {files} up to date\n", folders(catalog)))?;
        return Ok(true);
    }
    let stale = plan.stale.iter().map(|stale| {
        let word = if stale.exists { "stale" } else { "missing" };
        format!("{word}: {}\n", stale.output.path)
    });
    let orphans = plan.orphans.iter().map(|orphan| format!("orphan: {}\n", orphan.name));
    let mut text = first_lines(stale.chain(orphans), 500);
    if with_diff {
        text += &first_lines(plan.stale.iter().flat_map(diff), 1_000);
    }
    text += &format!("run `{} gen`, and commit what it writes", streams.program);
    text += if with_diff { "\n" } else { "; `--diff` shows the changed lines\n" };
    print(streams.out, &text)?;
    Ok(false)
}

/// Returns the lines that gen would change in a file, or a line that says why they are not shown. None for a missing file.
fn diff(stale: &Stale) -> Vec<String> {
    const LINES: usize = 40;
    const CHARACTERS: usize = 1_000;
    let path = &stale.output.path;
    let mut lines = vec![format!("--- {path}\n"), format!("+++ {path}, as gen writes it\n")];
    match &stale.found {
        _ if !stale.exists => return Vec::new(),
        _ if stale.is_packed => lines.push("    (packed data: not shown)\n".to_owned()),
        None => lines.push("    (not text: not shown)\n".to_owned()),
        Some(found) => {
            let diff = TextDiff::from_lines(found.as_str(), &stale.output.text).unified_diff().to_string();
            let cut = |line: &str| match line.char_indices().nth(CHARACTERS) {
                Some((end, _)) => format!("{}…\n", &line[..end]),
                None => format!("{line}\n"),
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
