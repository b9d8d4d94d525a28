//! The profile of this run: its home folder, `config.toml` and `.env`.

use std::borrow::Cow;

use serde_json::json;
use toolc::{Env, FactValue};
use toolc_cli::DoctorSection;
use toolc_config::{Config, ConfigFile, EnvFile, Home, McpServer, foreign_variables, is_setting_variable};
use toolc_environment::EnvironmentKind;
use toolc_mcp::PassedVariable;
use toolc_model::{Api, Model};

use crate::ground::error::Result;
use crate::ground::tell::tell;

/// Returns a variable that the program of an MCP server gets: its name there, and the variable that holds the value.
pub(crate) fn passed_variable(server: &McpServer, (name, source): (&str, &str)) -> PassedVariable {
    PassedVariable { name: name.to_owned(), source: source.to_owned(), is_secret: server.says_secret(name) }
}

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
        let env = EnvFile::read(&home)?;
        let file = ConfigFile::read_with(&home, &env, std::env::vars_os())?;
        if let Some(version) = file.migrated_from() {
            let path = home.config();
            tell!("note: {} was migrated from version {version} to the current version", path.display());
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

    /// Returns the variables for sessions of this profile. The variables of `.env` are secret, except those that are settings of an MCP
    /// server's program and not secret. Keys of models and tokens of endpoints are marked as secret, even if they come from the environment
    /// of the process.
    pub(crate) fn env(&self) -> Env {
        let configured = self.config().models.iter().filter_map(Model::key_variable);
        let tokens = self.config().mcp.endpoints.iter().flat_map(|endpoint| &endpoint.token_variables);
        let keys =
            Api::ALL.iter().map(|api| api.default_key_variable()).chain(configured).chain(tokens.map(String::as_str));
        let keys = keys.chain(EnvironmentKind::ALL.iter().flat_map(|kind| kind.secrets()).copied());
        let environment = self.env.environment_with(|name, value| !self.is_setting(name, value));
        keys.fold(environment, |env, name| match env.var(name) {
            Some(key) => env.with_secret(name, key),
            None => env,
        })
    }

    /// Returns whether a variable sets a setting of toolc, or programs of MCP servers get it, and its value is not secret for any of them.
    fn is_setting(&self, name: &str, value: &str) -> bool {
        if is_setting_variable(name) {
            return true;
        }
        let servers = &self.config().mcp.servers;
        let is_header = |server: &McpServer| {
            let passes = server.passed_variables().any(|(_, source)| source == name);
            !passes && server.variables().contains(&name)
        };
        let passed: Vec<PassedVariable> = servers
            .iter()
            .flat_map(|server| server.passed_variables().map(move |variable| passed_variable(server, variable)))
            .filter(|variable| variable.source == name)
            .collect();
        !passed.is_empty() && !passed.iter().any(|variable| variable.is_secret(value)) && !servers.iter().any(is_header)
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
        let model = self.config().main_model().map_or("none", Model::name);
        let text = format!(
            "configuration: profile {}\n    file: {}{state}\n    variables: {} in {}\n    model: {model}",
            self.home.profile(),
            config.display(),
            names.len(),
            env.display(),
        );
        let set = self.file.set_by_variables().iter().map(ToString::to_string);
        let notes: Vec<String> = set.chain(foreign_variables(&self.env)).collect();
        let text = notes.iter().fold(text, |text, note| format!("{text}\n    note: {note}"));
        let json = json!({
            "notes": notes,
            "profile": self.home.profile().to_string(),
            "home": self.home.path().display().to_string(),
            "file": config.display().to_string(),
            "exists": self.file.exists(),
            "variables": names,
            "model": self.config().main_model().map(Model::name),
        });
        DoctorSection { key: "configuration".to_owned(), json, text, problems: Vec::new() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_setting_of_a_server_is_secret_only_if_its_name_its_form_or_the_configuration_says_so() {
        let folder = tempfile::tempdir().expect("failed to make a folder");
        let home = Home::at(folder.path());
        let config = "version = 1\n\
            [mcp.servers.a]\ncommand = 'x'\nenv = ['NOTES', 'A_TOKEN=PLAIN', 'LINK', 'NICKNAME', 'AUTHOR_KEY', 'SHARED']\n\
            [mcp.servers.a.variables.NICKNAME]\nsecret = true\n\
            [mcp.servers.a.variables.AUTHOR_KEY]\nsecret = false\n\
            [mcp.servers.b]\nurl = 'https://example.com/mcp'\nbearer_variable = 'SHARED'\n";
        std::fs::write(home.config(), config).expect("failed to write");
        let variables = "NOTES=/srv/notes\nPLAIN=word\nLINK=https://me:hunter2@example.com/\nNICKNAME=me\nAUTHOR_KEY=me\nSHARED=word\n\
            OTHER=/srv/other\n";
        let path = home.env();
        std::fs::write(&path, variables).expect("failed to write");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).expect("failed to set the mode");
        }
        let env = Profile::read(home).expect("the profile is valid").env();
        for (name, is_secret) in [
            ("NOTES", false),
            ("PLAIN", true),
            ("LINK", true),
            ("NICKNAME", true),
            ("AUTHOR_KEY", false),
            ("SHARED", true),
            ("OTHER", true),
        ] {
            assert!(env.var(name).is_some());
            assert_eq!(env.is_secret(name), is_secret, "{name}");
        }
    }
}
