//! Prose for the descriptions that a model reads: it replaces the keywords that a dialect does not support.

pub use toolc::__gen::keyword_prose;

use toolc_tables::diagnostic::At;

use crate::conditional_json::{append, conditional};
use crate::schema::{Choice, Schema};
use crate::text::atoms::Template;
use crate::text::template::Piece;

/// Returns a sentence with the values of an `enum`. Conditional values are present in the turns in which they are allowed.
pub fn enum_prose(choices: &[Choice]) -> Template {
    if let [Choice { value, when: None }] = choices {
        return vec![Piece::Text(format!("Always {}.", value.value))];
    }
    let mut text = Template::new();
    append(&mut text, Piece::Text("One of".to_owned()));
    if choices.iter().all(|choice| choice.when.is_none()) {
        let values: Vec<String> = choices.iter().map(|choice| choice.value.value.to_string()).collect();
        append(&mut text, Piece::Text(format!(": {}.", values.join(", "))));
        return text;
    }
    // Each value begins with the same separator, so that it does not depend on the presence of earlier values.
    for choice in choices {
        let value = Piece::Text(format!(" | {}", choice.value.value));
        let piece = match &choice.when {
            Some(when) => conditional(when.value.clone(), vec![value]),
            None => value,
        };
        append(&mut text, piece);
    }
    append(&mut text, Piece::Text(".".to_owned()));
    text
}

/// Returns `lead`, a colon and a JSON text.
pub fn json_prose(lead: &str, json: Template) -> Template {
    let mut text = vec![Piece::Text(format!("{lead}: "))];
    for piece in json {
        append(&mut text, piece);
    }
    text
}

/// Appends a sentence to a text, with a space before it if necessary.
pub fn append_sentence(text: &mut Template, sentence: Template) {
    if sentence.is_empty() {
        return;
    }
    let ends_in_space = matches!(text.last(), Some(Piece::Text(last)) if last.ends_with(char::is_whitespace));
    let space = Piece::Text(" ".to_owned());
    let needs_space = !text.is_empty() && !ends_in_space;
    for (at, mut piece) in sentence.into_iter().enumerate() {
        match &mut piece {
            _ if at > 0 || !needs_space => {}
            // Without the sentence, there is no space.
            Piece::Choice { branches, otherwise } if otherwise.is_empty() => {
                for (_, sentence) in branches {
                    sentence.insert(0, space.clone());
                }
            }
            _ => append(text, space.clone()),
        }
        append(text, piece);
    }
}

impl Schema {
    /// Appends a text to the description.
    pub fn add_description(&mut self, text: Template) {
        let place = self.place;
        let description = self.description.get_or_insert_with(|| At::new(Template::new(), place));
        append_sentence(&mut description.value, text);
    }

    /// Appends a plain sentence to the description, if there is one.
    pub fn add_sentence(&mut self, sentence: Option<String>) {
        if let Some(sentence) = sentence {
            self.add_description(vec![Piece::Text(sentence)]);
        }
    }
}
