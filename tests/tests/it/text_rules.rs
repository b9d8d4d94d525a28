//! `docs/export/text-rules.json`: the runtime has its verdicts, and `docs/formats.md` has its tables.

use std::fs;
use std::path::Path;

use serde_json::Value;
use toolc::__gen::text_rule::{Format, Pattern, problem};

fn read(path: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path)).expect("the file is readable")
}

fn rules() -> Value {
    serde_json::from_str(&read("docs/export/text-rules.json")).expect("the file is JSON")
}

fn texts(list: &Value) -> impl Iterator<Item = &str> {
    list.as_array().expect("a list").iter().map(|text| text.as_str().expect("a text"))
}

#[test]
fn formats_have_the_listed_verdicts() {
    let rules = rules();
    let formats = rules["formats"].as_object().expect("an object");
    assert_eq!(formats.len(), Format::ALL.len());
    for format in Format::ALL {
        let listed = &formats[format.name()];
        for text in texts(&listed["valid"]).chain([format.form().1]) {
            assert!(format.holds(text), "{}: {text:?}", format.name());
        }
        for text in texts(&listed["invalid"]) {
            assert!(!format.holds(text), "{}: {text:?}", format.name());
        }
    }
}

#[test]
fn patterns_have_the_listed_verdicts() {
    let rules = rules();
    for listed in rules["patterns"].as_array().expect("a list") {
        let text = listed["pattern"].as_str().expect("a text");
        let pattern = Pattern::new(text.to_owned());
        for (key, verdict) in [("matches", true), ("refuses", false)] {
            for text in texts(&listed[key]) {
                assert_eq!(pattern.matches(text), Some(verdict), "{} {text:?}", pattern.as_str());
            }
        }
    }
    for listed in rules["not_enforced"].as_array().expect("a list") {
        let pattern = listed["pattern"].as_str().expect("a text");
        let found = problem(pattern).unwrap_or_else(|| panic!("{pattern} is enforced"));
        assert_eq!(found.cause.what(), listed["has"], "{pattern}");
        assert!(pattern.get(found.at).is_some(), "{pattern}");
        assert_eq!(Pattern::new(pattern.to_owned()).matches("a"), None, "{pattern}");
    }
}

#[test]
fn the_guide_has_the_tables_of_the_data() {
    let (rules, guide) = (rules(), read("docs/formats.md"));
    for (name, format) in rules["formats"].as_object().expect("an object") {
        let cell = |key: &str| format[key].as_str().expect("a text").to_owned();
        let row = format!("| `{name}` | {} | {} |", cell("standard"), cell("strictness"));
        assert!(guide.contains(&row), "{row}");
    }
    for row in rules["syntax"].as_array().expect("a list") {
        let cells: Vec<String> = texts(row).map(|cell| cell.replace('|', "\\|")).collect();
        let row = format!("| {} |", cells.join(" | "));
        assert!(guide.contains(&row), "{row}");
    }
}
