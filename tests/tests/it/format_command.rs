//! `fmt` keeps the values and comments of a manifest, and formatting twice changes nothing. Tested on every manifest of the
//! repository, and on thousands of mutations.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use toolc_codegen::compile;
use toolc_codegen::diagnostic::SourceId;
use toolc_codegen::emit::emit;
use toolc_codegen::format::format;
use toolc_codegen::source::{Source, Sources};
use toolc_tests::random::Random;

type Files = BTreeMap<String, String>;

/// Returns the projects of this repository.
fn projects() -> Vec<Sources> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let roots = ["..", "projects/golden", "projects/bench", "projects/names", "projects/programs", "projects/smallest"];
    roots.map(|root| Sources::scan(&here.join(root)).expect("a project")).into()
}

/// Returns the files of every fixture of a diagnostic, in both versions.
fn fixtures() -> Vec<(String, String)> {
    let mut all = Vec::new();
    for folder in fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("diagnostics")).expect("fixtures") {
        let Ok(files) = fs::read_dir(folder.expect("a folder").path()) else { continue };
        for file in
            files.map(|file| file.expect("a file").path()).filter(|path| path.extension().is_some_and(|e| e == "txt"))
        {
            let text = fs::read_to_string(file).expect("text");
            for part in text.split("--- ").skip(1) {
                let (head, text) = part.split_once('\n').expect("a file");
                let path = head.rsplit(' ').next().expect("a path");
                all.push((path.to_owned(), text.to_owned()));
            }
        }
    }
    all.sort();
    all.dedup();
    all
}

fn source(path: &str, text: &str) -> Option<Source> {
    Sources::from_memory([(path.to_owned(), text.to_owned())]).all().first().map(|source| Source::clone(source))
}

/// Returns the comments of valid TOML, sorted and with their white space collapsed.
fn comments(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find(['#', '"', '\'']) {
        rest = &rest[at..];
        if let Some(comment) = rest.strip_prefix('#') {
            let end = comment.find('\n').unwrap_or(comment.len());
            found.push(comment[..end].split_whitespace().collect::<Vec<_>>().join(" "));
            rest = &comment[end..];
        } else {
            rest = after_string(rest);
        }
    }
    found.sort();
    found
}

/// Returns what follows the string at the beginning of a text.
fn after_string(text: &str) -> &str {
    let quote = ["\"\"\"", "\'\'\'", "\"", "\'"].into_iter().find(|quote| text.starts_with(quote)).expect("a quote");
    let mut rest = &text[quote.len()..];
    loop {
        if let Some(after) = rest.strip_prefix(quote) {
            // The content of a long string may end with one or two quotes.
            let more = after.len() - after.trim_start_matches(&quote[..1]).len();
            return if quote.len() == 3 { &after[more..] } else { after };
        }
        let escaped = if quote.starts_with('"') { rest.strip_prefix('\\') } else { None };
        let mut letters = escaped.unwrap_or(rest).chars();
        letters.next().expect("the string has an end");
        rest = letters.as_str();
    }
}

/// Asserts that formatting keeps values and comments, and that a second time changes nothing. Returns the formatted text, or `None` if
/// the text is not TOML.
fn check(path: &str, text: &str) -> Option<String> {
    let source = source(path, text)?;
    let formatted = format(source.kind, &source.text)?;
    // NaN is not equal to itself.
    let value = |text: &str| toml::from_str::<toml::Value>(&text.replace("nan", "inf")).expect("valid TOML");
    assert_eq!(value(&formatted), value(&source.text), "{path}:\n{text}\nbecomes\n{formatted}");
    assert_eq!(comments(&formatted), comments(&source.text), "{path}:\n{text}\nbecomes\n{formatted}");
    let again = format(source.kind, &formatted).expect("valid TOML");
    assert_eq!(again, formatted, "{path}, a second time:\n{text}");
    Some(formatted)
}

#[test]
fn formatting_a_manifest_keeps_its_values_and_comments() {
    let mut count = 0;
    for (path, text) in fixtures() {
        count += usize::from(check(&path, &text).is_some());
    }
    for project in projects() {
        for source in project.all() {
            check(&source.path, &source.text).expect("valid TOML");
            count += 1;
        }
    }
    assert!(count > 500, "{count}");
}

/// The output of a formatted project is unchanged.
#[test]
fn formatting_a_project_does_not_change_its_output() {
    for project in projects() {
        let ids = (0..).map(SourceId).zip(project.all());
        let formatted: Vec<(SourceId, String)> =
            ids.map(|(id, source)| (id, format(source.kind, &source.text).expect("valid TOML"))).collect();
        let formatted = project.with(&formatted);
        let outputs = |sources: &Sources| {
            let catalog = compile(sources).catalog.expect("the project compiles");
            let outputs = emit(&catalog).into_iter().map(|output| (output.path, output.text));
            // The digests of the files depend on every character.
            outputs.filter(|(path, _)| path != "generated/manifests.txt").collect::<Files>()
        };
        assert_eq!(outputs(&formatted), outputs(&project));
    }
}

/// Shuffled lines of manifests, with added white space and comments.
#[test]
fn formatting_any_toml_keeps_its_values_and_comments() {
    let all: Vec<(String, String)> = fixtures();
    let mut random = Random(7);
    let mut count = 0;
    for _ in 0..4_000 {
        let (path, text) = random.pick(&all);
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        for _ in 0..=random.below(4) {
            let at = random.below(lines.len() + 1);
            match random.below(6) {
                0 => lines.insert(at, String::new()),
                1 => lines.insert(at, "  # a comment".to_owned()),
                2 if at < lines.len() => lines[at] += "  # after",
                3 if at < lines.len() => lines[at] = lines[at].replacen('[', "[ # inside\n  # own\n", 1),
                4 if at < lines.len() => lines[at] = lines[at].replacen(',', " # before\n\t,\n\n # after\n", 1),
                5 => {
                    let other = random.below(lines.len().max(1));
                    if at < lines.len() && other < lines.len() {
                        lines.swap(at, other);
                    }
                }
                _ => {}
            }
        }
        let text = lines.join("\n");
        // A `#` in a string does not begin a comment, which this test does not distinguish.
        if !text.contains("$defs/") && !text.contains("C#") {
            count += usize::from(check(path, &text).is_some());
        }
    }
    assert!(count > 1_000, "{count}");
}

#[test]
fn formatting_lays_out_keys_tables_and_arrays() {
    let text = r#"#:schema ../tool.schema.json
# About the file.

# About the emoji.
emoji="📖"   # behind
requires.env = [ "A",'B' ]
name   = "x"

  toolset = 'files'
description = """
Two
lines"""
annotations={read_only=true,open_world=false}
[schema.properties.first]
type="string"
# About limit.
[params.limit] # a header
required = true
maximum = 2_000
description = "How many."
type = "integer"
enum = ["a value that is long", "another value that is long", "a third value that is long", "a fourth value that is long"]
[params."odd key"]
type = [ # which
  "string", # one
  # none
  "null" ]
# The end.
"#;
    let source = source("manifests/tools/x.toml", text).expect("a manifest");
    insta::assert_snapshot!(format(source.kind, &source.text).expect("valid TOML"), @r#"
    #:schema ../tool.schema.json
    # About the file.

    name = "x"

    toolset = 'files'
    description = """
    Two
    lines"""
    # About the emoji.
    emoji = "📖" # behind
    annotations = { read_only = true, open_world = false }
    requires.env = ["A", 'B']

    [schema.properties.first]
    type = "string"

    # About limit.
    [params.limit] # a header
    type = "integer"
    description = "How many."
    required = true
    enum = [
        "a value that is long",
        "another value that is long",
        "a third value that is long",
        "a fourth value that is long",
    ]
    maximum = 2_000

    [params."odd key"]
    type = [ # which
        "string", # one
        # none
        "null",
    ]
    # The end.
    "#);
}

#[test]
fn formatting_refuses_text_that_is_not_toml() {
    assert_eq!(format(None, "a = "), None);
    assert_eq!(format(None, "").as_deref(), Some(""));
    assert_eq!(format(None, "\n\n# only this\n\n\n").as_deref(), Some("# only this\n"));
}
