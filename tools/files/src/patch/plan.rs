//! The mode `patch`: computes and checks the new content of every file first, and then writes all of them or none.

use std::path::{Path, PathBuf};

use toolc::{Call, ErrorKind, ToolError};
use toolc_catalog::file::patch::{ReturnsFilesItem as PatchedFile, ReturnsFilesItemAction as Action};
use toolc_environment::files::Metadata;

use super::change::{ChangeKind, FileChange, Hunk, Op};
use super::difference::Differences;
use super::find::Comparison;
use super::hunks::{self, Applied, HunkFailure};
use super::transaction::{self, CommitError, Write};
use super::{load, parse, split_bom};
use crate::access::{AccessLog, Knowledge};
use crate::changes::{ChangeLog, Content};
use crate::handlers::{FileHandlers, integer};
use crate::numbered::{Numbers, numbers};
use crate::open;
use crate::syntax::SyntaxChecker;
use crate::task_files::TaskFiles;
use crate::write::check_knowledge;

/// The maximum number of files in a patch.
const MAX_FILES: usize = 100;

/// A checked change of one file.
struct PlannedChange {
    action: Action,
    /// The old file, or `None` if the file is created.
    old: Option<OldFile>,
    /// The new path and content, or `None` if the file is deleted.
    new: Option<(PathBuf, String)>,
    hunks: usize,
    comparison: Option<Comparison>,
    warning: Option<&'static str>,
    /// Whether the task knows the whole new content.
    knows_all: bool,
}

struct OldFile {
    path: PathBuf,
    text: String,
    metadata: Metadata,
}

/// The reason why a file cannot be changed.
enum PlanError {
    Hunks { shown: String, failures: Vec<HunkFailure> },
    Other(ToolError),
}

impl From<ToolError> for PlanError {
    fn from(error: ToolError) -> Self {
        Self::Other(error)
    }
}

/// Applies a patch, whose lines end in `\n`. If `only` is given, the patch may change only this file.
pub(super) fn run(
    handlers: &FileHandlers,
    patch: &str,
    only: Option<&str>,
    call: &Call<'_>,
) -> Result<Vec<PatchedFile>, ToolError> {
    let task = TaskFiles::for_call(handlers, call)?;
    let changes = resolve_paths(&task, parse::parse(patch, only)?, only)?;
    let log = &*call.state::<AccessLog>();
    let lock = task.write_lock(handlers, call);
    let guard = lock.lock();
    let mut planned = Vec::new();
    let mut failures = Vec::new();
    for (path, change) in changes {
        match plan(&task, path, change, log) {
            Ok(file) => planned.push(file),
            Err(PlanError::Hunks { shown, failures: hunks }) => failures.push((shown, hunks)),
            Err(PlanError::Other(error)) => return Err(error),
        }
    }
    if !failures.is_empty() {
        return Err(hunks_error(&failures));
    }
    check_targets(&task, &planned)?;
    let writes: Vec<_> = planned.iter().flat_map(PlannedChange::writes).collect();
    let written =
        transaction::commit(&*task.files(), &writes).map_err(|failure| commit_error(&task, &writes, &failure, log))?;
    let changes = call.state::<ChangeLog>();
    for (write, metadata) in writes.iter().zip(&written) {
        let file = planned.iter().find(|file| file.new.as_ref().is_some_and(|(path, _)| *path == write.path));
        let knows_all = file.is_some_and(|file| file.knows_all);
        let content = write.after.as_deref().unwrap_or_default();
        log.note_write(&write.path, metadata.map(|metadata| metadata.version), knows_all, content.as_bytes());
        let permissions = write.before.as_ref().map(|(before, _)| before.permissions);
        let before = Content::from(write.before.as_ref().map(|(_, text)| text.as_str()));
        changes.add(&task, &write.path, (before, permissions), Content::from(write.after.as_deref()));
    }
    drop(guard);
    let mut differences = Differences::default();
    let checker = SyntaxChecker::new(call, &task);
    Ok(planned.iter().map(|file| file.result(&task, &mut differences, &checker)).collect())
}

/// Resolves the paths, and joins all changes of the same file.
fn resolve_paths<'a>(
    task: &TaskFiles,
    changes: Vec<FileChange<'a>>,
    only: Option<&str>,
) -> Result<Vec<(PathBuf, FileChange<'a>)>, ToolError> {
    let only = only.map(|path| task.locate(path)).transpose()?;
    let mut resolved: Vec<(PathBuf, FileChange<'a>)> = Vec::new();
    for change in changes {
        let path = task.locate(&change.path)?;
        let moves = matches!(&change.kind, ChangeKind::Update { move_to: Some(_), .. });
        if let Some(only) = only.as_ref().filter(|only| **only != path || moves) {
            return Err(ToolError::new(format!(
                "the patch changes files other than `{}`, which `path` names: omit `path`. Nothing was written.",
                task.show(only)
            )));
        }
        let same = resolved.iter_mut().find(|(known, _)| *known == path);
        match (same.map(|(_, known)| &mut known.kind), change.kind) {
            (None, kind) => resolved.push((path, FileChange { path: change.path, kind })),
            (
                Some(ChangeKind::Update { hunks, move_to: None, sequential }),
                ChangeKind::Update { hunks: more, move_to: None, sequential: same },
            ) if *sequential == same => hunks.extend(more),
            _ => {
                return Err(ToolError::new(format!(
                    "`{}` occurs twice in the patch: give all of its changes together. Nothing was written.",
                    change.path
                )));
            }
        }
    }
    if resolved.len() > MAX_FILES {
        return Err(ToolError::with_kind(
            ErrorKind::Refused,
            format!(
                "the patch changes {} files; give at most {MAX_FILES} at once. Nothing was written.",
                resolved.len()
            ),
        ));
    }
    Ok(resolved)
}

fn plan(task: &TaskFiles, path: PathBuf, change: FileChange<'_>, log: &AccessLog) -> Result<PlannedChange, PlanError> {
    task.access().check_write(&path)?;
    let existing = open::writable_metadata(task, &path)?;
    if let Some(existing) = &existing {
        open::recognise(task, log, &path, existing.version);
    }
    let warning = log.warning(&path, existing.map(|existing| existing.version));
    let shown = task.show(&path);
    check_numbers(&change.kind, &shown)?;
    let hunks_failed = |failures| PlanError::Hunks { shown: shown.clone(), failures };
    match change.kind {
        ChangeKind::Create { content } => {
            if change.path.ends_with(['/', std::path::MAIN_SEPARATOR]) {
                return Err(ToolError::new(format!("`{}` names a directory; add the file's name", change.path)).into());
            }
            let old = existing.map(|metadata| OldFile::empty(&path, metadata, &shown)).transpose()?;
            let action = if old.is_some() { Action::Modified } else { Action::Created };
            let new = Some((path, content));
            Ok(PlannedChange { action, old, new, hunks: 1, comparison: None, warning, knows_all: true })
        }
        ChangeKind::Delete { hunks } => {
            check_not_a_link(task, &change.path, &path)?;
            let old = OldFile::load(task, path)?;
            match &hunks {
                Some(hunks) => {
                    check_all_lines_deleted(&apply_hunks(&old.text, hunks, false).map_err(hunks_failed)?, &shown)?;
                }
                None if old.text.is_empty() => {}
                None => check_knowledge(log.knowledge(&old.path, old.metadata.version), &shown, "delete")?,
            }
            let hunks = hunks.map_or(0, |hunks| hunks.len());
            let action = Action::Deleted;
            Ok(PlannedChange { action, old: Some(old), new: None, hunks, comparison: None, warning, knows_all: false })
        }
        ChangeKind::Update { hunks, move_to, sequential } => {
            if move_to.is_some() {
                check_not_a_link(task, &change.path, &path)?;
            }
            let old = OldFile::load(task, path)?;
            let applied = apply_hunks(&old.text, &hunks, sequential).map_err(hunks_failed)?;
            if applied.text == old.text && move_to.is_none() {
                return Err(ToolError::new(format!("the patch does not change `{shown}`: nothing was written")).into());
            }
            let target = match &move_to {
                Some(target) => move_target(task, target)?,
                None => old.path.clone(),
            };
            let action = if move_to.is_some() { Action::Moved } else { Action::Modified };
            let knows_all = log.knowledge(&old.path, old.metadata.version) == Knowledge::Whole;
            let comparison = (!hunks.is_empty()).then_some(applied.comparison);
            let new = Some((target, applied.text));
            Ok(PlannedChange { action, old: Some(old), new, hunks: hunks.len(), comparison, warning, knows_all })
        }
    }
}

/// Fails if the new lines of a change have the line numbers of `read_file`, and its old lines have none.
fn check_numbers(change: &ChangeKind<'_>, shown: &str) -> Result<(), ToolError> {
    let is_numbered = match change {
        ChangeKind::Create { content } => numbers(content) == Numbers::All,
        ChangeKind::Delete { .. } => false,
        ChangeKind::Update { hunks, .. } => hunks.iter().any(|hunk| {
            let added: Vec<_> = hunk.lines.iter().filter(|(op, _)| *op == Op::Add).map(|(_, line)| *line).collect();
            numbers(&added.join("\n")) == Numbers::All && numbers(&hunk.old_lines().join("\n")) == Numbers::None
        }),
    };
    if !is_numbered {
        return Ok(());
    }
    Err(ToolError::with_kind(
        ErrorKind::Refused,
        format!(
            "refused to edit `{shown}`: each new line of the patch begins with a line number and a bar, which `read_file` shows but files do \
             not have; leave them out. Nothing was written."
        ),
    ))
}

/// Fails if a patch deletes a file, but does not contain all of its lines.
fn check_all_lines_deleted(applied: &Applied, shown: &str) -> Result<(), ToolError> {
    if applied.text.is_empty() {
        return Ok(());
    }
    Err(ToolError::new(format!(
        "the patch deletes `{shown}`, but not all of its lines are in the patch: read it again. Nothing was written."
    )))
}

/// Applies hunks to a text. The hunks do not contain its byte order mark.
fn apply_hunks(text: &str, hunks: &[Hunk<'_>], sequential: bool) -> Result<Applied, Vec<HunkFailure>> {
    let (bom, body) = split_bom(text);
    let applied = hunks::apply(body, hunks, sequential)?;
    let text = if applied.text.is_empty() { applied.text } else { [bom, &applied.text].concat() };
    Ok(Applied { text, ..applied })
}

/// Resolves the new path of a moved file.
fn move_target(task: &TaskFiles, target: &str) -> Result<PathBuf, ToolError> {
    let path = task.locate(target)?;
    task.access().check_write(&path)?;
    if target.ends_with(['/', std::path::MAIN_SEPARATOR]) {
        return Err(ToolError::new(format!("`{target}` names a directory; add the file's name")));
    }
    match task.files().metadata(&path) {
        Ok(_) => Err(ToolError::new(format!(
            "the patch moves a file to `{}`, which exists already; choose another path. Nothing was written.",
            task.show(&path)
        ))),
        Err(_) => Ok(path),
    }
}

/// Fails if the last component of the path is a symbolic link: otherwise, its target would be removed, and the link would remain. Also
/// fails if the path ends in `..`, because it then has no file name.
fn check_not_a_link(task: &TaskFiles, text: &str, path: &Path) -> Result<(), ToolError> {
    let written = task.absolute(text);
    if let (Some(folder), Some(name)) = (written.parent(), written.file_name())
        && task.files().resolve(folder).is_ok_and(|folder| folder.join(name) == path)
    {
        return Ok(());
    }
    Err(ToolError::with_kind(
        ErrorKind::Refused,
        format!("`{text}` is a symbolic link; remove or rename it with a command. Nothing was written."),
    ))
}

/// Fails if two files of the patch would have the same path.
fn check_targets(task: &TaskFiles, planned: &[PlannedChange]) -> Result<(), ToolError> {
    let paths = |file: &'_ PlannedChange| {
        let old = file.old.as_ref().map(|old| old.path.clone());
        let new = file.new.as_ref().map(|(path, _)| path.clone()).filter(|new| old.as_ref() != Some(new));
        [old, new].into_iter().flatten().collect::<Vec<_>>()
    };
    let mut all: Vec<_> = planned.iter().flat_map(paths).collect();
    all.sort();
    match all.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => Err(ToolError::new(format!(
            "`{}` is the path of two files of the patch; change them in separate calls. Nothing was written.",
            task.show(&pair[0])
        ))),
        None => Ok(()),
    }
}

impl OldFile {
    /// Returns an existing file that a patch may create, because it is empty.
    fn empty(path: &Path, metadata: Metadata, shown: &str) -> Result<Self, ToolError> {
        if metadata.version.is_empty() {
            return Ok(Self { path: path.to_owned(), text: String::new(), metadata });
        }
        Err(ToolError::new(format!(
            "the patch creates `{shown}`, which exists already; give its old lines to change it. Nothing was written."
        )))
    }

    fn load(task: &TaskFiles, path: PathBuf) -> Result<Self, ToolError> {
        let (text, metadata) = load(task, &path)?;
        Ok(Self { path, text, metadata })
    }
}

impl PlannedChange {
    /// Returns the writes in their order: the new file first, so that the content always exists.
    fn writes(&self) -> Vec<Write> {
        let old = self.old.as_ref();
        let moves = |path: &Path| old.is_some_and(|old| old.path != path);
        let before = |old: &OldFile| Some((old.metadata, old.text.clone()));
        let mut writes = Vec::new();
        if let Some((path, text)) = &self.new {
            writes.push(Write {
                path: path.clone(),
                before: old.filter(|old| old.path == *path).and_then(before),
                after: Some(text.clone()),
                permissions: old.map(|old| old.metadata.permissions),
            });
        }
        if let Some(old) = old.filter(|_| self.new.as_ref().is_none_or(|(path, _)| moves(path))) {
            writes.push(Write { path: old.path.clone(), before: before(old), after: None, permissions: None });
        }
        writes
    }

    fn result(&self, task: &TaskFiles, differences: &mut Differences, checker: &SyntaxChecker<'_>) -> PatchedFile {
        let show = |path: &Path| task.show(path);
        let old = self.old.as_ref().filter(|_| !matches!(self.action, Action::Created));
        let old = old.map(|old| (show(&old.path), &*old.text));
        let new = self.new.as_ref().map(|(path, text)| (show(path), &**text));
        let diff = differences.unified(
            old.as_ref().map(|(path, text)| (&**path, *text)),
            new.as_ref().map(|(path, text)| (&**path, *text)),
        );
        let syntax = self.new.as_ref().and_then(|(path, text)| match &self.old {
            Some(old) => checker.check_change(path, &old.text, text),
            None => checker.check(path, text),
        });
        let from = old.as_ref().map(|(path, _)| path.clone()).filter(|_| matches!(self.action, Action::Moved));
        let path = new.or(old).map(|(path, _)| path).unwrap_or_default();
        PatchedFile {
            path,
            action: self.action,
            from,
            replacements: integer(self.hunks),
            matched: self.comparison.map(|comparison| comparison.description().to_owned()),
            diff,
            warning: self.warning.map(str::to_owned),
            syntax: syntax.map(super::syntax),
        }
    }
}

/// Returns the error about hunks that cannot be applied.
fn hunks_error(failures: &[(String, Vec<HunkFailure>)]) -> ToolError {
    const MAX_FAILURES: usize = 5;
    let all: Vec<_> = failures.iter().flat_map(|(path, hunks)| hunks.iter().map(move |hunk| (path, hunk))).collect();
    let mut message = String::from("nothing was written, because the patch does not apply.");
    for (path, failure) in all.iter().take(MAX_FAILURES) {
        let HunkFailure { index, patch_line, problem, .. } = failure;
        message
            .push_str(&format!("\nHunk {index} of `{path}` (line {patch_line} of the patch): {}", problem.trim_end()));
    }
    if all.len() > MAX_FAILURES {
        message.push_str(&format!("\n{} more hunks do not apply either.", all.len() - MAX_FAILURES));
    }
    let is_not_found = all.iter().all(|(_, failure)| failure.is_not_found);
    ToolError::with_kind(if is_not_found { ErrorKind::NotFound } else { ErrorKind::Failed }, message)
}

/// Returns the error about a file that could not be written, after the other files were restored.
fn commit_error(task: &TaskFiles, writes: &[Write], failure: &CommitError, log: &AccessLog) -> ToolError {
    for (path, metadata) in &failure.restored {
        let before = writes.iter().find(|write| write.path == *path).and_then(|write| write.before.as_ref());
        if let (Some((old, _)), Some(new)) = (before, metadata) {
            log.note_restored(path, old.version, new.version);
        }
    }
    let error = open::explain(task, &failure.path, "write", &failure.error);
    let outcome = if failure.not_restored.is_empty() {
        "Nothing was changed: the files that were written before it are restored.".to_owned()
    } else {
        let paths: Vec<_> = failure.not_restored.iter().map(|path| format!("`{}`", task.show(path))).collect();
        format!("These files were written before it and could not be restored: {}.", paths.join(", "))
    };
    ToolError::with_kind(error.kind(), format!("{}. {outcome}", error.message()))
}
