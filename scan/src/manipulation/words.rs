//! The words of a text, and lists of words. A word of a list that ends with `*` stands for all words with that beginning.

use std::ops::Range;

/// The words of many lists, to find out that a text has none of them.
pub(crate) struct Vocabulary {
    /// The folded words by their first byte, and whether each is only the beginning of a word.
    by_first: Vec<Vec<(String, bool)>>,
}

impl Vocabulary {
    pub(crate) fn of(words: impl Iterator<Item = &'static str>) -> Self {
        let mut by_first = vec![Vec::new(); 256];
        for word in words {
            let (word, is_beginning) = word.strip_suffix('*').map_or((word, false), |word| (word, true));
            let folded: String = folded_letters(word).collect();
            if let Some(first) = folded.bytes().next() {
                by_first[usize::from(first)].push((folded, is_beginning));
            }
        }
        for words in &mut by_first {
            words.sort_unstable();
            words.dedup();
        }
        Self { by_first }
    }

    /// Returns whether a text has one of the words.
    pub(crate) fn occurs_in(&self, text: &str) -> bool {
        let mut folded = String::new();
        words(text).into_iter().any(|word| {
            folded.clear();
            let word = &text[word];
            if word.is_ascii() {
                folded.push_str(word);
                folded.make_ascii_lowercase();
            } else {
                folded.extend(folded_letters(word));
            }
            let Some(first) = folded.bytes().next() else { return false };
            // The comparison of lengths decides most often, and is the cheapest one.
            let is_same = |(word, is_beginning): &(String, bool)| {
                let has_length = if *is_beginning { folded.len() >= word.len() } else { folded.len() == word.len() };
                has_length && folded.starts_with(word.as_str())
            };
            self.by_first[usize::from(first)].iter().any(is_same)
        })
    }
}

/// Returns whether a text can be in a script without spaces between words. These begin with Thai.
pub(crate) fn may_be_dense(text: &str) -> bool {
    !text.is_ascii() && text.contains(|letter: char| letter >= '\u{e00}' && letter.is_alphabetic())
}

/// Returns a word in lower case, with those accents removed that people leave out when they type.
pub(crate) fn folded(word: &str) -> String {
    if word.is_ascii() { word.to_ascii_lowercase() } else { folded_letters(word).collect() }
}

fn folded_letters(word: &str) -> impl Iterator<Item = char> {
    let fold = |letter: char| match letter {
        'à'..='å' | 'ā' | 'ă' | 'ą' => 'a',
        'ç' | 'ć' | 'č' => 'c',
        'ď' => 'd',
        'è'..='ë' | 'ē' | 'ę' | 'ě' => 'e',
        'ì'..='ï' | 'ī' | 'ı' => 'i',
        'ñ' | 'ń' | 'ň' => 'n',
        'ò'..='ö' | 'ō' | 'ő' => 'o',
        'ř' => 'r',
        'ś' | 'š' | 'ş' | 'ș' => 's',
        'ť' | 'ţ' | 'ț' => 't',
        'ù'..='ü' | 'ū' | 'ů' | 'ű' => 'u',
        'ý' => 'y',
        'ź' | 'ż' | 'ž' => 'z',
        'ά' => 'α',
        'έ' => 'ε',
        'ή' => 'η',
        'ί' => 'ι',
        'ό' => 'ο',
        'ύ' => 'υ',
        'ώ' => 'ω',
        '’' => '\'',
        'ł' => 'l',
        'ğ' => 'g',
        'ё' => 'е',
        other => other,
    };
    // The last one is the dot of a Turkish capital letter, the others are vowel signs of Arabic.
    let is_mark = |letter: &char| matches!(letter, '\u{307}' | '\u{64b}'..='\u{652}');
    word.chars().flat_map(char::to_lowercase).filter(move |letter| !is_mark(letter)).map(fold)
}

/// Returns the places of the words of a sentence.
pub(crate) fn words(sentence: &str) -> Vec<Range<usize>> {
    if sentence.is_ascii() {
        return words_in_ascii(sentence.as_bytes());
    }
    let mut words: Vec<Range<usize>> = Vec::new();
    for (at, letter) in sentence.char_indices() {
        // Vowel signs of scripts from India are parts of words, and no letters.
        let is_mark =
            matches!(letter, '\u{64b}'..='\u{652}' | '\u{900}'..='\u{94d}' | '\u{980}'..='\u{9cd}' | '\u{307}');
        let is_part = letter.is_alphanumeric() || is_mark || matches!(letter, '\'' | '’' | '-' | '_');
        match words.last_mut() {
            Some(last) if is_part && last.end == at => last.end = at + letter.len_utf8(),
            _ if is_part => words.push(at..at + letter.len_utf8()),
            _ => {}
        }
    }
    words
}

/// Returns the places of words as [`words`] does. Most texts are ASCII, and need not be decoded.
fn words_in_ascii(sentence: &[u8]) -> Vec<Range<usize>> {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'\'' | b'-' | b'_');
    let (mut words, mut at) = (Vec::new(), 0);
    while let Some(skipped) = sentence[at..].iter().position(is_part) {
        let start = at + skipped;
        at = sentence[start..].iter().position(|byte| !is_part(byte)).map_or(sentence.len(), |length| start + length);
        words.push(start..at);
    }
    words
}

/// Returns whether a folded word is in a list.
pub(crate) fn is_in(list: &[&str], word: &str) -> bool {
    let first = word.chars().next();
    list.iter().any(|entry| {
        // Most entries differ in the first letter, which needs no folding if it is a small letter of ASCII.
        if entry.starts_with(|letter: char| letter.is_ascii_lowercase() && Some(letter) != first) {
            return false;
        }
        let (entry, is_beginning) = entry.strip_suffix('*').map_or((*entry, false), |entry| (entry, true));
        if entry.is_ascii() {
            let start = word.get(..entry.len()).filter(|_| is_beginning || word.len() == entry.len());
            return start.is_some_and(|start| start.eq_ignore_ascii_case(entry));
        }
        let mut letters = word.chars();
        folded_letters(entry).all(|wanted| letters.next() == Some(wanted)) && (is_beginning || letters.next().is_none())
    })
}
