//! A program in another language, as `docs/export.md` describes it: it evaluates the conditions of a bundle, and undoes rewrites.
//! It knows nothing but the JSON of the bundle.

use std::collections::{BTreeSet, HashMap};

use jsonschema::Validator;
use serde_json::{Map, Value};

/// The tools and facts of a turn.
pub(super) struct Turn {
    pub(super) tools: BTreeSet<String>,
    pub(super) facts: Value,
}

impl Turn {
    /// Returns a document with only the parts that exist in this turn. `conditional` has the document and its parts.
    pub(super) fn render(&self, conditional: &Value) -> Value {
        let mut document = conditional["full"].clone();
        for part in list(&conditional["parts"]).iter().rev() {
            let pointer = text(&part["at"]);
            if part.get("text").is_some() {
                *document.pointer_mut(pointer).expect("the pointer is right") = self.join(&part["text"]).into();
            } else if !self.holds(&part["when"]) {
                let (parent, key) = pointer.rsplit_once('/').expect("only a part of the document is conditional");
                let key = key.replace("~1", "/").replace("~0", "~");
                match document.pointer_mut(parent) {
                    Some(Value::Array(items)) => drop(items.remove(key.parse().expect("an index"))),
                    Some(Value::Object(map)) => assert!(map.shift_remove(&key).is_some(), "{pointer}"),
                    other => panic!("{pointer}: {other:?}"),
                }
            }
        }
        document
    }

    fn join(&self, pieces: &Value) -> String {
        let piece = |piece: &Value| {
            if let Value::String(text) = piece {
                text.clone()
            } else if let Some(fact) = piece.get("fact") {
                let value = &self.facts[text(fact)];
                value.as_str().map_or_else(|| value.to_string(), str::to_owned)
            } else if let Some(texts) = piece.get("join") {
                let shown = list(texts).iter().filter(|one| self.holds(&one["when"]));
                shown.map(|one| text(&one["text"])).collect::<Vec<_>>().join(text(&piece["with"]))
            } else if let Some(sentences) = piece.get("comment") {
                let sentences = list(sentences).iter().map(|pieces| self.join(pieces));
                comment(sentences, piece["indent"].as_u64().expect("a number"))
            } else {
                let branch = list(&piece["first"]).iter().find(|branch| self.holds(&branch["when"]));
                let pieces = branch.map(|branch| &branch["text"]).or(piece.get("otherwise"));
                pieces.map(|pieces| self.join(pieces)).unwrap_or_default()
            }
        };
        list(pieces).iter().map(piece).collect()
    }

    /// Returns whether a condition holds.
    pub(super) fn holds(&self, when: &Value) -> bool {
        let (word, of) = when.as_object().and_then(|map| map.iter().next()).expect("a condition has a key");
        match word.as_str() {
            "not" => !self.holds(of),
            "all" => list(of).iter().all(|when| self.holds(when)),
            "any" => list(of).iter().any(|when| self.holds(when)),
            "tool" => self.tools.contains(text(of)),
            "fact" => {
                let (fact, value) = (&self.facts[text(of)], &when["value"]);
                let order = match (fact.as_i64(), value.as_i64()) {
                    (Some(fact), Some(value)) => fact.cmp(&value),
                    _ => fact.to_string().cmp(&value.to_string()),
                };
                match text(&when["is"]) {
                    "==" => order.is_eq(),
                    "!=" => order.is_ne(),
                    "<" => order.is_lt(),
                    "<=" => order.is_le(),
                    ">" => order.is_gt(),
                    ">=" => order.is_ge(),
                    sign => panic!("{sign}"),
                }
            }
            word => panic!("{word}"),
        }
    }
}

/// Returns a comment of TypeScript.
fn comment(sentences: impl Iterator<Item = String>, indent: u64) -> String {
    let mut text = String::new();
    for sentence in sentences.filter(|sentence| !sentence.trim().is_empty()) {
        if text.chars().next_back().is_some_and(|last| !last.is_whitespace()) {
            text.push(' ');
        }
        text += &sentence;
    }
    let text = text.replace('\r', "").replace('\t', " ").replace("*/", "*\\/");
    let text = text.replace(['\u{2028}', '\u{2029}', '\u{85}'], "\n");
    let is_escaped = |letter: char| {
        (letter.is_control() && letter != '\n')
            || matches!(letter, '\u{feff}' | '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    let letters = text
        .chars()
        .map(|letter| if is_escaped(letter) { format!("\\u{{{:x}}}", u32::from(letter)) } else { letter.to_string() });
    let text: String = letters.collect();
    let lines: Vec<&str> = text.trim().lines().map(str::trim_end).collect();
    if let [line] = lines.as_slice()
        && !line.starts_with(['@', '/', '*'])
    {
        return format!("/** {line} */");
    }
    let begin = format!("\n{}", " ".repeat(usize::try_from(indent).expect("it is small")));
    let lines = lines.iter().map(|line| if line.is_empty() { " *".to_owned() } else { format!(" * {line}") });
    let lines: Vec<String> = lines.collect();
    format!("/**{begin}{}{begin} */", lines.join(&begin))
}

/// A tool of `rewrites/DIALECT.json` and its schema.
pub(super) struct Tool<'b> {
    rewrites: &'b Value,
    parameters: &'b Value,
    validators: HashMap<String, Validator>,
}

impl<'b> Tool<'b> {
    pub(super) fn new(rewrites: &'b Value, parameters: &'b Value) -> Self {
        Self { rewrites, parameters, validators: HashMap::new() }
    }

    /// Undoes the rewrites in a model's arguments.
    pub(super) fn undo(&mut self, arguments: &Value) -> Value {
        let rewrites = self.rewrites;
        self.undo_in(arguments, &rewrites["arguments"], None)
    }

    /// Fills in the defaults of undone arguments.
    #[allow(dead_code, reason = "the vectors for other languages use it")]
    pub(super) fn fill(&mut self, arguments: &Value, turn: &Turn) -> Value {
        let rewrites = self.rewrites;
        self.undo_in(arguments, &rewrites["arguments"], Some(turn))
    }

    /// Undoes the rewrites in a value, and fills in defaults if there is a turn.
    fn undo_in(&mut self, value: &Value, node: &Value, fill: Option<&Turn>) -> Value {
        let rewrites = self.rewrites;
        let node = node["ref"].as_str().map_or(node, |name| &rewrites["definitions"][name]);
        let parsed = value.as_str().filter(|_| node["json_text"] == true);
        let parsed: Option<Value> = parsed.and_then(|text| serde_json::from_str(text).ok());
        let value = parsed.as_ref().unwrap_or(value);
        if let Some(alternatives) = node["any_of"].as_array() {
            for alternative in alternatives {
                let undone = self.undo_in(value, alternative, None);
                if list(&node["valid"]).iter().all(|pointer| self.is_valid(&undone, text(pointer))) {
                    return if fill.is_some() { self.undo_in(&undone, alternative, fill) } else { undone };
                }
            }
            return value.clone();
        }
        match value {
            Value::Array(items) => items.iter().map(|item| self.undo_in(item, &node["items"], fill)).collect(),
            Value::Object(map) => {
                let entry = |name: &str| node["properties"].get(name).unwrap_or(&node["additional"]);
                let kept = map.iter().filter(|(name, value)| !value.is_null() || entry(name)["null_is_absent"] != true);
                let mut out: Map<String, Value> =
                    kept.map(|(name, value)| (name.clone(), self.undo_in(value, entry(name), fill))).collect();
                for (name, entry) in node["properties"].as_object().into_iter().flatten() {
                    if let (Some(default), Some(turn)) = (entry.get("default"), fill)
                        && entry.get("when").is_none_or(|when| turn.holds(when))
                        && !out.contains_key(name)
                    {
                        out.insert(name.clone(), self.undo_in(default, entry, fill));
                    }
                }
                out.into()
            }
            other => other.clone(),
        }
    }

    /// Returns whether a value is valid for the schema at a JSON pointer.
    pub(super) fn is_valid(&mut self, value: &Value, pointer: &str) -> bool {
        let parameters = self.parameters;
        let validator = self.validators.entry(pointer.to_owned()).or_insert_with(|| {
            let mut schema = parameters.pointer(pointer).expect("the pointer is right").clone();
            if let (Some(defs), Some(schema)) = (parameters.get("$defs"), schema.as_object_mut()) {
                schema.insert("$defs".to_owned(), defs.clone());
            }
            jsonschema::draft202012::new(&schema).expect("a schema")
        });
        validator.is_valid(value)
    }
}

fn list(value: &Value) -> &[Value] {
    value.as_array().expect("a list")
}

fn text(value: &Value) -> &str {
    value.as_str().expect("a text")
}
