//! What dialects cannot say as the author did, and what becomes of it. The lowering knows; each loss is told by one rule.

use std::collections::BTreeMap;

use super::shown::Shown;
use super::{Check, Lost, Rule};
use crate::diagnostic::{Code, Diagnostic, Place, Sink, ticked};
use crate::lower::narrow::{Fallback, Loss};

/// The rules about losses, those of one dialect first: what one of them tells is not told again.
pub(super) struct Losses(Vec<(Code, Lost)>);

impl Losses {
    /// Those among the rules that are looked for.
    pub(super) fn new(rules: &[&'static Rule]) -> Self {
        let lost = rules.iter().filter_map(|rule| match rule.check {
            Check::Lost(lost) => Some((rule.code, lost)),
            _ => None,
        });
        let mut lost: Vec<_> = lost.collect();
        lost.sort_by_key(|(_, lost)| lost.dialect.is_none());
        Self(lost)
    }

    /// Tells what is lost of a tool: each word once at its place, with the dialects.
    pub(super) fn tell(&self, shown: &Shown<'_, '_>, sink: &Sink) {
        if self.0.is_empty() {
            return;
        }
        let mut found: BTreeMap<Told, (Code, Vec<&str>)> = BTreeMap::new();
        for (dialect, narrowed) in shown.dialects() {
            for loss in &narrowed().losses {
                let Some(code) = self.rule_of(dialect.name, loss) else { continue };
                let told =
                    Told { place: loss.place, rule: code.id, word: loss.keyword, becomes: becomes(loss.fallback) };
                let (_, names) = found.entry(told).or_insert_with(|| (code, Vec::new()));
                if names.last() != Some(&dialect.name) {
                    names.push(dialect.name);
                }
            }
        }
        for (Told { place, word, becomes, .. }, (code, dialects)) in found {
            let (tool, dialect, dialects) = (shown.tool.name(), dialects[0], ticked(&dialects, ", "));
            let why = if word == "$ref" { "it leads back to itself, and " } else { "" };
            let message = format!("{dialects} cannot say the `{word}` of `{tool}` as it is written: {why}{becomes}");
            sink.push(
                Diagnostic::new(code, place, message)
                    .help(format!("`cargo xtask show {tool} --dialect {dialect}` shows it")),
            );
        }
    }

    fn rule_of(&self, dialect: &str, loss: &Loss) -> Option<Code> {
        let is_of = |lost: &Lost| lost.dialect.is_none_or(|name| name == dialect) && (lost.is_told)(loss);
        self.0.iter().find(|(_, lost)| !is_other_rules(loss) && is_of(lost)).map(|(code, _)| *code)
    }
}

/// What is one finding, in however many dialects it is so.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Told {
    place: Place,
    rule: &'static str,
    word: &'static str,
    becomes: &'static str,
}

/// Whether it is told whatever becomes of it: a combinator of the arguments as a whole (`root-combinator`), a name
/// (`parameter-name`). What a tool returns no model writes.
fn is_other_rules(loss: &Loss) -> bool {
    let is_of_the_root = loss.path.is_empty() && matches!(loss.keyword, "anyOf" | "oneOf" | "allOf");
    is_of_the_root || matches!(loss.keyword, "properties" | "name" | "returns")
}

fn becomes(fallback: Fallback) -> &'static str {
    match fallback {
        Fallback::Description => "the description says it",
        Fallback::JsonText => "the value is sent as JSON text, which is read back",
        Fallback::Dropped => "it is not said, or some values cannot be sent",
    }
}
