//! The conversation in which the requests that MCP servers make to the model are counted.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use toolc::wire::{ModelResponse, Usage};
use toolc_model::{Client, Model};

use super::spending::{LimitAsker, Reservation};
use super::tokens::Tokens;
use super::uncounted::UncountedTokens;

/// The conversation of this process that pays for requests of MCP servers: a server asks during a call, and does not say whose call it is.
/// Clones share the conversation. Without one, as in `toolc call`, nothing is counted.
#[derive(Clone, Default)]
pub(crate) struct Payer(Arc<Mutex<Option<Conversation>>>);

#[derive(Clone)]
struct Conversation {
    uncounted: UncountedTokens,
    person: Option<Arc<dyn LimitAsker>>,
}

impl Payer {
    /// Sets the conversation, and who may raise its limits.
    pub(crate) fn set(&self, uncounted: UncountedTokens, person: Option<Arc<dyn LimitAsker>>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(Conversation { uncounted, person });
    }

    /// Waits until a request may be sent, with so many bytes of text and an answer of at most so many tokens.
    ///
    /// # Errors
    /// Returns which limit of the budget the request would pass.
    pub(crate) async fn reserve(
        &self,
        model: &Model,
        bytes: usize,
        max_tokens: u32,
    ) -> Result<Option<Reservation>, String> {
        let Some(Conversation { uncounted, person }) = self.conversation() else { return Ok(None) };
        let mut usage = Usage::default();
        (usage.input, usage.output) = ((bytes / BYTES_PER_TOKEN) as u64, max_tokens.into());
        uncounted.reserve(model, Tokens::new(Some(usage), model), person.as_deref()).await
    }

    /// Adds the tokens of an answer of `model`.
    pub(crate) fn add_answer(&self, model: &Client, answer: &ModelResponse) {
        if let Some(conversation) = self.conversation() {
            conversation.uncounted.add_answer(model, answer);
        }
    }

    fn conversation(&self) -> Option<Conversation> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// About so many bytes of text are one token.
const BYTES_PER_TOKEN: usize = 4;

impl fmt::Debug for Payer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Payer").finish_non_exhaustive()
    }
}
