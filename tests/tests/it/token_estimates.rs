//! Lint and turns estimate the tokens of definitions alike.

use std::fs;
use std::path::Path;

use toolc_codegen::source::Sources;

#[test]
fn lint_and_turns_estimate_the_same_tokens() {
    let project = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let settings = "dialects = [\"openai\"]\n[budgets]\ntokens = 1\n[schemas]\ntoolsets = true\n";
    let mut files = vec![("toolc.toml".to_owned(), settings.to_owned())];
    for name in ["manifests/facts.toml", "manifests/env.toml"] {
        files.push((name.to_owned(), fs::read_to_string(project.join(name)).expect("the file can be read")));
    }
    for folder in ["manifests/tools", "manifests/toolsets"] {
        for entry in fs::read_dir(project.join(folder)).expect("failed to read the shipped manifests") {
            let entry = entry.expect("the folder can be read");
            let name = entry.file_name().into_string().expect("names are text");
            files.push((format!("{folder}/{name}"), fs::read_to_string(entry.path()).expect("a manifest can be read")));
        }
    }
    let compilation = toolc_codegen::compile(&Sources::from_memory(files));
    // `file` has no budget of its own.
    let files = toolc_codegen::emit::emit(compilation.catalog.as_ref().expect("no errors"));
    let shown = files.iter().find(|file| file.path == "generated/schemas/openai/toolsets/file.json").expect("a file");
    let shown: serde_json::Value = serde_json::from_str(&shown.text).expect("it is JSON");
    let tokens = toolc::catalog::estimated_tokens(shown.to_string().len());
    let expected = format!("the definitions of `file` need about {tokens} tokens, but the budget is 1");
    let messages: Vec<&str> = compilation.diagnostics.iter().map(|found| &*found.message).collect();
    assert!(messages.contains(&&*expected), "{expected}: {messages:?}");
}

#[test]
fn a_turn_without_tools_is_estimated_at_one_token() {
    let session = toolc::Registry::new().session().build().expect("the session is valid");
    assert_eq!(session.turn_blocking(toolc::Dialect::OpenAi).estimated_tokens(), 1);
    assert_eq!([0, 1, 4, 5].map(toolc::catalog::estimated_tokens), [0, 1, 1, 2]);
}
