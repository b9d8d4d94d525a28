//! Skills that a person, a job or a task names, so that the model has their instructions without a call.

use std::fmt::Write as _;

use toolc::{Env, ToolError};

use crate::manage::MAIN;
use crate::skills::{Skills, find};
use crate::view::{files, hidden_note, open, page};

/// The maximum number of skills that a conversation, a job or a task can name.
pub const MAX_LOADED: usize = 10;
/// The maximum number of files that the text of a skill names.
const MAX_FILES: usize = 50;

/// The instructions of a skill that was named.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoadedSkill {
    /// The name of the skill.
    pub name: String,
    /// The text for the model: SKILL.md, as much as one result of `skill_view` has, the folder, and the names of the other files.
    pub text: String,
}

/// The skills that were named, and why others were not loaded.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LoadedSkills {
    /// The skills, in the order in which they were named, each once.
    pub skills: Vec<LoadedSkill>,
    /// Why others were not loaded, a sentence without a full stop each.
    pub problems: Vec<String>,
}

/// Loads the skills with these names, or `CATEGORY/NAME`, as they are now, and at most `most` of them. `has_tool` answers whether a tool is
/// available. A skill whose conditions are not met is not loaded.
pub fn load(
    skills: &Skills,
    names: &[impl AsRef<str>],
    most: usize,
    env: &Env,
    has_tool: impl Fn(&str) -> bool,
) -> LoadedSkills {
    let library = skills.library();
    let mut loaded = LoadedSkills::default();
    let load_one = |name: &str| -> Result<LoadedSkill, ToolError> {
        if let Some(skill) = skills.outside_skill(name) {
            return Err(ToolError::new(format!(
                "the skill `{}` comes from the MCP server `{}`, so it is not loaded without a call: name it in the task, and the model reads \
                 it with `skill_view`",
                skill.name(),
                skill.server
            )));
        }
        let skill = find(&library, name)?;
        let name = skill.name().to_owned();
        if let Some(reason) = skills.unmet(&skill.card.front_matter.conditions, env, &has_tool) {
            return Err(ToolError::new(format!("the skill `{name}` cannot be used here: {reason}")));
        }
        let opened = open(skill, MAIN)?;
        let (first, next) = page(&opened.text, 0)?;
        let folder = one_line(&skill.folder.display().to_string());
        let mut text = format!("The skill `{name}`: SKILL.md in {folder}, to which its paths are relative.\n");
        text += &fence(first);
        if let Some(next) = next {
            let rest = if has_tool("skill_view") { ": `skill_view` reads the rest from this offset" } else { "" };
            let _ = write!(text, "\nThe text is longer, and ends here at offset {next}{rest}.");
        }
        let files = files(&opened.folder);
        if !files.is_empty() {
            let listed: Vec<String> =
                files.iter().take(MAX_FILES).map(|file| format!("`{}`", one_line(&file.path))).collect();
            let more = files.len().saturating_sub(MAX_FILES);
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            let _ = write!(text, "\nIts other files: {}{more}.", listed.join(", "));
        }
        if let Some(note) = hidden_note(first) {
            let _ = write!(text, "\n{note}");
        }
        Ok(LoadedSkill { name, text })
    };
    for name in names.iter().map(AsRef::as_ref) {
        match load_one(name) {
            Ok(skill) if loaded.skills.iter().any(|other| other.name == skill.name) => {}
            Ok(_) if loaded.skills.len() >= most => {
                loaded.problems.push(format!("more than {most} skills are named, so the others are not loaded"));
                break;
            }
            Ok(skill) => loaded.skills.push(skill),
            Err(error) => loaded.problems.push(error.to_string()),
        }
    }
    loaded
}

/// Returns what is wrong with a name: no skill has it, or the skill cannot be read now. The conditions of the skill are not checked, because
/// they depend on where it is used.
pub fn name_problem(skills: &Skills, name: &str) -> Option<String> {
    find(&skills.library(), name).err().map(|error| error.to_string())
}

/// Returns a path in which nothing begins a new line.
fn one_line(path: &str) -> String {
    path.replace(|letter: char| letter.is_control() || matches!(letter, '\u{2028}' | '\u{2029}'), " ")
}

/// Puts a text between fences that the text does not contain.
pub fn fence(text: &str) -> String {
    let mut marker = "```".to_owned();
    while text.contains(&marker) {
        marker.push('`');
    }
    format!("{marker}\n{}\n{marker}", text.trim_end())
}
