//! A description of a parameter that contradicts its schema: it begins with "Optional" and the parameter is required, or it
//! states another default than `default`.
//!
//! ## Why is this bad
//! A model believes the text. It omits what it must send, or relies on a value that the handler does not get.
//!
//! ## Example
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.limit]
//! type = "integer"
//! description = "How many lines to read. Defaults to 100."
//! default = 500
//! ```
//!
//! ## Use instead
//! ```toml
//! # manifests/tools/read_file.toml
//! [params.limit]
//! type = "integer"
//! description = "How many lines to read."
//! default = 500
//! ```

use std::ops::Range;
use std::sync::LazyLock;

use toolc_lower::schema::{Property, Schema};
use regex::Regex;
use serde_json::Value;

use crate::lint::codes;
use crate::catalog::Tool;
use crate::diagnostic::{At, Diagnostic, Level, Sink};
use crate::lint::{Check, Lint, Rule};

pub(super) const RULE: Rule = Rule::new("M025", "prose-contradicts-schema", Some(Level::Warning), Check::Tool(check));

static OPTIONAL: LazyLock<Regex> = LazyLock::new(|| {
    regex(r"(?i)^\s*(?:[(\[]optional[)\]]|optional[.:,;])|[(\[]optional[)\]]\s*\.?\s*$|\bthis (?:parameter|argument) is optional\b")
});

/// A default in prose. The group `value` is a number or a boolean, and `text` the content of quotes.
static DEFAULT: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r#"(?i)\b(?:defaults? (?:is|to|value is|value:)|default(?: value)?\s*[:=])\s*(?:(?P<value>-?\d+(?:\.\d+)?|true|false)\b(?P<after>\S*)|[`"'](?P<text>[^`"'\n]{0,60})[`"'])"#,
    )
});

fn regex(pattern: &str) -> Regex {
    Regex::new(pattern).expect("the pattern is valid")
}

fn check(lint: &Lint<'_>, tool: &Tool, sink: &Sink) {
    let schemas = tool.manifest.argument_roots().flat_map(Schema::walk);
    for property in schemas.flat_map(|schema| &schema.properties) {
        let Some(text) = &property.schema.description else { continue };
        let Some(literal) = lint.string(text.place) else { continue };
        let name = &property.name.value;
        let finding = |span, message: String| Diagnostic::new(codes::PROSE_CONTRADICTS_SCHEMA, literal.place(span), message);
        if property.required
            && let Some(found) = OPTIONAL.find(literal.value())
        {
            sink.push(
                finding(found.range(), format!("`{name}` is described as optional, but it is required"))
                    .related(property.name.place, "required here")
                    .help("remove `required`, or correct the text"),
            );
        }
        if let Some((stated, span)) = stated_default(literal.value())
            && let Some(default) = other_default(property, &stated)
        {
            let message = format!("the text says that the default of `{name}` is {stated}, but it is {}", default.value);
            sink.push(
                finding(span, message)
                    .related(default.place, "the default")
                    .help("correct one of them, or remove the default from the text: models see `default`"),
            );
        }
    }
}

/// Returns the default if it differs from the stated one and has the same type.
fn other_default<'p>(property: &'p Property, stated: &Value) -> Option<&'p At<Value>> {
    let default = property.schema.default.as_ref()?;
    let differs = match (&default.value, stated) {
        (Value::Number(one), Value::Number(other)) => one.as_f64() != other.as_f64(),
        (Value::Bool(one), Value::Bool(other)) => one != other,
        (Value::String(one), Value::String(other)) => !one.eq_ignore_ascii_case(other),
        _ => false,
    };
    differs.then_some(default)
}

/// Returns the default that a text states, and its place. A text with several defaults is about different cases.
fn stated_default(text: &str) -> Option<(Value, Range<usize>)> {
    let mut all = DEFAULT.captures_iter(text);
    let (Some(first), None) = (all.next(), all.next()) else { return None };
    let whole = first.get(0)?;
    let has_condition = ["if ", "when ", "for ", "unless ", "except ", "in ", "on "]
        .iter()
        .any(|word| text[whole.end()..].trim_start().starts_with(word));
    if has_condition {
        return None;
    }
    if let Some(value) = first.name("value") {
        // `10s`, `10%` or `1,000` is not the number.
        let after = first.name("after").map_or("", |after| after.as_str());
        let is_whole = after.chars().all(|sign| ".,;)]".contains(sign));
        let value = is_whole.then(|| serde_json::from_str(&value.as_str().to_lowercase()).ok()).flatten()?;
        return Some((value, whole.range()));
    }
    let quoted = first.name("text")?.as_str();
    let value = serde_json::from_str(quoted).ok().filter(|value: &Value| value.is_number() || value.is_boolean());
    Some((value.unwrap_or_else(|| Value::from(quoted)), whole.range()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn stated_defaults_are_read() {
        for (text, value) in [
            ("How many levels. Defaults to 10.", json!(10)),
            ("Levels (default: 5)", json!(5)),
            ("Default is true.", json!(true)),
            ("Default: 'text'.", json!("text")),
            ("The default is `2.5`", json!(2.5)),
            ("default = 0", json!(0)),
        ] {
            assert_eq!(stated_default(text).map(|found| found.0), Some(value), "{text}");
        }
        for text in [
            "Defaults to 10s.",
            "Defaults to 10 if it is a folder.",
            "Default: 5 for files, default: 6 for folders",
            "Defaults to the current folder.",
            "By default, 10 lines are too many",
            "Defaults to 1,000.",
        ] {
            assert_eq!(stated_default(text), None, "{text}");
        }
    }

    #[test]
    fn optional_parameters_are_recognized() {
        for text in ["Optional. The folder.", "(Optional) The folder", "The folder (optional).", "optional: x", "[optional] y"] {
            assert!(OPTIONAL.is_match(text), "{text}");
        }
        for text in ["Optional settings of the folder", "An optional chaining operator", "The folder", "a (optional) and b"] {
            assert!(!OPTIONAL.is_match(text), "{text}");
        }
    }
}
