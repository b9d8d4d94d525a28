//! Base64 of images. It needs no escaping in JSON strings.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::result::image::Image;

pub(super) fn base64(image: &Image) -> String {
    STANDARD.encode(image.bytes())
}

#[cfg(feature = "wire-openai")]
pub(super) fn data_url(image: &Image) -> String {
    format!("data:{};base64,{}", image.media_type(), base64(image))
}

#[cfg(all(test, feature = "wire-openai", feature = "wire-anthropic", feature = "wire-gemini", feature = "wire-mcp"))]
mod tests {
    use serde_json::{Value, json};

    use crate::call::ToolCall;
    use crate::call::completed::CompletedCall;
    use crate::call::response::CallResponse;
    use crate::data::dialect::Dialect;
    use crate::provider::dynamic::DynamicTool;
    use crate::registry::Registry;
    use crate::result::error::ToolError;
    use crate::result::image::Image;
    use crate::result::output::ToolOutput;
    use crate::wire::Api;
    use crate::wire::mcp::{Incoming, Server};

    /// Returns an image with a caption, a text, and an error.
    fn completed_calls(picture: Image) -> [CompletedCall<'static>; 3] {
        let call = |id, result| CompletedCall {
            call: ToolCall::new("look", "{}").with_id(id),
            response: CallResponse::from(result),
        };
        [
            call("c1", ToolOutput::text("a cat").with_image(picture.clone()).and_then(|one| one.with_image(picture))),
            call("c2", Ok(ToolOutput::text("no picture"))),
            call("c3", Err(ToolError::new("too dark"))),
        ]
    }

    fn results(api: Api, completed_calls: &[CompletedCall<'_>]) -> Vec<Value> {
        let results = api.results(completed_calls);
        results.iter().map(|result| serde_json::from_str(result.get()).unwrap()).collect()
    }

    fn png() -> Image {
        Image::new("image/png", *b"\x89PNG\r\n\x1a\n??>").unwrap()
    }

    const URL: &str = "data:image/png;base64,iVBORw0KGgo/Pz4=";

    #[test]
    fn chat_completions_have_images_after_all_results() {
        let messages = results(Api::ChatCompletions, &completed_calls(png()));
        let [one, _, _, shown] = &messages[..] else { panic!("{messages:?}") };
        assert_eq!(*one, json!({ "role": "tool", "tool_call_id": "c1", "content": "\"a cat\"" }));
        let text = json!({ "type": "text", "text": "Images of the result of the call c1 (look):" });
        let image = json!({ "type": "image_url", "image_url": { "url": URL } });
        assert_eq!(*shown, json!({ "role": "user", "content": [text, image, image] }));
        let mut two = completed_calls(png());
        two[1].response.images.push(png());
        let shown = results(Api::ChatCompletions, &two).pop().unwrap();
        assert_eq!(shown["content"][3]["text"], "Images of the result of the call c2 (look):");
        assert_eq!(
            results(Api::ChatCompletions, &completed_calls(png())[1..]).len(),
            2,
            "nothing follows without images"
        );
    }

    #[test]
    fn responses_have_images_in_the_output() {
        let items = results(Api::Responses, &completed_calls(png()));
        let text = json!({ "type": "input_text", "text": "\"a cat\"" });
        let image = json!({ "type": "input_image", "image_url": URL });
        assert_eq!(
            items[0],
            json!({ "type": "function_call_output", "call_id": "c1", "output": [text, image, image] })
        );
        assert_eq!((items.len(), &items[1]["output"]), (3, &json!("\"no picture\"")));
    }

    #[test]
    fn anthropic_has_images_in_the_result() {
        let messages = results(Api::Anthropic, &completed_calls(png()));
        let source = json!({ "type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo/Pz4=" });
        let image = json!({ "type": "image", "source": source });
        let content = json!([{ "type": "text", "text": "\"a cat\"" }, image, image]);
        let blocks = &messages[0]["content"];
        assert_eq!(blocks[0], json!({ "type": "tool_result", "tool_use_id": "c1", "content": content }));
        assert_eq!((messages.len(), &blocks[1]["content"]), (1, &json!("\"no picture\"")));
        assert_eq!(blocks[2]["is_error"], true);
    }

    #[test]
    fn gemini_has_images_in_the_response_except_gif() {
        let contents = results(Api::Gemini, &completed_calls(png()));
        let image = json!({ "inlineData": { "mimeType": "image/png", "data": "iVBORw0KGgo/Pz4=" } });
        let response =
            json!({ "id": "c1", "name": "look", "response": { "output": "a cat" }, "parts": [image, image] });
        let parts = &contents[0]["parts"];
        assert_eq!(parts[0], json!({ "functionResponse": response }));
        assert_eq!((contents.len(), parts.as_array().unwrap().len()), (1, 3), "a part for each call, and no others");
        assert!(parts[1]["functionResponse"].get("parts").is_none());
        let gif = Image::new("image/gif", *b"GIF89a").unwrap();
        let left = &results(Api::Gemini, &completed_calls(gif))[0]["parts"][0]["functionResponse"];
        assert!(
            left.get("parts").is_none() && left["response"]["note"].as_str().unwrap().contains("image/gif"),
            "{left}"
        );
    }

    #[test]
    fn mcp_has_images_in_the_content() {
        let look = DynamicTool::sync("look", "Look.", json!({ "type": "object", "properties": {} }), |_, _| {
            ToolOutput::text("a cat").with_image(png())
        });
        let registry = Registry::new();
        registry.add(look.build().unwrap()).unwrap();
        let turn = registry.session().build().unwrap().turn_blocking(Dialect::Mcp);
        let message = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"look"}}"#;
        let Incoming::Call(request) = Server::new("a server", "1").receive(message, &turn) else {
            panic!("it is a call")
        };
        let result: Value = serde_json::from_str(&request.result(&turn, &turn.call_blocking(&request.call()))).unwrap();
        let image = json!({ "type": "image", "data": "iVBORw0KGgo/Pz4=", "mimeType": "image/png" });
        assert_eq!(result["result"]["content"], json!([{ "type": "text", "text": "a cat" }, image]));
    }
}
