//! The section of the report of `doctor` about the approval of commands.

use std::fmt::Write as _;
use std::path::Path;

use serde_json::json;
use toolc::Registry;
use toolc_cli::DoctorSection;
use toolc_config::ApprovalMode;

use crate::approval::permissions;
use crate::approval::rules;
use crate::approval::store;
use crate::ground::show;
use crate::profile::Profile;

/// Returns the section on approvals for the report of `doctor`. A file that cannot be used is a problem.
pub(crate) fn section(profile: &Profile, directory: &Path, mode: ApprovalMode, registry: &Registry) -> DoctorSection {
    let home = &profile.home;
    let mut problems = Vec::new();
    let sets = super::sets(mode, profile).unwrap_or_else(|problem| {
        problems.push(problem.to_string());
        Vec::new()
    });
    let rules = toolc_catalog::commands::rules().with_optional(&sets);
    let shipped = rules.rules().iter().filter(|rule| rules.is_active(rule)).count();
    let files = rules::files(home, directory).unwrap_or_default();
    if let Err(problem) = rules::load(home, directory, &sets, &profile.config().protect) {
        problems.push(problem.to_string());
    }
    let permission_files = permissions::paths(home, directory).unwrap_or_default();
    if !permission_files.is_empty() {
        problems.extend(permissions::problems(home, directory, &permissions::known_tools(registry)));
    }
    let approved = store(home).list().map(|approvals| approvals.len());
    if let Err(problem) = &approved {
        problems.push(problem.to_string());
    }
    let log = super::log::path(home);
    let files: Vec<String> = files.iter().map(|(path, _)| path.display().to_string()).collect();
    let permission_files: Vec<String> = permission_files.iter().map(|(path, _)| path.display().to_string()).collect();

    let mut text = format!("approval of commands: {} ({})\n", mode.word(), meaning(mode));
    let _ = writeln!(text, "    rules: {shipped} shipped");
    if !sets.is_empty() {
        let _ = writeln!(text, "    sets of rules: {}", sets.join(", "));
    }
    for file in &files {
        let _ = writeln!(text, "    rules: {}", show::one_line(file));
    }
    for file in &permission_files {
        let _ = writeln!(text, "    permissions: {}", show::one_line(file));
    }
    if let Ok(approved) = &approved {
        let _ = writeln!(text, "    approved permanently: {approved}");
    }
    let _ = write!(text, "    log: {}", show::one_line(&log.display().to_string()));
    for problem in &problems {
        let _ = write!(text, "\n    problem: {}", problem.replace('\n', "\n    "));
    }
    let json = json!({
        "mode": mode.word(),
        "sets": sets,
        "shipped_rules": shipped,
        "rule_files": files,
        "permission_files": permission_files,
        "approved_commands": approved.ok(),
        "log": log.display().to_string(),
        "problems": problems,
    });
    DoctorSection { key: "approval".to_owned(), json, text, problems }
}

/// Returns what the mode means for commands.
fn meaning(mode: ApprovalMode) -> &'static str {
    match mode {
        ApprovalMode::Ask => "a person at the terminal decides where a rule asks",
        ApprovalMode::Strict => {
            "a person at the terminal decides where a rule asks, and about what is not known to be harmless"
        }
        ApprovalMode::Deny => "a command about which a rule asks does not run",
        ApprovalMode::Off => "a command about which a rule asks runs without a question",
    }
}
