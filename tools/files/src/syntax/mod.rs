//! Checks whether the content of a file can be parsed, to report mistakes in the result of the call that wrote it.
//!
//! JSON, TOML and YAML are parsed in process ([`data`]), Python and Rust by their own programs ([`programs`]) if these are installed.
//! No code of the project runs: programs get the content on standard input, and start in the root directory.

mod data;
mod programs;

use std::path::Path;
use std::time::{Duration, Instant};

use toolc::Call;

use crate::task_files::TaskFiles;

/// The time limit for all checks of a call. Tests run on busy machines.
const TIMEOUT: Duration = Duration::from_secs(if cfg!(test) { 60 } else { 2 });
/// The maximum size of a file that is checked, in bytes.
const MAX_BYTES: usize = 1024 * 1024;

/// A place at which a text cannot be parsed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SyntaxError {
    pub(super) language: &'static str,
    /// The line, from 1.
    pub(super) line: usize,
    /// The column in characters, from 1.
    pub(super) column: usize,
    pub(super) message: String,
}

/// The checks of one call, with a common time limit.
pub(super) struct SyntaxChecker<'a> {
    call: &'a Call<'a>,
    task: &'a TaskFiles,
    deadline: Instant,
}

/// A language that can be checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Language {
    Json,
    JsonLines,
    Python,
    Rust,
    Toml,
    Yaml,
}

impl<'a> SyntaxChecker<'a> {
    /// Starts the time limit.
    pub(super) fn new(call: &'a Call<'a>, task: &'a TaskFiles) -> Self {
        Self { call, task, deadline: Instant::now() + TIMEOUT }
    }

    /// Returns the first syntax error of a file, or `None` if it has none or cannot be checked.
    pub(super) fn check(&self, path: &Path, text: &str) -> Option<SyntaxError> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let language = Language::from_path(path)?;
        if text.len() > MAX_BYTES || self.should_stop() {
            return None;
        }
        match language {
            Language::Json => data::json(text),
            Language::JsonLines => data::json_lines(text),
            Language::Toml => data::toml(text),
            Language::Yaml => data::yaml(text, || self.should_stop()),
            Language::Python => programs::python(self, text),
            Language::Rust => programs::rust(self, path, text),
        }
    }

    /// Returns the first syntax error of the new text, or `None` if the old text has the same error.
    pub(super) fn check_change(&self, path: &Path, old: &str, new: &str) -> Option<SyntaxError> {
        let error = self.check(path, new)?;
        let line =
            |text: &str, error: &SyntaxError| text.lines().nth(error.line - 1).map(|line| line.trim().to_owned());
        let is_old = self
            .check(path, old)
            .is_some_and(|known| known.message == error.message && line(old, &known) == line(new, &error));
        (!is_old).then_some(error)
    }

    fn should_stop(&self) -> bool {
        Instant::now() >= self.deadline || self.call.is_cancelled()
    }
}

impl Language {
    /// Returns the language of a file by its name. Returns `None` if the language is unknown, or if files of this name often have comments
    /// that their language forbids.
    fn from_path(path: &Path) -> Option<Self> {
        /// Files that end in `.json`, but may have comments.
        const JSON_WITH_COMMENTS: &[&str] = &[
            ".babelrc.json",
            ".eslintrc.json",
            ".swcrc.json",
            "api-extractor.json",
            "biome.json",
            "deno.json",
            "devcontainer.json",
            "language-configuration.json",
            "nx.json",
            "renovate.json",
            "tslint.json",
            "turbo.json",
        ];
        let name = path.file_name()?.to_str()?.to_ascii_lowercase();
        let (stem, extension) = name.rsplit_once('.')?;
        let is_in = |dir: &str| path.parent().is_some_and(|parent| parent.ends_with(dir));
        match extension {
            "json"
                if JSON_WITH_COMMENTS.contains(&&*name)
                    || stem.starts_with("tsconfig")
                    || stem.starts_with("jsconfig")
                    || is_in(".vscode") =>
            {
                None
            }
            "json" => Some(Self::Json),
            "jsonl" | "ndjson" => Some(Self::JsonLines),
            "py" | "pyi" => Some(Self::Python),
            "rs" => Some(Self::Rust),
            "toml" => Some(Self::Toml),
            "lock" if matches!(stem, "cargo" | "poetry" | "uv") => Some(Self::Toml),
            "yaml" | "yml" => Some(Self::Yaml),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::fixture;

    #[test]
    fn languages_are_recognised_by_name() {
        let of = |path: &str| Language::from_path(Path::new(path));
        assert_eq!(of("a/B.JSON"), Some(Language::Json));
        assert_eq!(of("a.jsonl"), Some(Language::JsonLines));
        assert_eq!((of("Cargo.lock"), of("yarn.lock")), (Some(Language::Toml), None));
        assert_eq!(
            (of("a.yml"), of("a.pyi"), of("a.rs")),
            (Some(Language::Yaml), Some(Language::Python), Some(Language::Rust))
        );
        for path in [
            "a.jsonc",
            "a.json5",
            "tsconfig.json",
            "x/tsconfig.build.json",
            ".vscode/settings.json",
            "json",
            ".json5",
            "a.md",
        ] {
            assert_eq!(of(path), None, "{path}");
        }
    }

    #[test]
    fn only_new_errors_of_a_change_are_reported() {
        let f = fixture();
        let (call, task) = (f.call(), f.task());
        let checker = SyntaxChecker::new(&call, &task);
        let change = |old: &str, new: &str| checker.check_change(Path::new("a.json"), old, new).map(|error| error.line);
        assert_eq!(change("{}", "{\n,}"), Some(2));
        assert_eq!(change("[\n1,\n]", "[\n0,\n1,\n]"), None, "the same error, further down");
        assert_eq!(change("[\n1,\n]", "[\n1,\n2,\n}"), Some(4), "another error");
        assert_eq!(change("[1,]", "[1]"), None);
    }

    #[test]
    fn large_files_and_late_checks_are_left_out() {
        let f = fixture();
        let (call, task) = (f.call(), f.task());
        let mut checker = SyntaxChecker::new(&call, &task);
        assert!(checker.check(Path::new("a.json"), &"[".repeat(MAX_BYTES)).is_some());
        assert!(checker.check(Path::new("a.json"), &"[".repeat(MAX_BYTES + 1)).is_none());
        checker.deadline = Instant::now();
        assert!(checker.check(Path::new("a.json"), "[").is_none());
    }
}
