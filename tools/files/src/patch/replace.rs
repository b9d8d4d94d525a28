//! The mode `replace`: finds a text in a file, and replaces it.

use toolc::{Call, ToolError};
use toolc_catalog::file::patch::{ReturnsFilesItem as PatchedFile, ReturnsFilesItemAction as Action};

use super::difference::Differences;
use super::endings::{NormalizedText, to_lf};
use super::find::Search;
use super::{apply, load, split_bom};
use crate::access::{AccessLog, Knowledge};
use crate::syntax::SyntaxChecker;
use crate::version::FileVersion;
use crate::{FileHandlers, atomic_write, integer, open};

/// Replaces `old`, which is not empty, by `new`: every occurrence if `all`, and otherwise the only one.
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
    let path = handlers.workspace.locate(path)?;
    handlers.access(call).check_write(&handlers.workspace, &path)?;
    let log = call.state::<AccessLog>();
    let lock = handlers.lock_writes();
    let (text, meta) = load(handlers, &path)?;
    atomic_write::existing(&handlers.workspace, &path)?;
    let shown = handlers.workspace.show(&path);
    let (bom, body) = split_bom(&text);
    let normalized = NormalizedText::new(body);
    let (old, new) = (to_lf(old), to_lf(new));
    let search = Search { text: normalized.normalized(), old: &old, new: &new, all };
    let found = search.run().map_err(|failure| failure.explain(&search, &shown))?;
    let edits: Vec<_> = found.edits.into_iter().map(|edit| normalized.to_original(edit)).collect();
    let changed = apply(body, &edits);
    if changed == body {
        return Err(ToolError::new(format!("this edit does not change `{shown}`: nothing was written")));
    }
    let version = FileVersion::new(&meta);
    let warning = log.warning(&path, Some(version));
    let knows_all = log.knowledge(&path, version) == Knowledge::Whole;
    let saved = atomic_write::save(&path, Some(&meta), [bom, &changed].concat().as_bytes())
        .map_err(|error| open::explain(&handlers.workspace, &path, "write", &error))?;
    log.note_write(&path, Some(FileVersion::new(&saved)), knows_all);
    drop(lock);
    let syntax = SyntaxChecker::new(call, handlers.workspace.dir()).check_change(&path, body, &changed);
    let diff = Differences::default().unified(Some((&shown, body)), Some((&shown, &changed)));
    Ok(PatchedFile {
        path: shown,
        action: Action::Modified,
        from: None,
        replacements: integer(edits.len()),
        matched: Some(found.comparison.description().to_owned()),
        diff,
        warning: warning.map(str::to_owned),
        syntax: syntax.map(super::syntax),
    })
}
