//! Reports about plugins, as data and as text.

use std::fmt;
use std::path::PathBuf;

use serde::Serialize;
use toolc_codegen::diagnostic::{self, Diagnostic, Places, Renderer};
use toolc_codegen::source::Sources;

/// The state of a plugin after loading. Its `Display` form is for people.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct PluginReport {
    /// The name of the plugin, which is that of its folder. Empty if the report is about a folder of plugins that cannot be read.
    pub name: String,
    /// The folder of the plugin.
    pub folder: PathBuf,
    /// Whether the plugin is loaded.
    pub state: PluginState,
    /// The `description` in `plugin.toml`.
    pub description: String,
    /// The names of the tools, sorted. Empty if the plugin is not loaded.
    pub tools: Vec<String>,
    /// The hooks, in the order of a call. Empty if the plugin is not loaded.
    pub hooks: Vec<HookReport>,
    /// The aliases of the tools that are ignored because they already stand for tools of other providers.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ignored_aliases: Vec<String>,
    /// Errors, warnings and notes about the plugin.
    pub findings: Vec<Finding>,
}

/// A hook of a plugin. Its `Display` form is for people.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct HookReport {
    /// Which one: `before`, `transform` or `after`.
    pub hook: &'static str,
    /// The tools whose calls it sees.
    pub tools: Vec<String>,
    /// The toolsets whose tools' calls it sees. `all` and `*` stand for all calls.
    pub toolsets: Vec<String>,
    /// Whether a failure of the hook fails the call.
    pub required: bool,
}

/// Whether a plugin is loaded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum PluginState {
    /// The plugin's tools are registered.
    Loaded,
    /// The plugin's tools are not registered; the findings give the reason.
    Broken,
    /// The plugin's tools are not registered, because an earlier folder has a plugin of this name.
    Shadowed,
    /// The plugin's folder was deleted, and its tools were removed.
    Gone,
    /// The manifests were only read: see [`outline`](crate::outline).
    Outline,
}

/// The severity of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// The plugin is not loaded.
    Error,
    /// The plugin is loaded nevertheless.
    Warning,
    /// Information, not a mistake.
    Note,
}

/// An error, warning or note about a plugin.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Finding {
    /// The severity.
    pub level: Level,
    /// The code of the error or rule, such as `C002`, if the finding is about a manifest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<&'static str>,
    /// The message, which says what is wrong.
    pub message: String,
    /// The file or folder that the finding is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<PathBuf>,
    /// The line in that file, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// The column in that line, in characters, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<usize>,
    /// Advice about what to do.
    pub help: Vec<String>,
    /// The whole finding as text for people, with an excerpt of the file.
    pub text: String,
}

impl PluginReport {
    /// Returns whether the plugin is broken and needs a fix.
    pub fn is_broken(&self) -> bool {
        self.state == PluginState::Broken
    }
}

impl Finding {
    /// Returns a finding about a file or folder.
    pub(crate) fn new(level: Level, path: impl Into<PathBuf>, message: impl Into<String>, help: &str) -> Self {
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

    /// Returns a finding for a diagnostic of the compiler.
    pub(crate) fn from_diagnostic(diagnostic: &Diagnostic, sources: &Sources, root: &std::path::Path) -> Self {
        let (place, _) = diagnostic.at;
        let [start, _] = Places::new(sources).positions(place);
        Self {
            level: match diagnostic.level {
                diagnostic::Level::Error => Level::Error,
                diagnostic::Level::Warning => Level::Warning,
            },
            code: Some(diagnostic.code.id),
            message: diagnostic.message.clone(),
            path: Some(root.join(&sources.get(place.source).path)),
            line: Some(start.line),
            column: Some(start.column),
            help: diagnostic.help.clone(),
            text: Renderer::new(sources, false).render(diagnostic),
        }
    }
}

/// The reason why a file or folder cannot be used.
#[derive(Debug)]
pub(crate) struct FileProblem {
    path: PathBuf,
    pub(crate) message: String,
    help: String,
}

impl FileProblem {
    pub(crate) fn new(path: impl Into<PathBuf>, message: impl Into<String>, help: impl Into<String>) -> Self {
        Self { path: path.into(), message: message.into(), help: help.into() }
    }
}

impl From<FileProblem> for Finding {
    fn from(problem: FileProblem) -> Self {
        Self::new(Level::Error, problem.path, problem.message, &problem.help)
    }
}

impl fmt::Display for PluginReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, folder, state, tools, hooks, findings, .. } = self;
        let folder = folder.display();
        match state {
            _ if name.is_empty() => write!(f, "the plugins in {folder} are not loaded")?,
            PluginState::Loaded | PluginState::Outline => {
                let hooks = hooks.iter().map(HookReport::to_string);
                let content: Vec<String> = tools.iter().cloned().chain(hooks).collect();
                write!(f, "plugin `{name}` ({folder}): {}", content.join(", "))?;
            }
            PluginState::Broken => write!(f, "plugin `{name}` ({folder}) is not loaded")?,
            PluginState::Shadowed => write!(f, "plugin `{name}` ({folder}) is shadowed")?,
            PluginState::Gone => write!(f, "plugin `{name}` ({folder}) was removed")?,
        }
        for line in findings.iter().flat_map(|finding| finding.text.lines()) {
            write!(f, "\n    {line}")?;
        }
        Ok(())
    }
}

impl fmt::Display for HookReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let toolsets = self.toolsets.iter().map(|toolset| match toolset.as_str() {
            "all" | "*" => "all calls".to_owned(),
            name => format!("the toolset {name}"),
        });
        let calls: Vec<String> = self.tools.iter().cloned().chain(toolsets).collect();
        let required = if self.required { "required " } else { "" };
        write!(f, "{required}hook `{}` for {}", self.hook, calls.join(" and "))
    }
}
