//! How a text written with one indentation is shifted to where the same lines stand with another.

/// The one rule that turns every old indentation into the file's.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Shift {
    /// This much more.
    In(String),
    /// This much less.
    Out(String),
    /// This many spaces become a tab.
    Tabs(usize),
    /// A tab becomes this many spaces.
    Spaces(usize),
}

impl Shift {
    /// The rule for these pairs of an old line and the file's; `None` if there is no such rule.
    pub(super) fn between<'a>(pairs: impl Iterator<Item = (&'a str, &'a str)>) -> Option<Self> {
        let pairs: Vec<_> =
            pairs.filter(|(old, _)| !old.trim().is_empty()).map(|(old, file)| (indent(old), indent(file))).collect();
        let (old, file) = *pairs.iter().max_by_key(|(old, file)| old.len().max(file.len()))?;
        let tabs = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte == b'\t');
        let spaces = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte == b' ');
        let mut rules = Vec::new();
        if let Some(more) = file.strip_suffix(old) {
            rules.push(Shift::In(more.to_owned()));
        }
        if let Some(less) = old.strip_suffix(file) {
            rules.push(Shift::Out(less.to_owned()));
        }
        if spaces(old) && tabs(file) {
            rules.push(Shift::Tabs(old.len() / file.len()));
        }
        if tabs(old) && spaces(file) {
            rules.push(Shift::Spaces(file.len() / old.len()));
        }
        rules.into_iter().find(|rule| pairs.iter().all(|(old, file)| rule.indent(old).as_deref() == Some(*file)))
    }

    /// The text, shifted; `None` if one of its lines cannot be.
    pub(super) fn apply(&self, text: &str) -> Option<String> {
        let lines = text.split('\n').map(|line| {
            let old = indent(line);
            if old.len() == line.len() { Some(String::new()) } else { Some(self.indent(old)? + &line[old.len()..]) }
        });
        Some(lines.collect::<Option<Vec<_>>>()?.join("\n"))
    }

    fn indent(&self, old: &str) -> Option<String> {
        match self {
            Shift::In(more) => Some(format!("{more}{old}")),
            Shift::Out(less) => old.strip_prefix(less.as_str()).map(str::to_owned),
            Shift::Tabs(width) => {
                let even = *width > 0 && old.bytes().all(|byte| byte == b' ') && old.len().is_multiple_of(*width);
                even.then(|| "\t".repeat(old.len() / width))
            }
            Shift::Spaces(width) => old.bytes().all(|byte| byte == b'\t').then(|| " ".repeat(old.len() * width)),
        }
    }
}

fn indent(line: &str) -> &str {
    &line[..line.len() - line.trim_start().len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn between(pairs: &[(&str, &str)]) -> Option<Shift> {
        Shift::between(pairs.iter().copied())
    }

    #[test]
    fn one_rule_for_all_lines_or_none() {
        assert_eq!(between(&[("a", "    a"), ("  b", "      b"), ("", "")]), Some(Shift::In("    ".into())));
        assert_eq!(between(&[("    a", "  a"), ("      b", "    b")]), Some(Shift::Out("  ".into())));
        assert_eq!(between(&[("a", "a"), ("    b", "\tb"), ("        c", "\t\tc")]), Some(Shift::Tabs(4)));
        assert_eq!(between(&[("\ta", "  a"), ("\t\tb", "    b")]), Some(Shift::Spaces(2)));
        assert_eq!(between(&[("a", "\ta"), ("\tb", "\t\tb")]), Some(Shift::In("\t".into())));
        assert_eq!(between(&[("a", " a"), ("b", "  b")]), None);
        assert_eq!(between(&[("   a", "\ta"), ("    b", "\tb")]), None);
    }

    #[test]
    fn a_text_is_shifted_whole_or_not_at_all() {
        assert_eq!(Shift::In("  ".into()).apply("a\n\n b\n").unwrap(), "  a\n\n   b\n");
        assert_eq!(Shift::Out("  ".into()).apply("  a\n    b").unwrap(), "a\n  b");
        assert_eq!(Shift::Out("  ".into()).apply("  a\nb"), None);
        assert_eq!(Shift::Tabs(4).apply("    a\n        b").unwrap(), "\ta\n\t\tb");
        assert_eq!(Shift::Tabs(4).apply("      a"), None);
        assert_eq!(Shift::Spaces(2).apply("\ta\n\t\t\tb").unwrap(), "  a\n      b");
    }
}
