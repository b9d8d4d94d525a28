//! A toolset that resolves to more tools than a vendor accepts in one request, including tools that are added at run
//! time.
//!
//! ## Why is this bad
//! The vendor rejects the whole request.
//!
//! ## Example
//! ```toml
//! # toolc.toml
//! dialects = ["openai"]
//!
//! [external]
//! tools = [
//!     "a0", "b0", "c0", "d0", "e0", "f0", "g0", "h0", "i0", "j0", "k0", "l0", "m0", "n0", "o0", "p0",
//!     "q0", "r0", "s0", "t0", "u0", "v0", "w0", "x0", "y0", "z0", "a1", "b1", "c1", "d1", "e1", "f1",
//!     "g1", "h1", "i1", "j1", "k1", "l1", "m1", "n1", "o1", "p1", "q1", "r1", "s1", "t1", "u1", "v1",
//!     "w1", "x1", "y1", "z1", "a2", "b2", "c2", "d2", "e2", "f2", "g2", "h2", "i2", "j2", "k2", "l2",
//!     "m2", "n2", "o2", "p2", "q2", "r2", "s2", "t2", "u2", "v2", "w2", "x2", "y2", "z2", "a3", "b3",
//!     "c3", "d3", "e3", "f3", "g3", "h3", "i3", "j3", "k3", "l3", "m3", "n3", "o3", "p3", "q3", "r3",
//!     "s3", "t3", "u3", "v3", "w3", "x3", "y3", "z3", "a4", "b4", "c4", "d4", "e4", "f4", "g4", "h4",
//!     "i4", "j4", "k4", "l4", "m4", "n4", "o4", "p4", "q4", "r4", "s4", "t4", "u4", "v4", "w4", "x4",
//!     "y4",
//! ]
//! ```
//!
//! ```toml
//! # manifests/toolsets/web.toml
//! tools = [
//!     "a0", "b0", "c0", "d0", "e0", "f0", "g0", "h0", "i0", "j0", "k0", "l0", "m0", "n0", "o0", "p0",
//!     "q0", "r0", "s0", "t0", "u0", "v0", "w0", "x0", "y0", "z0", "a1", "b1", "c1", "d1", "e1", "f1",
//!     "g1", "h1", "i1", "j1", "k1", "l1", "m1", "n1", "o1", "p1", "q1", "r1", "s1", "t1", "u1", "v1",
//!     "w1", "x1", "y1", "z1", "a2", "b2", "c2", "d2", "e2", "f2", "g2", "h2", "i2", "j2", "k2", "l2",
//!     "m2", "n2", "o2", "p2", "q2", "r2", "s2", "t2", "u2", "v2", "w2", "x2", "y2", "z2", "a3", "b3",
//!     "c3", "d3", "e3", "f3", "g3", "h3", "i3", "j3", "k3", "l3", "m3", "n3", "o3", "p3", "q3", "r3",
//!     "s3", "t3", "u3", "v3", "w3", "x3", "y3", "z3", "a4", "b4", "c4", "d4", "e4", "f4", "g4", "h4",
//!     "i4", "j4", "k4", "l4", "m4", "n4", "o4", "p4", "q4", "r4", "s4", "t4", "u4", "v4", "w4", "x4",
//!     "y4",
//! ]
//! ```
//!
//! ## Use instead
//! ```toml
//! # toolc.toml
//! dialects = ["openai"]
//!
//! [external]
//! tools = [
//!     "a0", "b0", "c0", "d0", "e0", "f0", "g0", "h0", "i0", "j0", "k0", "l0", "m0", "n0", "o0", "p0",
//! ]
//! ```
//!
//! ```toml
//! # manifests/toolsets/web.toml
//! tools = [
//!     "a0", "b0", "c0", "d0", "e0", "f0", "g0", "h0", "i0", "j0", "k0", "l0", "m0", "n0", "o0", "p0",
//! ]
//! ```

use std::collections::{BTreeMap, BTreeSet};

use crate::lint::codes;
use crate::catalog::{ExternalId, ToolsetId};
use crate::diagnostic::{Diagnostic, Level, Sink, ticked};
use crate::lint::{Check, Lint, Rule};
use crate::lower::accepts;

pub(super) const RULE: Rule = Rule::new("P016", "tool-count", Some(Level::Warning), Check::Output(check));

fn check(lint: &Lint<'_>, sink: &Sink) {
    let mut external = vec![None; lint.toolsets().count()];
    for (id, toolset) in lint.toolsets().filter(|(_, toolset)| toolset.declared) {
        let (tools, external) = (lint.resolve(id), external_tools(lint, id, &mut external).len());
        // By the number of tools and the limit.
        let mut exceeded: BTreeMap<(usize, usize), (Level, Vec<&str>)> = BTreeMap::new();
        for dialect in lint.dialects() {
            let Some(limit) = dialect.request.max_tools().filter(|limit| limit.value < tools.len() + external) else { continue };
            let count = tools.iter().filter(|tool| accepts(dialect, &lint[**tool])).count() + external;
            if count > limit.value {
                let (level, dialects) = exceeded.entry((limit.value, count)).or_insert((Level::Warning, Vec::new()));
                *level = lint.level_of(&limit).min(*level);
                dialects.push(dialect.name);
            }
        }
        for ((max, count), (level, dialects)) in &exceeded {
            let (name, dialects) = (toolset.name(), ticked(dialects, ", "));
            let message = format!("`{name}` resolves to {count} tools, but {dialects} allows at most {max} in one request");
            sink.push(
                Diagnostic::new(codes::TOOL_COUNT, toolset.manifest.name.place, message)
                    .level(*level)
                    .help("split the toolset, or defer most of its tools, so that models find them by search"),
            );
        }
    }
}

/// Returns the tools of a toolset that are added at run time. Include cycles are errors, so the recursion ends.
fn external_tools(lint: &Lint<'_>, id: ToolsetId, cache: &mut [Option<BTreeSet<ExternalId>>]) -> BTreeSet<ExternalId> {
    if let Some(cache) = &cache[id.0] {
        return cache.clone();
    }
    let toolset = &lint[id];
    let mut found: BTreeSet<ExternalId> = toolset.external.iter().copied().collect();
    for (next, _) in toolset.edges() {
        found.append(&mut external_tools(lint, next, cache));
    }
    found.retain(|one| !toolset.excludes_external.contains(one));
    cache[id.0] = Some(found.clone());
    found
}
