//! Guides that list dialects, and packages that list features of vendors' messages, list the right ones, so that a new one is not
//! forgotten.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde_json::json;
use toolc::search::ToolSearch;
use toolc::wire::Api;
use toolc::{DynamicTool, Registry, ToolOutput};
use toolc_codegen::dialects::{DIALECTS, Dialect};

fn guide(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs").join(name);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Returns the words in backticks.
fn code(text: &str) -> BTreeSet<&str> {
    text.split('`').skip(1).step_by(2).collect()
}

/// Returns the cells of the row of a table that begins with `first`.
fn row<'g>(guide: &'g str, first: &str) -> Vec<&'g str> {
    let row = guide.lines().find(|line| line.starts_with(&format!("| {first} |")));
    row.unwrap_or_else(|| panic!("no row begins with {first}")).split('|').map(str::trim).collect()
}

#[test]
fn the_guide_to_vendor_messages_lists_the_dialects_of_each_api() {
    let guide = guide("wire.md");
    for dialect in DIALECTS.iter().filter_map(toolc_codegen::dialects::Dialect::in_runtime) {
        let Some(api) = Api::from_dialect(dialect) else { continue };
        let variant = format!("{dialect:?}");
        assert!(
            code(row(&guide, &format!("`{api:?}`"))[3]).contains(&*variant),
            "the row of `{api:?}` lacks `{variant}`"
        );
    }
}

#[test]
fn the_guide_to_tool_search_lists_the_dialects_whose_vendor_has_a_search() {
    let tool =
        DynamicTool::sync("note", "Writes a note.", json!({ "type": "object" }), |_, _| Ok(ToolOutput::text("")));
    let other =
        DynamicTool::sync("mail", "Sends a mail.", json!({ "type": "object" }), |_, _| Ok(ToolOutput::text("")));
    let registry = Registry::new();
    for tool in [tool, other] {
        registry.add(tool.build().expect("the schema is supported")).expect("the name is free");
    }
    let session = registry.session().tool_search(ToolSearch::with_threshold(0).by_vendor()).build().expect("valid");
    let has_search = |dialect: &&Dialect| {
        let dialect = dialect.in_runtime().expect("the tests have every dialect");
        !session.turn_blocking(dialect).vendor_tools().is_empty()
    };
    let with_search: Vec<_> = DIALECTS.iter().filter(has_search).collect();
    let guide = guide("search.md");
    let section = guide.split("\n## ").find(|section| section.starts_with("The vendor's search\n")).expect("a section");
    let (text, table) = section.split_once("\n| dialect |").expect("a table");
    let rows = table.lines().filter_map(|line| line.strip_prefix("| ")?.split(" | ").next());
    let listed: BTreeSet<&str> = rows.flat_map(code).collect();
    assert_eq!(listed, with_search.iter().map(|dialect| dialect.name).collect(), "the table of docs/search.md");
    let variants: BTreeSet<&str> = with_search.iter().map(|dialect| dialect.variant).collect();
    assert!(code(text).is_superset(&variants), "docs/search.md names {:?}, not {variants:?}", code(text));
}

#[test]
fn the_guide_to_tool_search_lists_the_dialects_that_list_callers() {
    let guide = guide("search.md");
    let text = guide.split_once("the dialects that list callers (").and_then(|(_, rest)| rest.split_once(')'));
    let listed = code(text.expect("the guide lists them").0);
    // A tool without strict mode has the form of the lenient dialect.
    let has_callers = |dialect: &&Dialect| {
        let forms = [Some(*dialect), dialect.lenient];
        forms.into_iter().flatten().any(|form| form.extensions.callers().is_some())
    };
    let with_callers = DIALECTS.iter().filter(has_callers);
    assert_eq!(listed, with_callers.map(|dialect| dialect.name).collect());
}

/// These packages read the messages of every vendor, in tests or as a host.
#[test]
fn the_features_of_vendor_messages_are_enabled_and_documented() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let read = |path: &str| fs::read_to_string(root.join(path)).unwrap_or_else(|error| panic!("{path}: {error}"));
    let runtime: toml::Table = read("runtime/Cargo.toml").parse().expect("the manifest is valid");
    let features = runtime["features"].as_table().expect("a table").keys().filter(|name| name.starts_with("wire-"));
    for feature in features {
        for path in ["tests/Cargo.toml", "host/Cargo.toml", "fuzz/Cargo.toml"] {
            assert!(read(path).contains(&format!("\"{feature}\"")), "{path} does not enable `{feature}`");
        }
        for path in ["docs/wire.md", "docs/projects.md"] {
            assert!(read(path).contains(&format!("`{feature}`")), "{path} does not mention `{feature}`");
        }
    }
}
