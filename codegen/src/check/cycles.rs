//! Finds cycles: toolsets that include themselves, and tools that require themselves. A finding shows every edge of the cycle.

use toolc::__gen::graph::cycles;

use crate::catalog::{Catalog, Requires, ToolId, ToolsetId};
use crate::diagnostic::codes;
use crate::diagnostic::{Code, Diagnostic, Place, Sink};

pub(super) fn check(catalog: &Catalog, sink: &Sink) {
    let includes = |set: usize| catalog[ToolsetId(set)].edges().map(|(id, place)| (id.0, place)).collect();
    for cycle in cycles(0..catalog.toolsets().count(), includes) {
        let name = |set: usize| catalog[ToolsetId(set)].name();
        report(
            &Kind { code: codes::INCLUDE_CYCLE, what: "include cycle", verb: "includes", of_itself: "" },
            &cycle,
            &name,
            sink,
        );
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
        let of_itself = ", so it can never be shown";
        report(
            &Kind { code: codes::REQUIRES_CYCLE, what: "requirement cycle", verb: "requires", of_itself },
            &cycle,
            &name,
            sink,
        );
    }
}

/// An edge of a cycle: the index of its start, and the place that declares it.
type Step = (usize, Place);

/// A kind of cycle.
struct Kind {
    code: Code,
    what: &'static str,
    verb: &'static str,
    /// What follows from a cycle of one.
    of_itself: &'static str,
}

fn report<'n>(kind: &Kind, cycle: &[Step], name: &dyn Fn(usize) -> &'n str, sink: &Sink) {
    let Kind { code, what, verb, of_itself } = kind;
    let names: Vec<&str> = cycle.iter().chain(cycle.first()).map(|(node, _)| name(*node)).collect();
    let message = match names.as_slice() {
        [only, _] => format!("`{only}` {verb} itself{of_itself}"),
        _ => format!("{what}: {}", names.join(" → ")),
    };
    let step = |edge: &[&str]| format!("`{}` {verb} `{}`", edge[0], edge[1]);
    let mut places = cycle.iter().zip(names.windows(2)).map(|((_, place), edge)| (*place, step(edge)));
    if let Some((place, label)) = places.next() {
        let first = Diagnostic::new(*code, place, message).label(if cycle.len() == 1 { String::new() } else { label });
        let found = places.fold(first, |found, (place, label)| found.related(place, label));
        sink.push(found.help(if cycle.len() == 1 { "remove it" } else { "remove one of these" }));
    }
}
