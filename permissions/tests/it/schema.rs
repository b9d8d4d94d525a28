//! The JSON Schema of `permissions.toml` accepts and refuses what the reader accepts and refuses.

use serde_json::Value;
use toolc_permissions::{PermissionFile, Trust, schema};

/// Returns what the schema says against a file.
fn errors(text: &str) -> Vec<String> {
    let document: Value = toml::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"));
    let validator = jsonschema::draft202012::new(&schema()).expect("a schema");
    validator.iter_errors(&document).map(|error| format!("{error} at {}", error.instance_path())).collect()
}

fn rule(keys: &str) -> String {
    format!("[[permissions]]\nname = \"a\"\ndescription = \"D.\"\nverdict = \"ask\"\n{keys}\n")
}

#[test]
fn the_schema_accepts_the_rules_of_the_table() {
    let mut count = 0;
    for (title, [user, project]) in crate::table::sections().iter().map(|section| (&section.title, &section.rules)) {
        for text in [user, project] {
            assert_eq!(errors(text), [] as [&str; 0], "{title}: {text}");
            count += text.matches("[[permissions]]").count();
        }
    }
    assert!(count >= 240, "{count} rules");
}

#[test]
fn the_schema_accepts_every_key() {
    let keys = r#"
        tools = ["write_file"]
        without_tools = ["write_page"]
        toolsets = ["file"]
        servers = ["*"]
        environments = ["local"]
        annotations = { read_only = false, destructive = true, idempotent = false, open_world = true }
        no_other_parameters = true
        matches = [{ tool = "mcp__a__b", arguments = { "n" = 3 }, toolset = "mcp-a", environment = "local", annotations = { read_only = true } }]
        ignores = [{ tool = "x" }]
        [permissions.parameters.path]
        is = ["a", 1, { json = "null" }]
        matches = ["a*"]
        without = ["b*"]
        within = ["src"]
        outside = ["src/gen"]
        [permissions.parameters."a.url"]
        hosts = ["*.test"]
        without_hosts = ["bad.test"]
        [permissions.parameters.n]
        minimum = 1
        maximum = 2.5
        exclusive_minimum = 0
        exclusive_maximum = { json = "18446744073709551615" }
    "#;
    assert_eq!(errors(&rule(keys)), [] as [&str; 0]);
    let allow = rule("exempts = [\"b\"]\ntools = [\"x\"]").replace("\"ask\"", "\"allow\"");
    assert_eq!(errors(&allow), [] as [&str; 0]);
    assert_eq!(errors(""), [] as [&str; 0]);
    PermissionFile::read("p", &allow, Trust::Home).expect("the reader accepts it, too");
}

#[test]
fn the_schema_refuses_what_the_reader_refuses() {
    let wrong = [
        rule("tool = [\"x\"]"),
        rule("tools = \"x\""),
        rule("tools = []"),
        rule("tools = [1]"),
        rule("tools = [\"x\"]\nno_other_parameters = \"yes\""),
        rule("annotations = { readonly = true }"),
        rule("annotations = { read_only = 1 }"),
        rule("parameters = [\"path\"]"),
        rule("parameters.path = \"src\""),
        rule("parameters.path.within = \"src\""),
        rule("parameters.path.witin = [\"src\"]"),
        rule("parameters.path.is = 5"),
        rule("parameters.url.hosts = [5]"),
        rule("tools = [\"x\"]\nmatches = [{ arguments = {} }]"),
        rule("tools = [\"x\"]\nmatches = [{ tool = \"x\", argument = {} }]"),
        rule("tools = [\"x\"]\nignores = [\"x\"]"),
        rule("tools = [\"x\"]").replace("\"ask\"", "\"refuse\""),
        rule("tools = [\"x\"]").replace("name = \"a\"", ""),
        rule("tools = [\"x\"]").replace("description = \"D.\"", ""),
        rule("tools = [\"x\"]").replace("verdict = \"ask\"", ""),
        rule("tools = [\"x\"]").replace("[[permissions]]", "[permissions]"),
        rule("tools = [\"x\"]").replace("[[permissions]]", "[[permission]]"),
    ];
    for text in wrong {
        assert!(PermissionFile::read("p", &text, Trust::Home).is_err(), "{text}");
        assert!(!errors(&text).is_empty(), "{text}");
    }
}
