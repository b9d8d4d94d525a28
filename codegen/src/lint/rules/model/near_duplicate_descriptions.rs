//! Two tools in one toolset whose descriptions are equal or nearly equal, and do not differ by the words in which the
//! names differ. Texts are compared with all conditional parts.
//!
//! ## Why is this bad
//! The text does not say which of the two to choose. Usually one was copied and never changed.
//!
//! ## Example
//! ```toml
//! # manifests/tools/read_config.toml
//! description = "Read a text file of the project, or a window of its lines. The result has one line of text for each line of the file. Use it to look at source before changing it."
//! ```
//!
//! ## Use instead
//! ```toml
//! # manifests/tools/read_config.toml
//! description = "Return the effective settings of the project, including defaults. Use it to find the build directory and the enabled checks."
//! ```

use std::borrow::Cow;
use std::collections::hash_map::DefaultHasher;
use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hash, Hasher};

use rayon::prelude::*;

use crate::lint::codes;
use crate::catalog::{Tool, ToolId, ToolsetId};
use crate::diagnostic::{Diagnostic, Level, Sink};
use crate::lint::verbs::{stem, words};
use crate::lint::{Check, Lint, Rule};

pub(super) const RULE: Rule =
    Rule::new("M016", "near-duplicate-descriptions", Some(Level::Warning), Check::Catalog(check));

/// The number of consecutive words in a shingle.
const SHINGLE: usize = 3;

/// The minimum share of common shingles of two similar texts: four of five.
const MIN_COMMON_SHINGLES: (usize, usize) = (4, 5);

/// The minimum share of common words of two similar first sentences: two of three.
const MIN_COMMON_LEAD_WORDS: (usize, usize) = (2, 3);

/// The maximum number of other tools that each tool is compared with. An index finds those that can be similar, most often none.
const MAX_COMPARED: usize = 1_000;

fn check(lint: &Lint<'_>, sink: &Sink) {
    let tools: Vec<&Tool> = lint.tools().map(|(_, tool)| tool).collect();
    let full_text = |tool: &Tool| lint.full_text(tool, &tool.manifest.description.value).unwrap_or_default();
    let texts: Vec<Text> = tools.par_iter().map(|tool| Text::new(tool.name(), &full_text(tool))).collect();
    let mut toolsets = vec![Vec::new(); texts.len()];
    for (set, _) in lint.toolsets() {
        lint.resolved(set).iter().for_each(|tool| toolsets[tool.0].push(set));
    }
    let index = Index::new(&texts, toolsets);
    (0..texts.len()).into_par_iter().for_each(|id| {
        let Some((other, set)) = index.first_similar(lint, ToolId(id)) else { return };
        let tool = tools[id];
        let nearly = if texts[other.0].words == texts[id].words { "the same as" } else { "nearly the same as" };
        let message = format!("the description of `{}` is {nearly} that of `{}`", tool.name(), lint[other].name());
        let diagnostic = Diagnostic::new(codes::NEAR_DUPLICATE_DESCRIPTIONS, tool.manifest.description.place, message)
            .related(lint[other].manifest.description.place, "the other description");
        let help =
            format!("both are in `{}`: describe how they differ, and when to use which", lint[set].name());
        sink.push(diagnostic.help(help));
    });
}

/// A description, preprocessed for comparison. Sets of words are sorted lists of hashes.
struct Text {
    name: Vec<u64>,
    /// The words of the first sentence. The rest is often the same for many tools.
    lead: Vec<u64>,
    /// The hash of all words in order, or `None` if there are no words.
    words: Option<u64>,
    stems: Vec<u64>,
    shingles: Vec<u64>,
}

impl Text {
    fn new(name: &str, text: &str) -> Self {
        let mut sentences = text.split_inclusive(['.', '\n', '!', '?', '。']).map(stems_of);
        let lead = sentences.find(|sentence| !sentence.is_empty()).unwrap_or_default();
        let words = words(text);
        let stems = stems(&words);
        let shingles = set(stems.windows(SHINGLE).map(|shingle| hash(&shingle)).collect());
        let words = (!words.is_empty()).then(|| hash(&words));
        Self { name: set(stems_of(name)), lead: set(lead), words, stems: set(stems), shingles }
    }

    /// Returns the words of the name that the text uses.
    fn own_words(&self) -> impl Iterator<Item = u64> {
        self.name.iter().copied().filter(|word| self.stems.binary_search(word).is_ok())
    }

    fn is_like(&self, other: &Text) -> bool {
        if self.words == other.words {
            return true;
        }
        // The cheapest comparison, and the one that most often decides.
        if self.is_distinguished_from(other) {
            return false;
        }
        // The number of elements that they must have in common.
        let sizes = [self.shingles.len(), other.shingles.len()];
        if sizes.iter().min() < sizes.iter().max().map(|most| (most * MIN_COMMON_SHINGLES.0).div_ceil(MIN_COMMON_SHINGLES.1)).as_ref() {
            return false;
        }
        let leads = common(&self.lead, &other.lead);
        let has_similar_lead = leads * MIN_COMMON_LEAD_WORDS.1 >= (self.lead.len() + other.lead.len() - leads) * MIN_COMMON_LEAD_WORDS.0;
        if !has_similar_lead {
            return false;
        }
        let common_shingles = common(&self.shingles, &other.shingles);
        common_shingles * MIN_COMMON_SHINGLES.1 >= (sizes[0] + sizes[1] - common_shingles) * MIN_COMMON_SHINGLES.0
    }

    /// Returns whether the texts differ by one of the words in which the names differ.
    fn is_distinguished_from(&self, other: &Text) -> bool {
        let only = |one: &Text, other: &Text| {
            let has = |set: &[u64], word: &u64| set.binary_search(word).is_ok();
            let mut own_words = one.name.iter().filter(|word| has(&one.stems, word) && !has(&other.stems, word));
            own_words.any(|word| !has(&other.name, word))
        };
        only(self, other) || only(other, self)
    }
}

fn stems_of(text: &str) -> Vec<u64> {
    stems(&words(text))
}

fn stems(words: &[Cow<'_, str>]) -> Vec<u64> {
    words.iter().map(|word| hash(&stem(word))).collect()
}

fn set(mut all: Vec<u64>) -> Vec<u64> {
    all.sort_unstable();
    all.dedup();
    all
}

/// Returns the number of common elements of two sets.
fn common(one: &[u64], other: &[u64]) -> usize {
    let (mut count, mut rest) = (0, other.iter().peekable());
    for value in one {
        while rest.next_if(|next| *next < value).is_some() {}
        count += usize::from(rest.next_if_eq(&value).is_some());
    }
    count
}

/// Finds the texts that can be similar to a text, without comparing it with all of them.
struct Index<'t> {
    texts: &'t [Text],
    /// The toolsets of each tool.
    toolsets: Vec<Vec<ToolsetId>>,
    /// The rarest shingles of each text: so many that two texts without a common one cannot be similar.
    rarest: Vec<Vec<u64>>,
    /// The tools by their rarest shingles.
    by_shingle: HashMap<u64, Vec<usize>, ByHash>,
    /// The tools by the words of their names and texts, as far as a text has a word of its name.
    by_word: HashMap<u64, Vec<usize>, ByHash>,
}

/// Builds tables whose keys are hashes.
type ByHash = BuildHasherDefault<Same>;

/// Hashes a hash to itself.
#[derive(Default)]
struct Same(u64);

impl Hasher for Same {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(*byte);
        }
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

impl<'t> Index<'t> {
    /// `toolsets` are those of each tool.
    fn new(texts: &'t [Text], toolsets: Vec<Vec<ToolsetId>>) -> Self {
        let rarest = rarest(texts);
        let own_words: HashSet<u64, ByHash> = texts.iter().flat_map(Text::own_words).collect();
        let mut by_shingle: HashMap<u64, Vec<usize>, ByHash> = HashMap::default();
        let mut by_word: HashMap<u64, Vec<usize>, ByHash> = HashMap::default();
        for (id, text) in texts.iter().enumerate().filter(|(_, text)| text.words.is_some()) {
            rarest[id].iter().for_each(|shingle| by_shingle.entry(*shingle).or_default().push(id));
            let words = set(text.name.iter().chain(&text.stems).copied().collect());
            for word in words.into_iter().filter(|word| own_words.contains(word)) {
                by_word.entry(word).or_default().push(id);
            }
        }
        Self { texts, toolsets, rarest, by_shingle, by_word }
    }

    /// Returns the first tool before this one that is similar and in one toolset with it.
    fn first_similar(&self, lint: &Lint<'_>, id: ToolId) -> Option<(ToolId, ToolsetId)> {
        let text = &self.texts[id.0];
        let is_replaced = |other: ToolId| lint[id].replacement == Some(other) || lint[other].replacement == Some(id);
        let similar = |other: &usize| {
            let set = self.toolsets[id.0].iter().find(|set| self.toolsets[*other].binary_search(set).is_ok())?;
            (self.texts[*other].is_like(text) && !is_replaced(ToolId(*other))).then_some((ToolId(*other), *set))
        };
        self.candidates(id.0).into_iter().take(MAX_COMPARED).find_map(|other| similar(&other))
    }

    /// Returns the tools before this one that can be similar, in order. They have a rare shingle in common; and all have each word of
    /// the name that the text uses, because otherwise it would distinguish the two.
    fn candidates(&self, id: usize) -> Vec<usize> {
        let text = &self.texts[id];
        let earlier = |list: &[usize]| list.partition_point(|other| *other < id);
        let by_shingle: Vec<&[usize]> = self.rarest[id].iter().filter_map(|shingle| self.by_shingle.get(shingle)).map(|list| &list[..earlier(list)]).collect();
        let by_word = text.own_words().filter_map(|word| self.by_word.get(&word)).map(|list| &list[..earlier(list)]).min_by_key(|list| list.len());
        match by_word {
            Some(list) if list.len() <= by_shingle.iter().map(|list| list.len()).sum() => list.iter().copied().take(MAX_COMPARED).collect(),
            // Without an early end, the lists of common shingles would be as long as the catalog, for each tool.
            _ => {
                let mut all: Vec<usize> = by_shingle.iter().flat_map(|list| list.iter().copied().take(MAX_COMPARED)).collect();
                all.sort_unstable();
                all.dedup();
                all
            }
        }
    }
}

/// Returns the rarest shingles of each text. Equal texts also have the hash of their words in common.
fn rarest(texts: &[Text]) -> Vec<Vec<u64>> {
    let mut counts: HashMap<u64, usize, ByHash> = HashMap::default();
    for shingle in texts.iter().flat_map(|text| &text.shingles) {
        *counts.entry(*shingle).or_default() += 1;
    }
    let (share, of) = MIN_COMMON_SHINGLES;
    let rarest = |text: &Text| {
        let mut rarest: Vec<u64> = text.shingles.clone();
        rarest.sort_by_cached_key(|one| (counts[one], *one));
        let needed = (rarest.len() * share).div_ceil(of);
        rarest.truncate((rarest.len() + 1).saturating_sub(needed));
        rarest.extend(text.words);
        rarest
    };
    texts.par_iter().map(rarest).collect()
}

fn hash(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Twice as many tools need about twice as many comparisons at most, regardless of what their texts have in common.
    #[test]
    fn comparisons_grow_with_the_number_of_tools() {
        let with_number = |id: usize| {
            let text = format!("List the items of kind {id} in the store, with their names and prices, page by page, sorted by name.");
            Text::new(&format!("list_items_{id}"), &text)
        };
        let without = |id: usize| Text::new(&format!("list_items_{id}"), "List the items of the store. They are sorted by name.");
        let alike = |id: usize| {
            let text = format!("List the items of the store, page by page, as the shop {id} of the town {} has them.", id * 7);
            Text::new("list", &text)
        };
        for (what, text) in [("numbers", &with_number as &dyn Fn(usize) -> Text), ("equal", &without), ("alike", &alike)] {
            let compared = |count: usize| -> usize {
                let texts: Vec<Text> = (0..count).map(text).collect();
                let index = Index::new(&texts, vec![vec![ToolsetId(0)]; count]);
                let until_found = |id: usize| {
                    let candidates = index.candidates(id);
                    let found = candidates.iter().position(|other| texts[*other].is_like(&texts[id]));
                    found.map_or(candidates.len(), |at| at + 1).min(MAX_COMPARED)
                };
                (0..count).map(until_found).sum()
            };
            let (some, twice) = (compared(1_500), compared(3_000));
            assert!(twice <= some * 5 / 2 + 1_500, "{what}: {some} comparisons become {twice}");
        }
    }

    #[test]
    fn similar_texts_are_candidates() {
        let text = "Read a text file of the project, or a window of its lines. The result has one line for each line of the file.";
        let texts = [Text::new("read_file", text), Text::new("web_search", "Search the web for words."), Text::new("read_settings", text)];
        let index = Index::new(&texts, vec![vec![ToolsetId(0)]; 3]);
        assert_eq!(index.candidates(2), [0]);
        assert!(texts[0].is_like(&texts[2]) && index.candidates(1).is_empty());
    }
}
