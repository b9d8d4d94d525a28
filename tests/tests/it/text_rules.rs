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

/// What a server reads of its own parameters is only refused if no common reader of the format takes it.
#[test]
fn a_lenient_format_refuses_only_what_certainly_does_not_have_it() {
    let rules = rules();
    for format in Format::ALL {
        for text in texts(&rules["formats"][format.name()]["valid"]).chain([format.form().1]) {
            assert!(format.is_plausible(text), "{}: {text:?}", format.name());
        }
    }
    for (name, plausible, wrong) in [
        (
            "date-time",
            &["2026-01-31T12:30:00", "2026-01-31 12:30+0100", "1769862600", "31.01.2026 12:30"][..],
            &["tomorrow", "", "next week at 5"][..],
        ),
        ("date", &["2026-02-30", "2026-01-31T00:00:00Z", "20260131"], &["tomorrow", "", "January"]),
        ("time", &["12:30", "T12:30:00", "12:30:00"], &["noon", ""]),
        ("duration", &["PT1.5S", "P1DT2H", "-P1D", "90", "01:30:00"], &["an hour", "", "P", "soon 5"]),
        (
            "uri",
            &["https://exämple.com/a b", "file:///my documents", "urn:x"],
            &["homepage", "example.com/a", "", "1:2"],
        ),
        ("email", &["ann@exämple.com", "änn@example.com", "a b@c"], &["ann", "", "@example.com", "ann@"]),
        (
            "uuid",
            &[
                "{123e4567-e89b-12d3-a456-426614174000}",
                "123e4567e89b12d3a456426614174000",
                "urn:uuid:123e4567-e89b-12d3-a456-426614174000",
            ],
            &["123", "", "123e4567-e89b-12d3-a456-42661417400g"],
        ),
        ("ipv4", &["127.000.000.001"], &["localhost", "1.2.3", "1.2.3.256", "1.2.3.+4", "::1", ""]),
        ("ipv6", &["fe80::1%eth0"], &["localhost", "1.2.3.4", ":::", ""]),
        ("hostname", &["exämple.com", "my_host", "example.com."], &["https://example.com", "a b", "a:80", "", "a/b"]),
        ("regex", &["(?i)a++", "[", "\\A"], &[]),
    ] {
        let format = Format::from_name(name).expect("it is a format");
        for text in plausible {
            assert!(format.is_plausible(text), "{name}: {text:?}");
        }
        for text in wrong {
            assert!(!format.is_plausible(text) && !format.holds(text), "{name}: {text:?}");
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
