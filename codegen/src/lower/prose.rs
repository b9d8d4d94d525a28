//! Keywords of a schema as prose for a model's description, if a dialect does not support them.

use serde_json::Value;

use crate::conditional_json::{append, guarded};
use crate::schema::{Choice, Schema};
use crate::text::atoms::Template;
use crate::text::template::Piece;

/// What a word with this value says; none where it says nothing.
pub(super) fn said(word: &str, value: &Value) -> Option<String> {
    let count = |noun: &str| match value.as_u64() {
        Some(1) => format!("1 {noun}"),
        _ => format!("{value} {}", if noun == "property" { "properties".to_owned() } else { format!("{noun}s") }),
    };
    let plain = || value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    if word.starts_with("min") && word != "minimum" && value.as_u64() == Some(0) {
        return None;
    }
    Some(match word {
        "default" => format!("Default: {value}."),
        "examples" => {
            let all: Vec<String> = value.as_array()?.iter().map(Value::to_string).collect();
            format!("{}: {}.", if all.len() == 1 { "Example" } else { "Examples" }, all.join(", "))
        }
        "deprecated" => "Deprecated: better left alone.".to_owned(),
        "minimum" => format!("At least {value}."),
        "maximum" => format!("At most {value}."),
        "exclusiveMinimum" => format!("More than {value}."),
        "exclusiveMaximum" => format!("Less than {value}."),
        "multipleOf" => format!("A multiple of {value}."),
        "minLength" => format!("At least {}.", count("character")),
        "maxLength" => format!("At most {}.", count("character")),
        "minItems" => format!("At least {}.", count("item")),
        "maxItems" => format!("At most {}.", count("item")),
        "uniqueItems" if *value == Value::Bool(false) => return None,
        "uniqueItems" => "No item twice.".to_owned(),
        "minProperties" => format!("At least {}.", count("property")),
        "maxProperties" => format!("At most {}.", count("property")),
        "pattern" => format!("Matches the regular expression {}", plain()),
        "format" => format!("Format: {}.", plain()),
        "oneOf" => "Exactly one of the alternatives holds.".to_owned(),
        _ => return None,
    })
}

/// The values of an `enum`, each where it is there.
pub(super) fn one_of(choices: &[Choice]) -> Template {
    if let [Choice { value, when: None }] = choices {
        return vec![Piece::Text(format!("Always {}.", value.value))];
    }
    let mut text = Template::new();
    append(&mut text, Piece::Text("One of".to_owned()));
    // Each is led in by the same sign, so that none depends on those before it.
    let values = choices.iter().map(|choice| {
        let value = Piece::Text(format!(" | {}", choice.value.value));
        choice.when.as_ref().map_or(value.clone(), |when| guarded(when.value.clone(), vec![value]))
    });
    let all_are_there = choices.iter().all(|choice| choice.when.is_none());
    if all_are_there {
        let all: Vec<String> = choices.iter().map(|choice| choice.value.value.to_string()).collect();
        append(&mut text, Piece::Text(format!(": {}.", all.join(", "))));
    } else {
        values.for_each(|piece| append(&mut text, piece));
        append(&mut text, Piece::Text(".".to_owned()));
    }
    text
}

/// A lead, a JSON text and a full stop.
pub(super) fn of_json(lead: &str, json: Template) -> Template {
    let mut text = vec![Piece::Text(format!("{lead}: "))];
    for piece in json {
        append(&mut text, piece);
    }
    text
}

/// Appends to a text: as a further sentence.
pub(super) fn say(text: &mut Template, words: Template) {
    if words.is_empty() {
        return;
    }
    let ends_in_space = matches!(text.last(), Some(Piece::Text(last)) if last.ends_with(char::is_whitespace));
    if !text.is_empty() && !ends_in_space {
        append(text, Piece::Text(" ".to_owned()));
    }
    for piece in words {
        append(text, piece);
    }
}

impl Schema {
    /// Appends to the description.
    pub(super) fn say(&mut self, words: Template) {
        let place = self.place;
        let told = self.description.get_or_insert_with(|| crate::diagnostic::At::new(Template::new(), place));
        say(&mut told.value, words);
    }

    /// The same in plain words.
    pub(super) fn tell(&mut self, words: Option<String>) {
        if let Some(words) = words {
            self.say(vec![Piece::Text(words)]);
        }
    }
}
