//! Finds the operands that come before a command, such as `compose run` of `docker`.

use crate::syntax::Word;

/// The operands that must come before a command, and those that came so far.
pub(super) struct After<'t> {
    wanted: &'t [&'t str],
    /// The operands so far, each with a space after it.
    seen: String,
    is_met: bool,
}

impl<'t> After<'t> {
    pub(super) fn new(wanted: &'t [&'t str]) -> Self {
        Self { wanted, seen: String::new(), is_met: wanted.is_empty() }
    }

    pub(super) fn is_met(&self) -> bool {
        self.is_met
    }

    /// Adds an operand.
    pub(super) fn add(&mut self, word: &Word) {
        let Some(text) = word.text() else { return self.seen.push_str("\0 ") };
        let ends_with = |before: &str| {
            let start = self.seen.strip_suffix(' ').and_then(|seen| seen.strip_suffix(before));
            start.is_some_and(|start| start.is_empty() || start.ends_with(' '))
        };
        self.is_met = self.wanted.iter().any(|wanted| match wanted.rsplit_once(' ') {
            Some((before, last)) => last == text && ends_with(before),
            None => *wanted == text,
        });
        if self.wanted.iter().any(|wanted| wanted.contains(' ')) {
            self.seen.push_str(&text);
            self.seen.push(' ');
        }
    }
}
