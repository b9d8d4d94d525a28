//! A tool whose description is that of another one that a model sees beside it, or nearly so, and does not differ by what
//! their names differ by. Texts are compared as they are where everything is there that they depend on.
//!
//! ## Why is this bad
//! Nothing in the text tells which of the two to choose. Most often one was copied and never changed.
//!
//! ## Example
//! ```toml
//! # manifests/tools/read_config.toml
//! description = "Read a text file of the project, or a window of its lines. The result has one line of text for each line of the file. Use it to look at source before it is changed."
//! ```
//!
//! ## Use instead
//! ```toml
//! # manifests/tools/read_config.toml
//! description = "Give the project's settings as they are in force, defaults included. Use it to learn where builds go and which checks are on."
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

/// How many words in a row are compared.
const SHINGLE: usize = 3;

/// Of all shingles of two texts, the share that both have where they say the same: four in five.
const ALIKE: (usize, usize) = (4, 5);

/// Of all words of two first sentences, the share that both have where they say the same: two in three.
const LEADS_ALIKE: (usize, usize) = (2, 3);

fn check(lint: &Lint<'_>, sink: &Sink) {
    let tools: Vec<&Tool> = lint.tools().map(|(_, tool)| tool).collect();
    let texts: Vec<Text> = tools.par_iter().map(|tool| Text::of(tool, lint)).collect();
    let keys = keys(lint, &texts);
    let alike = |one: ToolId, other: ToolId| {
        texts[one.0].is_like(&texts[other.0])
            && lint[one].replacement != Some(other)
            && lint[other].replacement != Some(one)
    };
    for found in lint.beside(|id| keys[id.0].iter().copied(), alike) {
        let tool = &lint[found.tool];
        let Some(&(other, set)) = found.others.first() else { continue };
        let nearly = if texts[other.0].words == texts[found.tool.0].words { "" } else { "nearly " };
        let message = format!("the description of `{}` is {nearly}that of `{}`", tool.name(), lint[other].name());
        let diagnostic = Diagnostic::new(Code::NEAR_DUPLICATE_DESCRIPTIONS, tool.manifest.description.place, message)
            .related(lint[other].manifest.description.place, "the other one");
        let both =
            format!("a model sees both in `{}`: say what only the one does, and when to prefer it", lint[set].name());
        sink.push(diagnostic.help(both));
    }
}

/// A description, ready to be compared with many: sets of words are sorted numbers that stand for them.
struct Text {
    name: Vec<u64>,
    /// The words of its first sentence, which says what the tool does. What follows may be the same for many.
    lead: Vec<u64>,
    /// Stands for all of them, in their order. None: there is none.
    words: Option<u64>,
    stems: Vec<u64>,
    shingles: Vec<u64>,
}

impl Text {
    fn of(tool: &Tool, lint: &Lint<'_>) -> Self {
        let said = lint.full_text(tool, &tool.manifest.description.value).unwrap_or_default();
        let mut sentences = said.split_inclusive(['.', '\n', '!', '?', '。']).map(stems_of);
        let lead = sentences.find(|sentence| !sentence.is_empty()).unwrap_or_default();
        let words = words(&said);
        let stems = stems(&words);
        let shingles = set(stems.windows(SHINGLE).map(|shingle| hash(&shingle)).collect());
        let words = (!words.is_empty()).then(|| hash(&words));
        Self { name: set(stems_of(tool.name())), lead: set(lead), words, stems: set(stems), shingles }
    }

    fn is_like(&self, other: &Text) -> bool {
        if self.words == other.words {
            return true;
        }
        // So many would they have to have in common.
        let sizes = [self.shingles.len(), other.shingles.len()];
        if sizes.iter().min() < sizes.iter().max().map(|most| (most * ALIKE.0).div_ceil(ALIKE.1)).as_ref() {
            return false;
        }
        let leads = common(&self.lead, &other.lead);
        let is_led_alike = leads * LEADS_ALIKE.1 >= (self.lead.len() + other.lead.len() - leads) * LEADS_ALIKE.0;
        if !is_led_alike {
            return false;
        }
        let both = common(&self.shingles, &other.shingles);
        both * ALIKE.1 >= (sizes[0] + sizes[1] - both) * ALIKE.0 && !self.tells_apart(other)
    }

    /// Whether one of the words by which the names differ is among those by which the texts do.
    fn tells_apart(&self, other: &Text) -> bool {
        let only = |one: &Text, other: &Text| {
            let has = |set: &[u64], word: &u64| set.binary_search(word).is_ok();
            let mut own = one.name.iter().filter(|word| has(&one.stems, word) && !has(&other.stems, word));
            own.any(|word| !has(&other.name, word))
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

/// How many two sets have in common.
fn common(one: &[u64], other: &[u64]) -> usize {
    let (mut count, mut rest) = (0, other.iter().peekable());
    for value in one {
        while rest.next_if(|next| *next < value).is_some() {}
        count += usize::from(rest.next_if_eq(&value).is_some());
    }
    count
}

/// The tools of a toolset with no more are compared each with each.
const FEW: usize = 64;

/// Keys of which texts that are alike, and that some toolset shows together, have at least one in common.
fn keys(lint: &Lint<'_>, texts: &[Text]) -> Vec<Vec<u64>> {
    let mut keys = vec![Vec::new(); texts.len()];
    let mut many = vec![false; texts.len()];
    for (set, _) in lint.toolsets() {
        let shown = lint.resolved(set);
        for tool in shown.iter().filter(|tool| texts[tool.0].words.is_some()) {
            if shown.len() <= FEW {
                keys[tool.0].push(hash(&set.0));
            } else {
                many[tool.0] = true;
            }
        }
    }
    let ids: Vec<usize> = (0..texts.len()).filter(|&id| many[id]).collect();
    let among: Vec<&Text> = ids.iter().map(|&id| &texts[id]).collect();
    for (id, of_text) in ids.into_iter().zip(keys_among(&among)) {
        keys[id].extend(of_text);
    }
    keys
}

/// Words of first sentences are told apart so far: no text has more keys than that for each of its shingles.
const LEAD_KEYS: u64 = 64;

/// Keys of which texts that are alike have at least one in common, chosen so that few others do.
fn keys_among(texts: &[&Text]) -> Vec<Vec<u64>> {
    let leads = rarest(texts, LEADS_ALIKE, |text| &text.lead).into_iter();
    let leads = leads.map(|lead| set(lead.into_iter().map(|word| word % LEAD_KEYS).collect()));
    let shingles = rarest(texts, ALIKE, |text| &text.shingles);
    let mut same: HashMap<Option<u64>, usize> = HashMap::new();
    let mut keys = Vec::new();
    for ((text, leads), shingles) in texts.iter().zip(leads).zip(shingles) {
        // Of texts that are the same, each is compared with the one before it alone.
        let count = same.entry(text.words).or_default();
        *count += 1;
        let linked = [*count - 1, *count].map(|number| hash(&(text.words, number)));
        let pairs = leads.iter().flat_map(|lead| shingles.iter().map(move |shingle| hash(&(lead, shingle))));
        keys.push(if *count == 1 { pairs.chain(linked).collect() } else { linked.to_vec() });
    }
    keys
}

/// Of each text's set the rarest, as many as two sets that have none of them in common could not make up for.
fn rarest(texts: &[&Text], (share, of): (usize, usize), set: fn(&Text) -> &Vec<u64>) -> Vec<Vec<u64>> {
    let mut counts: HashMap<u64, usize> = HashMap::new();
    texts.iter().flat_map(|text| set(text)).for_each(|one| *counts.entry(*one).or_default() += 1);
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
