//! Streamed interactions, step by step.

use std::collections::BTreeMap;

use crate::text::json;
use crate::wire::api::ResponseAssembler;
use crate::wire::api::arguments::assembled;
use crate::wire::api::ids::identity;
use crate::wire::api::interactions::{own, read_steps, stop, usage};
use crate::wire::api::response::ResponseBuilder;
use crate::wire::api::response::cut_off;
use crate::wire::node::{MAX_ITEMS, Node, Object};
use crate::wire::write::{list, object, raw_json};
use crate::wire::{ModelResponse, Stop, Usage, WireError};
use serde_json::value::RawValue;

type Entries = BTreeMap<String, Box<RawValue>>;

/// A streamed interaction. The last event may repeat its steps.
#[derive(Default)]
pub(super) struct Events {
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
                let index = event.get("index").and_then(|index| index.number().ok());
                if let Some(step) = index.and_then(|index| self.steps.get_mut(&index)) {
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

impl Events {
    fn start(&mut self, event: &Object<'_>, shown: &mut String) -> Result<(), WireError> {
        let index = event.require("index", "the step's index")?;
        let at = index.number()?;
        if self.steps.contains_key(&at) {
            return Err(index.unexpected("an unused index"));
        }
        if self.steps.len() == MAX_ITEMS {
            return Err(index.unexpected(format!("at most {MAX_ITEMS} steps")));
        }
        let node = event.require("step", "a step")?;
        let entries = node.object()?;
        let mut step = Step { kind: entries.non_empty_text("type")?, entries: owned(&entries), ..Step::default() };
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

    fn extend(&mut self, event: &Object<'_>, shown: &mut String) -> Result<(), WireError> {
        let index = event.require("index", "the step's index")?;
        let mut at = index.number()?;
        let delta = event.require("delta", "a delta")?;
        let entries = delta.object()?;
        let kind = entries.non_empty_text("type")?;
        let is_arguments = matches!(&*kind, "arguments_delta" | "arguments");
        // Some deltas of arguments have the index of the thought before the call.
        if is_arguments && self.steps.get(&at).is_none_or(|step| step.kind != "function_call") {
            at = self.last_call.unwrap_or(at);
        }
        let Some(step) = self.steps.get_mut(&at) else { return Err(index.unexpected("the index of a step")) };
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
