//! The skills that the person names in the chat: `/NAME TASK` and `/skill NAME TASK`.

use toolc_skill::Skill;
use toolc_skills::Skills;

use super::screen::Screen;
use crate::ground::show;

/// The command that names a skill, also one with the name of another command.
pub(super) const SKILL: &str = "/skill";
/// The maximum number of skills in the help.
const MAX_IN_HELP: usize = 20;

/// Returns the names of the skills that begin with `beginning`.
pub(super) fn beginning_with(skills: &Skills, beginning: &str) -> Vec<String> {
    let library = skills.library();
    let names = library.skills.iter().map(Skill::name).filter(|name| name.starts_with(beginning));
    let mut names: Vec<String> = names.map(str::to_owned).collect();
    names.sort_unstable();
    names
}

/// Returns the last part of the help: the names of the first skills, and the number of the others.
pub(super) fn help(skills: &Skills) -> String {
    let mut names = beginning_with(skills, "");
    if names.is_empty() {
        return String::new();
    }
    let more = names.len().saturating_sub(MAX_IN_HELP);
    names.truncate(MAX_IN_HELP);
    let names: Vec<String> = names.into_iter().map(|name| format!("`/{name}`")).collect();
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("\nSkills, each with your task: {}{more}. `{SKILL}` says what they are for.", names.join(", "))
}

/// Shows all skills with what they are for.
pub(super) fn show(skills: &Skills, screen: &Screen) {
    let library = skills.library();
    let described =
        |skill: &Skill| (format!("/{}", skill.name()), show::first_sentence(&skill.card.front_matter.description));
    let mut rows: Vec<_> = library.skills.iter().map(described).collect();
    rows.sort_unstable();
    if rows.is_empty() {
        screen.note("there are no skills yet");
    } else {
        screen.columns(&rows);
    }
}

/// Returns whether a skill has this name, or a folder that cannot be read as a skill.
pub(super) fn is_known(skills: &Skills, name: &str) -> bool {
    let library = skills.library();
    let is_broken =
        || library.broken.iter().any(|broken| broken.folder.file_name().is_some_and(|folder| folder == name));
    library.get(name).is_some() || is_broken()
}
