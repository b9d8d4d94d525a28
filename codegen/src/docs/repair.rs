//! `docs/repair.md`: the [rules](RULES) by which the runtime's reader repairs arguments, and examples.

mod examples;
mod rules;

use minijinja::{Value, context};

pub use examples::{Example, ExampleResult, KEPT, NoRepair, REFUSED, Subject};
pub use rules::{RULES, RuleDescription};

use crate::markdown;

/// Returns `docs/repair.md`.
pub(super) fn page() -> String {
    let rules = RULES.iter().map(|description| {
        context! {
            id => description.rule.id(),
            from => description.from,
            to => description.to,
            condition => description.condition,
            reason => description.reason,
            examples => examples(description.examples),
        }
    });
    let context = context! {
        rules => rules.collect::<Vec<_>>(),
        kept => KEPT.iter().map(entry).collect::<Vec<_>>(),
        refused => REFUSED.iter().map(entry).collect::<Vec<_>>(),
    };
    markdown::render(include_str!("repair.md.jinja"), context)
}

fn entry(entry: &NoRepair) -> Value {
    let mut from = entry.from.to_owned();
    // The entries that are accepted are paragraphs, the others cells of a table.
    if KEPT.contains(entry) {
        from[..1].make_ascii_uppercase();
    }
    context! { from, reason => entry.reason, examples => examples(entry.examples) }
}

fn examples(examples: &[Example]) -> Vec<Value> {
    let rows = examples.iter().map(|example| {
        let schema = match example.subject {
            Subject::Arguments => format!("arguments {}", code(example.schema)),
            Subject::Parameter => code(example.schema),
        };
        let sent = if example.sent.is_empty() { "nothing".to_owned() } else { code(example.sent) };
        let result = match example.result {
            ExampleResult::Repaired(value) => code(value),
            ExampleResult::Absent => "absent".to_owned(),
            ExampleResult::Refused => "refused".to_owned(),
            ExampleResult::Kept => "as sent".to_owned(),
        };
        context! { schema, sent, result }
    });
    rows.collect()
}

/// Returns a text in a table as code. More backticks than the text has in a row mark its ends.
fn code(text: &str) -> String {
    let longest = text.split(|letter| letter != '`').map(str::len).max().unwrap_or(0);
    let ticks = "`".repeat(longest + 1);
    let space = if longest > 0 { " " } else { "" };
    format!("{ticks}{space}{}{space}{ticks}", text.replace('|', "\\|"))
}
