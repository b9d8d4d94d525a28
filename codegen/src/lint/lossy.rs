//! Rules about lossy lowering: what a dialect cannot express as the author wrote it. One rule reports each loss.

use std::collections::BTreeMap;

use toolc_lower::narrow::{Fallback, Loss};

use super::lowered_tool::LoweredTool;
use super::{Check, LossFilter, Rule};
use crate::diagnostic::{Code, Diagnostic, Place, Sink, ticked};

/// The rules about losses. Those of a single dialect come first and win.
pub(super) struct LossRules(Vec<(Code, LossFilter)>);

impl LossRules {
    /// Selects the loss rules among the enabled rules.
    pub(super) fn new(rules: &[&'static Rule]) -> Self {
        let filters = rules.iter().filter_map(|rule| match rule.check {
            Check::Loss(filter) => Some((rule.code, filter)),
            _ => None,
        });
        let mut filters: Vec<_> = filters.collect();
        filters.sort_by_key(|(_, filter)| filter.dialect.is_none());
        Self(filters)
    }

    /// Reports the losses of a tool: each keyword once, with all dialects that lose it.
    pub(super) fn report(&self, lowered: &LoweredTool<'_, '_>, sink: &Sink) {
        if self.0.is_empty() {
            return;
        }
        let mut found: BTreeMap<LossKey, (Code, Vec<&str>)> = BTreeMap::new();
        for (dialect, narrowed) in lowered.dialects() {
            for loss in &narrowed().losses {
                let Some(code) = self.rule_of(dialect.name, loss) else { continue };
                let key = LossKey {
                    place: loss.place,
                    rule: code.id,
                    keyword: loss.keyword,
                    outcome: outcome(loss.fallback),
                    path: loss.path.clone(),
                };
                let (_, names) = found.entry(key).or_insert_with(|| (code, Vec::new()));
                if names.last() != Some(&dialect.name) {
                    names.push(dialect.name);
                }
            }
        }
        for (LossKey { place, keyword, outcome, path, .. }, (code, dialects)) in found {
            let names_several = dialects.len() > 1;
            let (tool, dialect, dialects) = (lowered.tool.name(), dialects[0], ticked(&dialects, ", "));
            let reason = if keyword == "$ref" { "it is recursive, so " } else { "" };
            let parameter = path.trim_start_matches('.');
            let of = if parameter.is_empty() { String::new() } else { format!("the parameter `{parameter}` of ") };
            let does = if names_several { "do" } else { "does" };
            let message = format!("{dialects} {does} not support the `{keyword}` of {of}`{tool}`: {reason}{outcome}");
            sink.push(
                Diagnostic::new(code, place, message)
                    .help(format!("`show {tool} --dialect {dialect}` prints the definition")),
            );
        }
    }

    fn rule_of(&self, dialect: &str, loss: &Loss) -> Option<Code> {
        let applies = |filter: &LossFilter| filter.dialect.is_none_or(|name| name == dialect) && (filter.matches)(loss);
        self.0.iter().find(|(_, filter)| !is_reported_elsewhere(loss) && applies(filter)).map(|(code, _)| *code)
    }
}

/// Identifies a finding. Dialects with equal keys share one.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct LossKey {
    place: Place,
    rule: &'static str,
    keyword: &'static str,
    outcome: &'static str,
    path: String,
}

/// Returns whether another rule reports the loss: a combinator at the root (`root-combinator`), a name (`parameter-name`), or callers
/// (`code-cannot-call`). Losses in `returns` do not matter, because no model writes results.
fn is_reported_elsewhere(loss: &Loss) -> bool {
    let is_at_root = loss.path.is_empty() && matches!(loss.keyword, "anyOf" | "oneOf" | "allOf");
    is_at_root || matches!(loss.keyword, "properties" | "name" | "callers" | "returns")
}

fn outcome(fallback: Fallback) -> &'static str {
    match fallback {
        Fallback::Description => "the description states it instead",
        Fallback::JsonText => "the value is sent as JSON text",
        Fallback::Dropped => "it is dropped",
    }
}
