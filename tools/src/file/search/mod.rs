//! The `search_files` tool: ripgrep's engine behind one bounded, paged, deterministic answer.
//!
//! [`walk`] says which files are looked at, [`content`] looks into one, [`page`] keeps what belongs to the
//! page that was asked for, counts the rest, and says when to stop.

mod content;
mod page;
mod walk;

use std::fs;

use serde::Serialize;
use toolc::{Output, ToolError};
use toolc_catalog::file::search_files::{Args, OutputMode, Target};

use self::content::{Content, Outcome};
use self::page::Page;
use self::walk::Filter;
use super::open;
use crate::place::Place;

#[derive(Serialize, Default)]
struct Results {
    #[serde(skip_serializing_if = "Option::is_none")]
    matches: Option<Vec<InFile>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    files: Option<Vec<String>>,
    total: usize,
    truncated: bool,
    /// The search did not get to the end, so that there may be more than `total`.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    partial: bool,
    /// Files and directories that could not be read.
    #[serde(skip_serializing_if = "is_zero")]
    unreadable: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<String>,
}

/// What was found in one file: its matching lines, or only how many there are.
#[derive(Serialize)]
struct InFile {
    path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    lines: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    count: Option<usize>,
}

pub(super) fn search(place: &Place, args: &Args) -> Result<Output, ToolError> {
    let root = place.locate(&args.path)?;
    let meta = fs::metadata(&root).map_err(|error| open::explain(place, &root, "search", &error))?;
    if !meta.is_dir() {
        open::only_regular(place, &root, &meta)?;
    }
    let by_name = (args.target == Target::Files).then_some(&*args.pattern);
    let globs = [by_name, args.file_glob.as_deref()];
    let filters = globs.into_iter().flatten().map(Filter::new).collect::<Result<Vec<_>, _>>()?;
    let mut content = match args.target {
        Target::Files => None,
        Target::Content => Some(Content::new(args)?),
    };
    let mut page = Page::new(args.offset, args.limit);
    let (mut matches, mut files, mut unreadable) = (Vec::new(), Vec::new(), 0);

    for entry in walk::walk(&root) {
        if page.is_over() {
            break;
        }
        let Ok(entry) = entry else {
            unreadable += 1;
            continue;
        };
        if !walk::is_wanted(&entry, &root, &filters) {
            continue;
        }
        let path = place.show(entry.path());
        let Some(content) = &mut content else {
            page.offer(path, &mut files);
            continue;
        };
        let Ok((file, _)) = open::regular(place, entry.path()) else {
            unreadable += 1;
            continue;
        };
        match (content.look(file, &mut page), args.output_mode) {
            (Outcome::Unreadable, _) => unreadable += 1,
            (Outcome::Found { count: 0, .. }, _) => {}
            (Outcome::Found { lines, .. }, OutputMode::Content) if lines.is_empty() => {}
            (Outcome::Found { lines, .. }, OutputMode::Content) => {
                matches.push(InFile { path, lines: Some(lines), count: None });
            }
            (_, OutputMode::FilesOnly) => page.offer(path, &mut files),
            (Outcome::Found { count, .. }, OutputMode::Count) => {
                page.offer(InFile { path, lines: None, count: Some(count) }, &mut matches);
            }
        }
    }

    let lists_files = args.target == Target::Files || args.output_mode == OutputMode::FilesOnly;
    let (matches, files) = if lists_files { (None, Some(files)) } else { (Some(matches), None) };
    let (total, truncated, partial, hint) = (page.total(), page.is_truncated(), page.is_partial(), page.hint());
    Output::json(&Results { matches, files, total, truncated, partial, unreadable, hint })
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(n: &usize) -> bool {
    *n == 0
}
