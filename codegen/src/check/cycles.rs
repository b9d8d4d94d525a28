//! Finds cycles: toolsets that include themselves, and tools that require themselves. A finding shows every edge of the cycle.

use toolc::__gen::graph::cycles;

use crate::catalog::{Catalog, Requires, ToolId, ToolsetId};
use crate::diagnostic::{Code, Diagnostic, Place, Sink};

pub(super) fn check(catalog: &Catalog, sink: &Sink) {
    let includes = |set: usize| catalog[ToolsetId(set)].edges().map(|(id, place)| (id.0, place)).collect();
    for cycle in cycles(0..catalog.toolsets().count(), includes) {
        let name = |set: usize| catalog[ToolsetId(set)].name();
        let step = |from: &str, to: &str| format!("`{from}` includes `{to}`");
        report(Code::INCLUDE_CYCLE, "include cycle", &cycle, &name, &step, sink);
    }
    let requires = |tool: usize| {
        let tool = &catalog[ToolId(tool)];
        // If there are several alternatives, another one may be available.
        let edges = |requires: &Requires| {
            let only = match requires.any_tools.as_slice() {
                [only] if requires.any_external.is_empty() => Some(only),
                _ => None,
            };
            requires.tools.iter().chain(only).copied().collect::<Vec<_>>()
        };
        let all = [edges(&tool.requires), edges(&catalog[tool.home].requires)].concat();
        all.into_iter().map(|(id, place)| (id.0, place)).collect()
    };
    for cycle in cycles(0..catalog.tools().count(), requires) {
        let name = |tool: usize| catalog[ToolId(tool)].name();
        let step = |from: &str, to: &str| format!("`{from}` requires `{to}`");
        report(Code::REQUIRES_CYCLE, "requirement cycle", &cycle, &name, &step, sink);
    }
}

/// An edge of a cycle: the index of its start, and the place that declares it.
type Step = (usize, Place);

fn report<'n>(
    code: Code,
    what: &str,
    cycle: &[Step],
    name: &dyn Fn(usize) -> &'n str,
    step: &dyn Fn(&str, &str) -> String,
    sink: &Sink,
) {
    let names: Vec<&str> = cycle.iter().chain(cycle.first()).map(|(node, _)| name(*node)).collect();
    let message = format!("{what}: {}", names.join(" → "));
    let mut places = cycle.iter().zip(names.windows(2)).map(|((_, place), edge)| (*place, step(edge[0], edge[1])));
    if let Some((place, label)) = places.next() {
        let first = Diagnostic::new(code, place, message).label(label);
        let found = places.fold(first, |found, (place, label)| found.related(place, label));
        sink.push(found.help("remove one of these"));
    }
}
