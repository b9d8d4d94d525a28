//! Checks whether an operand can name more than one file: a folder, or a pattern. The judge does not look at the file system, so the form
//! of the name decides.

use crate::certainty::Match;
use crate::flags::Argument;
use crate::judge::conditions::Check;
use crate::span::Span;
use crate::syntax::{Part, Word};

/// Extensions that folders have.
const OF_FOLDERS: &[&str] = &[
    "app",
    "bundle",
    "d",
    "egg-info",
    "framework",
    "git",
    "lproj",
    "old",
    "wiki",
    "xcassets",
    "xcodeproj",
    "xcworkspace",
];

/// Ends of names without an extension that belong to files.
const OF_FILES: &[&str] = &["artisan", "configure", "file", "gradlew", "manage", "mvnw"];
/// Ends of names with a dot only at their beginning that belong to files.
const OF_HIDDEN_FILES: &[&str] =
    &["attributes", "editorconfig", "env", "file", "ignore", "keep", "lock", "mailmap", "modules", "rc", "version"];

impl Check<'_, '_> {
    /// Returns whether the operands after one of these subcommands, or after `--`, can name more than one file: by a folder or a
    /// pattern, or because there are several. Several files that come from another commit than `HEAD` do not count.
    pub(super) fn folders_after(&self, subcommands: &[&[&str]]) -> (Match, Option<Span>) {
        let is_operand = |word: &&&str| !word.starts_with('-');
        // `-s VALUE`, but not `--source=VALUE`.
        let takes_next = |words: &&&[&str]| {
            words.iter().filter(|word| word.starts_with('-')).all(|word| self.subject.has_bare_option(word))
        };
        let given = subcommands.iter().filter(takes_next).filter(|words| self.subcommand(words) != Match::No);
        let Some(before) = given.map(|words| words.iter().filter(is_operand).count()).max() else {
            return (Match::No, None);
        };
        if self.subject.command.appended {
            return (Match::Maybe, None);
        }
        let is_end = |word: &Word| word.literal().as_deref() == Some("--");
        let end = self.subject.command.arguments().iter().position(is_end);
        let mut best = (Match::No, None);
        let mut files = 0;
        let mut is_other_commit = self.subject.values(&["-s", "--source"]).any(|commit| !is_head(&commit));
        for (count, (word, index)) in self.subject.arguments.iter().filter_map(operand).enumerate() {
            // A name of a branch has no slash at its end.
            let is_path = match end {
                Some(end) => index > end,
                None => count >= before || count > 0 && (word.certain_end().ends_with('/') || is_file_name(word)),
            };
            files += usize::from(is_path);
            is_other_commit |= !is_path && count > 0 && !is_head(word);
            let found = if is_path { can_be_folder(word) } else { Match::No };
            if found > best.0 {
                best = (found, Some(word.span));
            }
        }
        if files > 1 && !is_other_commit { (Match::Yes, best.1) } else { best }
    }
}

fn is_head(commit: &Word) -> bool {
    commit.text().is_some_and(|name| matches!(&*name, "HEAD" | "@"))
}

/// Returns whether a word has the form of a file with an extension, which a name of a branch rarely has.
fn is_file_name(word: &Word) -> bool {
    let has_extension = |text: &str| {
        let (stem, extension) = text.rsplit('/').next().and_then(|name| name.rsplit_once('.')).unwrap_or_default();
        !stem.is_empty() && !extension.is_empty()
    };
    word.text().is_some_and(|text| has_extension(&text) && !is_folder_name(&text))
}

fn operand<'a>(argument: &Argument<'a>) -> Option<(&'a Word, usize)> {
    match argument {
        Argument::Operand { word, index } | Argument::Either { word, index } => Some((word, *index)),
        Argument::Option { .. } => None,
    }
}

/// Returns whether a word can name a folder or several files.
fn can_be_folder(word: &Word) -> Match {
    if word.parts.iter().any(|part| matches!(part, Part::Glob(_))) {
        return Match::Yes;
    }
    let Some(text) = word.text() else {
        // `"$folder/main.rs"`
        let end = word.certain_end();
        let is_file = match end.chars().next() {
            Some('/') => !is_folder_name(&end),
            Some('.') => !is_folder_name(&format!("name{end}")),
            _ => end.contains('/') && !is_folder_name(&end),
        };
        return if is_file { Match::No } else { Match::Maybe };
    };
    is_folder_name(&text).into()
}

/// Returns whether a path has a pattern, or its last name could be that of a folder.
fn is_folder_name(path: &str) -> bool {
    let path = path.strip_prefix(":/").or_else(|| path.strip_prefix(":(top)")).unwrap_or(path);
    let name = path.rsplit('/').next().unwrap_or_default();
    if matches!(name, "" | "." | "..") || path.contains(['*', '?', '[']) || path.starts_with(':') {
        return true;
    }
    if let Some((_, extension)) = name.rsplit_once('.').filter(|(stem, _)| !stem.is_empty()) {
        let is_version = !extension.contains(|letter: char| letter.is_ascii_alphabetic());
        return is_version || OF_FOLDERS.contains(&extension);
    }
    // `README`, `LICENSE-MIT`
    let is_upper = |letter: char| letter.is_ascii_uppercase() || matches!(letter, '-' | '_');
    let is_title = name.chars().all(is_upper);
    let name = name.to_ascii_lowercase();
    let ends = if name.starts_with('.') { OF_HIDDEN_FILES } else { OF_FILES };
    !is_title && !ends.iter().any(|end| name.ends_with(end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_an_extension_is_that_of_a_file() {
        let is_file = |text: &str| is_file_name(&Word::plain(text, Span::default()));
        for name in ["a.py", "src/a.test.ts", "Cargo.lock"] {
            assert!(is_file(name), "{name}");
        }
        for name in ["main", "feature/login", "v1.2", "release-1.20", ".gitignore", "src/", "conf.d"] {
            assert!(!is_file(name), "{name}");
        }
    }

    #[test]
    fn names_of_folders_differ_from_names_of_files() {
        for name in
            ["src", "src/", ".", "..", "a/b", "*.rs", ":(glob)x", ":/", ".github", "v1.2", "conf.d", "docs/en", "a/."]
        {
            assert!(is_folder_name(name), "{name}");
        }
        for name in [
            "main.rs",
            "src/main.rs",
            "Makefile",
            "src/Dockerfile",
            "README",
            "LICENSE-MIT",
            ".gitignore",
            ".bashrc",
            ".env",
            "Cargo.lock",
            ":/src/main.rs",
            "gradlew",
            ".editorconfig",
            ".python-version",
            "a.test.ts",
        ] {
            assert!(!is_folder_name(name), "{name}");
        }
    }
}
