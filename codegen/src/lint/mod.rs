//! The linter: runs the rules on a resolved catalog, then removes the findings that comments allow or that are in the
//! project's baseline. [`rules`] describes how to add a rule.

mod allow;
mod baseline;
mod conditions;
mod copies;
#[cfg(feature = "emit")]
pub mod docs_page;
mod english;
mod graph;
mod hashes;
mod kept;
mod lark;
mod levels;
mod literal;
mod lossy;
mod lowered_tool;
mod mentions;
mod patterns;
mod promises;
mod prose;
mod rule;
pub mod rules;
mod satisfiability;
mod template_parts;
mod together;
mod value_lists;
mod vendor_tools;
mod verbs;

use std::ops::{Deref, Range};
use std::sync::OnceLock;

pub use baseline::{Baseline, InvalidBaseline};
pub use graph::{Path, SimilarTools};
use kept::Lines;
use levels::Levels;
pub use levels::{Options, Selected, find, select};
pub use literal::StringLiteral;
pub use lowered_tool::LoweredTool;
pub use rule::{Check, LossFilter, Rule};
pub use rules::{all_codes, check_user_rules, codes};
use toolc_lower::dialects::{Confidence, Dialect, Limit};

use lossy::LossRules;
use rayon::prelude::*;

use crate::catalog::{Catalog, Tool, ToolId, ToolsetId};
use crate::diagnostic::{Code, Diagnostic, Level, Places, Sink, SourceId};
use crate::kept::KeptText;
use crate::source::Sources;

/// The input of the rules: a catalog, and the files that it was read from. Dereferences to the catalog.
#[derive(Debug)]
pub struct Lint<'c> {
    catalog: &'c Catalog,
    /// The files of the project.
    pub sources: &'c Sources,
    mentioned: Vec<OnceLock<Vec<String>>>,
    lines: Lines<'c>,
}

impl Deref for Lint<'_> {
    type Target = Catalog;

    fn deref(&self) -> &Catalog {
        self.catalog
    }
}

impl<'c> Lint<'c> {
    fn new(catalog: &'c Catalog, sources: &'c Sources, lines: Lines<'c>) -> Self {
        let mentioned = catalog.tools().map(|_| OnceLock::new()).collect();
        Self { catalog, sources, mentioned, lines }
    }

    /// Returns the dialects that the project is for: those that `toolc.toml` lists, or else all.
    pub fn dialects(&self) -> impl Iterator<Item = &'static Dialect> {
        self.settings().dialects.iter().copied()
    }

    /// Returns the dialects that `toolc.toml` lists. Limits of whole requests, and room for what clients add to names, matter
    /// only to a project that says what it is for.
    pub fn listed_dialects(&self) -> impl Iterator<Item = &'static Dialect> {
        self.dialects().filter(|_| self.settings().lists_dialects)
    }

    /// Returns the default level of findings about values that exceed a limit, which a vendor refuses: an error if the limit is
    /// certain and `toolc.toml` lists dialects, and otherwise a warning.
    pub fn level_of<T>(&self, limit: &Limit<T>) -> Level {
        let is_certain = limit.confidence == Confidence::High && self.settings().lists_dialects;
        if is_certain { Level::Error } else { Level::Warning }
    }

    /// Returns the names that the texts of a tool may mention, each with a backtick before it if it is in backticks. The result is
    /// cached.
    pub fn mentioned(&self, id: ToolId) -> &[String] {
        self.mentioned[id.0].get_or_init(|| {
            let literals = || self.catalog[id].texts().filter_map(|text| self.string(text.place));
            let written = || mentions::mentioned(literals().map(|literal| literal.value().to_owned()));
            self.lines.mentions(id).unwrap_or_else(written)
        })
    }

    /// Returns whether a toolset, or one that it includes, lists tools that are added at run time.
    pub fn has_external_tools(&self, id: ToolsetId) -> bool {
        let (mut seen, mut open) = (vec![false; self.catalog.toolsets().count()], vec![id]);
        while let Some(id) = open.pop() {
            let toolset = &self.catalog[id];
            if !toolset.external.is_empty() {
                return true;
            }
            if !std::mem::replace(&mut seen[id.0], true) {
                open.extend(toolset.edges().map(|(next, _)| next));
            }
        }
        false
    }
}

/// Runs every enabled rule, and returns the findings of all stages: sorted by place, with their levels, without those
/// that comments allow or that are in the baseline.
pub(crate) fn lint(
    catalog: &Catalog,
    sources: &Sources,
    options: &Options,
    kept: Option<&KeptText>,
    sink: Sink,
) -> Vec<Diagnostic> {
    let lines = catalog.settings().levels.iter();
    let of_project: Vec<_> = lines.flat_map(|(name, level)| levels::resolve(name, *level, &sink)).collect();
    let levels = Levels::new(&of_project, options);
    let is_valid = sink.is_empty();
    let are_known = !catalog.settings().are_unknown || !options.only.is_empty();
    let is_on = |rule: &&Rule| are_known && levels.is_on(rule.code) && (is_valid || !rule.check.needs_valid_catalog());
    let rules: Vec<&'static Rule> = rules::rules().filter(is_on).collect();
    let lines = Lines::new(kept, catalog, sources, rules.iter().map(|rule| rule.code));
    let lint = Lint::new(catalog, sources, lines);
    run(&lint, &rules, &sink);
    lint.lines.finish();
    let rules: Vec<Code> = rules.iter().map(|rule| rule.code).collect();

    let places = Places::new(sources);
    allow::apply(&places, &rules, &sink);
    if !options.without_baseline
        && let Some(file) = &catalog.settings().baseline
    {
        baseline::apply(file, &places, &rules, &sink);
    }
    // A secret in a file is published with it, even in a refused part.
    sink.drop_consequences(|code| code == codes::SECRET_IN_TEXT);
    sink.finish(|found| levels.of_finding(found))
}

/// A unit of work for one thread.
enum Part {
    Rule(&'static Rule),
    /// A file that declares no tool.
    File(SourceId),
    Tools(Range<usize>),
}

fn run(lint: &Lint<'_>, rules: &[&'static Rule], sink: &Sink) {
    /// Large enough to make scheduling cheap, small enough to keep all threads busy.
    const TOOLS: usize = 64;
    let count = lint.tools().count();
    let whole = rules.iter().filter(|rule| matches!(rule.check, Check::Catalog(_) | Check::Output(_)));
    let tools = (0..count).step_by(TOOLS).map(|start| Part::Tools(start..count.min(start + TOOLS)));
    let mut declares_tool = vec![false; lint.sources.all().len()];
    lint.tools().for_each(|(_, tool)| declares_tool[tool.manifest.name.place.source.0 as usize] = true);
    let others = lint.sources.iter().map(|(id, _)| id).filter(|id| !declares_tool[id.0 as usize]);
    let loss_rules = LossRules::new(rules);
    // The longest parts first.
    let parts = whole.map(|rule| Part::Rule(rule)).chain(tools).chain(others.map(Part::File));
    let parts: Vec<Part> = parts.collect();
    parts.par_iter().with_max_len(1).for_each(|part| match part {
        Part::Rule(rule) => {
            if let Check::Catalog(check) | Check::Output(check) = rule.check {
                check(lint, sink);
            }
        }
        Part::File(id) => {
            for rule in rules {
                if let Check::File(check) = rule.check {
                    check(lint, *id, None, sink);
                }
            }
        }
        Part::Tools(ids) => {
            for id in ids.clone().map(ToolId) {
                let tool = &lint.catalog[id];
                let kept = lint.lines.findings(id, tool, lint.sources);
                let found = kept.unwrap_or_else(|| {
                    let found = check_tool(lint, tool, rules, &loss_rules);
                    lint.lines.keep(id, tool, lint.sources, lint.mentioned(id), &found);
                    found
                });
                for found in found {
                    sink.push(found);
                }
            }
        }
    });
}

/// Runs the rules that are about one tool.
fn check_tool(lint: &Lint<'_>, tool: &Tool, rules: &[&'static Rule], loss_rules: &LossRules) -> Vec<Diagnostic> {
    let sink = Sink::default();
    let lowered = LoweredTool::new(lint, tool);
    for rule in rules {
        match rule.check {
            Check::File(check) => check(lint, tool.manifest.name.place.source, Some(tool), &sink),
            Check::Tool(check) => check(lint, tool, &sink),
            Check::LoweredTool(check) => check(&lowered, &sink),
            _ => {}
        }
    }
    loss_rules.report(&lowered, &sink);
    sink.into_findings()
}
