//! Lint: what is wrong with a catalog although it could be read. [`rules`] says how a rule is added; what is here looks
//! for all of them at once, then takes away what comments allow and what is in the project's baseline.

mod allow;
mod baseline;
mod conditions;
mod graph;
pub mod guide;
mod levels;
mod losses;
mod rule;
pub mod rules;
mod shown;
mod string;
mod texts;
mod values;
mod words;

use std::ops::{Deref, Range};
use std::sync::OnceLock;

pub use baseline::Baseline;
pub use graph::{Beside, Path};
use levels::Levels;
pub use levels::{Options, Selected, find, select};
pub use rule::{Check, Lost, Rule};
pub use rules::codes;
pub use shown::Shown;
pub use string::Written;

use losses::Losses;
use rayon::prelude::*;

use crate::catalog::{Catalog, ToolId, ToolsetId};
use crate::diagnostic::{Code, Diagnostic, Level, Places, Sink};
use crate::dialects::{Confidence, Dialect, Limit};
use crate::source::Sources;

/// What rules look at: a catalog, which this stands for, and the files that it was read from.
#[derive(Debug)]
pub struct Lint<'c> {
    catalog: &'c Catalog,
    /// The files.
    pub sources: &'c Sources,
    resolved: Vec<OnceLock<Vec<ToolId>>>,
}

impl Deref for Lint<'_> {
    type Target = Catalog;

    fn deref(&self) -> &Catalog {
        self.catalog
    }
}

impl<'c> Lint<'c> {
    fn new(catalog: &'c Catalog, sources: &'c Sources) -> Self {
        Self { catalog, sources, resolved: catalog.toolsets().map(|_| OnceLock::new()).collect() }
    }

    /// The dialects that the project is for: those that `toolc.toml` lists, or else all.
    pub fn dialects(&self) -> impl Iterator<Item = &'static Dialect> {
        self.settings().dialects.iter().copied()
    }

    /// The dialects that `toolc.toml` lists. Limits of whole requests, and room for what clients add to names, matter only
    /// to a project that says what it is for.
    pub fn listed_dialects(&self) -> impl Iterator<Item = &'static Dialect> {
        self.dialects().filter(|_| self.settings().lists_dialects)
    }

    /// The default level of a finding that a vendor refuses what exceeds a limit: an error if the limit is certain and
    /// `toolc.toml` lists its dialect, and otherwise a warning.
    pub fn level_of<T>(&self, limit: &Limit<T>) -> Level {
        let is_certain = limit.confidence == Confidence::High && self.settings().lists_dialects;
        if is_certain { Level::Error } else { Level::Warning }
    }

    /// The tools that a toolset resolves to, by name. Each toolset is resolved once, whoever asks.
    pub fn resolved(&self, id: ToolsetId) -> &[ToolId] {
        self.resolved[id.0].get_or_init(|| self.catalog.resolve(id))
    }

    /// Whether it lists tools that come at run time, or what it brings along does.
    pub fn awaits_tools(&self, id: ToolsetId) -> bool {
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

/// Looks for every rule that is on, and finishes the findings of all stages: by place, with their levels, without those
/// that are allowed or known.
pub(crate) fn lint(catalog: &Catalog, sources: &Sources, options: &Options, sink: Sink) -> Vec<Diagnostic> {
    let lines = catalog.settings().levels.iter();
    let of_project: Vec<_> = lines.flat_map(|(name, level)| levels::resolve(name, *level, &sink)).collect();
    let levels = Levels::new(&of_project, options);
    let is_whole = sink.is_empty();
    let is_on = |rule: &&Rule| levels.is_on(rule.code) && (is_whole || !rule.check.needs_output());
    let rules: Vec<&'static Rule> = rules::rules().filter(is_on).collect();
    run(&Lint::new(catalog, sources), &rules, &sink);
    let rules: Vec<Code> = rules.iter().map(|rule| rule.code).collect();

    let places = Places::new(sources);
    allow::apply(&places, &rules, &sink);
    if !options.without_baseline
        && let Some(file) = &catalog.settings().baseline
    {
        baseline::apply(file, &places, &rules, &sink);
    }
    sink.finish(|found| levels.of_finding(found))
}

/// A part of the work.
enum Part {
    Rule(&'static Rule),
    Tools(Range<usize>),
}

fn run(lint: &Lint<'_>, rules: &[&'static Rule], sink: &Sink) {
    /// Enough that handing them out takes no time, few enough that all processors have something to do.
    const TOOLS: usize = 64;
    let count = lint.tools().count();
    let whole = rules.iter().filter(|rule| matches!(rule.check, Check::Catalog(_) | Check::Output(_)));
    let tools = (0..count).step_by(TOOLS).map(|start| Part::Tools(start..count.min(start + TOOLS)));
    let losses = Losses::new(rules);
    // What takes longest first.
    let parts: Vec<Part> = whole.map(|rule| Part::Rule(rule)).chain(tools).collect();
    parts.par_iter().for_each(|part| match part {
        Part::Rule(rule) => {
            if let Check::Catalog(check) | Check::Output(check) = rule.check {
                check(lint, sink);
            }
        }
        Part::Tools(ids) => {
            for tool in ids.clone().map(|id| &lint.catalog[ToolId(id)]) {
                let shown = Shown::new(lint, tool);
                for rule in rules {
                    match rule.check {
                        Check::Tool(check) => check(lint, tool, sink),
                        Check::Shown(check) => check(&shown, sink),
                        _ => {}
                    }
                }
                losses.tell(&shown, sink);
            }
        }
    });
}
