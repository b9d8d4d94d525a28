//! Counts the tokens of requests that helpers and tools make for a conversation.

use std::sync::{Arc, Mutex, PoisonError};

use toolc::wire::ModelResponse;
use toolc_model::{Client, Model};

use super::spending::{LimitAsker, Reservation, Spending};
use super::tokens::Tokens;

/// Tokens of helpers, second opinions, tool summaries and MCP servers that are not yet counted in the conversation. Clones share the counter.
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

    /// Waits until a request with these tokens may be sent, if the conversation has a budget. `person` may raise its limits.
    ///
    /// # Errors
    /// Returns which limit the request would pass.
    pub(super) async fn reserve(
        &self,
        model: &Model,
        expected: Tokens,
        person: Option<&dyn LimitAsker>,
    ) -> Result<Option<Reservation>, String> {
        match &self.spending {
            Some(spending) => spending.reserve(model, expected, person).await.map(Some),
            None => Ok(None),
        }
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
