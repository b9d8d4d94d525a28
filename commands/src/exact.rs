//! The exact words of a line, which identify it. Quotes and blanks do not matter; everything else does.

use crate::reading::{Command, Program, Reading};
use crate::span::Span;
use crate::syntax::Word;

/// The exact words of a line: see [`exact_words`].
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ExactWords {
    /// For each command that the line runs: its words, its assignments (`NAME=VALUE`), and the targets of its redirections,
    /// including the bodies of here-documents.
    pub commands: Vec<Vec<String>>,
    /// The rest of the line: operators, keywords, parentheses and comments. `_` replaces each word or target, and `=` each
    /// assignment.
    pub structure: String,
}

/// Returns the exact words of a line. Lines with equal exact words run the same commands in the same way.
///
/// Returns `None` if a word has an expansion or a pattern, if arguments are added at run time, or if the reader has a doubt.
///
/// ```
/// use toolc_commands::programs::USUAL;
/// use toolc_commands::{Surroundings, exact_words, read};
///
/// let exact = |line| exact_words(line, &read(line, &USUAL, &Surroundings::default()));
/// assert_eq!(exact("rm -rf build"), exact("rm  -rf  'build'"));
/// assert_ne!(exact("make && ls"), exact("make || ls"));
/// assert_eq!(exact("rm -rf $X"), None);
/// ```
pub fn exact_words(line: &str, reading: &Reading) -> Option<ExactWords> {
    if !reading.doubts.is_empty() || reading.commands.is_empty() {
        return None;
    }
    let commands = reading.commands.iter().map(exact_words_of).collect::<Option<_>>()?;
    let structure = structure(line, reading);
    // Text outside of commands can expand, too: `case $X in`.
    (!structure.contains(['$', '`'])).then_some(ExactWords { commands, structure })
}

/// Returns the words of one command, as [`exact_words`] has them. `None` if one is not certain.
pub fn exact_words_of(command: &Command) -> Option<Vec<String>> {
    if command.appended || matches!(command.program, Program::Unknown | Program::Known { built: true, .. }) {
        return None;
    }
    let literal = |word: &Word| word.literal().map(std::borrow::Cow::into_owned);
    let mut words = command.words.iter().map(literal).collect::<Option<Vec<_>>>()?;
    for assignment in &command.assignments {
        if assignment.array {
            return None;
        }
        let sign = if assignment.append { "+=" } else { "=" };
        words.push(format!("{}{sign}{}", assignment.name, assignment.value.literal()?));
    }
    for redirect in &command.redirects {
        words.push(literal(&redirect.target)?);
    }
    Some(words)
}

/// Returns the line with a placeholder for each word, target and assignment.
fn structure(line: &str, reading: &Reading) -> String {
    let mut spans: Vec<(Span, char)> = Vec::new();
    for command in &reading.commands {
        spans.extend(command.assignments.iter().map(|assignment| (assignment.span, '=')));
        let targets = command.redirects.iter().map(|redirect| &redirect.target);
        spans.extend(command.words.iter().chain(targets).map(|word| (word.span, '_')));
    }
    // If spans overlap, only the outermost counts: the others are inside code.
    spans.sort_by_key(|(span, _)| (span.start, std::cmp::Reverse(span.end)));
    let (mut structure, mut end) = (String::new(), 0);
    for (span, sign) in spans {
        if span.range().is_empty() || span.range().start < end {
            continue;
        }
        add_text(&mut structure, line.get(end..span.range().start).unwrap_or_default());
        structure.truncate(structure.trim_end_matches(' ').len());
        structure.push(sign);
        end = span.range().end;
    }
    add_text(&mut structure, line.get(end..).unwrap_or_default());
    structure.trim().to_owned()
}

/// Adds the text between words. Several blanks become one, and none follows a placeholder.
fn add_text(structure: &mut String, text: &str) {
    for letter in text.chars() {
        let is_blank = matches!(letter, ' ' | '\t');
        if !is_blank {
            structure.push(letter);
        } else if !structure.is_empty() && !structure.ends_with([' ', '_', '=']) {
            structure.push(' ');
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Surroundings;
    use crate::programs::USUAL;

    fn of(line: &str) -> Option<ExactWords> {
        exact_words(line, &crate::read(line, &USUAL, &Surroundings::default()))
    }

    #[test]
    fn quotes_and_blanks_do_not_matter() {
        for (a, b) in [
            ("rm -rf build", "  rm   -rf\t\"build\" "),
            ("make && ls > out", "make  &&ls >'out'"),
            ("X=1 make; ls", "X='1' make ; ls"),
            ("sh -c 'rm -f x'", "sh -c \"rm -f x\""),
        ] {
            assert!(of(a).is_some(), "{a}");
            assert_eq!(of(a), of(b), "{a}");
        }
    }

    #[test]
    fn everything_else_matters() {
        let lines = [
            "rm -rf build",
            "rm build -rf",
            "rm -r -f build",
            "rm -rf build/",
            "rm -rf build ls",
            "'rm -rf' build",
            "rm -rf; build",
            "rm -rf && build",
            "rm -rf || build",
            "rm -rf | build",
            "rm -rf & build",
            "rm -rf\nbuild",
            "rm -rf > build",
            "rm -rf >> build",
            "rm -rf < build",
            "rm -rf 2> build",
            "rm > -rf build",
            "(rm -rf build)",
            "{ rm -rf build; }",
            "! rm -rf build",
            "rm=-rf build",
            "build rm=-rf",
            "rm+=-rf build",
            "sh -c 'rm -rf build'",
            "sudo rm -rf build",
            "rm -rf <<X\nbuild\nX",
            "rm -rf <<X\nbuild2\nX",
            "if rm -rf; then build; fi",
            "while rm -rf; do build; done",
        ];
        for (index, a) in lines.iter().enumerate() {
            let exact = of(a).unwrap_or_else(|| panic!("{a}"));
            for b in &lines[..index] {
                assert_ne!(Some(&exact), of(b).as_ref(), "{a} {b}");
            }
        }
    }

    #[test]
    fn lines_that_are_not_certain_have_no_exact_words() {
        for line in [
            "",
            "rm $X",
            "rm *",
            "rm ~/x",
            "rm $(ls)",
            "ls | xargs rm",
            "$X y",
            "a=1; rm $a",
            "rm {a,b}$X",
            "rm > $X",
            "X=$Y rm",
            "a=(b) rm",
            "eval \"$(x)\"",
            "cat <<X\n$Y\nX",
            "case $X in a) ls;; esac",
        ] {
            assert_eq!(of(line), None, "{line}");
        }
    }
}
