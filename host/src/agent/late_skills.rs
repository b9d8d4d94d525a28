//! The list of the skills of MCP servers in the instructions. It is added before the first request, when the servers were waited for, and
//! then stays as it is. `skills_list` shows those of slower servers.

use std::sync::Arc;

use toolc::{Env, Turn};
use toolc_skills::Skills;

use super::Agent;

/// The skills of servers that the instructions do not mention yet.
pub(super) struct LateSkills {
    skills: Arc<Skills>,
    env: Env,
}

impl LateSkills {
    /// Returns the skills, if servers were started.
    pub(super) fn new(skills: &Arc<Skills>, env: Env) -> Option<Self> {
        skills.has_outside().then(|| Self { skills: Arc::clone(skills), env })
    }

    fn text(&self, turn: &Turn) -> String {
        toolc_skills::outside_index(&self.skills, &self.env, |tool| turn.tool(tool).is_some())
    }
}

impl Agent {
    /// Adds the skills of the MCP servers that have listed them to the instructions, before the first request.
    pub(super) async fn add_skills_of_servers(&mut self) {
        let Some(late) = self.late_skills.take() else { return };
        let turn = self.session.turn(self.model.model().definitions_dialect()).await;
        let text = late.text(&turn);
        if !text.is_empty() {
            self.system += "\n\n";
            self.system += &self.redactor.text(&text);
        }
    }
}
