//! Aliases that the line defines. Shells expand them from the next line on, if at all.

use std::collections::HashMap;

use super::Unfolder;
use crate::doubt::DoubtKind;
use crate::reading::How;
use crate::span::Span;
use crate::syntax::{Dialect, ScopeKind, Spans, Word, parse};

/// Words that change the syntax if they are aliases.
const RESERVED: &[&str] = &[
    "!", "[[", "]]", "case", "coproc", "do", "done", "elif", "else", "esac", "fi", "for", "function", "if", "in",
    "select", "then", "time", "until", "while", "{", "}",
];

#[derive(Debug, Default)]
pub(super) struct Aliases {
    /// The values of each alias as words. `None` if a value is not a plain command.
    known: HashMap<String, Vec<Option<Vec<Word>>>>,
    /// How many commands were examined, and how many aliases there were at that time.
    examined: (usize, usize),
    count: usize,
    /// How many values of its alias were expanded for a command.
    expanded: HashMap<usize, usize>,
}

impl Unfolder<'_> {
    /// Records what `alias` defines.
    pub(super) fn define_aliases(&mut self, index: usize) {
        let words = self.reading.commands[index].arguments().to_vec();
        for word in words {
            let start = word.certain_start();
            let Some((name, _)) = start.split_once('=') else {
                if word.text().is_none() {
                    self.doubt(DoubtKind::Redefined, word.span);
                }
                continue;
            };
            let value = word.without_start(name.len() + 1);
            let plain = value.text().and_then(|text| self.plain_words(&text, word.span));
            if RESERVED.contains(&name) || name.is_empty() || value.text().is_none() {
                self.doubt(DoubtKind::Redefined, word.span);
            }
            self.aliases.known.entry(name.to_owned()).or_default().push(plain);
            self.aliases.count += 1;
        }
    }

    /// Returns the words of a text that consists of one simple command.
    fn plain_words(&mut self, text: &str, span: Span) -> Option<Vec<Word>> {
        if text.trim_end() != text
            || text.contains(['\n', '\\', ';', '&', '|', '(', ')', '`', '<', '>', '#', '!', '{', '}', '*', '?', '['])
        {
            // After a value that ends in a space, the shell also expands the next word.
            return None;
        }
        let parsed = parse(text, Dialect::Bash, ScopeKind::Line, Spans::Whole(span), 0, self.work);
        let quotes = text.matches('\'').count() % 2 + text.matches('"').count() % 2;
        let [command] = parsed.script.commands.as_slice() else { return None };
        let is_plain = parsed.script.doubts.is_empty()
            && quotes == 0
            && command.assignments.is_empty()
            && command.words.first().and_then(Word::literal).is_some_and(|first| !RESERVED.contains(&&*first));
        is_plain.then(|| command.words.clone())
    }

    /// Adds the commands that aliases stand for.
    pub(super) fn expand_aliases(&mut self) {
        if self.aliases.count == 0 {
            return;
        }
        let (examined, count) = self.aliases.examined;
        let from = if count == self.aliases.count { examined } else { 0 };
        let to = self.reading.commands.len();
        self.aliases.examined = (to, self.aliases.count);
        // The shell expands an alias in the name of a function definition.
        let functions = self.reading.scopes.iter().filter_map(|scope| match &scope.kind {
            ScopeKind::Function(name) => Some(name),
            _ => None,
        });
        if functions.into_iter().any(|name| self.aliases.known.contains_key(name)) {
            self.doubt(DoubtKind::Redefined, Span::new(0, self.line.len()));
        }
        for index in from..to {
            self.expand_alias(index);
        }
    }

    fn expand_alias(&mut self, index: usize) {
        let command = &self.reading.commands[index];
        let Some(name) = command.words.first().and_then(Word::literal) else { return };
        let Some(values) = self.aliases.known.get(&*name) else { return };
        let is_in_itself = {
            let mut via = command.via;
            let mut found = false;
            while let Some(up) = via {
                let upper = &self.reading.commands[up.command as usize];
                let same = upper.words.first().and_then(Word::literal).as_deref() == Some(&*name);
                found |= up.how == How::Name && same;
                via = upper.via;
            }
            found
        };
        if is_in_itself {
            return;
        }
        let (count, length) = (values.len(), command.words.len());
        if !self.spend(count * (2 + length)) {
            return;
        }
        let command = &self.reading.commands[index];
        let values = self.aliases.known[command.words[0].literal().as_deref().unwrap_or_default()].clone();
        let (arguments, span) = (command.words[1..].to_vec(), command.span);
        let done = self.aliases.expanded.insert(index, values.len()).unwrap_or_default();
        for value in values.into_iter().skip(done) {
            match value {
                Some(words) => {
                    let words: Vec<Word> = words.into_iter().chain(arguments.iter().cloned()).collect();
                    self.add_command(index, words, How::Name);
                }
                None => self.doubt(DoubtKind::Redefined, span),
            }
        }
    }
}
