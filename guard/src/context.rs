//! What the judgement of a piece needs to know about the whole skill.

use std::cell::RefCell;
use std::collections::BTreeMap;

use toolc_commands::Surroundings;
use toolc_commands::rules::RuleSet;

use crate::codes::{Code, Severity};
use crate::purpose::{Purpose, Topic};
use crate::uses::Uses;

/// The skill around a piece that is judged.
pub(crate) struct Context<'a> {
    pub(crate) rules: &'a RuleSet<'a>,
    pub(crate) surroundings: &'a Surroundings<'a>,
    pub(crate) purpose: Purpose,
    /// The files that commands and programs name.
    pub(crate) uses: RefCell<Uses>,
    pub(crate) constants: RefCell<Constants>,
}

impl Context<'_> {
    /// Returns the severity of a behaviour: a note if the description declares one of the topics.
    pub(crate) fn severity(&self, code: Code, topics: &[Topic]) -> Severity {
        if code.is_acceptable() && self.purpose.declares(topics) { Severity::Note } else { code.severity() }
    }
}

/// The maximum number of constants, and their maximum length in bytes.
const MAX_CONSTANTS: usize = 4096;
const MAX_CONSTANT: usize = 256;

/// The constant texts of modules, which other files of the skill import.
#[derive(Debug, Default)]
pub(crate) struct Constants {
    /// The name of the file that is judged, without its folder and its end.
    module: String,
    /// The texts by `MODULE.NAME`.
    pub(crate) texts: BTreeMap<String, String>,
}

impl Constants {
    /// Begins with a file.
    pub(crate) fn enter(&mut self, path: &str) {
        let name = path.rsplit('/').next().unwrap_or_default();
        name.rsplit_once('.').map_or(name, |(stem, _)| stem).clone_into(&mut self.module);
    }

    /// Keeps a constant of the file that is judged.
    pub(crate) fn add(&mut self, name: &str, text: &str) {
        let fits = self.texts.len() < MAX_CONSTANTS && text.len() <= MAX_CONSTANT && name.len() <= MAX_CONSTANT;
        if fits && !self.module.is_empty() {
            self.texts.insert(format!("{}.{name}", self.module), text.to_owned());
        }
    }

    /// Returns whether a text names another module that has constants.
    pub(crate) fn are_named_in(&self, text: &str) -> bool {
        let mut last = "";
        self.texts.keys().filter_map(|path| path.split_once('.')).any(|(module, _)| {
            let is_new = module != last && module != self.module;
            last = module;
            is_new && text.contains(module)
        })
    }
}
