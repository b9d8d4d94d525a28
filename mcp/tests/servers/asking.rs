//! What servers ask the person and the model while their tools run.

use std::time::Duration;

use serde_json::{Value, json};
use toolc_mcp::{Answer, Field, FieldKind, QuestionKind};

use crate::fixture::{Fixture, error, has_python, server};
use crate::person::Person;

fn values(value: &Value) -> Answer {
    Answer::Accept(value.as_object().cloned().expect("an object"))
}

/// Returns the JSON in the text of a result.
fn result(value: &Value) -> Value {
    serde_json::from_str(value.as_str().unwrap_or_else(|| panic!("{value}"))).expect("it is JSON")
}

#[test]
fn a_form_is_shown_and_its_answer_sent_in_both_eras() {
    if !has_python() {
        return;
    }
    let given = json!({ "name": "Ann", "age": 8, "admin": true, "colour": "g", "days": ["mon"] });
    for behaviours in [["asks", "old"], ["asks", "new"]] {
        let person = Person::new([values(&given), Answer::Decline, Answer::Cancel]);
        let fixture = Fixture::answering([server("s", &behaviours)], &person.answering());
        let accepted = result(&fixture.call("mcp__s__ask", &json!({})));
        assert_eq!((&accepted["action"], &accepted["content"]), (&json!("accept"), &given), "{accepted}");
        if behaviours[1] == "new" {
            assert_eq!(accepted["state"], "sé1", "the state is sent back as it came");
        }
        assert_eq!(result(&fixture.call("mcp__s__ask", &json!({})))["action"], "decline");
        assert_eq!(result(&fixture.call("mcp__s__ask", &json!({})))["action"], "cancel");
        let asked = person.asked();
        assert_eq!(asked.len(), 3);
        assert_eq!((asked[0].server.as_str(), asked[0].tools.as_slice()), ("s", ["ask".to_owned()].as_slice()));
        assert!(asked[0].message.starts_with("Who are you?"), "{:?}", asked[0]);
        let QuestionKind::Form(fields) = &asked[0].kind else { panic!("a form: {:?}", asked[0]) };
        let names: Vec<&str> = fields.iter().map(|field: &Field| field.name.as_str()).collect();
        assert_eq!(names, ["name", "age", "admin", "colour", "days"], "in the order of the server");
        assert!(matches!(fields[4].kind, FieldKind::Many { .. }) && fields[1].default == Some(json!(7)), "{fields:?}");
    }
}

#[test]
fn without_a_person_a_server_is_told_that_nobody_can_be_asked() {
    if !has_python() {
        return;
    }
    let fixture = Fixture::new([server("old", &["asks"]), server("new", &["asks", "new"])]);
    assert_eq!(result(&fixture.call("mcp__old__ask", &json!({})))["action"], "cancel");
    let refused = fixture.call("mcp__new__ask", &json!({}));
    assert!(error(&refused).contains("no person can be asked"), "{refused}");
}

#[test]
fn an_answer_that_the_form_does_not_allow_is_not_sent() {
    if !has_python() {
        return;
    }
    let person = Person::new([values(&json!({ "name": "", "admin": true })), values(&json!({ "extra": 1 }))]);
    let fixture = Fixture::answering([server("s", &["asks"])], &person.answering());
    for _ in 0..2 {
        assert_eq!(result(&fixture.call("mcp__s__ask", &json!({})))["action"], "cancel");
    }
}

#[test]
fn a_secret_in_an_answer_is_sent_only_after_another_question() {
    if !has_python() {
        return;
    }
    let secret = values(&json!({ "name": "hunter2hunter2", "admin": true }));
    let person = Person::new([secret.clone(), Answer::Decline, secret, Answer::yes()]);
    let fixture = Fixture::answering([server("s", &["asks"])], &person.answering());
    assert_eq!(result(&fixture.call("mcp__s__ask", &json!({})))["action"], "decline");
    let sent = result(&fixture.call("mcp__s__ask", &json!({})));
    assert_eq!(
        (&sent["action"], &sent["content"]["name"]),
        (&json!("accept"), &json!("[secret]")),
        "the result is redacted"
    );
    assert_eq!(person.asked()[1].kind, QuestionKind::Secret(vec!["name".to_owned()]));
}

#[test]
fn an_address_is_shown_whole_and_a_call_that_needs_it_is_made_again() {
    if !has_python() {
        return;
    }
    for behaviours in [["asks", "old"], ["asks", "new"]] {
        let person = Person::new([Answer::yes(), Answer::yes()]);
        let fixture = Fixture::answering([server("s", &behaviours)], &person.answering());
        let accepted = result(&fixture.call("mcp__s__ask-address", &json!({})));
        assert_eq!((&accepted["action"], accepted.get("content")), (&json!("accept"), None));
        assert_eq!(fixture.call("mcp__s__needs-address", &json!({})), json!("opened"));
        for question in person.asked() {
            let QuestionKind::Address(address) = &question.kind else { panic!("an address: {question:?}") };
            assert_eq!(
                (&*address.domain, &*address.url),
                ("xn--exmple-cua.com", "https://xn--exmple-cua.com/pay?id=1")
            );
            assert_eq!(question.message, "Pay here.");
        }
        assert_eq!(person.asked().len(), 2);
    }
}

#[test]
fn a_server_that_nobody_called_cannot_ask() {
    if !has_python() {
        return;
    }
    let person = Person::new([Answer::yes()]);
    let fixture = Fixture::answering([server("s", &["asks", "asks-uncalled"])], &person.answering());
    let refused = std::fs::read_to_string(fixture.note()).expect("the server has asked");
    assert!(refused.contains("no call of this client is running"), "{refused}");
    assert!(person.asked().is_empty());
}

#[test]
fn questions_are_bounded_in_number() {
    if !has_python() {
        return;
    }
    let answer = values(&json!({ "name": "Ann", "admin": false }));
    let person = Person::new(vec![answer; 100]);
    let fixture = Fixture::answering([server("old", &["asks"]), server("new", &["asks", "new"])], &person.answering());
    let last = result(&fixture.call("mcp__old__ask-again", &json!({})));
    assert!(last["error"]["message"].as_str().is_some_and(|text| text.contains("at most 20 questions")), "{last}");
    assert_eq!(person.asked().len(), 20);
    let new = fixture.call("mcp__new__ask-again", &json!({}));
    assert!(error(&new).contains("at most 10 rounds"), "{new}");
    assert_eq!(person.asked().len(), 30);
}

#[test]
fn a_question_whose_call_is_over_is_withdrawn() {
    if !has_python() {
        return;
    }
    let person = Person::new([]);
    let fixture = Fixture::answering([server("s", &["asks"])], &person.answering());
    assert_eq!(fixture.call("mcp__s__ask-and-withdraw", &json!({})), json!("never mind"));
    assert_eq!(fixture.call("mcp__s__echo", &json!({ "text": "on" })), json!("on"));
    assert_eq!(person.asked().len(), 1);
}

#[test]
fn the_time_of_a_person_does_not_count_for_the_limit_of_a_call_but_has_its_own() {
    if !has_python() {
        return;
    }
    let (mut patient, mut hasty) = (server("patient", &["asks"]), server("hasty", &["asks"]));
    patient.call_timeout = Duration::from_millis(600);
    hasty.question_timeout = Duration::from_millis(200);
    let slow = Person::slow(Duration::from_millis(900), [Answer::Decline]);
    let fixture = Fixture::answering([patient], &slow.answering());
    assert_eq!(result(&fixture.call("mcp__patient__ask", &json!({})))["action"], "decline");
    assert_eq!(fixture.call("mcp__patient__forever", &json!({}))["kind"], "timeout");
    std::thread::sleep(Duration::from_millis(500));
    assert!(fixture.note().exists(), "it is cancelled at the server");
    let fixture = Fixture::answering([hasty], &Person::new([]).answering());
    assert_eq!(result(&fixture.call("mcp__hasty__ask", &json!({})))["action"], "cancel");
}

#[test]
fn a_server_asks_the_model_only_if_it_may_and_the_person_approves() {
    if !has_python() {
        return;
    }
    let person = Person::new([Answer::yes(), Answer::yes(), Answer::yes(), Answer::Decline, Answer::Decline]);
    let mut allowed = server("allowed", &["asks"]);
    allowed.sampling = true;
    let fixture = Fixture::answering([allowed, server("other", &["asks"])], &person.answering());
    let answer = result(&fixture.call("mcp__allowed__sample", &json!({})));
    assert_eq!(answer["content"]["text"], "Be brief. Say something. 4096", "{answer}");
    assert_eq!((&answer["model"], &answer["stopReason"]), (&json!("scripted"), &json!("endTurn")));
    for _ in 0..2 {
        let refused = result(&fixture.call("mcp__allowed__sample", &json!({})));
        assert!(refused["error"]["message"].as_str().is_some_and(|text| text.contains("refused")), "{refused}");
    }
    let off = result(&fixture.call("mcp__other__sample", &json!({})));
    assert!(off["error"]["message"].as_str().is_some_and(|text| text.contains("switched off")), "{off}");
    let kinds: Vec<bool> =
        person.asked().iter().map(|question| matches!(question.kind, QuestionKind::SamplingAnswer(_))).collect();
    assert_eq!(kinds, [false, true, false, true, false]);
}

#[test]
fn structured_content_that_does_not_match_is_passed_on_with_a_note() {
    if !has_python() {
        return;
    }
    let fixture = Fixture::new([server("s", &["asks"])]);
    let wrong = fixture.call("mcp__s__wrong-output", &json!({}));
    assert_eq!(wrong["structured"], json!({ "n": "1" }));
    assert!(wrong["note"].as_str().is_some_and(|note| note.contains("does not match the output schema")), "{wrong}");
    assert_eq!(fixture.call("mcp__s__right-output", &json!({})), json!({ "n": 1 }));
    let endless = fixture.call("mcp__s__endless-output", &json!({}));
    assert!(endless["note"].as_str().is_some_and(|note| note.contains("has a cycle of references")), "{endless}");
}

#[test]
fn a_server_that_answers_everything_with_nothing_is_one_of_the_older_era() {
    if !has_python() {
        return;
    }
    let fixture = Fixture::new([server("s", &["empty-answers"])]);
    assert_eq!(fixture.report("s").protocol.as_deref(), Some("2025-11-25"), "{}", fixture.report("s"));
    assert_eq!(fixture.call("mcp__s__echo", &json!({ "text": "a" })), json!("a"));
}
