//! The profile whose configuration a run uses: its home folder, `config.toml` and `.env`.

use std::borrow::Cow;

use serde_json::json;
use toolc::{Env, FactValue, Registry};
use toolc_cli::{App, Command, DoctorSection, Selection};
use toolc_config::{Api, Config, ConfigFile, EnvFile, Home, KnownNames, Words as _};

use crate::mcp::{self, McpServers};
use crate::stores::Stores;

/// A profile that has been read.
pub(crate) struct Profile {
    pub(crate) home: Home,
    file: ConfigFile,
    env: EnvFile,
}

/// The variable with the key of Daytona.
pub(crate) const DAYTONA_KEY: &str = "DAYTONA_API_KEY";
/// The variables with the token of Modal.
pub(crate) const MODAL_TOKEN: [&str; 2] = ["MODAL_TOKEN_ID", "MODAL_TOKEN_SECRET"];

impl Profile {
    /// Reads the configuration and the variables of a profile.
    ///
    /// # Errors
    /// If the profile does not exist, or a file cannot be read or has mistakes.
    pub(crate) fn read(home: Home) -> Result<Self, String> {
        home.check_exists()?;
        let (file, env) = (ConfigFile::read(&home)?, EnvFile::read(&home)?);
        if let Some(version) = file.migrated_from() {
            let path = home.config();
            eprintln!("note: {} was of version {version} and is now of the current one", path.display());
        }
        Ok(Self { home, file, env })
    }

    /// Returns the configuration.
    pub(crate) fn config(&self) -> &Config {
        self.file.config()
    }

    /// Returns the environment of the sessions of this profile.
    /// The keys of models and the tokens of endpoints are secret, also those in the environment of the process.
    pub(crate) fn env(&self) -> Env {
        let models = [&self.config().main_model, &self.config().auxiliary_model];
        let configured = models.into_iter().flatten().filter_map(|model| model.key_variable.as_deref());
        let tokens = self.config().mcp_endpoints.iter().flat_map(|endpoint| &endpoint.token_variables);
        let keys = Api::ALL.iter().map(|api| api.vendor_key()).chain(configured).chain(tokens.map(String::as_str));
        let keys = keys.chain([DAYTONA_KEY]).chain(MODAL_TOKEN);
        keys.fold(self.env.environment(), |env, name| match env.var(name) {
            Some(key) => env.with_secret(name, key),
            None => env,
        })
    }

    /// Returns a variable of `.env`, or else of the process.
    pub(crate) fn variable(&self, name: &str) -> Option<String> {
        self.env.environment().var(name)
    }

    /// Returns the values of facts that the configuration sets.
    pub(crate) fn facts(&self) -> Vec<(Cow<'static, str>, FactValue)> {
        let facts = self.config().facts.iter();
        facts.map(|(name, value)| (Cow::Owned(name.clone()), value.clone())).collect()
    }

    /// Checks the names of toolsets, tools and facts in the configuration. A misspelt name in `disable` would otherwise grant a tool
    /// that the user did not want.
    pub(crate) fn check_names(&self, registry: &Registry) -> Result<(), String> {
        check_names(&self.file, registry)
    }

    /// Applies the configuration to a command: its toolsets, tools and facts, where the command line does not name others. What is
    /// disabled stays disabled.
    pub(crate) fn apply_to(&self, command: &mut Command, servers: &McpServers, registry: &Registry) {
        if let Some(selection) = selection(command) {
            self.apply_to_selection(selection, servers, registry);
        }
    }

    /// Does the same for the options that choose a session.
    pub(crate) fn apply_to_selection(&self, selection: &mut Selection, servers: &McpServers, registry: &Registry) {
        let tools = &self.config().tools;
        if selection.is_empty() && !(tools.enable.is_empty() && tools.enable_tools.is_empty()) {
            selection.enable.clone_from(&tools.enable);
            selection.enable_tools.clone_from(&tools.enable_tools);
            // The configuration enables a server where it declares it.
            selection.enable.extend(servers.toolsets());
        }
        selection.disable.extend_from_slice(&tools.disable);
        selection.disable_tools.extend_from_slice(&tools.disable_tools);
        servers.remove_unregistered(selection, registry);
        // The last one of a name counts.
        selection.fact.splice(0..0, self.config().facts.iter().map(|(name, value)| format!("{name}={}", text(value))));
    }

    /// Applies the profile to the app: the variables of its sessions, the folder of long results, and what its tools need.
    pub(crate) fn apply_to_app(&self, app: App, stores: Stores) -> App {
        let app = app.env(self.env()).results_in(self.home.results(), self.config().results.keep);
        app.session(move |session| stores.apply(session))
    }

    /// Returns the section on the configuration for the report of `doctor`.
    pub(crate) fn section(&self) -> DoctorSection {
        let names: Vec<&str> = self.env.names().collect();
        let (config, env) = (self.home.config(), self.home.env());
        let state = if self.file.exists() { "" } else { " (missing: all defaults)" };
        let model = self.config().main_model.as_ref().map_or("none", |model| model.model.as_str());
        let text = format!(
            "configuration: profile {}\n    file: {}{state}\n    variables: {} in {}\n    model: {model}",
            self.home.profile(),
            config.display(),
            names.len(),
            env.display(),
        );
        let json = json!({
            "profile": self.home.profile().to_string(),
            "home": self.home.path(),
            "file": config,
            "exists": self.file.exists(),
            "variables": names,
            "model": self.config().main_model.as_ref().map(|model| &model.model),
        });
        DoctorSection { key: "configuration".to_owned(), json, text, problems: Vec::new() }
    }
}

/// Checks the names of toolsets, tools and facts in a configuration.
pub(crate) fn check_names(file: &ConfigFile, registry: &Registry) -> Result<(), String> {
    let (tools, facts) = (registry.tools(), registry.facts());
    let mut toolsets: Vec<String> = vec!["all".to_owned(), "*".to_owned()];
    for name in registry.toolsets() {
        let aliases = registry.toolset(&name).into_iter().flat_map(|toolset| toolset.declared.aliases);
        toolsets.extend(aliases.map(|alias| alias.to_string()));
        toolsets.push(name.into_owned());
    }
    let of_servers = mcp::names_of_servers(file.config());
    file.check_names(&KnownNames {
        toolsets: toolsets.iter().map(String::as_str).chain(of_servers.iter().copied()).collect(),
        tools: tools.iter().map(AsRef::as_ref).chain(of_servers.iter().copied()).collect(),
        facts: facts.iter().map(|fact| (&*fact.name, &fact.default)).collect(),
    })
}

/// Returns the options of a command that choose a session.
fn selection(command: &mut Command) -> Option<&mut Selection> {
    match command {
        Command::Call(call) => Some(&mut call.view.selection),
        Command::Definitions { view, .. }
        | Command::Why { view, .. }
        | Command::Doctor { view, .. }
        | Command::Repl { view, .. } => Some(&mut view.selection),
        _ => None,
    }
}

fn text(value: &FactValue) -> String {
    match value {
        FactValue::Text(text) => text.to_string(),
        FactValue::Boolean(flag) => flag.to_string(),
        FactValue::Integer(integer) => integer.to_string(),
    }
}
