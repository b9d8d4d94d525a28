//! `pattern` and `format` as the reader of arguments enforces them, compared with two other validators: ajv with ajv-formats, and the
//! crate `jsonschema`. Each difference has one of the reasons in [`EXPLAINED`], which `docs/formats.md` lists.
//!
//! `TOOLC_TEXTS` sets how many texts are tried for each format, and for patterns.

use std::collections::BTreeMap;
use std::fs;
use std::process::Command;

use serde_json::{Value, json};
use toolc::__gen::text_rule::{Format, Pattern};
use toolc_test_support::packages;
use toolc_tests::random::Random;
use toolc_tests::texts;

use crate::python::in_tests;

const PACKAGES: &str = "ajv@8.20.0\najv-formats@3.0.1\n";
/// The number of texts for each format, and for patterns.
const TEXTS: usize = 500;
/// The texts that are tried for one pattern.
const PER_PATTERN: usize = 20;

/// The other validators.
const VALIDATORS: [&str; 2] = ["ajv", "jsonschema"];

/// Why a validator differs.
struct Explained {
    format: &'static str,
    validator: &'static str,
    /// Whether the reader of arguments accepts the texts.
    is_accepted: bool,
    /// The reason, as `docs/formats.md` has it.
    why: &'static str,
    applies: fn(&str) -> bool,
}

const fn refused(
    format: &'static str,
    validator: &'static str,
    why: &'static str,
    applies: fn(&str) -> bool,
) -> Explained {
    Explained { format, validator, is_accepted: false, why, applies }
}

const fn accepted(
    format: &'static str,
    validator: &'static str,
    why: &'static str,
    applies: fn(&str) -> bool,
) -> Explained {
    Explained { format, validator, is_accepted: true, why, applies }
}

const REGEX_OF_AJV: &str =
    "ajv reads escapes as without the flag `u`; it refuses `\\Z`, and flags of a group with an older Node.js";
const DAY_OF_AJV: &str =
    "ajv computes the end of a day in UTC from the hour and the minute on their own, also for times that do not exist";

const DIGITS_OF_JSONSCHEMA: &str = "jsonschema takes signs such as `-` and `.` for digits";
const WORDS_OF_JSONSCHEMA: &str = "jsonschema finds the `\\b` and `\\B` of words with letters of all scripts";

/// The reasons. Those for `pattern` are about the pattern, and the others about the text.
const EXPLAINED: &[Explained] = &[
    refused("time", "ajv", "ajv takes an offset without a colon or without minutes", has_short_offset),
    refused("date-time", "ajv", "ajv takes an offset without a colon or without minutes", has_short_offset),
    refused("time", "ajv", DAY_OF_AJV, is_beyond_a_minute),
    refused("date-time", "ajv", DAY_OF_AJV, is_beyond_a_minute),
    accepted("time", "ajv", DAY_OF_AJV, is_beyond_a_minute),
    accepted("date-time", "ajv", DAY_OF_AJV, is_beyond_a_minute),
    refused("date-time", "ajv", "ajv takes a space in place of `T`", |text| text.contains(char::is_whitespace)),
    refused("duration", "ajv", "ajv lets a unit between two others be left out", |_| true),
    refused("uuid", "ajv", "ajv takes the prefix `urn:uuid:`", |text| text.starts_with("urn:")),
    refused("hostname", "ajv", "ajv takes a dot at the end", |text| text.ends_with('.')),
    accepted(
        "hostname",
        "jsonschema",
        "jsonschema decodes names with hyphens at the third and fourth place",
        has_punycode,
    ),
    accepted(
        "email",
        "jsonschema",
        "jsonschema decodes names with hyphens at the third and fourth place",
        has_punycode,
    ),
    accepted(
        "email",
        "ajv",
        "ajv takes neither quotes, nor addresses in brackets, nor a host name without a dot",
        |text| text.contains(['"', '[']) || text.rsplit_once('@').is_some_and(|(_, domain)| !domain.contains('.')),
    ),
    refused("email", "ajv", "ajv limits neither the length of the parts nor of the whole", is_long_email),
    refused("uri", "ajv", "ajv takes leading zeros in an IPv4 address in brackets", |text| text.contains('[')),
    refused("uri", "ajv", "ajv takes an invalid authority for a path", |text| text.contains("://")),
    accepted("uri", "ajv", "ajv takes no empty path without an authority", |text| {
        text.split_once(':').is_some_and(|(_, rest)| rest.is_empty() || rest.starts_with(['?', '#']))
    }),
    accepted("regex", "jsonschema", "jsonschema reads the syntax of the crate `regex`", |_| true),
    refused("regex", "jsonschema", "jsonschema reads the syntax of the crate `regex`", |_| true),
    refused("date", "jsonschema", DIGITS_OF_JSONSCHEMA, has_sign_among_digits),
    refused("time", "jsonschema", DIGITS_OF_JSONSCHEMA, has_sign_among_digits),
    refused("date-time", "jsonschema", DIGITS_OF_JSONSCHEMA, has_sign_among_digits),
    refused("pattern", "jsonschema", "jsonschema takes `\\r`, U+2028 and U+2029 for a `.`", |pattern| {
        pattern.contains('.')
    }),
    accepted("email", "jsonschema", "jsonschema takes ` <` in quotes for the end of a name", |text| {
        text.contains(" <")
    }),
    accepted("email", "jsonschema", "jsonschema takes no escaped space in quotes", |text| text.contains(r"\ ")),
    refused("email", "jsonschema", "jsonschema does not limit the length of the whole address", |text| {
        text.len() > 254
    }),
    accepted("pattern", "jsonschema", WORDS_OF_JSONSCHEMA, has_boundary),
    refused("pattern", "jsonschema", WORDS_OF_JSONSCHEMA, has_boundary),
    refused("regex", "ajv", REGEX_OF_AJV, has_escape_or_flags),
    accepted("regex", "ajv", REGEX_OF_AJV, has_escape_or_flags),
];

/// Returns whether a time has the second 60, or does not exist.
fn is_beyond_a_minute(text: &str) -> bool {
    text.contains(":60") || text.contains("T24") || text.contains("t24") || text.starts_with("24")
}

fn has_short_offset(text: &str) -> bool {
    let offset = text.rfind(['+', '-']).map(|at| &text[at + 1..]).unwrap_or_default();
    (offset.len() == 2 || offset.len() == 4) && offset.bytes().all(|byte| byte.is_ascii_digit())
}

fn has_sign_among_digits(text: &str) -> bool {
    let mut groups = text.trim_end_matches(['Z', 'z']).split(|letter: char| !letter.is_ascii_digit());
    groups.any(|group| ![2, 4].contains(&group.len()))
}

fn has_boundary(pattern: &str) -> bool {
    pattern.contains("\\b") || pattern.contains("\\B")
}

fn has_escape_or_flags(text: &str) -> bool {
    text.contains('\\') || text.contains("(?")
}

fn has_punycode(text: &str) -> bool {
    let domain = text.rsplit('@').next().unwrap_or_default();
    domain.split('.').any(|label| label.get(2..4) == Some("--"))
}

fn is_long_email(text: &str) -> bool {
    let (local, domain) = text.rsplit_once('@').unwrap_or((text, ""));
    text.len() > 254 || local.len() > 64 || domain.len() > 253 || domain.split('.').any(|label| label.len() > 63)
}

fn count() -> usize {
    std::env::var("TOOLC_TEXTS").map_or(TEXTS, |count| count.parse().expect("TOOLC_TEXTS is a number"))
}

/// A keyword, its value, and texts with our verdicts.
struct Trial {
    keyword: &'static str,
    value: String,
    texts: Vec<String>,
    ours: Vec<bool>,
}

/// Returns the verdicts of ajv, or `None` for a schema that it refuses. Prints why it is skipped if there is none.
fn ajv(trials: &[Trial]) -> Option<Vec<Option<Vec<bool>>>> {
    let folder = match packages::npm("ajv", PACKAGES) {
        Ok(folder) => folder,
        Err(why) => {
            packages::missing("no ajv", &why);
            return None;
        }
    };
    let input = tempfile::NamedTempFile::new().expect("there is a folder for temporary files");
    let trials: Vec<Value> = trials.iter().map(|trial| json!([trial.keyword, trial.value, trial.texts])).collect();
    fs::write(input.path(), Value::from(trials).to_string()).expect("the file is writable");
    let out = packages::run(Command::new("node").arg(in_tests("sdks/ajv.mjs")).arg(folder).arg(input.path()));
    Some(serde_json::from_str(&out.unwrap_or_else(|why| panic!("{why}"))).expect("the script prints JSON"))
}

/// Returns the verdicts of the crate `jsonschema`, or `None` for a schema that it refuses.
fn jsonschema(trial: &Trial) -> Option<Vec<bool>> {
    let options = jsonschema::draft202012::options().should_validate_formats(true);
    let validator = options.build(&json!({ trial.keyword: trial.value })).ok()?;
    Some(trial.texts.iter().map(|text| validator.is_valid(&json!(text))).collect())
}

fn verdicts(trials: &[Trial]) -> Option<[Vec<Option<Vec<bool>>>; 2]> {
    Some([ajv(trials)?, trials.iter().map(jsonschema).collect()])
}

#[test]
fn formats_have_the_verdicts_of_other_validators_or_a_reason() {
    let mut random = Random(3);
    let trials: Vec<Trial> = Format::ALL
        .iter()
        .map(|format| {
            let texts: Vec<String> = (0..count()).map(|_| texts::near(*format, &mut random)).collect();
            let ours = texts.iter().map(|text| format.holds(text)).collect();
            Trial { keyword: "format", value: format.name().to_owned(), texts, ours }
        })
        .collect();
    let Some(others) = verdicts(&trials) else { return };
    let (mut reasons, mut unexplained) = (BTreeMap::<_, usize>::new(), Vec::new());
    for (index, trial) in trials.iter().enumerate() {
        let right = trial.ours.iter().filter(|ours| **ours).count();
        eprintln!("{}: {} texts, {right} accepted", trial.value, trial.texts.len());
        assert!(right > trial.texts.len() / 10 && right < trial.texts.len() * 9 / 10, "{}", trial.value);
        for (validator, verdicts) in VALIDATORS.iter().zip(&others) {
            let theirs = verdicts[index].as_ref().expect("the schema is valid");
            for ((text, ours), theirs) in trial.texts.iter().zip(&trial.ours).zip(theirs).filter(|((_, a), b)| a != b) {
                let explained = EXPLAINED.iter().find(|one| {
                    (one.format, one.validator, one.is_accepted) == (&*trial.value, validator, *ours)
                        && (one.applies)(text)
                });
                match explained {
                    Some(one) => *reasons.entry((one.format, one.validator, one.why)).or_default() += 1,
                    None => unexplained.push(format!("{} {text:?}: {ours}, {validator} {theirs}", trial.value)),
                }
            }
        }
    }
    for ((format, validator, why), count) in reasons {
        eprintln!("{format}, {validator}: {count} differ: {why}");
    }
    assert!(
        unexplained.is_empty(),
        "{} differences without a reason, such as {:#?}",
        unexplained.len(),
        first(&unexplained)
    );
}

#[test]
fn patterns_have_the_verdicts_of_other_engines() {
    let mut random = Random(4);
    let trials: Vec<Trial> = (0..count().div_ceil(PER_PATTERN))
        .map(|_| {
            let (value, text) = texts::pattern(&mut random);
            let pattern = Pattern::new(value.clone());
            let texts: Vec<String> = (0..PER_PATTERN).map(|_| texts::near_match(&text, &mut random)).collect();
            let held = |text: &String| pattern.matches(text).unwrap_or_else(|| panic!("{value} is not enforced"));
            let ours = texts.iter().map(held).collect();
            Trial { keyword: "pattern", value, texts, ours }
        })
        .collect();
    let Some(others) = verdicts(&trials) else { return };
    let (mut compared, mut right, mut refused, mut wrong) = ([0; 2], 0, [0; 2], Vec::new());
    for (index, trial) in trials.iter().enumerate() {
        right += trial.ours.iter().filter(|ours| **ours).count();
        for (number, verdicts) in others.iter().enumerate() {
            let Some(theirs) = &verdicts[index] else {
                refused[number] += 1;
                continue;
            };
            compared[number] += theirs.len();
            for ((text, ours), theirs) in trial.texts.iter().zip(&trial.ours).zip(theirs).filter(|((_, a), b)| a != b) {
                let (validator, is_accepted) = (VALIDATORS[number], *ours);
                let is_explained = EXPLAINED.iter().any(|one| {
                    (one.format, one.validator, one.is_accepted) == ("pattern", validator, is_accepted)
                        && (one.applies)(&trial.value)
                });
                if !is_explained {
                    wrong.push(format!("{:?} {text:?}: {ours}, {validator} {theirs}", trial.value));
                }
            }
        }
    }
    eprintln!("{} patterns: {right} matches; compared {compared:?} texts, refused {refused:?} patterns", trials.len());
    assert!(right > compared[0] / 5 && compared[0] > count() * 9 / 10);
    assert!(wrong.is_empty(), "{} verdicts differ, such as {:#?}", wrong.len(), first(&wrong));
}

#[test]
fn the_guide_lists_every_difference() {
    let guide = fs::read_to_string(in_tests("../docs/formats.md")).expect("the guide is readable");
    for Explained { format, validator, why, .. } in EXPLAINED {
        let is_listed = guide.lines().any(|line| line.contains(&format!("`{format}`")) && line.contains(why));
        assert!(is_listed, "{format}, {validator}: {why}");
    }
}

fn first(all: &[String]) -> &[String] {
    &all[..all.len().min(20)]
}
