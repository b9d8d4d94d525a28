//! `--watch`: runs a command again whenever a manifest changes, until the process is interrupted.
//!
//! The manifests are polled: the times and sizes of a thousand files take a few milliseconds, on every system and file system.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use toolc_tables::visible::visible;

use super::{Streams, print};
use crate::diagnostic::{Diagnostic, Level};
use crate::failure::Failure;
use crate::project::{MANIFESTS, PLUGIN, SETTINGS};
use crate::report::plural;
use crate::source::{is_read, walk};

/// The time between two polls.
const INTERVAL: Duration = Duration::from_millis(300);

/// A change is complete if nothing has changed for this time: editors and git write several files, or a file in several steps.
const QUIET: Duration = Duration::from_millis(60);

/// The maximum number of pauses of [`QUIET`] before a run, even if files still change.
const MAX_WAITS: usize = 20;

/// One run of the command.
pub(super) struct Run {
    /// What the run did, for the summary. Can be empty.
    pub(super) done: String,
    /// The numbers of errors and warnings.
    pub(super) counts: [usize; 2],
    /// The baseline of the project, which is watched as well. `None` if it has none, or is unknown because of errors.
    pub(super) baseline: Option<PathBuf>,
}

impl Run {
    pub(super) fn new(done: String, findings: &[Diagnostic], baseline: Option<PathBuf>) -> Self {
        let count = |level| findings.iter().filter(|found| found.level == level).count();
        Self { done, counts: [count(Level::Error), count(Level::Warning)], baseline }
    }
}

/// The size and the time of the last change of each file.
type Snapshot = BTreeMap<PathBuf, FileState>;
type FileState = (u64, Option<SystemTime>);

/// Runs a command now and after each change. Ends only if the output is closed.
pub(super) fn watch(
    root: &Path,
    streams: &mut Streams<'_>,
    mut run: impl FnMut(&mut Streams<'_>) -> Result<Run, Failure>,
) -> Result<bool, Failure> {
    let mut baseline = None;
    let mut last: Option<Snapshot> = None;
    loop {
        let mut now = match &last {
            None => snapshot(root, baseline.as_deref()),
            Some(last) => wait_for_change(root, baseline.as_deref(), last),
        };
        let start = Instant::now();
        let outcome = run(streams);
        let time = start.elapsed();
        let text = match outcome {
            Ok(Run { done, counts, baseline: found }) => {
                if counts[0] == 0 && found != baseline {
                    baseline = found;
                }
                let findings = match counts {
                    [0, 0] => "no findings".to_owned(),
                    [errors, warnings] => format!("{}, {}", plural(errors, "error"), plural(warnings, "warning")),
                };
                if done.is_empty() { findings } else { format!("{done}; {findings}") }
            }
            // For example, the folder was removed. It may come back.
            Err(failure) => {
                print(streams.err, &format!("error: {}\n", visible(&failure.to_string())))?;
                "failed".to_owned()
            }
        };
        let changed = last.as_ref().map_or_else(|| "start".to_owned(), |last| changed(root, last, &now));
        let line = format!("[{}] {}: {text}; {} ms\n", clock(), visible(&changed), time.as_millis());
        match streams.out.write_all(line.as_bytes()).and_then(|()| streams.out.flush()) {
            Err(error) if error.kind() == ErrorKind::BrokenPipe => return Ok(true),
            other => other.map_err(|error| Failure::new(format!("failed to write the result: {error}")))?,
        }
        // A baseline that this run was the first to read is not a change after it.
        now.extend(baseline.clone().filter(|path| !now.contains_key(path)).and_then(state));
        // The state before the run: a change during the run starts another one.
        last = Some(now);
    }
}

/// Waits until the files differ from `last` and no more change, and returns their state.
fn wait_for_change(root: &Path, baseline: Option<&Path>, last: &Snapshot) -> Snapshot {
    let mut now = snapshot(root, baseline);
    while now == *last {
        sleep(INTERVAL);
        now = snapshot(root, baseline);
    }
    for _ in 0..MAX_WAITS {
        sleep(QUIET);
        let next = snapshot(root, baseline);
        if std::mem::replace(&mut now, next) == now {
            break;
        }
    }
    now
}

fn snapshot(root: &Path, baseline: Option<&Path>) -> Snapshot {
    let entries = walk(&root.join(MANIFESTS));
    let paths = entries.iter().filter_map(|found| found.path().map(Path::to_owned));
    let manifests = paths.filter(|path| is_read(root, path));
    let others = [Some(root.join(SETTINGS)), Some(root.join(PLUGIN)), baseline.map(Path::to_owned)];
    manifests.chain(others.into_iter().flatten()).filter_map(state).collect()
}

/// Returns the path with its state, or `None` if nothing is there.
fn state(path: PathBuf) -> Option<(PathBuf, FileState)> {
    let about = fs::metadata(&path).ok()?;
    Some((path, (about.len(), about.modified().ok())))
}

/// Returns the paths that differ, relative to the project.
fn changed(root: &Path, before: &Snapshot, after: &Snapshot) -> String {
    let paths: BTreeSet<&PathBuf> = before.keys().chain(after.keys()).collect();
    let mut differing = paths.into_iter().filter(|path| before.get(*path) != after.get(*path));
    let first = differing.next().map(|path| path.strip_prefix(root).unwrap_or(path).display().to_string());
    match (first, differing.count()) {
        // The change was undone while the files were settling.
        (None, _) => "no change".to_owned(),
        (Some(first), 0) => first,
        (Some(first), others) => format!("{first} and {}", plural(others, "other file")),
    }
}

/// Returns the time of day in UTC: the standard library does not know the local time.
fn clock() -> String {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs() % 86_400;
    format!("{:02}:{:02}:{:02}Z", seconds / 3_600, seconds / 60 % 60, seconds % 60)
}
