//! Lists and documents of others, from folders that variables name. What is imported from them means the same.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use toolc_import::source::openapi::{self, Choice};
use toolc_import::source::{document, lists};
use toolc_import::tool::Source;

use crate::meaning::compare;
use crate::project::Folder;

/// The number of generated values for each tool.
const VALUES: usize = 200;

#[derive(Debug, Default)]
struct Counts {
    sources: usize,
    tools: usize,
    imported: usize,
    /// Tools without an entry of the report that changes what they accept.
    exact: usize,
    values: usize,
    /// One line for each tool that is not exact.
    exceptions: Vec<String>,
}

impl Counts {
    fn print(&self) {
        let Self { sources, tools, imported, exact, values, .. } = self;
        println!(
            "{sources} sources, {tools} tools, {imported} imported, {exact} without an exception, {values} values"
        );
        for line in &self.exceptions {
            println!("{}", line.chars().take(400).collect::<String>());
        }
    }

    /// Compares the tools of a source with what was imported. `report` is the report in JSON.
    fn add(&mut self, path: &Path, project: &Folder, source: &Source, report: &str) {
        self.sources += 1;
        let effects = effects(report);
        let names = names(project);
        let mut schemas = if names.is_empty() { BTreeMap::new() } else { project.schemas() };
        for tool in &source.tools {
            self.tools += 1;
            let place = format!("{}: {}", path.file_stem().expect("a name").to_string_lossy(), tool.name);
            let known = effects.get(&tool.name);
            let Some((arguments, _)) = names.get(&tool.name).and_then(|name| schemas.remove(name)) else {
                self.exceptions.push(format!("{place}: not imported: {known:?}"));
                continue;
            };
            self.imported += 1;
            self.exact += usize::from(known.is_none());
            let found = compare(&tool.arguments, &arguments, VALUES, self.tools as u64, true);
            self.values += found.values;
            let admitted = if known.is_none() { &found.admitted[..] } else { &[] };
            for (what, wrong) in
                [("REFUSED", &found.refused[..]), ("ADMITTED", admitted), ("unread", &found.unread[..])]
            {
                if let Some(first) = wrong.first() {
                    self.exceptions.push(format!("{place}: {what} {} of {}: {first}", wrong.len(), found.values));
                }
            }
            self.exceptions.extend(known.into_iter().flatten().map(|line| format!("{place}: {line}")));
        }
    }

    fn assert_same(&self) {
        assert!(!self.exceptions.iter().any(|line| line.contains(": REFUSED ") || line.contains(": ADMITTED ")));
    }
}

/// Returns what the report says about each tool, except what changes nothing or refuses more on purpose.
fn effects(report: &str) -> BTreeMap<String, Vec<String>> {
    let report: Value = serde_json::from_str(report).expect("it is JSON");
    let mut effects = BTreeMap::<String, Vec<String>>::new();
    for change in report["changes"].as_array().into_iter().flatten() {
        if !["same", "narrower"].contains(&change["effect"].as_str().unwrap_or_default()) {
            let line = format!("{} {} `{}`: {}", change["effect"], change["pointer"], change["found"], change["done"]);
            effects.entry(change["tool"].as_str().unwrap_or_default().to_owned()).or_default().push(line);
        }
    }
    effects
}

/// Returns the name here of each tool of the source.
fn names(project: &Folder) -> BTreeMap<String, String> {
    if !project.path("imports/x.json").exists() {
        return BTreeMap::new();
    }
    let record: Value = serde_json::from_str(&project.read("imports/x.json")).expect("it is JSON");
    let tools = record["tools"].as_object().into_iter().flatten();
    tools.map(|(name, tool)| (tool["source"].as_str().unwrap_or_default().to_owned(), name.clone())).collect()
}

/// Returns the files of the folder that a variable names.
fn files(variable: &str) -> Vec<PathBuf> {
    let folder = std::env::var(variable).unwrap_or_else(|_| panic!("{variable} names a folder"));
    let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    let ends = ["json", "yaml", "yml"];
    let is_read = |path: &PathBuf| path.extension().is_some_and(|end| ends.iter().any(|known| end == *known));
    let mut paths: Vec<_> = entries.filter(is_read).collect();
    paths.sort();
    paths
}

#[test]
#[ignore = "needs lists of real servers in TOOLC_IMPORT_LISTS"]
fn the_tools_of_real_servers_mean_the_same() {
    let mut counts = Counts::default();
    for path in files("TOOLC_IMPORT_LISTS") {
        let text = fs::read_to_string(&path).expect("it is text");
        let list: Value = serde_json::from_str(&text).unwrap_or_else(|why| panic!("{}: {why}", path.display()));
        let project = Folder::new();
        let (report, _) = project
            .import(&list, &["--json", "--toolset", "x"])
            .unwrap_or_else(|why| panic!("{}: {why}", path.display()));
        counts.add(&path, &project, &lists::read(&list, "x"), &report);
    }
    counts.print();
    counts.assert_same();
}

#[test]
#[ignore = "needs documents of OpenAPI in TOOLC_IMPORT_DOCUMENTS"]
fn the_operations_of_real_documents_mean_the_same() {
    let mut counts = Counts::default();
    for path in files("TOOLC_IMPORT_DOCUMENTS") {
        let text = document::text(&path).unwrap_or_else(|why| panic!("{}: {why}", path.display()));
        let is_json = path.extension().is_some_and(|end| end == "json");
        let value = if is_json { document::json(&path, &text) } else { document::yaml(&path, &text) };
        let value = value.unwrap_or_else(|why| panic!("{}: {why}", path.display()));
        let choice = Choice { methods: vec!["all".to_owned()], ..Choice::default() };
        let source =
            openapi::read(value, &path, &choice, "x").unwrap_or_else(|why| panic!("{}: {why}", path.display()));
        let project = Folder::new();
        let arguments = [path.to_str().expect("it is UTF-8"), "--method", "all", "--json", "--toolset", "x"];
        let (report, _) = project.run(&arguments).unwrap_or_else(|why| panic!("{}: {why}", path.display()));
        counts.add(&path, &project, &source, &report);
        counts
            .exceptions
            .extend(source.broken.iter().map(|(at, why)| format!("{}: left out {at}: {why}", path.display())));
    }
    counts.print();
    counts.assert_same();
}
