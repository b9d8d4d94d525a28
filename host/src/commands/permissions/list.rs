//! `toolc permissions list`.

use std::fmt::Write as _;
use std::io::{self, IsTerminal as _};

use serde_json::{Value, json};
use toolc_permissions::{Permission, PermissionFile, warnings};
use toolc_store::Approval;

use super::Loaded;
use crate::approval;
use crate::ground::ask::print;
use crate::ground::error::Result;
use crate::ground::show::{self, Look, Style};
use crate::ground::tell::tell;
use crate::ground::{terminal, time};

/// Lists the rules and the answers. A file with mistakes does not hide the answers.
pub(super) fn run(loaded: &Loaded, as_json: bool) -> Result<u8> {
    let approvals = approval::store(&loaded.home).list()?;
    let (files, status) = match loaded.files(&loaded.directory) {
        Ok(files) => (files, 0),
        Err(error) => {
            tell!("error: {error}");
            (Vec::new(), 2)
        }
    };
    for warning in warnings(&files, &loaded.tools) {
        tell!("{warning}");
    }
    print(&if as_json { json_line(&files, &approvals) } else { text(&files, &approvals, &[]) })?;
    Ok(status)
}

/// Returns the rules and the answers as text.
pub(super) fn listed(loaded: &Loaded, for_session: &[String]) -> Result<String> {
    Ok(text(&loaded.files(&loaded.directory)?, &approval::store(&loaded.home).list()?, for_session))
}

fn text(files: &[PermissionFile], approvals: &[Approval], for_session: &[String]) -> String {
    let look = Look::new(io::stdout().is_terminal().then(|| terminal::columns(io::stdout())));
    let mut text = String::new();
    for rule in files.iter().flat_map(PermissionFile::rules) {
        text += &rule_line(rule, look);
    }
    for approval in approvals {
        let id = look.paint(Style::Strong, &approval.id.to_string());
        let [tool, environment, directory] =
            [&approval.tool, &approval.environment, &approval.directory].map(|text| show::one_line(text));
        let place = if directory.is_empty() { String::new() } else { format!(", in {directory}") };
        let _ = writeln!(text, "{id}: {tool}, {environment}{place}, since {}", time::text(approval.added));
        text += &show::command(&approval.line, &[], look);
    }
    for answer in for_session {
        let _ = writeln!(text, "for this session: {}", show::one_line(answer));
    }
    if text.is_empty() {
        text += "no approvals\n";
    }
    text
}

/// Returns rules as text, one a line.
pub(in crate::commands) fn rules_text(rules: &[Permission], look: Look) -> String {
    rules.iter().map(|rule| rule_line(rule, look)).collect()
}

/// Returns rules as JSON.
pub(in crate::commands) fn rules_json(rules: &[Permission]) -> Value {
    rules.iter().map(rule_json).collect()
}

/// Returns a line about a rule.
pub(super) fn rule_line(rule: &Permission, look: Look) -> String {
    let [description, origin] = [rule.description(), &rule.origin().to_string()].map(show::one_line);
    let name = look.paint(Style::Strong, rule.name());
    format!("{} {name}: {description} ({origin})\n", rule.verdict().word())
}

/// Returns a rule as JSON.
pub(super) fn rule_json(rule: &Permission) -> Value {
    json!({
        "name": rule.name(),
        "verdict": rule.verdict().word(),
        "description": rule.description(),
        "origin": rule.origin().to_string(),
    })
}

fn json_line(files: &[PermissionFile], approvals: &[Approval]) -> String {
    let rules = files.iter().flat_map(PermissionFile::rules).map(rule_json);
    let answers = approvals.iter().map(|approval| {
        let Approval { id, tool, environment, line, .. } = approval;
        let added = time::text(approval.added);
        match &approval.rule {
            None => {
                let directory = &approval.directory;
                json!({ "id": id, "tool": tool, "environment": environment, "directory": directory, "command": line, "added": added })
            }
            Some(rule) => {
                json!({ "id": id, "tool": tool, "environment": environment, "calls": line, "rule": rule, "added": added })
            }
        }
    });
    format!("{}\n", rules.chain(answers).collect::<Value>())
}
