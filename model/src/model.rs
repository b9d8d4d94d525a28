//! A model: the table of keys with which a configuration describes it, and its values.

use toolc::Dialect;
use toolc::wire::Usage;
use toolc_tables::diagnostic::At;
use toolc_tables::kinds::{Amount, Count, Duration, HasName, Required, Table, Text, WholeNumber, Word};
use toolc_tables::{HasValues as _, Reader, defaults, table};

use crate::api::Api;
use crate::dialect::ModelDialect;

table! {
    /// A language model.
    pub struct ModelTable as Model {
        /// The API of the server.
        api: Required<Word<Api>>,
        /// The name of the model, as the server expects it.
        model: Required<Text>,
        /// The address of the API, such as `http://localhost:8000/v1`. Default: that of the vendor's variable, such as `OPENAI_BASE_URL`, or the vendor's own.
        base_url: Text,
        /// The name of the environment variable that holds the key, usually set in `.env`. Default: that of the vendor. Empty if the
        /// server needs no key.
        key_variable: Text,
        /// The dialect of the definitions of tools, one that fits the API: `portable` for llama.cpp and other servers that refuse much of
        /// JSON Schema. Default: that of the API.
        dialect: Word<ModelDialect>,
        /// The number of tokens that the model can read and write in one request. Default: unknown. A conversation is summarised only if it is known, or if the server refuses a request as too long.
        context_tokens: Count,
        /// The maximum number of tokens that the model writes in one response. Default: that of the server.
        max_output_tokens: Count,
        /// The maximum time until an answer begins, with all repetitions of the request. One try may take half of it.
        answer_timeout: Duration = "10m",
        /// The maximum time without any data, after an answer has begun.
        timeout: Duration = "2m",
        /// The number of times that a failed request is repeated, with longer and longer pauses. If a server cannot be reached, at most 4 times.
        retries: WholeNumber = 8,
        /// The prices for a million tokens, from which the cost of a session is computed. Default: no cost is shown.
        prices: Table<PricesTable>,
    } with {
        /// The name in the configuration, such as `main`. Empty for a model that is not in it.
        alias: At<String> = Reader::table_name,
    }
}

impl HasName for ModelTable {
    fn name(&self) -> &str {
        &self.alias.value
    }
}

table! {
    /// The prices of a model, each for a million tokens.
    pub struct PricesTable as Prices {
        /// The price of a million tokens of input.
        input: Required<Amount>,
        /// The price of a million tokens of output.
        output: Required<Amount>,
        /// The price of a million tokens of input that the server had in its cache. Default: `input`.
        cached_input: Amount,
        /// The price of a million tokens of input that the server writes to its cache. Default: `input`.
        cache_writes: Amount,
    }
}

impl Model {
    /// Returns a model of the vendor's own server.
    pub fn new(api: Api, name: impl Into<String>) -> Self {
        let (api, model) = (Some(At::nowhere(api)), Some(At::nowhere(name.into())));
        let table = ModelTable { api, model, ..defaults() };
        table.values().unwrap_or_else(|| unreachable!("the required keys are `api` and `model`"))
    }

    /// Returns another model of the same server: with its API, address, key, time limits and dialect, and without what is known about the
    /// model itself.
    #[must_use]
    pub fn on_same_server(&self, name: impl Into<String>) -> Self {
        Self {
            model: name.into(),
            alias: String::new(),
            context_tokens: None,
            max_output_tokens: None,
            prices: None,
            ..self.clone()
        }
    }

    /// Returns the name of the model, without the white space around it.
    pub fn name(&self) -> &str {
        self.model.trim()
    }

    /// Returns the address of the API, without `/` at its end.
    pub fn base_url(&self) -> &str {
        self.base_url.as_deref().map_or(self.api.default_base_url(), str::trim).trim_end_matches('/')
    }

    /// Returns the dialect of the definitions in requests.
    pub fn definitions_dialect(&self) -> Dialect {
        self.dialect.map_or(self.api.dialect(), ModelDialect::dialect)
    }

    /// Returns the name of the environment variable that holds the key, or `None` if the server needs no key.
    pub fn key_variable(&self) -> Option<&str> {
        let variable = self.key_variable.as_deref().map_or(self.api.default_key_variable(), str::trim);
        Some(variable).filter(|variable| !variable.is_empty())
    }
}

impl Prices {
    /// Returns the price of these tokens.
    #[expect(clippy::cast_precision_loss, reason = "numbers of tokens are small")]
    pub fn cost(&self, usage: Usage) -> f64 {
        let new = usage.input.saturating_sub(usage.cached + usage.cache_writes);
        let parts = [
            (new, self.input),
            (usage.cached, self.cached_input.unwrap_or(self.input)),
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
    fn a_model_has_the_server_and_the_key_of_its_vendor_unless_it_says_otherwise() {
        let vendors = Model::new(Api::Anthropic, " m ");
        assert_eq!((vendors.name(), vendors.base_url()), ("m", "https://api.anthropic.com"));
        assert_eq!(vendors.key_variable(), Some("ANTHROPIC_API_KEY"));
        let own =
            Model { base_url: Some("http://localhost:1/v1/".to_owned()), key_variable: Some(String::new()), ..vendors };
        assert_eq!((own.base_url(), own.key_variable()), ("http://localhost:1/v1", None));
    }

    #[test]
    fn another_model_of_a_server_has_its_address_and_key_and_no_limits_of_the_first() {
        let first = Model {
            base_url: Some("http://localhost:1/v1".to_owned()),
            key_variable: Some("KEY".to_owned()),
            context_tokens: Some(1_000),
            alias: "main".to_owned(),
            ..Model::new(Api::ChatCompletions, "m")
        };
        let other = first.on_same_server("n");
        assert_eq!((other.name(), other.base_url(), other.key_variable()), ("n", "http://localhost:1/v1", Some("KEY")));
        assert_eq!((other.context_tokens, &*other.alias), (None, ""));
    }

    #[test]
    fn a_model_has_the_dialect_of_its_api_unless_it_says_otherwise() {
        let model = Model::new(Api::ChatCompletions, "m");
        assert_eq!(model.definitions_dialect(), Dialect::OpenAi);
        let local = Model { dialect: Some(ModelDialect::Portable), ..model };
        assert_eq!(local.definitions_dialect(), Dialect::Portable);
    }

    #[test]
    fn a_price_counts_each_token_once() {
        let mut usage = Usage::default();
        (usage.input, usage.cached, usage.cache_writes, usage.output) = (1_000_000, 500_000, 100_000, 10_000);
        let prices = Prices { input: 3.0, cached_input: Some(0.3), cache_writes: Some(3.75), output: 15.0 };
        let cost = prices.cost(usage);
        assert!((cost - (0.4 * 3.0 + 0.5 * 0.3 + 0.1 * 3.75 + 0.01 * 15.0)).abs() < 1e-9, "{cost}");
        let plain = Prices { cached_input: None, cache_writes: None, ..prices };
        assert!((plain.cost(usage) - 3.15).abs() < 1e-9);
    }
}
