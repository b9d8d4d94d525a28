//! What became of a plugin: data for a program, words for a person.

use std::fmt;
use std::path::PathBuf;

use serde::Serialize;
use toolc_codegen::diagnostic::{self, Diagnostic, Places, Renderer};
use toolc_codegen::source::Sources;

/// What became of a plugin. Its `Display` is for a person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct PluginReport {
    /// Its name, which is its folder's. Empty where a folder of plugins is meant that cannot be used as a whole.
    pub name: String,
    /// Its folder.
    pub folder: PathBuf,
    /// Whether its tools are there.
    pub state: State,
    /// For a person who chooses: what it is for.
    pub description: String,
    /// The names of its tools, sorted; none where it is not loaded.
    pub tools: Vec<String>,
    /// Mistakes in the plugin.
    pub findings: Vec<Finding>,
}

/// Whether a plugin's tools are there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum State {
    /// The registry has them.
    Loaded,
    /// Its tools are not registered; the findings give the reason.
    Broken,
    /// Its tools are not registered, because an earlier folder has a plugin of this name.
    Shadowed,
    /// Its folder has gone, and they with it.
    Gone,
}

/// How much a finding matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// The plugin is not loaded because of it.
    Error,
    /// The plugin is loaded all the same.
    Warning,
    /// Nothing is wrong.
    Note,
}

/// A mistake in a plugin.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Finding {
    /// How much it matters.
    pub level: Level,
    /// Which kind of finding it is, where it is about a manifest: `C002`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<&'static str>,
    /// What is wrong.
    pub message: String,
    /// The file or folder that it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<PathBuf>,
    /// The line in that file, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// The column in that line, in characters, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<usize>,
    /// What to do about it.
    pub help: Vec<String>,
    /// All of it for a person, with the lines of the file that it is about.
    pub text: String,
}

impl PluginReport {
    /// Whether something is to be mended.
    pub fn is_broken(&self) -> bool {
        self.state == State::Broken
    }
}

impl Finding {
    /// About a file or a folder as a whole.
    pub(crate) fn of(level: Level, path: impl Into<PathBuf>, message: impl Into<String>, help: &str) -> Self {
        let (path, message) = (path.into(), message.into());
        let word = match level {
            Level::Error => "error",
            Level::Warning => "warning",
            Level::Note => "note",
        };
        let mut text = format!("{word}: {message}\n --> {}", path.display());
        if !help.is_empty() {
            text += &format!("\n  = help: {help}");
        }
        let help = if help.is_empty() { Vec::new() } else { vec![help.to_owned()] };
        Self { level, code: None, message, path: Some(path), line: None, column: None, help, text }
    }

    /// About a place in a manifest.
    pub(crate) fn diagnosed(found: &Diagnostic, sources: &Sources, root: &std::path::Path) -> Self {
        let (place, _) = found.at;
        let [start, _] = Places::new(sources).positions(place);
        Self {
            level: match found.level {
                diagnostic::Level::Error => Level::Error,
                diagnostic::Level::Warning => Level::Warning,
            },
            code: Some(found.code.id),
            message: found.message.clone(),
            path: Some(root.join(&sources.get(place.source).path)),
            line: Some(start.line),
            column: Some(start.column),
            help: found.help.clone(),
            text: Renderer::new(sources, false).render(found),
        }
    }
}

/// What is wrong with a file or a folder as a whole: why nothing of it is used.
#[derive(Debug)]
pub(crate) struct Flaw {
    path: PathBuf,
    pub(crate) message: String,
    help: String,
}

impl Flaw {
    pub(crate) fn new(path: impl Into<PathBuf>, message: impl Into<String>, help: impl Into<String>) -> Self {
        Self { path: path.into(), message: message.into(), help: help.into() }
    }
}

impl From<Flaw> for Finding {
    fn from(flaw: Flaw) -> Self {
        Self::of(Level::Error, flaw.path, flaw.message, &flaw.help)
    }
}

impl fmt::Display for PluginReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, folder, state, tools, findings, .. } = self;
        let folder = folder.display();
        match state {
            _ if name.is_empty() => write!(f, "the plugins in {folder} are not loaded")?,
            State::Loaded => write!(f, "plugin `{name}` ({folder}): {}", tools.join(", "))?,
            State::Broken => write!(f, "plugin `{name}` ({folder}) is not loaded")?,
            State::Shadowed => write!(f, "plugin `{name}` ({folder}) is shadowed")?,
            State::Gone => write!(f, "plugin `{name}` ({folder}) has gone")?,
        }
        for line in findings.iter().flat_map(|finding| finding.text.lines()) {
            write!(f, "\n    {line}")?;
        }
        Ok(())
    }
}
