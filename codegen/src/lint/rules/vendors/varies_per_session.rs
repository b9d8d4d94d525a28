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

use toolc_lower::dialects::Dialect;
use toolc_lower::text::atoms::{AtomId, AtomTable, FactRef, Uses};

use crate::lint::codes;
use crate::catalog::{Atom, FactId, Tool};
use crate::diagnostic::{Diagnostic, Level, Place, Sink, ticked};
use crate::lint::{Check, Lint, Rule};
use crate::lower::definition;

pub(super) const RULE: Rule = Rule::new("P029", "varies-per-session", Some(Level::Warning), Check::Output(check));

fn check(lint: &Lint<'_>, sink: &Sink) {
    let fixed = lint.listed_dialects().filter(|dialect| dialect.request.varying_lists().is_some());
    let dialects: Vec<&'static Dialect> = fixed.collect();
    if dialects.is_empty() || !lint.facts().iter().any(|fact| fact.per_session) {
        return;
    }
    let names: Vec<&str> = dialects.iter().map(|dialect| dialect.name).collect();
    let names = ticked(&names, ", ");
    let tools = lint.tools().map(|(_, tool)| {
        let uses = uses(lint, tool, &dialects);
        (format!("`{}` depends", tool.name()), facts(&uses, &tool.atoms, &tool.facts, &tool.manifest.atom_table))
    });
    let toolsets = lint.toolsets().filter(|(_, toolset)| !toolset.home_tools.is_empty()).map(|(_, toolset)| {
        let name = toolset.name();
        let uses = Uses { atoms: (0..toolset.atoms.len()).map(AtomId).collect(), ..Uses::default() };
        let facts = facts(&uses, &toolset.atoms, &[], &toolset.manifest.atom_table);
        (format!("the home tools of `{name}` depend"), facts)
    });
    for (who, facts) in tools.chain(toolsets) {
        for (fact, place) in facts.into_iter().map(|(id, place)| (&lint[id], place)).filter(|(fact, _)| fact.per_session) {
            let name = &fact.name.value;
            let message = format!("{who} on `facts.{name}`, so the list of tools in {names} differs between sessions");
            sink.push(
                Diagnostic::new(codes::VARIES_PER_SESSION, place, message)
                    .related(fact.name.place, "its value may differ between the sessions of a process")
                    .help("let the handler decide instead, or describe both cases in the text"),
            );
        }
    }
}

/// Returns what the definitions of a tool in these dialects depend on, and whether it is shown.
fn uses(lint: &Lint<'_>, tool: &Tool, dialects: &[&'static Dialect]) -> Uses {
    let mut uses = Uses::default();
    for json in dialects.iter().filter_map(|dialect| definition(dialect, lint, tool).definition) {
        uses.add_text(&json.json());
        let requires = &tool.manifest.requires;
        let conditions = requires.when.iter().chain(requires.alternative_conditions());
        conditions.for_each(|when| uses.add_condition(&when.value));
    }
    uses
}

/// Returns the facts among what is used, each with the place of its first use.
fn facts(uses: &Uses, atoms: &[Atom], written: &[FactId], table: &AtomTable) -> BTreeMap<FactId, Place> {
    let in_conditions = uses.atoms.iter().filter_map(|AtomId(at)| match atoms.get(*at)? {
        Atom::Fact(id) | Atom::Compared(id, ..) => Some((*id, table.atoms.get(*at)?.place)),
        Atom::Tool(_) | Atom::External(_) => None,
    });
    let in_texts = uses.facts.iter().filter_map(|FactRef(at)| Some((*written.get(*at)?, table.facts.get(*at)?.place)));
    let mut facts: BTreeMap<FactId, Place> = BTreeMap::new();
    for (id, place) in in_conditions.chain(in_texts) {
        let first = facts.entry(id).or_insert(place);
        *first = place.min(*first);
    }
    facts
}
