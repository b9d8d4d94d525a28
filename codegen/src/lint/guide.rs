//! The rules for people: one at a time, as a list, as a document.

use serde_json::{Value, json};

use super::rules::{CATEGORIES, codes};
use crate::diagnostic::{Code, Level};

/// A line for each rule.
pub fn text() -> String {
    let all: Vec<Code> = codes().collect();
    let width = all.iter().map(|code| code.name.len()).max().unwrap_or(0);
    let line = |code: &Code| {
        let fix = if code.fixable { "fix" } else { "" };
        format!("{}  {:width$}  {:7}  {fix:3}  {}\n", code.id, code.name, level(*code), first_line(*code))
    };
    all.iter().map(line).map(|line| line.trim_end().to_owned() + "\n").collect()
}

/// A list of rules, for programs.
pub fn json() -> String {
    let rule = |code: Code| {
        let docs = code.docs();
        let mut value = json!({
            "code": code.id,
            "name": code.name,
            "level": level(code),
            "fixed_level": code.is_fixed(),
            "fixable": code.fixable,
            "what": docs.what,
        });
        for (title, text) in &docs.sections {
            value[title.to_lowercase().replace(' ', "_")] = json!(text);
        }
        value
    };
    let rules: Vec<Value> = codes().map(rule).collect();
    format!("{:#}\n", json!({ "version": 1, "rules": rules }))
}

/// The document of all rules.
pub fn markdown() -> String {
    let mut text = include_str!("guide.md").to_owned();
    for category in CATEGORIES {
        let rules: Vec<Code> = category.codes().collect();
        if rules.is_empty() {
            continue;
        }
        text += &format!("\n## {}: {}\n\n", category.letter, category.about);
        text += "| code | name | level | fix |\n|---|---|---|---|\n";
        for code in &rules {
            let fix = if code.fixable { "yes" } else { "" };
            text += &format!(
                "| {} | [{name}](#{anchor}) | {} | {fix} |\n",
                code.id,
                level(*code),
                name = code.name,
                anchor = anchor(*code)
            );
        }
        for code in rules {
            text += &format!("\n{}", code.markdown());
        }
    }
    text
}

/// Where the rule's heading is, as GitHub names it.
fn anchor(code: Code) -> String {
    format!("{}-{}", code.id.to_lowercase(), code.name)
}

fn level(code: Code) -> &'static str {
    code.level.map_or("off", Level::word)
}

fn first_line(code: Code) -> String {
    let what = code.docs().what.replace('\n', " ");
    what.split_inclusive(". ").next().unwrap_or(&what).trim().to_owned()
}
