//! Patterns as a grammar takes them.

/// The same pattern anchored on both sides, of classes, groups and repetitions alone; none where that cannot be said.
pub(super) fn for_grammar(pattern: &str) -> Option<String> {
    let start = pattern.strip_prefix('^');
    let inner = start.unwrap_or(pattern);
    let stripped = inner.strip_suffix('$').filter(|rest| {
        let slashes = rest.chars().rev().take_while(|letter| *letter == '\\').count();
        slashes % 2 == 0
    });
    let (body, has_top_level_choice) = plain(stripped.unwrap_or(inner))?;
    let (starts, ends) = (start.is_some(), stripped.is_some());
    // `^a|b$` is `^a` or `b$`.
    if has_top_level_choice && (starts || ends) {
        return None;
    }
    let body = if has_top_level_choice { format!("({body})") } else { body };
    let any = |anchored: bool| if anchored { "" } else { ".*" };
    Some(format!("^{}{body}{}$", any(starts), any(ends)))
}

/// The body of a pattern without shorthands, and whether it has a `|` outside of any group.
fn plain(body: &str) -> Option<(String, bool)> {
    let (mut out, mut depth, mut in_class, mut has_choice) = (String::new(), 0_usize, false, false);
    let mut letters = body.chars().peekable();
    // Whether what comes before is a repetition.
    let mut repeats = false;
    while let Some(letter) = letters.next() {
        let repeated = std::mem::replace(&mut repeats, !in_class && "*+?}".contains(letter));
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
                depth += 1;
                // The only plain groups that begin like this are those without a capture.
                if letters.next_if_eq(&'?').is_some() {
                    letters.next_if_eq(&':')?;
                }
                out.push('(');
            }
            ')' => {
                depth = depth.checked_sub(1)?;
                out.push(')');
            }
            '^' | '$' => return None,
            // Lazy repetition asks for the same strings.
            '?' if repeated => {}
            '|' => {
                has_choice |= depth == 0;
                out.push('|');
            }
            other => out.push(other),
        }
    }
    Some((out, has_choice))
}

/// What an escape says without a shorthand.
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
        // Anything else that is a letter or a digit means something: borders, classes, what a group held.
        other if other.is_ascii_alphanumeric() => return None,
        other => format!("\\{other}"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_is_anchored_and_without_shorthands_or_it_is_none() {
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
            assert_eq!(for_grammar(pattern).as_deref(), grammar, "{pattern}");
            // Once is enough.
            if let Some(grammar) = grammar {
                assert_eq!(for_grammar(grammar).as_deref(), Some(grammar));
            }
        }
    }
}
