//! The examples of the documentation are a project: it compiles without a finding, and every word of the language is
//! spoken of.

use std::fs;
use std::path::Path;

use toolc_codegen::diagnostic::Renderer;
use toolc_codegen::manifest::keys::{Form, Key, PROPERTY, SCHEMA};
use toolc_codegen::source::{Kind, Sources};

fn reference() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/manifests.md");
    fs::read_to_string(path).expect("the reference is there")
}

/// What the examples speak of without showing it.
const REST: [(&str, &str); 4] = [
    ("manifests/toolsets/browser.toml", "name = \"browser\"\ndescription = \"A browser.\"\n"),
    ("manifests/toolsets/travel.toml", "name = \"travel\"\ndescription = \"Trips.\"\n"),
    (
        "manifests/tools/search_web.toml",
        "name = \"search_web\"\ntoolset = \"browser\"\ndescription = \"Search the web.\"\n",
    ),
    (
        "manifests/tools/search_news.toml",
        "name = \"search_news\"\ntoolset = \"browser\"\ndescription = \"Search the news.\"\n",
    ),
];

#[test]
fn the_examples_are_a_project_without_a_finding() {
    let reference = reference();
    let blocks = reference.split("```toml\n").skip(1).filter_map(|block| block.split("```").next());
    let examples: Vec<(String, String)> = blocks
        .map(|block| {
            let path = block.lines().next().and_then(|line| line.strip_prefix("# "));
            (path.expect("an example begins with its path").to_owned(), block.to_owned())
        })
        .collect();
    assert!(examples.len() >= 6, "the examples are found");
    let rest = REST.map(|(path, text)| (path.to_owned(), text.to_owned()));
    let sources = Sources::from_memory(examples.into_iter().chain(rest));
    let compilation = toolc_codegen::compile(&sources);
    let renderer = Renderer::new(&sources, false);
    let findings: Vec<String> = compilation.diagnostics.iter().map(|found| renderer.render(found)).collect();
    assert!(findings.is_empty(), "{}", findings.join("\n\n"));
}

#[test]
fn every_word_of_the_language_is_spoken_of() {
    let reference = reference();
    let mut silent = Vec::new();
    let mut open: Vec<&Key> = Kind::ALL.iter().flat_map(|kind| kind.keys()).copied().flatten().collect();
    open.extend(SCHEMA.iter().chain(PROPERTY));
    while let Some(key) = open.pop() {
        if !reference.contains(key.name) {
            silent.push(key.name);
        }
        if let Form::Table(keys) | Form::Tables(keys) | Form::List(keys) = key.form {
            open.extend(keys);
        }
    }
    assert!(silent.is_empty(), "not in the reference: {silent:?}");
}
