//! The text of new manifests.

use std::borrow::Cow;

use toml_edit::{DocumentMut, Item, Value};
use toolc::FactValue;

use crate::format;
use crate::source::Kind;

/// The description of a tool until its author writes one. The rule `placeholder-description` reports it.
const TO_DO: &str = "TODO";

/// Returns the manifest of a tool without parameters.
pub(crate) fn tool(name: &str, toolset: &str, execution: Option<&str>, description: Option<&str>) -> String {
    let mut text = header(Kind::Tool);
    text += &key("name", name);
    text += &key("toolset", toolset);
    text += &key("description", description.unwrap_or(TO_DO));
    if let Some(execution) = execution {
        text += &key("execution", execution);
    }
    text += "\n# [params.path]\n# type = \"string\"\n# description = \"What it means, and in which unit or form.\"\n# required = true\n";
    text
}

/// Returns the manifest of a toolset.
pub(crate) fn toolset(name: &str, description: &str, includes: &[String]) -> String {
    let mut text = header(Kind::Toolset);
    text += &key("name", name);
    text += &key("description", description);
    if !includes.is_empty() {
        let includes: Vec<String> = includes.iter().map(|name| Value::from(name).to_string()).collect();
        text += &format!("includes = [{}]\n", includes.join(", "));
    }
    text
}

/// Returns the manifest of a distribution that draws each of these toolsets half of the time.
pub(crate) fn distribution(name: &str, description: &str, toolsets: &[String]) -> String {
    let mut text = header(Kind::Distribution);
    text += &key("name", name);
    text += &key("description", description);
    text += "\n[toolsets]\n";
    for toolset in toolsets {
        text += &format!("{} = 50\n", toml_edit::Key::new(toolset));
    }
    text
}

/// Returns `facts.toml` with one more fact. `before` is its current text, which must be valid.
pub(crate) fn with_fact(before: Option<&str>, name: &str, default: &FactValue, description: &str) -> String {
    let mut text = before.map_or_else(|| header(Kind::Facts), str::to_owned);
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    let default = match default {
        FactValue::Text(text) => Value::from(&**text),
        FactValue::Boolean(flag) => Value::from(*flag),
        FactValue::Integer(integer) => Value::from(*integer),
    };
    let blank = if text.ends_with("\n\n") { "" } else { "\n" };
    text += &format!("{blank}[facts.{}]\ndefault = {default}\n", toml_edit::Key::new(name));
    text += &key("description", description);
    text
}

/// Returns `toolc.toml` with the path of the baseline. Comments and everything else stay as they are, and a file that was formatted stays
/// so. `before` is its current text. Returns `None` if that is not TOML.
pub(crate) fn with_baseline(before: Option<&str>, path: &str) -> Option<String> {
    let text = before.map_or_else(|| Cow::Owned(header(Kind::Settings)), Cow::Borrowed);
    // Comments for the whole file stay at the top: the parser would give them to the first table, which is below the new key.
    let (head, body) = text.split_at(format::head_length(&text));
    let mut document: DocumentMut = body.parse().ok()?;
    let line_break = |text: &str| if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
    if document.is_empty() {
        return Some(format!("{text}{}{}", line_break(&text), baseline_line(path)));
    }
    match document.get_mut("baseline").and_then(Item::as_value_mut) {
        Some(old) if old.as_str() == Some(path) => return Some(text.into_owned()),
        Some(old) => {
            let decor = old.decor().clone();
            *old = Value::from(path);
            *old.decor_mut() = decor;
        }
        None => document["baseline"] = toml_edit::value(path),
    }
    let changed = format!("{head}{}{document}", line_break(head));
    let format = |text: &str| format::format(Some(Kind::Settings), text);
    let was_formatted = before.is_none_or(|before| format(before).as_deref() == Some(before));
    if was_formatted { format(&changed) } else { Some(changed) }
}

/// Returns the line of `toolc.toml` with the path of the baseline.
pub(crate) fn baseline_line(path: &str) -> String {
    key("baseline", path)
}

fn key(key: &str, text: &str) -> String {
    format!("{key} = {}\n", Value::from(text))
}

/// Returns the line by which editors find the schema of a manifest.
fn header(kind: Kind) -> String {
    let depth = kind.place().matches('/').count();
    format!("#:schema {}generated/manifest/{}.schema.json\n", "../".repeat(depth), kind.noun())
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: &str = "baseline = \"known.json\"\n";

    fn with(before: &str) -> Option<String> {
        with_baseline(Some(before), "known.json")
    }

    #[test]
    fn the_baseline_is_added_before_the_tables_and_below_the_comments_of_the_file() {
        let schema = "#:schema generated/manifest/toolc.schema.json\n";
        assert_eq!(with_baseline(None, "known.json"), Some(format!("{schema}{LINE}")));
        assert_eq!(with(""), Some(LINE.to_owned()));
        let lint = "# Why.\n[lint]\nM = \"deny\" # all\n";
        assert_eq!(with(&format!("{schema}\n{lint}")), Some(format!("{schema}\n{LINE}\n{lint}")));
        assert_eq!(with("# Ours.\n\n[lint]\n"), Some(format!("# Ours.\n\n{LINE}\n[lint]\n")));
        // A file that was not formatted keeps its layout.
        let odd = "rust  = 'src' # here\n[lint]\nM='deny'\n";
        assert_eq!(with(odd), Some(format!("rust  = 'src' # here\n{LINE}[lint]\nM='deny'\n")));
        assert_eq!(with("# No line break"), Some(format!("# No line break\n{LINE}")));
    }

    #[test]
    fn the_baseline_of_before_is_replaced_with_its_comment_kept() {
        assert_eq!(
            with("baseline = \"old.json\" # since May\n"),
            Some("baseline = \"known.json\" # since May\n".to_owned())
        );
        assert_eq!(with("baseline = 5\n").as_deref(), Some(LINE));
        let same = "baseline   = 'known.json'\n";
        assert_eq!(with(same).as_deref(), Some(same));
        assert_eq!(with("baseline = \n"), None, "it is not TOML");
    }

    #[test]
    fn a_path_of_the_baseline_is_quoted() {
        let text = with_baseline(Some(""), "a\"b\\c.json").expect("it is TOML");
        let document: DocumentMut = text.parse().expect("it is TOML");
        assert_eq!(document["baseline"].as_str(), Some("a\"b\\c.json"));
    }
}
