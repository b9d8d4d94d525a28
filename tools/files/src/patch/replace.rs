//! The mode `replace`: finds a text in a file, and replaces it.

use toolc::{Call, ErrorKind, ToolError};
use toolc_catalog::file::patch::{ReturnsFilesItem as PatchedFile, ReturnsFilesItemAction as Action};

use super::difference::Differences;
use super::endings::{NormalizedText, to_lf};
use super::find::{Comparison, Search};
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

/// A text in which a part is replaced.
struct Edited {
    text: String,
    comparison: Comparison,
    replacements: usize,
}

/// Replaces `old` by `new` in the text of the file `shown`.
fn edited(body: &str, old: &str, new: &str, all: bool, shown: &str) -> Result<Edited, ToolError> {
    if old == new {
        return Err(ToolError::new("old_string and new_string are equal: there is nothing to change"));
    }
    let normalized = NormalizedText::new(body);
    let (old, new) = (to_lf(old), to_lf(new));
    check_numbers(&old, &new, normalized.normalized(), shown)?;
    let search = Search { text: normalized.normalized(), old: &old, new: &new, all };
    let matches = search.run().map_err(|failure| failure.explain(&search, shown))?;
    let edits: Vec<_> = matches.edits.into_iter().map(|edit| normalized.to_original(edit)).collect();
    let text = apply(body, &edits);
    if text == body {
        return Err(ToolError::new(format!("this edit does not change `{shown}`: nothing was written")));
    }
    Ok(Edited { text, comparison: matches.comparison, replacements: edits.len() })
}

/// Replaces `old` by `new` in a text, as the tool `patch` does in a file, and returns the new text. `old` must occur once, unless `all` is
/// set. `path` is how errors name the text.
///
/// # Errors
/// If `old` is empty, is not found, or is not unique. The error shows the closest lines, or the places.
///
/// ```
/// let replaced = toolc_files::replace_text("a\nb\n", "b", "c", false, "letters.txt");
/// assert_eq!(replaced.unwrap(), "a\nc\n");
/// assert!(toolc_files::replace_text("a\nb\n", "x", "c", false, "letters.txt").is_err());
/// ```
pub fn replace_text(text: &str, old: &str, new: &str, all: bool, path: &str) -> Result<String, ToolError> {
    if old.is_empty() {
        return Err(ToolError::new("old_string is empty: give the text to replace, as it is in the file"));
    }
    let (mark, body) = split_bom(text);
    edited(body, old, new, all, path).map(|edited| [mark, &edited.text].concat())
}

/// Returns the difference between two texts of a file as a unified diff of at most 20,000 characters. `None` is a file that does not exist.
pub fn text_diff(path: &str, before: Option<&str>, after: Option<&str>) -> String {
    Differences::default().unified(before.map(|text| (path, text)), after.map(|text| (path, text)))
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
    let Edited { text: changed, comparison, replacements } = edited(body, old, new, all, &shown)?;
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
        replacements: integer(replacements),
        matched: Some(comparison.description().to_owned()),
        diff,
        warning: warning.map(str::to_owned),
        syntax: syntax.map(super::syntax),
    })
}
