//! The shipped manifests have no findings in any dialect, and every tool declares its result.

use std::path::Path;

use ignore::WalkBuilder;
use toolc_codegen::dialects::DIALECTS;
use toolc_codegen::source::Sources;
use toolc_codegen::{Compilation, compile};

/// Compiles the shipped manifests for some dialects.
pub(super) fn compiled(dialects: &[&str]) -> Compilation {
    let project = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let read =
        |path: &Path| std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut settings = settings();
    settings.insert("dialects".to_owned(), dialects.to_vec().into());
    // The files that are written must be in dialects of the project, and do not matter here.
    settings.remove("schemas");
    let mut files = vec![("toolc.toml".to_owned(), settings.to_string())];
    for entry in WalkBuilder::new(project.join("manifests")).build() {
        let path = entry.expect("the folder can be read").into_path();
        let name = path.strip_prefix(&project).expect("below the project").to_str().expect("names are text");
        if path.extension().is_some_and(|extension| extension == "toml") && name != "manifests/Cargo.toml" {
            files.push((name.replace('\\', "/"), read(&path)));
        }
    }
    compile(&Sources::from_memory(files))
}

/// Returns the settings of the project.
fn settings() -> toml::Table {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../toolc.toml");
    std::fs::read_to_string(path).expect("the settings can be read").parse().expect("they are TOML")
}

fn findings(dialects: &[&str]) -> Vec<String> {
    compiled(dialects).diagnostics.iter().map(|found| found.message.clone()).collect()
}

#[test]
fn the_shipped_manifests_have_no_findings_in_any_dialect() {
    let all: Vec<&str> = DIALECTS.iter().map(|dialect| dialect.name).collect();
    for dialects in all.chunks(1).chain([&*all]) {
        assert_eq!(findings(dialects), [""; 0], "{dialects:?}");
    }
}

#[test]
fn the_project_is_linted_in_every_dialect() {
    let settings = settings();
    let listed = settings["dialects"].as_array().expect("a list");
    let listed: Vec<&str> = listed.iter().filter_map(toml::Value::as_str).collect();
    let all: Vec<&str> = DIALECTS.iter().map(|dialect| dialect.name).collect();
    assert_eq!(listed, all);
}

#[test]
fn every_shipped_tool_declares_its_result() {
    let compilation = compiled(&["mcp"]);
    let catalog = compilation.catalog.expect("no errors");
    let tools: Vec<_> = catalog.tools().map(|(_, tool)| tool).collect();
    assert!(tools.len() >= 8, "{}", tools.len());
    // With `returns`, the handler returns a type that gen has written, so that the result is what is declared.
    let undeclared: Vec<&str> =
        tools.iter().filter(|tool| tool.manifest.returns.is_none()).map(|tool| tool.name()).collect();
    assert_eq!(undeclared, [""; 0], "declare the result of these tools in `returns`");
}

#[test]
fn composite_toolsets_have_the_tools_of_their_purpose() {
    let compilation = compiled(&["mcp"]);
    let catalog = compilation.catalog.expect("no errors");
    let tools = |name: &str| -> Vec<&str> {
        let (id, _) = catalog.toolsets().find(|(_, toolset)| toolset.name() == name).expect("a shipped toolset");
        catalog.resolve(id).iter().map(|&id| catalog[id].name()).collect()
    };
    let debugging = [
        "execute_code",
        "patch",
        "process",
        "read_file",
        "search_files",
        "terminal",
        "web_crawl",
        "web_extract",
        "web_search",
        "write_file",
    ];
    assert_eq!(tools("debugging"), debugging);
    assert_eq!(tools("safe"), ["read_file", "search_files", "todo", "web_extract", "web_search"]);
}

#[test]
fn the_text_of_execute_code_names_every_tool_that_scripts_can_call() {
    let compilation = compiled(&["mcp"]);
    let catalog = compilation.catalog.expect("no errors");
    let description = |name: &str| {
        let (_, tool) = catalog.tools().find(|(_, tool)| tool.name() == name).expect("a shipped tool");
        tool.manifest.description.clone()
    };
    let text = format!("{:?}", description("execute_code"));
    for (_, tool) in catalog.tools().filter(|(_, tool)| tool.manifest.scripts) {
        // The text names the tools of the board together, because they are many.
        let named = if tool.name().starts_with("kanban_") { "tools of the board" } else { tool.name() };
        assert!(text.contains(named), "{}", tool.name());
    }
}
