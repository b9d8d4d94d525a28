//! Brace expansion: `a{b,c}` is two words, in bash.

use crate::syntax::word::{Origin, Part, Word};

/// The maximum number of words that a word is expanded to.
const MAX_WORDS: usize = 64;
/// The maximum number of parts that are copied for the expansion of a word.
const MAX_COPIES: usize = 8_192;

/// Expands a word. `marks` are the indexes of the parts that are an unquoted `{`, `,` or `}`.
pub(crate) fn expand(word: Word, marks: &[usize]) -> Vec<Word> {
    let has = |sign: &str| marks.iter().any(|mark| is_sign(&word.parts[*mark], sign));
    if !has("}") || !has(",") && !word.parts.iter().any(is_sequence) {
        return vec![word];
    }
    let mut expander = Expander { parts: &word.parts, marks, at: 0, copies: 0, unsure: false };
    let alternatives = expander.sequence(0);
    if expander.unsure || expander.at < word.parts.len() || alternatives.len() > MAX_WORDS {
        return vec![Word { parts: vec![Part::Unknown { splits: true }], span: word.span }];
    }
    // A word without any text disappears.
    let parts = alternatives.into_iter().filter(|parts| !parts.is_empty());
    parts.map(|parts| Word { parts: with_tilde(parts), span: word.span }).collect()
}

/// Replaces the `~` at the beginning of a word, which shells expand after braces: `{~/a,b}`.
fn with_tilde(mut parts: Vec<Part>) -> Vec<Part> {
    let is_plain = |part: &&Part| matches!(part, Part::Literal { origin: Origin::Plain, .. });
    let count = parts.iter().take_while(is_plain).count();
    let texts = parts[..count].iter().map(|part| match part {
        Part::Literal { text, .. } => text.as_str(),
        _ => "",
    });
    let start: String = texts.collect();
    let Some(below) = start.strip_prefix('~') else { return parts };
    let end = below.find('/').unwrap_or(below.len());
    let (user, rest) = below.split_at(end);
    let is_name = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '.' | '-' | '+');
    if user.chars().all(is_name) && (!rest.is_empty() || count == parts.len()) {
        let rest = Part::Literal { text: rest.to_owned(), origin: Origin::Plain };
        parts.splice(..count, [Part::Tilde { user: user.to_owned() }, rest]);
    }
    parts
}

fn is_sign(part: &Part, sign: &str) -> bool {
    matches!(part, Part::Literal { text, origin: Origin::Plain } if text == sign)
}

fn is_sequence(part: &Part) -> bool {
    matches!(part, Part::Literal { text, origin: Origin::Plain } if text.contains(".."))
}

struct Expander<'w> {
    parts: &'w [Part],
    marks: &'w [usize],
    at: usize,
    /// The number of parts that were copied.
    copies: usize,
    /// Whether the result is not certain, because of braces that do not match or too many words.
    unsure: bool,
}

impl Expander<'_> {
    fn sign(&self) -> Option<&str> {
        self.marks.binary_search(&self.at).ok()?;
        match &self.parts[self.at] {
            Part::Literal { text, .. } => Some(text),
            _ => None,
        }
    }

    /// Counts parts that are about to be copied. Returns false if they are too many.
    fn can_copy(&mut self, parts: usize) -> bool {
        self.copies += parts;
        self.copies <= MAX_COPIES
    }

    /// Returns the alternatives of the parts up to the `,` or `}` that ends them.
    fn sequence(&mut self, depth: usize) -> Vec<Vec<Part>> {
        let mut words = vec![Vec::new()];
        while self.at < self.parts.len() && !self.unsure {
            match self.sign() {
                Some("," | "}") if depth > 0 => break,
                Some("{") => {
                    let inner = self.braces(depth);
                    let length = |words: &[Vec<Part>]| words.iter().map(Vec::len).sum::<usize>();
                    let copies = length(&words) * inner.len() + length(&inner) * words.len();
                    if words.len() * inner.len() > MAX_WORDS || !self.can_copy(copies) {
                        self.unsure = true;
                        break;
                    }
                    words = words
                        .iter()
                        .flat_map(|word| inner.iter().map(move |end| word.iter().chain(end).cloned().collect()))
                        .collect();
                }
                // Outside of braces, `,` and `}` are text.
                _ => {
                    if words.len() > 1 && !self.can_copy(words.len()) {
                        self.unsure = true;
                        break;
                    }
                    for word in &mut words {
                        word.push(self.parts[self.at].clone());
                    }
                    self.at += 1;
                }
            }
        }
        words
    }

    /// Returns the alternatives of `{...}`.
    fn braces(&mut self, depth: usize) -> Vec<Vec<Part>> {
        if depth > 8 {
            self.unsure = true;
            return Vec::new();
        }
        let start = self.at;
        let mut alternatives = Vec::new();
        let mut commas = 0;
        loop {
            self.at += 1;
            alternatives.extend(self.sequence(depth + 1));
            match self.sign() {
                Some(",") => commas += 1,
                Some("}") if commas > 0 => {
                    self.at += 1;
                    return alternatives;
                }
                Some("}") => {
                    let inside = &self.parts[start + 1..self.at];
                    self.at += 1;
                    return self.numbers(inside).unwrap_or_else(|| {
                        let plain = |text: &str| Part::Literal { text: text.to_owned(), origin: Origin::Plain };
                        alternatives
                            .into_iter()
                            .map(|word| [vec![plain("{")], word, vec![plain("}")]].concat())
                            .collect()
                    });
                }
                _ => {
                    self.unsure = true;
                    return Vec::new();
                }
            }
            if alternatives.len() > MAX_WORDS {
                self.unsure = true;
                return Vec::new();
            }
        }
    }

    /// Returns the words of `{1..3}` or `{a..c}`.
    fn numbers(&mut self, inside: &[Part]) -> Option<Vec<Vec<Part>>> {
        let [Part::Literal { text, origin: Origin::Plain }] = inside else {
            // The ends of the range can be expansions, which are not replaced here. The text stays as it is.
            return None;
        };
        let mut ends = text.split("..");
        let (first, last, step) = (ends.next()?, ends.next()?, ends.next());
        if ends.next().is_some() {
            return None;
        }
        let literal = |text: String| vec![Part::Literal { text, origin: Origin::Plain }];
        let number = |text: &str| text.parse::<i64>().ok();
        let step = match step {
            Some(step) => number(step)?.unsigned_abs().max(1),
            None => 1,
        };
        let step = usize::try_from(step).unwrap_or(usize::MAX);
        if let (Some(from), Some(to)) = (number(first), number(last)) {
            if from.abs_diff(to) / step as u64 >= MAX_WORDS as u64 {
                self.unsure = true;
                return Some(Vec::new());
            }
            let is_padded = |text: &str| text.trim_start_matches('-').starts_with('0') && text.len() > 1;
            let width = if is_padded(first) || is_padded(last) { first.len().max(last.len()) } else { 0 };
            let (low, high) = (from.min(to), from.max(to));
            let count = usize::try_from(from.abs_diff(to)).unwrap_or(MAX_WORDS) / step + 1;
            let value = |index: usize| {
                let offset = i64::try_from(index * step).unwrap_or(0);
                if from <= to { low + offset } else { high - offset }
            };
            return Some((0..count).map(|index| literal(format!("{:0width$}", value(index)))).collect());
        }
        let letter = |text: &str| match text.as_bytes() {
            [letter] if letter.is_ascii_alphabetic() => Some(*letter),
            _ => None,
        };
        let (from, to) = (letter(first)?, letter(last)?);
        if from.is_ascii_uppercase() != to.is_ascii_uppercase() {
            // The words include the characters between `Z` and `a`.
            self.unsure = true;
            return Some(Vec::new());
        }
        let count = usize::from(from.abs_diff(to)) / step + 1;
        let value = |index: usize| {
            let offset = u8::try_from(index * step).unwrap_or(0);
            char::from(if from <= to { from + offset } else { from - offset })
        };
        Some((0..count).map(|index| literal(value(index).to_string())).collect())
    }
}
