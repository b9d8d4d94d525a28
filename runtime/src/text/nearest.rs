//! Suggestions of similar names ("did you mean"), for the compiler and the runtime.

use crate::sorted;

/// Returns up to three of `candidates` that `name` probably is a misspelling of, the most similar first.
///
/// A candidate is similar if at most a third of its letters differ (swapped neighbours count as one difference; case, and `-`
/// instead of `_`, are ignored), or if one name is a prefix of the other and has at least three letters.
pub fn nearest<'c>(name: &str, candidates: impl IntoIterator<Item = &'c str>) -> Vec<&'c str> {
    nearest_of(name, &mut candidates.into_iter())
}

fn nearest_of<'c>(name: &str, candidates: &mut dyn Iterator<Item = &'c str>) -> Vec<&'c str> {
    /// Longer names are ignored, because the time is quadratic in their length.
    const MAX_BYTES: usize = 128;
    if name.len() > MAX_BYTES {
        return Vec::new();
    }
    let wanted = fold(name);
    let mut similar: Vec<(usize, &str)> = Vec::new();
    for candidate in candidates.filter(|candidate| candidate.len() <= MAX_BYTES) {
        let folded = fold(candidate);
        let distance = strsim::osa_distance(&wanted, &folded);
        let (short, long) = (wanted.len().min(folded.len()), wanted.len().max(folded.len()));
        let close = distance * 3 <= long.max(3) && distance < long;
        let prefix = short >= 3 && (wanted.starts_with(&folded) || folded.starts_with(&wanted));
        if close || prefix {
            sorted::insert(&mut similar, (distance, candidate));
            similar.truncate(3);
        }
    }
    similar.into_iter().map(|(_, candidate)| candidate).collect()
}

/// Returns the question "did you mean `a` or `b`?", or `None` if `near` is empty.
pub fn did_you_mean<S: AsRef<str>>(near: &[S]) -> Option<String> {
    let names: Vec<String> = near.iter().map(|name| format!("`{}`", name.as_ref())).collect();
    (!names.is_empty()).then(|| format!("did you mean {}?", names.join(" or ")))
}

/// Returns the question about `name` with a colon before it, to append to the message that `name` is unknown: ``: did you mean `a`?``. It is
/// empty if no candidate is similar.
pub fn suggestion<'c>(name: &str, candidates: impl IntoIterator<Item = &'c str>) -> String {
    did_you_mean(&nearest(name, candidates)).map_or_else(String::new, |question| format!(": {question}"))
}

fn fold(name: &str) -> String {
    name.to_ascii_lowercase().replace('-', "_")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn misspellings_are_found_and_other_names_are_not() {
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
