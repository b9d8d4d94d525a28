//! Completes the names of files after `@`.

use std::fs;
use std::path::Path;

/// The number of names that are offered.
const MOST: usize = 100;
/// The number of entries of a folder that are looked at.
const MOST_ENTRIES: usize = 20_000;

/// Returns where the name of a file begins in a line that ends at the cursor, and the names that begin so. Folders end with `/`, and the only
/// file that fits with a blank. Hidden
/// files are offered once a dot is typed.
pub(super) fn complete(directory: &Path, typed: &str) -> Option<(usize, Vec<String>)> {
    let start =
        typed.rfind(char::is_whitespace).map_or(0, |at| at + typed[at..].chars().next().map_or(1, char::len_utf8));
    let name = typed[start..].strip_prefix('@')?;
    let (folder, beginning) = name.rsplit_once('/').map_or(("", name), |(folder, rest)| (&name[..=folder.len()], rest));
    let mut names: Vec<String> = fs::read_dir(directory.join(folder))
        .into_iter()
        .flatten()
        .take(MOST_ENTRIES)
        .flatten()
        .filter_map(|entry| {
            let found = entry.file_name().into_string().ok()?;
            let is_offered = found.starts_with(beginning) && (beginning.starts_with('.') || !found.starts_with('.'));
            let end = if entry.path().is_dir() { "/" } else { "" };
            (is_offered && !found.contains(char::is_control)).then(|| format!("@{folder}{found}{end}"))
        })
        .collect();
    names.sort();
    names.truncate(MOST);
    if let [only] = &mut names[..]
        && !only.ends_with('/')
    {
        only.push(' ');
    }
    Some((start, names))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_after_an_at_sign_are_completed() {
        let folder = tempfile::tempdir().expect("a folder");
        fs::create_dir(folder.path().join("src")).expect("a folder");
        for name in ["src/main.rs", "setup.py", ".env"] {
            fs::write(folder.path().join(name), "").expect("a file");
        }
        let complete = |typed: &str| complete(folder.path(), typed);
        assert_eq!(complete("look at @s"), Some((8, vec!["@setup.py".to_owned(), "@src/".to_owned()])));
        assert_eq!(complete("@src/m"), Some((0, vec!["@src/main.rs ".to_owned()])));
        assert_eq!(complete("é\u{2003}@.e"), Some((5, vec!["@.env ".to_owned()])));
        assert_eq!(complete("@none/"), Some((0, Vec::new())));
        assert_eq!(complete("me@s"), None);
    }
}
