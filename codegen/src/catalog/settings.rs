//! The settings of the project, linked.

use std::path::Path;

use super::names::Names;
use crate::diagnostic::{At, Code, Diagnostic, Sink};
use crate::dialects::{DIALECTS, Dialect};
use crate::manifest::{RuleLevel, SettingsManifest};
use crate::project::{GENERATED, MANIFESTS};

/// The settings of `toolc.toml`, with defaults.
#[derive(Debug)]
pub struct Settings {
    /// The dialects that definitions are written in: those that `toolc.toml` lists, or else all.
    pub dialects: Vec<&'static Dialect>,
    /// Whether `toolc.toml` lists them.
    pub lists_dialects: bool,
    /// The folder of the generated Rust module, below the project's root, or `None` for a crate in `generated/rust`.
    pub rust: Option<String>,
    /// The greatest number of tools of a toolset.
    pub most_tools: Option<u32>,
    /// The token budget of toolsets without a budget of their own.
    pub token_budget: Option<u32>,
    /// The greatest length of a tool's description, in characters.
    pub description_budget: Option<u32>,
    /// The greatest number of parameters of a tool.
    pub most_parameters: Option<u32>,
    /// The lines of `[lint]`: a rule or category, and its level. Later ones win.
    pub levels: Vec<(At<String>, RuleLevel)>,
    /// The baseline file, below the project's root.
    pub baseline: Option<At<String>>,
}

pub(super) fn settings(manifest: SettingsManifest, names: &Names<'_>, sink: &Sink) -> Settings {
    let chosen: Vec<&'static str> = manifest.dialects.iter().filter_map(|name| names.dialect(name)).collect();
    let wanted = |dialect: &&Dialect| manifest.dialects.is_empty() || chosen.contains(&dialect.name);
    let dialects: Vec<&'static Dialect> = DIALECTS.iter().filter(wanted).collect();
    Settings {
        lists_dialects: !chosen.is_empty(),
        dialects,
        rust: manifest.rust.filter(|folder| check_folder(folder, sink)).map(|folder| folder.value),
        most_tools: manifest.budgets.tools,
        token_budget: manifest.budgets.tokens,
        description_budget: manifest.budgets.description,
        most_parameters: manifest.budgets.parameters,
        levels: manifest.lint,
        baseline: manifest.baseline,
    }
}

/// Checks the folder of the generated module. gen removes unknown files from it, so it must not contain anything else.
fn check_folder(folder: &At<String>, sink: &Sink) -> bool {
    // Some file systems ignore case.
    let lower = folder.value.to_lowercase();
    let parts: Vec<&str> = lower.split('/').collect();
    let plain = |part: &str| !part.is_empty() && !part.starts_with('.') && !part.contains(['\\', ':']);
    let fits = parts.iter().all(|part| plain(part))
        && Path::new(&folder.value).is_relative()
        && lower != "src"
        && !["target", MANIFESTS, GENERATED].contains(&parts[0]);
    if !fits {
        let message = format!("`{}` cannot be the folder of the generated module", folder.value);
        sink.push(
            Diagnostic::new(Code::INVALID_VALUE, folder.place, message)
                .label("expected a folder of its own below the project's root, with `/` between its parts")
                .help("write `src/generated`, and `mod generated;` in the crate's root"),
        );
    }
    fits
}
