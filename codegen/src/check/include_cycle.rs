//! Toolsets that bring themselves along, by `includes` or `base`: the whole way round, with the place of each step.

use crate::catalog::{Catalog, ToolsetId};
use crate::diagnostic::{Code, Diagnostic, Place, Sink};

pub(super) fn check(catalog: &Catalog, sink: &Sink) {
    let mut search = Search { catalog, sink, done: vec![false; catalog.toolsets().count()] };
    for (id, _) in catalog.toolsets() {
        search.from(id);
    }
}

struct Search<'c> {
    catalog: &'c Catalog,
    sink: &'c Sink,
    /// Toolsets from which everything has been seen.
    done: Vec<bool>,
}

/// A toolset on the way, the edges that have not been followed, and where the edge stands that is being followed.
struct Step {
    id: ToolsetId,
    edges: Vec<(ToolsetId, Place)>,
    at: Option<Place>,
}

impl Search<'_> {
    /// Depth first, with the way kept by hand: a chain of includes may be as long as a project is large.
    fn from(&mut self, id: ToolsetId) {
        let mut way = Vec::new();
        self.enter(id, &mut way);
        while let Some(step) = way.last_mut() {
            let Some((next, place)) = step.edges.pop() else {
                self.done[step.id.0] = true;
                way.pop();
                continue;
            };
            step.at = Some(place);
            match way.iter().position(|step| step.id == next) {
                Some(start) => self.report(&way[start..]),
                None => self.enter(next, &mut way),
            }
        }
    }

    fn enter(&self, id: ToolsetId, way: &mut Vec<Step>) {
        if !self.done[id.0] {
            let mut edges: Vec<_> = self.catalog[id].edges().collect();
            edges.reverse();
            way.push(Step { id, edges, at: None });
        }
    }

    fn report(&self, cycle: &[Step]) {
        let name = |step: &Step| self.catalog[step.id].name().to_owned();
        let ring: Vec<String> = cycle.iter().chain(cycle.first()).map(name).collect();
        let message = format!("toolsets that bring themselves along: {}", ring.join(" → "));
        let mut places = cycle
            .iter()
            .zip(ring.windows(2))
            .filter_map(|(step, edge)| Some((step.at?, format!("`{}` brings `{}` along", edge[0], edge[1]))));
        if let Some((place, label)) = places.next() {
            let first = Diagnostic::new(Code::INCLUDE_CYCLE, place, message).label(label);
            let found = places.fold(first, |found, (place, label)| found.related(place, label));
            self.sink.push(found.help("take one of these out"));
        }
    }
}
