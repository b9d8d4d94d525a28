//! The providers of models that `setup` knows: vendors, and servers of this machine.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use toolc_model::{Api, Model, ModelDialect};

/// Where a provider is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// At this address, or if it is empty, at that of the API.
    Internet(&'static str),
    /// On this port of this machine, unless the person names another address.
    ThisMachine(u16),
    /// The person names the address.
    Anywhere,
}

/// A provider of models.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Provider {
    /// The name in answers and options.
    pub(super) word: &'static str,
    /// The name for people.
    pub(super) title: &'static str,
    pub(super) api: Api,
    pub(super) place: Place,
    /// The variable of its key.
    pub(super) key_variable: &'static str,
    pub(super) dialect: Option<ModelDialect>,
}

const fn vendor(word: &'static str, title: &'static str, api: Api) -> Provider {
    Provider { word, title, api, place: Place::Internet(""), key_variable: api.default_key_variable(), dialect: None }
}

const fn compatible(word: &'static str, title: &'static str, place: Place, key_variable: &'static str) -> Provider {
    Provider { word, title, api: Api::ChatCompletions, place, key_variable, dialect: None }
}

/// The providers, in the order of the menu.
pub(super) const PROVIDERS: &[Provider] = &[
    vendor("anthropic", "Anthropic", Api::Anthropic),
    vendor("openai", "OpenAI (Responses API)", Api::Responses),
    vendor("gemini", "Google Gemini", Api::Gemini),
    compatible("openrouter", "OpenRouter", Place::Internet("https://openrouter.ai/api/v1"), "OPENROUTER_API_KEY"),
    compatible("deepseek", "DeepSeek", Place::Internet("https://api.deepseek.com/v1"), "DEEPSEEK_API_KEY"),
    compatible("groq", "Groq", Place::Internet("https://api.groq.com/openai/v1"), "GROQ_API_KEY"),
    compatible("mistral", "Mistral", Place::Internet("https://api.mistral.ai/v1"), "MISTRAL_API_KEY"),
    compatible("xai", "xAI", Place::Internet("https://api.x.ai/v1"), "XAI_API_KEY"),
    compatible("ollama", "Ollama", Place::ThisMachine(11_434), "OLLAMA_API_KEY"),
    compatible("lmstudio", "LM Studio", Place::ThisMachine(1_234), "LM_STUDIO_API_KEY"),
    compatible("vllm", "vLLM", Place::ThisMachine(8_000), "VLLM_API_KEY"),
    Provider {
        // It refuses much of JSON Schema.
        dialect: Some(ModelDialect::Portable),
        ..compatible("llamacpp", "llama.cpp", Place::ThisMachine(8_080), "LLAMA_API_KEY")
    },
    compatible("other", "another server with Chat Completions", Place::Anywhere, "MODEL_API_KEY"),
];

/// Returns the parser of an option that names a provider.
pub(super) fn parser() -> impl TypedValueParser<Value = &'static Provider> {
    let known = PROVIDERS.iter().map(|provider| PossibleValue::new(provider.word).help(provider.title));
    PossibleValuesParser::new(known).try_map(|word| find(&word).ok_or("it is not a known provider"))
}

/// Returns the provider with this name.
pub(super) fn find(word: &str) -> Option<&'static Provider> {
    PROVIDERS.iter().find(|provider| provider.word.eq_ignore_ascii_case(word))
}

impl Provider {
    /// Returns the address that it has unless the person names another one. `None` stands for that of its API.
    pub(super) fn base_url(&self) -> Option<String> {
        match self.place {
            Place::Internet("") | Place::Anywhere => None,
            Place::Internet(url) => Some(url.to_owned()),
            Place::ThisMachine(port) => Some(local_url(port)),
        }
    }

    /// Returns whether it always wants a key. Servers of one's own usually want none.
    pub(super) fn needs_key(&self) -> bool {
        matches!(self.place, Place::Internet(_))
    }

    /// Returns a model of the provider at an address. Without `has_key`, requests have no key.
    pub(super) fn model(&self, base_url: Option<String>, key_variable: Option<&str>, has_key: bool) -> Model {
        let variable = key_variable.unwrap_or(self.key_variable);
        let is_default = variable == self.api.default_key_variable() && has_key;
        let key_variable = if has_key { variable } else { "" };
        Model {
            base_url,
            key_variable: (!is_default).then(|| key_variable.to_owned()),
            dialect: self.dialect,
            ..Model::new(self.api, "unknown")
        }
    }
}

/// Returns the address of a server of this machine.
pub(super) fn local_url(port: u16) -> String {
    format!("http://127.0.0.1:{port}/v1")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_provider_has_a_name_an_address_and_a_variable_of_its_own() {
        for (at, provider) in PROVIDERS.iter().enumerate() {
            assert_eq!(find(provider.word), Some(provider));
            assert!(toolc_config::is_name(provider.key_variable), "{provider:?}");
            let others = || PROVIDERS[..at].iter();
            assert!(others().all(|other| other.key_variable != provider.key_variable), "{provider:?}");
            let is_vendor = provider.place == Place::Internet("");
            let is_of_vendor = provider.key_variable == provider.api.default_key_variable();
            // A key of a vendor is sent to no other server.
            assert_eq!(is_vendor, is_of_vendor, "{provider:?}");
            assert!(provider.base_url().is_none_or(|url| url.starts_with("https://") || !provider.needs_key()));
        }
    }

    #[test]
    fn a_model_says_only_what_differs_from_its_api() {
        let written = |word: &str, has_key: bool| {
            let provider = find(word).expect("it is known");
            let model = provider.model(provider.base_url(), None, has_key);
            (model.base_url, model.key_variable)
        };
        let text = |text: &str| Some(text.to_owned());
        assert_eq!(written("anthropic", true), (None, None));
        assert_eq!(written("groq", true), (text("https://api.groq.com/openai/v1"), text("GROQ_API_KEY")));
        assert_eq!(written("ollama", false), (text("http://127.0.0.1:11434/v1"), text("")));
    }
}
