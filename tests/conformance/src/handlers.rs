//! What the suite expects of its tools.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use toolc::attachment::Attachment;
use toolc::{Call, Image, ToolError, ToolOutput, ToolResult};
use toolc_mcp::server::{Answer, ClientQuestions, Input, NotAnswered};

use crate::generated::conformance::{
    ConformanceTools, test_audio_content, test_elicitation, test_elicitation_sep1034_defaults,
    test_elicitation_sep1330_enums, test_embedded_resource, test_error_handling, test_image_content,
    test_input_required_result_capabilities, test_input_required_result_elicitation,
    test_input_required_result_list_roots, test_input_required_result_multi_round,
    test_input_required_result_multiple_inputs, test_input_required_result_request_state,
    test_input_required_result_sampling, test_input_required_result_tampered_state, test_logging_tool,
    test_missing_capability, test_multiple_content_types, test_sampling, test_simple_text, test_streaming_elicitation,
    test_tool_with_progress,
};

/// A picture of one red pixel.
const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x02\0\0\0\x90wS\xde\0\0\0\x0cIDATx\x9cc\xf8\xcf\xc0\0\0\x03\x01\x01\0\xc9\xfe\x92\xef\0\0\0\0IEND\xaeB`\x82";
/// A sound of no length.
const WAV: &[u8] = b"RIFF\x24\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0\x40\x1f\0\0\x80\x3e\0\0\x02\0\x10\0data\0\0\0\0";

pub(crate) struct ConformanceHandlers;

/// Asks the client for one input, and returns the text of the answer.
async fn ask(call: &Call<'_>, key: &str, input: Input) -> Result<String, ToolError> {
    let answers = ask_all(call, [(key, input)]).await?;
    Ok(answers.into_iter().next().map(|(_, answer)| describe(&answer)).unwrap_or_default())
}

async fn ask_all<const N: usize>(
    call: &Call<'_>,
    inputs: [(&str, Input); N],
) -> Result<Vec<(String, Answer)>, ToolError> {
    let questions: Arc<ClientQuestions> = call.require_value()?;
    let answers = questions.ask(inputs.map(|(key, input)| (key.to_owned(), input))).await;
    let answers = answers.map_err(|why| match why {
        NotAnswered::Invalid(why) => ToolError::new(why),
        _ => ToolError::new("the client cannot be asked"),
    })?;
    Ok(answers.into_iter().collect())
}

fn describe(answer: &Answer) -> String {
    match answer {
        Answer::Accepted(content) => format!("action=accept, content={content}"),
        Answer::Declined => "action=decline".to_owned(),
        _ => "action=cancel".to_owned(),
    }
}

fn form(message: &str, properties: &Value, required: &[&str]) -> Input {
    let schema = json!({ "type": "object", "properties": properties, "required": required });
    Input::Form { message: message.to_owned(), schema }
}

fn name() -> Input {
    form("What is your name?", &json!({ "name": { "type": "string" } }), &["name"])
}

fn confirmation() -> Input {
    form("Please confirm", &json!({ "ok": { "type": "boolean" } }), &["ok"])
}

fn sample(prompt: &str, max_tokens: u32) -> Input {
    let message = json!({ "role": "user", "content": { "type": "text", "text": prompt } });
    Input::Sample(json!({ "messages": [message], "maxTokens": max_tokens }))
}

fn picture() -> Result<Image, ToolError> {
    Image::new("image/png", PNG)
}

impl ConformanceTools for ConformanceHandlers {
    async fn test_simple_text(&self, _: test_simple_text::Args, _: &Call<'_>) -> ToolResult {
        Ok(ToolOutput::text("This is a simple text response for testing."))
    }

    async fn test_image_content(&self, _: test_image_content::Args, _: &Call<'_>) -> ToolResult {
        ToolOutput::text("").with_image(picture()?)
    }

    async fn test_audio_content(&self, _: test_audio_content::Args, _: &Call<'_>) -> ToolResult {
        ToolOutput::text("").with_attachment(Attachment::audio("audio/wav", WAV)?)
    }

    async fn test_embedded_resource(&self, _: test_embedded_resource::Args, _: &Call<'_>) -> ToolResult {
        let text = "This is an embedded resource content.";
        ToolOutput::text("").with_attachment(Attachment::text_resource("test://embedded-resource", "text/plain", text)?)
    }

    async fn test_multiple_content_types(&self, _: test_multiple_content_types::Args, _: &Call<'_>) -> ToolResult {
        let text = r#"{"test":"data","value":123}"#;
        let resource = Attachment::text_resource("test://mixed-content-resource", "application/json", text)?;
        ToolOutput::text("Multiple content types test:").with_image(picture()?)?.with_attachment(resource)
    }

    async fn test_error_handling(&self, _: test_error_handling::Args, _: &Call<'_>) -> ToolResult {
        Err(ToolError::new("This tool intentionally returns an error for testing"))
    }

    async fn test_tool_with_progress(&self, _: test_tool_with_progress::Args, call: &Call<'_>) -> ToolResult {
        for done in [0.0, 50.0, 100.0] {
            call.progress(done, Some(100.0), "");
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        Ok(ToolOutput::text("done"))
    }

    async fn test_logging_tool(&self, _: test_logging_tool::Args, _: &Call<'_>) -> ToolResult {
        Ok(ToolOutput::text("nothing was logged"))
    }

    async fn test_streaming_elicitation(&self, _: test_streaming_elicitation::Args, call: &Call<'_>) -> ToolResult {
        Ok(ToolOutput::text(ask(call, "user_name", name()).await?))
    }

    async fn test_missing_capability(&self, _: test_missing_capability::Args, call: &Call<'_>) -> ToolResult {
        Ok(ToolOutput::text(ask(call, "text", sample("Say something", 10)).await?))
    }

    async fn test_sampling(&self, args: test_sampling::Args, call: &Call<'_>) -> ToolResult {
        Ok(ToolOutput::text(format!("LLM response: {}", ask(call, "text", sample(&args.prompt, 100)).await?)))
    }

    async fn test_elicitation(&self, args: test_elicitation::Args, call: &Call<'_>) -> ToolResult {
        let fields = json!({
            "username": { "type": "string", "description": "User's response" },
            "email": { "type": "string", "description": "User's email address" },
        });
        let answer = ask(call, "user", form(&args.message, &fields, &["username", "email"])).await?;
        Ok(ToolOutput::text(format!("User response: {answer}")))
    }

    async fn test_elicitation_sep1034_defaults(
        &self,
        _: test_elicitation_sep1034_defaults::Args,
        call: &Call<'_>,
    ) -> ToolResult {
        let fields = json!({
            "name": { "type": "string", "default": "John Doe" },
            "age": { "type": "integer", "default": 30 },
            "score": { "type": "number", "default": 95.5 },
            "status": { "type": "string", "enum": ["active", "inactive", "pending"], "default": "active" },
            "verified": { "type": "boolean", "default": true },
        });
        let answer = ask(call, "user", form("Who are you?", &fields, &[])).await?;
        Ok(ToolOutput::text(format!("Elicitation completed: {answer}")))
    }

    async fn test_elicitation_sep1330_enums(
        &self,
        _: test_elicitation_sep1330_enums::Args,
        call: &Call<'_>,
    ) -> ToolResult {
        let titled = json!([
            { "const": "value1", "title": "First Option" }, { "const": "value2", "title": "Second Option" },
            { "const": "value3", "title": "Third Option" },
        ]);
        let words = json!(["option1", "option2", "option3"]);
        let fields = json!({
            "untitledSingle": { "type": "string", "enum": words },
            "titledSingle": { "type": "string", "oneOf": titled },
            "legacyEnum": {
                "type": "string", "enum": ["opt1", "opt2", "opt3"],
                "enumNames": ["Option One", "Option Two", "Option Three"],
            },
            "untitledMulti": { "type": "array", "items": { "type": "string", "enum": words } },
            "titledMulti": { "type": "array", "items": { "anyOf": titled } },
        });
        let answer = ask(call, "choice", form("Which ones?", &fields, &[])).await?;
        Ok(ToolOutput::text(format!("Elicitation completed: {answer}")))
    }

    async fn test_input_required_result_elicitation(
        &self,
        _: test_input_required_result_elicitation::Args,
        call: &Call<'_>,
    ) -> ToolResult {
        Ok(ToolOutput::text(format!("Hello: {}", ask(call, "user_name", name()).await?)))
    }

    async fn test_input_required_result_sampling(
        &self,
        _: test_input_required_result_sampling::Args,
        call: &Call<'_>,
    ) -> ToolResult {
        Ok(ToolOutput::text(ask(call, "capital_question", sample("What is the capital of France?", 100)).await?))
    }

    async fn test_input_required_result_list_roots(
        &self,
        _: test_input_required_result_list_roots::Args,
        call: &Call<'_>,
    ) -> ToolResult {
        Ok(ToolOutput::text(ask(call, "client_roots", Input::Roots).await?))
    }

    async fn test_input_required_result_request_state(
        &self,
        _: test_input_required_result_request_state::Args,
        call: &Call<'_>,
    ) -> ToolResult {
        Ok(ToolOutput::text(format!("state-ok: {}", ask(call, "confirm", confirmation()).await?)))
    }

    async fn test_input_required_result_multiple_inputs(
        &self,
        _: test_input_required_result_multiple_inputs::Args,
        call: &Call<'_>,
    ) -> ToolResult {
        let inputs =
            [("user_name", name()), ("greeting", sample("Generate a greeting", 50)), ("client_roots", Input::Roots)];
        let answers = ask_all(call, inputs).await?;
        let answers: Vec<String> = answers.iter().map(|(key, answer)| format!("{key}: {}", describe(answer))).collect();
        Ok(ToolOutput::text(answers.join("\n")))
    }

    async fn test_input_required_result_multi_round(
        &self,
        _: test_input_required_result_multi_round::Args,
        call: &Call<'_>,
    ) -> ToolResult {
        let first = form("Step 1: What is your name?", &json!({ "name": { "type": "string" } }), &["name"]);
        let name = ask(call, "step1", first).await?;
        let second =
            form("Step 2: What is your favorite color?", &json!({ "color": { "type": "string" } }), &["color"]);
        let color = ask(call, "step2", second).await?;
        Ok(ToolOutput::text(format!("{name}; {color}")))
    }

    async fn test_input_required_result_tampered_state(
        &self,
        _: test_input_required_result_tampered_state::Args,
        call: &Call<'_>,
    ) -> ToolResult {
        Ok(ToolOutput::text(ask(call, "confirm", confirmation()).await?))
    }

    async fn test_input_required_result_capabilities(
        &self,
        _: test_input_required_result_capabilities::Args,
        call: &Call<'_>,
    ) -> ToolResult {
        let questions: Arc<ClientQuestions> = call.require_value()?;
        let inputs = [("user_name", name()), ("greeting", sample("Generate a greeting", 50))];
        let supported = inputs.into_iter().filter(|(_, input)| questions.supports(input));
        let asked: Vec<_> = supported.map(|(key, input)| (key.to_owned(), input)).collect();
        let answers = questions.ask(asked).await.map_err(|why| ToolError::new(format!("{why:?}")))?;
        Ok(ToolOutput::text(answers.values().map(describe).collect::<Vec<_>>().join("\n")))
    }
}
