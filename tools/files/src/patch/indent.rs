//! Adapts the indentation of the new text to the file, if the old text is in the file with another indentation.

use std::collections::{BTreeMap, BTreeSet};

/// One level of indentation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum IndentUnit {
    Tab,
    /// A number of spaces.
    Spaces(usize),
}

impl IndentUnit {
    /// Returns the unit that most indented lines of a file have, or `None` if it has no indented lines.
    pub(super) fn of_file(text: &str) -> Option<Self> {
        let mut tabs = 0_usize;
        // How many lines are indented by this many more spaces than the line before.
        let mut steps: BTreeMap<usize, usize> = BTreeMap::new();
        let mut last = 0;
        for line in text.split('\n').filter(|line| !line.trim().is_empty()) {
            let indent = indent(line);
            tabs += usize::from(indent.starts_with('\t'));
            let spaces = indent.bytes().take_while(|byte| *byte == b' ').count();
            if spaces > last {
                *steps.entry(spaces - last).or_default() += 1;
            }
            last = spaces;
        }
        let most_frequent =
            steps.into_iter().filter(|(step, _)| (2..=8).contains(step)).max_by_key(|(_, count)| *count);
        match most_frequent {
            Some((_, count)) if tabs > count => Some(Self::Tab),
            Some((step, _)) => Some(Self::Spaces(step)),
            None => (tabs > 0).then_some(Self::Tab),
        }
    }

    /// Returns the unit of some lines, or `None` if they have fewer than two levels, or an unusual unit.
    fn of_lines<'a>(lines: impl Iterator<Item = &'a str>) -> Option<Self> {
        let indents: BTreeSet<&str> = lines.filter(|line| !line.trim().is_empty()).map(indent).collect();
        let longest = indents.iter().max_by_key(|indent| indent.len())?;
        if indents.len() < 2 {
            None
        } else if longest.bytes().all(|byte| byte == b'\t') {
            Some(Self::Tab)
        } else if indents.iter().all(|indent| indent.bytes().all(|byte| byte == b' ')) {
            let mut lens: Vec<_> = indents.iter().map(|indent| indent.len()).collect();
            lens.sort_unstable();
            let step = lens.windows(2).map(|pair| pair[1] - pair[0]).fold(0, greatest_common_divisor);
            matches!(step, 2 | 3 | 4 | 8).then_some(Self::Spaces(step))
        } else {
            None
        }
    }

    fn text(self) -> String {
        match self {
            Self::Tab => "\t".to_owned(),
            Self::Spaces(count) => " ".repeat(count),
        }
    }
}

fn greatest_common_divisor(a: usize, b: usize) -> usize {
    if b == 0 { a } else { greatest_common_divisor(b, a % b) }
}

/// A rule that converts the indentation of each line of the old text to the indentation of the file.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum IndentRule {
    /// Replaces the base indentation, and converts each further level to another unit.
    Convert { old_base: String, file_base: String, old_unit: IndentUnit, file_unit: IndentUnit },
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
    /// Returns the new text with the indentation of the file, or `None` if no rule fits all pairs of a line of the old text and a line
    /// of the file. `unit` is the indentation unit of the file.
    pub(super) fn adapt<'a>(
        pairs: impl Iterator<Item = (&'a str, &'a str)>,
        new: &str,
        unit: Option<IndentUnit>,
    ) -> Option<String> {
        let pairs: Vec<_> = pairs.filter(|(old, _)| !old.trim().is_empty()).collect();
        let old_unit = IndentUnit::of_lines(pairs.iter().map(|(old, _)| *old).chain(new.split('\n')));
        let indents: Vec<_> = pairs.iter().map(|(old, file)| (indent(old), indent(file))).collect();
        let fitting = Self::candidates(&indents, old_unit, unit)
            .into_iter()
            .filter(|rule| indents.iter().all(|(old, file)| rule.indent(old).as_deref() == Some(*file)));
        fitting.into_iter().find_map(|rule| rule.apply(new))
    }

    /// Returns the rules that could fit these indentations of the old text and of the file, the most probable first.
    fn candidates(indents: &[(&str, &str)], old_unit: Option<IndentUnit>, unit: Option<IndentUnit>) -> Vec<Self> {
        let Some(&(old_base, file_base)) = indents.iter().min_by_key(|(old, _)| old.len()) else { return Vec::new() };
        let Some(&(old, file)) = indents.iter().max_by_key(|(old, file)| old.len().max(file.len())) else {
            return Vec::new();
        };
        let tabs = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte == b'\t');
        let spaces = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte == b' ');
        let convert = |old_unit, file_unit| IndentRule::Convert {
            old_base: old_base.to_owned(),
            file_base: file_base.to_owned(),
            old_unit,
            file_unit,
        };
        let mut rules = Vec::new();
        if let (Some(old_unit), Some(unit)) = (old_unit, unit) {
            rules.push(convert(old_unit, unit));
        }
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
        // The matched lines may use another unit than most of the file.
        let more = (old.strip_prefix(old_base).unwrap_or_default(), file.strip_prefix(file_base).unwrap_or_default());
        if let (Some(old_unit), file_more) = (old_unit, more.1) {
            let levels = more.0.len() / old_unit.text().len();
            if tabs(file_more) {
                rules.push(convert(old_unit, IndentUnit::Tab));
            } else if spaces(file_more) && levels > 0 {
                rules.push(convert(old_unit, IndentUnit::Spaces(file_more.len() / levels)));
            }
        }
        rules
    }

    /// Applies the rule to each line of `text`. Returns `None` if it cannot be applied to one of them.
    fn apply(&self, text: &str) -> Option<String> {
        let lines = text.split('\n').map(|line| {
            let old = indent(line);
            if old.len() == line.len() { Some(String::new()) } else { Some(self.indent(old)? + &line[old.len()..]) }
        });
        Some(lines.collect::<Option<Vec<_>>>()?.join("\n"))
    }

    /// Applies the rule to one indentation.
    fn indent(&self, old: &str) -> Option<String> {
        match self {
            IndentRule::Convert { old_base, file_base, old_unit, file_unit } => {
                let levels = |text: &str| {
                    let unit = old_unit.text();
                    let count = text.len() / unit.len();
                    (unit.repeat(count) == text).then_some(count)
                };
                if let Some(rest) = old.strip_prefix(old_base.as_str()) {
                    // Without a change of the unit, any rest is kept, such as the alignment with a bracket.
                    let rest =
                        if old_unit == file_unit { rest.to_owned() } else { file_unit.text().repeat(levels(rest)?) };
                    return Some(format!("{file_base}{rest}"));
                }
                let less = levels(old_base.strip_prefix(old)?)?;
                file_base.strip_suffix(&file_unit.text().repeat(less)).map(str::to_owned)
            }
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

    /// Adapts a text to lines of a file. Most lines of `file` decide on the unit.
    fn adapt(file: &str, window: &str, old: &str, new: &str) -> Option<String> {
        IndentRule::adapt(old.lines().zip(window.lines()), new, IndentUnit::of_file(file))
    }

    #[test]
    fn the_unit_of_a_file_is_that_of_most_lines() {
        let unit = IndentUnit::of_file;
        assert_eq!(unit("a\n  b\n    c\n  d\n"), Some(IndentUnit::Spaces(2)));
        assert_eq!(unit("a\n    b\n        c\nfoo(x,\n   y)\n"), Some(IndentUnit::Spaces(4)));
        assert_eq!(unit("a\n\tb\n\t\tc\n\t    aligned\n"), Some(IndentUnit::Tab));
        assert_eq!((unit("a\nb\n"), unit("")), (None, None));
    }

    #[test]
    fn a_rule_must_fit_all_lines() {
        assert_eq!(adapt("", "    a\n      b", "a\n  b", "a\n  b\nc").unwrap(), "    a\n      b\n    c");
        assert_eq!(adapt("", "  a\n    b", "    a\n      b", "    x").unwrap(), "  x");
        assert_eq!(adapt("", "a\n\tb\n\t\tc", "a\n    b\n        c", "        x").unwrap(), "\t\tx");
        assert_eq!(adapt("", "  a\n    b", "\ta\n\t\tb", "\t\tx").unwrap(), "    x");
        assert_eq!(adapt("", " a\n  b", "a\nb", "x"), None);
        assert_eq!(adapt("", "\ta\n\tb", "   a\n    b", "x"), None);
    }

    #[test]
    fn the_unit_of_the_new_text_becomes_that_of_the_file() {
        let four = "f\n    x\n        y\n";
        let tabs = "f\n\tx\n\t\ty\n";
        // Two spaces in the text, four in the file.
        assert_eq!(adapt(four, "f\n    x", "f\n  x", "f\n  x\n    y\n  z").unwrap(), "f\n    x\n        y\n    z");
        // The same unit, but another level.
        assert_eq!(adapt(four, "        x", "    x", "    x\n        y").unwrap(), "        x\n            y");
        // Both another unit and another level.
        assert_eq!(adapt(four, "        x", "  x", "  x\n    y\nz").unwrap(), "        x\n            y\n    z");
        assert_eq!(adapt(tabs, "\t\tx", "    x", "    x\n        y\nz").unwrap(), "\t\tx\n\t\t\ty\n\tz");
        assert_eq!(adapt("f\n  x\n    y\n", "    x", "\tx", "\tx\n\t\ty").unwrap(), "    x\n      y");
        // Four spaces in the text, two in the file.
        assert_eq!(adapt("f\n  x\n", "f\n  x", "f\n    x", "f\n    x\n        y").unwrap(), "f\n  x\n    y");
        // An alignment does not count as a level.
        let aligned = adapt(four, "        f(a)", "    f(a)", "    f(a,\n      b)\n     c").unwrap();
        assert_eq!(aligned, "        f(a,\n          b)\n         c");
        let aligned = adapt(four, "        f(a)", "    f(a)", "    f(a,\n         b)").unwrap();
        assert_eq!(aligned, "        f(a,\n             b)");
    }

    #[test]
    fn lines_of_another_unit_than_the_file_keep_it() {
        let mixed = "f\n    x\n        y\n    z\n        w\n";
        assert_eq!(adapt(mixed, "g\n\tx", "g\n  x", "g\n  x\n    y").unwrap(), "g\n\tx\n\t\ty");
        assert_eq!(adapt(mixed, "g\n  x", "g\n    x", "g\n    x\n        y").unwrap(), "g\n  x\n    y");
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
