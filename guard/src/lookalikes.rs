//! Names of packages that are almost the names of well-known ones.

use crate::tables::packages::{NPM, PYPI};

/// A registry of packages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Registry {
    PyPi,
    Npm,
}

/// The least length of a name that is compared: short names are similar by chance.
const MIN_LENGTH: usize = 5;

/// Returns the well-known package whose name differs from a name by one letter: one more, one less, another one, or two that have
/// changed places, or only by what joins its words.
pub(crate) fn twin(registry: Registry, name: &str) -> Option<&'static str> {
    let known = match registry {
        Registry::PyPi => PYPI,
        Registry::Npm => NPM,
    };
    let name = bare(registry, name);
    if name.len() < MIN_LENGTH || known.contains(&name.as_str()) {
        return None;
    }
    let joined = |name: &str| name.replace(['-', '_', '.'], "");
    known.iter().copied().find(|known| {
        known.len() >= MIN_LENGTH && (is_one_edit(name.as_bytes(), known.as_bytes()) || joined(&name) == joined(known))
    })
}

/// Returns a name without its version, its extras and its quotes, in the form in which the registry compares names.
fn bare(registry: Registry, word: &str) -> String {
    let word = word.trim_matches(['"', '\'']);
    let end = match registry {
        Registry::PyPi => word.find(['=', '<', '>', '~', '!', '[', ';', ' ', '@']),
        Registry::Npm => word.get(1..).and_then(|rest| rest.find('@')).map(|at| at + 1),
    };
    let name = word[..end.unwrap_or(word.len())].to_ascii_lowercase();
    match registry {
        Registry::PyPi => name.replace(['_', '.'], "-"),
        Registry::Npm => name,
    }
}

/// Returns whether one text becomes the other by one change.
fn is_one_edit(one: &[u8], other: &[u8]) -> bool {
    let (short, long) = if one.len() <= other.len() { (one, other) } else { (other, one) };
    let Some(at) = short.iter().zip(long).position(|(a, b)| a != b) else { return long.len() == short.len() + 1 };
    let (rest, others) = (&short[at..], &long[at..]);
    match long.len() - short.len() {
        0 => {
            rest[1..] == others[1..]
                || rest.len() > 1 && rest[0] == others[1] && rest[1] == others[0] && rest[2..] == others[2..]
        }
        1 => rest == &others[1..],
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_differ_by_one_letter_are_twins() {
        for (name, expected) in [
            ("reqeusts", Some("requests")),
            ("requestss==1.0", Some("requests")),
            ("python_dateutils", Some("python-dateutil")),
            ("beautifulsoup", Some("beautifulsoup4")),
            ("scikitlearn", Some("scikit-learn")),
            ("requests[socks]>=2", None),
            ("pandas", None),
            ("flask-cors", None),
            ("rish", None),
        ] {
            assert_eq!(twin(Registry::PyPi, name), expected, "{name}");
        }
        assert_eq!(twin(Registry::Npm, "loadsh@4"), Some("lodash"));
        assert_eq!(twin(Registry::Npm, "crossenv"), Some("cross-env"));
        assert_eq!(twin(Registry::Npm, "preact"), None);
        assert_eq!(twin(Registry::Npm, "@types/react"), None);
    }
}
