//! Skills that are named: by options, by a job or a card, and by the person in the chat. The model has their instructions without a call.

use std::fmt::Write as _;
use std::mem::take;

use toolc::Turn;
use toolc_skills::{LoadedSkills, MAX_LOADED, load};

use super::plan::Plan;
use super::record::StoredConversation;
use super::setup::{SKILL_VIEW, Setup};
use super::{Agent, AgentEvent};
use crate::ground::error::{Error, Result};

/// What the instructions say before the texts of skills.
const INTRODUCTION: &str = "\
# Skills of this conversation

This conversation was begun with the skills below, so you need not read them again. Follow their instructions as far as they fit. What the \
user says counts more. They approve no call.";

/// The beginning of the text of a skill in a message.
const MARK: &str = "\n\n[The user has named a skill for this message.";
/// The rest of what is said about the skill.
const MARK_END: &str =
    " Follow its instructions as far as they fit; the words of the user count more, and the skill approves no call.]\n";

/// The skills of a conversation.
#[derive(Debug, Default)]
pub(crate) struct NamedSkills {
    /// The names of the skills that are part of the instructions.
    names: Vec<String>,
    /// Why others are not.
    problems: Vec<String>,
    /// The texts of the skills of the next message.
    next: Vec<String>,
}

impl Setup {
    /// Loads the skills with which a conversation begins, and returns them with their text for the instructions. A conversation that is
    /// continued also has those with which it began.
    ///
    /// # Errors
    /// If a skill of the options cannot be loaded. The error is about all of them.
    pub(super) fn named_skills(
        &self,
        plan: &Plan<'_>,
        resumed: &mut StoredConversation,
        turn: &Turn,
    ) -> Result<(NamedSkills, String)> {
        // The parent tells a helper what it needs to know.
        if plan.helper.is_some() {
            return Ok(Default::default());
        }
        let LoadedSkills { mut skills, problems } = self.load(&self.skills, MAX_LOADED, turn);
        if !problems.is_empty() {
            return Err(Error::Invalid(format!("`--skill`: {}", problems.join("; "))));
        }
        let mut named = NamedSkills::default();
        // A conversation keeps the skills that it had, even if options have named more of them, one after the other, than can be named at once.
        let before = resumed.state.as_mut().map(|state| take(&mut state.skills)).unwrap_or_default();
        let mut others = vec![self.load(&before, usize::MAX, turn)];
        // A model can have named the skills of a job or a card. They must not give it what it cannot read itself.
        if turn.tool(SKILL_VIEW).is_some() {
            others.push(self.load(&plan.skills, MAX_LOADED, turn));
        } else {
            let problem = |name: &String| format!("the skill `{name}` is not loaded without the tool `{SKILL_VIEW}`");
            named.problems.extend(plan.skills.iter().map(problem));
        }
        for loaded in others {
            named.problems.extend(loaded.problems);
            for skill in loaded.skills {
                if !skills.iter().any(|other| other.name == skill.name) {
                    skills.push(skill);
                }
            }
        }
        for problem in &named.problems {
            (plan.observer)(&AgentEvent::Notice { text: problem });
        }
        let mut text = String::new();
        if !skills.is_empty() {
            text += INTRODUCTION;
            for skill in &skills {
                let _ = write!(text, "\n\n{}", skill.text);
            }
        }
        named.names = skills.into_iter().map(|skill| skill.name).collect();
        Ok((named, self.host.redactor.text(&text).into_owned()))
    }

    /// Adds a skill, as it is now, to the next message of the user.
    ///
    /// # Errors
    /// Returns why the skill cannot be used.
    pub(crate) async fn add_skill(&self, agent: &mut Agent, name: &str) -> Result<(), String> {
        let turn = agent.session.turn(agent.model.model().definitions_dialect()).await;
        let mut loaded = self.load(&[name.to_owned()], MAX_LOADED, &turn);
        if let Some(problem) = loaded.problems.pop() {
            return Err(problem);
        }
        let texts = loaded.skills.into_iter().map(|skill| format!("{MARK}{MARK_END}{}", skill.text));
        agent.skills.next.extend(texts.map(|text| self.host.redactor.text(&text).into_owned()));
        Ok(())
    }

    fn load(&self, names: &[String], most: usize, turn: &Turn) -> LoadedSkills {
        if names.is_empty() {
            return LoadedSkills::default();
        }
        load(&self.host.stores.skills, names, most, &self.host.profile.env(), |tool| turn.tool(tool).is_some())
    }
}

impl NamedSkills {
    /// Returns the names of the skills that are part of the instructions.
    pub(super) fn names(&self) -> &[String] {
        &self.names
    }

    /// Removes and returns the texts of the skills of the next message.
    pub(super) fn take_next(&mut self) -> String {
        take(&mut self.next).concat()
    }
}

impl Agent {
    /// Returns why skills that were named are not loaded.
    pub(crate) fn skill_problems(&self) -> &[String] {
        &self.skills.problems
    }
}

/// Returns a message of the user without the text of a skill.
pub(crate) fn without_skill(message: &str) -> &str {
    message.find(MARK).map_or(message, |at| &message[..at])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_shown_without_the_text_of_its_skill() {
        let sent = format!("/deploy now{MARK}{MARK_END}The skill `deploy`: ...");
        assert_eq!(without_skill(&sent), "/deploy now");
        assert_eq!(without_skill("[The user has named a skill"), "[The user has named a skill");
    }
}
