//! The search index: the tools in whose text each term occurs, so that a query only looks at these.

pub(crate) mod document;
mod terms;

use crate::data::pack::{index_layout, packed_structs};
use crate::index::terms::terms;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// BM25's saturation of repeated terms; the usual value.
const K1: f32 = 1.5;
/// BM25's correction for a text's length; the usual value.
const B: f32 = 0.75;
/// The maximum number of terms in a query, because a model may send anything.
const MAX_QUERY_TERMS: usize = 64;
/// The weight of a name, which describes a tool better than a sentence of its description.
const NAME_WEIGHT: u32 = 3;

/// A search index: the terms in the texts of tools. A tool is identified by its index.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Index {
    /// The occurrences of each term, sorted by term.
    terms: Vec<(Cow<'static, str>, Vec<Posting>)>,
    /// The number of terms in each text.
    lengths: Vec<u32>,
}

/// The occurrences of a term in the text of one tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Posting {
    tool: u32,
    /// The number of occurrences. Each occurrence in the name counts [`NAME_WEIGHT`] times.
    times: u32,
}

impl Index {
    /// Builds an index from the name and the text of each tool. A tool is identified by its index in `tools`.
    pub fn from_tools<'t, S: AsRef<str>>(tools: impl IntoIterator<Item = (&'t str, S)>) -> Self {
        let (mut all, mut lengths): (BTreeMap<String, Vec<Posting>>, Vec<u32>) = Default::default();
        for (tool, (name, text)) in (0..).zip(tools) {
            let mut times: BTreeMap<String, u32> = BTreeMap::new();
            for term in terms(name) {
                *times.entry(term).or_default() += NAME_WEIGHT;
            }
            for term in terms(text.as_ref()) {
                *times.entry(term).or_default() += 1;
            }
            lengths.push(times.values().sum());
            for (term, times) in times {
                all.entry(term).or_default().push(Posting { tool, times });
            }
        }
        Self { terms: all.into_iter().map(|(term, postings)| (term.into(), postings)).collect(), lengths }
    }

    /// Concatenates indexes. The tools of each index follow those of the previous one.
    pub fn concat<'i>(indices: impl IntoIterator<Item = &'i Index>) -> Self {
        let (mut all, mut lengths): (BTreeMap<&Cow<'static, str>, Vec<Posting>>, Vec<u32>) = Default::default();
        for index in indices {
            let offset = u32::try_from(lengths.len()).unwrap_or(u32::MAX);
            for (term, postings) in &index.terms {
                let moved = postings.iter().map(|posting| Posting { tool: offset + posting.tool, ..*posting });
                all.entry(term).or_default().extend(moved);
            }
            lengths.extend(&index.lengths);
        }
        Self { terms: all.into_iter().map(|(term, postings)| (term.clone(), postings)).collect(), lengths }
    }

    /// Returns the number of tools.
    pub fn len(&self) -> usize {
        self.lengths.len()
    }

    /// Returns whether the index has no tools.
    pub fn is_empty(&self) -> bool {
        self.lengths.is_empty()
    }

    /// Returns the occurrences of a term.
    fn postings(&self, term: &str) -> &[Posting] {
        let index = self.terms.binary_search_by(|(other, _)| (**other).cmp(term));
        index.map_or(&[], |index| &self.terms[index].1)
    }
}

/// Returns the relevance of each tool of several concatenated indexes for a query: 0 if its text contains none of the query's
/// terms. Rare terms count more.
pub(crate) fn scores<'i>(query: &str, indices: &(impl Iterator<Item = &'i Index> + Clone)) -> Vec<f32> {
    let tools: usize = indices.clone().map(Index::len).sum();
    let length: u64 = indices.clone().flat_map(|index| &index.lengths).map(|length| u64::from(*length)).sum();
    #[expect(clippy::cast_precision_loss, reason = "a score is an estimate")]
    let (count, mean) = (tools as f32, (length as f32 / tools.max(1) as f32).max(1.0));
    let mut query_terms: Vec<String> = terms(query).take(MAX_QUERY_TERMS).collect();
    query_terms.sort_unstable();
    query_terms.dedup();
    let mut scores = vec![0.0; tools];
    for term in query_terms {
        let matching: usize = indices.clone().map(|index| index.postings(&term).len()).sum();
        #[expect(clippy::cast_precision_loss, reason = "a score is an estimate")]
        let matching = matching as f32;
        let weight = (1.0 + (count - matching + 0.5) / (matching + 0.5)).ln();
        let mut offset = 0;
        for index in indices.clone() {
            for Posting { tool, times } in index.postings(&term) {
                let tool = *tool as usize;
                #[expect(clippy::cast_precision_loss, reason = "a score is an estimate")]
                let (times, length) = (*times as f32, index.lengths[tool] as f32);
                scores[offset + tool] += weight * times * (K1 + 1.0) / (times + K1 * (1.0 - B + B * length / mean));
            }
            offset += index.len();
        }
    }
    scores
}

index_layout!(packed_structs);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::pack::Pack as _;

    const TOOLS: [(&str, &str); 5] = [
        ("read_file", "Read a text file, line by line."),
        ("write_file", "Create a file, or replace what is in it."),
        ("web_search", "Search the web. Returns titles and links."),
        ("send_mail", "Send a message. A file may be attached to the message."),
        ("list_invoices", "List the invoices of a customer, newest first."),
    ];

    fn best(query: &str, indices: &[Index]) -> Vec<usize> {
        let scores = scores(query, &indices.iter());
        let mut found: Vec<usize> = (0..scores.len()).filter(|&tool| scores[tool] > 0.0).collect();
        found.sort_by(|&a, &b| scores[b].total_cmp(&scores[a]));
        found
    }

    #[test]
    fn the_most_relevant_tool_comes_first() {
        let index = [Index::from_tools(TOOLS)];
        assert_eq!(best("read a file", &index)[0], 0);
        assert_eq!(best("invoice", &index), [4]);
        assert_eq!(best("e-mail message", &index)[0], 3);
        assert_eq!(best("searching the web", &index)[0], 2);
        assert_eq!(best("quantum", &index), [] as [usize; 0]);
        assert_eq!(best("", &index), [] as [usize; 0]);
    }

    #[test]
    fn names_count_more_than_descriptions() {
        let tools = [("notes", "Anything about a calendar, or not."), ("calendar", "Anything about days, or not.")];
        assert_eq!(best("calendar", &[Index::from_tools(tools)]), [1, 0]);
    }

    #[test]
    fn several_indexes_score_like_a_single_one() {
        let whole = scores("search a file in the web", &[Index::from_tools(TOOLS)].iter());
        for at in 0..=TOOLS.len() {
            let (one, two) = TOOLS.split_at(at);
            let parts = [Index::from_tools(one.to_vec()), Index::default(), Index::from_tools(two.to_vec())];
            assert_eq!(scores("search a file in the web", &parts.iter()), whole);
            assert_eq!(Index::concat(&parts), Index::from_tools(TOOLS));
        }
    }

    #[test]
    fn a_packed_index_can_be_unpacked() {
        let index = Index::from_tools(TOOLS);
        let mut text = String::new();
        index.pack(&mut text);
        assert_eq!(Index::unpack(&mut &*text.leak()), index);
    }
}
