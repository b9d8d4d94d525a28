//! What a call asks of the client, mostly of the person there, and how the answers are read.

use std::collections::BTreeMap;

use rmcp::model::{ClientCapabilities, ElicitationCapability, InputRequest, RootsCapabilities, SamplingCapability};
use serde_json::{Value, json};
use tokio::sync::oneshot;
use toolc::approval::ApprovalDecision;

/// The key of the question about an approval.
const APPROVAL: &str = "approval";
/// The choices of an approval.
const ONCE: &str = "approve once";
const SESSION: &str = "approve for this session";
const DENY: &str = "deny";
/// The maximum length of a question about an approval, in characters.
const MAX_QUESTION: usize = 4_000;

/// A request of a tool to the client.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Input {
    /// A form for the person at the client.
    Form {
        /// The text above the form.
        message: String,
        /// The JSON Schema of the fields: an object whose properties are strings, numbers, booleans and lists of words.
        schema: Value,
    },
    /// An answer of the client's model: the parameters of `sampling/createMessage`. The protocol has deprecated it.
    Sample(Value),
    /// The folders in which the client works. The protocol has deprecated it.
    Roots,
}

/// What a client has answered.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Answer {
    /// The content of a form, which satisfies its schema; or the result of another request.
    Accepted(Value),
    /// The person declined.
    Declined,
    /// The person closed the form without an answer.
    Dismissed,
}

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum NotAnswered {
    /// The client does not declare that it can be asked for this.
    ClientCannotAsk,
    /// The request is not valid, or the client's answer is not.
    Invalid(String),
}

/// Answers by the keys of the requests.
pub(super) type Answers = BTreeMap<String, Answer>;

/// What a call waits for.
#[derive(Debug)]
pub(super) struct Question {
    pub(super) kind: Kind,
    requests: BTreeMap<String, AskedInput>,
    answer: oneshot::Sender<Result<Answers, NotAnswered>>,
}

/// What a question is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Whether the call may run. Only an answer to this very question counts.
    Approval,
    /// A request of the tool.
    Handler,
}

#[derive(Debug)]
struct AskedInput {
    input: Input,
    request: InputRequest,
}

impl Question {
    /// Returns a question, and what receives its answers.
    ///
    /// # Errors
    /// Returns an error text if a request is not one that clients can answer.
    pub(super) fn new(
        kind: Kind,
        inputs: impl IntoIterator<Item = (String, Input)>,
    ) -> Result<(Self, oneshot::Receiver<Result<Answers, NotAnswered>>), String> {
        let (answer, answered) = oneshot::channel();
        let asked = inputs.into_iter().map(|(key, input)| AskedInput::new(input).map(|asked| (key, asked)));
        Ok((Self { kind, requests: asked.collect::<Result<_, _>>()?, answer }, answered))
    }

    /// Returns the requests to the client.
    pub(super) fn requests(&self) -> BTreeMap<String, InputRequest> {
        self.requests.iter().map(|(key, asked)| (key.clone(), asked.request.clone())).collect()
    }

    /// Returns the capabilities that a client needs for this question and does not have, or `None` if it has all.
    pub(super) fn missing(&self, capabilities: Option<&ClientCapabilities>) -> Option<ClientCapabilities> {
        let mut missing = ClientCapabilities::default();
        for asked in self.requests.values().filter(|asked| !asked.input.is_supported(capabilities)) {
            match asked.input {
                Input::Form { .. } => missing.elicitation = Some(ElicitationCapability::default()),
                Input::Sample(_) => missing.sampling = Some(SamplingCapability::default()),
                Input::Roots => missing.roots = Some(RootsCapabilities::default()),
            }
        }
        (missing != ClientCapabilities::default()).then_some(missing)
    }

    /// Reads what a client has answered. Keys that are not part of the question are ignored.
    ///
    /// # Errors
    /// Returns an error text if an answer is missing or invalid.
    pub(super) fn read(&self, responses: &BTreeMap<String, Value>) -> Result<Answers, String> {
        let read = |(key, asked): (&String, &AskedInput)| {
            let response = responses.get(key).ok_or_else(|| format!("the answer to `{key}` is missing"))?;
            let answer = asked.input.read(response).map_err(|why| format!("the answer to `{key}`: {why}"))?;
            Ok((key.clone(), answer))
        };
        self.requests.iter().map(read).collect()
    }

    /// Returns whether the call no longer waits for the answers.
    pub(super) fn is_withdrawn(&self) -> bool {
        self.answer.is_closed()
    }

    /// Passes the answers to the call, which may have ended meanwhile.
    pub(super) fn answer(self, answers: Result<Answers, NotAnswered>) {
        let _ = self.answer.send(answers);
    }
}

impl AskedInput {
    fn new(input: Input) -> Result<Self, String> {
        let request = match &input {
            Input::Form { message, schema } => json!({
                "method": "elicitation/create",
                "params": { "mode": "form", "message": message, "requestedSchema": schema },
            }),
            Input::Sample(params) => json!({ "method": "sampling/createMessage", "params": params }),
            Input::Roots => json!({ "method": "roots/list" }),
        };
        let request = match &input {
            Input::Form { .. } => serde_json::from_value(request).map(InputRequest::Elicitation),
            Input::Sample(_) => serde_json::from_value(request).map(InputRequest::CreateMessage),
            Input::Roots => serde_json::from_value(request).map(InputRequest::ListRoots),
        };
        let request = request.map_err(|error| format!("the request is not one that clients can answer: {error}"))?;
        Ok(Self { input, request })
    }
}

impl Input {
    /// Returns whether a client declares that it can be asked for this. A client that names no mode of forms shows them.
    pub(super) fn is_supported(&self, capabilities: Option<&ClientCapabilities>) -> bool {
        let Some(capabilities) = capabilities else { return false };
        match self {
            Self::Form { .. } => {
                capabilities.elicitation.as_ref().is_some_and(|modes| modes.form.is_some() || modes.url.is_none())
            }
            Self::Sample(_) => capabilities.sampling.is_some(),
            Self::Roots => capabilities.roots.is_some(),
        }
    }

    fn read(&self, response: &Value) -> Result<Answer, String> {
        let Self::Form { schema, .. } = self else {
            return match response {
                Value::Object(_) => Ok(Answer::Accepted(response.clone())),
                _ => Err("expected an object".to_owned()),
            };
        };
        match response.get("action").and_then(Value::as_str) {
            Some("decline") => Ok(Answer::Declined),
            Some("cancel") => Ok(Answer::Dismissed),
            Some("accept") => {
                let content = response.get("content").cloned().unwrap_or_else(|| json!({}));
                let validator = jsonschema::options().build(schema).map_err(|error| error.to_string())?;
                validator.validate(&content).map_err(|error| format!("it does not fit the form: {error}"))?;
                Ok(Answer::Accepted(content))
            }
            _ => Err(r#"expected an object whose `action` is "accept", "decline" or "cancel""#.to_owned()),
        }
    }
}

/// Returns the question whether a call may run.
pub(super) fn approval(text: &str, offers_session: bool) -> [(String, Input); 1] {
    let mut message: String = text.chars().take(MAX_QUESTION).collect();
    if message.len() < text.len() {
        message.push_str("… [shortened]");
    }
    let choices: Vec<&str> =
        [ONCE, SESSION, DENY].into_iter().filter(|choice| offers_session || *choice != SESSION).collect();
    let schema = json!({
        "type": "object",
        "properties": { "decision": { "type": "string", "title": "Decision", "enum": choices } },
        "required": ["decision"],
    });
    [(APPROVAL.to_owned(), Input::Form { message, schema })]
}

/// Returns the decision of a person about a call.
pub(super) fn decision(answers: Result<Answers, NotAnswered>) -> ApprovalDecision {
    let answer = match answers {
        Ok(mut answers) => answers.remove(APPROVAL),
        Err(NotAnswered::ClientCannotAsk) => {
            let why = "the MCP client cannot ask a person: it does not declare the capability `elicitation`. The user can start the \
                       server with `--yes`, which approves all calls, or use a client with this capability";
            return ApprovalDecision::Unanswered(why.to_owned());
        }
        Err(NotAnswered::Invalid(why)) => return ApprovalDecision::Unanswered(why),
    };
    match answer {
        Some(Answer::Accepted(content)) => match content["decision"].as_str() {
            Some(ONCE) => ApprovalDecision::AllowOnce,
            Some(SESSION) => ApprovalDecision::AllowForSession,
            _ => ApprovalDecision::Deny("the user said no".to_owned()),
        },
        Some(Answer::Declined) => ApprovalDecision::Deny("the user said no".to_owned()),
        Some(Answer::Dismissed) | None => ApprovalDecision::Deny("the user has closed the question".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(inputs: impl IntoIterator<Item = (String, Input)>) -> Question {
        Question::new(Kind::Handler, inputs).expect("the question is valid").0
    }

    fn read(question: &Question, responses: Value) -> Result<Answers, String> {
        question.read(&serde_json::from_value(responses).expect("it is an object"))
    }

    #[test]
    fn only_a_clear_approval_lets_a_call_run() {
        let question = asked(approval("Run it?", true));
        let decide =
            |response: Value| decision(read(&question, json!({ "approval": response })).map_err(NotAnswered::Invalid));
        let accept = |choice: &str| decide(json!({ "action": "accept", "content": { "decision": choice } }));
        assert_eq!(accept("approve once"), ApprovalDecision::AllowOnce);
        assert_eq!(accept("approve for this session"), ApprovalDecision::AllowForSession);
        for denied in [
            accept("deny"),
            accept("yes"),
            accept(""),
            decide(json!({ "action": "accept" })),
            decide(json!({ "action": "accept", "content": {} })),
            decide(json!({ "action": "decline", "content": { "decision": "approve once" } })),
            decide(json!({ "action": "cancel" })),
            decide(json!({ "action": "allow", "content": { "decision": "approve once" } })),
            decide(json!(true)),
            decision(Err(NotAnswered::ClientCannotAsk)),
        ] {
            let is_denied = matches!(denied, ApprovalDecision::Deny(_) | ApprovalDecision::Unanswered(_));
            assert!(is_denied, "{denied:?}");
        }
        let stateless = asked(approval("Run it?", false));
        let response =
            json!({ "approval": { "action": "accept", "content": { "decision": "approve for this session" } } });
        assert!(read(&stateless, response).is_err(), "there is no session");
    }

    #[test]
    fn answers_must_be_complete_and_fit() {
        let form = |key: &str| {
            let schema = json!({ "type": "object", "properties": { "n": { "type": "integer" } }, "required": ["n"] });
            (key.to_owned(), Input::Form { message: "How many?".to_owned(), schema })
        };
        let question = asked([form("a"), form("b")]);
        let good = json!({ "action": "accept", "content": { "n": 1 } });
        let answers =
            read(&question, json!({ "a": good, "b": { "action": "decline" }, "c": 7 })).expect("it is complete");
        assert_eq!((&answers["a"], &answers["b"]), (&Answer::Accepted(json!({ "n": 1 })), &Answer::Declined));
        for (responses, part) in [
            (json!({ "a": good }), "`b` is missing"),
            (json!({ "a": good, "b": 12345 }), "`b`: expected an object"),
            (json!({ "a": good, "b": { "action": "accept", "content": { "n": "x" } } }), "does not fit the form"),
        ] {
            let error = read(&question, responses).expect_err(part);
            assert!(error.contains(part), "{error}");
        }
        assert!(
            Question::new(Kind::Handler, [("a".to_owned(), Input::Form { message: String::new(), schema: json!(7) })])
                .is_err()
        );
    }

    #[test]
    fn what_a_client_cannot_be_asked_for_is_missing() {
        let question = asked([("r".to_owned(), Input::Roots), approval("?", false)[0].clone()]);
        let of = |capabilities: Value| -> ClientCapabilities {
            serde_json::from_value(capabilities).expect("they are valid")
        };
        let missing = |capabilities: &ClientCapabilities| {
            let missing = question.missing(Some(capabilities)).expect("something is missing");
            (missing.elicitation.is_some(), missing.roots.is_some())
        };
        assert_eq!(missing(&of(json!({}))), (true, true));
        assert_eq!(missing(&of(json!({ "elicitation": {} }))), (false, true));
        assert_eq!(missing(&of(json!({ "elicitation": { "url": {} }, "roots": {} }))), (true, false));
        assert!(question.missing(None).is_some());
        assert!(question.missing(Some(&of(json!({ "elicitation": { "form": {} }, "roots": {} })))).is_none());
    }
}
