//! The documentation of the rules: as a list, as JSON, and as `docs/lint.md`.

use minijinja::context;
use serde_json::{Value, json};

use super::rules::{CATEGORIES, codes};
use crate::diagnostic::{Code, Level};
use crate::markdown;

/// Returns a line for each rule.
pub fn text() -> String {
    let all: Vec<Code> = codes().collect();
    let width = all.iter().map(|code| code.name.len()).max().unwrap_or(0);
    let line = |code: &Code| {
        let fix = if code.fixable { "fix" } else { "" };
        format!("{}  {:width$}  {:7}  {fix:3}  {}\n", code.id, code.name, level(*code), first_line(*code))
    };
    all.iter().map(line).map(|line| line.trim_end().to_owned() + "\n").collect()
}

/// Returns the rules as JSON.
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

/// Returns `docs/lint.md`.
pub fn docs_page() -> String {
    let rule = |code: Code| {
        context! {
            id => code.id,
            name => code.name,
            level => level(code),
            fixable => code.fixable,
            text => code.markdown(),
        }
    };
    let categories = CATEGORIES.iter().filter(|category| category.codes().next().is_some()).map(|category| {
        let rules: Vec<_> = category.codes().map(rule).collect();
        context! { letter => category.letter, about => category.about, rules }
    });
    markdown::render(include_str!("docs_page.md.jinja"), context! { categories => categories.collect::<Vec<_>>() })
}

fn level(code: Code) -> &'static str {
    code.level.map_or("off", Level::word)
}

fn first_line(code: Code) -> String {
    let what = code.docs().what.replace('\n', " ");
    what.split_inclusive(". ").next().unwrap_or(&what).trim().to_owned()
}
