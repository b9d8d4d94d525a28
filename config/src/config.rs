//! What follows from the values of a configuration.

use toolc_model::Model;
use toolc_tables::default_values;

use crate::keys::{Config, ConfigTable, Models};

/// The configuration without a file.
impl Default for Config {
    fn default() -> Self {
        default_values::<ConfigTable>()
    }
}

impl Models {
    /// Returns the model for small tasks: the main model if no other is configured.
    pub fn for_small_tasks(&self) -> Option<&Model> {
        self.auxiliary.as_ref().or(self.main.as_ref())
    }

    /// Returns the models that are configured.
    pub fn all(&self) -> impl Iterator<Item = &Model> {
        self.main.iter().chain(&self.auxiliary)
    }
}
