//! A scripted person, and a model with one answer.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use toolc_mcp::{Answer, AnswerFuture, Answering, Asker, Question, Sample, SampleFuture, SampleRequest, Sampler};

/// A person whose answers are prepared. Without one, they never answer.
#[derive(Debug, Default)]
pub(crate) struct Person {
    answers: Mutex<VecDeque<Answer>>,
    asked: Mutex<Vec<Question>>,
    /// The time that each answer takes.
    delay: Duration,
}

impl Person {
    pub(crate) fn new(answers: impl IntoIterator<Item = Answer>) -> Arc<Self> {
        Arc::new(Self { answers: Mutex::new(answers.into_iter().collect()), ..Self::default() })
    }

    /// Returns a person who takes this time for each answer.
    pub(crate) fn slow(delay: Duration, answers: impl IntoIterator<Item = Answer>) -> Arc<Self> {
        Arc::new(Self { answers: Mutex::new(answers.into_iter().collect()), delay, ..Self::default() })
    }

    /// Returns the person as the one who answers servers.
    pub(crate) fn answering(self: &Arc<Self>) -> Answering {
        Answering { asker: Some(Arc::clone(self) as Arc<dyn Asker>), sampler: Some(Arc::new(Model)) }
    }

    /// Returns the questions so far.
    pub(crate) fn asked(&self) -> Vec<Question> {
        self.asked.lock().expect("no test panics here").clone()
    }
}

impl Asker for Person {
    fn ask<'a>(&'a self, question: &'a Question) -> AnswerFuture<'a> {
        self.asked.lock().expect("no test panics here").push(question.clone());
        let answer = self.answers.lock().expect("no test panics here").pop_front();
        Box::pin(async move {
            tokio::time::sleep(self.delay).await;
            match answer {
                Some(answer) => answer,
                None => std::future::pending().await,
            }
        })
    }
}

/// A model that repeats what it was asked.
#[derive(Debug)]
pub(crate) struct Model;

impl Sampler for Model {
    fn sample<'a>(&'a self, request: &'a SampleRequest) -> SampleFuture<'a> {
        let text = format!("{} {} {}", request.system, request.messages[0].text, request.max_tokens);
        let sample = Sample { model: "scripted".to_owned(), text, is_cut_off: false };
        Box::pin(std::future::ready(Ok(sample)))
    }
}
