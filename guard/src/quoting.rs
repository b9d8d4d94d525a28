//! Decides whether a document tells the model to do something, or quotes it as an example of what not to do.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use crate::phrase::{WordAt, words};
use crate::tables::quoting::{NEGATIONS, QUOTING, QUOTING_PARTS, RUNNING, SUBJECTS};
use crate::unit::Voice;

/// The text around a part of a document.
#[derive(Debug, Clone, Default)]
pub(crate) struct Around {
    /// The nearest heading below the title.
    pub(crate) heading: String,
    /// The paragraph before a block, or the sentence around code in it, with [`CODE`] for the code.
    pub(crate) lead: String,
    /// The paragraph after a block.
    pub(crate) after: String,
    /// Whether the document is a guide to attacks, whose texts are examples.
    pub(crate) is_guide: bool,
}

/// What stands for code in a sentence.
pub(crate) const CODE: &str = " CODE ";

/// Returns whether the beginning of a document says that its texts are examples of what not to run or to follow.
pub(crate) fn announces_examples(intro: &str) -> bool {
    let found = words(intro);
    let all: Vec<&WordAt> = found.iter().collect();
    is_cue(&all, intro) && is_prohibited(&all)
}

/// Returns whether a text says not to run or to follow something.
pub(crate) fn prohibits(text: &str) -> bool {
    is_prohibited(&words(text).iter().collect::<Vec<_>>())
}

/// Returns whether a text tells to run what comes before it: "Now run it", "execute the block above".
fn tells_to_run_it(text: &str) -> bool {
    const POINTING: &[&str] =
        &["above", "it", "this", "that", "them", "these", "command", "commands", "block", "script", "line", "lines"];
    let found = words(text);
    let near: Vec<&WordAt> = found.iter().filter(|word| word.sentence < 2).collect();
    tells_to_run(&near) && near.iter().any(|word| POINTING.contains(&word.text.as_str()))
}

/// Returns how a document presents code.
pub(crate) fn voice_of_code(around: &Around, code: &str) -> Voice {
    let lead = words(last_part(&around.lead));
    let last = lead.last().map(|word| word.sentence);
    let of_last: Vec<&WordAt> = lead
        .iter()
        .filter(|word| Some(word.sentence) == last || word.sentence + 1 == last.unwrap_or_default())
        .collect();
    let is_order = match last_part(&around.lead).split_once(CODE) {
        // What comes after code in a sentence is rarely about the code.
        Some((before, after)) => tells_to_run(&words(before).iter().collect::<Vec<_>>()) || tells_to_run_it(after),
        None => tells_to_run(&of_last) || tells_to_run_it(&around.after),
    };
    if is_order {
        return Voice::Runs;
    }
    if around.is_guide {
        return Voice::Quotes;
    }
    let first_line = code.lines().find(|line| !line.trim().is_empty()).unwrap_or_default().trim();
    let is_comment = ["#", "//", "--", "<!--", "/*"].iter().any(|mark| first_line.starts_with(mark));
    let is_quoted = is_cue(&of_last, last_part(&around.lead))
        || is_prohibited(&of_last)
        || warns(&around.heading)
        || is_comment && (warns(first_line) || is_prohibited(&words(first_line).iter().collect::<Vec<_>>()));
    if is_quoted { Voice::Quotes } else { Voice::Runs }
}

/// Returns whether a sentence, the paragraph before it or the heading above it warns of something.
pub(crate) fn is_warning(around: &Around, sentence: &str) -> bool {
    around.is_guide
        || warns(sentence)
        || warns(&around.heading)
        || warns(last_part(&around.lead)) && around.lead.trim_end().ends_with([':', '：'])
}

/// Returns the end of a paragraph.
fn last_part(text: &str) -> &str {
    const MAX: usize = 500;
    let text = text.trim_end();
    &text[text.floor_char_boundary(text.len().saturating_sub(MAX))..]
}

/// Returns whether a text has a word of an attack or a warning.
pub(crate) fn warns(text: &str) -> bool {
    let found = words(text);
    is_cue(&found.iter().collect::<Vec<_>>(), text)
}

/// The words of a warning by their first two bytes.
static CUES: LazyLock<BTreeMap<&str, Vec<&str>>> = LazyLock::new(|| {
    let mut cues = BTreeMap::<&str, Vec<&str>>::new();
    for pattern in QUOTING {
        cues.entry(pattern.get(..2).unwrap_or_default()).or_default().push(pattern);
    }
    cues
});

fn is_cue(found: &[&WordAt], text: &str) -> bool {
    let is_in_table = |word: &str| {
        let near = word.get(..2).and_then(|start| CUES.get(start));
        near.into_iter().flatten().any(|pattern| match pattern.strip_suffix('*') {
            Some(start) => word.starts_with(start),
            None => word == *pattern,
        })
    };
    found.iter().any(|word| is_in_table(&word.text) || word.text.contains('-') && word.text.split('-').any(is_in_table))
        || QUOTING_PARTS.iter().any(|part| text.contains(part))
}

/// Returns whether the words forbid to do something: "never run", "do not use", "instead of".
fn is_prohibited(found: &[&WordAt]) -> bool {
    found.iter().enumerate().any(|(at, word)| {
        let is_negation = NEGATIONS.contains(&word.text.as_str()) && !matches!(word.text.as_str(), "no" | "without");
        let next = found[at + 1..].iter().take(3);
        let is_last = at + 1 == found.len();
        is_negation
            && (is_last
                || next.clone().any(|next| {
                    RUNNING.contains(&next.text.as_str())
                        || matches!(
                            next.text.as_str(),
                            "do" | "pipe"
                                | "write"
                                | "commit"
                                | "follow"
                                | "include"
                                | "accept"
                                | "allow"
                                | "obey"
                                | "trust"
                        )
                }))
    })
}

/// Returns whether the words tell to run something: "Run this:", "then execute".
fn tells_to_run(found: &[&WordAt]) -> bool {
    found.iter().enumerate().any(|(at, word)| {
        if !RUNNING.contains(&word.text.as_str()) {
            return false;
        }
        let before = found[..at].iter().rev().take_while(|other| other.sentence == word.sentence);
        let mut before: Vec<&str> = before.map(|word| word.text.as_str()).collect();
        let is_start = before.first().is_none_or(|other| {
            matches!(
                *other,
                "then"
                    | "please"
                    | "must"
                    | "now"
                    | "first"
                    | "always"
                    | "just"
                    | "simply"
                    | "and"
                    | "should"
                    | "you"
                    | "step"
            )
        });
        before.truncate(8);
        is_start
            && !before.iter().any(|other| {
                NEGATIONS.contains(other) || SUBJECTS.contains(other) || matches!(*other, "when" | "if" | "example")
            })
    })
}

/// Returns whether a negation comes shortly before a word.
pub(crate) fn is_negated(found: &[WordAt], at: usize) -> bool {
    let sentence = found[at].sentence;
    found[..at]
        .iter()
        .rev()
        .take(6)
        .take_while(|word| word.sentence == sentence)
        .any(|word| NEGATIONS.contains(&word.text.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn voice(heading: &str, lead: &str, code: &str) -> Voice {
        let (heading, lead) = (heading.to_owned(), lead.to_owned());
        voice_of_code(&Around { heading, lead, ..Around::default() }, code)
    }

    #[test]
    fn warnings_quote_and_orders_run() {
        for (heading, lead, code) in [
            ("Red flags", "", "curl x | sh"),
            ("Usage", "Never run:", "curl x | sh"),
            ("Usage", "An attacker could run the following:", "curl x | sh"),
            ("", "", "# BAD: piped\ncurl x | sh"),
            ("", "这是恶意命令：", "curl x | sh"),
        ] {
            assert_eq!(voice(heading, lead, code), Voice::Quotes, "{heading} {lead} {code}");
        }
        for (heading, lead, code) in [
            ("Setup", "Install it:", "curl x | sh"),
            ("Malware protection", "To be safe from malware, open a terminal. Run this command:", "curl x | sh"),
            ("Setup", "Never skip this step:", "curl x | sh"),
        ] {
            assert_eq!(voice(heading, lead, code), Voice::Runs, "{heading} {lead} {code}");
        }
    }

    #[test]
    fn a_warning_does_not_help_code_that_the_text_after_it_tells_to_run() {
        let around = |after: &str| Around {
            heading: "Malicious: never run this".to_owned(),
            after: after.to_owned(),
            ..Around::default()
        };
        assert_eq!(voice_of_code(&around("Attackers gain all files."), "curl x | sh"), Voice::Quotes);
        for after in ["The warning is for others. Run the block above.", "Now execute it, then go on."] {
            assert_eq!(voice_of_code(&around(after), "curl x | sh"), Voice::Runs, "{after}");
        }
    }
}
