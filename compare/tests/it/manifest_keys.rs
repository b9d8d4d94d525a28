//! Every key of manifests, changed in both directions.

use toolc_compare::{CODES, Comparison, compare};

use crate::project::{snapshot, tool, toolset};

/// Lines of a tool before and after, the tier, and the code that both directions have.
const KEYS: &[(&str, &str, &str)] = &[
    ("", "title = \"Title\"\n", "T003"),
    ("", "icons = [\"https://example.com/a.png\"]\n", "T003"),
    ("", "emoji = \"🔧\"\n", "T003"),
    ("", "meta = { a = 1 }\n", "T003"),
    ("", "execution = \"async\"\n", "S004"),
    ("execution = \"async\"\n", "execution = \"async\"\ntimeout = \"90s\"\n", "B005"),
    ("", "max_result_chars = 9000\n", "B005"),
    ("", "parallel = \"always\"\n", "B007"),
    ("", "defer = false\n", "B008"),
    ("", "callers = [\"model\", \"code\"]\n", "B008"),
    ("execution = \"async\"\n", "execution = \"async\"\nbackground = true\n", "B008"),
    ("", "scripts = true\n", "B008"),
    ("", "annotations.read_only = true\n", "B004"),
    ("annotations.read_only = true\n", "annotations.read_only = true\nannotations.open_world = false\n", "B004"),
    ("", "annotations.idempotent = true\n", "B004"),
    ("", "annotations.destructive = false\n", "B004"),
    ("", "requires.programs = [\"git\"]\n", "B002"),
    ("", "requires.env = [\"KEY\"]\n", "B002"),
    ("", "requires.any_env = [\"KEY\"]\n", "B002"),
    ("", "requires.os = [\"linux\"]\n", "B002"),
    ("", "requires.tools = [\"other\"]\n", "B002"),
    ("", "requires.any_tools = [\"other\"]\n", "B002"),
    ("", "requires.any = [{ programs = [\"git\"] }]\n", "B002"),
    ("", "requires.when = \"facts.flag\"\n", "B002"),
    ("", "requires.check = true\n", "S004"),
    ("", "approval.always = \"ask\"\n", "B003"),
    ("", "approval.shell = \"x\"\n", "B003"),
    ("approval.shell = \"x\"\n", "approval.shell = \"x\"\napproval.start_directory = true\n", "S004"),
    ("", "deprecated = { note = \"Use the other one.\", replacement = \"other\" }\n", "B015"),
    ("", "text_input = { syntax = \"text\" }\n", "B016"),
    ("", "dialect.openai.description = \"For this vendor.\"\n", "T001"),
    ("", "dialect.openai.name = \"another\"\n", "W006"),
    ("", "dialect.anthropic-strict.strict = false\n", "B016"),
];

fn project(lines: &str, x: &str) -> toolc_compare::Snapshot {
    let x = format!("params.x = {{ type = \"string\", description = \"A text.\", required = true{x} }}\n");
    let facts = "[facts.flag]\ndefault = false\ndescription = \"A flag.\"\n";
    let env = "[env.KEY]\ndescription = \"A key.\"\n";
    let files = [("manifests/facts.toml", facts), ("manifests/env.toml", env)];
    let files = files.map(|(path, text)| (path.to_owned(), text.to_owned()));
    snapshot(files.into_iter().chain([
        tool("t", &format!("{lines}{x}")),
        tool("other", ""),
        toolset("p", "kind = \"preset\"\nincludes = [\"s\"]\n"),
    ]))
}

fn has(comparison: &Comparison, code: &str) -> bool {
    comparison.findings.iter().any(|found| found.code.id == code && found.name == "t")
}

#[test]
fn every_key_of_a_tool_has_a_code_in_both_directions() {
    for (before, after, code) in KEYS {
        let [one, two] = [before, after].map(|lines| project(lines, ""));
        for comparison in [compare(&one, &two).unwrap(), compare(&two, &one).unwrap()] {
            assert!(has(&comparison, code), "{after}: {:#?}", comparison.findings);
            assert!(!has(&comparison, "B018"), "{after}: {:#?}", comparison.findings);
            assert!(!has(&comparison, "W002"), "{after}: {:#?}", comparison.findings);
        }
    }
}

#[test]
fn every_key_of_a_parameter_has_a_code_in_both_directions() {
    let keys = [
        (", secret = true", "B010", "B010"),
        (", aliases = [\"y\"]", "A004", "W005"),
        (", title = \"Title\"", "T002", "T002"),
        (", examples = [\"one\"]", "T002", "T002"),
    ];
    for (key, there, back) in keys {
        let [one, two] = ["", key].map(|key| project("", key));
        assert!(has(&compare(&one, &two).unwrap(), there), "{key}");
        assert!(has(&compare(&two, &one).unwrap(), back), "{key}");
    }
}

/// A key that is added to manifests needs an entry here and in `src/keys.rs`.
#[test]
fn no_key_of_the_catalog_is_unknown() {
    let all = project("title = \"T\"\n", "");
    let none = project("", "");
    for side in [&all, &none] {
        for (list, known) in [("tools", 31), ("toolsets", 14)] {
            let keys: std::collections::BTreeSet<&String> =
                side.list(list).values().flat_map(|entry| entry.as_object().unwrap().keys()).collect();
            assert!(keys.len() <= known, "{keys:?}");
        }
    }
}

#[test]
fn toolsets_and_the_other_lists_are_compared() {
    let with = |files: &[(&str, &str)]| {
        let files = files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned()));
        snapshot(files.chain([tool("t", "")]).collect::<Vec<_>>())
    };
    let set = |lines: &str| ("manifests/toolsets/p.toml", format!("name = \"p\"\ndescription = \"Tools.\"\n{lines}"));
    let cases: &[(&str, &str, &str, &str)] = &[
        ("tools = [\"t\"]\n", "", "B006", "B006"),
        ("includes = [\"s\"]\n", "", "B006", "B006"),
        ("base = \"s\"\n", "", "B006", "B006"),
        ("kind = \"preset\"\n", "", "B006", "B006"),
        ("tags = [\"x\"]\n", "", "B006", "B006"),
        ("token_budget = 900\n", "", "T003", "T003"),
        ("requires.programs = [\"git\"]\n", "", "B002", "B002"),
        ("aliases = [\"old\"]\n", "", "W005", "A004"),
    ];
    for (before, after, there, back) in cases {
        let [(path, one), (_, two)] = [set(before), set(after)];
        let (one, two) = (with(&[(path, &one)]), with(&[(path, &two)]));
        for (comparison, code) in [(compare(&one, &two).unwrap(), there), (compare(&two, &one).unwrap(), back)] {
            let codes: Vec<&str> = comparison.findings.iter().map(|found| found.code.id).collect();
            assert!(codes.contains(code), "{before}: {codes:?}");
        }
    }
    let facts = |default: &str| format!("[facts.flag]\ndefault = {default}\ndescription = \"A flag.\"\n");
    let [one, two] = [facts("true"), facts("false")].map(|text| with(&[("manifests/facts.toml", &text)]));
    let comparison = compare(&one, &two).unwrap();
    assert_eq!(comparison.findings.iter().map(|found| found.code.id).collect::<Vec<_>>(), ["B011"]);
}

#[test]
fn a_tool_that_is_gone_breaks_and_one_that_is_renamed_with_an_alias_does_not() {
    let before = snapshot([tool("search", ""), tool("t", "")]);
    let gone = compare(&before, &snapshot([tool("t", "")])).unwrap();
    assert_eq!(gone.findings.iter().filter(|found| found.code.id == "W001").count(), 1);
    assert_eq!(gone.bump().to_string(), "major");
    let renamed = compare(&before, &snapshot([tool("find", "aliases = [\"search\"]\n"), tool("t", "")])).unwrap();
    let codes: Vec<&str> = renamed.findings.iter().map(|found| found.code.id).collect();
    assert!(codes.contains(&"S001") && !codes.iter().any(|code| code.starts_with('W')), "{:#?}", renamed.findings);
    let added = compare(&snapshot([tool("t", "")]), &before).unwrap();
    assert!(added.findings.iter().any(|found| found.code.id == "A001"));
    assert_eq!(added.bump().to_string(), "minor");
}

#[test]
fn a_condition_that_hides_a_tool_from_a_declared_turn_is_found() {
    let with = |when: &str| project(when, "");
    let comparison = compare(&with(""), &with("requires.when = \"facts.flag\"\n")).unwrap();
    let shown: Vec<&str> =
        comparison.findings.iter().filter(|found| found.code.id == "B017").map(|found| found.name.as_str()).collect();
    // In the preset and in the default turn the fact is false, but it is true in the turn of its other value.
    assert_eq!(shown, ["p", "default"], "{:#?}", comparison.findings);
}

#[test]
fn codes_are_unique() {
    let mut ids: Vec<&str> = CODES.iter().flat_map(|code| [code.id, code.name]).collect();
    let count = ids.len();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), count);
}
