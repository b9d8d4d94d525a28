//! The plain manifests of tools without errors, as text for the next run: a line for each, with the digest of its file and the fields of a
//! [`LazyManifest`].

use std::sync::Arc;

use rayon::prelude::*;
use serde_json::{Value, json};
use toolc::behaviour::Execution;
use toolc_lower::text::template::Piece;

use super::RequiresManifest;
use super::lazy::{LazyManifest, PlainManifest};
use crate::diagnostic::{At, Place, SourceId};
use crate::kept::KeptText;
use crate::quick::QuickMap;
use crate::source::Source;

/// The manifests that the last run kept.
#[derive(Debug)]
pub struct KeptManifests<'k> {
    text: &'k KeptText,
    /// The lines without the digests, by digest.
    lines: QuickMap<u64, &'k str>,
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
        let line: Line = serde_json::from_str(self.lines.get(&digest)?).ok()?;
        let plain = FileReader { id, text: source.text.read() }.manifest(line)?;
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
    let RequiresManifest { env, any_env, programs, os, tools, any_tools, any: _, when: _, check: _, refused: _ } =
        requires;
    [env, any_env, programs, os, tools, any_tools]
}

/// A text with its place: the first and the last offset.
type Text = (String, usize, usize);

/// What [`write`] writes: the name, the toolset, the description, the emoji, the execution, the required parameters, and the lists of
/// requirements.
type Line = (Text, Option<Text>, Text, String, Text, Vec<String>, [Vec<Text>; 6]);

/// Reads what [`write`] wrote about a file.
struct FileReader<'s> {
    id: SourceId,
    /// The text, if it was read. Otherwise, the file is known to be the one about which the line was written.
    text: Option<&'s str>,
}

impl FileReader<'_> {
    fn manifest(&self, line: Line) -> Option<PlainManifest> {
        let (name, toolset, description, emoji, execution, required, lists) = line;
        let toolset = toolset.map(|toolset| self.text(toolset).ok_or(())).transpose().ok()?;
        let execution = self.text(execution)?;
        let word = Execution::ALL.into_iter().find(|one| one.word() == execution.value)?;
        let [env, any_env, programs, os, tools, any_tools] = lists.map(|list| self.texts(list));
        Some(PlainManifest {
            name: self.text(name)?,
            toolset,
            description: self.text(description)?,
            emoji,
            execution: At::new(word, execution.place),
            requires: RequiresManifest {
                env: env?,
                any_env: any_env?,
                programs: programs?,
                os: os?,
                tools: tools?,
                any_tools: any_tools?,
                ..RequiresManifest::default()
            },
            required,
        })
    }

    fn texts(&self, list: Vec<Text>) -> Option<Vec<At<String>>> {
        list.into_iter().map(|text| self.text(text)).collect()
    }

    fn text(&self, (text, start, end): Text) -> Option<At<String>> {
        if let Some(text) = self.text {
            text.get(start..end)?;
        }
        Some(At::new(text, Place::new(self.id, start..end)))
    }
}
