//! Counts the tokens of requests that helpers and tools make for a conversation.

use std::sync::{Arc, Mutex, PoisonError};

use toolc::wire::ModelResponse;
use toolc_model::Client;

use super::spending::Spending;
use super::tokens::Tokens;

/// Tokens of helpers, second opinions and tool summaries that are not yet counted in the conversation. Clones share the counter.
#[derive(Debug, Clone, Default)]
pub(crate) struct UncountedTokens {
    tokens: Arc<Mutex<Tokens>>,
    /// Where answers are counted at once.
    spending: Option<Arc<Spending>>,
}

impl UncountedTokens {
    /// Returns a counter, with the budget of the conversation.
    pub(crate) fn new(spending: Option<Arc<Spending>>) -> Self {
        Self { tokens: Arc::default(), spending }
    }

    /// Adds tokens that were counted in the budget before, such as those of a helper.
    pub(crate) fn add(&self, tokens: Tokens) {
        self.tokens.lock().unwrap_or_else(PoisonError::into_inner).add(tokens);
    }

    /// Adds the tokens of an answer of `model`.
    pub(crate) fn add_answer(&self, model: &Client, answer: &ModelResponse) {
        let tokens = Tokens::new(answer.usage(), model.model());
        if let Some(spending) = &self.spending {
            spending.add(tokens);
        }
        self.add(tokens);
    }

    /// Removes and returns the tokens.
    pub(crate) fn take(&self) -> Tokens {
        std::mem::take(&mut self.tokens.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
