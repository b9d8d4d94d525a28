//! Patterns for sentences: words with alternatives, and gaps between them.
//!
//! A pattern is a list of steps, separated by spaces. `a|b` is one of two words, `ask*` is a word that begins so, `..` is a gap of at
//! most [`GAP`] words of the same sentence, and `"two words"` cannot occur: a step is one word. `_` in a word stands for a space, so
//! that `do_not` is the words `do not`. A word of a script without spaces is looked for as a part of the text.

use std::borrow::Cow;
use std::collections::BTreeMap;

/// The maximum number of words in a gap.
pub(crate) const GAP: usize = 7;

/// A word of a text, in lower case, with its place.
#[derive(Debug, Clone)]
pub(crate) struct WordAt {
    pub(crate) text: String,
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// The number of the sentence.
    pub(crate) sentence: usize,
}

/// Splits a text into words and sentences. Marks of Markdown are not parts of words.
pub(crate) fn words(text: &str) -> Vec<WordAt> {
    let (mut found, mut sentence) = (Vec::new(), 0);
    let mut start = None;
    let is_part = |letter: char| {
        letter.is_alphanumeric() || matches!(letter, '\'' | '’' | '_' | '-' | '.' | '/' | '~' | '$' | '@')
    };
    for (at, letter) in text.char_indices().chain([(text.len(), '\n')]) {
        if is_part(letter) {
            start.get_or_insert(at);
            continue;
        }
        if let Some(begin) = start.take() {
            let raw = &text[begin..at];
            let word = raw.trim_end_matches(['.', '-', '\'', '’', '_']).trim_start_matches(['\'', '_', '-']);
            if !word.is_empty() {
                let text = plain(word).to_lowercase().replace('’', "'");
                found.push(WordAt { text, start: begin, end: at, sentence });
            }
            if raw.ends_with('.') {
                sentence += 1;
            }
        }
        if matches!(letter, '!' | '?' | ';' | '\u{3002}' | '\u{ff01}' | '\u{ff1f}')
            || letter == '\n' && text[at..].starts_with("\n\n")
        {
            sentence += 1;
        }
    }
    found
}

/// Returns a word in the letters of ASCII that its letters stand for.
fn plain(word: &str) -> Cow<'_, str> {
    if word.is_ascii() { word.into() } else { word.chars().map(toolc_scan::plain_letter).collect::<String>().into() }
}

enum Step {
    Gap,
    /// Alternatives; each is a list of words, the last of which can be a beginning.
    Words(Vec<Vec<(String, bool)>>),
}

/// A pattern for a sentence.
pub(crate) struct Phrase {
    steps: Vec<Step>,
}

impl Phrase {
    /// Reads a pattern of this crate's own tables.
    pub(crate) fn new(pattern: &str) -> Self {
        let alternative = |text: &str| {
            let words = text.split('_').map(|word| match word.strip_suffix('*') {
                Some(start) => (start.to_owned(), true),
                None => (word.to_owned(), false),
            });
            words.collect()
        };
        let step = |text: &str| match text {
            ".." => Step::Gap,
            text => Step::Words(text.split('|').map(alternative).collect()),
        };
        Self { steps: pattern.split(' ').map(step).collect() }
    }

    /// Returns the index of the last word of a match that begins with a word.
    pub(crate) fn match_at(&self, words: &[WordAt], first: usize) -> Option<usize> {
        matches(&self.steps, words, first, words.get(first)?.sentence)?.checked_sub(1)
    }
}

/// Patterns by their first words, so that few are tried at a word.
#[derive(Default)]
pub(crate) struct Phrases {
    all: Vec<Phrase>,
    by_word: BTreeMap<String, Vec<usize>>,
    by_start: Vec<(String, usize)>,
}

impl Phrases {
    /// Reads patterns of this crate's own tables.
    pub(crate) fn new<'p>(patterns: impl IntoIterator<Item = &'p str>) -> Self {
        let mut found = Self::default();
        for (index, pattern) in patterns.into_iter().enumerate() {
            found.all.push(Phrase::new(pattern));
            let first = pattern.split(' ').next().unwrap_or_default();
            for alternative in first.split('|') {
                let word = alternative.split('_').next().unwrap_or_default();
                match word.strip_suffix('*') {
                    Some(start) => found.by_start.push((start.to_owned(), index)),
                    None => found.by_word.entry(word.to_owned()).or_default().push(index),
                }
            }
        }
        found
    }

    /// Returns the matches that begin with a word: the index of the pattern, and the index of the last word.
    pub(crate) fn matches_at(&self, words: &[WordAt], at: usize) -> Vec<(usize, usize)> {
        let Some(word) = words.get(at) else { return Vec::new() };
        let exact = self.by_word.get(&word.text).into_iter().flatten().copied();
        let starts = self.by_start.iter().filter(|(start, _)| word.text.starts_with(start)).map(|(_, index)| *index);
        let mut found: Vec<(usize, usize)> =
            exact.chain(starts).filter_map(|index| Some((index, self.all[index].match_at(words, at)?))).collect();
        found.dedup();
        found
    }
}

/// Returns the index after the last word of a match that begins with a word. A pattern has few gaps of few words, so that the number of
/// attempts has a constant limit.
fn matches(steps: &[Step], words: &[WordAt], at: usize, sentence: usize) -> Option<usize> {
    let Some((step, rest)) = steps.split_first() else { return Some(at) };
    match step {
        Step::Gap => (at..=at + GAP).find_map(|next| matches(rest, words, next, sentence)),
        Step::Words(alternatives) => alternatives.iter().find_map(|alternative| {
            let of_text = words.get(at..at + alternative.len())?;
            let is_match = of_text.iter().zip(alternative).all(|(word, (pattern, is_start))| {
                word.sentence == sentence
                    && if *is_start { word.text.starts_with(pattern.as_str()) } else { word.text == *pattern }
            });
            if is_match { matches(rest, words, at + alternative.len(), sentence) } else { None }
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(pattern: &str, text: &str) -> bool {
        let words = words(text);
        (0..words.len()).any(|first| Phrase::new(pattern).match_at(&words, first).is_some())
    }

    #[test]
    fn a_phrase_matches_within_one_sentence() {
        let pattern = "do_not|don't|never .. tell|mention* .. user";
        assert!(found(pattern, "Do not ever tell this to the user."));
        assert!(found(pattern, "Don’t mention it to the **user**"));
        assert!(!found(pattern, "Do not worry. Tell the user."));
        assert!(!found(pattern, "Tell the user."));
    }
}
