//! The file `.env`: the environment variables of a profile, most of them keys. Nothing in this module shows a value.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use toolc::Env;

use crate::access;
use crate::bounded;
use crate::error::{ConfigError, ConfigErrorKind};
use crate::home::Home;

/// The maximum number of bytes of the file.
const MAX_BYTES: usize = 1 << 20;
/// The maximum number of mistakes that an error lists.
const MAX_LISTED: usize = 20;

/// The variables of a file.
#[derive(Default, Clone, PartialEq, Eq)]
pub struct EnvFile {
    /// The variables, in the order of the file. Each name occurs once.
    variables: Vec<(String, String)>,
}

/// Shows no values.
impl std::fmt::Debug for EnvFile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.names()).finish()
    }
}

impl EnvFile {
    /// Reads the file of a profile. A missing file has no variables.
    ///
    /// # Errors
    /// If the file cannot be read, if other users can read it, or if it has mistakes. The message lists all mistakes, without values.
    pub fn read(home: &Home) -> Result<Self, ConfigError> {
        let path = home.env();
        let text = text(&path)?.unwrap_or_default();
        parse(&text).map(|variables| Self { variables }).map_err(|mistakes| {
            let mut shown = format!("the variables in {} cannot be read", path.display());
            for (line, mistake) in mistakes.iter().take(MAX_LISTED) {
                let _ = write!(shown, "\n  line {line}: {mistake}");
            }
            if let Some(further) = mistakes.len().checked_sub(MAX_LISTED).filter(|further| *further > 0) {
                let _ = write!(shown, "\n  and {further} more");
            }
            ConfigError::mistake(shown)
        })
    }

    /// Returns the names.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.variables.iter().map(|(name, _)| name.as_str())
    }

    /// Returns the value of a variable.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.variables.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// Returns the environment of sessions: the environment of the process, in which these variables take precedence and are secret.
    pub fn environment(&self) -> Env {
        self.environment_with(|_, _| true)
    }

    /// Returns the environment of sessions like [`environment`](Self::environment), in which only the variables are secret for which
    /// `is_secret` returns true.
    pub fn environment_with(&self, is_secret: impl Fn(&str, &str) -> bool) -> Env {
        self.variables.iter().fold(Env::process(), |env, (name, value)| {
            if is_secret(name, value) { env.with_secret(name, value) } else { env.with_var(name, value) }
        })
    }
}

/// Sets a variable in the file of a profile, and keeps everything else in it.
///
/// # Errors
/// If the name or the value is not possible in the file, or the file cannot be read or written.
pub fn set_variable(home: &Home, name: &str, value: &str) -> Result<(), ConfigError> {
    if !is_name(name) {
        let message = format!("`{}` is not the name of a variable", name.escape_debug());
        return Err(ConfigError::new(ConfigErrorKind::InvalidInput, message));
    }
    if value.contains('\0') || value.contains('\n') || value.contains('\r') {
        let message = format!("the value of {name} has more than one line");
        return Err(ConfigError::new(ConfigErrorKind::InvalidInput, message));
    }
    // A file with mistakes stays as it is.
    EnvFile::read(home)?;
    let path = home.env();
    let old = text(&path)?.unwrap_or_default();
    let line = format!("{name}={}", quoted(value));
    let mut lines: Vec<&str> = old.lines().collect();
    let is_it = |text: &&str| assignment(text).is_some_and(|(known, _)| known == name);
    match lines.iter().position(is_it) {
        Some(at) => lines[at] = &line,
        None => lines.push(&line),
    }
    let mut text = lines.join("\n");
    text.push('\n');
    let failed = |error: std::io::Error| ConfigError::io("failed to write", &path, error);
    home.create(home.path()).map_err(failed)?;
    bounded::write(&path, &text).map_err(failed)
}

/// Returns whether a variable can have this name.
pub fn is_name(name: &str) -> bool {
    let is_letter = |c: char| c.is_ascii_alphanumeric() || c == '_';
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') && name.chars().all(is_letter) && name.len() <= 256
}

fn text(path: &Path) -> Result<Option<String>, ConfigError> {
    let failed = |error: std::io::Error| ConfigError::io("failed to read", path, error);
    // The mode of anything else than a file says nothing.
    if fs::metadata(path).is_ok_and(|meta| meta.is_file()) {
        check_readers(path)?;
    }
    bounded::read(path, MAX_BYTES).map_err(failed)
}

/// Fails if other users can read or change the file.
fn check_readers(path: &Path) -> Result<(), ConfigError> {
    access::check_readers(path).map_err(|error| {
        let message = format!(
            "{} is not read, because {error}. If it was readable for others, replace the keys in it",
            path.display()
        );
        ConfigError::new(ConfigErrorKind::Exposed, message).with_source(error)
    })
}

/// A line, and what is wrong in it.
type Mistake = (usize, String);

/// Returns the variables, or all mistakes.
fn parse(text: &str) -> Result<Vec<(String, String)>, Vec<Mistake>> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let (mut variables, mut mistakes): (Vec<(String, String)>, _) = (Vec::new(), Vec::new());
    for (number, line) in (1..).zip(text.lines()) {
        if line.trim().is_empty() || line.trim_start().starts_with('#') {
            continue;
        }
        let mut refuse = |mistake: String| mistakes.push((number, mistake));
        let Some((name, value)) = assignment(line) else {
            refuse("expected `NAME=value`, or a comment with `#`".to_owned());
            continue;
        };
        if !is_name(name) {
            refuse("the part before `=` is not a name: expected letters, digits and `_`".to_owned());
        } else if variables.iter().any(|(known, _)| known == name) {
            refuse(format!("{name} is set a second time: remove one of the lines"));
        } else {
            match unquoted(value) {
                Ok(value) => variables.push((name.to_owned(), value)),
                Err(mistake) => refuse(format!("{name}: {mistake}")),
            }
        }
    }
    if mistakes.is_empty() { Ok(variables) } else { Err(mistakes) }
}

/// Returns the name and the written value of a line such as `export NAME=value`.
fn assignment(line: &str) -> Option<(&str, &str)> {
    let line = line.trim_start();
    if line.starts_with('#') {
        return None;
    }
    let rest = line.strip_prefix("export").filter(|rest| rest.starts_with([' ', '\t'])).map_or(line, str::trim_start);
    rest.split_once('=').map(|(name, value)| (name.trim_end(), value.trim()))
}

/// Decodes a value as written in the file: removes its quotes, and a comment after white space. Nothing is expanded.
fn unquoted(written: &str) -> Result<String, &'static str> {
    let mut letters = written.chars();
    let Some(quote @ ('"' | '\'')) = letters.next() else {
        let comment = written.char_indices().find(|(at, c)| *c == '#' && written[..*at].ends_with([' ', '\t']));
        return Ok(written[..comment.map_or(written.len(), |(at, _)| at)].trim_end().to_owned());
    };
    let mut value = String::new();
    while let Some(letter) = letters.next() {
        match letter {
            _ if letter == quote => {
                let rest = letters.as_str().trim_start();
                let is_end = rest.is_empty() || rest.starts_with('#');
                return if is_end { Ok(value) } else { Err("there is text after the closing quote") };
            }
            '\\' if quote == '"' => match letters.next() {
                Some('n') => value.push('\n'),
                Some('t') => value.push('\t'),
                Some(escaped @ ('"' | '\\' | '$' | '`')) => value.push(escaped),
                _ => return Err("an unknown escape: write `\\\\` for a backslash, or use single quotes"),
            },
            _ => value.push(letter),
        }
    }
    Err("the closing quote is missing")
}

/// Encodes a value for the file, so that [`unquoted`] returns the same value.
fn quoted(value: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./:@%+,=~".contains(c);
    if value.chars().all(is_plain) {
        return value.to_owned();
    }
    format!("\"{}\"", value.replace('\\', "\\\\").replace('"', "\\\"").replace('\t', "\\t"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Vec<(String, String)> {
        parse(text).unwrap_or_else(|mistakes| panic!("{text}: {mistakes:?}"))
    }

    #[test]
    fn values_are_plain_or_quoted_and_never_expanded() {
        for (line, value) in [
            ("A=b", "b"),
            ("A = b c ", "b c"),
            ("export A=b # why", "b"),
            ("A=b#c", "b#c"),
            ("A=", ""),
            ("A='$HOME # x'", "$HOME # x"),
            ("A=\"a\\\"b\\\\\\n\" # why", "a\"b\\\n"),
            ("A=$HOME`id`", "$HOME`id`"),
            ("  A=x=y", "x=y"),
            ("A=b\r", "b"),
        ] {
            assert_eq!(parsed(line), [("A".to_owned(), value.to_owned())], "{line}");
        }
        assert_eq!(parsed("\u{feff}# comment\n\n  # more\n"), []);
    }

    #[test]
    fn all_mistakes_are_reported_with_their_lines_and_without_values() {
        let text = "A=1\nhunter2\nB-C=hunter2\nA=hunter2\nD=\"hunter2\nE='hunter2'x\nF=\"\\q hunter2\"\n=hunter2\n";
        let mistakes = parse(text).expect_err("it has mistakes");
        assert_eq!(mistakes.iter().map(|(line, _)| *line).collect::<Vec<_>>(), [2, 3, 4, 5, 6, 7, 8]);
        assert!(!format!("{mistakes:?}").contains("hunter2"), "{mistakes:?}");
    }

    #[test]
    fn a_value_that_is_written_is_read_again() {
        let folder = tempfile::tempdir().expect("failed to make a folder");
        let home = Home::at(folder.path().join("home"));
        let values = ["sk-abc_1", "with space", "a\"b\\c", "$HOME", "# no comment", "'", "\t", "é", ""];
        for value in values {
            set_variable(&home, "KEY", value).expect("failed to write");
            set_variable(&home, "OTHER", "x").expect("failed to write");
            assert_eq!(EnvFile::read(&home).expect("it is valid").get("KEY"), Some(value));
        }
        let text = fs::read_to_string(home.env()).expect("it exists");
        assert_eq!(text.lines().count(), 2, "{text}");
        for (name, value) in [("A=B", "x"), ("", "x"), ("A", "x\ny"), ("A", "\0")] {
            assert!(set_variable(&home, name, value).is_err());
        }
        assert_eq!(fs::read_to_string(home.env()).expect("it exists"), text);
    }

    #[test]
    fn comments_and_other_lines_stay_and_a_broken_file_is_not_changed() {
        let folder = tempfile::tempdir().expect("failed to make a folder");
        let home = Home::at(folder.path());
        let write = |text: &str| bounded::write(&home.env(), text).expect("failed to write");
        write("# mine\nexport KEY=old # why\n\nB=1");
        set_variable(&home, "KEY", "new").expect("failed to write");
        assert_eq!(fs::read_to_string(home.env()).expect("it exists"), "# mine\nKEY=new\n\nB=1\n");
        write("broken\n");
        assert!(set_variable(&home, "KEY", "new").is_err_and(|error| error.to_string().contains("line 1")));
        assert_eq!(fs::read_to_string(home.env()).expect("it exists"), "broken\n");
    }

    #[test]
    #[cfg(unix)]
    fn a_file_that_other_users_can_read_is_refused_and_a_written_one_is_private() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().expect("failed to make a folder");
        let home = Home::at(folder.path());
        set_variable(&home, "KEY", "hunter2").expect("failed to write");
        let mode = |path: &Path| fs::metadata(path).expect("it exists").permissions().mode() & 0o777;
        assert_eq!(mode(&home.env()), 0o600);
        for open in [0o640, 0o604, 0o620, 0o777] {
            fs::set_permissions(home.env(), fs::Permissions::from_mode(open)).expect("it exists");
            let error = EnvFile::read(&home).expect_err("others can read it");
            assert!(error.to_string().contains("chmod 600") && !error.to_string().contains("hunter2"), "{error}");
            assert!(set_variable(&home, "KEY", "new").is_err());
        }
    }

    #[test]
    fn sessions_see_the_variables_and_debug_output_does_not_show_them() {
        let variables = vec![("TOOLC_TEST_KEY".to_owned(), "hunter2".to_owned())];
        let file = EnvFile { variables };
        assert_eq!(file.environment().var("TOOLC_TEST_KEY").as_deref(), Some("hunter2"));
        assert_eq!(EnvFile::default().environment().var("TOOLC_TEST_KEY"), None);
        assert!(file.environment().is_secret("TOOLC_TEST_KEY"));
        assert!(!format!("{file:?}{:?}", file.environment()).contains("hunter2"));
    }
}
