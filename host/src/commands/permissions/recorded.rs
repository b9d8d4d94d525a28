//! `toolc permissions test --recorded`: recorded calls about which the rules decide.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use serde_json::{Value, json};
use toolc::approval::PermissionCall;
use toolc::{Call, ToolCall};
use toolc_permissions::{SessionPermissions, Verdict};
use toolc_store::{Database, MessageKind, SessionInfo, Sessions, StoredMessage};

use super::{Loaded, task_in};
use crate::agent::StoredCall;
use crate::ground::ask::print;
use crate::ground::error::Result;
use crate::ground::{show, time as times};

/// A recorded call whose verdict the rules change.
struct Changed {
    session: String,
    time: SystemTime,
    tool: String,
    arguments: Value,
    verdict: Verdict,
    rules: Vec<String>,
}

/// Reads a time such as `7d`.
pub(super) fn time(text: &str) -> std::result::Result<Duration, String> {
    const EXPECTED: &str = "expected a number of minutes, hours, days or weeks, such as `30m`, `12h`, `7d` or `4w`";
    let (number, unit) = text.split_at_checked(text.len().saturating_sub(1)).ok_or(EXPECTED)?;
    let seconds: u64 = match unit {
        "m" => 60,
        "h" => 3600,
        "d" => 24 * 3600,
        "w" => 7 * 24 * 3600,
        _ => return Err(EXPECTED.to_owned()),
    };
    let number: u64 = number.parse().map_err(|_| EXPECTED)?;
    number.checked_mul(seconds).map(Duration::from_secs).ok_or_else(|| EXPECTED.to_owned())
}

/// Prints the calls since then whose verdict the rules change. Returns the exit status.
pub(super) fn run(loaded: &Loaded, since: Duration, as_json: bool) -> Result<u8> {
    let from = SystemTime::now().checked_sub(since).unwrap_or(SystemTime::UNIX_EPOCH);
    let sessions = Sessions::new(Arc::new(Database::new(loaded.home.state())));
    let mut replay = Replay { loaded, permissions: BTreeMap::new(), calls: 0, changed: Vec::new() };
    for info in sessions.list(usize::MAX)?.into_iter().filter(|info| info.updated >= from) {
        let mut messages = Vec::new();
        sessions.each_message(&info.name, |message| {
            if message.kind == MessageKind::Model && message.time >= from {
                messages.push(message);
            }
        })?;
        for message in messages {
            replay.message(&info, &message)?;
        }
    }
    let Replay { calls, changed, .. } = replay;
    print(&if as_json { json_line(calls, &changed) } else { text(calls, &changed, from) })?;
    Ok(u8::from(!changed.is_empty()))
}

struct Replay<'l> {
    loaded: &'l Loaded,
    /// The permissions by directory: a project can have its own.
    permissions: BTreeMap<PathBuf, SessionPermissions>,
    calls: usize,
    changed: Vec<Changed>,
}

impl Replay<'_> {
    fn message(&mut self, info: &SessionInfo, message: &StoredMessage) -> Result<()> {
        let calls: Vec<StoredCall> = serde_json::from_str(&message.details).unwrap_or_default();
        for StoredCall { name, arguments, .. } in calls {
            let Some(tool) = self.loaded.tool(&name) else { continue };
            // What is not an object was refused.
            let Ok(Value::Object(arguments)) = serde_json::from_str(&arguments) else { continue };
            let mut arguments = Value::Object(arguments);
            toolc::args::repair(&mut arguments, &tool.arguments);
            self.calls += 1;
            let directory = Path::new(&info.directory);
            let task = task_in(directory);
            let call = Call::new(ToolCall::new(&tool.name, "{}").with_task(&task));
            let asked = PermissionCall::new(&tool, &arguments, &call);
            let before = if asked.is_declared { Verdict::Ask } else { Verdict::Allow };
            let found = self.permissions(directory)?.judge(&asked);
            if found.verdict == before {
                continue;
            }
            self.changed.push(Changed {
                session: info.name.clone(),
                time: message.time,
                tool: tool.name.to_string(),
                verdict: found.verdict,
                rules: found.rules.iter().map(|rule| rule.name().to_owned()).collect(),
                arguments,
            });
        }
        Ok(())
    }

    fn permissions(&mut self, directory: &Path) -> Result<&SessionPermissions> {
        if !self.permissions.contains_key(directory) {
            let made = self.loaded.permissions(&self.loaded.files(directory)?).session();
            self.permissions.insert(directory.to_owned(), made);
        }
        Ok(&self.permissions[directory])
    }
}

fn text(calls: usize, changed: &[Changed], from: SystemTime) -> String {
    let mut text = String::new();
    for call in changed {
        let arguments = show::one_line(&call.arguments.to_string());
        let shown: String = arguments.chars().take(200).collect();
        let end = if shown.len() < arguments.len() { "…" } else { "" };
        let (verdict, tool, rules) = (call.verdict.word(), show::one_line(&call.tool), call.rules.join(", "));
        let _ = writeln!(text, "{verdict} {tool} {shown}{end}");
        let _ = writeln!(text, "    {rules}; {}, {}", show::one_line(&call.session), times::text(call.time));
    }
    let count = |verdict| changed.iter().filter(|call| call.verdict == verdict).count();
    let (asked, denied, allowed) = (count(Verdict::Ask), count(Verdict::Deny), count(Verdict::Allow));
    let since = times::text(from);
    text + &format!(
        "of {calls} calls since {since}, {asked} would now ask, {denied} would be denied, {allowed} would no longer ask\n"
    )
}

fn json_line(calls: usize, changed: &[Changed]) -> String {
    let changed = changed.iter().map(|call| {
        json!({
            "verdict": call.verdict.word(),
            "rules": call.rules,
            "tool": call.tool,
            "arguments": call.arguments,
            "session": call.session,
            "time": times::text(call.time),
        })
    });
    format!("{}\n", json!({ "calls": calls, "changed": changed.collect::<Value>() }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_a_unit() {
        assert_eq!(time("7d"), Ok(Duration::from_hours(168)));
        assert_eq!(time("90m"), Ok(Duration::from_mins(90)));
        for wrong in ["", "7", "d", "-1d", "7 d", "1y", "99999999999999999999w", "9999999999999999999w", "ä"] {
            assert!(time(wrong).is_err(), "{wrong}");
        }
    }
}
