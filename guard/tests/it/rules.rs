//! The table of the meanings of rules names rules of the catalog.

use std::fs;
use std::path::Path;

#[test]
fn every_pattern_for_rules_matches_one_of_the_catalog() {
    let table = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/tables/rules.rs");
    let text = fs::read_to_string(table).expect("the table is readable");
    let patterns: Vec<&str> = text.split("meaning(\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    assert!(patterns.len() > 40, "{patterns:?}");
    let rules = toolc_catalog::commands::rules();
    for pattern in patterns {
        let is_match = |name: &str| match pattern.strip_suffix('*') {
            Some(start) => name.starts_with(start),
            None => name == pattern,
        };
        assert!(rules.rules().iter().any(|rule| is_match(rule.name)), "no rule is named {pattern}");
    }
}
