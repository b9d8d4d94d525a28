//! Streamed interactions, step by step.

use std::collections::BTreeMap;

use crate::text::json;
use crate::wire::api::arguments::assembled;
use crate::wire::api::ids::identity;
use crate::wire::api::interactions::{own, read_steps, stop, usage};
use crate::wire::api::response::ResponseBuilder;
use crate::wire::api::response::cut_off;
use crate::wire::api::{MAX_CALLS, ResponseAssembler};
use crate::wire::node::{MAX_ITEMS, Node, Object};
use crate::wire::write::{list, object, raw_json};
use crate::wire::{ModelResponse, Stop, Usage, WireError};
use serde_json::value::RawValue;

type Entries = BTreeMap<String, Box<RawValue>>;

/// A streamed interaction. The last event may repeat its steps.
#[derive(Default)]
pub(super) struct Events {
    /// The steps by their index, or by the next free one if another step has it.
    steps: BTreeMap<u64, Step>,
    /// The index of the last call that has begun.
    last_call: Option<u64>,
    /// The number of pieces of all steps.
    pieces: usize,
    usage: Option<Usage>,
    response: Option<ModelResponse>,
}

/// A step that is being assembled.
#[derive(Default)]
struct Step {
    /// The index that the server sends, which other steps may have, too.
    index: Option<u64>,
    kind: String,
    entries: Entries,
    /// The `content` of an output, or the `summary` of a thought.
    pieces: Vec<Piece>,
    /// The JSON text of the arguments, assembled from fragments.
    arguments: String,
    has_ended: bool,
}

/// A content. The text and the annotations of a text may continue.
struct Piece {
    entries: Entries,
    text: Option<String>,
    annotations: Vec<Box<RawValue>>,
}

impl ResponseAssembler for Events {
    fn type_key(&self) -> &'static str {
        "event_type"
    }

    fn push_event(&mut self, data: &Node<'_>, shown: &mut String) -> Result<(), WireError> {
        let event = data.object()?;
        let kind = event.require("event_type", "the type of the event")?;
        match &*kind.non_empty_text()? {
            "step.start" | "step.delta" if self.response.is_some() => {
                return Err(kind.unexpected("no step after `interaction.completed`"));
            }
            "step.start" => self.start(&event, shown)?,
            "step.delta" => {
                if let Some(metadata) = event.get("metadata") {
                    self.usage = usage(&metadata.object()?, "total_usage").or(self.usage);
                }
                self.extend(&event, shown)?;
            }
            "interaction.status_update" => self.usage = usage(&event, "usage").or(self.usage),
            // Only the first such event counts, because reading one takes time in proportion to all steps.
            "interaction.completed" if self.response.is_none() => {
                let node = event.require("interaction", "the interaction")?;
                let interaction = node.object()?;
                self.usage = usage(&interaction, "usage").or(self.usage);
                let response = self.complete(&node, &interaction)?;
                if self.steps.is_empty() {
                    shown.push_str(response.text());
                }
                self.response = Some(response);
            }
            "step.stop" => {
                if let Some(step) = self.place(index(&event)).and_then(|at| self.steps.get_mut(&at)) {
                    step.has_ended = true;
                }
            }
            // `interaction.created`, and unknown events.
            _ => {}
        }
        Ok(())
    }

    fn finish(&mut self) -> Result<ModelResponse, WireError> {
        let broken = || WireError::ended_early("a stream that ends with `interaction.completed`");
        let mut response = self.response.take().ok_or_else(broken)?;
        response.set_usage(self.usage);
        Ok(response)
    }
}

/// Returns the index of the step of an event, if the server sends one.
fn index(event: &Object<'_>) -> Option<u64> {
    event.get("index")?.number().ok()
}

impl Events {
    /// Returns the place of the step with this index: the last one that has not ended, or else the last one. Without an index, it is the
    /// last step.
    fn place(&self, index: Option<u64>) -> Option<u64> {
        let recent =
            || self.steps.iter().rev().take(MAX_CALLS).filter(|(_, step)| index.is_none() || step.index == index);
        let open = recent().find(|(_, step)| !step.has_ended).or_else(|| recent().next());
        open.map(|(at, _)| *at).or_else(|| index.filter(|index| self.steps.contains_key(index)))
    }

    fn start(&mut self, event: &Object<'_>, shown: &mut String) -> Result<(), WireError> {
        let node = event.require("step", "a step")?;
        if self.steps.len() == MAX_ITEMS {
            return Err(node.unexpected(format!("at most {MAX_ITEMS} steps")));
        }
        let entries = node.object()?;
        let (index, id) = (index(event), entries.id("id"));
        let is_repeated = |at: &u64| {
            let known = self.steps.get(at).and_then(|step| step.entries.get("id"));
            !id.is_empty()
                && known.is_some_and(|known| entries.get("id").is_some_and(|id| id.json.get() == known.get()))
        };
        if self.place(index).as_ref().is_some_and(is_repeated) {
            return Ok(());
        }
        // Some servers give all steps one index, or none.
        let next = self.steps.last_key_value().map_or(Some(0), |(last, _)| last.checked_add(1));
        let at = index.filter(|index| !self.steps.contains_key(index)).or(next);
        let at = at.ok_or_else(|| node.unexpected("a step with a smaller index before it"))?;
        let kind = entries.non_empty_text("type")?;
        let mut step = Step { index, kind, entries: owned(&entries), ..Step::default() };
        if let Some(key) = step.key_of_pieces() {
            for node in entries.get(key).map(|pieces| pieces.items()).transpose()?.unwrap_or_default() {
                step.push(&node, &mut self.pieces)?;
            }
            if key == "content" {
                step.pieces.iter().for_each(|piece| shown.push_str(piece.text.as_deref().unwrap_or_default()));
            }
        }
        if step.kind == "function_call" {
            self.last_call = Some(at);
        }
        self.steps.insert(at, step);
        Ok(())
    }

    /// Returns the place of the step of a delta.
    fn place_of_delta(&self, event: &Object<'_>, is_arguments: bool) -> Option<u64> {
        let at = self.place(index(event));
        // Some deltas of arguments have the index of the thought before the call.
        if is_arguments && at.and_then(|at| self.steps.get(&at)).is_none_or(|step| step.kind != "function_call") {
            return self.last_call.or(at);
        }
        at
    }

    fn extend(&mut self, event: &Object<'_>, shown: &mut String) -> Result<(), WireError> {
        let delta = event.require("delta", "a delta")?;
        let entries = delta.object()?;
        let kind = entries.non_empty_text("type")?;
        let is_arguments = matches!(&*kind, "arguments_delta" | "arguments");
        let at = self.place_of_delta(event, is_arguments);
        let Some(step) = at.and_then(|at| self.steps.get_mut(&at)) else {
            let place = event.get("index").unwrap_or(delta);
            return Err(place.unexpected("the index of a step"));
        };
        match (&*step.kind, &*kind) {
            ("function_call", _) if is_arguments => {
                for key in ["arguments", "partial_arguments"] {
                    step.arguments.push_str(&entries.optional_text(key)?.unwrap_or_default());
                }
            }
            ("model_output", "text") => {
                let text = entries.text("text")?;
                shown.push_str(&text);
                match step.pieces.last_mut() {
                    Some(Piece { text: Some(known), .. }) => known.push_str(&text),
                    _ => step.push(&delta, &mut self.pieces)?,
                }
            }
            ("model_output", "text_annotation_delta") => {
                let Some(piece) = step.pieces.last_mut().filter(|piece| piece.text.is_some()) else {
                    return Err(delta.unexpected("annotations of a text"));
                };
                for annotation in entries.get("annotations").map(|list| list.items()).transpose()?.unwrap_or_default() {
                    self.pieces += 1;
                    if self.pieces > MAX_ITEMS {
                        return Err(annotation.unexpected(format!("at most {MAX_ITEMS} contents and annotations")));
                    }
                    piece.annotations.push(annotation.json.to_owned());
                }
            }
            // A picture or a sound has the form of a content.
            ("model_output", _) => step.push(&delta, &mut self.pieces)?,
            ("thought", "thought_summary") => {
                if let Some(content) = entries.get("content") {
                    let text = content.object()?.optional_text("text")?;
                    match (step.pieces.last_mut(), text) {
                        (Some(Piece { text: Some(known), .. }), Some(text)) => known.push_str(&text),
                        _ => step.push(&content, &mut self.pieces)?,
                    }
                }
            }
            ("thought", "thought_signature") => step.entries.extend(changes(&entries)),
            // A call of a tool that Gemini runs, or its result, has the form of the step.
            (of_step, of_delta) if of_step == of_delta => step.entries.extend(changes(&entries)),
            _ => {
                let expected = format!("a delta of a step of the type `{}`", step.kind);
                return Err(entries.require("type", "")?.unexpected(expected));
            }
        }
        Ok(())
    }

    /// Returns the response at the end of the interaction.
    fn complete(&self, node: &Node<'_>, interaction: &Object<'_>) -> Result<ModelResponse, WireError> {
        let repeated = interaction.get("steps").map(|steps| steps.items()).transpose()?.unwrap_or_default();
        let repeated = own(&repeated)?;
        let (ended, reason) = stop(interaction)?;
        let builder = || ResponseBuilder::new(self.usage, identity(interaction));
        let path = |index: &u64| format!("{}/steps/{index}", node.path);
        let steps: Vec<(String, Box<RawValue>)> =
            self.steps.iter().map(|(index, step)| (path(index), step.whole())).collect();
        let nodes: Vec<Node<'_>> = steps.iter().map(|(path, json)| Node { json, path: path.clone() }).collect();
        let streamed = read_steps(own(&nodes)?, builder())?;
        let (chosen, other) = if !repeated.is_empty() && repeated.len() >= self.steps.len() {
            (read_steps(repeated, builder())?, streamed)
        } else {
            for (index, step) in &self.steps {
                if !step.is_complete(ended) {
                    return Err(cut_off(&format!("{}/arguments", path(index)), ended, &reason));
                }
            }
            (streamed, read_steps(repeated, builder())?)
        };
        if let Some(call) = chosen.missing(&other) {
            return Err(WireError::new(format!("{}/steps", node.path), call.description(), "steps without it"));
        }
        chosen.build(ended, reason)
    }
}

impl Step {
    /// Returns the key of the list of pieces.
    fn key_of_pieces(&self) -> Option<&'static str> {
        match &*self.kind {
            "model_output" => Some("content"),
            "thought" => Some("summary"),
            _ => None,
        }
    }

    /// Appends a content. `pieces` counts those of all steps.
    fn push(&mut self, node: &Node<'_>, pieces: &mut usize) -> Result<(), WireError> {
        *pieces += 1;
        if *pieces > MAX_ITEMS {
            return Err(node.unexpected(format!("at most {MAX_ITEMS} contents and annotations")));
        }
        let entries = node.object()?;
        let text = entries.optional_text("text")?;
        let annotations = entries.get("annotations").map(|list| list.items()).transpose()?.unwrap_or_default();
        let annotations = annotations.into_iter().map(|annotation| annotation.json.to_owned()).collect();
        self.pieces.push(Piece { entries: owned(&entries), text, annotations });
        Ok(())
    }

    /// Returns whether the arguments are complete: JSON, or whatever the model wrote until the step ended.
    fn is_complete(&self, stop: Stop) -> bool {
        let is_json = || serde_json::from_str::<&RawValue>(&self.arguments).is_ok();
        self.arguments.trim().is_empty() || (self.has_ended && stop == Stop::Done) || is_json()
    }

    /// Returns the whole step.
    fn whole(&self) -> Box<RawValue> {
        let mut entries = self.entries.clone();
        if let Some(key) = self.key_of_pieces()
            && !self.pieces.is_empty()
        {
            let pieces: Vec<Box<RawValue>> = self.pieces.iter().map(Piece::whole).collect();
            entries.insert(key.to_owned(), raw_json(list(&pieces)));
        }
        if !self.arguments.trim().is_empty() {
            entries.insert("arguments".to_owned(), assembled(&self.arguments));
        }
        raw_json(object(&entries))
    }
}

impl Piece {
    fn whole(&self) -> Box<RawValue> {
        let mut entries = self.entries.clone();
        if let Some(text) = &self.text {
            let mut json = String::new();
            json::push_string(&mut json, text);
            entries.insert("text".to_owned(), raw_json(json));
        }
        if !self.annotations.is_empty() {
            entries.insert("annotations".to_owned(), raw_json(list(&self.annotations)));
        }
        raw_json(object(&entries))
    }
}

fn owned(entries: &Object<'_>) -> Entries {
    entries.all().map(|(key, json)| (key.to_owned(), json.to_owned())).collect()
}

/// Returns what a delta changes in its step.
fn changes<'e>(entries: &'e Object<'_>) -> impl Iterator<Item = (String, Box<RawValue>)> + 'e {
    entries.all().filter(|(key, _)| *key != "type").map(|(key, json)| (key.to_owned(), json.to_owned()))
}
