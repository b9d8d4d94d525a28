//! Opens the models that the user names, such as `anthropic:NAME`, or `script:FILE` for prepared answers.

mod payer;
mod spending;
mod tokens;
mod uncounted;

use std::path::Path;

use toolc::Env;
use toolc_config::{Config, HelperModel, Words as _};
use toolc_model::{Api, Client, Key, Model, Prices, Script};

use crate::ground::error::{Error, Result};
use crate::ground::show;
use crate::ground::tell::tell;
use crate::profile::Profile;
pub(crate) use payer::Payer;
pub(crate) use spending::{LimitAsker, Passed, Reservation, Spending};
pub(crate) use tokens::Tokens;
pub(crate) use uncounted::UncountedTokens;

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
    pub(crate) fn open(main: Option<&str>, auxiliary: Option<&str>, config: &Config, env: &Env) -> Result<Self> {
        // The auxiliary model of the configuration belongs to its main model.
        let own_auxiliary = config.auxiliary_model().filter(|_| main.is_none());
        let find = |spec: Option<&str>, own: Option<&Model>| match spec {
            Some(spec) => Named::parse(spec, config).map(Some),
            None => Ok(own.cloned().map(Named::Model)),
        };
        let (main, auxiliary) = (find(main, config.main_model())?, find(auxiliary, own_auxiliary)?);
        if let Some(Named::Model(model)) = &main {
            warn_of_ignored_variables(model, env);
        }
        let main = main.map(|model| model.open(env)).transpose()?.ok_or_else(|| {
            let mut variables: Vec<&str> = Api::ALL.iter().map(|api| api.default_key_variable()).collect();
            variables.dedup();
            format!(
                "no model is set: run `toolc setup`, or pass `--model API:NAME`, where API is {}, with the key in {}. `--model \
                 script:FILE` tries an agent without a key",
                show::one_of(&Api::ALL.iter().map(|api| format!("`{}`", api.word())).collect::<Vec<_>>()),
                show::one_of(&variables),
            )
        })?;
        let auxiliary = auxiliary.map(|model| model.open(env)).transpose()?;
        let has_auxiliary = auxiliary.is_some();
        Ok(Self { auxiliary: auxiliary.unwrap_or_else(|| main.clone()), main, has_auxiliary })
    }

    /// Opens another main model, as `--model` names it. The auxiliary model stays, if it is another one.
    ///
    /// # Errors
    /// If the name is unknown, or the model cannot be opened.
    pub(crate) fn with_main(&self, spec: &str, config: &Config, env: &Env) -> Result<Self> {
        let main = Named::parse(spec, config)?.open(env)?;
        let auxiliary = if self.has_auxiliary { self.auxiliary.clone() } else { main.clone() };
        Ok(Self { main, auxiliary, has_auxiliary: self.has_auxiliary })
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
    match client(config.model_for_small_tasks()?, &profile.env()) {
        Ok(client) => Some(client),
        Err(problem) => {
            if config.mcp.servers.iter().any(|server| server.enabled && server.sampling) {
                tell!("warning: MCP servers cannot ask a model: {problem}");
            }
            None
        }
    }
}

/// Returns the help of an option that names a model.
pub(crate) fn help() -> String {
    let forms = model_forms();
    format!("The model: the name of one in config.toml, or {} with prepared answers", show::one_of(&forms))
}

/// Returns what can name a model: the models of the configuration, and the forms of others.
pub(crate) fn listed(config: &Config, now: &Model) -> String {
    let line = |name: &str, model: &Model, is_now: bool| {
        let limit = model.context_tokens.map(|tokens| format!(", {tokens} tokens of context")).unwrap_or_default();
        let prices = model.prices.as_ref().map(|Prices { input, output, .. }| format!(", {input} in, {output} out"));
        let (api, own) = (model.api.word(), show::one_line(model.name()));
        let mark = if is_now { '*' } else { ' ' };
        format!("{mark} {name:<12} {api}:{own}{limit}{}", prices.unwrap_or_default())
    };
    // A model that is not in the configuration has no name there.
    let is_now = |model: &Model| model.alias == now.alias;
    let mut lines = if config.models.iter().any(is_now) { Vec::new() } else { vec![line("", now, true)] };
    lines.extend(config.models.iter().map(|model| line(&show::one_line(&model.alias), model, is_now(model))));
    lines.push(format!(
        "`/model NAME` switches to another model: NAME is a name from the list, or {}",
        show::one_of(&model_forms())
    ));
    lines.join("\n")
}

/// Returns the beginnings of what can name a model, for completion.
pub(crate) fn beginnings(config: &Config) -> Vec<String> {
    let names = config.models.iter().map(|model| model.alias.clone());
    names.chain(Api::ALL.iter().map(|api| format!("{}:", api.word()))).collect()
}

/// Returns the forms in which options name models that are not in the configuration.
fn model_forms() -> Vec<String> {
    Api::ALL.iter().map(|api| format!("`{}:NAME`", api.word())).chain(["`script:FILE`".to_owned()]).collect()
}

/// What an option names.
enum Named {
    Model(Model),
    Script(Script),
}

impl Named {
    /// Finds what `spec` names: a model of the configuration by its name, or a model by its API. A model with the API of one in the
    /// configuration has the same server, so that nothing is sent to another one.
    fn parse(spec: &str, config: &Config) -> Result<Self> {
        if let Some(model) = config.model(spec) {
            return Ok(Self::Model(model.clone()));
        }
        let unknown = || unknown_model(spec, config);
        let (api, name) = spec.split_once(':').filter(|(_, name)| !name.is_empty()).ok_or_else(unknown)?;
        if api == "script" {
            return Ok(Self::Script(Script::read(Path::new(name))?));
        }
        let api = Api::from_word(api).ok_or_else(unknown)?;
        let with_same_api = config.main_model().into_iter().chain(&config.models).find(|model| model.api == api);
        Ok(Self::Model(with_same_api.map_or_else(|| Model::new(api, name), |model| model.on_same_server(name))))
    }

    fn open(self, env: &Env) -> Result<Client> {
        match self {
            Self::Model(model) => client(&model, env),
            Self::Script(script) => Ok(Client::scripted(script)),
        }
    }
}

/// Returns the error about a name that no model has.
fn unknown_model(spec: &str, config: &Config) -> String {
    let names: Vec<String> = config.models.iter().map(|model| format!("`{}`", model.alias)).collect();
    let forms = show::one_of(&model_forms());
    if names.is_empty() {
        return format!("unknown model `{spec}`: expected {forms}");
    }
    let nearest = toolc::suggest::nearest(spec, config.models.iter().map(|model| &*model.alias));
    let hint = toolc::suggest::did_you_mean(&nearest).map(|hint| format!("{hint} ")).unwrap_or_default();
    format!(
        "unknown model `{spec}`: {hint}the models of config.toml are {}; other models are {forms}",
        names.join(", ")
    )
}

/// Prints which variables do not change the server of the main model, although they do so in other programs.
fn warn_of_ignored_variables(model: &Model, env: &Env) {
    let has_address = model.base_url.as_deref().is_some_and(|url| !url.trim().is_empty());
    let names = model.api.ignored_variables(has_address, |name| env.var(name));
    if names.is_empty() {
        return;
    }
    let (names, variable) = (names.join(", "), model.api.address_variable());
    let instead = if has_address {
        "`base_url` of the model counts".to_owned()
    } else {
        format!("the server of a model is set by `base_url` or {variable}")
    };
    tell!("warning: {names} changes nothing: {instead}");
}

/// Returns a model with the address that the variable of its vendor has, such as `OPENAI_BASE_URL`, unless the model has an address itself.
///
/// # Errors
/// If the variable holds something else.
fn with_address_of_variable(model: &Model, env: &Env) -> Result<Model> {
    let mut model = model.clone();
    if model.base_url.as_deref().is_none_or(|url| url.trim().is_empty())
        && let Some((variable, url)) = model.api.other_base_url(|variable| env.var(variable))
    {
        if !["http://", "https://"].iter().any(|scheme| url.starts_with(scheme)) {
            let text = format!(
                "the variable `{variable}` holds no address: write it as `http://localhost:8000/v1`, or unset it"
            );
            return Err(Error::Invalid(text));
        }
        model.base_url = Some(url);
        // A server at another address may need no key.
        if model.key_variable.is_none() && env.var(model.api.default_key_variable()).is_none() {
            model.key_variable = Some(String::new());
        }
    }
    Ok(model)
}

/// Returns the client of a model.
pub(crate) fn client(model: &Model, env: &Env) -> Result<Client> {
    let model = with_address_of_variable(model, env)?;
    let key = |variable: &str| {
        let missing =
            || format!("the key of the model {} is missing: set the environment variable `{variable}`", model.name());
        env.var(variable).filter(|key| !key.trim().is_empty()).map(Key::new).ok_or_else(missing)
    };
    let key = model.key_variable().map(key).transpose()?;
    Ok(Client::new(model, key))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_is_opened_by_its_api_and_name() {
        let env =
            Env::empty().with_var("ANTHROPIC_API_KEY", "sk-1").with_var("OPENAI_BASE_URL", "http://localhost:1/v1/");
        let config = Config::default();
        let open = |spec| Named::parse(spec, &config).and_then(|model| model.open(&env));
        let anthropic = open("anthropic:claude-x:beta").expect("a valid name");
        assert_eq!(*anthropic.model(), Model::new(Api::Anthropic, "claude-x:beta"));
        let local = open("chat:m").expect("a server at another address needs no key");
        assert_eq!((local.model().base_url(), local.model().key_variable()), ("http://localhost:1/v1", None));
        let configured = |base_url: Option<&str>, key_variable: Option<&str>| {
            let own = |text: Option<&str>| text.map(ToOwned::to_owned);
            let model = Model {
                base_url: own(base_url),
                key_variable: own(key_variable),
                ..Model::new(Api::ChatCompletions, "m")
            };
            client(&model, &env.clone().with_var("MY_KEY", "k")).map(|client| client.model().base_url().to_owned())
        };
        for (base_url, key_variable, expected) in [
            (None, None, "http://localhost:1/v1"),
            (Some(" "), None, "http://localhost:1/v1"),
            (None, Some("MY_KEY"), "http://localhost:1/v1"),
            (None, Some(""), "http://localhost:1/v1"),
            (Some("http://own:2/v1"), Some("MY_KEY"), "http://own:2/v1"),
        ] {
            let found = configured(base_url, key_variable).expect("a model with an address");
            assert_eq!(found, expected, "{base_url:?} {key_variable:?}");
        }
        for no_address in ["localhost:1/v1", "not a url"] {
            let env = env.clone().with_var("OPENAI_BASE_URL", no_address);
            let error = client(&Model::new(Api::ChatCompletions, "m"), &env).map(drop).expect_err("no address");
            assert!(error.to_string().contains("the variable `OPENAI_BASE_URL` holds no address"), "{error}");
        }
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
        let none = Models::open(None, None, &config, &env).map(drop);
        let error = none.expect_err("no model is named").to_string();
        assert!(
            error
                .contains("with the key in ANTHROPIC_API_KEY, OPENAI_API_KEY or GEMINI_API_KEY. `--model script:FILE`"),
            "{error}"
        );
    }

    #[test]
    fn a_model_of_the_configuration_is_found_by_its_name_and_others_keep_the_server_of_its_api() {
        let model = |alias: &str, api: Api, url: &str| Model {
            alias: alias.to_owned(),
            base_url: Some(url.to_owned()),
            key_variable: Some(String::new()),
            context_tokens: Some(8_000),
            ..Model::new(api, "m")
        };
        let models = vec![
            model("fast", Api::ChatCompletions, "http://fast:1/v1"),
            model("main", Api::ChatCompletions, "http://main:1/v1"),
            model("claude", Api::Anthropic, "http://claude:1"),
        ];
        let config = Config { models, ..Config::default() };
        let found = |spec: &str| match Named::parse(spec, &config) {
            Ok(Named::Model(model)) => (model.name().to_owned(), model.base_url().to_owned(), model.context_tokens),
            Ok(Named::Script(_)) => panic!("{spec} is a script"),
            Err(error) => panic!("{error}"),
        };
        assert_eq!(found("fast"), ("m".to_owned(), "http://fast:1/v1".to_owned(), Some(8_000)));
        assert_eq!(found("chat:other"), ("other".to_owned(), "http://main:1/v1".to_owned(), None));
        assert_eq!(found("anthropic:x"), ("x".to_owned(), "http://claude:1".to_owned(), None));
        assert_eq!(found("gemini:x").1, Model::new(Api::Gemini, "x").base_url());
        let error = Named::parse("fats", &config).map(drop).expect_err("an unknown name").to_string();
        let expected = "unknown model `fats`: did you mean `fast`? the models of config.toml are `fast`, `main`, `claude`; other models";
        assert!(error.starts_with(expected), "{error}");
    }
}
