//! The list of skills with which a conversation begins.

use toolc::Env;

use crate::skills::Skills;

/// The maximum size of the list, in tokens of 4 bytes.
const MAX_TOKENS: usize = 2_000;

/// Returns the text about the skills for the instructions of a conversation, or nothing if there are none. It depends only on the files
/// and on which tools are available, so that it stays the same while they do.
pub fn index(skills: &Skills, env: &Env, has_tool: impl Fn(&str) -> bool + Copy) -> String {
    let library = skills.library();
    let view = library.view(|skill| skills.unmet(&skill.card.front_matter.conditions, env, has_tool));
    if view.shown.is_empty() && library.broken.is_empty() {
        return String::new();
    }
    let index = view.index(MAX_TOKENS);
    let advice = if has_tool("skill_view") {
        "If one fits the task, read it with `skill_view` before you begin, and follow it as far as it fits."
    } else {
        "They can be read as files."
    };
    let more =
        if index.left_out > 0 && has_tool("skills_list") { " `skills_list` lists those of a category." } else { "" };
    format!("# Skills\n\nInstructions for kinds of tasks, by category. {advice}{more}\n\n{}", index.text.trim_end())
}
