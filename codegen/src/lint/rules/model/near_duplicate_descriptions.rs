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

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};
use std::ops::Range;
use std::sync::OnceLock;

use rayon::prelude::*;

use crate::lint::codes;
use crate::catalog::{Tool, ToolId, ToolsetId};
use crate::diagnostic::{Diagnostic, Level, Sink};
use crate::lint::hashes::Hash;
use crate::lint::verbs::{each_word, stem};
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

/// So many candidates are compared without a search for fewer.
const FEW: usize = 32;

/// The number of counters of shingles.
const COUNTERS: u64 = 1 << 18;

fn check(lint: &Lint<'_>, sink: &Sink) {
    let tools: Vec<&Tool> = lint.tools().map(|(_, tool)| tool).collect();
    let full_text = |tool: &Tool| lint.full_text(tool, &tool.manifest.description.value).unwrap_or_default();
    let texts: Vec<Text> = tools.par_iter().map(|tool| Text::new(tool.name(), &full_text(tool))).collect();
    let mut toolsets = vec![Vec::new(); texts.len()];
    for (set, _) in lint.toolsets() {
        lint.resolve(set).iter().for_each(|tool| toolsets[tool.0].push(set));
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
        let sentences = text.split_inclusive(['.', '\n', '!', '?', '。']);
        // The sentences before the first one with words have none.
        let lead = sentences.map(|sentence| each_word(sentence).count()).find(|count| *count > 0).unwrap_or_default();
        // Not the hash of a shingle, not even for a text of three words.
        let mut all = Hash::EMPTY.number(0);
        let stems: Vec<u64> = each_word(text)
            .map(|word| {
                all = all.number(hash(&word));
                hash(&stem(&word))
            })
            .collect();
        let shingle = |words: &[u64]| words.iter().fold(Hash::EMPTY, |hash, word| hash.number(*word)).finish();
        Self {
            name: set(each_word(name).map(|word| hash(&stem(&word))).collect()),
            lead: set(stems[..lead].to_vec()),
            words: (!stems.is_empty()).then(|| all.finish()),
            shingles: set(stems.windows(SHINGLE).map(shingle).collect()),
            stems: set(stems),
        }
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

fn set<T: Ord>(mut all: Vec<T>) -> Vec<T> {
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
    /// The rarest shingles of each text, with the index of the text, sorted: so many that two texts without a common one cannot be
    /// similar.
    rarest: Vec<(u64, usize)>,
    /// For each text, the ranges of `rarest` with a shingle of this text in earlier texts.
    earlier: Vec<Vec<Range<usize>>>,
    /// Made on first use, because most catalogs do not need it.
    by_word: OnceLock<ByWord>,
}

/// The tools by the words of their names and texts, as far as a text has a word of its name.
type ByWord = HashMap<u64, Vec<usize>, ByHash>;

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
        let mut earlier = vec![Vec::new(); texts.len()];
        let mut start = 0;
        for group in rarest.chunk_by(|one, other| one.0 == other.0) {
            for (at, (_, id)) in group.iter().enumerate().skip(1) {
                earlier[*id].push(start..start + at);
            }
            start += group.len();
        }
        Self { texts, toolsets, rarest, earlier, by_word: OnceLock::new() }
    }

    fn by_word(&self) -> &ByWord {
        self.by_word.get_or_init(|| {
            let own_words: HashSet<u64, ByHash> = self.texts.iter().flat_map(Text::own_words).collect();
            let mut by_word = ByWord::default();
            for (id, text) in self.texts.iter().enumerate().filter(|(_, text)| text.words.is_some()) {
                let words = set(text.name.iter().chain(&text.stems).copied().collect());
                for word in words.into_iter().filter(|word| own_words.contains(word)) {
                    by_word.entry(word).or_default().push(id);
                }
            }
            by_word
        })
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
        let by_shingle = &self.earlier[id];
        let count: usize = by_shingle.iter().map(Range::len).sum();
        if count > FEW {
            let lists = self.texts[id].own_words().filter_map(|word| self.by_word().get(&word));
            let lists = lists.map(|list| &list[..list.partition_point(|other| *other < id)]);
            if let Some(list) = lists.min_by_key(|list| list.len()).filter(|list| list.len() <= count) {
                return list.iter().copied().take(MAX_COMPARED).collect();
            }
        }
        // Without an early end, the lists of common shingles would be as long as the catalog, for each tool.
        let earlier = by_shingle.iter().flat_map(|range| self.rarest[range.clone()].iter().take(MAX_COMPARED));
        set(earlier.map(|(_, id)| *id).collect())
    }
}

/// Returns the rarest shingles of each text, with the index of the text, sorted. Equal texts also have the hash of their words in common.
fn rarest(texts: &[Text]) -> Vec<(u64, usize)> {
    // Shingles may share a counter: any order of all shingles serves, and this one puts rare ones first.
    let counter = |shingle: u64| usize::try_from(shingle % COUNTERS).unwrap_or_default();
    let mut counts = vec![0_u32; counter(COUNTERS - 1) + 1];
    for shingle in texts.iter().flat_map(|text| &text.shingles) {
        counts[counter(*shingle)] += 1;
    }
    let (share, of) = MIN_COMMON_SHINGLES;
    let rarest = |(id, text): (usize, &Text)| {
        let mut rarest: Vec<(u32, u64)> = text.shingles.iter().map(|one| (counts[counter(*one)], *one)).collect();
        let needed = (rarest.len() * share).div_ceil(of);
        let taken = (rarest.len() + 1).saturating_sub(needed);
        if taken < rarest.len() {
            rarest.select_nth_unstable(taken);
            rarest.truncate(taken);
        }
        let shingles = rarest.into_iter().map(|(_, shingle)| shingle).chain(text.words);
        shingles.map(move |shingle| (shingle, id)).collect::<Vec<_>>()
    };
    let mut all: Vec<(u64, usize)> = texts.par_iter().enumerate().flat_map_iter(rarest).collect();
    all.par_sort_unstable();
    all
}

fn hash(word: &str) -> u64 {
    Hash::EMPTY.text(word).finish()
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

    #[test]
    fn no_text_is_a_candidate_of_itself() {
        let texts = ["Read.", "Read a", "Read a file.", "Read a file now."].map(|text| Text::new("read", text));
        let index = Index::new(&texts, vec![vec![ToolsetId(0)]; texts.len()]);
        for id in 0..texts.len() {
            assert!(!index.candidates(id).contains(&id), "{id}");
        }
    }
}
