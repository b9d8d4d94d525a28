//! The content of a streamed message: a text, or a list of parts.

use crate::wire::WireError;
use crate::wire::api::chat::joined::{content, count, string};
use crate::wire::node::{Node, unescaped};
use crate::wire::write::{list, raw_json};
use serde_json::value::RawValue;

#[derive(Default)]
pub(super) struct Content {
    parts: Vec<Part>,
    is_list: bool,
}

enum Part {
    /// The content of a string with its escapes. Later chunks may continue it.
    Text(String),
    Whole(Box<RawValue>),
}

/// Visible text, of which half of a surrogate pair waits for its other half.
#[derive(Default)]
pub(super) struct Visible(String);

impl Content {
    /// Appends the content of a chunk. `values` counts all values.
    pub(super) fn push(
        &mut self,
        node: &Node<'_>,
        values: &mut usize,
        mut show: impl FnMut(&str),
    ) -> Result<(), WireError> {
        let json = node.json.get();
        // Some servers send a number without quotes.
        let text = content(node.json).or_else(|| (!json.starts_with(['[', '{'])).then_some(json));
        if let Some(text) = text {
            show(text);
            self.push_text(text);
            return Ok(());
        }
        self.is_list = true;
        for node in if json.starts_with('{') { vec![node.clone()] } else { node.items()? } {
            let part = node.object()?;
            let text = part.get("text").filter(|_| part.get("type").is_some_and(|kind| kind.json.get() == r#""text""#));
            let text = text.as_ref().and_then(|text| content(text.json));
            text.into_iter().for_each(&mut show);
            match text {
                Some(text) if part.all().all(|(key, _)| ["type", "text"].contains(&key)) => self.push_text(text),
                _ => {
                    count(&node, values)?;
                    self.parts.push(Part::Whole(node.json.to_owned()));
                }
            }
        }
        Ok(())
    }

    /// Returns whether there is neither a part nor a text.
    pub(super) fn is_empty(&self) -> bool {
        self.parts.iter().all(|part| matches!(part, Part::Text(text) if text.is_empty()))
    }

    fn push_text(&mut self, text: &str) {
        match self.parts.last_mut() {
            Some(Part::Text(known)) => known.push_str(text),
            _ => self.parts.push(Part::Text(text.to_owned())),
        }
    }

    /// Returns the whole content.
    pub(super) fn json(&self) -> Box<RawValue> {
        match &self.parts[..] {
            [] if !self.is_list => RawValue::NULL.to_owned(),
            [Part::Text(text)] if !self.is_list => string(text),
            parts => {
                let part = |part: &Part| match part {
                    Part::Text(text) if text.is_empty() => None,
                    Part::Text(text) => Some(raw_json(format!(r#"{{"type":"text","text":{}}}"#, string(text)))),
                    Part::Whole(json) => Some(json.clone()),
                };
                raw_json(list(&parts.iter().filter_map(part).collect::<Vec<_>>()))
            }
        }
    }
}

impl Visible {
    /// Returns the visible text of the content of a string.
    pub(super) fn push(&mut self, content: &str) -> String {
        self.0.push_str(content);
        let half = self.0.split_off(self.0.len() - half_at_end(&self.0));
        let whole = std::mem::replace(&mut self.0, half);
        unescaped(&format!("\"{whole}\"")).unwrap_or_default()
    }
}

/// Returns the length of the escape of the first half of a surrogate pair at the end of the content of a string.
fn half_at_end(content: &str) -> usize {
    const LENGTH: usize = r"\ud83d".len();
    let Some((before, escape)) = content.len().checked_sub(LENGTH).and_then(|at| content.split_at_checked(at)) else {
        return 0;
    };
    let unit = escape.strip_prefix("\\u").and_then(|digits| u16::from_str_radix(digits, 16).ok());
    let backslashes = before.len() - before.trim_end_matches('\\').len();
    if matches!(unit, Some(0xd800..=0xdbff)) && backslashes.is_multiple_of(2) { LENGTH } else { 0 }
}
