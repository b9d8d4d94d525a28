//! What a regular expression matches, as far as it can be known without running it.
//!
//! Patterns are ECMAScript. The parser knows the syntax that ECMAScript shares with other engines, without lookaround and
//! backreferences; nothing is claimed about patterns that use more.

mod ambiguity;

use std::ops::Range;

use regex_syntax::ast::{self, Ast};
use regex_syntax::hir::{Hir, HirKind, Look, translate::Translator};

/// A parsed pattern.
pub(super) struct Pattern<'p> {
    text: &'p str,
    ast: Ast,
    hir: Hir,
}

impl<'p> Pattern<'p> {
    /// Parses a pattern, or returns `None` if it uses syntax that the parser does not know.
    pub(super) fn parse(text: &'p str) -> Option<Self> {
        let ast = ast::parse::Parser::new().parse(text).ok()?;
        let hir = Translator::new().translate(text, &ast).ok()?;
        Some(Self { text, ast, hir })
    }

    /// Returns whether every string contains a match.
    pub(super) fn matches_everything(&self) -> bool {
        let is_optional =
            |hir: &Hir| hir.properties().minimum_len() == Some(0) && hir.properties().look_set().is_empty();
        match self.hir.kind() {
            // A match of nothing at the start is a match.
            HirKind::Concat(parts) if is_start(&parts[0]) => parts[1..].iter().all(is_optional),
            _ => is_start(&self.hir) || is_optional(&self.hir),
        }
    }

    /// Returns whether no string contains a match.
    pub(super) fn matches_nothing(&self) -> bool {
        is_impossible(&self.hir)
    }

    /// Returns the part of the pattern that can match one string in exponentially many ways, so that an engine that backtracks
    /// tries all of them before it gives up.
    pub(super) fn exponential_part(&self) -> Option<Range<usize>> {
        ambiguity::exponential_part(self.text, &self.ast)
    }
}

fn is_start(hir: &Hir) -> bool {
    matches!(hir.kind(), HirKind::Look(Look::Start))
}

fn is_impossible(hir: &Hir) -> bool {
    let needs_characters = |hir: &Hir| hir.properties().minimum_len() != Some(0);
    match hir.kind() {
        HirKind::Empty | HirKind::Literal(_) | HirKind::Look(_) => false,
        HirKind::Class(_) => hir.properties().minimum_len().is_none(),
        HirKind::Capture(capture) => is_impossible(&capture.sub),
        HirKind::Repetition(repetition) => repetition.min > 0 && is_impossible(&repetition.sub),
        HirKind::Alternation(parts) => parts.iter().all(is_impossible),
        HirKind::Concat(parts) => {
            let any = |parts: &[Hir]| parts.iter().any(needs_characters);
            let is_out_of_place = |(index, part): (usize, &Hir)| {
                let properties = part.properties();
                properties.look_set_prefix().contains(Look::Start) && any(&parts[..index])
                    || properties.look_set_suffix().contains(Look::End) && any(&parts[index + 1..])
            };
            parts.iter().any(is_impossible) || parts.iter().enumerate().any(is_out_of_place)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_that_match_everything_are_distinguished() {
        let everything = |text| Pattern::parse(text).is_some_and(|pattern| pattern.matches_everything());
        for text in ["", ".*", "a*", "^", "^a*", "(x|y)?", "(?:)", "^(?:a?)"] {
            assert!(everything(text), "{text}");
        }
        for text in ["a", "^$", "^.*$", "a*$", r"\b", "a+", "^a", "(^a|b)"] {
            assert!(!everything(text), "{text}");
        }
    }

    #[test]
    fn patterns_that_match_nothing_are_distinguished() {
        let nothing = |text| Pattern::parse(text).is_some_and(|pattern| pattern.matches_nothing());
        for text in ["a^b", "$a", "/^abc$/", "(a$)b", "x(^a|^b)", "^a$b", "(a^b|c$d)", "a+^"] {
            assert!(nothing(text), "{text}");
        }
        for text in ["^a$", "a*^b", "(^|x)a", "a($|b)", "$", "^^a$$", "", "(a^b|c)", "(a^b)?", r"\^a\$b"] {
            assert!(!nothing(text), "{text}");
        }
    }
}
