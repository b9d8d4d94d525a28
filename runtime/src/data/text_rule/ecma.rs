//! Regular expressions of ECMA-262, as the engine of the runtime reads them.
//!
//! The engine takes linear time, so it holds only a part of the language. A pattern in this part is translated: both sides
//! mean the same, and the result has no shorthand or escape that engines read differently. `docs/formats.md` has the table.

use std::fmt::Write as _;
use std::ops::Range;

/// The maximum number of characters and classes in a pattern, repetitions multiplied.
const MAX_WEIGHT: usize = 2_000;
/// The maximum depth of groups.
const MAX_DEPTH: usize = 40;

/// A translated pattern.
#[derive(Debug)]
pub(super) struct Translation {
    pub(super) regex: String,
    /// The number of characters and classes, repetitions multiplied.
    pub(super) weight: usize,
}

/// Why the engine cannot hold a pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PatternProblem {
    /// The bytes of the pattern that cause it.
    pub at: Range<usize>,
    /// The cause.
    pub cause: PatternCause,
}

/// The cause of a problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PatternCause {
    /// The pattern has a mistake: no engine of ECMA-262 reads it.
    Invalid(&'static str),
    /// `(?=a)`, `(?!a)`, `(?<=a)` and `(?<!a)`.
    LookAround,
    /// `\1` and `\k<name>`.
    BackReference,
    /// `(?i:a)`.
    Flags,
    /// `\p{L}`.
    Property,
    /// An escape that has no meaning, or another one in each language.
    Escape,
    /// `[]` and `[^]`.
    EmptyClass,
    /// Too many parts, repetitions multiplied, or too many nested groups.
    TooLarge,
}

impl PatternCause {
    /// Returns what the pattern has.
    pub fn what(self) -> &'static str {
        match self {
            Self::Invalid(why) => why,
            Self::LookAround => "a look-around",
            Self::BackReference => "a back-reference",
            Self::Flags => "flags",
            Self::Property => "a property of Unicode",
            Self::Escape => "an escape without a common meaning",
            Self::EmptyClass => "an empty class",
            Self::TooLarge => "too many parts",
        }
    }

    /// Returns what an author can do.
    pub fn advice(self) -> &'static str {
        match self {
            Self::Invalid(_) => "correct the pattern",
            Self::LookAround => {
                "write out what may follow or precede, or check it in the handler; the parts of an `allOf` can have a pattern each"
            }
            Self::BackReference => "write out the alternatives, or compare the parts in the handler",
            Self::Flags => "write both cases, such as `[Aa]`",
            Self::Property => "write the ranges of characters, such as `[A-Za-zÀ-ɏ]`",
            Self::Escape => "write the character itself, or `\\u` and four hexadecimal digits",
            Self::EmptyClass => "escape the bracket: `\\]`; any character is `[\\s\\S]`",
            Self::TooLarge => "repeat less: lengths can be limited by `maxLength`, and deep groups by the handler",
        }
    }
}

/// Returns whether `text` is a regular expression of ECMA-262.
pub(super) fn is_valid(text: &str) -> bool {
    !matches!(translate(text), Err(PatternProblem { cause: PatternCause::Invalid(_), .. }))
}

/// Returns why the engine cannot hold a pattern, or `None` if it can.
pub fn problem(pattern: &str) -> Option<PatternProblem> {
    translate(pattern).err()
}

/// Translates a pattern.
pub(super) fn translate(pattern: &str) -> Result<Translation, PatternProblem> {
    let mut reader = Reader { pattern, at: 0, out: String::with_capacity(pattern.len()), outside: None, is_cut: false };
    let weight = reader.alternatives(0)?;
    if reader.at < pattern.len() {
        return Err(reader.invalid(reader.at, "a closing parenthesis without a group"));
    }
    if weight > MAX_WEIGHT {
        reader.leave(0, PatternCause::TooLarge);
    }
    match reader.outside {
        Some(problem) => Err(problem),
        None => Ok(Translation { regex: reader.out, weight: weight.max(1) }),
    }
}

/// A set of characters, as sorted ranges.
type Ranges = &'static [(char, char)];

const DIGITS: Ranges = &[('0', '9')];
const WORD: Ranges = &[('0', '9'), ('A', 'Z'), ('_', '_'), ('a', 'z')];
/// `WhiteSpace` and `LineTerminator` of ECMA-262.
const SPACE: Ranges = &[
    ('\t', '\r'),
    (' ', ' '),
    ('\u{a0}', '\u{a0}'),
    ('\u{1680}', '\u{1680}'),
    ('\u{2000}', '\u{200a}'),
    ('\u{2028}', '\u{2029}'),
    ('\u{202f}', '\u{202f}'),
    ('\u{205f}', '\u{205f}'),
    ('\u{3000}', '\u{3000}'),
    ('\u{feff}', '\u{feff}'),
];
/// All characters but `LineTerminator`.
const LINE_ENDS: Ranges = &[('\n', '\n'), ('\r', '\r'), ('\u{2028}', '\u{2029}')];

/// What an escape means.
enum Escaped {
    Char(char),
    /// The characters of a set, or all others.
    Set(Ranges, bool),
    /// Something that is outside of the subset.
    Outside,
}

/// Returns whether these are flags of a group: each at most once, some before and some after a hyphen.
fn are_flags(text: &str) -> bool {
    let is_once = |(at, flag)| !text[..at].contains::<char>(flag);
    text != "-" && text.chars().all(|flag| "ims-".contains(flag)) && text.char_indices().all(is_once)
}

struct Reader<'p> {
    pattern: &'p str,
    at: usize,
    out: String,
    /// The first part that the engine cannot hold. Reading goes on, because the pattern may be invalid as well.
    outside: Option<PatternProblem>,
    /// Whether the rest was skipped because it is too deep.
    is_cut: bool,
}

impl Reader<'_> {
    fn peek(&self) -> Option<char> {
        self.pattern[self.at..].chars().next()
    }

    fn next(&mut self) -> Option<char> {
        let next = self.peek()?;
        self.at += next.len_utf8();
        Some(next)
    }

    fn eat(&mut self, text: &str) -> bool {
        let is_next = self.pattern[self.at..].starts_with(text);
        if is_next {
            self.at += text.len();
        }
        is_next
    }

    fn invalid(&self, from: usize, why: &'static str) -> PatternProblem {
        PatternProblem { at: from..self.at.max(from), cause: PatternCause::Invalid(why) }
    }

    /// Records that what was read since `from` is outside of the subset.
    fn leave(&mut self, from: usize, cause: PatternCause) {
        let at = from..self.at;
        self.outside.get_or_insert(PatternProblem { at, cause });
    }

    /// Reads alternatives up to the end of their group. Returns their weight.
    fn alternatives(&mut self, depth: usize) -> Result<usize, PatternProblem> {
        if depth > MAX_DEPTH {
            // Nothing deeper is read, so that hostile patterns need no deep stack.
            self.leave(self.at, PatternCause::TooLarge);
            (self.at, self.is_cut) = (self.pattern.len(), true);
            return Ok(0);
        }
        let mut weight = 0_usize;
        while let Some(next) = self.peek().filter(|next| *next != ')') {
            let from = self.at;
            self.at += next.len_utf8();
            match next {
                '|' | '^' | '$' => self.out.push(next),
                '\\' if self.eat("b") => self.out.push_str("\\b"),
                '\\' if self.eat("B") => self.out.push_str("\\B"),
                '*' | '+' | '?' => return Err(self.invalid(from, "a repetition of nothing")),
                _ => {
                    let atom = self.atom(next, from, depth)?;
                    weight = weight.saturating_add(atom.saturating_mul(self.repetition()?));
                }
            }
        }
        Ok(weight)
    }

    /// Reads the rest of what can be repeated. Returns its weight.
    fn atom(&mut self, first: char, from: usize, depth: usize) -> Result<usize, PatternProblem> {
        match first {
            '(' => return self.group(from, depth),
            '[' => self.class(from)?,
            '.' => {
                self.out.push_str("[^");
                self.push_ranges(LINE_ENDS, false);
                self.out.push(']');
            }
            '\\' => match self.escape(from, false)? {
                Escaped::Char(letter) => self.push(letter),
                Escaped::Set(ranges, is_complement) => {
                    self.out.push('[');
                    self.push_ranges(ranges, is_complement);
                    self.out.push(']');
                }
                Escaped::Outside => {}
            },
            '{' => {
                self.at = from;
                if self.counts()?.is_some() {
                    return Err(self.invalid(from, "a repetition of nothing"));
                }
                self.at = from + 1;
                self.push('{');
            }
            letter => self.push(letter),
        }
        Ok(1)
    }

    fn group(&mut self, from: usize, depth: usize) -> Result<usize, PatternProblem> {
        let kinds = ["(?=", "(?!", "(?<=", "(?<!"];
        self.at = from;
        if kinds.iter().any(|kind| self.eat(kind)) {
            self.leave(from, PatternCause::LookAround);
        } else if self.eat("(?<") {
            let name = self.pattern[self.at..].split_once('>').map(|(name, _)| name);
            let is_letter = |letter: char| letter.is_alphanumeric() || "_$".contains(letter);
            match name.filter(|name| name.chars().all(is_letter) && !name.starts_with(|first: char| first.is_numeric()))
            {
                Some(name) if !name.is_empty() => self.at += name.len() + 1,
                _ => return Err(self.invalid(from, "a group with an invalid name")),
            }
        } else if !self.eat("(?:") && self.eat("(?") {
            let flags = self.pattern[self.at..].split_once(':').map(|(flags, _)| flags);
            match flags.filter(|flags| are_flags(flags)) {
                Some(flags) => self.at += flags.len() + 1,
                None => return Err(self.invalid(from, "an unknown kind of group")),
            }
            self.leave(from, PatternCause::Flags);
        } else if self.at == from {
            self.at += 1;
        }
        self.out.push_str("(?:");
        let weight = self.alternatives(depth + 1)?;
        if !self.eat(")") && !self.is_cut {
            return Err(PatternProblem { at: from..from + 1, cause: PatternCause::Invalid("a group without its end") });
        }
        self.out.push(')');
        Ok(weight.saturating_add(1))
    }

    /// Reads a repetition, if there is one. Returns by how much it multiplies.
    fn repetition(&mut self) -> Result<usize, PatternProblem> {
        let from = self.at;
        let times = match self.peek() {
            Some(sign @ ('*' | '+' | '?')) => {
                self.at += 1;
                self.out.push(sign);
                1
            }
            Some('{') => {
                let Some((least, most)) = self.counts()? else {
                    self.at = from;
                    return Ok(1);
                };
                let _ = match most {
                    Some(most) if most == least => write!(self.out, "{{{least}}}"),
                    Some(most) => write!(self.out, "{{{least},{most}}}"),
                    None => write!(self.out, "{{{least},}}"),
                };
                most.unwrap_or(least).max(1)
            }
            _ => return Ok(1),
        };
        // Whether a repetition is lazy does not change whether a text matches.
        self.eat("?");
        Ok(times)
    }

    /// Reads `{2}`, `{2,}` or `{2,5}`. Otherwise, the position is undefined.
    fn counts(&mut self) -> Result<Option<(usize, Option<usize>)>, PatternProblem> {
        let from = self.at;
        let Some((inner, _)) = self.pattern[self.at..].strip_prefix('{').and_then(|rest| rest.split_once('}')) else {
            return Ok(None);
        };
        let number = |digits: &str| {
            let is_number = !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit());
            is_number.then(|| digits.parse().unwrap_or(usize::MAX))
        };
        let (least, most) = match inner.split_once(',') {
            None => (number(inner), number(inner).map(Some)),
            Some((least, "")) => (number(least), Some(None)),
            Some((least, most)) => (number(least), number(most).map(Some)),
        };
        let (Some(least), Some(most)) = (least, most) else { return Ok(None) };
        self.at += inner.len() + 2;
        if most.is_some_and(|most| most < least) {
            return Err(self.invalid(from, "a repetition whose numbers are out of order"));
        }
        Ok(Some((least, most)))
    }

    /// Reads the rest of a class.
    fn class(&mut self, from: usize) -> Result<(), PatternProblem> {
        self.out.push('[');
        if self.eat("^") {
            self.out.push('^');
        }
        if self.eat("]") {
            self.leave(from, PatternCause::EmptyClass);
            self.out.push_str("a]");
            return Ok(());
        }
        let unclosed = PatternProblem { at: from..from + 1, cause: PatternCause::Invalid("a class without its end") };
        loop {
            let begin = self.at;
            let first = match self.next().ok_or_else(|| unclosed.clone())? {
                ']' => break,
                '\\' => self.escape(begin, true)?,
                letter => Escaped::Char(letter),
            };
            let rest = &self.pattern[self.at..];
            let is_range = rest.starts_with('-') && !rest.starts_with("-]") && rest.len() > 1;
            match first {
                Escaped::Char(first) if is_range => {
                    self.at += 1;
                    self.range(first, begin)?;
                }
                Escaped::Char(letter) => self.push(letter),
                Escaped::Set(ranges, is_complement) => self.push_ranges(ranges, is_complement),
                Escaped::Outside => {}
            }
        }
        self.out.push(']');
        Ok(())
    }

    /// Reads the second character of a range in a class.
    fn range(&mut self, first: char, begin: usize) -> Result<(), PatternProblem> {
        let from = self.at;
        let last = match self.next() {
            Some('\\') => self.escape(from, true)?,
            Some(letter) => Escaped::Char(letter),
            None => return Ok(()),
        };
        match last {
            Escaped::Char(last) if first <= last => {
                self.push(first);
                self.out.push('-');
                self.push(last);
            }
            Escaped::Char(_) => return Err(self.invalid(begin, "a range whose ends are out of order")),
            // As browsers do, the sign is taken for itself.
            Escaped::Set(ranges, is_complement) => {
                self.push(first);
                self.push('-');
                self.push_ranges(ranges, is_complement);
            }
            Escaped::Outside => {}
        }
        Ok(())
    }

    /// Reads the rest of an escape.
    fn escape(&mut self, from: usize, in_class: bool) -> Result<Escaped, PatternProblem> {
        let Some(letter) = self.next() else { return Err(self.invalid(from, "a backslash at the end")) };
        let cause = match letter {
            'd' => return Ok(Escaped::Set(DIGITS, false)),
            'D' => return Ok(Escaped::Set(DIGITS, true)),
            'w' => return Ok(Escaped::Set(WORD, false)),
            'W' => return Ok(Escaped::Set(WORD, true)),
            's' => return Ok(Escaped::Set(SPACE, false)),
            'S' => return Ok(Escaped::Set(SPACE, true)),
            't' => return Ok(Escaped::Char('\t')),
            'n' => return Ok(Escaped::Char('\n')),
            'v' => return Ok(Escaped::Char('\u{b}')),
            'f' => return Ok(Escaped::Char('\u{c}')),
            'r' => return Ok(Escaped::Char('\r')),
            'b' if in_class => return Ok(Escaped::Char('\u{8}')),
            '0' if !self.peek().is_some_and(|next| next.is_ascii_digit()) => return Ok(Escaped::Char('\0')),
            'x' | 'u' | 'c' => {
                let after = self.at;
                if let Some(letter) = self.coded(letter) {
                    return Ok(Escaped::Char(letter));
                }
                self.at = after;
                PatternCause::Escape
            }
            '1'..='9' if !in_class => PatternCause::BackReference,
            'k' if !in_class && self.braced('<', '>') => PatternCause::BackReference,
            'p' | 'P' if self.braced('{', '}') => PatternCause::Property,
            letter if letter.is_ascii_alphanumeric() => PatternCause::Escape,
            letter => return Ok(Escaped::Char(letter)),
        };
        self.leave(from, cause);
        Ok(Escaped::Outside)
    }

    /// Skips text in brackets. Returns whether there is any.
    fn braced(&mut self, open: char, close: char) -> bool {
        let inner = self.pattern[self.at..].strip_prefix(open).and_then(|rest| rest.split_once(close));
        self.at += inner.map_or(0, |(inner, _)| inner.len() + 2);
        inner.is_some()
    }

    /// Reads the rest of `\x41`, `\u0041`, `\u{41}` or `\cA`. Returns `None` if it is not a character.
    fn coded(&mut self, kind: char) -> Option<char> {
        if kind == 'c' {
            let letter = self.peek().filter(char::is_ascii_alphabetic)?;
            self.at += 1;
            return char::from_u32(u32::from(letter) % 32);
        }
        if kind == 'u' && self.pattern[self.at..].starts_with('{') {
            let from = self.at + 1;
            let is_braced = self.braced('{', '}');
            let digits = self.pattern.get(from..self.at - 1).filter(|_| is_braced)?;
            let is_number = !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_hexdigit());
            return char::from_u32(u32::from_str_radix(digits, 16).ok().filter(|_| is_number)?);
        }
        let high = self.digits(if kind == 'x' { 2 } else { 4 })?;
        if !(0xd800..0xdc00).contains(&high) {
            return char::from_u32(high);
        }
        // Two escapes of UTF-16 are one character.
        let low = if self.eat("\\u") { self.digits(4)? } else { return None };
        let is_pair = (0xdc00..0xe000).contains(&low);
        char::from_u32(0x1_0000 + ((high - 0xd800) << 10) + low.checked_sub(0xdc00)?).filter(|_| is_pair)
    }

    fn digits(&mut self, count: usize) -> Option<u32> {
        let digits = self.pattern.get(self.at..self.at + count)?;
        let is_number = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
        let number = u32::from_str_radix(digits, 16).ok().filter(|_| is_number)?;
        self.at += count;
        Some(number)
    }

    /// Writes a character that stands for itself, also in a class.
    fn push(&mut self, letter: char) {
        if letter.is_ascii() && !letter.is_ascii_alphanumeric() {
            let _ = write!(self.out, "\\x{{{:x}}}", u32::from(letter));
        } else {
            self.out.push(letter);
        }
    }

    /// Writes ranges, or all that is between them, into a class.
    fn push_ranges(&mut self, ranges: Ranges, is_complement: bool) {
        if !is_complement {
            for &(first, last) in ranges {
                self.push(first);
                self.out.push('-');
                self.push(last);
            }
            return;
        }
        let mut from = 0;
        let after = ranges.iter().map(|&(first, last)| (u32::from(first), u32::from(last) + 1));
        for (first, next) in after.chain([(u32::from(char::MAX) + 1, 0)]) {
            if from < first {
                let _ = write!(self.out, "\\x{{{from:x}}}-\\x{{{:x}}}", first - 1);
            }
            from = next;
        }
    }
}
