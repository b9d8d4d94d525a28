//! The list of the models of a server, as each API sends it.

use serde_json::Value;

/// The maximum number of models that are asked for. Servers that list more send the others on further pages, which are not read.
pub(super) const MAX_MODELS: u32 = 1_000;
/// The maximum number of bytes of a list. Routers describe several hundred models in 1 to 2 MiB.
pub(super) const MAX_BYTES: usize = 8 << 20;
/// The maximum length of a name, in bytes.
const MAX_NAME: usize = 200;

/// A model that a server lists.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ListedModel {
    /// The name, as requests have it.
    pub name: String,
    /// The number of tokens that the model can read, if the server says it.
    pub context_tokens: Option<u32>,
}

/// The keys with the context of a model: of `OpenRouter`, vLLM, Groq, Gemini and Anthropic.
const CONTEXT: [&str; 5] = ["context_length", "max_model_len", "context_window", "inputTokenLimit", "max_input_tokens"];

/// Reads a list: `data` of OpenAI and Anthropic, or `models` of Gemini. Returns `None` if it is no such list.
pub(super) fn read(body: &[u8]) -> Option<Vec<ListedModel>> {
    let body: Value = serde_json::from_slice(body).ok()?;
    // Servers without a model send null.
    let list = body.get("data").or_else(|| body.get("models"))?;
    let models = match list {
        Value::Null => Vec::new(),
        Value::Array(models) => models.iter().filter(|model| answers(model)).filter_map(model).collect(),
        _ => return None,
    };
    let mut models: Vec<ListedModel> = models;
    models.sort();
    models.dedup_by(|one, other| one.name == other.name);
    models.truncate(MAX_MODELS as usize);
    Some(models)
}

fn model(listed: &Value) -> Option<ListedModel> {
    let name = listed["id"].as_str().or_else(|| listed["name"].as_str())?;
    let name = name.strip_prefix("models/").unwrap_or(name);
    let is_name = !name.is_empty() && name.len() <= MAX_NAME && !name.contains(|c: char| c.is_control() || c == ' ');
    let tokens = CONTEXT.iter().find_map(|key| listed[*key].as_u64()).and_then(|tokens| u32::try_from(tokens).ok());
    is_name.then(|| ListedModel { name: name.to_owned(), context_tokens: tokens.filter(|tokens| *tokens > 0) })
}

/// Returns whether a model answers conversations. Only Gemini says so.
fn answers(model: &Value) -> bool {
    match model["supportedGenerationMethods"].as_array() {
        Some(methods) => methods.iter().any(|method| method == "generateContent"),
        None => true,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn names(body: &Value) -> Option<Vec<(String, Option<u32>)>> {
        let models = read(body.to_string().as_bytes())?;
        Some(models.into_iter().map(|model| (model.name, model.context_tokens)).collect())
    }

    #[test]
    fn the_lists_of_all_apis_are_read() {
        let openai = json!({ "object": "list", "data": [{ "id": "gpt-b", "object": "model" }, { "id": "gpt-a" }] });
        let none = |name: &str| (name.to_owned(), None);
        assert_eq!(names(&openai), Some(vec![none("gpt-a"), none("gpt-b")]));
        let anthropic =
            json!({ "data": [{ "type": "model", "id": "claude-x", "max_input_tokens": 200_000 }], "has_more": false });
        assert_eq!(names(&anthropic), Some(vec![("claude-x".to_owned(), Some(200_000))]));
        let gemini = json!({ "models": [
            { "name": "models/gemini-x", "inputTokenLimit": 1_048_576, "supportedGenerationMethods": ["generateContent", "countTokens"] },
            { "name": "models/embedding-1", "supportedGenerationMethods": ["embedContent"] },
        ] });
        assert_eq!(names(&gemini), Some(vec![("gemini-x".to_owned(), Some(1_048_576))]));
        let vllm = json!({ "data": [{ "id": "org/model", "max_model_len": 32_768 }] });
        assert_eq!(names(&vllm), Some(vec![("org/model".to_owned(), Some(32_768))]));
        for empty in [json!({ "object": "list", "data": null }), json!({ "data": [] })] {
            assert_eq!(names(&empty), Some(Vec::new()));
        }
    }

    #[test]
    fn what_is_not_a_list_is_refused_and_odd_entries_are_left_out() {
        for other in [json!([]), json!({ "error": "x" }), json!({ "data": "x" }), json!("x")] {
            assert_eq!(names(&other), None, "{other}");
        }
        assert!(read(b"<html>").is_none());
        let odd = json!({ "data": [
            { "id": "" }, { "id": "a\u{1b}[31m" }, { "id": "with space" }, { "id": "x".repeat(201) }, { "id": 5 }, 5,
            { "id": "good", "context_length": -1 }, { "id": "good", "context_length": 0 }, { "id": "good" },
        ] });
        assert_eq!(names(&odd), Some(vec![("good".to_owned(), None)]));
        let many = json!({ "data": (0..1_500).map(|at| json!({ "id": format!("m{at}") })).collect::<Vec<_>>() });
        assert_eq!(names(&many).map(|models| models.len()), Some(1_000));
    }
}
