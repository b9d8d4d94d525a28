//! The settings of a client.

use std::time::Duration;

use toolc::wire::Usage;

use crate::api::Api;
use crate::key::Key;

/// The settings of a client: its server, its model and the limits.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The API of the server.
    pub api: Api,
    /// The address of the server, such as [`Api::default_base_url`].
    pub base_url: String,
    /// The name of the model.
    pub model: String,
    /// The key, unless the server needs none.
    pub key: Option<Key>,
    /// The size of the context in tokens, if it is known.
    pub context_tokens: Option<u64>,
    /// The maximum number of tokens of an answer. `None` is the server's default, or 16,384 for Anthropic, whose API requires a limit.
    pub max_output_tokens: Option<u32>,
    /// The prices of tokens, if they are known.
    pub prices: Option<Prices>,
    /// The limits of a request.
    pub limits: Limits,
}

/// The limits of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The maximum time to connect.
    pub connect: Duration,
    /// The maximum time until the answer begins. Models that think may send nothing for minutes.
    pub first_byte: Duration,
    /// The maximum time between two parts of a stream.
    pub idle: Duration,
    /// The maximum time of one try, from the request to the end of the answer.
    pub total: Duration,
    /// The maximum number of retries after [transient](crate::ModelError::is_transient) failures.
    pub retries: u32,
    /// The time before the first retry. It doubles with each further retry, and varies at random between half of it and all of it.
    pub first_delay: Duration,
    /// The maximum time before a retry. If a server asks to wait longer, the request fails.
    pub max_delay: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(15),
            first_byte: Duration::from_mins(5),
            idle: Duration::from_mins(2),
            total: Duration::from_mins(15),
            retries: 4,
            first_delay: Duration::from_millis(500),
            max_delay: Duration::from_mins(1),
        }
    }
}

/// The prices of a million tokens, in any currency.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Prices {
    /// Tokens of requests.
    pub input: f64,
    /// Tokens of requests that are read from the vendor's cache. Default: the price of `input`.
    pub cached: Option<f64>,
    /// Tokens of requests that are written to the vendor's cache. Default: the price of `input`.
    pub cache_writes: Option<f64>,
    /// Tokens of answers.
    pub output: f64,
}

impl Prices {
    /// Returns the price of these tokens.
    #[expect(clippy::cast_precision_loss, reason = "numbers of tokens are small")]
    pub fn cost(&self, usage: Usage) -> f64 {
        let new = usage.input.saturating_sub(usage.cached + usage.cache_writes);
        let parts = [
            (new, self.input),
            (usage.cached, self.cached.unwrap_or(self.input)),
            (usage.cache_writes, self.cache_writes.unwrap_or(self.input)),
            (usage.output, self.output),
        ];
        parts.iter().map(|(tokens, price)| *tokens as f64 * price / 1e6).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_price_counts_each_token_once() {
        let mut usage = Usage::default();
        (usage.input, usage.cached, usage.cache_writes, usage.output) = (1_000_000, 500_000, 100_000, 10_000);
        let prices = Prices { input: 3.0, cached: Some(0.3), cache_writes: Some(3.75), output: 15.0 };
        let cost = prices.cost(usage);
        assert!((cost - (0.4 * 3.0 + 0.5 * 0.3 + 0.1 * 3.75 + 0.01 * 15.0)).abs() < 1e-9, "{cost}");
        let plain = Prices { input: 3.0, output: 15.0, ..Prices::default() };
        assert!((plain.cost(usage) - 3.15).abs() < 1e-9);
    }
}
