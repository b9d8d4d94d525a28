//! What `toolc why` says about permissions.

use serde_json::{Value, json};
use toolc::Tool;
use toolc_cli::DoctorSection;

use super::Loaded;
use super::list::{rule_json, rule_line};
use crate::approval::verdict::About;
use crate::ground::error::Result;
use crate::ground::show::Look;

/// Returns a section about the rules and answers that can match calls of a tool, and if there are arguments, about the verdict. Files with
/// mistakes are a part of the explanation: no call runs then.
pub(in crate::commands) fn section(loaded: &Loaded, name: &str, arguments: Option<&Value>) -> DoctorSection {
    let explained = loaded.tool(name).map(|tool| explain(loaded, &tool, arguments));
    let (text, json) = match explained {
        Some(Ok(explained)) => explained,
        Some(Err(error)) => {
            (format!("permissions: no call runs\n    error: {error}"), json!({ "error": error.to_string() }))
        }
        None => (String::new(), Value::Null),
    };
    DoctorSection { key: "permissions".to_owned(), json, text, problems: Vec::new() }
}

fn explain(loaded: &Loaded, tool: &Tool, arguments: Option<&Value>) -> Result<(String, Value)> {
    let permissions = loaded.permissions(&loaded.files(&loaded.directory)?).session();
    let (rules, look) = (permissions.about(tool), Look::new(None));
    let is_declared = tool.behaviour.approval.always;
    let mut lines = vec![match (rules.is_empty(), is_declared) {
        (true, false) => "permissions: no rule is about this tool".to_owned(),
        (true, true) => "permissions: no rule is about this tool, and every call of it needs approval".to_owned(),
        (false, false) => "permissions: these rules are about this tool".to_owned(),
        (false, true) => {
            "permissions: every call of this tool needs approval unless a rule allows it, and these rules are about it"
                .to_owned()
        }
    }];
    lines.extend(rules.iter().map(|rule| format!("    {}", rule_line(rule, look).trim_end())));
    let mut json = json!({ "requires_approval": is_declared, "rules": rules.iter().map(rule_json).collect::<Value>() });
    if let Some(arguments) = arguments {
        let found = loaded.verdict(tool, arguments)?;
        let names: Vec<&str> = found.permissions.rules.iter().map(toolc_permissions::Permission::name).collect();
        json["decided_by"] = names.into();
        found.add_to(&mut json);
        lines.extend(found.text(About::Call, look).lines().map(|line| format!("    {line}")));
    }
    Ok((lines.join("\n"), json))
}
