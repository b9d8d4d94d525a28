//! Judges programs by what gets from where to where: see `flow`.

mod flow;
mod fold;
pub(crate) mod lex;
mod program;
mod sinks;
mod value;

use crate::codes::Code;
use crate::context::Context;
use crate::language::Language;
use crate::unit::{Found, Judged, Unit};

/// Judges a unit with code of a language.
pub(crate) fn check(unit: &Unit, language: &'static Language, context: &Context<'_>) -> Judged {
    let program = program::Program::new(&unit.text, language);
    let mut judged = Judged::default();
    let texts = program.tokens.iter().filter(|token| token.kind == lex::Kind::Text);
    texts.for_each(|token| context.uses.borrow_mut().add_text(&token.text, language.name));
    sinks::check(unit, &program, context, &mut judged);
    if program.is_exhausted() || program.tokens.len() >= lex::MAX_TOKENS {
        judged.found.push(Found::in_unit(unit, Code::Unread, 0..1, "The program is too complex to be followed."));
    }
    judged
}
