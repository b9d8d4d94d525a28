//! What the sentences of a section ask for together: to send private data to a host, to do something and to conceal it, or to pay
//! another account.

use std::ops::Range;
use std::sync::LazyLock;

use crate::codes::Code;
use crate::context::Context;
use crate::hosts::{self, Standing};
use crate::markdown::{Document, Part, PartKind};
use crate::phrase::{Phrases, WordAt, words};
use crate::quoting::{is_negated, is_warning};
use crate::tables::deeds::{SIGNS, Sign};
use crate::unit::{Found, Unit};

static PATTERNS: LazyLock<Phrases> = LazyLock::new(|| Phrases::new(SIGNS.iter().map(|(_, pattern)| *pattern)));

/// The signs of one paragraph.
#[derive(Default)]
struct Signs {
    found: Vec<(Sign, Range<usize>)>,
    /// The first host that is not on this machine.
    host: Option<String>,
    has_foreign_package: bool,
}

impl Signs {
    fn of(unit: &Unit) -> Self {
        let all = words(&unit.text);
        let mut signs = Self { host: host(unit, &all), ..Self::default() };
        signs.has_foreign_package = unit.text.contains("git+")
            && hosts::addresses(&unit.text).iter().any(|address| {
                unit.text[address.at.clone()].starts_with("git+") && !address.is_forge() && !address.is_registry()
            });
        for at in 0..all.len() {
            for (index, last) in PATTERNS.matches_at(&all, at) {
                let sign = SIGNS[index].0;
                let is_deed = matches!(sign, Sign::Sends | Sign::Disregards);
                if !(is_deed && is_negated(&all, at)) {
                    signs.found.push((sign, all[at].start..all[last].end));
                }
            }
        }
        signs
    }

    fn place(&self, sign: Sign) -> Option<Range<usize>> {
        self.found.iter().find(|(own, _)| *own == sign).map(|(_, place)| place.clone())
    }

    fn sends(&self) -> bool {
        self.host.is_some() && self.place(Sign::Sends).is_some()
    }
}

/// Judges the sections of a document.
pub(crate) fn check(document: &Document, context: &Context<'_>) -> Vec<Found> {
    let is_text = |part: &&Part| match &part.kind {
        PartKind::Prose => true,
        PartKind::Code(language) => matches!(language.as_str(), "" | "text" | "txt" | "md" | "markdown"),
        PartKind::Inline(_) | PartKind::Comment => false,
    };
    let parts: Vec<&Part> = document.parts.iter().filter(is_text).collect();
    let mut found = Vec::new();
    for section in parts.chunk_by(|one, other| one.around.heading == other.around.heading) {
        let told: Vec<(&Unit, Signs)> = section
            .iter()
            .map(|part| (part, Signs::of(&part.unit)))
            .filter(|(part, signs)| !signs.found.is_empty() && !is_warning(&part.around, &part.unit.text))
            .map(|(part, signs)| (&part.unit, signs))
            .collect();
        let pays = section.iter().any(|part| has_payment(&part.unit.text));
        self::section(&told, pays, context, &mut found);
    }
    found
}

fn section(told: &[(&Unit, Signs)], pays: bool, context: &Context<'_>, found: &mut Vec<Found>) {
    let mut add = |unit: &Unit, code: Code, place: Range<usize>, message: String| {
        let finding = Found::in_unit(unit, code, place, message);
        let severity = context.severity(code, &[]).min(finding.severity);
        found.push(Found { severity, ..finding });
    };
    for (unit, signs) in told {
        let host = signs.host.as_deref().unwrap_or_default();
        if let Some(place) = signs.place(Sign::Private).filter(|_| signs.sends()) {
            add(unit, Code::AsksForSecrets, place, format!("The text asks the model to send private data to {host}."));
        }
    }
    let acts = told.iter().any(|(_, signs)| signs.sends() || signs.has_foreign_package);
    let first = |sign| told.iter().find_map(|(unit, signs)| Some((*unit, signs.place(sign)?)));
    if let Some((unit, place)) = first(Sign::Conceals).filter(|_| acts) {
        let message = "The text tells the model to do something with another host, and to conceal it.";
        add(unit, Code::Concealment, place, message.to_owned());
    }
    if let Some((unit, place)) = first(Sign::Delays).filter(|_| acts) {
        let message = "The text tells the model to do something with another host, and only later.";
        add(unit, Code::Trigger, place, message.to_owned());
    }
    if let Some((unit, place)) = first(Sign::Disregards).filter(|_| pays) {
        let message = "The text tells the model to replace payment details of the user.";
        add(unit, Code::Tampers, place, message.to_owned());
    }
}

/// Returns the first host that a text names: in an address, or after a word such as "host".
fn host(unit: &Unit, all: &[WordAt]) -> Option<String> {
    let is_elsewhere = |address: &hosts::Address| address.standing() != Standing::Local && !address.is_forge();
    if let Some(address) = hosts::addresses(&unit.text).into_iter().find(is_elsewhere) {
        return Some(address.host);
    }
    let is_host = |word: &str| {
        word.matches('.').count() >= 1
            && !word.contains(['/', '@', '$', '~', '_'])
            && word.split('.').all(|label| !label.is_empty())
            && word
                .rsplit('.')
                .next()
                .is_some_and(|end| end.len() >= 2 && end.bytes().all(|byte| byte.is_ascii_alphabetic()))
    };
    all.windows(2)
        .find(|pair| {
            matches!(pair[0].text.as_str(), "host" | "server" | "domain" | "hostname") && is_host(&pair[1].text)
        })
        .map(|pair| pair[1].text.clone())
}

/// Returns whether a text has details of a payment: an IBAN, or an address of Bitcoin or Ethereum.
fn has_payment(text: &str) -> bool {
    let is_run = |text: &str, least: usize, is_part: fn(u8) -> bool| {
        text.bytes().take_while(|byte| is_part(*byte)).count() >= least
    };
    let has = |start: &str, least: usize, is_part: fn(u8) -> bool| {
        text.match_indices(start).any(|(at, _)| is_run(&text[at + start.len()..], least, is_part))
    };
    if !text.contains(|letter: char| letter.is_ascii_digit()) {
        return false;
    }
    let letters: Vec<u8> = text.bytes().filter(|byte| *byte != b' ').collect();
    let is_iban = letters.windows(15).any(|window| {
        window[..2].iter().all(u8::is_ascii_uppercase)
            && window[2..4].iter().all(u8::is_ascii_digit)
            && window[4..].iter().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit())
            && window[4..].iter().filter(|byte| byte.is_ascii_digit()).count() >= 4
    });
    is_iban || has("bc1", 20, |byte| byte.is_ascii_alphanumeric()) || has("0x", 38, |byte| byte.is_ascii_hexdigit())
}
