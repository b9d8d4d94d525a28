//! The dialects that a configuration can choose for the definitions in requests.

use toolc::{Dialect, wire};
use toolc_tables::words;

use crate::api::Api;

words! {
    /// The dialect of the definitions of tools in requests.
    pub enum ModelDialect {
        /// Chat Completions, with schemas as written.
        OpenAi = "openai",
        /// Chat Completions in strict mode.
        OpenAiStrict = "openai-strict",
        /// Chat Completions, with schemas that every server accepts, such as llama.cpp and servers in front of other vendors.
        Portable = "portable",
        /// Responses.
        OpenAiResponses = "openai-responses",
        /// Messages of Anthropic.
        Anthropic = "anthropic",
        /// Messages of Anthropic in strict mode.
        AnthropicStrict = "anthropic-strict",
        /// Gemini, with JSON Schemas.
        Gemini = "gemini",
        /// Gemini, with the subset of OpenAPI that older servers expect.
        GeminiOpenApi = "gemini-openapi",
        /// Interactions of Gemini.
        GeminiInteractions = "gemini-interactions",
    }
}

impl ModelDialect {
    /// Returns the dialect.
    pub const fn dialect(self) -> Dialect {
        match self {
            Self::OpenAi => Dialect::OpenAi,
            Self::OpenAiStrict => Dialect::OpenAiStrict,
            Self::Portable => Dialect::Portable,
            Self::OpenAiResponses => Dialect::OpenAiResponses,
            Self::Anthropic => Dialect::Anthropic,
            Self::AnthropicStrict => Dialect::AnthropicStrict,
            Self::Gemini => Dialect::Gemini,
            Self::GeminiOpenApi => Dialect::GeminiOpenApi,
            Self::GeminiInteractions => Dialect::GeminiInteractions,
        }
    }

    /// Returns whether requests to an API can contain definitions in the dialect.
    pub fn fits(self, api: Api) -> bool {
        wire::Api::from_dialect(self.dialect()) == Some(api.wire())
    }

    /// Returns the dialects that fit an API.
    pub fn of(api: Api) -> impl Iterator<Item = Self> {
        <Self as toolc_tables::Words>::ALL.iter().copied().filter(move |dialect| dialect.fits(api))
    }
}

#[cfg(test)]
mod tests {
    use toolc_tables::Words as _;

    use super::*;

    #[test]
    fn every_dialect_of_an_api_can_be_chosen_by_its_name() {
        for dialect in Dialect::ALL.iter().filter(|dialect| wire::Api::from_dialect(**dialect).is_some()) {
            assert_eq!(ModelDialect::from_word(dialect.name()).map(ModelDialect::dialect), Some(*dialect));
        }
        for api in Api::ALL {
            assert!(ModelDialect::of(*api).any(|dialect| dialect.dialect() == api.dialect()), "{api:?}");
        }
        let words: Vec<&str> = ModelDialect::of(Api::ChatCompletions).map(ModelDialect::word).collect();
        assert_eq!(words, ["openai", "openai-strict", "portable"]);
    }
}
