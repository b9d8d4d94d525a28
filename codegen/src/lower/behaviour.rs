//! How a tool behaves.

use toolc::behaviour::{Approval, Behaviour, Deprecated, Parallel};

use super::text;
use crate::catalog::{Catalog, Tool};
use crate::manifest::Overlap;

pub(super) fn of(catalog: &Catalog, tool: &Tool) -> Behaviour {
    let manifest = &tool.manifest;
    let parallel = match (manifest.parallel.as_ref().map(|overlap| overlap.value), &manifest.parallel_key) {
        (Some(Overlap::Always), _) => Parallel::Always,
        (Some(Overlap::Keyed), Some(key)) => {
            let space = manifest.parallel_space.as_ref().map_or("", |space| &space.value);
            Parallel::Keyed { key: text(&key.value), space: text(space) }
        }
        _ => Parallel::Never,
    };
    let shell = manifest.approval.shell.as_ref().map(|shell| text(&shell.value));
    Behaviour {
        execution: manifest.execution.value,
        annotations: manifest.annotations.value(),
        max_result_chars: manifest.max_result_chars,
        timeout: manifest.timeout.as_ref().map(|timeout| timeout.value),
        parallel,
        approval: Approval { always: manifest.approval.always.is_some(), shell },
        defer: manifest.defer,
        deprecated: manifest.deprecated.as_ref().map(|deprecated| Deprecated {
            replacement: tool.replacement.map(|id| text(catalog[id].name())),
            note: text(&deprecated.note),
        }),
    }
}
