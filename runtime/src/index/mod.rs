//! The search index. It has the tools whose text contains each term, so that a query looks only at these tools.

pub(crate) mod document;
mod relevance;
mod terms;

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

use crate::data::pack::{index_layout, packed_structs};
use crate::index::terms::terms;
pub(crate) use relevance::relevant;

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
        let (mut all, mut lengths): (HashMap<String, Vec<Posting>>, Vec<u32>) = Default::default();
        for (tool, (name, text)) in (0..).zip(tools) {
            let mut length = 0;
            let of_name = terms(name).map(|term| (term, NAME_WEIGHT));
            for (term, weight) in of_name.chain(terms(text.as_ref()).map(|term| (term, 1))) {
                length += weight;
                let postings = all.entry(term).or_default();
                match postings.last_mut().filter(|last| last.tool == tool) {
                    Some(posting) => posting.times += weight,
                    None => postings.push(Posting { tool, times: weight }),
                }
            }
            lengths.push(length);
        }
        // Sorted once: a sorted map compares each of the many words with several others.
        let mut terms: Vec<_> = all.into_iter().map(|(term, postings)| (Cow::from(term), postings)).collect();
        terms.sort_unstable_by(|(a, _), (b, _)| a.cmp(b));
        Self { terms, lengths }
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

    /// Returns the occurrences of each term with this stem.
    fn forms(&self, stem: &str) -> impl Iterator<Item = &[Posting]> {
        // A stem is the beginning of all its forms.
        let first = self.terms.partition_point(|(term, _)| **term < *stem);
        let beginning = self.terms[first..].iter().take_while(move |(term, _)| term.starts_with(stem));
        let forms = beginning.filter(move |(term, _)| terms::stem(term) == stem);
        forms.map(|(_, postings)| postings.as_slice())
    }
}

index_layout!(packed_structs);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::pack::Pack as _;

    pub(super) const TOOLS: [(&str, &str); 5] = [
        ("read_file", "Read a text file, line by line."),
        ("write_file", "Create a file, or replace what is in it."),
        ("web_search", "Search the web. Returns titles and links."),
        ("send_mail", "Send a message. A file may be attached to the message."),
        ("list_invoices", "List the invoices of a customer, newest first."),
    ];

    #[test]
    fn indexes_are_concatenated_like_the_lists_of_their_tools() {
        for at in 0..=TOOLS.len() {
            let (one, two) = TOOLS.split_at(at);
            let parts = [Index::from_tools(one.to_vec()), Index::default(), Index::from_tools(two.to_vec())];
            assert_eq!(Index::concat(&parts), Index::from_tools(TOOLS));
        }
    }

    #[test]
    fn a_packed_index_can_be_unpacked() {
        let index = Index::from_tools(TOOLS);
        let mut text = String::new();
        index.pack(&mut text);
        assert_eq!(Index::unpack(&mut &*text.leak()), Some(index));
    }
}
