//! Two tools in one toolset with easily confused names: the same words in another order, singular and plural,
//! synonyms such as `get` and `fetch`, other separators, or words that differ by one letter.
//!
//! ## Why is this bad
//! A model that means one of the tools calls the other. It can tell them apart only by their descriptions.
//!
//! ## Example
//! ```toml
//! # manifests/tools/file_read.toml
//! description = "Read an image of the project and describe what it shows. Text in the image is returned as text."
//! ```
//!
//! ## Use instead
//! ```toml
//! # manifests/tools/describe_picture.toml
//! description = "Read an image of the project and describe what it shows. Text in the image is returned as text."
//! ```

use std::borrow::Cow;

use crate::lint::codes;
use crate::catalog::{Catalog, ToolId};
use crate::diagnostic::{Diagnostic, Level, Sink};
use crate::lint::hashes::Hash;
use crate::lint::verbs::{stem, words};
use crate::lint::{Check, Lint, Rule};

pub(super) const RULE: Rule = Rule::new("M015", "overlapping-names", Some(Level::Warning), Check::Catalog(check));

/// Groups of synonyms.
const SYNONYMS: &[&[&str]] = &[&["fetch", "get", "retrieve"], &["delete", "erase"], &["lookup", "find"], &["ls", "list"]];

/// Words that make the order of the others significant.
const DIRECTIONS: &[&str] = &["as", "by", "for", "from", "in", "into", "of", "on", "per", "to", "via", "with"];

/// The least length of words that are compared by letter. In shorter words one letter is a real difference: `close` and `clone`.
const MIN_WORD_LENGTH: usize = 6;

/// The greatest length of a valid name.
const MAX_WORD_LENGTH: usize = 64;

fn check(lint: &Lint<'_>, sink: &Sink) {
    for found in lint
        .similar_tools(|id| keys(lint[id].name()), |one, other| !is_replacement(lint, one, other) && !collide(lint, one, other))
    {
        let name = lint[found.tool].name();
        let Some(&(other, set)) = found.others.first() else { continue };
        let message = format!("`{name}` and `{}` are easily confused", lint[other].name());
        let diagnostic = Diagnostic::new(codes::OVERLAPPING_NAMES, lint[found.tool].manifest.name.place, message);
        let diagnostic = found.others.iter().fold(diagnostic, |diagnostic, (other, _)| {
            diagnostic.related(lint[*other].manifest.name.place, "the other tool")
        });
        let help = format!("both are in `{}`: rename one of them after what only it does", lint[set].name());
        sink.push(diagnostic.help(help));
    }
}

/// Returns whether one of the tools is deprecated in favor of the other.
fn is_replacement(catalog: &Catalog, one: ToolId, other: ToolId) -> bool {
    catalog[one].replacement == Some(other) || catalog[other].replacement == Some(one)
}

/// Returns whether the names are equal in Rust, which is reported as an error.
fn collide(catalog: &Catalog, one: ToolId, other: ToolId) -> bool {
    catalog[one].home == catalog[other].home && words(catalog[one].name()) == words(catalog[other].name())
}

/// Returns the keys of a name. Names with a common key are similar.
fn keys(name: &str) -> Vec<u64> {
    let words = words(name);
    let canonical = |word| {
        let word = stem(word);
        SYNONYMS.iter().find(|group| group.contains(&&*word)).map_or(word, |group| Cow::Borrowed(group[0]))
    };
    let mut plain: Vec<Cow<'_, str>> = words.iter().map(|word| canonical(word)).collect();
    let is_ordered = plain.iter().any(|word| DIRECTIONS.contains(&&**word));
    let mut keys = missing_letters(&plain);
    if !is_ordered {
        plain.sort();
    }
    keys.push(Hash::EMPTY.text(" ").text(&plain.join(" ")).finish());
    keys
}

/// Returns the name, and the name without each of its letters. Names that differ by one letter have one of these in common.
fn missing_letters(words: &[Cow<'_, str>]) -> Vec<u64> {
    let name = words.join(" ");
    let (mut found, mut start) = (vec![Hash::EMPTY.text(&name).finish()], 0);
    for word in words {
        let letters = start..start + word.len();
        start = letters.end + 1;
        if (MIN_WORD_LENGTH..=MAX_WORD_LENGTH).contains(&word.len()) && word.bytes().all(|byte| byte.is_ascii_lowercase()) {
            let mut before = Hash::EMPTY.text(&name[..letters.start]);
            for left_out in letters {
                found.push(before.text(&name[left_out + 1..]).finish());
                before = before.text(&name[left_out..=left_out]);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn similar_names_have_a_common_key() {
        let are_similar = |one: &str, other: &str| keys(one).iter().any(|key| keys(other).contains(key));
        for (one, other) in [
            ("read_file", "file_read"),
            ("list_issue", "list_issues"),
            ("get_page", "fetch_page"),
            ("readFile", "read-file"),
            ("serch_files", "search_files"),
            ("upload_file", "uplaod_file"),
            ("create_branch", "create_brench"),
        ] {
            assert!(are_similar(one, other), "{one} {other}");
        }
        for (one, other) in [
            ("html_to_pdf", "pdf_to_html"),
            ("read_file", "write_file"),
            ("close_issue", "clone_issue"),
            ("get_v1", "get_v2"),
            ("send_sms", "send_mms"),
            ("lock_door", "unlock_door"),
            ("get_issue", "list_issues"),
            ("add_label", "create_label"),
        ] {
            assert!(!are_similar(one, other), "{one} {other}");
        }
    }
}
