//! The plain manifests of tools without errors, as text for the next run: a line for each, with the digest of its file and the fields of a
//! [`LazyManifest`].

use std::collections::HashMap;
use std::sync::Arc;

use rayon::prelude::*;
use serde_json::{Value, json};
use toolc::behaviour::Execution;
use toolc_lower::text::template::Piece;

use super::RequiresManifest;
use super::lazy::{LazyManifest, PlainManifest};
use crate::diagnostic::{At, Place, SourceId};
use crate::kept::KeptText;
use crate::source::Source;

/// The manifests that the last run kept.
#[derive(Debug)]
pub struct KeptManifests<'k> {
    text: &'k KeptText,
    /// The lines without the digests, by digest.
    lines: HashMap<u64, &'k str>,
}

impl<'k> KeptManifests<'k> {
    /// Finds the lines of a text.
    pub fn new(text: &'k KeptText) -> Self {
        let line = |line: &'k str| {
            let (digest, rest) = line.split_once('\t')?;
            Some((u64::from_str_radix(digest, 16).ok()?, rest))
        };
        Self { text, lines: text.last().lines().filter_map(line).collect() }
    }

    /// Returns the manifest of a file that is unchanged.
    pub(super) fn find(&self, id: SourceId, source: &Arc<Source>) -> Option<LazyManifest> {
        if self.lines.is_empty() {
            return None;
        }
        let digest = source.digest();
        let line: Value = serde_json::from_str(self.lines.get(&digest)?).ok()?;
        let plain = FileReader { id, text: &source.text }.manifest(&line)?;
        Some(LazyManifest::kept(plain, digest, (id, Arc::clone(source))))
    }

    /// Keeps the plain manifests of a project without errors.
    pub(crate) fn keep<'m>(&self, manifests: impl Iterator<Item = &'m LazyManifest>) {
        let plain: Vec<&LazyManifest> = manifests.filter(|manifest| manifest.is_plain()).collect();
        let lines = plain.par_iter().filter_map(|manifest| {
            let digest = manifest.digest;
            let last = self.lines.get(&digest).filter(|_| manifest.is_kept).map(|line| (*line).to_owned());
            Some(format!("{digest:016x}\t{}\n", last.or_else(|| write(manifest))?))
        });
        self.text.set(lines.collect::<Vec<String>>().concat());
    }
}

/// Returns a plain manifest as text.
fn write(manifest: &LazyManifest) -> Option<String> {
    let at = |value: &str, place: Place| json!([value, place.span().start, place.span().end]);
    let text = |text: &At<String>| at(&text.value, text.place);
    let [Piece::Text(description)] = manifest.description.value.as_slice() else { return None };
    let lists: Vec<Value> = lists(&manifest.requires).map(|list| list.iter().map(text).collect()).to_vec();
    let line = json!([
        text(&manifest.name),
        manifest.toolset.as_ref().map(text),
        at(description, manifest.description.place),
        manifest.emoji,
        at(manifest.execution.value.word(), manifest.execution.place),
        manifest.required,
        lists,
    ]);
    Some(line.to_string())
}

/// Returns the lists of requirements. Plain manifests have no other requirements.
fn lists(requires: &RequiresManifest) -> [&Vec<At<String>>; 6] {
    let RequiresManifest { env, any_env, programs, os, tools, any_tools, when: _, check: _, refused: _ } = requires;
    [env, any_env, programs, os, tools, any_tools]
}

/// Reads what [`write`] wrote about a file.
struct FileReader<'s> {
    id: SourceId,
    text: &'s str,
}

impl FileReader<'_> {
    fn manifest(&self, line: &Value) -> Option<PlainManifest> {
        let [name, toolset, description, emoji, execution, required, lists] = &line.as_array()?[..] else {
            return None;
        };
        let toolset = if toolset.is_null() { None } else { Some(self.text(toolset)?) };
        let execution = self.text(execution)?;
        let word = Execution::ALL.into_iter().find(|one| one.word() == execution.value)?;
        let required = required.as_array()?.iter().map(|name| name.as_str().map(str::to_owned));
        let [env, any_env, programs, os, tools, any_tools] = &lists.as_array()?[..] else { return None };
        Some(PlainManifest {
            name: self.text(name)?,
            toolset,
            description: self.text(description)?,
            emoji: emoji.as_str()?.to_owned(),
            execution: At::new(word, execution.place),
            requires: RequiresManifest {
                env: self.texts(env)?,
                any_env: self.texts(any_env)?,
                programs: self.texts(programs)?,
                os: self.texts(os)?,
                tools: self.texts(tools)?,
                any_tools: self.texts(any_tools)?,
                ..RequiresManifest::default()
            },
            required: required.collect::<Option<_>>()?,
        })
    }

    fn texts(&self, list: &Value) -> Option<Vec<At<String>>> {
        list.as_array()?.iter().map(|text| self.text(text)).collect()
    }

    fn text(&self, value: &Value) -> Option<At<String>> {
        let [text, start, end] = &value.as_array()?[..] else { return None };
        let offset = |at: &Value| usize::try_from(at.as_u64()?).ok();
        let span = offset(start)?..offset(end)?;
        self.text.get(span.clone())?;
        Some(At::new(text.as_str()?.to_owned(), Place::new(self.id, span)))
    }
}
