//! What the APIs of the vendors refuse of a conversation, from the types of their SDKs and from their error messages.

use std::collections::HashSet;

use serde_json::Value;

/// A refusal: the text of the error.
type Checked = Result<(), String>;

/// Returns the rules of an API.
pub(super) fn of(api: &str) -> fn(&Value) -> Checked {
    match api {
        "chat" => chat,
        "responses" => responses,
        "anthropic" => anthropic,
        "gemini" => gemini,
        other => panic!("no rules for {other}"),
    }
}

fn check(is_right: bool, what: impl FnOnce() -> String) -> Checked {
    if is_right { Ok(()) } else { Err(what()) }
}

fn list(value: &Value) -> Result<&Vec<Value>, String> {
    value
        .as_array()
        .filter(|list| !list.is_empty())
        .ok_or_else(|| format!("expected a list that is not empty: {value}"))
}

/// Checks that an object has only these members, and that none is null unless `null` says so.
fn members(value: &Value, known: &[&str]) -> Checked {
    let Some(map) = value.as_object() else { return Err(format!("not an object: {value}")) };
    let unknown = map.keys().find(|key| !known.contains(&key.as_str()));
    check(unknown.is_none(), || format!("unknown member {unknown:?}: {value}"))
}

fn name(value: &Value, also: &str, max: usize) -> Checked {
    let is_letter = |letter: char| letter.is_ascii_alphanumeric() || "_-".contains(letter) || also.contains(letter);
    let name = value.as_str().unwrap_or_default();
    check(!name.is_empty() && name.len() <= max && name.chars().all(is_letter), || format!("the name {value}"))
}

fn id(value: &Value) -> Result<String, String> {
    let is_letter = |letter: char| letter.is_ascii_alphanumeric() || "_-".contains(letter);
    let id = value.as_str().unwrap_or_default();
    check(!id.is_empty() && id.chars().all(is_letter), || format!("the id {value}"))?;
    Ok(id.to_owned())
}

fn text(value: &Value) -> Checked {
    check(value.as_str().is_some_and(|text| !text.trim().is_empty()), || format!("an empty text: {value}"))
}

/// Checks the arguments of a call, which are a string with the JSON of an object.
fn arguments_text(value: &Value) -> Checked {
    let parsed = value.as_str().and_then(|text| serde_json::from_str::<Value>(text).ok());
    check(parsed.is_some_and(|value| value.is_object()), || format!("the arguments {value}"))
}

/// The calls that wait for their results.
#[derive(Default)]
struct Open(Vec<String>);

impl Open {
    fn call(&mut self, id: String) -> Checked {
        check(!self.0.contains(&id), || format!("two calls with the id {id}"))?;
        self.0.push(id);
        Ok(())
    }

    fn result(&mut self, id: &Value) -> Checked {
        let at = self.0.iter().position(|open| id == open.as_str());
        let at = at.ok_or_else(|| format!("a result without a call, or a second one: {id}"))?;
        self.0.remove(at);
        Ok(())
    }

    fn none(&self) -> Checked {
        check(self.0.is_empty(), || format!("calls without results: {:?}", self.0))
    }
}

fn chat(request: &Value) -> Checked {
    let mut open = Open::default();
    for message in list(&request["messages"])? {
        match message["role"].as_str().unwrap_or_default() {
            "tool" => {
                members(message, &["role", "content", "tool_call_id"])?;
                open.result(&message["tool_call_id"])?;
                check(message["content"].is_string() || message["content"].is_array(), || format!("{message}"))?;
            }
            "assistant" => {
                open.none()?;
                members(message, &["role", "content", "tool_calls", "refusal", "name", "audio"])?;
                let calls = message.get("tool_calls");
                check(calls.is_none_or(|calls| list(calls).is_ok()), || format!("no calls: {message}"))?;
                check(calls.is_some() || text(&message["content"]).is_ok(), || format!("no content: {message}"))?;
                check(message["content"].is_null() || text(&message["content"]).is_ok(), || {
                    format!("blank: {message}")
                })?;
                for call in calls.and_then(Value::as_array).into_iter().flatten() {
                    members(call, &["id", "type", "function"])?;
                    members(&call["function"], &["name", "arguments"])?;
                    check(call["type"] == "function", || format!("the type of {call}"))?;
                    name(&call["function"]["name"], "", 64)?;
                    arguments_text(&call["function"]["arguments"])?;
                    check(text(&call["id"]).is_ok(), || format!("the id of {call}"))?;
                    open.call(call["id"].as_str().unwrap_or_default().to_owned())?;
                }
            }
            "system" | "developer" | "user" => {
                open.none()?;
                members(message, &["role", "content", "name"])?;
                check(message["content"].is_array() || text(&message["content"]).is_ok(), || format!("{message}"))?;
            }
            other => return Err(format!("the role {other}")),
        }
    }
    open.none()
}

fn responses(request: &Value) -> Checked {
    let (mut open, mut seen) = (Open::default(), HashSet::new());
    let items = list(&request["input"])?;
    for (index, item) in items.iter().enumerate() {
        match item["type"].as_str().unwrap_or("message") {
            "function_call" => {
                members(item, &["type", "id", "call_id", "name", "arguments", "status"])?;
                name(&item["name"], "", 64)?;
                arguments_text(&item["arguments"])?;
                check(text(&item["call_id"]).is_ok(), || format!("the id of {item}"))?;
                let call_id = item["call_id"].as_str().unwrap_or_default().to_owned();
                check(seen.insert(call_id.clone()), || format!("a second call {call_id}"))?;
                open.call(call_id)?;
            }
            "function_call_output" => {
                members(item, &["type", "id", "call_id", "output", "status"])?;
                open.result(&item["call_id"])?;
                check(item["output"].is_string() || item["output"].is_array(), || format!("{item}"))?;
            }
            "reasoning" => {
                members(item, &["type", "id", "summary", "content", "encrypted_content", "status"])?;
                check(item["summary"].is_array(), || format!("no summary: {item}"))?;
                let next = items.get(index + 1).map(|next| next["type"].as_str().unwrap_or("message"));
                let is_followed = next.is_some_and(|next| ["function_call", "message", "reasoning"].contains(&next));
                check(is_followed, || format!("reasoning without the item that follows: {item}"))?;
            }
            "message" => {
                members(item, &["type", "id", "role", "content", "status", "phase"])?;
                check(item["content"].is_string() || list(&item["content"]).is_ok(), || format!("{item}"))?;
                for part in item["content"].as_array().into_iter().flatten() {
                    members(
                        part,
                        &["type", "text", "annotations", "logprobs", "refusal", "image_url", "detail", "file_id"],
                    )?;
                }
            }
            other => return Err(format!("the type {other}")),
        }
    }
    open.none()
}

fn anthropic(request: &Value) -> Checked {
    let (mut open, mut seen, mut last) = (Open::default(), HashSet::new(), "");
    for message in list(&request["messages"])? {
        members(message, &["role", "content"])?;
        let role = message["role"].as_str().unwrap_or_default();
        check(["user", "assistant"].contains(&role) && role != last, || format!("the role {role} after {last:?}"))?;
        check(!last.is_empty() || role == "user", || "the first message is not of the user".to_owned())?;
        last = role;
        let mut is_after_results = false;
        if message["content"].is_string() {
            text(&message["content"])?;
            open.none()?;
            continue;
        }
        for block in list(&message["content"])? {
            let kind = block["type"].as_str().unwrap_or_default();
            match (role, kind) {
                (_, "text") => {
                    members(block, &["type", "text", "cache_control", "citations"])?;
                    text(&block["text"])?;
                    is_after_results |= role == "user";
                }
                ("assistant", "tool_use") => {
                    members(block, &["type", "id", "name", "input", "cache_control", "caller"])?;
                    name(&block["name"], "", 128)?;
                    check(block["input"].is_object(), || format!("the input of {block}"))?;
                    let id = id(&block["id"])?;
                    check(seen.insert(id.clone()), || format!("`tool_use` ids must be unique: {id}"))?;
                    open.call(id)?;
                }
                ("assistant", "thinking") => {
                    members(block, &["type", "thinking", "signature"])?;
                    check(block["thinking"].is_string() && text(&block["signature"]).is_ok(), || format!("{block}"))?;
                }
                ("assistant", "redacted_thinking") => members(block, &["type", "data"])?,
                ("user", "tool_result") => {
                    members(block, &["type", "tool_use_id", "content", "is_error", "cache_control"])?;
                    check(!is_after_results, || "a result after another block".to_owned())?;
                    open.result(&block["tool_use_id"])?;
                }
                _ => return Err(format!("{kind} of {role}")),
            }
        }
        check(role == "assistant" || open.0.is_empty(), || format!("no results of {:?}", open.0))?;
    }
    open.none()
}

fn gemini(request: &Value) -> Checked {
    let (mut last, mut calls) = ("", Vec::new());
    for content in list(&request["contents"])? {
        members(content, &["role", "parts"])?;
        let role = content["role"].as_str().unwrap_or_default();
        check(["user", "model"].contains(&role) && role != last, || format!("the role {role} after {last:?}"))?;
        check(!last.is_empty() || role == "user", || "the first content is not of the user".to_owned())?;
        last = role;
        let (mut own_calls, mut responses) = (Vec::new(), Vec::new());
        for part in list(&content["parts"])? {
            members(part, &["text", "functionCall", "functionResponse", "inlineData", "thought", "thoughtSignature"])?;
            let data = ["text", "functionCall", "functionResponse", "inlineData"]
                .iter()
                .filter(|key| part.get(**key).is_some());
            check(data.count() == 1, || format!("a part without data, or with several: {part}"))?;
            if let Some(call) = part.get("functionCall") {
                members(call, &["id", "name", "args"])?;
                name(&call["name"], ".:", 64)?;
                check(call.get("args").is_none_or(Value::is_object), || format!("the args of {call}"))?;
                own_calls.push(call["name"].clone());
            }
            if let Some(response) = part.get("functionResponse") {
                members(response, &["id", "name", "response", "parts", "willContinue", "scheduling"])?;
                name(&response["name"], ".:", 64)?;
                check(response["response"].is_object(), || format!("the response of {response}"))?;
                responses.push(response["name"].clone());
            }
            check(part.get("text").is_none_or(Value::is_string), || format!("{part}"))?;
        }
        // "Please ensure that the number of function response parts is equal to the number of function call parts."
        check(role == "model" || responses == calls, || format!("responses of {responses:?} to calls of {calls:?}"))?;
        check(role == "user" || calls.is_empty() || own_calls.is_empty() || last == "model", || {
            "the order".to_owned()
        })?;
        calls = own_calls;
    }
    check(calls.is_empty(), || format!("calls without responses: {calls:?}"))
}
