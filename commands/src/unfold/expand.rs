//! Replaces variables by their known values.

use super::{Info, Unfolder, encloses};
use crate::programs::SHELL;
use crate::syntax::{Glob, Origin, Part, ScopeKind, Word};

impl Unfolder<'_> {
    /// Replaces the variables in a command. Returns whether the first word comes from an expansion.
    pub(super) fn expand_command(&mut self, index: usize) -> bool {
        let command = &self.reading.commands[index];
        let is_plain = |word: &Word| !word.parts.iter().any(|part| matches!(part, Part::Variable { .. }));
        let words = &command.words;
        let targets = command.redirects.iter().map(|redirect| &redirect.target);
        let values = command.assignments.iter().map(|assignment| &assignment.value);
        if words.iter().chain(targets).chain(values).all(is_plain) {
            return false;
        }
        let built = command
            .words
            .first()
            .is_some_and(|word| word.parts.iter().any(|part| matches!(part, Part::Variable { .. })));
        let words = std::mem::take(&mut self.reading.commands[index].words);
        let mut expanded = Vec::with_capacity(words.len());
        let mut first_is_built = false;
        for (position, word) in words.into_iter().enumerate() {
            let before = expanded.len();
            if is_plain(&word) {
                expanded.push(word);
            } else {
                self.split(index, word, &mut expanded);
            }
            // This is also the case if the first word expands to nothing.
            if position == 0 && built {
                first_is_built = !matches!(
                    expanded.get(before).map(|word| word.parts.as_slice()),
                    Some([.., Part::Literal { origin: Origin::Plain | Origin::Quoted, .. }])
                ) || expanded.len() != before + 1;
            }
        }
        self.reading.commands[index].words = expanded;
        let mut redirects = std::mem::take(&mut self.reading.commands[index].redirects);
        for redirect in &mut redirects {
            self.fill(index, &mut redirect.target);
        }
        let mut assignments = std::mem::take(&mut self.reading.commands[index].assignments);
        for assignment in &mut assignments {
            self.fill(index, &mut assignment.value);
            assignment.each.iter_mut().for_each(|word| self.fill(index, word));
        }
        let command = &mut self.reading.commands[index];
        (command.redirects, command.assignments) = (redirects, assignments);
        first_is_built
    }

    fn value_of(&mut self, index: usize, part: &Part) -> Option<String> {
        let Part::Variable { name, operation: None, .. } = part else { return None };
        let scope = self.reading.commands[index].scope;
        let Info { dialects, root, .. } = self.infos[index];
        let scopes = &self.reading.scopes;
        // `sudo` and others change the environment.
        let has_environment = self.is_run_by_shells(index);
        let own_shell = !self.reading.scopes(scope).any(|scope| scope.kind == ScopeKind::Code { same_shell: false });
        let mut values = dialects.iter().map(|dialect| {
            self.variables.value(name, dialect, (root, index), own_shell, |outer, exported| {
                encloses(scopes, outer, scope, exported && has_environment)
            })
        });
        // All dialects must agree.
        let value = values.next()??;
        if values.any(|other| other.as_ref() != Some(&value)) {
            return None;
        }
        // Many uses of a long value would cost more than reading the line.
        self.spend(1 + value.len() / 2).then_some(value)
    }

    /// Returns whether only shells lead to a command, so that it has the exported variables of the line.
    fn is_run_by_shells(&self, index: usize) -> bool {
        let mut next = self.reading.commands[index].via;
        while let Some(via) = next {
            let wrapper = &self.reading.commands[via.command as usize];
            if !wrapper.assignments.is_empty() || wrapper.program.name().is_none_or(|name| SHELL.get(name).is_none()) {
                return false;
            }
            next = wrapper.via;
        }
        true
    }

    /// Replaces variables without splitting the word.
    fn fill(&mut self, index: usize, word: &mut Word) {
        for at in 0..word.parts.len() {
            if let Some(text) = self.value_of(index, &word.parts[at].clone()) {
                word.parts[at] = Part::Literal { text, origin: Origin::Expanded };
            }
        }
    }

    /// Replaces variables, and splits the values of unquoted ones into words.
    fn split(&mut self, index: usize, word: Word, words: &mut Vec<Word>) {
        let ifs_is_set = self.variables.is_assigned("IFS", self.infos[index].dialects);
        let span = word.span;
        let mut current = Vec::new();
        let mut exists = false;
        for part in word.parts {
            let quoted = !matches!(part, Part::Variable { quoted: false, .. });
            let value = if !quoted && ifs_is_set { None } else { self.value_of(index, &part) };
            let Some(value) = value else {
                exists = true;
                current.push(part);
                continue;
            };
            if quoted {
                exists = true;
                current.push(Part::Literal { text: value, origin: Origin::Expanded });
                continue;
            }
            let is_separator = |c: char| matches!(c, ' ' | '\t' | '\n');
            let mut fields = value.split(is_separator).peekable();
            while let Some(field) = fields.next() {
                push_field(&mut current, field);
                exists |= !field.is_empty();
                if fields.peek().is_some() {
                    if exists {
                        words.push(Word { parts: std::mem::take(&mut current), span });
                    }
                    exists = false;
                }
            }
        }
        if exists {
            words.push(Word { parts: current, span });
        }
    }
}

/// Adds a field of a value, in which patterns for file names are still expanded.
fn push_field(parts: &mut Vec<Part>, field: &str) {
    let mut rest = field;
    while let Some(at) = rest.find(['*', '?', '[']) {
        let (text, after) = rest.split_at(at);
        push_text(parts, text);
        let glob = match after.as_bytes()[0] {
            b'*' => Glob::AnyText,
            b'?' => Glob::AnyChar,
            _ => Glob::Class(String::new()),
        };
        parts.push(Part::Glob(glob));
        rest = &after[1..];
    }
    push_text(parts, rest);
}

fn push_text(parts: &mut Vec<Part>, text: &str) {
    if !text.is_empty() {
        parts.push(Part::Literal { text: text.to_owned(), origin: Origin::Expanded });
    }
}
