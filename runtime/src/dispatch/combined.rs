//! The response to a call of `tool_call` with several calls inside it.

use std::fmt::Write as _;
use std::sync::{Arc, OnceLock};

use crate::args::repairs::{FindRepairs, Repair, Repairs};
use crate::call::response::CallResponse;
use crate::result::output::ToolOutput;
use crate::text::json;

/// Combines the responses to several calls, each with the name that the model wrote: `{"results": [{"name": "send_mail", "result": ...},
/// ...]}`. Each `result` is the JSON that a direct call would return. The response is an error only if all calls fail.
///
/// The model gets the images of all calls together, so each entry says how many are its own. Images above [`ToolOutput::MAX_IMAGES`] are
/// left out. The same holds for attachments. The `_meta` of each result is dropped.
pub(super) fn combine<N: AsRef<str>>(responses: impl Iterator<Item = (N, CallResponse)>) -> CallResponse {
    let mut json = String::from(r#"{"results":["#);
    let (mut images, mut attachments, mut repairs) = (Vec::new(), Vec::new(), Vec::new());
    let (mut error, mut all_failed) = (None, true);
    for (at, (name, response)) in responses.enumerate() {
        json.push_str(if at == 0 { r#"{"name":"# } else { r#",{"name":"# });
        json::push_string(&mut json, name.as_ref());
        let _ = write!(json, r#","result":{}"#, response.json);
        take(response.images, &mut images, "images", &mut json);
        take(response.attachments, &mut attachments, "attachments", &mut json);
        json.push('}');
        all_failed &= response.error.is_some();
        error = error.or(response.error);
        repairs.push(response.repairs);
    }
    json.push_str("]}");
    let has_repairs = repairs.iter().any(|repairs| !repairs.is_empty());
    let repairs =
        has_repairs.then(|| Repairs::of(Arc::new(CombinedRepairs { of_calls: repairs, all: OnceLock::new() })));
    CallResponse {
        json,
        error: error.filter(|_| all_failed),
        images,
        attachments,
        meta: None,
        repairs: repairs.unwrap_or_default(),
    }
}

/// Appends the images or attachments of a call to those of all calls, as far as they fit, and their numbers to the JSON of the
/// call.
fn take<T>(of_call: Vec<T>, all: &mut Vec<T>, what: &str, json: &mut String) {
    let (count, room) = (of_call.len(), ToolOutput::MAX_IMAGES.saturating_sub(all.len()));
    if count > 0 {
        let _ = write!(json, r#","{what}":{}"#, count.min(room));
    }
    if count > room {
        let _ = write!(json, r#","{what}_left_out":{}"#, count - room);
    }
    all.extend(of_call.into_iter().take(room));
}

/// The repairs of several calls.
struct CombinedRepairs {
    of_calls: Vec<Repairs>,
    all: OnceLock<Vec<Repair>>,
}

impl FindRepairs for CombinedRepairs {
    fn repairs(&self) -> &[Repair] {
        self.all.get_or_init(|| {
            let of_calls = self.of_calls.iter().enumerate();
            let all = of_calls.flat_map(|(at, repairs)| {
                let path = move |path: &str| format!("/calls/{at}/arguments{path}");
                repairs.iter().map(move |repair| Repair { path: path(&repair.path), ..repair.clone() })
            });
            all.collect()
        })
    }
}
