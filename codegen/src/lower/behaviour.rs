//! The behaviour of a tool: execution, parallel calls, approval, limits, deprecation.

use toolc::behaviour::{Approval, Behaviour, Deprecated, Parallel};

use super::text;
use crate::catalog::{Catalog, Tool};
use crate::manifest::Overlap;

pub(super) fn lower_behaviour(catalog: &Catalog, tool: &Tool) -> Behaviour {
    let manifest = &tool.manifest;
    let parallel = match (manifest.parallel.as_ref().map(|overlap| overlap.value), &manifest.parallel_key) {
        (Some(Overlap::Always), _) => Parallel::Always,
        (Some(Overlap::Keyed), Some(key)) => {
            let space = manifest.parallel_space.as_ref().map_or("", |space| &space.value);
            Parallel::Keyed { key: text(&key.value), space: text(space) }
        }
        _ => Parallel::Never,
    };
    let mut approval = if manifest.approval.always.is_some() { Approval::ALWAYS } else { Approval::NONE };
    approval.shell = manifest.approval.shell.as_ref().map(|shell| text(&shell.value));
    let deprecated = manifest.deprecated.as_ref().map(|deprecated| {
        let mut lowered = Deprecated::new(text(deprecated.note.as_ref().map_or("", |note| &note.value)));
        lowered.replacement = tool.replacement.map(|id| text(catalog[id].name()));
        lowered
    });
    Behaviour::DEFAULT
        .with_execution(manifest.execution.value)
        .with_annotations(manifest.annotations.value())
        .with_parallel(parallel)
        .with_approval(approval)
        .with_max_result_chars(manifest.max_result_chars)
        .with_timeout(manifest.timeout.as_ref().map(|timeout| timeout.value))
        .with_defer(manifest.defer)
        .with_callers(manifest.callers())
        .with_background(manifest.background)
        .with_deprecated(deprecated)
}
