//! Changes of a model's message: new ids, and arguments that the vendor accepts. The rest of the message is unchanged.

use crate::text::json;
use crate::wire::node::{Node, Object};
use crate::wire::write::raw_json;
use serde_json::value::RawValue;

/// The place of a value in the text of a call or of its result: the id, or the arguments.
pub(super) struct ValuePlace<'p, 'a> {
    pub(super) node: &'p Node<'a>,
    pub(super) object: &'p Object<'a>,
    pub(super) key: &'static str,
}

/// Changes of a JSON text that leave the rest of it as it is.
#[derive(Debug, Default)]
pub(super) struct Edits(Vec<Edit>);

#[derive(Debug)]
struct Edit {
    /// The address of the change: where the value to replace begins, or where to insert.
    at: usize,
    /// The length of the value to replace.
    length: usize,
    new: String,
}

impl Edits {
    /// Sets the string at `place`.
    pub(super) fn set(&mut self, place: &ValuePlace<'_, '_>, text: &str) {
        let mut value = String::new();
        json::push_string(&mut value, text);
        self.set_json(place, &value);
    }

    /// Sets the JSON at `place`.
    pub(super) fn set_json(&mut self, place: &ValuePlace<'_, '_>, value: &str) {
        let ValuePlace { node, object, key } = place;
        let edit = if let Some((_, old)) = object.all().find(|(known, _)| known == key) {
            Edit { at: old.get().as_ptr().addr(), length: old.get().len(), new: value.to_owned() }
        } else {
            let mut new = String::new();
            json::push_string(&mut new, key);
            new.push(':');
            new.push_str(value);
            if object.all().next().is_some() {
                new.push(',');
            }
            // After the brace.
            Edit { at: node.json.get().as_ptr().addr() + 1, length: 0, new }
        };
        self.0.push(edit);
    }

    /// Returns `json`, a value of the same text, with the changes in it.
    pub(super) fn apply(&self, json: &RawValue) -> Box<RawValue> {
        let text = json.get();
        let start = text.as_ptr().addr();
        let mut edits: Vec<&Edit> =
            self.0.iter().filter(|edit| edit.at >= start && edit.at + edit.length <= start + text.len()).collect();
        if edits.is_empty() {
            return json.to_owned();
        }
        edits.sort_by_key(|edit| edit.at);
        // The later one of two new values of one place counts.
        edits.dedup_by(|later, earlier| {
            let is_same = later.at == earlier.at && later.length > 0 && earlier.length > 0;
            if is_same {
                *earlier = *later;
            }
            is_same
        });
        let (mut out, mut done) = (String::with_capacity(text.len() + 32 * edits.len()), 0);
        for edit in edits {
            let at = edit.at - start;
            out.push_str(text.get(done..at).unwrap_or_default());
            out.push_str(&edit.new);
            done = at + edit.length;
        }
        out.push_str(text.get(done..).unwrap_or_default());
        raw_json(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_edit_leaves_the_rest_of_a_text_as_it_is() {
        for (text, expected) in [
            (r#"[ {"id" : null , "n":1.50}]"#, r#"[ {"id" : "x\"y" , "n":1.50}]"#),
            (r#"[{ "n":1.50 }, {"id":"\u0061"}]"#, r#"[{"id":"x\"y", "n":1.50 }, {"id":"x\"y"}]"#),
            ("[{}]", r#"[{"id":"x\"y"}]"#),
        ] {
            let root = Node::root(text, "").unwrap();
            let mut edits = Edits::default();
            for node in root.items().unwrap().iter().rev() {
                edits.set(&ValuePlace { node, object: &node.object().unwrap(), key: "id" }, "x\"y");
            }
            assert_eq!(edits.apply(root.json).get(), expected);
        }
    }
}
