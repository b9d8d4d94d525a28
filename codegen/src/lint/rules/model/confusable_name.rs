//! A parameter, a property or an enum value that is easily confused with other text. It mixes letters of different scripts, such as
//! a Cyrillic `а` among Latin letters, is not in the normalization form NFC, or looks the same as another one next to it.
//! Unicode (UTS 39) defines which letters look alike.
//!
//! ## Why is this bad
//! A model writes the letters that it knows, so it sends another name, and the call is refused. A log
//! does not show the difference.
//!
//! ## Example
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.encoding]
//! type = "string"
//! description = "How the bytes are read."
//! enum = ["utf8", "l\u0430tin1"]
//! ```
//!
//! ## Use instead
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.encoding]
//! type = "string"
//! description = "How the bytes are read."
//! enum = ["utf8", "latin1"]
//! ```

use std::collections::BTreeMap;

use unicode_normalization::{UnicodeNormalization as _, is_nfc};
use unicode_security::{MixedScript as _, skeleton};

use crate::lint::codes;
use crate::catalog::Tool;
use crate::diagnostic::{Diagnostic, Level, Place, Sink};
use crate::lint::{Check, Lint, Rule};

pub(super) const RULE: Rule = Rule::new("M026", "confusable-name", Some(Level::Warning), Check::Tool(check));

fn check(_: &Lint<'_>, tool: &Tool, sink: &Sink) {
    for schema in tool.manifest.schemas() {
        let names = schema.properties.iter().map(|property| (property.name.value.as_str(), property.name.place));
        check_group("name", &names.collect::<Vec<_>>(), sink);
        let choices = schema.choices.iter().map(|choice| &choice.value).chain(&schema.constant);
        let values = choices.filter_map(|value| Some((value.value.as_str()?, value.place)));
        check_group("value", &values.collect::<Vec<_>>(), sink);
    }
}

/// Reports the names of one object, or the values of one enum. Those in ASCII alone are never confusable here, although `l` and `1`
/// look alike in some fonts.
fn check_group(noun: &str, names: &[(&str, Place)], sink: &Sink) {
    if names.iter().all(|(name, _)| name.is_ascii()) {
        return;
    }
    let mut seen: BTreeMap<String, (&str, Place)> = BTreeMap::new();
    for &(name, place) in names {
        let look: String = skeleton(&name.nfc().collect::<String>()).collect();
        let same = seen.get(&look).filter(|(other, _)| !(name.is_ascii() && other.is_ascii()) && *other != name).copied();
        seen.entry(look).or_insert((name, place));
        let finding = |message: String| Diagnostic::new(codes::CONFUSABLE_NAME, place, message);
        if let Some((other, first)) = same {
            let message = format!("the {noun} `{name}` looks the same as another one, but has other characters");
            let found = finding(message).label(spelled_out(name)).related(first, spelled_out(other));
            sink.push(found.help(format!("remove one of the two, or use a {noun} that looks different")));
        } else if let Some((letter, latin)) = foreign_letter(name) {
            let message = format!("the {noun} `{name}` mixes scripts: U+{:04X} only looks like `{latin}`", u32::from(letter));
            sink.push(finding(message).help(format!("write the Latin letter `{latin}`, or use the letters of one script")));
        } else if !is_nfc(name) {
            let message = format!("the {noun} `{name}` is not in the normalization form NFC, in which models write");
            let help = "write each letter together with its accent as one character";
            sink.push(finding(message).label(spelled_out(name)).help(help));
        }
    }
}

/// Returns a letter of another script that looks like a Latin one, in a word with Latin letters, and the Latin letter.
fn foreign_letter(name: &str) -> Option<(char, char)> {
    let is_mixed = |word: &&str| !word.is_single_script() && word.contains(|letter: char| letter.is_ascii_alphabetic());
    let mut words = name.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_ascii());
    words.find_map(|word| {
        let word = Some(word).filter(is_mixed)?;
        word.chars().filter(|letter| !letter.is_ascii() && letter.is_alphabetic()).find_map(|letter| Some((letter, latin(letter)?)))
    })
}

/// Returns the ASCII letter that a letter looks like.
fn latin(letter: char) -> Option<char> {
    let mut look = skeleton(letter.encode_utf8(&mut [0; 4])).collect::<Vec<_>>().into_iter();
    match (look.next(), look.next()) {
        (Some(look), None) if look.is_ascii_alphabetic() => Some(look),
        _ => None,
    }
}

/// Returns the characters of a name that are not ASCII, by their numbers.
fn spelled_out(name: &str) -> String {
    let letters = name.chars().filter(|letter| !letter.is_ascii());
    let letters: Vec<String> = letters.take(8).map(|letter| format!("U+{:04X}", u32::from(letter))).collect();
    if letters.is_empty() { "only ASCII".to_owned() } else { format!("has {}", letters.join(", ")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_of_other_scripts_are_found_among_latin_ones() {
        for name in ["p\u{430}th", "f\u{430}st", "\u{3bf}ffset", "st\u{430}te_of", "\u{441}ount"] {
            assert!(foreign_letter(name).is_some(), "{name}");
        }
        for name in [
            "café", "путь", "Москва (Moscow)", "naïve", "日本語テキスト", "Δt", "5µm", "größe", "東京Tokyo", "x\u{b2}",
            "ελληνικά", "русский/english", "state_путь",
        ] {
            assert_eq!(foreign_letter(name), None, "{name}");
        }
    }
}
