//! Loads a version of a project: from a folder, from a git ref, or from a bundle.

use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use serde_json::Value;
use toolc_codegen::diagnostic::{Diagnostic, Level, Places};
use toolc_codegen::emit::{Turn, portable_drafts};
use toolc_codegen::lint::codes;
use toolc_codegen::lower::lower;
use toolc_codegen::{Checked, Failure, Options, Sources, compile_with, project};

use crate::git;

/// The file of a bundle that has its declarations.
const CATALOG: &str = "catalog.json";
/// The maximum size of this file.
const MAX_CATALOG: u64 = 512 << 20;

/// A version of a project.
#[derive(Debug)]
pub struct Loaded {
    /// How the user named it, for messages.
    pub label: String,
    origin: Origin,
}

#[derive(Debug)]
enum Origin {
    Manifests {
        sources: Sources,
        catalog: Box<Checked>,
    },
    /// A bundle has the declarations of a catalog, but not its manifests.
    Bundle(Value),
}

/// Loads the version of the project in the folder `project_root` that `against` names: the folder of a project, a bundle or its
/// `catalog.json`, or else a git ref.
///
/// # Errors
/// If there is no such version, or its manifests have errors.
pub fn load(project_root: &Path, against: &str) -> Result<Loaded, Failure> {
    let path = Path::new(against);
    if path.join(project::MANIFESTS).is_dir() || path.join(project::PLUGIN).is_file() {
        return open(path);
    }
    if let Some(file) = bundle(path) {
        return Ok(Loaded { label: against.to_owned(), origin: Origin::Bundle(read_bundle(&file)?) });
    }
    compiled(Sources::from_memory(git::read(project_root, against)?), against)
}

/// Loads the project in a folder as it is.
///
/// # Errors
/// If it cannot be read, or its manifests have errors.
pub fn open(project_root: &Path) -> Result<Loaded, Failure> {
    compiled(Sources::scan(project_root)?, &project_root.display().to_string())
}

fn compiled(sources: Sources, label: &str) -> Result<Loaded, Failure> {
    // Without the other rules of the linter: what they find does not change what the tools mean.
    let compilation = compile_with(&sources, &Options::only(codes::SYNTAX));
    match compilation.catalog {
        Some(catalog) => {
            let origin = Origin::Manifests { sources, catalog: Box::new(catalog) };
            Ok(Loaded { label: label.to_owned(), origin })
        }
        None => Err(Failure::new(first_error(&sources, &compilation.diagnostics, label))),
    }
}

fn first_error(sources: &Sources, found: &[Diagnostic], label: &str) -> String {
    let errors: Vec<&Diagnostic> = found.iter().filter(|found| found.level == Level::Error).collect();
    let Some(first) = errors.first() else { return format!("the manifests of `{label}` have errors") };
    let [start, _] = Places::new(sources).positions(first.at.0);
    let path = &sources.get(first.at.0.source).path;
    let others = match errors.len() {
        1 => String::new(),
        count => format!(" (and {} more)", count - 1),
    };
    format!("the manifests of `{label}` have errors: {path}:{}: {}{others}", start.line, first.message)
}

/// Returns the catalog of a bundle: the file itself, or the one in the folder.
fn bundle(path: &Path) -> Option<PathBuf> {
    let inside = path.join(CATALOG);
    if inside.is_file() {
        return Some(inside);
    }
    let is_json = path.extension().is_some_and(|extension| extension == "json");
    (is_json && path.is_file()).then(|| path.to_owned())
}

fn read_bundle(file: &Path) -> Result<Value, Failure> {
    let failure = |why: String| Failure::new(format!("failed to read {}: {why}", file.display()));
    let opened = fs::File::open(file).map_err(|error| failure(error.to_string()))?;
    let mut bytes = Vec::new();
    opened.take(MAX_CATALOG + 1).read_to_end(&mut bytes).map_err(|error| failure(error.to_string()))?;
    if bytes.len() as u64 > MAX_CATALOG {
        return Err(failure(format!("it is larger than {MAX_CATALOG} bytes")));
    }
    let catalog: Value = serde_json::from_slice(&bytes).map_err(|error| failure(error.to_string()))?;
    let has_tools = catalog["tools"].as_array().is_some_and(|tools| tools.iter().all(|tool| tool["name"].is_string()));
    if has_tools && catalog["toolsets"].is_array() {
        Ok(catalog)
    } else {
        Err(failure(format!(
            "expected the `{CATALOG}` of a bundle, with `tools` and `toolsets`: write one with `export DIR`"
        )))
    }
}

impl Loaded {
    /// Returns the manifests, or `None` for a bundle.
    pub fn sources(&self) -> Option<&Sources> {
        match &self.origin {
            Origin::Manifests { sources, .. } => Some(sources),
            Origin::Bundle(_) => None,
        }
    }

    /// Returns the catalog.
    ///
    /// # Errors
    /// If this is a bundle, which has no manifests.
    pub fn catalog(&self) -> Result<&Checked, Failure> {
        match &self.origin {
            Origin::Manifests { catalog, .. } => Ok(catalog),
            Origin::Bundle(_) => Err(Failure::new(format!(
                "{} is a bundle, and this needs manifests: pass the folder of a project, or a git ref",
                self.label
            ))),
        }
    }

    /// Returns the declarations of the catalog, as the `catalog.json` of a bundle has them.
    pub fn declarations(&self) -> Value {
        match &self.origin {
            Origin::Bundle(catalog) => catalog.clone(),
            Origin::Manifests { catalog, .. } => declarations(catalog),
        }
    }
}

fn declarations(catalog: &Checked) -> Value {
    let lowered = lower(catalog);
    let turn = Turn { facts: Vec::new(), available: None };
    let drafts = portable_drafts(&lowered, &turn);
    let draft = drafts.iter().find(|draft| draft.path.ends_with(CATALOG));
    let text = draft.map(|draft| draft.parts.iter().map(toolc_codegen::emit::Part::text).collect::<String>());
    text.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_else(|| unreachable!("the catalog is JSON"))
}
