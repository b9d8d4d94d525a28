//! Requires approval of changes of skills that the guard objects to, and of skills from outside.

use std::sync::Arc;

use toolc::ToolError;
use toolc::hooks::{CallInfo, Hook, HookAction};
use toolc_redact::Redactor;

use crate::manage::{Plan, preview};
use crate::outside::{AskedVersions, OutsideSkill, OutsideText};
use crate::root::{Content, Overlay};
use crate::skills::Skills;
use crate::view::file_of;

/// The tool that changes skills.
const TOOL: &str = "skill_manage";
/// The tool that reads skills.
const VIEW: &str = "skill_view";
/// The maximum number of objections in a question.
const MAX_LISTED: usize = 8;

/// The files of a skill: each a path in the skill, and its bytes.
pub type SkillFiles = Vec<(String, Vec<u8>)>;

/// Judges what the files of a skill would do.
pub trait SkillGuard: Send + Sync {
    /// Returns the objections to using a skill, a sentence each. Each begins with a stable name of the objection and its place, so that
    /// objections before and after a change can be compared.
    fn objections(&self, name: &str, files: &SkillFiles) -> Vec<String>;
}

/// A hook that asks the person before a change of skills to which the [guard](SkillGuard) objects. If no person can be asked, the call is
/// refused. A change to which it does not object needs no approval: it can be undone.
pub struct SkillChangeHook {
    skills: Arc<Skills>,
    guard: Arc<dyn SkillGuard>,
    secrets: Arc<Redactor>,
}

impl SkillChangeHook {
    /// Returns a hook for a session that changes these skills.
    pub fn new(skills: Arc<Skills>, guard: Arc<dyn SkillGuard>, secrets: Arc<Redactor>) -> Self {
        Self { skills, guard, secrets }
    }

    /// Returns the objections to the skills after a change that are new.
    fn new_objections(&self, plan: &Plan) -> Vec<String> {
        let mut folders: Vec<(&str, &str)> = plan.steps.iter().map(|step| (&*step.name, &*step.folder)).collect();
        folders.sort_unstable();
        folders.dedup();
        let mut new = Vec::new();
        for (name, folder) in folders {
            let (before, after) = (self.files(folder, None), self.files(folder, Some(plan)));
            let known = self.guard.objections(name, &before);
            new.extend(self.guard.objections(name, &after).into_iter().filter(|objection| !known.contains(objection)));
        }
        new
    }

    /// Returns the files of a skill, as they are or as a plan would leave them. A file that cannot be read is left out: the change then
    /// fails.
    fn files(&self, folder: &str, plan: Option<&Plan>) -> SkillFiles {
        let mut files = Overlay::new(self.skills.ledger().root());
        for change in plan.into_iter().flat_map(|plan| &plan.changes) {
            let _ = files.set(&change.path, change.after.clone());
        }
        let paths = files.list(folder).unwrap_or_default();
        let read = |path: &String| {
            let Content { bytes, .. } = files.read(path).ok()??.clone();
            Some((path.strip_prefix(folder)?.trim_start_matches('/').to_owned(), bytes))
        };
        paths.iter().filter_map(read).collect()
    }
}

impl Hook for SkillChangeHook {
    fn name(&self) -> &'static str {
        "the guard of skills"
    }

    fn changes_arguments(&self) -> bool {
        false
    }

    fn before_call(&self, call: &CallInfo<'_>) -> Result<HookAction, ToolError> {
        if call.tool() != TOOL {
            return Ok(HookAction::Continue);
        }
        let Some(plan) = preview(call.arguments(), &self.skills, &self.secrets) else {
            return Ok(HookAction::Continue);
        };
        let objections = self.new_objections(&plan);
        if objections.is_empty() {
            return Ok(HookAction::Continue);
        }
        Ok(HookAction::AskEachTime(format!("later conversations would follow this skill: {}", listed(&objections))))
    }
}

/// A hook that asks the person before the model reads a skill from outside for the first time, unless its server is trusted: the model could
/// follow instructions that a stranger has written, commands included. The answer for the session holds for this version of the skill only.
/// The text is read before the question, which has what a guard has found in it: then the person is also asked about a trusted server.
pub struct OutsideSkillHook(Arc<Skills>);

impl OutsideSkillHook {
    /// Returns a hook for a session that reads these skills.
    pub fn new(skills: Arc<Skills>) -> Self {
        Self(skills)
    }
}

impl Hook for OutsideSkillHook {
    fn name(&self) -> &'static str {
        "the guard of skills from outside"
    }

    fn changes_arguments(&self) -> bool {
        false
    }

    fn before_call(&self, call: &CallInfo<'_>) -> Result<HookAction, ToolError> {
        let name = call.arguments()["name"].as_str().filter(|_| call.tool() == VIEW);
        let Some((skill, outside)) = name.and_then(|name| self.0.outside_skill(name)).zip(self.0.outside()) else {
            return Ok(HookAction::Continue);
        };
        let path = file_of(call.arguments()["path"].as_str()).to_owned();
        let read = Arc::clone(outside).read_later(skill.clone(), path);
        let (asked, id) = (call.state::<AskedVersions>(), call.id().to_owned());
        Ok(HookAction::Async(Box::pin(async move {
            // The call itself says why a text cannot be read.
            let Ok(OutsideText { objections, .. }) = read.await else { return Ok(HookAction::Continue) };
            if skill.is_trusted && objections.is_empty() {
                return Ok(HookAction::Continue);
            }
            asked.note(&id, &skill);
            Ok(HookAction::Ask(question(&skill, &objections)))
        })))
    }
}

/// Returns the question before a skill from outside is read. An answer for the session is kept with this text, so the version is whole.
fn question(skill: &OutsideSkill, objections: &[String]) -> String {
    let mut text = format!(
        "the skill `{}` (version {}) comes from the MCP server `{}`: the model could follow its instructions, which can include commands",
        skill.name(),
        skill.version,
        skill.server
    );
    if !objections.is_empty() {
        text += &format!(". The guard has found: {}", listed(objections));
    }
    text
}

/// Returns the first of some objections, and the number of the others.
fn listed(objections: &[String]) -> String {
    let first: Vec<&str> = objections.iter().take(MAX_LISTED).map(String::as_str).collect();
    let more = objections.len() - first.len();
    let more = if more > 0 { format!("; and {more} more") } else { String::new() };
    first.join("; ") + &more
}
