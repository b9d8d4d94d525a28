//! Tokens that a conversation causes in addition to those of its own requests.

use std::sync::{Arc, Mutex, PoisonError};

use toolc::wire::ModelResponse;
use toolc_model::Client;

use super::Tokens;

/// The tokens of helpers, of second opinions and of summaries that tools ask for, which their conversation has not counted yet. Clones
/// share them.
#[derive(Debug, Clone, Default)]
pub(crate) struct Spent(Arc<Mutex<Tokens>>);

impl Spent {
    pub(crate) fn add(&self, tokens: Tokens) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).add(tokens);
    }

    /// Adds the tokens of an answer of `model`.
    pub(crate) fn add_answer(&self, model: &Client, answer: &ModelResponse) {
        self.add(Tokens::new(answer.usage(), model.settings().prices));
    }

    /// Returns the tokens since the last call.
    pub(super) fn take(&self) -> Tokens {
        std::mem::take(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
