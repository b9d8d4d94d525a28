//! `fmt`: formats the manifests.

use rayon::prelude::*;
use similar::Algorithm;
use similar::udiff::unified_diff;
use toolc_tables::visible::visible;

use super::{Project, Streams, find_root, print};
use crate::diagnostic::SourceId;
use crate::failure::Failure;
use crate::format::format;
use crate::report::plural;
use crate::source::Sources;

/// Formats the manifests, or checks their format. Returns whether all manifests are formatted now.
pub(super) fn run(project: Project, check: bool, streams: &mut Streams<'_>) -> Result<bool, Failure> {
    let sources = Sources::scan(&find_root(project.root)?)?;
    let all: Vec<SourceId> = (0..).map(SourceId).take(sources.all().len()).collect();
    let texts = all.par_iter().map(|id| {
        let source = sources.get(*id);
        if source.fault.is_some() { None } else { format(source.kind, &source.text) }
    });
    let texts: Vec<Option<String>> = texts.collect();
    let (mut changed, mut broken, mut shown) = (0, 0, String::new());
    for (id, text) in all.into_iter().zip(texts) {
        let (path, source) = (sources.display(id), sources.get(id));
        let path = visible(&path);
        let Some(text) = text else {
            broken += 1;
            shown += &format!("{path}: cannot be read as TOML: `lint` shows the errors\n");
            continue;
        };
        if text == source.text {
            continue;
        }
        changed += 1;
        if check {
            shown += &unified_diff(Algorithm::Myers, &source.text, &text, 3, Some((&path, &path)));
        } else {
            sources.write(id, &text)?;
            shown += &format!("formatted: {path}\n");
        }
    }
    shown += &match (changed, check) {
        (0, _) => format!("{}: nothing to change\n", plural(sources.all().len(), "manifest")),
        (count, false) => format!("{} changed\n", plural(count, "manifest")),
        (count, true) => format!("{} would be changed: run `fmt` without `--check`\n", plural(count, "manifest")),
    };
    print(streams.out, &shown)?;
    Ok(broken == 0 && (changed == 0 || !check))
}
