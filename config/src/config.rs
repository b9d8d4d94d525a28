//! What follows from the values of a configuration.

use toolc_model::Model;
use toolc_tables::default_values;

use crate::keys::{Config, ConfigTable, Instructions};

/// The name of the model that works on the user's task.
const MAIN_MODEL: &str = "main";
/// The name of the model for small tasks.
const AUXILIARY_MODEL: &str = "auxiliary";
/// The names of files with instructions, unless the configuration names others.
const INSTRUCTION_FILES: [&str; 2] = ["AGENTS.md", "CLAUDE.md"];

/// The configuration without a file.
impl Default for Config {
    fn default() -> Self {
        default_values::<ConfigTable>()
    }
}

impl Config {
    /// Returns the model with this name.
    pub fn model(&self, name: &str) -> Option<&Model> {
        self.models.iter().find(|model| model.alias == name)
    }

    /// Returns the model that works on the user's task.
    pub fn main_model(&self) -> Option<&Model> {
        self.model(MAIN_MODEL)
    }

    /// Returns the model for small tasks, if it is not the main model.
    pub fn auxiliary_model(&self) -> Option<&Model> {
        self.model(AUXILIARY_MODEL)
    }

    /// Returns the model for small tasks: the main model if no other is configured.
    pub fn model_for_small_tasks(&self) -> Option<&Model> {
        self.auxiliary_model().or_else(|| self.main_model())
    }
}

impl Instructions {
    /// Returns the names of the files to read, in the order of precedence within a folder.
    pub fn names(&self) -> Vec<&str> {
        match &*self.files {
            _ if !self.enabled => Vec::new(),
            [] => INSTRUCTION_FILES.to_vec(),
            files => files.iter().map(String::as_str).collect(),
        }
    }
}
