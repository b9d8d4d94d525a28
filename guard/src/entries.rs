//! The values of JSON and YAML with their keys, for any text: what is wrong ends the list.

use saphyr_parser::{Event, Parser};

use crate::code::lex::{Kind, tokens};
use crate::language::JAVASCRIPT;

/// A value with the keys that lead to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Entry {
    /// The keys, joined by `/`. An element of a list has no key of its own.
    pub(crate) path: String,
    pub(crate) value: String,
    /// The place in the text.
    pub(crate) at: usize,
}

impl Entry {
    /// Returns the last key.
    pub(crate) fn key(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or_default()
    }
}

/// The maximum number of entries, and the maximum depth.
const MAX_ENTRIES: usize = 20_000;
const MAX_DEPTH: usize = 32;

/// Returns the entries of JSON, with or without comments.
pub(crate) fn json(text: &str) -> Vec<Entry> {
    let tokens = tokens(text, &JAVASCRIPT);
    let (mut found, mut keys): (Vec<Entry>, Vec<String>) = (Vec::new(), Vec::new());
    let mut key = String::new();
    let sign = |at: usize, sign: &str| tokens.get(at).is_some_and(|token| token.is(sign));
    let real: Vec<usize> = (0..tokens.len()).filter(|at| tokens[*at].kind != Kind::Line).collect();
    for (index, &at) in real.iter().enumerate() {
        let token = &tokens[at];
        let next = real.get(index + 1).copied().unwrap_or(tokens.len());
        match token.kind {
            Kind::Text if sign(next, ":") => key.clone_from(&token.text),
            Kind::Text | Kind::Name | Kind::Number if found.len() < MAX_ENTRIES => {
                let path =
                    keys.iter().chain([&key]).filter(|key| !key.is_empty()).cloned().collect::<Vec<_>>().join("/");
                found.push(Entry { path, value: token.text.clone(), at: token.at.start });
            }
            Kind::Sign if matches!(token.text.as_str(), "{" | "[") && keys.len() < MAX_DEPTH => {
                keys.push(std::mem::take(&mut key));
            }
            Kind::Sign if matches!(token.text.as_str(), "}" | "]") => {
                keys.pop();
                key.clear();
            }
            _ => {}
        }
    }
    found
}

/// Returns the entries of YAML. A part that is not YAML ends them.
pub(crate) fn yaml(text: &str) -> Vec<Entry> {
    struct Level {
        is_map: bool,
        key: Option<String>,
    }
    let starts: Vec<usize> = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
    let (mut found, mut levels): (Vec<Entry>, Vec<Level>) = (Vec::new(), Vec::new());
    let done = |levels: &mut Vec<Level>| {
        if let Some(level) = levels.last_mut().filter(|level| level.is_map) {
            level.key = None;
        }
    };
    for event in Parser::new_from_str(text) {
        let Ok((event, span)) = event else { break };
        match event {
            Event::Scalar(value, ..) => match levels.last_mut() {
                Some(level) if level.is_map && level.key.is_none() => level.key = Some(value.into_owned()),
                _ => {
                    let path = levels.iter().filter_map(|level| level.key.as_deref()).collect::<Vec<_>>().join("/");
                    let at = starts.get(span.start.line().saturating_sub(1)).copied().unwrap_or_default();
                    found.push(Entry { path, value: value.into_owned(), at });
                    done(&mut levels);
                }
            },
            Event::MappingStart(..) => levels.push(Level { is_map: true, key: None }),
            Event::SequenceStart(..) => levels.push(Level { is_map: false, key: None }),
            Event::MappingEnd | Event::SequenceEnd => {
                levels.pop();
                done(&mut levels);
            }
            Event::Alias(_) => done(&mut levels),
            _ => {}
        }
        if found.len() >= MAX_ENTRIES || levels.len() > MAX_DEPTH {
            break;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(entries: Vec<Entry>) -> Vec<(String, String)> {
        entries.into_iter().map(|entry| (entry.path, entry.value)).collect()
    }

    #[test]
    fn entries_have_the_keys_that_lead_to_them() {
        let expected = [("a/b", "x"), ("a/c", "y"), ("a/c", "z"), ("d", "1")]
            .map(|(path, value)| (path.to_owned(), value.to_owned()));
        assert_eq!(pairs(json("{\"a\": {\"b\": \"x\", // n\n \"c\": [\"y\", \"z\"]}, \"d\": 1}")), expected);
        assert_eq!(pairs(yaml("a:\n  b: x\n  c: [y, z]\nd: 1\n")), expected);
    }

    #[test]
    fn faulty_texts_give_what_comes_before_the_fault() {
        assert_eq!(yaml("a: b\nc: d: e\n").first().map(|entry| entry.value.as_str()), Some("b"));
        json("{{{{[[[[");
        yaml("a: [");
    }
}
