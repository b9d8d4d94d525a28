//! Judges sentences: what a document asks a model or a person to do.

use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::AhoCorasick;

use crate::codes::Code;
use crate::context::Context;
use crate::files;
use crate::hosts::{self, Address, Standing};
use crate::phrase::{Phrases, WordAt, words};
use crate::purpose::Topic;
use crate::quoting::{Around, is_negated, is_warning, warns};
use crate::tables::phrases::{DENSE, DENSE_NEGATIONS, REQUESTS, SWITCHES};
use crate::tables::places;
use crate::unit::{Found, Unit};
use crate::unmarked::sentence;

static PATTERNS: LazyLock<Phrases> = LazyLock::new(|| Phrases::new(REQUESTS.iter().map(|request| request.pattern)));

/// Judges a part of a document. `is_hidden` is for what is not displayed, where nothing counts as a quotation.
pub(crate) fn check(unit: &Unit, around: &Around, is_hidden: bool, context: &Context<'_>) -> Vec<Found> {
    let found_words = words(&unit.text);
    let mut found = Vec::new();
    requests(unit, around, &found_words, context, &mut found);
    dense_requests(unit, around, context, &mut found);
    scanned(unit, around, context, &mut found);
    downloads(unit, around, &found_words, context, &mut found);
    private_files(unit, around, &found_words, context, &mut found);
    filled_addresses(unit, around, &mut found);
    switches(unit, around, context, &mut found);
    if is_hidden {
        for finding in &mut found {
            finding.code = Code::HiddenInstruction;
            finding.severity = Code::HiddenInstruction.severity();
        }
    }
    found
}

fn requests(unit: &Unit, around: &Around, found_words: &[WordAt], context: &Context<'_>, found: &mut Vec<Found>) {
    for (at, word) in found_words.iter().enumerate() {
        for (index, last) in PATTERNS.matches_at(found_words, at) {
            let request = &REQUESTS[index];
            if request.can_be_negated && is_negated(found_words, at) {
                continue;
            }
            let range = word.start..found_words[last].end;
            found.push(judged(unit, around, request.code, request.topics, range, request.message, context));
        }
    }
}

/// Requests in scripts without spaces between words.
fn dense_requests(unit: &Unit, around: &Around, context: &Context<'_>, found: &mut Vec<Found>) {
    if unit.text.is_ascii() {
        return;
    }
    let mut at = 0;
    // Lines are wrapped, and a sentence goes on in the next one.
    for sentence in unit.text.split_inclusive(['。', '！', '？']) {
        let lower = sentence.to_lowercase();
        let is_negated = DENSE_NEGATIONS.iter().any(|negation| lower.contains(negation));
        for (code, lists, message) in DENSE {
            let asks = lists.iter().all(|list| list.iter().any(|part| lower.contains(part)));
            if asks && !is_negated {
                let range = at..at + sentence.trim_end().len();
                found.push(judged(unit, around, *code, &[], range, message, context));
            }
        }
        at += sentence.len();
    }
}

/// Returns a finding about words: a note if the text warns of them or quotes them, or if the description declares them.
fn judged(
    unit: &Unit,
    around: &Around,
    code: Code,
    topics: &[Topic],
    range: Range<usize>,
    message: &str,
    context: &Context<'_>,
) -> Found {
    let found = Found::in_unit(unit, code, range.clone(), message);
    let sentence = sentence(&unit.text, &range);
    let is_quoted = is_warning(around, &without(sentence, &unit.text[range.clone()]))
        || ends_in_condition(sentence)
        || unit.text.trim_start().starts_with('>') && warns(&around.lead);
    let severity = if is_quoted { crate::codes::Severity::Note } else { context.severity(code, topics) };
    Found { severity: severity.min(found.severity), ..found }
}

/// Returns a sentence without the words of a finding, which do not count as a warning.
fn without(sentence: &str, words: &str) -> String {
    sentence.replacen(words, " ", 1)
}

/// Returns whether a sentence says until when something holds: "do not tell the user ... until it is confirmed".
fn ends_in_condition(sentence: &str) -> bool {
    let lower = sentence.to_lowercase();
    [" unless ", " until ", " before you have ", " that you have not "].iter().any(|word| lower.contains(word))
}

/// What the scanner for all texts finds.
fn scanned(unit: &Unit, around: &Around, context: &Context<'_>, found: &mut Vec<Found>) {
    let Some(manipulation) = toolc_scan::manipulation(&unit.text) else { return };
    let range = manipulation.span.clone();
    // A public key is not a secret.
    let rest = unit.text[range.end..].split(|letter: char| letter.is_whitespace() || letter == '`').next();
    if manipulation.what.contains("credentials") && rest.is_some_and(|rest| files::end_of(rest) == "pub") {
        return;
    }
    // "Never push without the user's approval."
    let is_allowed_only_with = unit.text[range.clone()].to_ascii_lowercase().starts_with("without")
        && words(sentence(&unit.text, &range))
            .iter()
            .take_while(|word| word.text != "without")
            .any(|word| matches!(word.text.as_str(), "never" | "not" | "don't" | "no" | "nothing"));
    if is_allowed_only_with {
        return;
    }
    let code = match manipulation.what {
        what if what.contains("comment") || what.contains("not displayed") => Code::HiddenInstruction,
        what if manipulation.decoded.is_some() || what.contains("encoded") => Code::HiddenPayload,
        what if what.contains("instructions") => Code::Override,
        _ => Code::Manipulates,
    };
    let message = format!("The text {}.", manipulation.what);
    if matches!(code, Code::HiddenInstruction | Code::HiddenPayload) {
        found.push(Found::in_unit(unit, code, range, message));
        return;
    }
    found.push(judged(unit, around, code, &[], range, &message, context));
}

/// Ends of files that run.
const PROGRAMS: &[&str] = &[
    ".exe",
    ".msi",
    ".dmg",
    ".pkg",
    ".scr",
    ".bat",
    ".cmd",
    ".ps1",
    ".sh",
    ".command",
    ".app",
    ".deb",
    ".rpm",
    ".appimage",
    ".jar",
    ".vsix",
    ".xpi",
    ".apk",
];

/// Ends of files that can contain what runs, and words for it.
const ARCHIVES: &[&str] = &[".zip", ".7z", ".rar", ".tar.gz", ".tgz", ".iso"];
const CONTENTS: &[&str] =
    &["executable", "installer", "program", "binary", "app", "application", "setup", "driver", "exe", "agent"];

/// Finds requests to download an archive with a password.
fn archive_with_password(
    unit: &Unit,
    around: &Around,
    found_words: &[WordAt],
    context: &Context<'_>,
    found: &mut Vec<Found>,
) {
    let addresses = hosts::addresses(&unit.text);
    let has = |list: &[&str]| found_words.iter().position(|word| list.contains(&word.text.as_str()));
    let password =
        has(&["password", "passcode", "pass", "passwort", "contraseña", "senha", "пароль", "密码", "解压密码"])
            .or_else(|| found_words.iter().position(|word| word.text.contains("密码")));
    let archive =
        has(&["zip", "archive", "extract", "unzip", "rar", "7z", "unpack", "7zip", "entpacken", "extraer", "解压"])
            .is_some()
            || addresses.iter().any(|address| address.path.to_lowercase().contains(".zip"));
    let near = format!("{} {}", around.lead, unit.text);
    let has_address =
        !addresses.is_empty() || !hosts::addresses(&around.lead).is_empty() || near.to_lowercase().contains("release");
    if let Some(at) = password.filter(|_| {
        archive
            && has_address
            && found_words.iter().any(|word| {
                matches!(word.text.as_str(), "download" | "extract" | "unzip" | "get" | "解压" | "unpack" | "zip")
            })
    }) {
        let range = found_words[at].start..found_words[at].end;
        found.push(judged(
            unit,
            around,
            Code::FetchAndRun,
            &[],
            range,
            "The text asks to download an archive with a password, which hides its content.",
            context,
        ));
    }
}

/// Returns a message about an address from which a package comes: `git+https://…`, `name @ https://…`.
fn foreign_package(unit: &Unit, address: &Address) -> Option<String> {
    let is_package =
        unit.text[address.at.clone()].starts_with("git+") || unit.text[..address.at.start].trim_end().ends_with('@');
    let is_public = address.is_forge() || address.is_registry() || address.standing() == Standing::Local;
    (is_package && !is_public)
        .then(|| format!("A package comes from {}, which is not a public registry.", address.host))
}

/// Programs that a person or the model is to download and run.
fn downloads(unit: &Unit, around: &Around, found_words: &[WordAt], context: &Context<'_>, found: &mut Vec<Found>) {
    let addresses = hosts::addresses(&unit.text);
    let has = |list: &[&str]| found_words.iter().position(|word| list.contains(&word.text.as_str()));
    let paste = has(&["terminal", "powershell", "console", "cmd", "command-line", "shell"]).is_some()
        && has(&["copy", "paste", "run", "execute"]).is_some();
    let running =
        has(&["run", "execute", "launch", "open", "double-click", "start", "install", "ausführen", "ejecuta", "运行"]);
    archive_with_password(unit, around, found_words, context, found);
    for address in &addresses {
        let lower = address.path.to_lowercase();
        let file = lower.split(['?', '#']).next().unwrap_or_default();
        let is_archive = ARCHIVES.iter().any(|end| file.ends_with(end)) && has(CONTENTS).is_some();
        let is_program = is_archive || PROGRAMS.iter().any(|end| file.ends_with(end));
        let hides = match address.standing() {
            Standing::Number => Some("is a bare IP address"),
            Standing::Hiding(_) => Some("hides who runs it"),
            Standing::Local | Standing::Named => None,
        };
        if hosts::looks_alike(&address.host) {
            let message = "The host is written with letters of different scripts.";
            found.push(Found::in_unit(unit, Code::LookAlike, address.at.clone(), message));
        }
        let verbs = ["download", "get", "fetch", "visit", "herunterladen", "下载", "descarga", "télécharge"];
        if let Some(message) = foreign_package(unit, address) {
            found.push(judged(unit, around, Code::ForeignPackage, &[], address.at.clone(), &message, context));
        }
        // "Never write `curl ADDRESS | sh`. Download the file, and read it."
        let word = found_words.iter().position(|word| word.end > address.at.start);
        let is_warning = word.is_some_and(|at| is_negated(found_words, at));
        if is_warning || running.or(has(&verbs)).is_none_or(|at| is_negated(found_words, at)) {
            continue;
        }
        if let Some(what) = hides.filter(|_| is_program || paste || running.is_some()) {
            found.push(judged(
                unit,
                around,
                Code::FetchAndRun,
                &[],
                address.at.clone(),
                &format!("The text asks to get something from an address that {what}, and to run it."),
                context,
            ));
        } else if is_program
            && running.is_some()
            && has(&["download", "get", "fetch", "grab", "下载"]).is_some()
            && !address.is_known_installer()
            && address.standing() == Standing::Named
        {
            found.push(judged(
                unit,
                around,
                Code::FetchAndRun,
                &[],
                address.at.clone(),
                "The text asks to download a program and to run it.",
                context,
            ));
        }
    }
}

/// Verbs with which the model is to read a file.
const READING: &[&str] = &[
    "read",
    "open",
    "cat",
    "print",
    "include",
    "send",
    "copy",
    "upload",
    "collect",
    "get",
    "grab",
    "extract",
    "display",
    "output",
    "attach",
    "dump",
    "paste",
    "encode",
    "embed",
    "append",
    "harvest",
    "scan",
    "lies",
    "lee",
    "lis",
    "прочитай",
    "读取",
];

/// Words before a verb that is an order.
const BEFORE_ORDERS: &[&str] =
    &["and", "then", "first", "please", "must", "should", "to", "also", "always", "you", "now", "und", "y", "et"];

/// Private files that the model is to read.
fn private_files(unit: &Unit, around: &Around, found_words: &[WordAt], context: &Context<'_>, found: &mut Vec<Found>) {
    for (at, word) in found_words.iter().enumerate().filter(|(_, word)| word.text.contains(['/', '.'])) {
        let Some(place) = places::find(places::SECRETS, &word.text) else { continue };
        let near = at.saturating_sub(64);
        let outside = found_words[near..at].iter().rposition(|other| other.sentence != word.sentence);
        let from = outside.map_or(near, |before| near + before + 1);
        let verb = (from..at).rev().take(12).find(|at| READING.contains(&found_words[*at].text.as_str()));
        let Some(verb) = verb.filter(|verb| !is_negated(found_words, *verb)) else { continue };
        // "reads" of a program is not an order; an order begins a sentence or a part of one.
        let before =
            verb.checked_sub(1).filter(|before| *before >= from).map(|before| found_words[before].text.as_str());
        let is_order = before.is_none_or(|before| BEFORE_ORDERS.contains(&before));
        if is_order {
            let range = found_words[verb].start..word.end;
            found.push(judged(
                unit,
                around,
                Code::AsksForSecrets,
                place.topics,
                range,
                &format!("The text asks the model to read {}.", place.what),
                context,
            ));
        }
    }
}

/// Words of placeholders for private data.
const PRIVATE: &[&str] = &[
    "conversation",
    "history",
    "context",
    "secret",
    "key",
    "token",
    "env",
    "summary",
    "prompt",
    "password",
    "credential",
    "transcript",
    "memory",
    "session",
    "cookie",
    "base64",
    "user_data",
    "userdata",
    "file_content",
    "contents",
    "leak",
    "exfil",
    "data",
    "message",
];

/// Words in capitals in the address of a picture that stand for what the model knows.
const BLANKS: &[&str] = &[
    "context",
    "conversation",
    "history",
    "secret",
    "prompt",
    "password",
    "credential",
    "transcript",
    "memory",
    "summary",
    "contents",
    "base64",
    "cookie",
    "env",
];

/// Addresses into which the model is to put private data.
fn filled_addresses(unit: &Unit, around: &Around, found: &mut Vec<Found>) {
    let text = &unit.text;
    for address in hosts::addresses(text) {
        if address.standing() == Standing::Local {
            continue;
        }
        let window = &text[address.at.start..text.ceil_char_boundary((address.at.end + 60).min(text.len()))];
        let whole = window.split([')', ' ', '\n', '`', '"']).next().unwrap_or_default();
        let path =
            whole.split_once("://").map_or("", |(_, rest)| rest.split_once(['/', '?']).map_or("", |(_, path)| path));
        let names = placeholders(path);
        let private = names.iter().find(|name| PRIVATE.iter().any(|word| name.contains(word)));
        let before = &text[text.floor_char_boundary(address.at.start.saturating_sub(200))..address.at.start];
        let is_image = before.ends_with('(') && before.rfind("![").is_some_and(|open| before[open..].contains("]("));
        let is_blank = is_image
            && path.split(['/', '?', '=', '&', '.', '-']).any(|part| {
                part.len() >= 4
                    && part.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
                    && (BLANKS.iter().any(|word| part.to_lowercase().contains(word))
                        || text.contains(&format!("{part} is ")))
            });
        if is_blank && !is_warning(around, before) {
            let message = "The model is to put something into the address of a picture.";
            found.push(Found::in_unit(unit, Code::FillInAddress, address.at.clone(), message));
            continue;
        }
        let Some(name) = private else { continue };
        let is_strong = [
            "conversation",
            "history",
            "secret",
            "password",
            "credential",
            "transcript",
            "cookie",
            "memory",
            "leak",
            "exfil",
            "env",
        ]
        .iter()
        .any(|word| name.contains(word));
        if is_image && !warns(before) || is_strong && !is_warning(around, before) && !name.contains("id") {
            found.push(Found::in_unit(
                unit,
                Code::FillInAddress,
                address.at.clone(),
                format!("The model is to put `{name}` into an address."),
            ));
        }
    }
}

/// Returns the names of placeholders in an address: `{name}`, `<name>`, `[NAME]`, `$NAME`, `%NAME%`.
fn placeholders(path: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (open, close) in [('{', '}'), ('<', '>'), ('[', ']'), ('$', '&'), ('%', '%')] {
        for (at, _) in path.match_indices(open).take(32) {
            let rest = &path[at + 1..];
            let end = rest.find([close, '&', '/']).unwrap_or(rest.len());
            let name = rest[..end].trim_matches(['{', '}', '$', '<', '>']).to_lowercase();
            let is_name = name.len() >= 3
                && name.chars().filter(|letter| letter.is_alphabetic()).count() * 2 > name.chars().count();
            if is_name {
                found.push(name);
            }
        }
    }
    found
}

/// Options and settings that switch approvals off.
fn switches(unit: &Unit, around: &Around, context: &Context<'_>, found: &mut Vec<Found>) {
    found.extend(switched(unit, context).into_iter().map(|finding| {
        let plain = SWITCHES.iter().fold(unit.text.to_ascii_lowercase(), |text, switch| text.replace(switch, " "));
        let is_quoted = is_warning(around, &plain);
        if is_quoted { finding.into_note() } else { finding }
    }));
}

/// Returns the options and settings in any text that switch approvals off.
pub(crate) fn switched(unit: &Unit, context: &Context<'_>) -> Vec<Found> {
    static ANY: LazyLock<AhoCorasick> = LazyLock::new(|| {
        let built = AhoCorasick::builder().ascii_case_insensitive(true).build(SWITCHES);
        built.expect("they are few and short")
    });
    // Most texts have none, so that they are read once instead of once for each.
    if !ANY.is_match(&unit.text) {
        return Vec::new();
    }
    let lower = unit.text.to_ascii_lowercase();
    let mut found = Vec::new();
    for switch in SWITCHES {
        let Some(at) = lower.find(switch) else { continue };
        let line = lower[..at].rsplit('\n').next().unwrap_or_default();
        let is_negated = ["never", "don't", "do not", "avoid", "without", "not use", "instead of"]
            .iter()
            .any(|word| line.contains(word));
        let finding = Found::in_unit(
            unit,
            Code::Approval,
            at..at + switch.len(),
            "An option or a setting switches approvals off.",
        );
        let severity =
            if is_negated { crate::codes::Severity::Note } else { context.severity(Code::Approval, &[Topic::Agents]) };
        found.push(Found { severity: severity.min(finding.severity), ..finding });
    }
    found
}
