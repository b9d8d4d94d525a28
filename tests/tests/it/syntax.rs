//! Files that are not valid TOML: the message about each says what the author probably meant, not what the TOML parser expected.
//!
//! `syntax/cases.txt` has a file for each mistake, below a line `=== MISTAKE`. `<U+0007>` in it is this character.

use toolc_codegen::compile;
use toolc_codegen::diagnostic::Renderer;
use toolc_codegen::source::Sources;

const CASES: &str = include_str!("../../syntax/cases.txt");

/// Replaces `<U+0007>` by the character.
fn decode(text: &str) -> String {
    let mut parts = text.split("<U+");
    let mut decoded = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (code, rest) = part.split_once('>').expect("a code ends with `>`");
        decoded.push(u32::from_str_radix(code, 16).ok().and_then(char::from_u32).expect("a code is a character"));
        decoded += rest;
    }
    decoded
}

#[test]
fn every_mistake_is_explained_once_in_terms_of_the_author() {
    let (mut all, mut failures) = (String::new(), String::new());
    for case in CASES.strip_prefix("=== ").expect("a heading").split("\n=== ") {
        let (mistake, text) = case.split_once('\n').expect("a heading and a file");
        let sources = Sources::from_memory([("manifests/tools/t.toml".to_owned(), decode(text))]);
        let found: Vec<_> = compile(&sources).diagnostics.into_iter().filter(|found| found.code.id != "A006").collect();
        let renderer = Renderer::new(&sources, false);
        let shown: Vec<String> = found.iter().map(|found| renderer.render(found)).collect();
        let has_help = found.iter().all(|found| found.help.len() > 1 || found.message.contains("too deeply"));
        if found.len() != 1 || found[0].code.id != "C001" || !has_help {
            failures += &format!("\n{mistake}: expected one error with a help, got:\n{}\n", shown.join("\n\n"));
        }
        let last = "\n  = help: fix this first: the rest of the file is not checked";
        all += &format!("=== {mistake}\n{}\n", shown.join("\n").replace(last, ""));
    }
    assert_eq!(failures, "");
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("syntax");
    insta::with_settings!({ snapshot_path => folder, prepend_module_to_snapshot => false, omit_expression => true }, {
        insta::assert_snapshot!("cases", all);
    });
}
