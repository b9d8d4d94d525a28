//! What the linter found in each tool, kept from one run to the next, so that the rules run only on the tools that changed. A
//! finding never depends on what was kept: if the text is missing, damaged or from another state of the project, every rule runs.
//!
//! The text has a line that says what it is valid for, and a line for each tool: the digest of its manifest, its
//! [mentions](super::Lint::mentioned) and its findings, with tabs between them.

use std::fmt::Write as _;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::OnceLock;

use rayon::prelude::*;
use serde_json::{Value, json};

use super::levels::find;
use crate::catalog::{Catalog, Tool, ToolId};
use crate::diagnostic::{Code, Diagnostic, Edit, Level, Place, SourceId};
use crate::kept::KeptText;
use crate::quick::QuickMap;
use crate::source::{Kind, Sources};

/// Returns the digest of everything that a finding about one tool may depend on except its manifest: the rules, the files that
/// are not manifests of tools, and what tools share with one another, which is their names.
pub(super) fn shared_digest(catalog: &Catalog, sources: &Sources, rules: &[Code]) -> u64 {
    let mut hasher = DefaultHasher::new();
    for rule in rules {
        rule.id.hash(&mut hasher);
    }
    for source in sources.all().iter().filter(|source| source.kind != Some(Kind::Tool)) {
        (&source.path, &*source.text, source.fault.is_some()).hash(&mut hasher);
    }
    for (_, tool) in catalog.tools() {
        let manifest = &tool.manifest;
        (tool.name(), tool.home.0).hash(&mut hasher);
        let overrides = manifest.dialect.iter().filter_map(|dialect| dialect.name.as_ref());
        for name in manifest.aliases.iter().chain(overrides) {
            name.value.hash(&mut hasher);
        }
    }
    hasher.finish()
}

/// The kept lines of the tools whose manifests are unchanged, and the lines of this run.
#[derive(Debug, Default)]
pub(super) struct Lines<'k> {
    kept: Option<&'k KeptText>,
    shared_digest: u64,
    tools: Vec<Line<'k>>,
}

#[derive(Debug, Default)]
struct Line<'k> {
    /// The digest of the manifest.
    digest: u64,
    /// What the last run kept after the digest.
    last: Option<&'k str>,
    next: OnceLock<String>,
}

impl<'k> Lines<'k> {
    /// Finds the lines that are still valid.
    pub(super) fn new(
        kept: Option<&'k KeptText>,
        catalog: &Catalog,
        sources: &Sources,
        rules: impl Iterator<Item = Code>,
    ) -> Self {
        let Some(kept) = kept else { return Self::default() };
        let rules: Vec<Code> = rules.collect();
        let shared_digest = shared_digest(catalog, sources, &rules);
        let (first, lines) = kept.last().split_once('\n').unwrap_or_default();
        let lines = if number(first) == Some(shared_digest) { lines } else { "" };
        let line = |line: &'k str| line.split_once('\t').and_then(|(digest, rest)| Some((number(digest)?, rest)));
        let last: QuickMap<u64, &str> = lines.lines().filter_map(line).collect();
        let tools: Vec<ToolId> = catalog.tools().map(|(id, _)| id).collect();
        let tools = tools.par_iter().map(|&id| {
            let digest = catalog[id].manifest.digest;
            Line { digest, last: last.get(&digest).copied(), next: OnceLock::new() }
        });
        Self { kept: Some(kept), shared_digest, tools: tools.collect() }
    }

    /// Returns the mentions of an unchanged tool.
    pub(super) fn mentions(&self, id: ToolId) -> Option<Vec<String>> {
        let (mentions, _) = self.last(id)?.split_once('\t')?;
        Some(mentions.split(' ').filter(|mention| !mention.is_empty()).map(str::to_owned).collect())
    }

    /// Returns the findings about an unchanged tool.
    pub(super) fn findings(&self, id: ToolId, tool: &Tool, sources: &Sources) -> Option<Vec<Diagnostic>> {
        let (_, findings) = self.last(id)?.split_once('\t')?;
        if findings == "[]" {
            return Some(Vec::new());
        }
        let own = tool.manifest.name.place.source;
        let all: Value = serde_json::from_str(findings).ok()?;
        all.as_array()?.iter().map(|found| read(found, own, sources)).collect()
    }

    fn last(&self, id: ToolId) -> Option<&'k str> {
        self.tools.get(id.0)?.last
    }

    /// Keeps the mentions of a tool and the findings about it for the next run.
    pub(super) fn keep(&self, id: ToolId, tool: &Tool, sources: &Sources, mentions: &[String], found: &[Diagnostic]) {
        let Some(line) = self.tools.get(id.0) else { return };
        let own = tool.manifest.name.place.source;
        let findings: Option<Vec<Value>> = found.iter().map(|found| write(found, own, sources)).collect();
        if let Some(findings) = findings {
            let _ = line.next.set(format!("{}\t{}", mentions.join(" "), Value::Array(findings)));
        }
    }

    /// Completes the text for the next run.
    pub(super) fn finish(self) {
        let Some(kept) = self.kept else { return };
        let mut text = format!("{:016x}\n", self.shared_digest);
        for Line { digest, last, next } in &self.tools {
            if let Some(rest) = next.get().map(String::as_str).or(*last) {
                let _ = writeln!(text, "{digest:016x}\t{rest}");
            }
        }
        kept.set(text);
    }
}

fn number(text: &str) -> Option<u64> {
    u64::from_str_radix(text, 16).ok()
}

/// Returns a finding as JSON, or `None` if it has a place in the manifest of another tool, which may change.
fn write(found: &Diagnostic, own: SourceId, sources: &Sources) -> Option<Value> {
    let place = |place: Place| {
        let source = (!sources.is_other(place.source)).then(|| sources.get(place.source))?;
        let is_own = place.source == own;
        let path = if is_own { "" } else { &source.path };
        (is_own || source.kind != Some(Kind::Tool)).then(|| json!([path, place.span().start, place.span().end]))
    };
    let related: Option<Vec<Value>> =
        found.related.iter().map(|(at, label)| Some(json!([place(*at)?, label]))).collect();
    let edit = |edit: &Edit| match edit {
        Edit::Replace(at, text) => Some(json!([place(*at)?, text])),
        Edit::Remove(at) => Some(json!([place(*at)?, null])),
    };
    let fix: Option<Vec<Value>> = found.fix.iter().map(edit).collect();
    let is_error = found.level == Level::Error;
    Some(json!([found.code.id, is_error, found.message, place(found.at.0)?, found.at.1, related?, found.help, fix?]))
}

/// Reads what [`write`] wrote.
fn read(found: &Value, own: SourceId, sources: &Sources) -> Option<Diagnostic> {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let place = |value: &Value| {
        let path = value[0].as_str()?;
        let source = if path.is_empty() { own } else { sources.find(path)? };
        let text = &sources.get(source).text;
        let offset =
            |index: usize| usize::try_from(value[index].as_u64()?).ok().filter(|&at| text.is_char_boundary(at));
        let span = offset(1)?..offset(2)?;
        (span.start <= span.end).then(|| Place::new(source, span))
    };
    let related = |value: &Value| Some((place(&value[0])?, text(&value[1])?));
    let edit = |value: &Value| match &value[1] {
        Value::Null => Some(Edit::Remove(place(&value[0])?)),
        new => Some(Edit::Replace(place(&value[0])?, text(new)?)),
    };
    let [code, is_error, message, at, label, others, help, fix] = &found.as_array()?[..] else { return None };
    Some(Diagnostic {
        code: find(code.as_str()?)?,
        level: if is_error.as_bool()? { Level::Error } else { Level::Warning },
        message: text(message)?,
        at: (place(at)?, text(label)?),
        related: others.as_array()?.iter().map(related).collect::<Option<_>>()?,
        help: help.as_array()?.iter().map(text).collect::<Option<_>>()?,
        fix: fix.as_array()?.iter().map(edit).collect::<Option<_>>()?,
    })
}
