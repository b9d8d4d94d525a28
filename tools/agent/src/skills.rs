//! Skills that jobs and tasks name. They are loaded when the job runs, or when a worker takes the task.

use std::sync::Arc;

use toolc::Call;

/// The tool with which a conversation reads skills. Without it, neither the conversation nor what it makes gets any.
const SKILL_VIEW: &str = "skill_view";
/// The maximum number of skills of a job or a task.
const MAX_SKILLS: usize = 10;
/// The maximum length of `CATEGORY/NAME`, in characters.
const MAX_NAME: usize = 129;

/// The skills that exist. A host gives them to its sessions as a [value](toolc::SessionBuilder::value). Then a job or a task with the name of a
/// skill that does not exist is made with a note about it.
pub trait SkillNames: Send + Sync {
    /// Returns why no skill can be loaded by this name now, or `None` if one can.
    fn problem(&self, name: &str) -> Option<String>;
}

/// Returns the names without blanks around them, each once.
///
/// # Errors
/// Returns what is wrong with a name, or with their number.
pub fn checked_skills(names: &[String]) -> Result<Vec<String>, String> {
    let mut checked: Vec<String> = Vec::new();
    for name in names.iter().map(|name| name.trim()) {
        if name.is_empty() || name.chars().count() > MAX_NAME || name.contains(char::is_control) {
            return Err(format!("the name of a skill has 1 to {MAX_NAME} characters on one line, such as `deploy`"));
        }
        if let Some(problem) = toolc_scan::problem(name) {
            return Err(format!("the name of a skill is refused: {problem}"));
        }
        if !checked.iter().any(|other| other == name) {
            checked.push(name.to_owned());
        }
    }
    if checked.len() > MAX_SKILLS {
        return Err(format!("{} skills are named, but at most {MAX_SKILLS} can be", checked.len()));
    }
    Ok(checked)
}

/// Returns the problem if the skills of a job or a task are named without the tool that reads skills.
pub(crate) fn tool_problem(skills: &[String], has_tool: impl Fn(&str) -> bool) -> Option<String> {
    let is_missing = !skills.is_empty() && !has_tool(SKILL_VIEW);
    is_missing.then(|| format!("`skills` needs the tool `{SKILL_VIEW}`"))
}

/// Returns a note about the skills that cannot be loaded now.
pub(crate) fn note(skills: &[String], call: &Call<'_>) -> Option<String> {
    let known: Arc<dyn SkillNames> = call.value::<dyn SkillNames>()?;
    let problems: Vec<String> = skills.iter().filter_map(|name| known.problem(name)).collect();
    (!problems.is_empty())
        .then(|| format!("{}. The skills are looked for again when the work begins", problems.join("; ")))
}
