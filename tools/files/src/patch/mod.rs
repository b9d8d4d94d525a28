//! The `patch` tool: changes parts of files, and returns the differences.
//!
//! The mode `replace` ([`replace`]) replaces a text in one file ([`find`]). The mode `patch` reads a patch ([`parse`]) as changes of
//! files ([`change`]), finds the place of each hunk ([`hunks`]), and writes all files or none ([`plan`], [`transaction`]). Both keep
//! line endings ([`endings`]) and indentation ([`indent`]). [`failure`] makes errors for the model, and [`difference`] the differences in the result.

mod change;
mod difference;
mod endings;
mod failure;
mod find;
mod hunks;
mod indent;
mod parse;
mod plan;
mod replace;
mod transaction;

use std::path::Path;

pub use replace::{replace_text, text_diff};
use toolc::{Call, ErrorKind, ToolError};
use toolc_catalog::file::patch::{Args, Mode, Returns, ReturnsFilesItemSyntax};
use toolc_environment::files::Metadata;

use self::change::ChangeKind;
use self::endings::to_lf;
use self::find::Edit;
use crate::handlers::{FileHandlers, integer};
use crate::syntax::SyntaxError;
use crate::task_files::TaskFiles;
use crate::{open, sniff};

/// The maximum size of a file, in bytes. Files are edited in memory.
const MAX_BYTES: usize = 8 * 1024 * 1024;
const BOM: &str = "\u{feff}";

pub(super) fn patch(handlers: &FileHandlers, args: &Args, call: &Call<'_>) -> Result<Returns, ToolError> {
    // Some models fill in every parameter.
    let file = args.path.as_deref().filter(|path| !path.is_empty());
    let patch = args.patch.as_deref().filter(|patch| !patch.is_empty());
    let old = args.old_string.as_deref().filter(|old| !old.is_empty());
    let new = args.new_string.as_deref().filter(|new| !new.is_empty());
    // A patch alone can only be meant as one.
    let is_patch_alone = patch.is_some() && old.is_none() && new.is_none() && !args.replace_all;
    let files = match if is_patch_alone { Mode::Patch } else { args.mode } {
        Mode::Replace => {
            if patch.is_some() {
                return Err(ToolError::new(
                    "`patch` is given, but the mode is `replace`: set `mode` to `patch`, or give `path`, `old_string` and \
                     `new_string` instead. Nothing was written.",
                ));
            }
            let missing = |name: &str, advice: &str| {
                ToolError::new(format!("the mode `replace` needs `{name}`: {advice}. Nothing was written."))
            };
            let file = file.ok_or_else(|| missing("path", "give the file to change"))?;
            let old = old.ok_or_else(|| missing("old_string", "give the text to replace, as it is in the file"))?;
            let new = args.new_string.as_deref();
            let new =
                new.ok_or_else(|| missing("new_string", "give the new text, or an empty one to delete the old text"))?;
            vec![replace::run(handlers, file, old, new, args.replace_all, call)?]
        }
        Mode::Patch => {
            if old.is_some() || new.is_some() || args.replace_all {
                return Err(ToolError::new(
                    "`old_string`, `new_string` and `replace_all` are for the mode `replace`: set `mode` to `replace`, or omit \
                     them. Nothing was written.",
                ));
            }
            let patch = patch.ok_or_else(|| {
                ToolError::new(
                    "the mode `patch` needs `patch`: give a patch, or set `mode` to `replace`. Nothing was written.",
                )
            })?;
            plan::run(handlers, &to_lf(patch), file, call)?
        }
    };
    Ok(Returns { files })
}

/// Returns the files that a patch changes, as it names them, or `None` if it cannot be read. Parts that name no file change
/// `default_file`.
///
/// ```
/// let patch = "--- a/src/old.rs\n+++ b/src/old.rs\n@@ -1 +1 @@\n-a\n+b\n";
/// assert_eq!(toolc_files::patched_files(patch, None), Some(vec!["src/old.rs".to_owned()]));
/// assert_eq!(toolc_files::patched_files("not a patch", None), None);
/// ```
pub fn patched_files(patch: &str, default_file: Option<&str>) -> Option<Vec<String>> {
    let patch = to_lf(patch);
    let changes = parse::parse(&patch, default_file.filter(|file| !file.is_empty())).ok()?;
    let mut files = Vec::new();
    for change in changes {
        if let ChangeKind::Update { move_to: Some(target), .. } = change.kind {
            files.push(target);
        }
        files.push(change.path);
    }
    Some(files)
}

/// Returns a syntax error for the result.
fn syntax(error: SyntaxError) -> ReturnsFilesItemSyntax {
    let SyntaxError { language, line, column, message } = error;
    ReturnsFilesItemSyntax { language: language.to_owned(), line: integer(line), column: integer(column), message }
}

/// Splits a text into its byte order mark, if it has one, and the rest.
fn split_bom(text: &str) -> (&str, &str) {
    text.split_at(if text.starts_with(BOM) { BOM.len() } else { 0 })
}

/// Reads a file. Fails if it is not UTF-8 text, or too large.
fn load(task: &TaskFiles, path: &Path) -> Result<(String, Metadata), ToolError> {
    let shown = task.show(path);
    let refused =
        |reason: String| ToolError::with_kind(ErrorKind::Refused, format!("failed to edit `{shown}`: {reason}"));
    let too_large = || refused(format!("the file is larger than {} MiB; edit the file with a script", MAX_BYTES >> 20));
    if open::regular_metadata(task, path, "read")?.version.len > MAX_BYTES as u64 {
        return Err(too_large());
    }
    // The file may grow while it is read.
    let read = task.files().read(path, 0, MAX_BYTES + 1);
    let (bytes, metadata) = read.map_err(|error| open::explain(task, path, "read", &error))?;
    if bytes.len() > MAX_BYTES {
        return Err(too_large());
    }
    if let Some(format) = sniff::other_format(&bytes[..bytes.len().min(sniff::SAMPLE)]) {
        return Err(refused(format!("the file is {format}")));
    }
    let text = String::from_utf8(bytes).map_err(|_| {
        refused("the file is not valid UTF-8, and writing it back would damage it; convert the file first".to_owned())
    })?;
    Ok((text, metadata))
}

/// Applies edits, which are in the order of the text and do not overlap.
fn apply(text: &str, edits: &[Edit]) -> String {
    let mut changed = String::with_capacity(text.len());
    let mut copied = 0;
    for edit in edits {
        changed.push_str(&text[copied..edit.range.start]);
        changed.push_str(&edit.new);
        copied = edit.range.end;
    }
    changed.push_str(&text[copied..]);
    changed
}

#[cfg(test)]
mod properties;
#[cfg(test)]
mod tests;
