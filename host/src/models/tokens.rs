//! Counts the tokens of a conversation, including requests of its helpers and tools.

use serde::Serialize;
use toolc::wire::Usage;
use toolc_model::Model;

/// Numbers of tokens, and their cost.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub(crate) struct Tokens {
    pub(crate) input: u64,
    pub(crate) cached: u64,
    pub(crate) output: u64,
    /// The cost, if the configuration has prices.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) cost: Option<f64>,
}

impl Tokens {
    /// Returns the tokens that a model has reported, with their cost.
    pub(crate) fn new(usage: Option<Usage>, model: &Model) -> Self {
        let Some(usage) = usage else { return Self::default() };
        let cost = model.prices.as_ref().map(|prices| prices.cost(usage));
        Self { input: usage.input, cached: usage.cached, output: usage.output, cost }
    }

    /// Returns the tokens that were added since `before`.
    pub(crate) fn since(self, before: Self) -> Self {
        let cost = self.cost.map(|cost| cost - before.cost.unwrap_or_default());
        Self {
            input: self.input - before.input,
            cached: self.cached - before.cached,
            output: self.output - before.output,
            cost,
        }
    }

    pub(crate) fn add(&mut self, other: Self) {
        self.input += other.input;
        self.cached += other.cached;
        self.output += other.output;
        self.cost = match (self.cost, other.cost) {
            (Some(a), Some(b)) => Some(a + b),
            (a, b) => a.or(b),
        };
    }
}

impl std::fmt::Display for Tokens {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { input, cached, output, cost } = self;
        write!(f, "{input} tokens in")?;
        if *cached > 0 {
            write!(f, " ({cached} cached)")?;
        }
        write!(f, ", {output} out")?;
        match cost {
            Some(cost) => write!(f, ", cost {cost:.4}"),
            None => Ok(()),
        }
    }
}
