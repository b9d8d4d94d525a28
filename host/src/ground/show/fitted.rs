//! Breaks lines that are wider than the terminal between words.

use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

use super::{Look, Style};

/// The margin of a quoted line, and of its further rows.
const QUOTE: (&str, &str) = ("  | ", "  : ");

/// Returns the columns of a row, without its styles.
pub(crate) fn width(row: &str) -> usize {
    let (mut columns, mut letters) = (0, row.chars());
    while let Some(letter) = letters.next() {
        if letter == '\u{1b}' {
            letters.find(char::is_ascii_alphabetic);
        } else {
            columns += letter.width().unwrap_or_default();
        }
    }
    columns
}

/// Breaks the lines of a text that are wider than the output, between words. The further rows of a line are indented like it, or have the
/// margin of a quote. A word that is wider than a row, such as an address, stays whole.
pub(crate) fn fitted(text: &str, look: Look) -> String {
    text.split_inclusive('\n').map(|line| fitted_line(line, look.width)).collect()
}

fn fitted_line(line: &str, columns: usize) -> String {
    if width(line.trim_end()) < columns {
        return line.to_owned();
    }
    let indent = &line[..line.len() - line.trim_start_matches(' ').len()];
    let (first, further) = if line.starts_with(QUOTE.0) { QUOTE } else { (indent, indent) };
    let mut text = first.to_owned();
    let (mut used, mut is_row_empty) = (first.width(), true);
    for word in line[first.len()..].split_inclusive(' ') {
        let word_width = width(word.trim_end());
        if !is_row_empty && used + word_width >= columns {
            text.truncate(text.trim_end_matches(' ').len());
            text += "\n";
            text += further;
            used = further.width();
        }
        text += word;
        used += width(word.trim_end_matches('\n'));
        is_row_empty = false;
    }
    text
}

/// Returns the choices of a question, as many on a row as fit, with a blank at the end. A choice is a key and its meaning.
pub(crate) fn choices<'c>(choices: impl IntoIterator<Item = (&'c str, &'c str)>, look: Look) -> String {
    let (mut text, mut used) = (String::new(), 0);
    for (key, meaning) in choices {
        let choice_width = key.width() + meaning.width() + "[] ".len();
        if used > 0 && used + choice_width + 1 >= look.width {
            text = text.trim_end().to_owned() + "\n";
            used = 0;
        }
        used += choice_width + "  ".len();
        text += &format!("{} {meaning}  ", look.paint(Style::Strong, &format!("[{key}]")));
    }
    text.trim_end().to_owned() + " "
}

/// Returns the answer to a question that was shown: on the same row if it fits, otherwise on the next one.
pub(crate) fn answer(question: &str, answer: &str, look: Look) -> String {
    let used = width(question.rsplit('\n').next().unwrap_or_default());
    if used > 0 && used + answer.width() >= look.width { format!("\n{answer}\n") } else { format!("{answer}\n") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn look(width: usize) -> Look {
        Look { width, styled: false }
    }

    #[test]
    fn lines_break_between_words_at_every_width() {
        let address = format!("https://example.com/{}", "x".repeat(220));
        let text = format!(
            "\n\u{1b}[1mThe MCP server `files` asks you to open an address, while it runs `read_file`.\u{1b}[0m\n  | Is it right that \
             all of these folders are read, 日本語 as well?\n  1. a choice that has very many words, more than fit\n{address}\nend"
        );
        for columns in 40..=200 {
            let shown = fitted(&text, look(columns));
            for row in shown.lines().filter(|row| *row != address) {
                assert!(width(row) < columns, "{columns}: {row}");
            }
            let words = |text: &str| text.split_whitespace().filter(|word| *word != ":").collect::<Vec<_>>().join(" ");
            assert_eq!(words(&shown), words(&text), "{columns}");
        }
        let quoted = fitted("  | aaaa bbbb cccc", look(16));
        assert_eq!(quoted, "  | aaaa bbbb\n  : cccc");
        assert_eq!(fitted("  1. aaaa bbbb cccc\n", look(16)), "  1. aaaa bbbb\n  cccc\n");
        assert_eq!(fitted("short \n", look(40)), "short \n");
    }

    #[test]
    fn choices_and_their_answer_stay_whole_at_every_width() {
        let all = [
            ("y", "once"),
            ("s", "for this session"),
            ("a", "always"),
            ("n", "deny"),
            ("r", "deny with a reason"),
            ("d", "details"),
        ];
        for columns in 40..=200 {
            let question = choices(all, look(columns));
            let shown = question.clone() + &answer(&question, "allowed for this session", look(columns));
            assert!(shown.lines().all(|row| width(row) < columns), "{columns}: {shown}");
            assert!(
                all.iter().all(|(key, meaning)| shown.contains(&format!("[{key}] {meaning}"))),
                "{columns}: {shown}"
            );
            assert!(shown.ends_with("allowed for this session\n"), "{columns}: {shown}");
        }
        assert_eq!(answer("[y] yes ", "yes", look(40)), "yes\n");
        assert_eq!(answer("", "denied", look(40)), "denied\n");
    }
}
