//! The `clarify` tool: asks the user.

use std::collections::BTreeSet;
use std::pin::Pin;

use toolc::{Call, ToolError};
use toolc_catalog::clarify::ClarifyTools;
use toolc_catalog::clarify::clarify::{Args, QuestionsItem, Returns, ReturnsAnswersItem, ReturnsStatus};

/// A question of a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClarifyQuestion {
    /// The question. It is text of a model: show each character of it visibly.
    pub question: String,
    /// The choices. Empty for an open question. The user can always give another answer.
    pub choices: Vec<String>,
    /// Whether several choices can be picked.
    pub multi_select: bool,
}

/// How questions were answered. If there are fewer answers than questions, they answer the first ones. Each answer has the chosen choices,
/// or a text of the user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ClarifyOutcome {
    /// The user has answered all questions.
    Answered(Vec<Vec<String>>),
    /// The user does not want to answer the other questions.
    Declined(Vec<Vec<String>>),
    /// The user has not answered the other questions within the time limit of the host.
    TimedOut(Vec<Vec<String>>),
    /// No person can be asked.
    Absent,
}

/// Asks the user. A host provides a clarifier to its sessions as a [value](toolc::SessionBuilder::value). Without one, the user is absent.
pub trait Clarifier: Send + Sync {
    /// Shows the questions, and waits for the answers up to the time limit of the host. Dropping the future withdraws the questions.
    fn ask<'a>(&'a self, questions: &'a [ClarifyQuestion])
    -> Pin<Box<dyn Future<Output = ClarifyOutcome> + Send + 'a>>;
}

/// The handler of the toolset `clarify`. It uses the [`Clarifier`] of the session.
#[derive(Debug, Clone, Copy, Default)]
pub struct ClarifyHandlers;

impl ClarifyTools for ClarifyHandlers {
    async fn clarify(&self, args: Args, call: &Call<'_>) -> Result<Returns, ToolError> {
        let questions = (1..).zip(args.questions).map(parse_question).collect::<Result<Vec<_>, _>>()?;
        let clarified = match call.value::<dyn Clarifier>() {
            Some(clarifier) => clarifier.ask(&questions).await,
            None => ClarifyOutcome::Absent,
        };
        let (status, answers, note) = match clarified {
            ClarifyOutcome::Answered(answers) => (ReturnsStatus::Answered, answers, None),
            ClarifyOutcome::Declined(answers) => {
                (ReturnsStatus::Declined, answers, Some("the user does not want to answer: do not ask this again"))
            }
            ClarifyOutcome::TimedOut(answers) => (
                ReturnsStatus::TimedOut,
                answers,
                Some("the user has not answered in time: decide by yourself if that is safe, and say what you assumed"),
            ),
            ClarifyOutcome::Absent => (
                ReturnsStatus::Absent,
                Vec::new(),
                Some("there is no person to ask: decide by yourself if that is safe, and say what you assumed"),
            ),
        };
        let answers = questions.into_iter().zip(answers);
        let answers = answers.map(|(question, answers)| ReturnsAnswersItem { question: question.question, answers });
        Ok(Returns { status, answers: answers.collect(), note: note.map(str::to_owned) })
    }
}

fn parse_question((number, item): (usize, QuestionsItem)) -> Result<ClarifyQuestion, ToolError> {
    let invalid = |problem: &str| ToolError::new(format!("question {number} {problem}. The user was not asked"));
    let question = item.question.trim().to_owned();
    if question.is_empty() {
        return Err(invalid("is blank"));
    }
    let choices: Vec<String> = item.choices.unwrap_or_default().iter().map(|choice| choice.trim().to_owned()).collect();
    if choices.iter().any(String::is_empty) {
        return Err(invalid("has a blank choice"));
    }
    if choices.len() == 1 {
        return Err(invalid("has one choice: give at least two, or none for an open question"));
    }
    if choices.iter().collect::<BTreeSet<_>>().len() < choices.len() {
        return Err(invalid("has the same choice twice"));
    }
    Ok(ClarifyQuestion { question, choices, multi_select: item.multi_select })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::json;
    use toolc::SessionBuilder;
    use toolc::testing::{Harness, TestResponse, assert_reply};

    use super::*;

    struct Fixed(ClarifyOutcome);

    impl Clarifier for Fixed {
        fn ask<'a>(&'a self, _: &'a [ClarifyQuestion]) -> Pin<Box<dyn Future<Output = ClarifyOutcome> + Send + 'a>> {
            Box::pin(std::future::ready(self.0.clone()))
        }
    }

    fn call(user: Option<ClarifyOutcome>, questions: &serde_json::Value) -> TestResponse {
        let harness = Harness::with_session(toolc_catalog::clarify::provider(ClarifyHandlers), |session| {
            let user = user.map(|clarified| Arc::new(Fixed(clarified)) as Arc<dyn Clarifier>);
            user.into_iter().fold(session, SessionBuilder::value::<dyn Clarifier>)
        });
        harness.call("clarify", json!({ "questions": questions }))
    }

    #[test]
    fn several_questions_get_their_answers() {
        let questions =
            json!([{ "question": " Which? ", "choices": ["a", "b"], "multi_select": true }, { "question": "Why?" }]);
        let answers = vec![vec!["a".to_owned(), "b".to_owned()], vec!["Because.".to_owned()]];
        assert_reply!(call(Some(ClarifyOutcome::Answered(answers.clone())), &questions), {
            "status": "answered",
            "answers": [{"question": "Which?", "answers": ["a", "b"]}, {"question": "Why?", "answers": ["Because."]}],
        });
        for (clarified, status, note) in [
            (ClarifyOutcome::Declined(answers[..1].to_vec()), "declined", "do not ask this again"),
            (ClarifyOutcome::TimedOut(answers[..1].to_vec()), "timed_out", "has not answered in time"),
        ] {
            let value = call(Some(clarified), &questions).value();
            assert_eq!((&value["status"], value["answers"].as_array().map(Vec::len)), (&json!(status), Some(1)));
            assert!(value["note"].as_str().is_some_and(|text| text.contains(note)), "{value}");
        }
    }

    #[test]
    fn a_call_without_a_user_is_answered_at_once() {
        for user in [None, Some(ClarifyOutcome::Absent)] {
            let value = call(user, &json!([{ "question": "Why?" }])).value();
            assert_eq!((&value["status"], &value["answers"]), (&json!("absent"), &json!([])));
            assert!(
                value["note"].as_str().is_some_and(|note| note.starts_with("there is no person to ask")),
                "{value}"
            );
        }
    }

    #[test]
    fn each_kind_of_bad_input_is_an_error_and_the_user_is_not_asked() {
        let ask =
            |question: serde_json::Value| call(Some(ClarifyOutcome::Absent), &json!([{ "question": "Ok?" }, question]));
        assert_reply!(ask(json!({ "question": " " })), Err(Failed, "question 2 is blank. The user was not asked"));
        assert_reply!(ask(json!({ "question": "a", "choices": ["b"] })), Err(Failed, "at least two, or none"));
        assert_reply!(ask(json!({ "question": "a", "choices": ["b", " "] })), Err(Failed, "a blank choice"));
        assert_reply!(ask(json!({ "question": "a", "choices": ["b", "b "] })), Err(Failed, "the same choice twice"));
        assert_reply!(ask(json!({ "question": "a", "choices": ["1", "2", "3", "4", "5"] })), Err(InvalidArguments, ""));
        assert_reply!(call(None, &json!([])), Err(InvalidArguments, ""));
    }
}
