//! Patterns for constrained decoding: inference servers such as llama.cpp compile them to a grammar.

/// Rewrites a pattern so that it is anchored at both ends and contains only classes, groups and repetitions. Returns `None` if no
/// such pattern is equivalent, or if it repeats a part more often than `max_repetitions`, nested repetitions multiplied.
pub(super) fn to_grammar_pattern(pattern: &str, max_repetitions: Option<u64>) -> Option<String> {
    let grammar = grammar_pattern(pattern)?;
    max_repetitions.is_none_or(|max| repetitions(&grammar) <= max).then_some(grammar)
}

fn grammar_pattern(pattern: &str) -> Option<String> {
    let start = pattern.strip_prefix('^');
    let inner = start.unwrap_or(pattern);
    let stripped = inner.strip_suffix('$').filter(|rest| {
        let slashes = rest.chars().rev().take_while(|letter| *letter == '\\').count();
        slashes % 2 == 0
    });
    let (body, has_top_level_choice) = expand_shorthands(stripped.unwrap_or(inner))?;
    let (starts, ends) = (start.is_some(), stripped.is_some());
    // `^a|b$` is `^a` or `b$`.
    if has_top_level_choice && (starts || ends) {
        return None;
    }
    let body = if has_top_level_choice { format!("({body})") } else { body };
    let padding = |is_anchored: bool| if is_anchored { "" } else { ".*" };
    Some(format!("^{}{body}{}$", padding(starts), padding(ends)))
}

/// Returns how often the part that is repeated most often is repeated at most. `*` and `+` count as one.
fn repetitions(pattern: &str) -> u64 {
    // The most repetitions within each open group, and within the atom that ended last.
    let (mut open, mut last) = (vec![1_u64], 1_u64);
    let (mut letters, mut in_class) = (pattern.chars(), false);
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => {
                letters.next();
                last = 1;
            }
            '[' if !in_class => in_class = true,
            ']' if in_class => (in_class, last) = (false, 1),
            _ if in_class => {}
            '(' => open.push(1),
            ')' if open.len() > 1 => last = open.pop().unwrap_or(1),
            '{' => {
                let rest = letters.as_str();
                let counts = rest.split_once('}').map(|(counts, _)| counts.split(',').map(str::parse::<u64>));
                // A number that is too large to be read is too large.
                let is_number = rest.starts_with(|letter: char| letter.is_ascii_digit());
                let most = counts.into_iter().flatten().map(|count| count.unwrap_or(0)).max().unwrap_or(0);
                let has_overflow = rest.chars().take_while(char::is_ascii_digit).count() > 18;
                if is_number {
                    last = last.saturating_mul(if has_overflow { u64::MAX } else { most.max(1) });
                }
            }
            _ => last = 1,
        }
        if let Some(most) = open.last_mut() {
            *most = (*most).max(last);
        }
    }
    open.into_iter().max().unwrap_or(1)
}

/// Replaces the shorthands in the body of a pattern. Also returns whether the body has a `|` outside of all groups.
fn expand_shorthands(body: &str) -> Option<(String, bool)> {
    let mut out = String::new();
    let mut group_depth = 0_usize;
    let mut in_class = false;
    let mut has_choice = false;
    let mut letters = body.chars().peekable();
    // Whether the current letter is the end of a repetition.
    let mut is_repetition = false;
    // Whether there is nothing yet that could be repeated.
    let mut is_start = true;
    while let Some(letter) = letters.next() {
        let follows_repetition = std::mem::replace(&mut is_repetition, !in_class && "*+?}".contains(letter));
        let follows_start = std::mem::replace(&mut is_start, !in_class && "(|".contains(letter));
        match letter {
            '\\' => out += &escape(letters.next()?, in_class)?,
            '[' if !in_class => {
                in_class = true;
                out.push('[');
                if letters.next_if_eq(&'^').is_some() {
                    out.push('^');
                }
            }
            ']' => {
                in_class = false;
                out.push(']');
            }
            _ if in_class => out.push(letter),
            '(' => {
                group_depth += 1;
                // Only groups without a capture, `(?:`, are supported.
                if letters.next_if_eq(&'?').is_some() {
                    letters.next_if_eq(&':')?;
                }
                out.push('(');
            }
            ')' => {
                group_depth = group_depth.checked_sub(1)?;
                out.push(')');
            }
            '^' | '$' => return None,
            '*' | '+' | '?' if follows_start => return None,
            '*' | '+' if follows_repetition => return None,
            // A lazy repetition matches the same strings.
            '?' if follows_repetition => {}
            '|' => {
                has_choice |= group_depth == 0;
                out.push('|');
            }
            other => out.push(other),
        }
    }
    // An open class or group is an error in a grammar, which fails the whole request.
    (group_depth == 0 && !in_class).then_some((out, has_choice))
}

/// Returns an escape without shorthands, or `None` if it has no equivalent.
fn escape(letter: char, in_class: bool) -> Option<String> {
    let class = |inner: &str| if in_class { inner.to_owned() } else { format!("[{inner}]") };
    Some(match letter {
        'd' => class("0-9"),
        'w' => class("a-zA-Z0-9_"),
        's' => class(r" \t\n\r"),
        'D' if !in_class => "[^0-9]".to_owned(),
        'W' if !in_class => "[^a-zA-Z0-9_]".to_owned(),
        'S' if !in_class => r"[^ \t\n\r]".to_owned(),
        't' | 'n' | 'r' => format!("\\{letter}"),
        // Other letters and digits have a meaning: word boundaries, Unicode classes, back references.
        other if other.is_ascii_alphanumeric() => return None,
        other => format!("\\{other}"),
    })
}

/// Returns whether every engine of regular expressions reads a pattern, and in the same way: those of JavaScript, Python, Go and Rust.
pub(super) fn is_common_pattern(pattern: &str) -> bool {
    let mut reader = PatternReader { rest: pattern };
    let (mut groups, mut previous) = (0_usize, Previous::Other);
    while let Some(letter) = reader.next() {
        previous = match (letter, previous) {
            ('\\', _) if reader.escape(false) => Previous::Atom,
            ('[', _) if reader.class() => Previous::Atom,
            ('(', _) if reader.group() => {
                groups += 1;
                Previous::Other
            }
            (')', _) if groups > 0 => {
                groups -= 1;
                Previous::Atom
            }
            ('*' | '+' | '?', Previous::Atom) => Previous::Repetition,
            ('{', Previous::Atom) if reader.counts() => Previous::Repetition,
            // A lazy repetition.
            ('?', Previous::Repetition) | ('|' | '^', _) => Previous::Other,
            ('\\' | '[' | '(' | ')' | '*' | '+' | '?' | '{', _) => return false,
            _ => Previous::Atom,
        }
    }
    groups == 0
}

/// What precedes a letter of a pattern.
#[derive(Clone, Copy)]
enum Previous {
    /// Something that can be repeated.
    Atom,
    Repetition,
    Other,
}

struct PatternReader<'p> {
    rest: &'p str,
}

impl PatternReader<'_> {
    fn next(&mut self) -> Option<char> {
        let mut letters = self.rest.chars();
        let letter = letters.next()?;
        self.rest = letters.as_str();
        Some(letter)
    }

    fn skip(&mut self, prefix: &str) -> bool {
        let rest = self.rest.strip_prefix(prefix);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    /// Reads the rest of an escape. Returns whether it means the same to every engine: Go has no `\u0041`, for example.
    fn escape(&mut self, in_class: bool) -> bool {
        match self.next() {
            Some('d' | 'D' | 'w' | 'W' | 's' | 'S' | 't' | 'n' | 'r' | 'f' | 'v') => true,
            Some('b' | 'B') => !in_class,
            Some('x') => (0..2).all(|_| self.next().is_some_and(|digit| digit.is_ascii_hexdigit())),
            Some(other) => other.is_ascii_punctuation(),
            None => false,
        }
    }

    /// Reads the rest of a class. Returns whether it has no class in it, no operator, and at least one letter.
    fn class(&mut self) -> bool {
        self.skip("^");
        if self.skip("]") {
            return false;
        }
        while let Some(letter) = self.next() {
            match letter {
                ']' => return true,
                '\\' if self.escape(true) => {}
                '\\' | '[' => return false,
                '&' | '~' | '-' | '|' if self.rest.starts_with(letter) => return false,
                _ => {}
            }
        }
        false
    }

    /// Reads the beginning of a group. Returns whether it is a plain group or one without a capture.
    fn group(&mut self) -> bool {
        self.skip("?:") || !self.rest.starts_with('?')
    }

    /// Reads the rest of a repetition: `2}`, `2,}` or `2,5}`.
    fn counts(&mut self) -> bool {
        let Some((counts, rest)) = self.rest.split_once('}') else { return false };
        self.rest = rest;
        let is_number =
            |number: &str| (1..=4).contains(&number.len()) && number.bytes().all(|digit| digit.is_ascii_digit());
        match counts.split_once(',') {
            None => is_number(counts),
            Some((least, most)) => is_number(least) && (most.is_empty() || is_number(most)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_is_common_if_every_engine_reads_it() {
        for common in [
            "",
            "abc",
            "^a|b$",
            "^(?:a|b)+$",
            "a+?b*?c??",
            "x{2}y{2,}z{2,5}?",
            r"^\d{4}-\w+\s?$",
            r"\bword\b",
            r"^https\:\/\/",
            "[^a-z]",
            r"[\]\[]",
            "[a-]",
            r"\x41",
            "é+",
            "^$",
            r"^[\w.+-]+@[\w-]+\.[a-z]{2,}$",
            "[{}()*+?]",
            "a$b",
            "[|]",
        ] {
            assert!(is_common_pattern(common), "{common}");
        }
        for special in [
            r"^\p{L}+$",
            r"\P{N}",
            "(?=a)",
            "(?!a)",
            "(?<=a)b",
            "(?<!a)b",
            "(?<year>a)",
            "(?P<year>a)",
            "(?i)abc",
            "(?>a)",
            r"(a)\1",
            r"\k<a>",
            r"\u0041",
            r"\u{41}",
            r"\cA",
            r"\Aabc\z",
            r"\Qa\E",
            r"\x4",
            "[[:alpha:]]",
            "[a[b]",
            "[]",
            "[^]",
            "[a&&b]",
            "[a--b]",
            "[open",
            "(open",
            "closed)",
            "*a",
            "+a",
            "(*a)",
            "a|*",
            "a**",
            "a++",
            "a{,5}",
            "a{b}",
            "{",
            "a{2",
            "trailing\\",
            r"[\b]",
            "a{99999}",
            "^*",
        ] {
            assert!(!is_common_pattern(special), "{special}");
        }
    }

    #[test]
    fn patterns_become_anchored_and_without_shorthands() {
        for (pattern, grammar) in [
            ("^[a-z]+$", Some("^[a-z]+$")),
            (r"^\d{4}-\d\d$", Some("^[0-9]{4}-[0-9][0-9]$")),
            (r"^[\w.-]+$", Some("^[a-zA-Z0-9_.-]+$")),
            ("abc", Some("^.*abc.*$")),
            ("^abc", Some("^abc.*$")),
            (r"abc\$", Some(r"^.*abc\$.*$")),
            ("a|b", Some("^.*(a|b).*$")),
            ("^(?:a|b)$", Some("^(a|b)$")),
            ("^a+?$", Some("^a+$")),
            (r"^\+?[0-9]+$", Some(r"^\+?[0-9]+$")),
            (r"^\S$", Some(r"^[^ \t\n\r]$")),
            ("^a|b$", None),
            ("^a|b", None),
            (r"\bword\b", None),
            (r"^\p{L}+$", None),
            (r"^(a)\1$", None),
            ("^(?=a).*$", None),
            (r"^[^\D]$", None),
            ("[open", None),
            ("(open", None),
            ("closed)", None),
            ("*a", None),
            ("^(+a)$", None),
            ("^(a|?b)$", None),
            ("^a**$", None),
            (r"^\(+[(|]?$", Some(r"^\(+[(|]?$")),
        ] {
            assert_eq!(to_grammar_pattern(pattern, Some(100)).as_deref(), grammar, "{pattern}");
            // The result is stable.
            if let Some(grammar) = grammar {
                assert_eq!(to_grammar_pattern(grammar, None).as_deref(), Some(grammar));
            }
        }
    }

    #[test]
    fn a_pattern_with_too_many_repetitions_is_no_grammar() {
        for (pattern, most) in [
            ("^a{1,99}$", 99),
            ("^a{100}b{200,}$", 200),
            ("^(a{10}b){10}$", 100),
            ("^((a{10}|b{3}){5}c){3}$", 150),
            (r"^[{}a]{7}\{9$", 7),
            ("^(ab)*$", 1),
            ("^a{99999999999999999999}$", u64::MAX),
        ] {
            assert_eq!(repetitions(pattern), most, "{pattern}");
            assert_eq!(to_grammar_pattern(pattern, Some(99)).is_some(), most <= 99, "{pattern}");
        }
    }
}
