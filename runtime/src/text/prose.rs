//! Sentences for keywords of JSON Schema, for descriptions in forms that do not have the keyword.

use std::fmt::Display;

use serde_json::Value;

/// A JSON value of a schema. Its `Display` form is its JSON text.
pub trait KeywordValue: Display + Sized {
    /// Returns the value if it is an integer that is not negative.
    fn as_count(&self) -> Option<u64>;
    /// Returns the value if it is a string.
    fn as_text(&self) -> Option<&str>;
    /// Returns the items if it is an array.
    fn as_items(&self) -> Option<&[Self]>;
    /// Returns whether the value is `false`.
    fn is_false(&self) -> bool;
}

impl KeywordValue for Value {
    fn as_count(&self) -> Option<u64> {
        self.as_u64()
    }

    fn as_text(&self) -> Option<&str> {
        self.as_str()
    }

    fn as_items(&self) -> Option<&[Self]> {
        self.as_array().map(Vec::as_slice)
    }

    fn is_false(&self) -> bool {
        *self == Value::Bool(false)
    }
}

/// Returns a sentence for a keyword with this value, or `None` if the keyword has no effect or no prose.
pub fn keyword_prose<V: KeywordValue>(keyword: &str, value: &V) -> Option<String> {
    let count = |noun: &str| match value.as_count() {
        Some(1) => format!("1 {noun}"),
        _ => format!("{value} {}", if noun == "property" { "properties".to_owned() } else { format!("{noun}s") }),
    };
    let unquoted = || value.as_text().map_or_else(|| value.to_string(), str::to_owned);
    if keyword.starts_with("min") && keyword != "minimum" && value.as_count() == Some(0) {
        return None;
    }
    Some(match keyword {
        "default" => format!("Default: {value}."),
        "examples" => {
            let examples: Vec<String> = value.as_items()?.iter().map(V::to_string).collect();
            format!("{}: {}.", if examples.len() == 1 { "Example" } else { "Examples" }, examples.join(", "))
        }
        "deprecated" | "uniqueItems" if value.is_false() => return None,
        "deprecated" => "Deprecated: avoid using this.".to_owned(),
        "minimum" => format!("At least {value}."),
        "maximum" => format!("At most {value}."),
        "exclusiveMinimum" => format!("More than {value}."),
        "exclusiveMaximum" => format!("Less than {value}."),
        "multipleOf" => format!("A multiple of {value}."),
        "minLength" => format!("At least {}.", count("character")),
        "maxLength" => format!("At most {}.", count("character")),
        "minItems" => format!("At least {}.", count("item")),
        "maxItems" => format!("At most {}.", count("item")),
        "uniqueItems" => "Items must be unique.".to_owned(),
        "minProperties" => format!("At least {}.", count("property")),
        "maxProperties" => format!("At most {}.", count("property")),
        "pattern" => format!("Matches the regular expression {}", unquoted()),
        "format" => format!("Format: {}.", unquoted()),
        "oneOf" => "Exactly one of the alternatives must match.".to_owned(),
        _ => return None,
    })
}
