//! Adapts the indentation of the new text to the file, if the old text is in the file with another indentation.

/// A rule that turns the indentation of each line of the old text into that of the file.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum IndentRule {
    /// Adds this indentation.
    Add(String),
    /// Removes this indentation.
    Remove(String),
    /// Turns this many spaces into a tab.
    ToTabs(usize),
    /// Turns a tab into this many spaces.
    ToSpaces(usize),
}

impl IndentRule {
    /// Returns the rule for these pairs of a line of the old text and one of the file, or `None` if no rule fits all pairs.
    pub(super) fn between<'a>(pairs: impl Iterator<Item = (&'a str, &'a str)>) -> Option<Self> {
        let pairs: Vec<_> =
            pairs.filter(|(old, _)| !old.trim().is_empty()).map(|(old, file)| (indent(old), indent(file))).collect();
        let (old, file) = *pairs.iter().max_by_key(|(old, file)| old.len().max(file.len()))?;
        let tabs = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte == b'\t');
        let spaces = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte == b' ');
        let mut rules = Vec::new();
        if let Some(more) = file.strip_suffix(old) {
            rules.push(IndentRule::Add(more.to_owned()));
        }
        if let Some(less) = old.strip_suffix(file) {
            rules.push(IndentRule::Remove(less.to_owned()));
        }
        if spaces(old) && tabs(file) {
            rules.push(IndentRule::ToTabs(old.len() / file.len()));
        }
        if tabs(old) && spaces(file) {
            rules.push(IndentRule::ToSpaces(file.len() / old.len()));
        }
        rules.into_iter().find(|rule| pairs.iter().all(|(old, file)| rule.indent(old).as_deref() == Some(*file)))
    }

    /// Applies the rule to each line of `text`. Returns `None` if it cannot be applied to one of them.
    pub(super) fn apply(&self, text: &str) -> Option<String> {
        let lines = text.split('\n').map(|line| {
            let old = indent(line);
            if old.len() == line.len() { Some(String::new()) } else { Some(self.indent(old)? + &line[old.len()..]) }
        });
        Some(lines.collect::<Option<Vec<_>>>()?.join("\n"))
    }

    /// Applies the rule to one indentation.
    fn indent(&self, old: &str) -> Option<String> {
        match self {
            IndentRule::Add(more) => Some(format!("{more}{old}")),
            IndentRule::Remove(less) => old.strip_prefix(less.as_str()).map(str::to_owned),
            IndentRule::ToTabs(width) => {
                let even = *width > 0 && old.bytes().all(|byte| byte == b' ') && old.len().is_multiple_of(*width);
                even.then(|| "\t".repeat(old.len() / width))
            }
            IndentRule::ToSpaces(width) => old.bytes().all(|byte| byte == b'\t').then(|| " ".repeat(old.len() * width)),
        }
    }
}

/// Returns the white space at the start of a line.
fn indent(line: &str) -> &str {
    &line[..line.len() - line.trim_start().len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn between(pairs: &[(&str, &str)]) -> Option<IndentRule> {
        IndentRule::between(pairs.iter().copied())
    }

    #[test]
    fn a_rule_must_fit_all_lines() {
        assert_eq!(between(&[("a", "    a"), ("  b", "      b"), ("", "")]), Some(IndentRule::Add("    ".into())));
        assert_eq!(between(&[("    a", "  a"), ("      b", "    b")]), Some(IndentRule::Remove("  ".into())));
        assert_eq!(between(&[("a", "a"), ("    b", "\tb"), ("        c", "\t\tc")]), Some(IndentRule::ToTabs(4)));
        assert_eq!(between(&[("\ta", "  a"), ("\t\tb", "    b")]), Some(IndentRule::ToSpaces(2)));
        assert_eq!(between(&[("a", "\ta"), ("\tb", "\t\tb")]), Some(IndentRule::Add("\t".into())));
        assert_eq!(between(&[("a", " a"), ("b", "  b")]), None);
        assert_eq!(between(&[("   a", "\ta"), ("    b", "\tb")]), None);
    }

    #[test]
    fn a_rule_applies_to_all_lines_or_none() {
        assert_eq!(IndentRule::Add("  ".into()).apply("a\n\n b\n").unwrap(), "  a\n\n   b\n");
        assert_eq!(IndentRule::Remove("  ".into()).apply("  a\n    b").unwrap(), "a\n  b");
        assert_eq!(IndentRule::Remove("  ".into()).apply("  a\nb"), None);
        assert_eq!(IndentRule::ToTabs(4).apply("    a\n        b").unwrap(), "\ta\n\t\tb");
        assert_eq!(IndentRule::ToTabs(4).apply("      a"), None);
        assert_eq!(IndentRule::ToSpaces(2).apply("\ta\n\t\t\tb").unwrap(), "  a\n      b");
    }
}
