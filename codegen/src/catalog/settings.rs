//! The settings of the project, with defaults.

use std::collections::BTreeMap;
use std::path::Path;

use toolc_lower::dialects::{DIALECTS, Dialect};

use super::names::Names;
use crate::diagnostic::codes;
use crate::diagnostic::{At, Diagnostic, Sink};
use crate::manifest::{
    HandlerLanguage, RuleLevel, SchemasManifest, SettingsManifest, ToolsetManifest, VendorToolsManifest,
};
use crate::project::{GENERATED, MANIFESTS};
use crate::source::Kind;

/// The settings of `toolc.toml`, with defaults.
#[derive(Debug)]
pub struct Settings {
    /// The dialects of the definitions: those that `toolc.toml` lists, or all.
    pub dialects: Vec<&'static Dialect>,
    /// The dialect that `toolc.toml` lists first, or else the first one of all.
    pub first_dialect: &'static Dialect,
    /// Whether `toolc.toml` lists the dialects.
    pub lists_dialects: bool,
    /// The names of the dialects, as `toolc.toml` lists them.
    pub listed_dialects: Vec<At<String>>,
    /// The folder of the generated Rust module, relative to the project, or `None` for a crate in `generated/rust`.
    pub rust: Option<String>,
    /// The folder of the package in Python, relative to the project.
    pub python: Option<String>,
    /// The folder of the module in TypeScript, relative to the project.
    pub typescript: Option<String>,
    /// The files in `generated/schemas/`.
    pub schemas: SchemaFiles,
    /// The vendors' own tools that requests contain.
    pub vendor_tools: VendorToolsManifest,
    /// The names of the run-time tools.
    pub external: Vec<At<String>>,
    /// The maximum number of tools of a toolset.
    pub max_tools: Option<At<u32>>,
    /// The token budget of toolsets without a budget of their own.
    pub token_budget: Option<At<u32>>,
    /// The maximum length of a tool's description, in characters.
    pub description_budget: Option<u32>,
    /// The maximum number of parameters of a tool.
    pub max_parameters: Option<u32>,
    /// The entries of `[lint]`: a rule or category, and its level. Later entries win.
    pub levels: Vec<(At<String>, RuleLevel)>,
    /// Whether the settings could not be read, so that it is unknown which rules the project uses.
    pub are_unknown: bool,
    /// The baseline file, relative to the project.
    pub baseline: Option<At<String>>,
}

/// Which definitions gen writes to `generated/schemas/`.
#[derive(Debug)]
pub struct SchemaFiles {
    /// Whether a file for each tool is written.
    pub tools: bool,
    /// Whether a file for each toolset is written.
    pub toolsets: bool,
    /// The names of the dialects, all of which are dialects of the project.
    pub dialects: Vec<&'static str>,
}

/// `toolsets` imply the folders of the languages of their handlers.
pub(super) fn settings(
    manifest: SettingsManifest,
    toolsets: &BTreeMap<String, ToolsetManifest>,
    names: &Names<'_>,
    sink: &Sink,
) -> Settings {
    let listed: Vec<&'static str> = manifest.dialects.iter().filter_map(|name| names.dialect(name)).collect();
    let is_selected = |dialect: &&Dialect| manifest.dialects.is_empty() || listed.contains(&dialect.name);
    let dialects: Vec<&'static Dialect> = DIALECTS.iter().filter(is_selected).collect();
    let first_dialect = dialects.iter().copied().find(|dialect| listed.first() == Some(&dialect.name));
    let implied = |language: HandlerLanguage| {
        let of_toolset =
            toolsets.values().find_map(|toolset| toolset.language.as_ref().filter(|it| it.value == language));
        Some(At::new(language.default_folder()?.to_owned(), of_toolset?.place))
    };
    let [rust, python, typescript] = folders(
        [
            (manifest.rust, "write `src/generated`, and `mod generated;` in the crate's root"),
            (manifest.python.or_else(|| implied(HandlerLanguage::Python)), "write a folder such as `python/tools`"),
            (
                manifest.typescript.or_else(|| implied(HandlerLanguage::TypeScript)),
                "write a folder such as `typescript/tools`",
            ),
        ],
        sink,
    );
    Settings {
        first_dialect: first_dialect.unwrap_or(&DIALECTS[0]),
        lists_dialects: !listed.is_empty(),
        listed_dialects: manifest.dialects,
        rust,
        python,
        typescript,
        schemas: schema_files(&manifest.schemas, &dialects, names, sink),
        dialects,
        vendor_tools: manifest.vendor_tools,
        external: manifest.external.tools,
        max_tools: manifest.budgets.tools,
        token_budget: manifest.budgets.tokens,
        description_budget: manifest.budgets.description.map(|max| max.value),
        max_parameters: manifest.budgets.parameters.map(|max| max.value),
        are_unknown: names.is_broken(Kind::Settings, "toolc"),
        levels: manifest.lint,
        baseline: manifest.baseline,
    }
}

/// Checks `[schemas]`: only the dialects of the project have definitions.
fn schema_files(manifest: &SchemasManifest, project: &[&Dialect], names: &Names<'_>, sink: &Sink) -> SchemaFiles {
    let is_on = |flag: &Option<At<bool>>, default| flag.as_ref().map_or(default, |flag| flag.value);
    let (tools, toolsets) = (is_on(&manifest.tools, true), is_on(&manifest.toolsets, false));
    let mut dialects = Vec::new();
    for name in &manifest.dialects {
        let Some(known) = names.dialect(name) else { continue };
        if project.iter().any(|dialect| dialect.name == known) {
            dialects.push(known);
            continue;
        }
        let message = format!("`{known}` is not a dialect of the project");
        let found = Diagnostic::new(codes::INVALID_VALUE, name.place, message);
        sink.push(found.label("expected a dialect that `dialects` lists").help(format!(
            "add `{known}` to `dialects`, or remove it from `schemas.dialects`: only dialects of the project have definitions"
        )));
    }
    if manifest.dialects.is_empty() {
        dialects = project.iter().map(|dialect| dialect.name).collect();
    } else if !tools && !toolsets {
        let found =
            Diagnostic::new(codes::INVALID_VALUE, manifest.dialects[0].place, "`schemas.dialects` has no effect");
        sink.push(
            found
                .label("no schemas are written: `tools` is `false`, and `toolsets` is not `true`")
                .help("remove `dialects`, or write `tools = true` or `toolsets = true`"),
        );
    }
    SchemaFiles { tools, toolsets, dialects }
}

/// Checks the folders of generated modules. None of them can contain another one.
fn folders<const N: usize>(folders: [(Option<At<String>>, &str); N], sink: &Sink) -> [Option<String>; N] {
    let mut known: Vec<String> = Vec::new();
    folders.map(|(folder, help)| {
        let folder = folder?;
        if let Err(FolderProblem { message, label }) = check_folder(&folder.value, known.iter().map(String::as_str)) {
            let found = Diagnostic::new(codes::INVALID_VALUE, folder.place, message);
            sink.push(found.label(label).help(help));
            return None;
        }
        known.push(folder.value.clone());
        Some(folder.value)
    })
}

impl Settings {
    /// Returns the folders of generated modules, relative to the project.
    pub(super) fn folders(&self) -> impl Iterator<Item = &str> {
        [&self.rust, &self.python, &self.typescript].into_iter().flatten().map(String::as_str)
    }

    /// Replaces the folders of other languages that are given.
    ///
    /// # Errors
    /// Returns why one of them cannot be used.
    pub(super) fn replace_folders(&mut self, python: Option<&str>, typescript: Option<&str>) -> Result<(), String> {
        for (folder, given) in [(&mut self.python, python), (&mut self.typescript, typescript)] {
            *folder = given.map(str::to_owned).or(folder.take());
        }
        let all: Vec<&str> = self.folders().collect();
        for (position, folder) in all.iter().enumerate() {
            check_folder(folder, all[..position].iter().copied())
                .map_err(|FolderProblem { message, label }| format!("{message}: {label}"))?;
        }
        Ok(())
    }
}

/// Why a folder cannot be the folder of a generated module.
struct FolderProblem {
    message: String,
    label: &'static str,
}

/// Checks the folder of a generated module. gen removes unknown files from it, so it must not contain anything else, such as one of the
/// `others`.
fn check_folder<'f>(folder: &str, mut others: impl Iterator<Item = &'f str>) -> Result<(), FolderProblem> {
    // Some file systems ignore case.
    let lower = folder.to_lowercase();
    let parts: Vec<&str> = lower.split('/').collect();
    let is_plain = |part: &str| !part.is_empty() && !part.starts_with('.') && !part.contains(['\\', ':']);
    let is_valid = parts.iter().all(|part| is_plain(part))
        && Path::new(folder).is_relative()
        && lower != "src"
        && !["target", MANIFESTS, GENERATED].contains(&parts[0]);
    if Path::new(folder).is_absolute() || parts.contains(&"..") {
        return Err(FolderProblem {
            message: format!("`{folder}` cannot be the folder of a generated module, because it is not in the project"),
            label: "expected a folder of the project, from which gen removes all other files; it can be a link to a folder elsewhere",
        });
    }
    if !is_valid {
        return Err(FolderProblem {
            message: format!("`{folder}` cannot be the folder of a generated module"),
            label: "expected a folder only for this module, relative to the project, with `/` as separator",
        });
    }
    let own = lower + "/";
    let shares = |other: &&str| {
        let other = other.to_lowercase() + "/";
        other.starts_with(&own) || own.starts_with(&other)
    };
    match others.find(shares) {
        None => Ok(()),
        Some(other) => Err(FolderProblem {
            message: format!(
                "`{folder}` cannot be the folder of a generated module, because it shares files with `{other}`"
            ),
            label: "expected a folder of its own for each language",
        }),
    }
}
