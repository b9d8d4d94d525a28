//! Manifests as tables: each key is declared here once, with its documentation and its kind. The kind says what the key
//! accepts and what it is read as; the field with the value has the name of the key. References to tools and the like are
//! still names here, each with its place.

mod commands;
mod project;
mod tool;
mod toolset;

use toolc_tables::HasKeys as _;

use super::LazyManifest;
use super::keys::Key;
use crate::source::Kind;
pub use commands::*;
pub use project::*;
pub use tool::*;
pub use toolset::*;

/// Every manifest that could be parsed, and the names of those that could not, so that a broken file is reported once.
#[derive(Debug, Default)]
pub struct Manifests {
    /// In the order of their paths.
    pub tools: Vec<Box<LazyManifest>>,
    /// In the order of their paths.
    pub toolsets: Vec<ToolsetManifest>,
    /// In the order of their paths.
    pub distributions: Vec<DistributionManifest>,
    /// In the order of their paths.
    pub commands: Vec<CommandsManifest>,
    /// In the author's order.
    pub facts: Vec<FactManifest>,
    /// In the author's order.
    pub variables: Vec<VariableManifest>,
    /// The project's settings, if it has any.
    pub settings: Option<SettingsManifest>,
    /// The manifest of the plugin, if the project is one.
    pub plugin: Option<PluginManifest>,
    /// Names whose declaration is broken.
    pub broken: Vec<(Kind, String)>,
    /// The path and the digest of each source, for generated code.
    #[cfg(feature = "emit")]
    pub digests: Vec<(String, u64)>,
}

impl Manifests {
    /// Adds the manifests of further sources.
    pub(super) fn append(&mut self, mut further: Self) {
        self.tools.append(&mut further.tools);
        self.toolsets.append(&mut further.toolsets);
        self.distributions.append(&mut further.distributions);
        self.commands.append(&mut further.commands);
        self.facts.append(&mut further.facts);
        self.variables.append(&mut further.variables);
        self.settings = self.settings.take().or(further.settings);
        self.plugin = self.plugin.take().or(further.plugin);
        self.broken.append(&mut further.broken);
    }
}

impl Kind {
    /// Returns the keys of this kind of manifest.
    pub const fn keys(self) -> &'static [&'static [Key]] {
        match self {
            Kind::Tool => &[ToolManifest::KEYS],
            Kind::Toolset => &[ToolsetManifest::KEYS],
            Kind::Distribution => &[DistributionManifest::KEYS],
            Kind::Commands => &[CommandsManifest::KEYS],
            Kind::Facts => &[FactsManifest::KEYS],
            Kind::Env => &[EnvManifest::KEYS],
            Kind::Settings => &[SettingsManifest::KEYS],
            Kind::Plugin => &[PluginManifest::KEYS],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifest::keys::{CHOICE, KeyType, PROPERTY, ROOT, SCHEMA};

    /// Returns every key of every table.
    fn all() -> Vec<&'static Key> {
        let mut open: Vec<&Key> = Kind::ALL.iter().flat_map(|kind| kind.keys()).copied().flatten().collect();
        open.extend([SCHEMA, ROOT, PROPERTY, CHOICE].into_iter().flatten());
        let mut all = Vec::new();
        while let Some(key) = open.pop() {
            all.push(key);
            if let KeyType::Table(keys) | KeyType::List(keys) = key.key_type {
                open.extend(keys);
            }
        }
        all
    }

    #[test]
    fn documentation_begins_with_a_phrase_that_completes_a_message() {
        let begins = ["The ", "A ", "An ", "How ", "Whether ", "Which "];
        for key in all() {
            let lists = key.meaning().contains("` lists ") || key.meaning().contains("` holds ");
            assert!(lists || begins.iter().any(|word| key.doc.starts_with(word)), "`{}`: {}", key.name, key.doc);
            assert!(key.doc.ends_with('.') && !key.phrase().contains(": "), "`{}`: {}", key.name, key.doc);
        }
    }
}
