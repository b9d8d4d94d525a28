//! Paths that every system can hold, and that stay in their folder.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

use unicode_normalization::UnicodeNormalization as _;

use super::Limits;

/// Names of devices on Windows, with and without an ending (Microsoft, "Naming Files, Paths, and Namespaces").
const DEVICES: &[&str] = &[
    "con", "prn", "aux", "nul", "conin$", "conout$", "com0", "com1", "com2", "com3", "com4", "com5", "com6", "com7",
    "com8", "com9", "com¹", "com²", "com³", "lpt0", "lpt1", "lpt2", "lpt3", "lpt4", "lpt5", "lpt6", "lpt7", "lpt8",
    "lpt9", "lpt¹", "lpt²", "lpt³",
];
/// The maximum length of a name, in bytes: the limit of ext4, APFS and NTFS for most names.
const MAX_NAME: usize = 255;
/// The maximum length of a path, in bytes. Windows allows 260 characters, from the drive on.
const MAX_PATH: usize = 180;

/// What is wrong with a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum PathFault {
    /// The path is empty, or one of its names is.
    Empty,
    /// The path begins at the root or at a drive.
    Absolute,
    /// The path has a part `.` or `..`.
    Dots,
    /// The path has a character that an operating system refuses, or an invisible one.
    Character(char),
    /// A name in the path is a device on Windows.
    Device,
    /// A name in the path ends with a dot or a space, which Windows removes.
    End,
    /// The path leads into a `.git` folder, whose hooks are programs.
    Git,
    /// The path, or one of its names, is too long.
    Length,
    /// The path has more than this number of folders.
    Depth(usize),
}

impl fmt::Display for PathFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("it has an empty name"),
            Self::Absolute => f.write_str("it is absolute"),
            Self::Dots => f.write_str("it has a part `.` or `..`"),
            Self::Character(character) => write!(f, "it has the character U+{:04X}", u32::from(*character)),
            Self::Device => f.write_str("it has the name of a device on Windows"),
            Self::End => f.write_str("a name in it ends with a dot or a space"),
            Self::Git => f.write_str("it is in a folder `.git`"),
            Self::Length => write!(f, "it is longer than {MAX_PATH} bytes, or a name in it than {MAX_NAME}"),
            Self::Depth(most) => write!(f, "it has more than {most} folders"),
        }
    }
}

/// Checks a path with `/` between its names.
pub(crate) fn check(path: &str, limits: &Limits) -> Result<(), PathFault> {
    if path.starts_with(['/', '\\']) || path.get(1..2) == Some(":") {
        return Err(PathFault::Absolute);
    }
    if path.len() > MAX_PATH {
        return Err(PathFault::Length);
    }
    if path.split('/').count() > limits.folders + 1 {
        return Err(PathFault::Depth(limits.folders));
    }
    path.split('/').try_for_each(check_name)
}

/// Checks the name of a file or a folder.
pub(crate) fn check_name(name: &str) -> Result<(), PathFault> {
    match name {
        "" => return Err(PathFault::Empty),
        "." | ".." => return Err(PathFault::Dots),
        _ if name.len() > MAX_NAME => return Err(PathFault::Length),
        _ => {}
    }
    if let Some(character) = name.chars().find(|character| is_refused(*character)) {
        return Err(PathFault::Character(character));
    }
    if name.ends_with(['.', ' ']) {
        return Err(PathFault::End);
    }
    let folded = folded(name);
    if folded == ".git" || folded == "git~1" {
        return Err(PathFault::Git);
    }
    let stem = folded.split('.').next().unwrap_or_default().trim_end();
    if DEVICES.contains(&stem) { Err(PathFault::Device) } else { Ok(()) }
}

fn is_refused(character: char) -> bool {
    matches!(character, '<' | '>' | ':' | '"' | '|' | '?' | '*' | '\\' | '/')
        || character.is_control()
        // Invisible characters, and those that change the order in which a name is read.
        || matches!(
            character,
            '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}'
            | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}'
        )
}

/// Returns the form in which two names are equal on a system that ignores case, or that composes characters.
pub(crate) fn folded(path: &str) -> String {
    path.nfc().flat_map(char::to_lowercase).nfc().collect()
}

/// Finds two paths that are one on some system: equal but for case, or a file and a folder of the same name.
pub(crate) fn collision<'p>(paths: impl Iterator<Item = &'p str>) -> Option<(String, String)> {
    // The spelling of each file and folder, and whether it is a file.
    let mut seen: BTreeMap<String, (Cow<'p, str>, bool)> = BTreeMap::new();
    for path in paths {
        let ends = path.match_indices('/').map(|(at, _)| (at, false)).chain([(path.len(), true)]);
        for (end, is_file) in ends {
            let part = &path[..end];
            match seen.insert(folded(part), (Cow::Borrowed(part), is_file)) {
                Some((other, was_file)) if is_file || was_file || other != part => {
                    return Some((other.into_owned(), path.to_owned()));
                }
                _ => {}
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_that_some_system_cannot_hold_is_refused() {
        let limits = Limits::default();
        for path in ["SKILL.md", "a/b/c.txt", ".hidden", "a b/ü.md", "console.txt", "com10", "auxiliary.md", "git/x"] {
            assert_eq!(check(path, &limits), Ok(()), "{path}");
        }
        for (path, fault) in [
            ("", PathFault::Empty),
            ("a//b", PathFault::Empty),
            ("a/", PathFault::Empty),
            ("/etc/passwd", PathFault::Absolute),
            ("\\x", PathFault::Absolute),
            ("C:x", PathFault::Absolute),
            ("../x", PathFault::Dots),
            ("a/../../x", PathFault::Dots),
            ("./x", PathFault::Dots),
            ("a\\..\\x", PathFault::Character('\\')),
            ("ab:c", PathFault::Character(':')),
            ("a\n", PathFault::Character('\n')),
            ("a\u{202e}gpj.exe", PathFault::Character('\u{202e}')),
            ("a\u{200d}b", PathFault::Character('\u{200d}')),
            ("nul", PathFault::Device),
            ("a/COM1.txt", PathFault::Device),
            ("aux .md", PathFault::Device),
            ("a.", PathFault::End),
            ("a /b", PathFault::End),
            (".git/hooks/pre-commit", PathFault::Git),
            ("x/.GIT/config", PathFault::Git),
            ("1/2/3/4/5/6/7/8/9/10/11", PathFault::Depth(8)),
        ] {
            assert_eq!(check(path, &limits), Err(fault), "{path:?}");
        }
        assert_eq!(check(&"a".repeat(181), &limits), Err(PathFault::Length));
    }

    #[test]
    fn paths_that_are_one_on_some_system_collide() {
        let found = |paths: &[&str]| collision(paths.iter().copied()).is_some();
        assert!(!found(&["a", "b/a", "b/c", "c/d/e", "c/d/f"]));
        for paths in [
            &["a", "a"][..],
            &["readme.md", "README.md"],
            &["A/x", "a/y"],
            &["a", "a/b"],
            &["a/b", "A"],
            &["\u{e4}", "a\u{308}"],
            &["\u{c4}", "\u{e4}"],
        ] {
            assert!(found(paths), "{paths:?}");
        }
    }
}
