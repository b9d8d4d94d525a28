//! Checks the text that a command is given: lines of its input, and statements of SQL.

use std::borrow::Cow;

use crate::certainty::Match;
use crate::characters::UNKNOWN;
use crate::flags::Argument;
use crate::judge::conditions::Check;
use crate::judge::sources::{By, sources};
use crate::judge::sql;
use crate::judge::text::{with_placeholders, with_unknown};
use crate::reading::Input;
use crate::rules::{Statement, pattern};
use crate::syntax::{Origin, Part, RedirectKind, Word};

impl<'a> Check<'_, 'a> {
    /// Returns whether a pattern matches a line of the standard input that the command line itself contains.
    pub(super) fn input_lines(&self, patterns: &[&str]) -> Match {
        let line = self.subject.line;
        Match::any(self.input_texts().iter().map(|word| {
            let unknown = word.parts.iter().any(|part| line.can_be_anything(part));
            let text = with_placeholders(word);
            Match::any(text.lines().map(str::trim).filter(|line| line.contains(|letter| letter != UNKNOWN)).map(
                |line| {
                    let line = if self.ignore_case { line.to_lowercase() } else { line.to_owned() };
                    let found = Match::any(
                        patterns.iter().map(|pattern| pattern::matches_word(pattern, &with_unknown(&line, word.span))),
                    );
                    if found == Match::Maybe && !unknown { Match::No } else { found }
                },
            ))
        }))
    }

    /// Returns the texts on standard input that the line contains: here-documents, and what commands such as `echo` print. If others
    /// change a text on its way, it is included as it was.
    pub(super) fn input_texts(&self) -> Vec<Cow<'a, Word>> {
        let reading = self.subject.line.reading;
        let is_text = |kind: RedirectKind| matches!(kind, RedirectKind::HereDocument | RedirectKind::HereString);
        let mut texts: Vec<Cow<'a, Word>> = Vec::new();
        if let Input::Redirect(redirect) = reading.input(self.subject.id)
            && is_text(redirect.kind)
        {
            texts.push(Cow::Borrowed(&redirect.target));
        }
        for id in sources(self.subject.line, self.subject.id, By::Input) {
            let command = reading.command(id);
            let inline = command.redirects.iter().filter(|redirect| is_text(redirect.kind));
            texts.extend(inline.map(|redirect| Cow::Borrowed(&redirect.target)));
            if matches!(command.program.name(), Some("echo" | "printf" | "print")) {
                let is_echo = command.program.name() == Some("echo");
                let is_option = |word: &&Word| is_echo && word.certain_start().starts_with('-');
                let printed = || command.arguments().iter().skip_while(is_option);
                if !is_echo {
                    texts.extend(printed().map(|word| Cow::Owned(without_escapes(word))));
                }
                let mut all = Word { parts: Vec::new(), span: command.span };
                for word in printed() {
                    all.parts.extend(without_escapes(word).parts);
                    all.parts.push(Part::Literal { text: " ".to_owned(), origin: Origin::Plain });
                }
                texts.push(Cow::Owned(all));
            }
        }
        texts
    }

    /// Returns whether an argument, or inline input, contains a statement of SQL.
    pub(super) fn statement(&self, statement: Statement) -> Match {
        let line = self.subject.line;
        let mut words: Vec<(Cow<'_, Word>, bool)> = Vec::new();
        for argument in &self.subject.arguments {
            match argument {
                Argument::Option { value: Some(value), index, .. } => {
                    let value = self.subject.value_word(value, *index);
                    // `-v NAME=STATEMENT`
                    let start = value.certain_start();
                    let name = start.split_once('=').map(|(name, _)| name);
                    let is_name = |name: &&str| name.chars().all(|letter| letter.is_alphanumeric() || letter == '_');
                    if let Some(name) = name.filter(is_name) {
                        words.push((Cow::Owned(value.without_start(name.len() + 1)), true));
                    }
                    words.push((value, true));
                }
                Argument::Option { .. } => {}
                Argument::Operand { word, .. } | Argument::Either { word, .. } => {
                    words.push((Cow::Borrowed(*word), false));
                }
            }
        }
        words.extend(self.input_texts().into_iter().map(|word| (word, true)));
        if self.subject.command.appended {
            return Match::Maybe;
        }
        Match::any(words.iter().map(|(word, is_text)| {
            if let Some(text) = word.text() {
                return sql::contains(&text, statement).into();
            }
            // Each expansion counts as one unknown name or value.
            let mut text = String::new();
            for part in &word.parts {
                match part {
                    Part::Literal { text: literal, .. } => text.push_str(literal),
                    _ => text.push_str(" x "),
                }
            }
            let unknown = word.parts.iter().any(|part| line.can_be_anything(part));
            let is_all_unknown = text.trim() == "x";
            match sql::contains(&text, statement) {
                true => Match::Yes,
                false if unknown && (is_all_unknown || sql_can_follow(&text)) => Match::Maybe,
                false if *is_text && is_all_unknown => Match::Maybe,
                false => Match::No,
            }
        }))
    }
}

/// Returns an argument of `echo` or `printf`, with a newline for each `\\n`.
fn without_escapes(word: &Word) -> Word {
    let mut word = word.clone();
    for part in &mut word.parts {
        if let Part::Literal { text, .. } = part
            && text.contains("\\n")
        {
            *text = text.replace("\\n", "\n");
        }
    }
    word
}

/// Returns whether the last statement of the text has no words besides an unknown one, which can then be any statement.
fn sql_can_follow(text: &str) -> bool {
    let last = text.rsplit(';').next().unwrap_or_default().trim();
    last == "x" || last.is_empty()
}
