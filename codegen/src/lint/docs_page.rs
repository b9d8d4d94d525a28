//! The documentation of the rules: as a list, as JSON, and as pages: `docs/lint.md` and `docs/lint/`.

use minijinja::context;
use serde_json::{Value, json};

use super::rules::{CATEGORIES, Category, all_codes};
use crate::diagnostic::{Code, Level};
use crate::markdown;

/// Returns a line for each rule.
pub fn text() -> String {
    let all: Vec<Code> = all_codes().collect();
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
    let rules: Vec<Value> = all_codes().map(rule).collect();
    format!("{:#}\n", json!({ "version": 1, "rules": rules }))
}

/// Returns the path and the text of each page: the index, and a page for each category.
pub fn pages() -> Vec<(String, String)> {
    let mut pages = vec![("docs/lint.md".to_owned(), index())];
    pages.extend(CATEGORIES.iter().map(|category| (format!("docs/{}", page(category)), category_page(category))));
    pages
}

/// Returns the documentation of every rule.
pub fn markdown() -> String {
    CATEGORIES.iter().map(rules).collect::<Vec<_>>().join("\n")
}

/// Returns the path, relative to `docs/`, and the anchor of the documentation of a code.
pub fn link(code: Code) -> String {
    let category = CATEGORIES.iter().find(|category| category.letter == code.category());
    let category = category.expect("a code begins with the letter of a category");
    format!("{}#{}-{}", page(category), code.id.to_lowercase(), code.name)
}

fn page(category: &Category) -> String {
    format!("lint/{}.md", category.name)
}

fn index() -> String {
    let rule = |code: Code| {
        context! {
            id => code.id,
            name => code.name,
            level => level(code),
            fixable => code.fixable,
            page => link(code),
        }
    };
    let categories = CATEGORIES.iter().map(|category| {
        let rules: Vec<_> = category.codes().map(rule).collect();
        context! { letter => category.letter, about => category.about, page => page(category), rules }
    });
    markdown::render(include_str!("docs_page.md.jinja"), context! { categories => categories.collect::<Vec<_>>() })
}

fn category_page(category: &Category) -> String {
    let Category { letter, about, .. } = category;
    format!("# {letter}: {about}\n\n[Linting](../lint.md) lists the rules of all categories.\n\n{}", rules(category))
}

fn rules(category: &Category) -> String {
    category.codes().map(|code| code.markdown()).collect::<Vec<_>>().join("\n")
}

fn level(code: Code) -> &'static str {
    code.level.map_or("off", Level::word)
}

fn first_line(code: Code) -> String {
    let what = code.docs().what.replace('\n', " ");
    what.split_inclusive(". ").next().unwrap_or(&what).trim().to_owned()
}
