//! Suggestions ("did you mean"): one measure of similarity for build time and run time.

use crate::sorted;

/// Returns up to three of `candidates` that `name` probably is a misspelling of, the most similar first.
///
/// A candidate counts if at most a third of the letters are wrong (a swap of neighbours counts once; case, and `-` for
/// `_`, do not count), or if one name is the beginning of the other and has at least three letters.
pub fn nearest<'c>(name: &str, candidates: impl IntoIterator<Item = &'c str>) -> Vec<&'c str> {
    nearest_of(name, &mut candidates.into_iter())
}

fn nearest_of<'c>(name: &str, candidates: &mut dyn Iterator<Item = &'c str>) -> Vec<&'c str> {
    /// Longer names are ignored: the measure is quadratic, and names from a model are unbounded.
    const LONGEST: usize = 128;
    if name.len() > LONGEST {
        return Vec::new();
    }
    let wanted = fold(name);
    let mut found: Vec<(usize, &str)> = Vec::new();
    for candidate in candidates.filter(|candidate| candidate.len() <= LONGEST) {
        let folded = fold(candidate);
        let distance = strsim::osa_distance(&wanted, &folded);
        let (short, long) = (wanted.len().min(folded.len()), wanted.len().max(folded.len()));
        let close = distance * 3 <= long.max(3) && distance < long;
        let prefix = short >= 3 && (wanted.starts_with(&folded) || folded.starts_with(&wanted));
        if close || prefix {
            sorted::insert(&mut found, (distance, candidate));
            found.truncate(3);
        }
    }
    found.into_iter().map(|(_, candidate)| candidate).collect()
}

/// Returns the question whether one of these names is meant, or `None` without any.
pub fn did_you_mean<S: AsRef<str>>(near: &[S]) -> Option<String> {
    let names: Vec<String> = near.iter().map(|name| format!("`{}`", name.as_ref())).collect();
    (!names.is_empty()).then(|| format!("did you mean {}?", names.join(" or ")))
}

/// Returns the question as the end of a message, or nothing.
pub(crate) fn suggestion(near: &[&str]) -> String {
    did_you_mean(near).map(|question| format!(": {question}")).unwrap_or_default()
}

fn fold(name: &str) -> String {
    name.to_ascii_lowercase().replace('-', "_")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_found_and_strangers_are_not() {
        let tools = ["patch", "read_file", "search_files", "terminal", "todo", "write_file"];
        assert_eq!(nearest("raed_file", tools), ["read_file"]);
        assert_eq!(nearest("Read-File", tools), ["read_file"]);
        assert_eq!(nearest("term", tools), ["terminal"]);
        assert_eq!(nearest("serach_files", tools), ["search_files"]);
        assert!(nearest("browser_click", tools).is_empty());
        assert!(nearest("to", ["at"]).is_empty());
        assert!(nearest("a", ["b"]).is_empty());
        assert!(nearest(&"x".repeat(1_000_000), tools).is_empty());
    }
}
