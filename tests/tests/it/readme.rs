//! The examples of the README are correct: its manifests compile, and its handlers match the generated traits.

use std::fs;
use std::path::Path;

use toolc_codegen::diagnostic::Renderer;
use toolc_codegen::emit::emit;
use toolc_codegen::source::Sources;

/// Returns the code blocks of one language, without the indentation of the list that contains them.
fn blocks(readme: &str, language: &str) -> Vec<String> {
    let mut blocks = Vec::new();
    let mut lines = readme.lines();
    while let Some(line) = lines.next() {
        let indent = line.len() - line.trim_start().len();
        if line.trim_start() == format!("```{language}") {
            let inside = lines.by_ref().take_while(|line| line.trim() != "```");
            let lines = inside.map(|line| line.get(indent..).unwrap_or_default());
            blocks.push(lines.flat_map(|line| [line, "\n"]).collect());
        }
    }
    blocks
}

fn project() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Returns the shipped manifests and one more.
fn shipped_manifests_and(path: &str, text: &str) -> Sources {
    let mut files = vec![(path.to_owned(), text.to_owned())];
    for folder in ["manifests/tools", "manifests/toolsets"] {
        for entry in fs::read_dir(project().join(folder)).unwrap() {
            let entry = entry.unwrap();
            let path = format!("{folder}/{}", entry.file_name().to_str().unwrap());
            files.push((path, fs::read_to_string(entry.path()).unwrap()));
        }
    }
    Sources::from_memory(files)
}

#[test]
fn the_example_tool_of_the_readme_compiles() {
    let readme = fs::read_to_string(project().join("README.md")).unwrap();
    let manifests = blocks(&readme, "toml");
    let manifest = manifests.iter().find(|block| block.contains("count_words")).unwrap();
    let sources = shipped_manifests_and("manifests/tools/count_words.toml", manifest);
    let compilation = toolc_codegen::compile(&sources);
    let renderer = Renderer::new(&sources, false);
    let findings: Vec<String> = compilation.diagnostics.iter().map(|found| renderer.render(found)).collect();
    assert_eq!(findings, [] as [String; 0]);

    let outputs = emit(&compilation.catalog.unwrap());
    let generated = &outputs.iter().find(|output| output.path == "generated/rust/file.rs").unwrap().text;
    let handler = blocks(&readme, "rust").into_iter().find(|block| block.contains("fn count_words")).unwrap();
    let signature = handler.lines().next().unwrap().trim_end_matches(" {").replace("_: &Call", "call: &Call");
    let flat = generated.split_whitespace().collect::<Vec<_>>().join(" ").replace("( ", "(").replace(", )", ")");
    assert!(flat.contains(&signature), "{signature}");
    for field in ["pub path: String", "pub unique: bool"] {
        assert!(generated.contains(field), "{field}");
    }
}

#[test]
fn the_readme_sets_up_the_repository_with_two_commands() {
    let readme = fs::read_to_string(project().join("README.md")).unwrap();
    let shell = blocks(&readme, "sh");
    let commands: Vec<&str> = shell[0].lines().map(|line| line.split('#').next().unwrap().trim()).collect();
    assert_eq!(commands, ["cargo xtask gen", "cargo xtask test"]);
}
