//! The result of a call, as a client gets it.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rmcp::ErrorData;
use rmcp::model::{CallToolResult, ContentBlock, MetaObject, ResourceContents, Tool};
use serde_json::Value;
use toolc::attachment::{Attachment, ResourceContent};
use toolc::{CallResponse, ErrorKind};

use super::stored::StoredResults;

/// Returns the result of a call. `tool` is its definition, or `None` if the list does not have it.
///
/// # Errors
/// Returns an error of the protocol if there is no such tool. All other errors are results, which the model sees.
pub(super) fn result(
    response: &CallResponse,
    tool: Option<&Tool>,
    stored: &StoredResults,
) -> Result<CallToolResult, ErrorData> {
    let json: Value = serde_json::from_str(&response.json)
        .map_err(|error| ErrorData::internal_error(format!("a result is not JSON: {error}"), None))?;
    if response.error == Some(ErrorKind::UnknownTool) && tool.is_none() {
        let text = json["error"].as_str().unwrap_or("there is no such tool").to_owned();
        return Err(ErrorData::invalid_params(text, None));
    }
    let is_shortened = response.is_shortened();
    let link = if is_shortened { stored.link(&json) } else { None };
    let mut content = content(&json, response);
    content.extend(link.map(ContentBlock::resource_link));
    // A client refuses a result without structured content if the tool has an output schema, unless it is an error. A shortened result
    // does not fit the schema.
    let is_typed = tool.is_some_and(|tool| tool.output_schema.is_some());
    let mut result = if response.is_error() || (is_typed && is_shortened) {
        CallToolResult::error(content)
    } else {
        CallToolResult::success(content)
    };
    if is_typed && result.is_error == Some(false) {
        result.structured_content = Some(json);
    }
    if let Some(Value::Object(meta)) = response.meta.as_deref() {
        result.meta = Some(MetaObject(meta.clone()));
    }
    Ok(result)
}

/// Returns the parts for the model: strings as plain text, all other values as JSON text, then images, audio and resources. An empty
/// text is left out if there is another part.
fn content(json: &Value, response: &CallResponse) -> Vec<ContentBlock> {
    let text = json.as_str().unwrap_or(&response.json);
    let images =
        response.images.iter().map(|image| ContentBlock::image(STANDARD.encode(image.bytes()), image.media_type()));
    let mut content: Vec<ContentBlock> = images.chain(response.attachments.iter().filter_map(attachment)).collect();
    if !text.is_empty() || content.is_empty() {
        content.insert(0, ContentBlock::text(text));
    }
    content
}

/// Returns a sound or a resource. Kinds that were added later are left out.
fn attachment(attachment: &Attachment) -> Option<ContentBlock> {
    match attachment {
        Attachment::Audio(audio) => Some(ContentBlock::audio(STANDARD.encode(audio.bytes()), audio.media_type())),
        Attachment::Resource(resource) => {
            let contents = match resource.content() {
                ResourceContent::Text(text) => ResourceContents::text(&**text, resource.uri()),
                ResourceContent::Bytes(bytes) => ResourceContents::blob(STANDARD.encode(bytes), resource.uri()),
                _ => return None,
            };
            Some(ContentBlock::resource(contents.with_mime_type(resource.media_type())))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use rmcp::model::JsonObject;
    use serde_json::json;
    use toolc::{ToolError, ToolOutput};

    use super::*;

    fn tool(output: Option<Value>) -> Tool {
        let mut tool = Tool::new("t", "A tool.", JsonObject::new());
        tool.output_schema = output.map(|schema| serde_json::from_value(schema).expect("it is an object"));
        tool
    }

    fn sent(output: toolc::ToolResult, tool: &Tool) -> Value {
        let result =
            result(&CallResponse::from(output), Some(tool), &StoredResults::new(None)).expect("it is a result");
        serde_json::to_value(result).expect("a result is JSON")
    }

    #[test]
    fn a_result_is_structured_if_the_tool_says_so_and_it_is_no_error() {
        let (plain, typed) = (tool(None), tool(Some(json!({ "type": "object" }))));
        let output = || ToolOutput::json(&json!({ "n": 1 }));
        assert_eq!(sent(output(), &plain).get("structuredContent"), None);
        let structured = sent(output(), &typed);
        assert_eq!(structured["structuredContent"], json!({ "n": 1 }));
        assert_eq!(structured["content"], json!([{ "type": "text", "text": r#"{"n":1}"# }]));
        let failed = sent(Err(ToolError::new("no")), &typed);
        assert_eq!((&failed["isError"], failed.get("structuredContent")), (&json!(true), None));
        let of_the_tool = sent(ToolOutput::json(&json!({ "truncated": true })), &typed);
        assert_eq!(of_the_tool["isError"], false, "the tool itself says so");
    }

    #[test]
    fn a_result_has_its_meta_also_if_it_is_structured() {
        let meta = json!({ "com.example/trace": "7" });
        let with_meta = || ToolOutput::json(&json!({ "n": 1 }))?.with_meta(meta.clone());
        for tool in [tool(None), tool(Some(json!({ "type": "object" })))] {
            assert_eq!(sent(with_meta(), &tool)["_meta"], meta);
            assert_eq!(sent(Err(ToolError::new("no")), &tool).get("_meta"), None);
        }
    }

    #[test]
    fn parts_follow_the_text_and_an_empty_text_is_left_out() {
        let sound = Attachment::audio("audio/wav", *b"RIFF").expect("it is valid");
        let pdf = Attachment::binary_resource("test://a", "application/pdf", *b"%PDF").expect("it is valid");
        let parts = |output: ToolOutput| output.with_attachment(sound.clone())?.with_attachment(pdf.clone());
        let both = sent(parts(ToolOutput::text("both")), &tool(None))["content"].clone();
        let audio = json!({ "type": "audio", "data": "UklGRg==", "mimeType": "audio/wav" });
        let resource = json!({ "uri": "test://a", "mimeType": "application/pdf", "blob": "JVBERg==" });
        let resource = json!({ "type": "resource", "resource": resource });
        assert_eq!(both, json!([{ "type": "text", "text": "both" }, audio, resource]));
        assert_eq!(sent(parts(ToolOutput::text("")), &tool(None))["content"], json!([audio, resource]));
        assert_eq!(sent(Ok(ToolOutput::text("")), &tool(None))["content"], json!([{ "type": "text", "text": "" }]));
    }
}
