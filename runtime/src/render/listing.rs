//! The list of deferred tools in the definition of `tool_search`. Without it, a model does not know what it could search for.
//!
//! A toolset is listed in one of three forms: with the names and first sentences of its tools, with their names, or with their number.
//! If the list is too long, the toolsets that take the most space lose their sentences first, and then their names.

use std::fmt::Write as _;

use crate::sorted;
use crate::text::display::Truncated;
use crate::text::tokens::estimated_tokens;

/// The maximum length of a sentence, in characters.
const MAX_SENTENCE: usize = 60;

/// A toolset with deferred tools.
pub(super) struct ListedToolset<'t> {
    pub(super) name: &'t str,
    /// May be empty.
    pub(super) description: &'t str,
    /// The name and the description of each tool, in order.
    pub(super) tools: Vec<(&'t str, &'t str)>,
}

/// Returns the list of these toolsets, in their order, in at most `max_tokens` estimated tokens. If the list is too long even with only the
/// numbers of tools, a last line says how many toolsets are left out. The first toolset is always listed, so a list that has only its entry
/// and that line may be longer.
pub(super) fn write(toolsets: &[ListedToolset<'_>], max_tokens: usize) -> String {
    let mut forms: Vec<String> = toolsets.iter().map(ListedToolset::with_sentences).collect();
    let mut length: usize = forms.iter().map(String::len).sum();
    for shorten in [ListedToolset::with_names, ListedToolset::with_count] {
        if estimated_tokens(length) <= max_tokens {
            break;
        }
        let shorter: Vec<String> = toolsets.iter().map(shorten).collect();
        let lengths = forms.iter().zip(&shorter);
        let saved: Vec<usize> = lengths.map(|(form, shorter)| form.len().saturating_sub(shorter.len())).collect();
        for at in sorted::positions(toolsets.len(), &|a, b| saved[b].cmp(&saved[a]).then(a.cmp(&b))) {
            if estimated_tokens(length) <= max_tokens || saved[at] == 0 {
                break;
            }
            length -= saved[at];
            forms[at].clone_from(&shorter[at]);
        }
    }
    join(toolsets, &forms, max_tokens)
}

/// Joins the entries of as many toolsets as fit together with the line that counts the others. The list always has the first entry.
fn join(toolsets: &[ListedToolset<'_>], forms: &[String], max_tokens: usize) -> String {
    let (mut listed, mut length) = (forms.len(), forms.iter().map(String::len).sum::<usize>());
    let mut last_line = String::new();
    while listed > 1 && estimated_tokens(length + last_line.len()) > max_tokens {
        listed -= 1;
        length -= forms[listed].len();
        let left = &toolsets[listed..];
        let tools: usize = left.iter().map(|toolset| toolset.tools.len()).sum();
        last_line = format!("further toolsets: {} (tools in them: {tools})", left.len());
    }
    let mut list = forms[..listed].concat() + &last_line;
    list.truncate(list.trim_end().len());
    list
}

impl ListedToolset<'_> {
    fn with_sentences(&self) -> String {
        let mut out = format!("{}:\n", self.name);
        for (name, description) in &self.tools {
            let _ = match first_sentence(description) {
                sentence if sentence.is_empty() => writeln!(out, "- {name}"),
                sentence => writeln!(out, "- {name}: {sentence}"),
            };
        }
        out
    }

    fn with_names(&self) -> String {
        let names: Vec<&str> = self.tools.iter().map(|(name, _)| *name).collect();
        format!("{}: {}\n", self.name, names.join(", "))
    }

    fn with_count(&self) -> String {
        let (name, count) = (self.name, self.tools.len());
        match first_sentence(self.description) {
            sentence if sentence.is_empty() => format!("{name} ({count})\n"),
            sentence => format!("{name} ({count}): {sentence}\n"),
        }
    }
}

/// Returns the first sentence of a text on one line, at most [`MAX_SENTENCE`] characters of it.
pub(super) fn first_sentence(text: &str) -> String {
    let text = text.trim_start();
    let paragraph = text.split("\n\n").next().unwrap_or_default();
    let end = paragraph.char_indices().find(|&(at, letter)| {
        let next = paragraph[at + letter.len_utf8()..].chars().next();
        matches!(letter, '。' | '！' | '？')
            || (matches!(letter, '.' | '!' | '?') && next.is_none_or(char::is_whitespace))
    });
    let sentence = end.map_or(paragraph, |(at, letter)| &paragraph[..at + letter.len_utf8()]);
    let sentence = sentence.split_whitespace().collect::<Vec<_>>().join(" ");
    // The mark at the end of a cut text counts as a character.
    let max = if sentence.chars().count() > MAX_SENTENCE { MAX_SENTENCE - 1 } else { MAX_SENTENCE };
    Truncated(&sentence, max).to_string()
}

#[cfg(test)]
mod tests;
