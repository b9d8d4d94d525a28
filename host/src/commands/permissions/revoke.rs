//! `toolc permissions revoke`: revokes answers, and removes rules from the user's file.

use serde_json::{Value, json};
use toolc_config::Home;

use super::Loaded;
use super::add::change_rules;
use crate::approval;
use crate::ground::ask::print;
use crate::ground::error::Result;
use crate::ground::show;
use crate::ground::tell::tell;
use crate::options::ToolOptions;

/// Revokes the answers with these ids and the rules with these names, or all answers. Returns the exit status.
pub(super) fn run(options: &ToolOptions, home: Home, ids: &[String], all: bool, as_json: bool) -> Result<u8> {
    let store = approval::store(&home);
    let mut answers = if all { store.revoke_all()? } else { 0 };
    let (mut names, mut unknown) = (Vec::new(), Vec::new());
    for id in ids {
        match id.parse::<i64>() {
            Err(_) => names.push(id.as_str()),
            Ok(id) if store.revoke(id)? => answers += 1,
            Ok(id) => {
                tell!("error: no approval has the id {id}");
                unknown.push(json!(id));
            }
        }
    }
    let rules = if names.is_empty() { Vec::new() } else { remove(&Loaded::new(options, home)?, &names, &mut unknown)? };
    let mut text = String::new();
    if answers > 0 || names.is_empty() {
        text += &format!("{} revoked\n", show::counted(answers, "approval"));
    }
    text.extend(rules.iter().map(|name| format!("the rule {name} is removed\n")));
    print(&if as_json {
        format!("{}\n", json!({ "revoked": answers, "rules": rules, "unknown": unknown }))
    } else {
        text
    })?;
    Ok(u8::from(!unknown.is_empty()))
}

/// Removes rules, unless the others would then have mistakes. Returns the names of those that were there.
fn remove<'n>(loaded: &Loaded, names: &[&'n str], unknown: &mut Vec<Value>) -> Result<Vec<&'n str>> {
    let mut removed = Vec::new();
    change_rules(loaded, |old| {
        let mut text = old.to_owned();
        for name in names {
            if let Some(new) = toolc_permissions::without_rule(&text, name)? {
                text = new;
                removed.push(*name);
            }
        }
        Ok(text)
    })?;
    let path = loaded.home.permissions();
    for name in names.iter().filter(|name| !removed.contains(name)) {
        tell!("error: {} has no rule with the name {}", path.display(), show::one_line(name));
        unknown.push(json!(name));
    }
    Ok(removed)
}
