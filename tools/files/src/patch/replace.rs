//! The mode `replace`: finds a text in a file, and replaces it.

use toolc::{Call, ErrorKind, ToolError};
use toolc_catalog::file::patch::{ReturnsFilesItem as PatchedFile, ReturnsFilesItemAction as Action};

use super::difference::Differences;
use super::endings::{NormalizedText, to_lf};
use super::find::Search;
use super::{apply, load, split_bom};
use crate::access::{AccessLog, Knowledge};
use crate::changes::{ChangeLog, Content};
use crate::handlers::{FileHandlers, integer};
use crate::numbered::{Numbers, numbers};
use crate::open;
use crate::syntax::SyntaxChecker;
use crate::task_files::TaskFiles;
use crate::write::write_options;

/// Fails if a text has the line numbers of `read_file`, and the file does not have them.
fn check_numbers(old: &str, new: &str, text: &str, shown: &str) -> Result<(), ToolError> {
    let name = match (numbers(old), numbers(new)) {
        (Numbers::All, _) if !text.contains(old) => "old_string",
        (Numbers::None | Numbers::Some, Numbers::All) => "new_string",
        _ => return Ok(()),
    };
    Err(ToolError::with_kind(
        ErrorKind::Refused,
        format!(
            "refused to edit `{shown}`: each line of `{name}` begins with a line number and a bar, which `read_file` shows but files do not \
             have; leave them out. Nothing was written."
        ),
    ))
}

/// Replaces `old` by `new`: every occurrence if `all` is set, and otherwise the only one. `old` is not empty.
pub(super) fn run(
    handlers: &FileHandlers,
    path: &str,
    old: &str,
    new: &str,
    all: bool,
    call: &Call<'_>,
) -> Result<PatchedFile, ToolError> {
    if old == new {
        return Err(ToolError::new("old_string and new_string are equal: there is nothing to change"));
    }
    let task = TaskFiles::for_call(handlers, call)?;
    let path = task.locate(path)?;
    task.access().check_write(&path)?;
    let log = call.state::<AccessLog>();
    let lock = task.write_lock(handlers, call);
    let guard = lock.lock();
    let (text, metadata) = load(&task, &path)?;
    open::writable_metadata(&task, &path)?;
    let shown = task.show(&path);
    let (bom, body) = split_bom(&text);
    let normalized = NormalizedText::new(body);
    let (old, new) = (to_lf(old), to_lf(new));
    check_numbers(&old, &new, normalized.normalized(), &shown)?;
    let search = Search { text: normalized.normalized(), old: &old, new: &new, all };
    let matches = search.run().map_err(|failure| failure.explain(&search, &shown))?;
    let edits: Vec<_> = matches.edits.into_iter().map(|edit| normalized.to_original(edit)).collect();
    let changed = apply(body, &edits);
    if changed == body {
        return Err(ToolError::new(format!("this edit does not change `{shown}`: nothing was written")));
    }
    let version = metadata.version;
    open::recognise(&task, &log, &path, version);
    let warning = log.warning(&path, Some(version));
    let knows_all = log.knowledge(&path, version) == Knowledge::Whole;
    let content = [bom, &changed].concat();
    let written = task.files().write(&path, content.as_bytes(), &write_options(Some(&metadata)));
    let written = written.map_err(|error| open::explain(&task, &path, "write", &error))?;
    log.note_write(&path, Some(written.version), knows_all, content.as_bytes());
    let before = (Content::from_bytes(text.as_bytes()), Some(metadata.permissions));
    call.state::<ChangeLog>().add(&task, &path, before, Content::from_bytes(content.as_bytes()));
    drop(guard);
    let syntax = SyntaxChecker::new(call, &task).check_change(&path, body, &changed);
    let diff = Differences::default().unified(Some((&shown, body)), Some((&shown, &changed)));
    Ok(PatchedFile {
        path: shown,
        action: Action::Modified,
        from: None,
        replacements: integer(edits.len()),
        matched: Some(matches.comparison.description().to_owned()),
        diff,
        warning: warning.map(str::to_owned),
        syntax: syntax.map(super::syntax),
    })
}
