//! The profile of this run: its home folder, `config.toml` and `.env`.

use std::borrow::Cow;

use serde_json::json;
use toolc::{Env, FactValue};
use toolc_cli::DoctorSection;
use toolc_config::{Config, ConfigFile, EnvFile, Home};
use toolc_environment::EnvironmentKind;
use toolc_model::{Api, Model};

use crate::ground::error::Result;

/// A profile, with the content of its files.
pub(crate) struct Profile {
    pub(crate) home: Home,
    file: ConfigFile,
    env: EnvFile,
}

impl Profile {
    /// Reads the configuration and the variables of a profile.
    ///
    /// # Errors
    /// If the profile does not exist, or a file cannot be read or has mistakes.
    pub(crate) fn read(home: Home) -> Result<Self> {
        home.check_exists()?;
        let (file, env) = (ConfigFile::read(&home)?, EnvFile::read(&home)?);
        if let Some(version) = file.migrated_from() {
            let path = home.config();
            eprintln!("note: {} was migrated from version {version} to the current version", path.display());
        }
        Ok(Self { home, file, env })
    }

    /// Returns the file `config.toml`.
    pub(crate) fn file(&self) -> &ConfigFile {
        &self.file
    }

    /// Returns the configuration.
    pub(crate) fn config(&self) -> &Config {
        self.file.config()
    }

    /// Returns the variables for sessions of this profile. Keys of models and tokens of endpoints are marked as secret, even if they come
    /// from the environment of the process.
    pub(crate) fn env(&self) -> Env {
        let configured = self.config().models.all().filter_map(Model::key_variable);
        let tokens = self.config().mcp.endpoints.iter().flat_map(|endpoint| &endpoint.token_variables);
        let keys =
            Api::ALL.iter().map(|api| api.default_key_variable()).chain(configured).chain(tokens.map(String::as_str));
        let keys = keys.chain(EnvironmentKind::ALL.iter().flat_map(|kind| kind.secrets()).copied());
        keys.fold(self.env.environment(), |env, name| match env.var(name) {
            Some(key) => env.with_secret(name, key),
            None => env,
        })
    }

    /// Returns a variable of `.env` or of the process.
    pub(crate) fn variable(&self, name: &str) -> Option<String> {
        self.env.environment().var(name)
    }

    /// Returns the facts that the configuration sets.
    pub(crate) fn facts(&self) -> Vec<(Cow<'static, str>, FactValue)> {
        let facts = self.config().facts.iter();
        facts.map(|(name, value)| (Cow::Owned(name.clone()), value.clone())).collect()
    }

    /// Returns the section on the configuration for the report of `doctor`.
    pub(crate) fn section(&self) -> DoctorSection {
        let names: Vec<&str> = self.env.names().collect();
        let (config, env) = (self.home.config(), self.home.env());
        let state = if self.file.exists() { "" } else { " (missing: all defaults)" };
        let model = self.config().models.main.as_ref().map_or("none", Model::name);
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
            "model": self.config().models.main.as_ref().map(Model::name),
        });
        DoctorSection { key: "configuration".to_owned(), json, text, problems: Vec::new() }
    }
}
