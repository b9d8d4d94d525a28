//! Judges text of a shell: by the rules about commands, and by what only matters in a skill.

mod checks;
mod command;
mod fetched;
mod packages;
mod run;

pub(crate) use checks::is_filled;
pub(crate) use fetched::fetched;
pub(crate) use packages::look_alike;

use toolc_commands::{Cause, DoubtKind, Judgement, judge};

use crate::codes::{Code, Severity};
use crate::context::Context;
use crate::hosts;
use crate::tables::rules::meaning_of;
use crate::unit::{Found, Judged, Unit};

/// The maximum size of the text that is judged at once, in bytes: a quarter of what the reader accepts.
const MAX_PIECE: usize = 16 << 10;

/// The maximum number of times that a piece is read again after a place with unknown syntax.
const MAX_RESTARTS: usize = 6;

/// Judges a unit with commands of a shell.
pub(crate) fn check(unit: &Unit, context: &Context<'_>) -> Judged {
    let mut judged = Judged::default();
    for piece in pieces(&unit.text) {
        check_piece(unit, piece, context, &mut judged, MAX_RESTARTS);
    }
    judged
}

/// Splits a text at ends of lines.
fn pieces(text: &str) -> Vec<std::ops::Range<usize>> {
    let (mut pieces, mut start) = (Vec::new(), 0);
    while text.len() - start > MAX_PIECE {
        let window = text.floor_char_boundary(start + MAX_PIECE);
        let cut = text[start..window].rfind("\n\n").or_else(|| text[start..window].rfind('\n'));
        let end = cut.filter(|cut| *cut > 0).map_or(window, |cut| start + cut + 1);
        pieces.push(start..end);
        start = end;
    }
    pieces.push(start..text.len());
    pieces
}

fn check_piece(
    unit: &Unit,
    piece: std::ops::Range<usize>,
    context: &Context<'_>,
    judged: &mut Judged,
    restarts: usize,
) {
    let text = &unit.text[piece.clone()];
    if text.trim().is_empty() {
        return;
    }
    let judgement = judge(text, context.rules, context.surroundings);
    let has_doubt =
        |kind| judgement.findings.iter().find(|finding| matches!(finding.cause, Cause::Doubt(own) if own == kind));
    // Too much for one reading: each half is read on its own.
    if has_doubt(DoubtKind::TooMuchWork).or_else(|| has_doubt(DoubtKind::TooLong)).is_some() {
        let middle = text.len() / 2;
        let middle = text.floor_char_boundary(middle);
        let cut =
            text[..middle].rfind('\n').map(|at| at + 1).or_else(|| text[middle..].find('\n').map(|at| middle + at + 1));
        if let Some(cut) = cut.filter(|cut| *cut > 0 && *cut < text.len()) {
            check_piece(unit, piece.start..piece.start + cut, context, judged, restarts);
            check_piece(unit, piece.start + cut..piece.end, context, judged, restarts);
            return;
        }
        judged.found.push(Found::in_unit(
            unit,
            Code::UnreadCommand,
            piece.start..piece.start + 1,
            "The command is too complex to be read.",
        ));
    }
    let syntax = has_doubt(DoubtKind::Syntax).map(|finding| finding.span.range().start);
    by_rules(unit, piece.start, text, &judgement, context, judged);
    checks::check(unit, piece.start, text, &judgement, context, judged);
    if let Some(at) = syntax {
        let next = text[text.floor_char_boundary(at.min(text.len()))..].find('\n').map(|end| at + end + 1);
        match next.filter(|next| *next < text.len()) {
            Some(next) if restarts > 0 => {
                check_piece(unit, piece.start + next..piece.end, context, judged, restarts - 1);
            }
            Some(next) => check_lines(unit, piece.start + next..piece.end, context, judged),
            None => {}
        }
    }
}

/// Judges each line on its own: the syntax of the whole is not known.
fn check_lines(unit: &Unit, piece: std::ops::Range<usize>, context: &Context<'_>, judged: &mut Judged) {
    let mut start = piece.start;
    for line in unit.text[piece].split_inclusive('\n') {
        if !line.trim().is_empty() {
            let judgement = judge(line, context.rules, context.surroundings);
            by_rules(unit, start, line, &judgement, context, judged);
            checks::check(unit, start, line, &judgement, context, judged);
        }
        start += line.len();
    }
}

/// Adds what the rules about commands mean for a skill.
fn by_rules(
    unit: &Unit,
    start: usize,
    text: &str,
    judgement: &Judgement<'_>,
    context: &Context<'_>,
    judged: &mut Judged,
) {
    for finding in &judgement.findings {
        if finding.cause == Cause::Doubt(DoubtKind::LookAlike) {
            let span = finding.span.range();
            let message = "The name of a program has letters that look like others.";
            judged.found.push(Found::in_unit(unit, Code::LookAlike, start + span.start..start + span.end, message));
        }
        let Cause::Rule(rule) = finding.cause else { continue };
        let span = finding.span.range();
        let Some(meaning) = meaning_of(rule.name, text.get(span.clone()).unwrap_or_default()) else { continue };
        let at = start + span.start..start + span.end;
        let found = Found::in_unit(unit, meaning.code, at, rule.description);
        if meaning.code == Code::FetchAndRun {
            // An unknown word could make any other command a download.
            let is_known = |found: &Found| {
                finding.is_certain || !hosts::addresses(text).is_empty() || found.severity == Severity::Note
            };
            let fetched = fetched(found, unit, text, &span);
            judged.found.extend(fetched.map(|found| if is_known(&found) { found } else { found.into_note() }));
            continue;
        }
        if meaning.code == Code::SendsEnvironment && !checks::dumps_environment(&judgement.reading) {
            judged.found.push(found.into_note());
            continue;
        }
        // What depends on values that are known only at run time is worth a look, and no more.
        if !finding.is_certain {
            judged.found.push(found.into_note());
            continue;
        }
        let severity = context.severity(meaning.code, meaning.topics).min(found.severity);
        judged.found.push(Found { severity, ..found });
    }
}
