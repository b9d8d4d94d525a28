//! Patterns for constrained decoding: inference servers such as llama.cpp compile them to a grammar.

/// Rewrites a pattern so that it is anchored at both ends and contains only classes, groups and repetitions. Returns `None` if no
/// such pattern is equivalent.
pub(super) fn to_grammar_pattern(pattern: &str) -> Option<String> {
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

/// Replaces the shorthands in the body of a pattern. Also returns whether the body has a `|` outside of all groups.
fn expand_shorthands(body: &str) -> Option<(String, bool)> {
    let mut out = String::new();
    let mut group_depth = 0_usize;
    let mut in_class = false;
    let mut has_choice = false;
    let mut letters = body.chars().peekable();
    // Whether the current letter is the end of a repetition.
    let mut is_repetition = false;
    while let Some(letter) = letters.next() {
        let follows_repetition = std::mem::replace(&mut is_repetition, !in_class && "*+?}".contains(letter));
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
            // A lazy repetition matches the same strings.
            '?' if follows_repetition => {}
            '|' => {
                has_choice |= group_depth == 0;
                out.push('|');
            }
            other => out.push(other),
        }
    }
    Some((out, has_choice))
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

#[cfg(test)]
mod tests {
    use super::*;

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
        ] {
            assert_eq!(to_grammar_pattern(pattern).as_deref(), grammar, "{pattern}");
            // The result is stable.
            if let Some(grammar) = grammar {
                assert_eq!(to_grammar_pattern(grammar).as_deref(), Some(grammar));
            }
        }
    }
}
