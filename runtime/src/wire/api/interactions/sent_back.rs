//! What is sent back of the steps of an interaction.
//!
//! Source: `Step` in the types of the SDK (google-genai 3.6), read 2026-11.

use crate::wire::api::gemini::NAME;
use crate::wire::api::sent_back::{Part, Shape, Takes, part};
use crate::wire::write::raw_json;
use serde_json::value::RawValue;

const CONTENTS: &[Part] =
    &[Part { kind: "text", needs: &["text"], shape: Shape { members: &[("text", Takes::Any)], also: &[""] } }];
const STEPS: &[Part] = &[
    Part {
        kind: "function_call",
        needs: &["name"],
        shape: Shape { members: &[("name", Takes::Name(NAME)), ("arguments", Takes::ArgumentsObject)], also: &[""] },
    },
    Part {
        kind: "model_output",
        needs: &["content"],
        shape: Shape { members: &[("content", Takes::Parts(CONTENTS))], also: &[""] },
    },
];

pub(super) fn messages(steps: &[Box<RawValue>]) -> Vec<Box<RawValue>> {
    steps.iter().filter_map(|step| part(step.get(), STEPS)).map(|step| raw_json(step.into_owned())).collect()
}
