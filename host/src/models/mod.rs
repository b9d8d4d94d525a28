//! Opens the models that the user names, such as `anthropic:NAME`, or `script:FILE` for prepared answers.

mod tokens;

use std::path::Path;

use toolc::Env;
use toolc_config::{HelperModel, Words as _};
use toolc_model::{Api, Client, Key, Limits, Prices, Script, Settings};

use crate::ground::error::Result;
use crate::ground::show;
use crate::profile::Profile;
pub(crate) use tokens::{Tokens, UncountedTokens};

/// A model, as the configuration describes it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ModelConfig {
    pub(crate) api: Api,
    pub(crate) model: String,
    pub(crate) base_url: String,
    /// The environment variable that holds the key, or `None` if the server needs none.
    pub(crate) key_variable: Option<String>,
    pub(crate) context_tokens: Option<u64>,
    pub(crate) max_output_tokens: Option<u32>,
    pub(crate) prices: Option<Prices>,
    pub(crate) limits: Limits,
}

impl From<&toolc_config::Model> for ModelConfig {
    fn from(model: &toolc_config::Model) -> Self {
        Self {
            api: model.api,
            model: model.model.clone(),
            base_url: model.base_url.clone(),
            key_variable: model.key_variable.clone(),
            context_tokens: model.context_tokens.map(u64::from),
            max_output_tokens: model.max_output_tokens,
            prices: model.prices.map(|prices| Prices {
                input: prices.input,
                cached: Some(prices.cached_input),
                cache_writes: Some(prices.cache_writes),
                output: prices.output,
            }),
            limits: Limits { idle: model.timeout, retries: model.retries, ..Limits::default() },
        }
    }
}

/// The models of an agent.
#[derive(Debug, Clone)]
pub(crate) struct Models {
    pub(crate) main: Client,
    /// The model for summaries and second opinions.
    pub(crate) auxiliary: Client,
    /// Whether the auxiliary model differs from the main model.
    pub(crate) has_auxiliary: bool,
}

impl Models {
    /// Opens the models that the options name, or the models of the configuration.
    ///
    /// # Errors
    /// Returns an error if no model is named, or a model cannot be opened.
    pub(crate) fn open(
        main: Option<&str>,
        auxiliary: Option<&str>,
        configured: (Option<&ModelConfig>, Option<&ModelConfig>),
        env: &Env,
    ) -> Result<Self> {
        let open_optional = |spec: Option<&str>, config: Option<&ModelConfig>| match (spec, config) {
            (Some(spec), _) => open(spec, env).map(Some),
            (None, Some(config)) => client(config, env).map(Some),
            (None, None) => Ok(None),
        };
        let main = open_optional(main, configured.0)?.ok_or_else(|| {
            let mut variables: Vec<&str> = Api::ALL.iter().map(|api| api.default_key_variable()).collect();
            variables.dedup();
            format!(
                "no model is set: run `toolc setup`, or pass `--model API:NAME`, where API is {}, with the key in {}. `--model \
                 script:FILE` tries an agent without a key",
                show::one_of(&Api::ALL.iter().map(|api| format!("`{}`", api.word())).collect::<Vec<_>>()),
                show::one_of(&variables),
            )
        })?;
        let auxiliary = open_optional(auxiliary, configured.1)?;
        let has_auxiliary = auxiliary.is_some();
        Ok(Self { auxiliary: auxiliary.unwrap_or_else(|| main.clone()), main, has_auxiliary })
    }

    /// Returns placeholders for commands that run no turn.
    pub(crate) fn none() -> Self {
        let none = Client::scripted(Script::default());
        Self { main: none.clone(), auxiliary: none, has_auxiliary: false }
    }

    /// Returns models for a helper, which has its own executor.
    pub(crate) fn for_helper(&self, model: HelperModel) -> Self {
        let main = match model {
            HelperModel::Main => &self.main,
            HelperModel::Auxiliary => &self.auxiliary,
        };
        let main = main.for_other_executor();
        let auxiliary = if self.has_auxiliary { self.auxiliary.for_other_executor() } else { main.clone() };
        Self { main, auxiliary, has_auxiliary: self.has_auxiliary }
    }

    /// Returns models for another conversation.
    pub(crate) fn for_new_conversation(&self) -> Self {
        let main = self.main.for_new_conversation();
        let auxiliary = if self.has_auxiliary { self.auxiliary.for_new_conversation() } else { main.clone() };
        Self { main, auxiliary, has_auxiliary: self.has_auxiliary }
    }
}

/// Returns the model that works for tools and MCP servers: the auxiliary model of the profile, or its main model. If it cannot
/// be opened and a server may ask it, prints a warning.
pub(crate) fn for_tools(profile: &Profile) -> Option<Client> {
    let config = profile.config();
    let model = config.auxiliary_model.as_ref().or(config.main_model.as_ref()).map(ModelConfig::from)?;
    match client(&model, &profile.env()) {
        Ok(client) => Some(client),
        Err(problem) => {
            if config.mcp_servers.iter().any(|server| server.enabled && server.sampling) {
                eprintln!("warning: MCP servers cannot ask a model: {problem}");
            }
            None
        }
    }
}

/// Returns the help of an option that names a model.
pub(crate) fn help() -> String {
    format!("The model: {} with prepared answers", show::one_of(&model_forms()))
}

/// Returns the forms in which options name models.
fn model_forms() -> Vec<String> {
    Api::ALL.iter().map(|api| format!("`{}:NAME`", api.word())).chain(["`script:FILE`".to_owned()]).collect()
}

/// Opens the model that `spec` names.
fn open(spec: &str, env: &Env) -> Result<Client> {
    let unknown = || format!("unknown model `{spec}`: expected {}", show::one_of(&model_forms()));
    let (api, name) = spec.split_once(':').filter(|(_, name)| !name.is_empty()).ok_or_else(unknown)?;
    if api == "script" {
        return Ok(Client::scripted(Script::read(Path::new(name))?));
    }
    let api = Api::from_word(api).ok_or_else(unknown)?;
    let other_url = api.other_base_url(|variable| env.var(variable));
    let has_other_url = other_url.is_some();
    let key_variable = api.default_key_variable();
    let config = ModelConfig {
        api,
        model: name.to_owned(),
        base_url: other_url.unwrap_or_else(|| api.default_base_url().to_owned()),
        // A server at another address may need no key.
        key_variable: (!has_other_url || env.var(key_variable).is_some()).then(|| key_variable.to_owned()),
        context_tokens: None,
        max_output_tokens: None,
        prices: None,
        limits: Limits::default(),
    };
    client(&config, env)
}

/// Returns the client of a model.
pub(crate) fn client(config: &ModelConfig, env: &Env) -> Result<Client> {
    let key = |variable: &String| {
        let missing =
            || format!("the key of the model {} is missing: set the environment variable `{variable}`", config.model);
        env.var(variable).filter(|key| !key.trim().is_empty()).map(Key::new).ok_or_else(missing)
    };
    Ok(Client::new(Settings {
        api: config.api,
        base_url: config.base_url.clone(),
        model: config.model.clone(),
        key: config.key_variable.as_ref().map(key).transpose()?,
        context_tokens: config.context_tokens,
        max_output_tokens: config.max_output_tokens,
        prices: config.prices,
        limits: config.limits,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_is_opened_by_its_api_and_name() {
        let env =
            Env::empty().with_var("ANTHROPIC_API_KEY", "sk-1").with_var("OPENAI_BASE_URL", "http://localhost:1/v1/");
        let open = |spec| open(spec, &env);
        let anthropic = open("anthropic:claude-x:beta").expect("a valid name");
        let settings = anthropic.settings();
        assert_eq!((settings.api, &*settings.model, settings.key.is_some()), (Api::Anthropic, "claude-x:beta", true));
        let local = open("chat:m").expect("a server at another address needs no key");
        assert_eq!((&*local.settings().base_url, local.settings().key.is_some()), ("http://localhost:1/v1", false));
        for (spec, message) in [
            ("gemini:m", "set the environment variable `GEMINI_API_KEY`"),
            ("claude", "expected `anthropic:NAME`, `chat:NAME`"),
            ("mistral:m", "unknown model `mistral:m`"),
            ("chat:", "unknown model `chat:`"),
            ("script:/no/such/file", "failed to read the script /no/such/file"),
        ] {
            let error = open(spec).map(drop).expect_err("an invalid model");
            assert!(error.to_string().contains(message), "{error}");
        }
        let none = Models::open(None, None, (None, None), &env).map(drop);
        let error = none.expect_err("no model is named").to_string();
        assert!(
            error
                .contains("with the key in ANTHROPIC_API_KEY, OPENAI_API_KEY or GEMINI_API_KEY. `--model script:FILE`"),
            "{error}"
        );
    }
}
