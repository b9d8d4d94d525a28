//! What the commands of the hub show: a skill of a source with its files, and what the guard says about it. All texts are from outside.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use clap::Args;
use serde_json::{Value, json};
use toolc_hub::{Accepted, Finding, HubError, Preview, Refused, SkillName, SourceKind};

use super::console::Console;
use crate::ground::error::{Error, Result as CommandResult};
use crate::ground::show;

/// The exit status if a command did not do all of its work: a source did not answer, or the guard or the person refused.
pub(super) const REFUSED: u8 = 1;
/// The maximum number of ids of findings that an error lists.
const MAX_IDS: usize = 20;

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
    let line = |finding: &Finding| format!("  {}\n", show::one_line(&finding.to_string()));
    findings.iter().map(line).collect()
}

/// Returns the JSON about a skill that is not installed yet.
pub(super) fn preview_json(preview: &Preview) -> Value {
    let (bundle, origin) = (&preview.fetched.bundle, &preview.fetched.origin);
    let heading = bundle.heading();
    let file = |file: &toolc_hub::BundleFile| json!({ "path": file.path, "size": file.bytes.len(), "executable": file.is_executable });
    let verdict = if preview.verdict.is_ok() { "allowed" } else { "refused" };
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
        "findings": findings_json(found(&preview.verdict)),
    })
}

pub(super) fn findings_json(findings: &[Finding]) -> Vec<Value> {
    let one = |finding: &Finding| {
        let Finding { id, file, line, reason, can_be_accepted } = finding;
        json!({ "id": id, "file": file, "line": line, "reason": reason, "can_be_accepted": can_be_accepted })
    };
    findings.iter().map(one).collect()
}

/// Returns what the guard has found.
pub(super) fn found(verdict: &Result<Accepted, Refused>) -> &[Finding] {
    match verdict {
        Ok(accepted) => &accepted.notes,
        Err(refused) => &refused.findings,
    }
}

/// The findings that a person accepts on the command line.
#[derive(Debug, Args)]
pub(super) struct Accept {
    /// Accept a finding of the guard for these files, by its id, as it is printed. Can be repeated.
    #[arg(long = "accept", value_name = "ID")]
    pub(super) ids: Vec<String>,
}

/// What a person has answered on the command line.
#[derive(Debug, Args)]
pub(super) struct Answers {
    #[command(flatten)]
    pub(super) accept: Accept,
    /// Do not ask. A finding that blocks still needs `--accept`.
    #[arg(long)]
    pub(super) yes: bool,
}

impl Accept {
    /// Checks that each id names a finding that can be accepted. An id that no finding has is misspelt, or was printed for other files.
    ///
    /// # Errors
    /// With all ids that are not, and those that exist.
    pub(super) fn check<'f>(&self, findings: impl IntoIterator<Item = &'f Finding>) -> CommandResult<()> {
        let findings: Vec<&Finding> = findings.into_iter().collect();
        let known: BTreeSet<&str> =
            findings.iter().filter(|finding| finding.can_be_accepted).map(|finding| &*finding.id).collect();
        let (mut unknown, mut wrong) = (false, Vec::new());
        for id in self.ids.iter().filter(|id| !known.contains(id.as_str())) {
            let shown = show::one_line(id);
            if let Some(finding) = findings.iter().find(|finding| finding.id == *id) {
                wrong.push(format!("`{shown}` cannot be accepted: {}", show::one_line(&finding.reason)));
            } else {
                let similar = toolc::suggest::suggestion(id, known.iter().copied());
                wrong.push(format!("no finding has the id `{shown}`{similar}"));
                unknown = true;
            }
        }
        if unknown {
            let listed: Vec<&str> = known.iter().copied().take(MAX_IDS).collect();
            let more = known.len() - listed.len();
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            wrong.push(match &*listed {
                [] => "there are no findings to accept".to_owned(),
                listed => format!("the findings that can be accepted are {}{more}", show::one_line(&listed.join(", "))),
            });
        }
        if wrong.is_empty() { Ok(()) } else { Err(Error::Invalid(wrong.join("\n"))) }
    }

    /// Returns whether all findings that block are accepted. Otherwise says what to do.
    pub(super) fn covers(&self, refused: &Refused, command: &str, console: &dyn Console) -> bool {
        let remedy = self.remedy(refused, command);
        if let Some(remedy) = &remedy {
            console.note(&format!("error: refused: {remedy}"));
        }
        remedy.is_none()
    }

    /// Returns what a person can do about files that the guard refuses. `None` if all findings are accepted.
    pub(super) fn remedy(&self, refused: &Refused, command: &str) -> Option<String> {
        let findings = &refused.findings;
        let ids = |findings: &[&Finding], before: &str| -> String {
            let ids = findings.iter().map(|finding| format!("{before}{}", show::one_line(&finding.id)));
            ids.collect::<Vec<_>>().join(" ")
        };
        let never: Vec<&Finding> = findings.iter().filter(|finding| !finding.can_be_accepted).collect();
        let open: Vec<&Finding> = findings.iter().filter(|finding| !self.ids.contains(&finding.id)).collect();
        if !never.is_empty() {
            return Some(format!("this can never be accepted: {}", ids(&never, "")));
        }
        let options = ids(&open, "--accept ");
        (!open.is_empty())
            .then(|| format!("if you have read the findings, `{command} {options}` accepts them for these files"))
    }
}

/// Says what a person can do about one of several skills that the guard refuses.
pub(super) fn refused_skill(name: &SkillName, remedy: Option<String>, console: &dyn Console) {
    if let Some(remedy) = remedy {
        console.note(&format!("error: {name} was refused: {remedy}"));
    }
}

/// Returns the status of a command that the hub has refused. An error of the machine stays an error.
pub(super) fn refused(error: HubError, console: &dyn Console) -> CommandResult<u8> {
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
