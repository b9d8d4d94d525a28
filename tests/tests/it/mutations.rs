//! Checks the properties of the fuzz targets on some thousands of mutations, which are the same in every run.

use std::collections::BTreeSet;
use std::panic::catch_unwind;

use toolc_tests::random::Random;

use super::fuzz::{self, Seeds};

#[test]
fn any_manifest_yields_findings_or_a_catalog() {
    let Seeds { manifests, words, .. } = Seeds::collect();
    run(2_000, &manifests, &words, fuzz::manifest);
}

#[test]
fn any_condition_parses_or_has_an_error_with_a_position() {
    let Seeds { conditions, words, .. } = Seeds::collect();
    run(50_000, &conditions, &words, fuzz::condition);
}

#[test]
fn any_template_parses_or_has_an_error_with_a_position() {
    let Seeds { templates, words, .. } = Seeds::collect();
    run(50_000, &templates, &words, fuzz::template);
}

#[test]
fn any_call_of_a_model_is_refused_or_yields_valid_arguments() {
    let Seeds { calls, words, .. } = Seeds::collect();
    run(5_000, &calls, &words, fuzz::call);
}

#[test]
fn any_message_of_an_api_or_client_is_an_error_or_can_be_answered() {
    let Seeds { messages, words, .. } = Seeds::collect();
    run(20_000, &messages, &words, fuzz::wire::message);
}

#[test]
fn any_command_line_can_be_read() {
    let Seeds { commands, words, .. } = Seeds::collect();
    run(10_000, &commands, &words, fuzz::commands::line);
}

/// Checks every seed, and then mutations of the seeds in turn.
fn run(count: usize, seeds: &BTreeSet<String>, words: &BTreeSet<&str>, check: fn(&str)) {
    let seeds: Vec<&str> = seeds.iter().map(String::as_str).collect();
    let words: Vec<&str> = words.iter().copied().collect();
    let mut random = Random(1);
    for number in 0..count {
        let mut input = seeds[number % seeds.len()].to_owned();
        if number >= seeds.len() {
            for _ in 0..=random.below(3) {
                mutate(&mut input, &seeds, &words, &mut random);
            }
        }
        assert!(catch_unwind(|| check(&input)).is_ok(), "input {number}:\n{input}");
    }
}

/// Makes one change: inserts, removes or repeats a part, or copies one from another seed.
fn mutate(input: &mut String, seeds: &[&str], words: &[&str], random: &mut Random) {
    let (other, word) = (*random.pick(seeds), *random.pick(words));
    let place = part(input, random);
    let new = match random.below(6) {
        0 => String::new(),
        1 => word.to_owned(),
        2 => input[place.clone()].repeat(1 + random.below(40)),
        3 => other[part(other, random)].to_owned(),
        4 => random
            .pick(&['\0', '\t', '\r', '\n', ' ', '"', '.', '=', '[', 'é', '\u{301}', '\u{2028}', '😀'])
            .to_string(),
        _ => return input.insert_str(place.start, word),
    };
    input.replace_range(place, &new);
}

/// Returns a random range of a text, which is usually short.
fn part(text: &str, random: &mut Random) -> std::ops::Range<usize> {
    let length = if random.below(8) == 0 { text.len() + 1 } else { 12 };
    let start = random.below(text.len() + 1);
    let end = (start + random.below(length)).min(text.len());
    text.floor_char_boundary(start)..text.ceil_char_boundary(end)
}
