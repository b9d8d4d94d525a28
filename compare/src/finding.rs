//! Findings: the changes between two snapshots as data.

use serde_json::{Value, json};

use crate::codes::{Code, Level};

/// A change.
#[derive(Debug, Clone)]
pub struct Finding {
    /// The kind of change.
    pub code: Code,
    /// What the change does to the exit status.
    pub level: Level,
    /// The list of the catalog with the entry, such as `tools`.
    pub list: &'static str,
    /// The name of the tool, toolset and so on.
    pub name: String,
    /// The place within the entry, as a JSON Pointer, such as `/params/limit`. Empty for the whole entry.
    pub at: String,
    /// Why this is a change, in one line.
    pub reason: String,
    /// What proves it.
    pub witness: Witness,
    /// Where it is in the new manifests.
    pub place: Option<Spot>,
    /// The reason for which the change was accepted.
    pub accepted: Option<String>,
}

/// What proves a change.
#[derive(Debug, Clone, PartialEq)]
pub enum Witness {
    /// Arguments or a result that one side accepts and the other one refuses.
    Value(Value),
    /// What was before, and what is now.
    Change(Value, Value),
    /// The reason says it all.
    None,
}

/// A place in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spot {
    /// The path relative to the project.
    pub path: String,
    /// The line, counted from 1.
    pub line: usize,
    /// The column, counted from 1.
    pub column: usize,
}

impl Finding {
    pub(crate) fn new(code: Code, list: &'static str, name: &str, reason: impl Into<String>) -> Self {
        Self {
            code,
            level: code.tier.level(),
            list,
            name: name.to_owned(),
            at: String::new(),
            reason: reason.into(),
            witness: Witness::None,
            place: None,
            accepted: None,
        }
    }

    #[must_use]
    pub(crate) fn at(mut self, at: impl Into<String>) -> Self {
        self.at = at.into();
        self
    }

    #[must_use]
    pub(crate) fn value(mut self, value: Value) -> Self {
        self.witness = Witness::Value(value);
        self
    }

    #[must_use]
    pub(crate) fn change(mut self, before: &Value, after: &Value) -> Self {
        self.witness = Witness::Change(before.clone(), after.clone());
        self
    }

    /// Returns whether the change is reported, and not only counted.
    pub fn is_shown(&self) -> bool {
        self.level > Level::Allow && self.accepted.is_none()
    }

    /// Returns what is changed: `tool search /params/limit`.
    pub fn subject(&self) -> String {
        let kind = match self.list {
            "tools" => "tool",
            "toolsets" => "toolset",
            "facts" => "fact",
            "env" => "variable",
            "distributions" => "distribution",
            other => other,
        };
        let at = if self.at.is_empty() { String::new() } else { format!(" {}", self.at) };
        format!("{kind} {}{at}", self.name)
    }

    /// Returns the finding as JSON.
    pub fn json(&self) -> Value {
        let mut json = json!({
            "code": self.code.id,
            "name": self.code.name,
            "tier": self.code.tier.word(),
            "level": match self.level {
                Level::Allow => "allow",
                Level::Warn => "warn",
                Level::Deny => "deny",
            },
            "list": self.list,
            "entry": self.name,
            "at": self.at,
            "reason": self.reason,
        });
        match &self.witness {
            Witness::Value(value) => json["witness"] = value.clone(),
            Witness::Change(before, after) => (json["before"], json["after"]) = (before.clone(), after.clone()),
            Witness::None => {}
        }
        if let Some(Spot { path, line, column }) = &self.place {
            json["place"] = json!({ "path": path, "line": line, "column": column });
        }
        if let Some(reason) = &self.accepted {
            json["accepted"] = json!(reason);
        }
        json
    }
}
