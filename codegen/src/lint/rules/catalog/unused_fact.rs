//! A fact that no condition and no text refers to.
//!
//! ## Why is this bad
//! Hosts have a field for the fact and set it, but no model ever sees a difference. A fact that only handlers read,
//! with `Call::fact`, deserves a comment: `# lint: allow unused-fact`, with the reason.
//!
//! ## Example
//! ```toml
//! # manifests/facts.toml
//! [facts.theme]
//! default = "dark"
//! description = "The colours of the terminal."
//! ```
//!
//! ## Use instead
//! ```toml
//! # manifests/facts.toml
//! [facts.theme]
//! default = "dark"
//! description = "The colours of the terminal."
//! ```
//!
//! ```toml
//! # manifests/tools/draw_chart.toml
//! description = """\
//! Draw a chart of the numbers in a table and store it as a picture. Colours suit a {{ facts.theme }} \
//! background. The answer names the file."""
//! ```

use std::collections::BTreeSet;

use crate::lint::codes;
use crate::catalog::{Atom, FactId};
use crate::diagnostic::{Diagnostic, Level, Sink};
use crate::lint::{Check, Lint, Rule};

pub(super) const RULE: Rule = Rule::new("C045", "unused-fact", Some(Level::Warning), Check::Output(check));

fn check(lint: &Lint<'_>, sink: &Sink) {
    let of_tools = lint.tools().flat_map(|(_, tool)| &tool.atoms);
    let of_toolsets = lint.toolsets().flat_map(|(_, toolset)| &toolset.atoms);
    let in_conditions = of_tools.chain(of_toolsets).filter_map(|atom| match atom {
        Atom::Tool(_) | Atom::External(_) => None,
        Atom::Fact(id) | Atom::Compared(id, ..) => Some(*id),
    });
    let used: BTreeSet<FactId> = lint.tools().flat_map(|(_, tool)| tool.facts.iter().copied()).chain(in_conditions).collect();
    for (_, fact) in (0..).map(FactId).zip(lint.facts()).filter(|(id, _)| !used.contains(id)) {
        let name = &fact.name.value;
        sink.push(
            Diagnostic::new(codes::UNUSED_FACT, fact.name.place, format!("the fact `{name}` is not used"))
                .help(format!("use `facts.{name}` in a condition or a text, or delete the fact"))
                .help("if handlers read it: `# lint: allow unused-fact`, with their names"),
        );
    }
}
