//! A project in a temporary folder.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use clap::Parser;
use serde_json::Value;
use toolc_codegen::Sources;
use toolc_codegen::cli::Project;

#[derive(Parser)]
struct Cli {
    #[command(flatten)]
    args: toolc_import::Args,
}

/// A project without tools.
pub(crate) struct Folder(tempfile::TempDir);

impl Folder {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        fs::create_dir_all(folder.path().join("manifests")).expect("it is writable");
        Self(folder)
    }

    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.0.path().join(path)
    }

    pub(crate) fn write(&self, path: &str, text: &str) -> PathBuf {
        let path = self.path(path);
        fs::create_dir_all(path.parent().expect("a parent")).expect("it is writable");
        fs::write(&path, text).expect("it is writable");
        path
    }

    pub(crate) fn read(&self, path: &str) -> String {
        fs::read_to_string(self.path(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    /// Imports a list. Returns the report and whether it is complete.
    pub(crate) fn import(&self, list: &Value, args: &[&str]) -> Result<(String, bool), String> {
        let list = self.write("tools.json", &list.to_string());
        self.run(&[&[list.to_str().expect("it is UTF-8")], args].concat())
    }

    pub(crate) fn run(&self, args: &[&str]) -> Result<(String, bool), String> {
        let cli = Cli::parse_from([&["import"], args].concat());
        let project = Project { root: Some(self.path("")) };
        toolc_import::attempt(project, &cli.args).map_err(|failure| failure.to_string())
    }

    /// Returns the paths and texts of all files, except the list.
    pub(crate) fn files(&self) -> Vec<(String, String)> {
        let mut found = Vec::new();
        let mut open = vec![String::new()];
        while let Some(folder) = open.pop() {
            for entry in fs::read_dir(self.path(&folder)).expect("a folder") {
                let entry = entry.expect("an entry");
                let path = format!("{folder}{}", entry.file_name().to_string_lossy());
                if entry.path().is_dir() {
                    open.push(format!("{path}/"));
                } else if path != "tools.json" {
                    found.push((path.clone(), self.read(&path)));
                }
            }
        }
        found.sort();
        found
    }

    /// Returns the schemas of the arguments and the result of a tool, as compiled.
    pub(crate) fn schema(&self, tool: &str) -> (Value, Option<Value>) {
        self.schemas().remove(tool).expect("it was imported")
    }

    /// Returns the schemas of the arguments and the results of all tools, as compiled.
    pub(crate) fn schemas(&self) -> BTreeMap<String, (Value, Option<Value>)> {
        let compilation = toolc_codegen::compile(&Sources::scan(&self.path("")).expect("a project"));
        let catalog = compilation.catalog.unwrap_or_else(|| panic!("{:?}", compilation.diagnostics));
        let schemas = catalog.tools().map(|(_, tool)| {
            let manifest = &tool.manifest;
            let full = |schema| manifest.defs.full_schema(schema);
            (tool.name().to_owned(), (full(&manifest.params), manifest.returns.as_ref().map(full)))
        });
        schemas.collect()
    }
}
