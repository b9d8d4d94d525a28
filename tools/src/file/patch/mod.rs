//! The `patch` tool: finds the place, replaces it, shows the difference.
//!
//! [`find`] says where the old text stands and [`indent`] how the new text is shifted; [`miss`] words what went
//! wrong. Only here is a file read or written.

mod find;
mod indent;
mod miss;

use std::fs::Metadata;
use std::io::Read;
use std::path::Path;
use std::time::Duration;

use serde::Serialize;
use similar::TextDiff;
use toolc::{Call, ErrorKind, Output, ToolError};
use toolc_catalog::file::patch::Args;

use self::find::{Found, Search};
use super::seen::Stamp;
use super::{open, sniff, store};
use crate::Handlers;

/// Bytes of a file that is edited in memory.
const LARGEST: u64 = 8 * 1024 * 1024;
/// Characters of the difference that are shown.
const LONGEST_DIFF: usize = 20_000;
const BOM: &str = "\u{feff}";

#[derive(Serialize)]
struct Patched {
    path: String,
    replacements: usize,
    /// How close the old text was to what stood there.
    matched: &'static str,
    diff: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    warning: Option<&'static str>,
}

pub(super) fn patch(host: &Handlers, args: &Args, call: &Call<'_>) -> Result<Output, ToolError> {
    if args.old_string.is_empty() {
        return Err(ToolError::new("old_string is empty: give the text to replace"));
    }
    if args.old_string == args.new_string {
        return Err(ToolError::new("old_string and new_string are equal: there is nothing to change"));
    }
    let path = host.place.locate(&args.path)?;
    host.files.guard.check(&host.place, &path)?;
    let _lock = host.files.write_lock();
    let (text, meta) = load(host, &path)?;
    store::existing(&host.place, &path)?;
    let shown = host.place.show(&path);
    let (bom, body) = text.split_at(if text.starts_with(BOM) { BOM.len() } else { 0 });
    let search = Search { text: body, old: &args.old_string, new: &args.new_string, all: args.replace_all };
    let found = search.run().map_err(|miss| miss.explain(&search, &shown))?;
    let changed = apply(body, &found);
    if changed == body {
        return Err(ToolError::new(format!("`{shown}` already is as this edit would make it: nothing was written")));
    }
    let warning = host.files.seen.with(call.task(), |seen| seen.warning(&path, Some(Stamp::of(&meta))));
    let new = store::save(&path, Some(&meta), [bom, &changed].concat().as_bytes())
        .map_err(|error| open::explain(&host.place, &path, "write", &error))?;
    host.files.seen.with(call.task(), |seen| seen.note(&path, Stamp::of(&new)));
    let diff = diff(&shown, body, &changed);
    Output::json(&Patched { path: shown, replacements: found.edits.len(), matched: found.how.word(), diff, warning })
}

/// The whole file, if it is text and not too large.
fn load(host: &Handlers, path: &Path) -> Result<(String, Metadata), ToolError> {
    let shown = host.place.show(path);
    let refused = |why: String| ToolError::of(ErrorKind::Refused, format!("failed to edit `{shown}`: {why}"));
    let too_large = || refused(format!("it is larger than {} MiB; edit it with a script", LARGEST >> 20));
    let (file, meta) = open::regular(&host.place, path)?;
    if meta.len() > LARGEST {
        return Err(too_large());
    }
    let mut bytes = Vec::new();
    // It may grow while it is read.
    let read = file.take(LARGEST + 1).read_to_end(&mut bytes);
    read.map_err(|error| open::explain(&host.place, path, "read", &error))?;
    if bytes.len() as u64 > LARGEST {
        return Err(too_large());
    }
    if let Some(what) = sniff::binary(&bytes[..bytes.len().min(sniff::SAMPLE)]) {
        return Err(refused(format!("it is not text but {what}")));
    }
    let text = String::from_utf8(bytes).map_err(|_| {
        refused("it is not valid UTF-8, and writing it back would damage it; convert it first".to_owned())
    })?;
    Ok((text, meta))
}

fn apply(text: &str, found: &Found) -> String {
    let mut changed = String::with_capacity(text.len());
    let mut done = 0;
    for edit in &found.edits {
        changed.push_str(&text[done..edit.place.start]);
        changed.push_str(&edit.new);
        done = edit.place.end;
    }
    changed.push_str(&text[done..]);
    changed
}

fn diff(path: &str, old: &str, new: &str) -> String {
    // A poorer difference after a second, rather than a perfect one after minutes.
    let diff = TextDiff::configure().timeout(Duration::from_secs(1)).diff_lines(old, new);
    let mut text = diff.unified_diff().header(&format!("a/{path}"), &format!("b/{path}")).to_string().replace('\r', "");
    if let Some((cut, _)) = text.char_indices().nth(LONGEST_DIFF) {
        text.truncate(text[..cut].rfind('\n').map_or(cut, |at| at + 1));
        text.push_str("… [the rest of the difference is left out]\n");
    }
    text
}
