//! A tool that depends on a fact with `per_session = true`. The fact can be in `requires.when` of the tool or of its home toolset, in the
//! condition of a parameter or a value, or in a text. Reported only if `dialects` lists `mcp`.
//!
//! ## Why is this bad
//! Sessions of one server then have different lists of tools. The specification says that the set of tools "**MUST NOT** vary
//! per-connection or as a side effect of other requests on the connection". It "**MAY** vary by the authorization presented on the
//! request". (MCP 2026-07-28, Tools.) Clients keep one list for all connections, so a client can call a tool that its own session lacks. If
//! a fact depends only on the authorization, allow it with a comment that gives the reason: `# lint: allow varies-per-session`.
//!
//! ## Example
//! ```toml
//! # toolc.toml
//! dialects = ["mcp"]
//! ```
//!
//! ```toml
//! # manifests/facts.toml
//! [facts.vision]
//! default = false
//! description = "Whether the model sees images."
//! per_session = true
//! ```
//!
//! ## Use instead
//! ```toml
//! # toolc.toml
//! dialects = ["mcp"]
//! ```
//!
//! ```toml
//! # manifests/facts.toml
//! [facts.vision]
//! default = false
//! description = "Whether the model sees images."
//! ```

use std::collections::BTreeMap;

use crate::catalog::{Atom, FactId};
use crate::diagnostic::{Code, Diagnostic, Level, Place, Sink, ticked};
use crate::lint::{Check, Lint, Rule};
use crate::text::atoms::AtomTable;

pub(super) const RULE: Rule = Rule::new("P029", "varies-per-session", Some(Level::Warning), Check::Output(check));

fn check(lint: &Lint<'_>, sink: &Sink) {
    let fixed = lint.listed_dialects().filter(|dialect| dialect.request.varying_lists().is_some());
    let dialects: Vec<&str> = fixed.map(|dialect| dialect.name).collect();
    if dialects.is_empty() {
        return;
    }
    let dialects = ticked(&dialects, ", ");
    let tools = lint.tools().map(|(_, tool)| {
        (format!("`{}` depends", tool.name()), facts(&tool.atoms, &tool.facts, &tool.manifest.atom_table))
    });
    let toolsets = lint.toolsets().filter(|(_, toolset)| !toolset.home_tools.is_empty()).map(|(_, toolset)| {
        let name = toolset.name();
        (format!("the home tools of `{name}` depend"), facts(&toolset.atoms, &[], &toolset.manifest.atom_table))
    });
    for (who, facts) in tools.chain(toolsets) {
        for (fact, place) in facts.into_iter().map(|(id, place)| (&lint[id], place)).filter(|(fact, _)| fact.per_session) {
            let name = &fact.name.value;
            let message = format!("{who} on `facts.{name}`, so the list of tools in {dialects} differs between sessions");
            sink.push(
                Diagnostic::new(Code::VARIES_PER_SESSION, place, message)
                    .related(fact.name.place, "its value may differ between the sessions of a process")
                    .help("let the handler decide instead, or describe both cases in the text"),
            );
        }
    }
}

/// Returns the facts that conditions and texts depend on, each with the place of its first use.
fn facts(atoms: &[Atom], written: &[FactId], table: &AtomTable) -> BTreeMap<FactId, Place> {
    let in_conditions = atoms.iter().zip(&table.atoms).filter_map(|(atom, at)| match atom {
        Atom::Fact(id) | Atom::Compared(id, ..) => Some((*id, at.place)),
        Atom::Tool(_) | Atom::External(_) => None,
    });
    let in_texts = written.iter().zip(&table.facts).map(|(id, at)| (*id, at.place));
    let mut facts: BTreeMap<FactId, Place> = BTreeMap::new();
    for (id, place) in in_conditions.chain(in_texts) {
        let first = facts.entry(id).or_insert(place);
        *first = place.min(*first);
    }
    facts
}
