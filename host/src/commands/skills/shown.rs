//! What the commands of the hub show: a skill of a source with its files, and what the guard says about it. All texts are from outside.

use std::fmt::Write as _;

use clap::Args;
use serde_json::{Value, json};
use toolc_hub::{Finding, HubError, Preview, Refused, SourceKind};

use super::console::Console;
use crate::ground::error::Result;
use crate::ground::show;

/// The exit status if a source, the guard or the person has not let a command do its work.
pub(super) const REFUSED: u8 = 1;

/// Returns the text about a skill that is not installed yet.
pub(super) fn preview(preview: &Preview) -> String {
    let (bundle, origin) = (&preview.fetched.bundle, &preview.fetched.origin);
    let heading = bundle.heading();
    let name = if heading.name.is_empty() { "(without a name)" } else { &heading.name };
    let converted = if origin.is_converted { ", made into a skill from something else" } else { "" };
    let mut text = format!("{}\n{}\n\n", show::one_line(name), show::one_line(&heading.description));
    for (name, value) in [
        ("source", format!("{}, {}{converted}", origin.source, origin.id)),
        ("page", origin.url.clone()),
        ("version", origin.version.clone()),
        ("trust", origin.trust.to_string()),
    ] {
        let _ = writeln!(text, "{name}: {}", show::one_line(&value));
    }
    text += "files:\n";
    for file in bundle.files() {
        let program = if file.is_executable { ", can be run" } else { "" };
        let _ =
            writeln!(text, "  {}   {}{program}", show::one_line(&file.path), show::counted(file.bytes.len(), "byte"));
    }
    for warning in &origin.warnings {
        let _ = writeln!(text, "warning: {}", show::one_line(warning));
    }
    match &preview.verdict {
        Ok(accepted) if accepted.notes.is_empty() => text += "the guard found nothing\n",
        Ok(accepted) => {
            text += "the guard found nothing that blocks the skill:\n";
            text += &findings(&accepted.notes);
        }
        Err(refused) => text += &refusal(refused),
    }
    text
}

/// Returns the text about findings that block a skill.
pub(super) fn refusal(refused: &Refused) -> String {
    format!("the guard refuses these files:\n{}", findings(&refused.findings))
}

fn findings(findings: &[Finding]) -> String {
    let line = |finding: &Finding| {
        let place = if finding.line == 0 { finding.file.clone() } else { format!("{}:{}", finding.file, finding.line) };
        let never = if finding.can_be_accepted { "" } else { " (cannot be accepted)" };
        format!(
            "  {} [{}]{never}\n",
            show::one_line(&format!("{place}: {}", finding.reason)),
            show::one_line(&finding.id)
        )
    };
    findings.iter().map(line).collect()
}

/// Returns the JSON about a skill that is not installed yet.
pub(super) fn preview_json(preview: &Preview) -> Value {
    let (bundle, origin) = (&preview.fetched.bundle, &preview.fetched.origin);
    let heading = bundle.heading();
    let file = |file: &toolc_hub::BundleFile| json!({ "path": file.path, "size": file.bytes.len(), "executable": file.is_executable });
    let (verdict, findings) = match &preview.verdict {
        Ok(accepted) => ("allowed", &accepted.notes),
        Err(refused) => ("refused", &refused.findings),
    };
    json!({
        "name": heading.name,
        "description": heading.description,
        "source": origin.source,
        "id": origin.id,
        "url": origin.url,
        "version": origin.version,
        "trust": origin.trust,
        "converted": origin.is_converted,
        "warnings": origin.warnings,
        "files": bundle.files().iter().map(file).collect::<Vec<_>>(),
        "verdict": verdict,
        "findings": findings_json(findings),
    })
}

pub(super) fn findings_json(findings: &[Finding]) -> Vec<Value> {
    let one = |finding: &Finding| {
        let Finding { id, file, line, reason, can_be_accepted } = finding;
        json!({ "id": id, "file": file, "line": line, "reason": reason, "can_be_accepted": can_be_accepted })
    };
    findings.iter().map(one).collect()
}

/// Checks that each id that a person accepts is one of a finding that blocks. Otherwise it is misspelt, or of other files.
pub(super) fn are_known(accept: &[String], refused: &[&Refused], console: &dyn Console) -> bool {
    let ids = || refused.iter().flat_map(|refused| &refused.findings).map(|finding| finding.id.as_str());
    let unknown: Vec<&String> = accept.iter().filter(|id| !ids().any(|known| known == **id)).collect();
    for id in &unknown {
        let similar = toolc::suggest::suggestion(id, ids());
        console.note(&format!("error: `{}` is not a finding that blocks these files{similar}", show::one_line(id)));
    }
    unknown.is_empty()
}

/// What a person has answered on the command line.
#[derive(Debug, Args)]
pub(super) struct Answers {
    /// Accept a finding of the guard, by its id, for these files. Can be repeated.
    #[arg(long, value_name = "ID")]
    pub(super) accept: Vec<String>,
    /// Do not ask. A finding that blocks still needs `--accept`.
    #[arg(long)]
    pub(super) yes: bool,
}

/// Returns whether a person accepts all findings that block. Otherwise says what to do.
pub(super) fn is_accepted(refused: &Refused, accept: &[String], command: &str, console: &dyn Console) -> bool {
    let findings = &refused.findings;
    let ids = |findings: &[&Finding], before: &str| -> String {
        let ids = findings.iter().map(|finding| format!("{before}{}", show::one_line(&finding.id)));
        ids.collect::<Vec<_>>().join(" ")
    };
    let never: Vec<&Finding> = findings.iter().filter(|finding| !finding.can_be_accepted).collect();
    let open: Vec<&Finding> = findings.iter().filter(|finding| !accept.contains(&finding.id)).collect();
    if !never.is_empty() {
        console.note(&format!("error: refused: this can never be accepted: {}", ids(&never, "")));
    } else if !open.is_empty() {
        let options = ids(&open, "--accept ");
        console.note(&format!(
            "error: refused: if you have read the findings, `{command} {options}` accepts them for these files"
        ));
    }
    never.is_empty() && open.is_empty() && !findings.is_empty()
}

/// Returns the status of a command that the hub has refused. An error of the machine stays an error.
pub(super) fn refused(error: HubError, console: &dyn Console) -> Result<u8> {
    match error {
        HubError::Busy | HubError::Damaged { .. } | HubError::Io { .. } | HubError::Unfinished(..) => Err(error.into()),
        _ => {
            console.note(&format!("error: {error}"));
            Ok(REFUSED)
        }
    }
}

/// Returns the beginning of a commit, or a version.
pub(super) fn short(version: &str) -> String {
    let is_digest = version.len() >= 40;
    let end = if version.starts_with("sha256:") { 19 } else { 12 };
    show::one_line(version.get(..end).filter(|_| is_digest).unwrap_or(version))
}

/// The sources, by the words for them on the command line.
pub(super) const SOURCES: [(&str, SourceKind); 5] = [
    ("github", SourceKind::GitHub),
    ("marketplace", SourceKind::Marketplace),
    ("clawhub", SourceKind::ClawHub),
    ("skills.sh", SourceKind::SkillsSh),
    ("lobehub", SourceKind::LobeHub),
];
