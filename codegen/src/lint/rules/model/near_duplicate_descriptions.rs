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
use std::collections::HashMap;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher as _};

use rayon::prelude::*;

use crate::catalog::{Tool, ToolId};
use crate::diagnostic::{Code, Diagnostic, Level, Sink};
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

fn check(lint: &Lint<'_>, sink: &Sink) {
    let tools: Vec<&Tool> = lint.tools().map(|(_, tool)| tool).collect();
    let texts: Vec<Text> = tools.par_iter().map(|tool| Text::new(tool, lint)).collect();
    let keys = keys(lint, &texts);
    let are_similar = |one: ToolId, other: ToolId| {
        texts[one.0].is_like(&texts[other.0])
            && lint[one].replacement != Some(other)
            && lint[other].replacement != Some(one)
    };
    for found in lint.similar_tools(|id| keys[id.0].iter().copied(), are_similar) {
        let tool = &lint[found.tool];
        let Some(&(other, set)) = found.others.first() else { continue };
        let nearly = if texts[other.0].words == texts[found.tool.0].words { "the same as" } else { "nearly the same as" };
        let message = format!("the description of `{}` is {nearly} that of `{}`", tool.name(), lint[other].name());
        let diagnostic = Diagnostic::new(Code::NEAR_DUPLICATE_DESCRIPTIONS, tool.manifest.description.place, message)
            .related(lint[other].manifest.description.place, "the other description");
        let help =
            format!("both are in `{}`: describe how they differ, and when to use which", lint[set].name());
        sink.push(diagnostic.help(help));
    }
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
    fn new(tool: &Tool, lint: &Lint<'_>) -> Self {
        let text = lint.full_text(tool, &tool.manifest.description.value).unwrap_or_default();
        let mut sentences = text.split_inclusive(['.', '\n', '!', '?', '。']).map(stems_of);
        let lead = sentences.find(|sentence| !sentence.is_empty()).unwrap_or_default();
        let words = words(&text);
        let stems = stems(&words);
        let shingles = set(stems.windows(SHINGLE).map(|shingle| hash(&shingle)).collect());
        let words = (!words.is_empty()).then(|| hash(&words));
        Self { name: set(stems_of(tool.name())), lead: set(lead), words, stems: set(stems), shingles }
    }

    fn is_like(&self, other: &Text) -> bool {
        if self.words == other.words {
            return true;
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
        common_shingles * MIN_COMMON_SHINGLES.1 >= (sizes[0] + sizes[1] - common_shingles) * MIN_COMMON_SHINGLES.0 && !self.is_distinguished_from(other)
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

/// Up to this number of tools, all pairs of a toolset are compared.
const MAX_PAIRWISE: usize = 64;

/// Returns keys such that similar texts in one toolset have at least one key in common.
fn keys(lint: &Lint<'_>, texts: &[Text]) -> Vec<Vec<u64>> {
    let mut keys = vec![Vec::new(); texts.len()];
    let mut is_in_large_toolset = vec![false; texts.len()];
    for (set, _) in lint.toolsets() {
        let tools = lint.resolved(set);
        for tool in tools.iter().filter(|tool| texts[tool.0].words.is_some()) {
            if tools.len() <= MAX_PAIRWISE {
                keys[tool.0].push(hash(&set.0));
            } else {
                is_in_large_toolset[tool.0] = true;
            }
        }
    }
    let ids: Vec<usize> = (0..texts.len()).filter(|&id| is_in_large_toolset[id]).collect();
    let among: Vec<&Text> = ids.iter().map(|&id| &texts[id]).collect();
    for (id, of_text) in ids.into_iter().zip(keys_among(&among)) {
        keys[id].extend(of_text);
    }
    keys
}

/// The number of buckets for words of first sentences, which limits the keys of a shingle.
const LEAD_KEYS: u64 = 64;

/// Returns keys such that similar texts have at least one key in common, and few other texts do.
fn keys_among(texts: &[&Text]) -> Vec<Vec<u64>> {
    let leads = rarest(texts, MIN_COMMON_LEAD_WORDS, |text| &text.lead).into_iter();
    let leads = leads.map(|lead| set(lead.into_iter().map(|word| word % LEAD_KEYS).collect()));
    let shingles = rarest(texts, MIN_COMMON_SHINGLES, |text| &text.shingles);
    let mut same: HashMap<Option<u64>, usize> = HashMap::new();
    let mut keys = Vec::new();
    for ((text, leads), shingles) in texts.iter().zip(leads).zip(shingles) {
        // Each of several equal texts is compared only with the previous one.
        let count = same.entry(text.words).or_default();
        *count += 1;
        let linked = [*count - 1, *count].map(|number| hash(&(text.words, number)));
        let pairs = leads.iter().flat_map(|lead| shingles.iter().map(move |shingle| hash(&(lead, shingle))));
        keys.push(if *count == 1 { pairs.chain(linked).collect() } else { linked.to_vec() });
    }
    keys
}

/// Returns the rarest elements of each set: so many that two sets without a common one cannot be similar.
fn rarest(texts: &[&Text], (share, of): (usize, usize), set: fn(&Text) -> &Vec<u64>) -> Vec<Vec<u64>> {
    let mut counts: HashMap<u64, usize> = HashMap::new();
    for element in texts.iter().flat_map(|text| set(text)) {
        *counts.entry(*element).or_default() += 1;
    }
    let rarest = |text: &&Text| {
        let mut rarest: Vec<u64> = set(text).clone();
        rarest.sort_by_cached_key(|one| (counts[one], *one));
        let needed = (rarest.len() * share).div_ceil(of);
        rarest.truncate((rarest.len() + 1).saturating_sub(needed));
        rarest
    };
    texts.par_iter().map(rarest).collect()
}

fn hash(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}
