//! The tables of rules and places in `docs/approval.md`.

use std::fmt::Write as _;

use toolc_commands::rules::Verdict;

use super::replace_between;
use crate::check::Checked;
use crate::failure::Failure;
use crate::manifest::{CommandsManifest, RuleManifest};

/// Returns the page with new tables of the rules of `catalog`.
///
/// # Errors
/// If the page has no place for the tables.
pub(super) fn renew_tables(catalog: &Checked, page: &str) -> Result<String, Failure> {
    let tables: String = catalog.commands().iter().map(tables).collect();
    replace_between(page, "rules", &tables)
}

/// Returns the tables of one manifest, under its name.
fn tables(manifest: &CommandsManifest) -> String {
    let mut text = String::new();
    if !manifest.rules.is_empty() {
        text += &format!(
            "\n### {}\n\n{}\n\n| rule | verdict | what the command does | what to check | exceptions | low risk |\n|---|---|---|---|---|---|\n",
            manifest.name.value, manifest.description
        );
        for rule in &manifest.rules {
            text += &row(rule);
        }
    }
    if !manifest.places.is_empty() {
        text += &format!(
            "\n### {}\n\n{}\n\n| place | what it is |\n|---|---|\n",
            manifest.name.value, manifest.description
        );
        for place in &manifest.places {
            let _ = writeln!(text, "| `{}` | {} |", place.name.value, cell(&place.description));
        }
    }
    text
}

fn row(rule: &RuleManifest) -> String {
    let verdict = rule.verdict.as_ref().map_or(Verdict::Ask, |verdict| verdict.value.0);
    let can_be_exempted = rule.can_be_exempted.as_ref().is_some_and(|flag| flag.value);
    let example =
        rule.matches.first().map(|example| format!(" Example: {}.", code(&example.value))).unwrap_or_default();
    let set = rule.optional.as_ref().map(|set| format!(" (`{}`)", set.value)).unwrap_or_default();
    let low_risk = rule.low_risk.as_ref().is_some_and(|flag| flag.value);
    format!(
        "| `{}` | {}{set} | {}{example} | {} | {} | {} |\n",
        rule.name.value,
        verdict.word(),
        cell(&rule.description),
        cell(&rule.check),
        if can_be_exempted { "yes" } else { "" },
        if low_risk { "yes" } else { "" },
    )
}

/// Returns text for a cell of a table.
fn cell(text: &str) -> String {
    text.trim().replace('\n', " ").replace('|', "\\|")
}

/// Returns an example as code in a cell of a table.
fn code(text: &str) -> String {
    let ticks = if text.contains('`') { "``" } else { "`" };
    let pad = if text.contains('`') { " " } else { "" };
    format!("{ticks}{pad}{}{pad}{ticks}", cell(text))
}
