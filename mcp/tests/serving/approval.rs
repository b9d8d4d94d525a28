//! Calls that need approval: the person at the client is asked, in both forms of the protocol.

use std::sync::atomic::Ordering;

use serde_json::{Value, json};

use crate::fixture::{Client, OTHER_TOKEN, RAN, Reply, Serving, TOKEN, call, text};

fn elicitation() -> Value {
    json!({ "elicitation": { "form": {} } })
}

fn accept(decision: &str) -> Value {
    json!({ "action": "accept", "content": { "decision": decision } })
}

/// Calls `guarded`, answers the question if there is one, and returns the answer to the call, and whether there was a question.
async fn guarded(serving: &Serving, client: Client<'_>, id: u32, answer: &Value) -> (Value, bool) {
    let mut reply = serving.post(client, &call(id, "guarded", json!({ "n": id }))).await;
    let mut was_asked = false;
    while let Some(message) = reply.next().await {
        if message["method"] == "elicitation/create" {
            was_asked = true;
            let question = message["params"]["message"].as_str().unwrap_or_default();
            assert!(question.contains("guarded") && question.contains("needs approval"), "{message}");
            let response = json!({ "jsonrpc": "2.0", "id": message["id"], "result": answer });
            assert_eq!(serving.post(client, &response).await.status, 202);
        } else if message.get("result").is_some() || message.get("error").is_some() {
            return (message, was_asked);
        }
    }
    panic!("no answer");
}

fn runs(serving: &Serving) -> usize {
    serving.done.guarded.load(Ordering::SeqCst)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_with_a_session_is_asked() {
    let serving = Serving::start().await;
    let session = serving.initialize(Some(TOKEN), elicitation()).await;
    let client = Client { token: Some(TOKEN), session: Some(&session) };
    for (id, no) in
        [accept("deny"), json!({ "action": "decline" }), json!({ "action": "cancel" }), accept("x")].iter().enumerate()
    {
        let (answer, was_asked) = guarded(&serving, client, u32::try_from(id).expect("it is small"), no).await;
        assert!(was_asked && answer["result"]["isError"] == true && text(&answer).contains("denied"), "{answer}");
    }
    assert_eq!(runs(&serving), 0);
    let (answer, _) = guarded(&serving, client, 10, &accept("approve once")).await;
    assert_eq!((text(&answer), runs(&serving)), (RAN, 1));
    let (_, was_asked) = guarded(&serving, client, 11, &accept("approve for this session")).await;
    assert!(was_asked, "approving once is not for the session");
    let (answer, was_asked) = guarded(&serving, client, 12, &accept("deny")).await;
    assert_eq!((text(&answer), was_asked, runs(&serving)), (RAN, false, 3));
    // Another session of the same bearer is asked again.
    let other = serving.initialize(Some(TOKEN), elicitation()).await;
    let (_, was_asked) = guarded(&serving, Client { session: Some(&other), ..client }, 13, &accept("deny")).await;
    assert!(was_asked && runs(&serving) == 3);
    serving.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_cannot_be_asked_is_refused() {
    let serving = Serving::start().await;
    let session = serving.initialize(Some(TOKEN), json!({})).await;
    let client = Client { token: Some(TOKEN), session: Some(&session) };
    let (answer, was_asked) = guarded(&serving, client, 1, &Value::Null).await;
    assert!(!was_asked && text(&answer).contains("cannot ask a person"), "{answer}");
    let params = json!({ "name": "guarded", "arguments": {} });
    for capabilities in [json!({}), json!({ "elicitation": { "url": {} } })] {
        let mut reply =
            serving.stateless(Client { session: None, ..client }, "tools/call", params.clone(), capabilities).await;
        let answer = reply.answer().await;
        assert!(answer["result"]["isError"] == true && text(&answer).contains("cannot ask a person"), "{answer}");
    }
    assert_eq!(runs(&serving), 0);
    serving.stop().await;
}

/// Calls `guarded` in the stateless protocol.
async fn stateless(serving: &Serving, token: &str, arguments: Value, more: Value) -> Value {
    let mut params = json!({ "name": "guarded", "arguments": arguments });
    for (key, value) in more.as_object().into_iter().flatten() {
        params[key] = value.clone();
    }
    let client = Client { token: Some(token), session: None };
    let mut reply: Reply = serving.stateless(client, "tools/call", params, elicitation()).await;
    reply.answer().await
}

fn state(answer: &Value) -> String {
    assert_eq!(answer["result"]["resultType"], "input_required", "{answer}");
    let request = &answer["result"]["inputRequests"]["approval"];
    assert_eq!((&request["method"], &request["params"]["mode"]), (&json!("elicitation/create"), &json!("form")));
    let choices = request["params"]["requestedSchema"]["properties"]["decision"]["enum"].clone();
    assert_eq!(choices, json!(["approve once", "deny"]), "there is no session");
    answer["result"]["requestState"].as_str().expect("it has a state").to_owned()
}

/// A client may collect questions before it asks its user, or never answer one.
#[tokio::test(flavor = "multi_thread")]
async fn an_unanswered_question_does_not_delay_the_questions_of_other_calls_without_a_session() {
    let serving = Serving::start().await;
    let states = [1, 2, 3].map(|n| json!({ "n": n }));
    let mut asked = Vec::new();
    for arguments in &states {
        let question = stateless(&serving, TOKEN, arguments.clone(), json!({}));
        let question = tokio::time::timeout(std::time::Duration::from_secs(20), question).await;
        asked.push(state(&question.expect("the call asks at once")));
    }
    for (arguments, state) in states.iter().zip(asked).rev() {
        let more = json!({ "inputResponses": { "approval": accept("approve once") }, "requestState": state });
        assert_eq!(text(&stateless(&serving, TOKEN, arguments.clone(), more).await), RAN);
    }
    assert_eq!(runs(&serving), 3);
    serving.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_without_a_session_brings_the_answer_with_the_next_request() {
    let serving = Serving::start().await;
    let (arguments, yes) = (json!({ "n": 1 }), json!({ "approval": accept("approve once") }));
    // An answer that was not asked for does not count.
    let first = stateless(&serving, TOKEN, arguments.clone(), json!({ "inputResponses": yes })).await;
    let (first, runs_before) = (state(&first), runs(&serving));
    assert_eq!(runs_before, 0);
    // Neither another bearer, nor another call, nor another state.
    let refused = [
        (OTHER_TOKEN, arguments.clone(), first.clone()),
        (TOKEN, json!({ "n": 2 }), first.clone()),
        (TOKEN, json!({}), first.clone()),
        (TOKEN, arguments.clone(), format!("{first}0")),
        (TOKEN, arguments.clone(), "0".repeat(64)),
        (TOKEN, arguments.clone(), String::new()),
    ];
    for (token, arguments, state) in refused {
        let more = json!({ "inputResponses": yes, "requestState": state });
        let answer = stateless(&serving, token, arguments, more).await;
        assert_eq!(answer["error"]["code"], -32602, "{answer}");
    }
    assert_eq!(runs(&serving), 0);
    // A wrong answer is asked again, with another state.
    let wrong = json!({ "inputResponses": { "approval": 7 }, "requestState": first });
    let second = state(&stateless(&serving, TOKEN, arguments.clone(), wrong).await);
    assert_ne!(first, second);
    let right = json!({ "inputResponses": yes, "requestState": second });
    let answer = stateless(&serving, TOKEN, arguments.clone(), right.clone()).await;
    assert_eq!((text(&answer), runs(&serving)), (RAN, 1));
    // It is good once.
    let again = stateless(&serving, TOKEN, arguments.clone(), right).await;
    assert_eq!((&again["error"]["code"], runs(&serving)), (&json!(-32602), 1));
    let denied = state(&stateless(&serving, TOKEN, arguments.clone(), json!({})).await);
    let more = json!({ "inputResponses": { "approval": { "action": "decline" } }, "requestState": denied });
    let answer = stateless(&serving, TOKEN, arguments, more).await;
    assert!(answer["result"]["isError"] == true && runs(&serving) == 1, "{answer}");
    serving.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn calls_that_wait_for_answers_are_limited() {
    let serving = Serving::start().await;
    for n in 0..64 {
        state(&stateless(&serving, TOKEN, json!({ "n": n }), json!({})).await);
    }
    let answer = stateless(&serving, TOKEN, json!({ "n": 64 }), json!({})).await;
    assert!(text(&answer).contains("too many calls wait"), "{answer}");
    state(&stateless(&serving, OTHER_TOKEN, json!({ "n": 1 }), json!({})).await);
    serving.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tool_asks_the_client() {
    let serving = Serving::open().await;
    let params = json!({ "name": "ask", "arguments": {} });
    let client = Client::default();
    let mut reply = serving.stateless(client, "tools/call", params.clone(), json!({})).await;
    let missing = reply.answer().await;
    assert_eq!((reply.status, &missing["error"]["code"]), (400, &json!(-32021)), "{missing}");
    assert!(missing["error"]["data"]["requiredCapabilities"]["elicitation"].is_object(), "{missing}");
    let asked = serving.stateless(client, "tools/call", params.clone(), elicitation()).await.answer().await;
    assert!(asked["result"]["inputRequests"]["who"].is_object(), "{asked}");
    let mut next = params;
    next["requestState"] = asked["result"]["requestState"].clone();
    next["inputResponses"] = json!({ "who": { "action": "accept", "content": { "name": "Ada" } } });
    let answer = serving.stateless(client, "tools/call", next, elicitation()).await.answer().await;
    assert!(text(&answer).contains("Ada"), "{answer}");
    serving.stop().await;
}
