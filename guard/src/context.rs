//! What the judgement of a piece needs to know about the whole skill.

use std::cell::RefCell;

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
}

impl Context<'_> {
    /// Returns the severity of a behaviour: a note if the description declares one of the topics.
    pub(crate) fn severity(&self, code: Code, topics: &[Topic]) -> Severity {
        if code.is_acceptable() && self.purpose.declares(topics) { Severity::Note } else { code.severity() }
    }
}
