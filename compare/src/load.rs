//! Loads a snapshot from a commit, the folder of a project, a bundle, or a list of tools of an MCP server.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use serde_json::{Value, json};
use toolc_codegen::project::{MANIFESTS, PLUGIN};
use toolc_codegen::{Failure, Options, Sources, compile_with};
use toolc_mcp::Endpoint;

use crate::git;
use crate::snapshot::{Extent, Snapshot, entry_of_listed};

/// The index of a bundle.
const INDEX: &str = "bundle.json";

/// The maximum size of a file of a bundle, or of a list of tools.
const MAX_BYTES: u64 = 256 << 20;

/// The prefix that marks the name of a commit, if a folder has the same name.
const GIT: &str = "git:";

/// Loads what `against` names: the folder of a project or of a bundle, a JSON file with the tools of an MCP server, or a commit of the
/// repository of the project in `root`.
///
/// # Errors
/// If nothing of this name exists, or it cannot be read, or its manifests have errors.
pub fn load(root: &Path, against: &str) -> Result<Snapshot, Failure> {
    if let Some(reference) = against.strip_prefix(GIT) {
        return commit(root, reference);
    }
    let path = Path::new(against);
    if path.join(INDEX).is_file() {
        return bundle(path);
    }
    if path.is_file() {
        return listed_tools(path);
    }
    if path.is_dir() {
        if path.join(MANIFESTS).is_dir() || path.join(PLUGIN).is_file() {
            return folder(path);
        }
        return Err(Failure::new(format!(
            "the folder {} has neither `{MANIFESTS}` nor `{INDEX}`: write the folder of a project or of a bundle, or `{GIT}{against}` \
             for a commit",
            path.display()
        )));
    }
    commit(root, against)
}

/// Loads the project in a folder.
///
/// # Errors
/// If the manifests cannot be read, or have errors.
pub fn folder(root: &Path) -> Result<Snapshot, Failure> {
    compiled(root.display().to_string(), Sources::scan(root)?)
}

/// Loads the project in the folder `root` as it is in a commit.
///
/// # Errors
/// If there is no such commit, or the manifests have errors.
pub fn commit(root: &Path, reference: &str) -> Result<Snapshot, Failure> {
    compiled(format!("the commit `{reference}`"), Sources::from_memory(git::manifests(root, reference)?))
}

/// Compiles manifests. The linter does not run: what it finds does not prevent a comparison.
///
/// # Errors
/// If the manifests have errors.
pub fn compiled(origin: String, sources: Sources) -> Result<Snapshot, Failure> {
    let codes: Vec<_> = toolc_codegen::lint::all_codes().filter(|code| !code.is_fixed()).collect();
    let options = Options {
        only: codes.first().copied().into_iter().collect(),
        levels: codes.into_iter().map(|code| (code, None)).collect(),
        without_baseline: true,
        ..Options::default()
    };
    let compilation = compile_with(&sources, &options);
    let Some(catalog) = compilation.catalog else {
        let first = compilation.diagnostics.first().map(|found| {
            let path = &sources.get(found.at.0.source).path;
            format!(", the first one in `{path}`: {}", found.message)
        });
        let count = compilation.diagnostics.len();
        return Err(Failure::new(format!(
            "the manifests of {origin} have errors ({count}{}): correct them, or compare with another version",
            first.unwrap_or_default()
        )));
    };
    Snapshot::of_project(origin, sources, catalog)
}

/// Loads a bundle, as `export` writes it.
///
/// # Errors
/// If a file cannot be read, or is not that of a bundle.
pub fn bundle(dir: &Path) -> Result<Snapshot, Failure> {
    let index = read_json(&dir.join(INDEX))?;
    let catalog = read_json(&dir.join("catalog.json"))?;
    let facts = catalog["facts"].as_array().into_iter().flatten();
    let has_defaults =
        facts.into_iter().all(|fact| index["facts"][fact["name"].as_str().unwrap_or("")] == fact["default"]);
    let has_default_turn = has_defaults && index["available"].is_null();
    let origin = format!("the bundle {}", dir.display());
    let mut snapshot = Snapshot::of_catalog(origin, catalog, Extent::Bundle { has_default_turn })?;
    for file in index["files"].as_array().into_iter().flatten().filter(|_| has_default_turn) {
        let path = file["path"].as_str().unwrap_or_default();
        let parts: Vec<&str> = path.split('/').collect();
        let ["schemas", dialect, "tools", name] = parts[..] else { continue };
        let is_plain =
            [dialect, name].iter().all(|part| !part.is_empty() && !part.starts_with('.') && !part.contains('\\'));
        let tool = name.split('.').next().filter(|_| is_plain).unwrap_or_default();
        if snapshot.tools().contains_key(tool) {
            let text = read_text(&dir.join(path))?;
            let text = serde_json::from_str::<Value>(&text).map_or(text, |json| json.to_string());
            snapshot.definitions.insert((dialect.to_owned(), tool.to_owned()), text);
        }
    }
    Ok(snapshot)
}

/// Loads a JSON file with the tools of an MCP server: the answer to `tools/list`, its `result`, or the list itself.
///
/// # Errors
/// If the file cannot be read, or is not such a list.
pub fn listed_tools(path: &Path) -> Result<Snapshot, Failure> {
    of_listed_tools(format!("the list {}", path.display()), &read_json(path)?)
}

/// Makes a snapshot of the tools of an MCP server.
///
/// # Errors
/// If the value is not a list of tools.
pub fn of_listed_tools(origin: String, answer: &Value) -> Result<Snapshot, Failure> {
    let lists = [&answer["result"]["tools"], &answer["tools"], answer];
    let Some(list) = lists.into_iter().find_map(Value::as_array) else {
        return Err(Failure::new(format!(
            "{origin} is not a list of tools: expected an object with `tools`, as MCP's `tools/list` answers"
        )));
    };
    let mut tools = Vec::new();
    for (position, tool) in list.iter().enumerate() {
        let entry = entry_of_listed(tool);
        tools.push(
            entry.ok_or_else(|| Failure::new(format!("{origin}: the tool at position {position} has no `name`")))?,
        );
    }
    Snapshot::of_catalog(origin, json!({ "tools": tools }), Extent::Tools)
}

/// Starts or reaches an MCP server, and loads its tools.
///
/// # Errors
/// If it cannot be started or reached, or does not list its tools.
pub fn server(endpoint: &Endpoint) -> Result<Snapshot, Failure> {
    let listed = endpoint.list_tools().map_err(|error| Failure::new(endpoint.failure(&error)))?;
    if let Some(why) = listed.cut_off {
        return Err(Failure::new(format!("{} did not list all its tools: {why}", endpoint.label())));
    }
    of_listed_tools(format!("the server {}", endpoint.label()), &Value::Array(listed.tools))
}

fn read_text(path: &Path) -> Result<String, Failure> {
    let failed = |error: &dyn std::fmt::Display| Failure::new(format!("failed to read {}: {error}", path.display()));
    let mut text = String::new();
    let mut file = File::open(path).map_err(|error| failed(&error))?.take(MAX_BYTES + 1);
    file.read_to_string(&mut text).map_err(|error| failed(&error))?;
    if text.len() as u64 > MAX_BYTES {
        return Err(failed(&format!("it has more than {MAX_BYTES} bytes")));
    }
    Ok(text)
}

fn read_json(path: &Path) -> Result<Value, Failure> {
    serde_json::from_str(&read_text(path)?)
        .map_err(|error| Failure::new(format!("failed to read {}: {error}", path.display())))
}
