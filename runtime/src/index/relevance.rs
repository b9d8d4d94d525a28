//! The tools that are relevant for a query, and how relevant they are.

use super::terms::{is_stop_word, stem, terms};
use super::{Index, Posting};

/// BM25's saturation of repeated terms; the usual value.
const K1: f32 = 1.5;
/// BM25's correction for a text's length; the usual value.
const B: f32 = 0.75;
/// The maximum number of terms in a query, because a model may send anything.
const MAX_QUERY_TERMS: usize = 64;
/// The minimum number of known terms in a query for which half of them must match.
const MIN_FOR_HALF: usize = 4;

/// Returns the tools of several concatenated indexes that are relevant for a query, each with its relevance, which is greater than 0.
/// `is_shown` returns whether a tool may be found.
///
/// Rare terms count more. Terms of the query that no text of a shown tool contains are ignored. The text of a relevant tool contains the
/// rarest of the remaining terms, or one of the rarest. It contains at least half of them if [four](MIN_FOR_HALF) or more remain. Terms
/// match in all their forms ([`stem`]). Stop words such as "the" count only if the query has no other words.
pub(crate) fn relevant<'i>(
    query: &str,
    indices: &(impl Iterator<Item = &'i Index> + Clone),
    is_shown: impl Fn(usize) -> bool,
) -> Vec<(usize, f32)> {
    let mut sought: Vec<QueryTerm<'_>> = query_stems(query).iter().map(|stem| QueryTerm::new(stem, indices)).collect();
    sought.sort_by_key(|term| term.matching);
    // Terms that only occur in the texts of tools that are not shown are ignored.
    sought.retain(|term| term.tools().any(&is_shown));
    let Some(rarest) = sought.first().map(|term| term.matching) else { return Vec::new() };
    let mut candidates: Vec<usize> = sought
        .iter()
        .take_while(|term| term.matching == rarest)
        .flat_map(QueryTerm::tools)
        .filter(|&tool| is_shown(tool))
        .collect();
    candidates.sort_unstable();
    candidates.dedup();
    let needed = if sought.len() < MIN_FOR_HALF { 1 } else { sought.len().div_ceil(2) };
    let collection = Collection::new(indices);
    let score = |tool: usize| {
        let (mut score, mut matched) = (0.0, 0);
        for term in &sought {
            let times = term.times(tool);
            if times > 0 {
                matched += 1;
                score += collection.score(term, times, tool);
            }
        }
        (matched >= needed).then_some((tool, score))
    };
    candidates.into_iter().filter_map(score).collect()
}

/// Returns the sorted stems of a query's terms. Stop words are left out, unless the query has no other words.
fn query_stems(query: &str) -> Vec<String> {
    let all = || terms(query).take(MAX_QUERY_TERMS);
    let mut significant: Vec<String> = all().filter(|term| !is_stop_word(term)).collect();
    if significant.is_empty() {
        significant = all().collect();
    }
    let mut stems: Vec<String> = significant.iter().map(|term| stem(term).to_owned()).collect();
    stems.sort_unstable();
    stems.dedup();
    stems
}

/// A term of a query in several concatenated indexes.
struct QueryTerm<'i> {
    /// The occurrences of each form in an index, and the position of the index's first tool.
    forms: Vec<(usize, &'i [Posting])>,
    /// The number of tools in whose texts it occurs.
    matching: usize,
}

impl<'i> QueryTerm<'i> {
    fn new(stem: &str, indices: &(impl Iterator<Item = &'i Index> + Clone)) -> Self {
        let (mut forms, mut offset, mut overlap) = (Vec::new(), 0, false);
        for index in indices.clone() {
            let before = forms.len();
            forms.extend(index.forms(stem).map(|postings| (offset, postings)));
            overlap |= forms.len() > before + 1;
            offset += index.len();
        }
        let mut sought = Self { matching: forms.iter().map(|(_, postings)| postings.len()).sum(), forms };
        if overlap {
            // A text may contain several forms.
            let mut tools: Vec<usize> = sought.tools().collect();
            tools.sort_unstable();
            tools.dedup();
            sought.matching = tools.len();
        }
        sought
    }

    /// Returns the tools whose texts contain the term. A tool occurs several times if its text contains several forms.
    fn tools(&self) -> impl Iterator<Item = usize> {
        self.forms
            .iter()
            .flat_map(|(offset, postings)| postings.iter().map(move |posting| offset + posting.tool as usize))
    }

    /// Returns the number of occurrences in the text of a tool.
    fn times(&self, tool: usize) -> u32 {
        let of_form = |(offset, postings): &(usize, &[Posting])| {
            let in_index = u32::try_from(tool.checked_sub(*offset)?).ok()?;
            let at = postings.binary_search_by_key(&in_index, |posting| posting.tool).ok()?;
            Some(postings[at].times)
        };
        self.forms.iter().filter_map(of_form).sum()
    }
}

/// What the relevance depends on besides the terms.
struct Collection<'i> {
    /// The lengths of the texts in each index.
    lengths: Vec<&'i [u32]>,
    tools: f32,
    mean_length: f32,
}

#[expect(clippy::cast_precision_loss, reason = "a score is an estimate")]
impl<'i> Collection<'i> {
    fn new(indices: &(impl Iterator<Item = &'i Index> + Clone)) -> Self {
        let lengths: Vec<&[u32]> = indices.clone().map(|index| &*index.lengths).collect();
        let tools: usize = lengths.iter().map(|lengths| lengths.len()).sum();
        let total: u64 = lengths.iter().copied().flatten().map(|length| u64::from(*length)).sum();
        Self { lengths, tools: tools as f32, mean_length: (total as f32 / tools.max(1) as f32).max(1.0) }
    }

    /// Returns what a term that occurs this many times in the text of a tool adds to its relevance, by BM25.
    fn score(&self, term: &QueryTerm<'_>, times: u32, tool: usize) -> f32 {
        let (matching, times, length) = (term.matching as f32, times as f32, self.length(tool) as f32);
        let weight = (1.0 + (self.tools - matching + 0.5) / (matching + 0.5)).ln();
        weight * times * (K1 + 1.0) / (times + K1 * (1.0 - B + B * length / self.mean_length))
    }

    fn length(&self, mut tool: usize) -> u32 {
        for lengths in &self.lengths {
            match lengths.get(tool) {
                Some(length) => return *length,
                None => tool -= lengths.len(),
            }
        }
        0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::tests::TOOLS;

    fn all(query: &str, indices: &[Index]) -> Vec<(usize, f32)> {
        relevant(query, &indices.iter(), |_| true)
    }

    fn best(query: &str, indices: &[Index]) -> Vec<usize> {
        let mut found = all(query, indices);
        found.sort_by(|a, b| b.1.total_cmp(&a.1));
        found.into_iter().map(|(tool, _)| tool).collect()
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
    fn terms_match_in_all_their_forms() {
        let tools = [("archive", "Put away what is old."), ("stop", "Translate nothing any more.")];
        let index = [Index::from_tools(tools)];
        for query in ["archive", "archiving", "archived", "archives"] {
            assert_eq!(best(query, &index), [0], "{query}");
        }
        for query in ["stopping", "stopped", "translation", "translating"] {
            assert_eq!(best(query, &index), [1], "{query}");
        }
        let forms = [("a", "Sort a sorted list, sorting it."), ("b", "Sort it.")];
        let index = [Index::from_tools(forms)];
        assert_eq!(best("sort", &index), [0, 1], "all forms count");
        assert!(all("sort", &index).iter().all(|(_, score)| *score > 0.0));
    }

    #[test]
    fn a_relevant_tool_has_the_rarest_known_term() {
        let index = [Index::from_tools(TOOLS)];
        // "file" occurs in three texts, "attach" in one, "quantum" in none.
        assert_eq!(best("attach a quantum file", &index), [3]);
        // Both occur in one text.
        assert_eq!(best("newest titles", &index).len(), 2);
    }

    #[test]
    fn a_relevant_tool_has_half_of_four_known_terms() {
        let index = [Index::from_tools(TOOLS)];
        assert_eq!(best("customer web attach", &index).len(), 3, "each has one of three terms");
        assert_eq!(best("customer web attach replace", &index), [] as [usize; 0], "each has one of four terms");
        assert_eq!(best("customer list file web quantum", &index), [4]);
    }

    #[test]
    fn stop_words_count_only_if_there_are_no_others() {
        let tools = [("one", "What is in the box."), ("two", "A box of letters.")];
        let index = [Index::from_tools(tools)];
        assert_eq!(best("the letters", &index), [1]);
        assert_eq!(best("what is in the", &index), [0]);
    }

    #[test]
    fn tools_that_are_not_shown_are_not_found_and_make_no_term_known() {
        let index = [Index::from_tools(TOOLS)];
        let found = relevant("customer file", &index.iter(), |tool| tool != 4);
        let mut tools: Vec<usize> = found.into_iter().map(|(tool, _)| tool).collect();
        tools.sort_unstable();
        assert_eq!(tools, [0, 1, 3], "only a tool that is not shown has the rarer term");
    }

    #[test]
    fn names_count_more_than_descriptions() {
        let tools = [("notes", "Anything about a calendar, or not."), ("calendar", "Anything about days, or not.")];
        assert_eq!(best("calendar", &[Index::from_tools(tools)]), [1, 0]);
    }

    #[test]
    fn several_indexes_score_like_a_single_one() {
        for query in ["file", "search the web for files", "sending messages"] {
            let whole = all(query, &[Index::from_tools(TOOLS)]);
            assert!(!whole.is_empty(), "{query}");
            for at in 0..=TOOLS.len() {
                let (one, two) = TOOLS.split_at(at);
                let parts = [Index::from_tools(one.to_vec()), Index::default(), Index::from_tools(two.to_vec())];
                assert_eq!(all(query, &parts), whole);
            }
        }
    }
}
