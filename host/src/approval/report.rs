//! The section of the report of `doctor` about the approval of commands.

use std::fmt::Write as _;
use std::path::Path;

use serde_json::json;
use toolc_cli::DoctorSection;
use toolc_config::{ApprovalMode, Home};

use crate::approval::rules;
use crate::approval::store;
use crate::ground::show;

/// Returns the section on approvals for the report of `doctor`. A file that cannot be used is a problem.
pub(crate) fn section(home: &Home, directory: &Path, mode: ApprovalMode) -> DoctorSection {
    let mut problems = Vec::new();
    let shipped = toolc_catalog::commands::rules().rules().len();
    let files = rules::files(home, directory).unwrap_or_default();
    if let Err(problem) = rules::load(home, directory) {
        problems.push(problem.to_string());
    }
    let approved = store(home).list().map(|approvals| approvals.len());
    if let Err(problem) = &approved {
        problems.push(problem.to_string());
    }
    let log = super::log::path(home);
    let files: Vec<String> = files.iter().map(|(path, _)| path.display().to_string()).collect();

    let mut text = format!("approval of commands: {} ({})\n", mode.word(), meaning(mode));
    let _ = writeln!(text, "    rules: {shipped} shipped");
    for file in &files {
        let _ = writeln!(text, "    rules: {}", show::one_line(file));
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
        "shipped_rules": shipped,
        "rule_files": files,
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
        ApprovalMode::Deny => "a command about which a rule asks does not run",
        ApprovalMode::Off => "a command about which a rule asks runs without a question",
    }
}
