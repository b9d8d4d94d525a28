//! The tool `skill_manage`: writes skills, with a history in which every change can be undone.

mod operation;
mod plan;

use serde_json::Value;
use toolc::{Call, ToolError};
use toolc_catalog::skills::skill_manage::{Args, Returns, ReturnsChangesItem};

pub(crate) use operation::Operation;
pub(crate) use plan::{MAIN, Plan, Planner};

use crate::skills::Skills;

/// Makes the changes of a call: all or none.
pub(crate) fn manage(args: &Args, call: &Call<'_>) -> Result<Returns, ToolError> {
    let skills = call.require_value::<Skills>()?;
    let operations = Operation::of(args)?;
    let locked = skills.ledger().lock()?;
    let owned = skills.owned();
    let plan = Planner::new(skills.ledger().root(), &owned, &call.redactor()).plan(&operations)?;
    let title = operations.iter().map(|operation| format!("{} {}", operation.word(), operation.name()));
    let entry = locked.apply(&plan.changes, call.session(), &title.collect::<Vec<_>>().join(", "), None)?;
    drop(locked);
    let root = skills.ledger().root();
    let changes = plan.steps.into_iter().map(|step| ReturnsChangesItem {
        action: step.action.to_owned(),
        name: step.name,
        path: root.path(&step.path).display().to_string(),
        diff: Some(step.diff).filter(|diff| !diff.is_empty()),
    });
    let created = operations.iter().any(|operation| matches!(operation, Operation::Create { .. }));
    let listed = "The list of skills in the instructions stays as it was when the conversation began. ";
    let listed = if created { listed } else { "" };
    Ok(Returns {
        changes: changes.collect(),
        warnings: Some(plan.warnings).filter(|warnings| !warnings.is_empty()),
        note: Some(format!("{listed}The user can undo this with `toolc skills undo {}`.", entry.id)),
    })
}

/// Returns what a call would do to the files, or `None` if it cannot be done: then the call itself reports why.
pub(crate) fn preview(arguments: &Value, skills: &Skills, secrets: &toolc_redact::Redactor) -> Option<Plan> {
    let operations = Operation::of_json(arguments)?;
    let owned = skills.owned();
    Planner::new(skills.ledger().root(), &owned, secrets).plan(&operations).ok()
}
