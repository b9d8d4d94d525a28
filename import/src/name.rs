//! Names of manifests: accepted by every vendor, usable as names of files, and different from each other.

use std::collections::{BTreeMap, BTreeSet};

use sha2::{Digest as _, Sha256};

/// The maximum number of characters of a name.
const MAX: usize = 64;
/// Names that toolc uses itself, and names that no file can have on Windows.
const RESERVED: [&str; 8] = ["tool_search", "tool_describe", "tool_call", "all", "con", "prn", "aux", "nul"];

/// Gives each tool of a source a name. `known` are the names of an earlier import, by the name in the source, and `taken` the names that
/// others have. Whether two names collide is decided as file systems and Rust do: without regard to case, `-` and `_`.
pub fn assign(
    sources: &[&str],
    prefix: &str,
    known: &BTreeMap<String, String>,
    taken: &BTreeSet<String>,
) -> Vec<String> {
    let wanted: Vec<String> = sources.iter().map(|source| valid(&format!("{prefix}{source}"))).collect();
    let mut used: BTreeSet<String> = taken.iter().map(|name| folded(name)).collect();
    let kept = |source: &&str| known.get(*source).filter(|_| prefix.is_empty() || known[*source].starts_with(prefix));
    used.extend(sources.iter().filter_map(kept).map(|name| folded(name)));
    let mut counts = BTreeMap::<String, usize>::new();
    let new = sources.iter().zip(&wanted).filter(|(source, _)| kept(source).is_none());
    for (_, name) in new {
        *counts.entry(folded(name)).or_default() += 1;
    }
    let name = |(index, source): (usize, &&str)| {
        if let Some(name) = kept(source) {
            return name.clone();
        }
        let wanted = &wanted[index];
        let is_free = counts[&folded(wanted)] == 1 && !used.contains(&folded(wanted)) && !is_reserved(wanted);
        // A name that does not say everything of the source's name could be the same for another tool tomorrow.
        if is_free && (wanted.len() < MAX || format!("{prefix}{source}").len() <= MAX) {
            used.insert(folded(wanted));
            return wanted.clone();
        }
        let name = distinct(wanted, source, &used);
        used.insert(folded(&name));
        name
    };
    sources.iter().enumerate().map(name).collect()
}

/// Returns a name with a suffix that depends only on the name in the source, or also on a number if that name occurs twice.
fn distinct(wanted: &str, source: &str, used: &BTreeSet<String>) -> String {
    let numbers = (1_usize..).map(|number| if number == 1 { source.to_owned() } else { format!("{source}\n{number}") });
    let mut names = numbers.map(|source| {
        let digest = Sha256::digest(source.as_bytes());
        let suffix = format!("_{:02x}{:02x}{:02x}{:02x}", digest[0], digest[1], digest[2], digest[3]);
        let kept = wanted.get(..wanted.len().min(MAX - suffix.len())).unwrap_or(wanted);
        format!("{}{suffix}", kept.trim_end_matches(['_', '-']))
    });
    names.find(|name| !used.contains(&folded(name))).unwrap_or_else(|| unreachable!("numbers do not end"))
}

/// Returns a name that every vendor accepts, of at most 64 characters. It is empty for no source.
pub fn valid(source: &str) -> String {
    let mut name = String::new();
    for letter in source.chars() {
        if letter.is_ascii_alphanumeric() || letter == '_' || letter == '-' {
            name.push(letter);
        } else if !name.is_empty() && !name.ends_with(['_', '-']) {
            name.push('_');
        }
    }
    let name = name.trim_end_matches(['_', '-']);
    let name = if name.is_empty() { "tool" } else { name };
    let needs_start = !name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_');
    let name = if needs_start { format!("_{name}") } else { name.to_owned() };
    name[..name.len().min(MAX)].to_owned()
}

/// Returns whether nothing can have this name.
pub fn is_reserved(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let is_port = |stem: &str| {
        name.strip_prefix(stem).is_some_and(|rest| rest.len() == 1 && rest.bytes().all(|byte| byte.is_ascii_digit()))
    };
    RESERVED.contains(&name.as_str()) || is_port("com") || is_port("lpt")
}

/// Returns what two names that collide have in common.
pub fn folded(name: &str) -> String {
    name.chars().filter(|letter| !matches!(letter, '_' | '-')).map(|letter| letter.to_ascii_lowercase()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(sources: &[&str]) -> Vec<String> {
        assign(sources, "", &BTreeMap::new(), &BTreeSet::new())
    }

    #[test]
    fn a_name_that_is_valid_stays_as_it_is() {
        let all = ["read_file", "API-post-page", "getWeather", "_x"];
        assert_eq!(names(&all), all);
    }

    #[test]
    fn a_name_has_no_separators_and_no_other_sign() {
        let found = names(&["../etc/passwd", "a.b c", "C:\\x", "größe", "9lives", "", "日本"]);
        assert_eq!(found[..5], ["etc_passwd", "a_b_c", "C_x", "gr_e", "_9lives"]);
        assert!(found[5].starts_with("tool_") && found[6].starts_with("tool_") && found[5] != found[6], "{found:?}");
    }

    #[test]
    fn names_that_collide_get_a_suffix_that_does_not_depend_on_the_order() {
        let found = names(&["getItem", "get_item", "GETITEM", "other"]);
        assert_eq!(found[3], "other");
        assert_eq!(found.iter().map(|name| folded(name)).collect::<BTreeSet<_>>().len(), 4, "{found:?}");
        let turned = names(&["other", "GETITEM", "get_item", "getItem"]);
        assert_eq!(turned.into_iter().rev().collect::<Vec<_>>(), found);
    }

    #[test]
    fn a_long_name_is_cut_before_its_suffix_and_stays_distinct() {
        let long = |end: &str| format!("{}{end}", "x".repeat(70));
        let found = names(&[&long("a"), &long("b"), &"y".repeat(64)]);
        assert!(found.iter().all(|name| name.len() == 64), "{found:?}");
        assert_ne!(found[0], found[1]);
        assert_eq!(found[2], "y".repeat(64));
    }

    #[test]
    fn reserved_names_and_the_names_of_others_are_not_used() {
        let taken = BTreeSet::from(["read-file".to_owned()]);
        let found = assign(&["con", "tool_search", "Read_File", "COM1"], "", &BTreeMap::new(), &taken);
        assert!(found.iter().all(|name| name.len() > 10 && !is_reserved(name)), "{found:?}");
    }

    #[test]
    fn a_name_of_an_earlier_import_stays() {
        let known = BTreeMap::from([("a.b".to_owned(), "ours".to_owned())]);
        let found = assign(&["a_b", "a.b", "ours"], "", &known, &BTreeSet::new());
        assert_eq!(found[..2], ["a_b", "ours"]);
        assert!(found[2].starts_with("ours_"), "{found:?}");
    }
}
