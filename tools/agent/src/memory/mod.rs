//! The `memory` tool: notes that outlive a conversation, about the work and about the user.
//!
//! [`MemoryStore`] stores the notes, by default in files ([`FileMemory`]). [`change`] applies the operations of the tool, and
//! [`snapshot`] makes the text with which a conversation begins.

mod change;
mod files;
mod snapshot;
#[cfg(test)]
mod tests;

use toolc::{Call, ToolError};
use toolc_catalog::memory::MemoryTools;
use toolc_catalog::memory::memory::{Action, Args, OperationsItem, OperationsItemAction, Returns, Target};

use change::{Operation, apply, total_chars};
pub use files::FileMemory;
pub use snapshot::{MemorySnapshot, snapshot};

/// What notes are about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MemoryTarget {
    /// The environment, the conventions of projects, and the quirks of tools.
    Memory,
    /// The user: who they are, and how they like to work.
    User,
}

impl MemoryTarget {
    /// Both targets.
    pub const ALL: [Self; 2] = [Self::Memory, Self::User];

    /// Returns the word for the target: `memory` or `user`.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Memory => "memory",
            Self::User => "user",
        }
    }

    /// Returns the maximum number of characters of all notes of the target together. Every conversation pays for them.
    pub const fn max_chars(self) -> usize {
        match self {
            Self::Memory => 2_200,
            Self::User => 1_375,
        }
    }
}

/// A store of notes. A host gives one to its sessions as a [value](toolc::SessionBuilder::value).
pub trait MemoryStore: Send + Sync {
    /// Returns the entries of a target, in order.
    ///
    /// # Errors
    /// Returns an error for the model and the user if the entries cannot be read.
    fn entries(&self, target: MemoryTarget) -> Result<Vec<String>, ToolError>;

    /// Replaces the entries of a target with the result of `change`, and returns the new entries. No other process changes the entries in
    /// the meantime. If `change` fails, the entries are not changed.
    ///
    /// # Errors
    /// Returns the error of `change`, or another one if the entries cannot be read or written.
    fn change(&self, target: MemoryTarget, change: &mut Change<'_>) -> Result<Vec<String>, ToolError>;
}

/// A change of the entries of a target.
pub type Change<'c> = dyn FnMut(Vec<String>) -> Result<Vec<String>, ToolError> + 'c;

/// The handler of the toolset `memory`. It uses the [`MemoryStore`] of the session.
#[derive(Debug, Clone, Copy, Default)]
pub struct MemoryHandlers;

impl MemoryTools for MemoryHandlers {
    fn memory(&self, args: Args, call: &Call<'_>) -> Result<Returns, ToolError> {
        let store = call.require_value::<dyn MemoryStore>()?;
        let target = match args.target {
            Target::Memory => MemoryTarget::Memory,
            Target::User => MemoryTarget::User,
        };
        let operations = operations(args)?;
        if operations.is_empty() {
            return Ok(returns(target, &store.entries(target)?, Vec::new()));
        }
        let mut notes = Vec::new();
        let secrets = call.redactor();
        let entries = store.change(target, &mut |entries| {
            let changed = apply(target, entries, &operations, &secrets)?;
            notes = changed.notes;
            Ok(changed.entries)
        })?;
        Ok(returns(target, &entries, notes))
    }
}

fn returns(target: MemoryTarget, entries: &[String], mut notes: Vec<String>) -> Returns {
    let chars = total_chars(entries);
    if chars > target.max_chars() {
        notes.push(
            "the file was edited and exceeds the maximum: conversations begin without the last entries".to_owned(),
        );
    }
    let number = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
    Returns {
        entries: change::sanitize(entries),
        chars: number(chars),
        max_chars: number(target.max_chars()),
        note: (!notes.is_empty()).then(|| notes.join("; ")),
    }
}

/// Returns the operations of a call. They are empty if the call only reads.
fn operations(args: Args) -> Result<Vec<Operation>, ToolError> {
    let Args { action, target: _, content, old_text, operations } = args;
    let items = operations.unwrap_or_default();
    let Some(action) = action else {
        let has_text = [&content, &old_text].into_iter().any(|text| is_given(text.as_ref()));
        if has_text {
            return Err(ToolError::new(
                "`content` and `old_text` need an `action`: add, replace or remove. Nothing was changed",
            ));
        }
        let operation =
            |(number, item)| operation(item).map_err(|problem| error(&format!("operation {number}: {problem}")));
        return (1..).zip(items).map(operation).collect();
    };
    if !items.is_empty() {
        return Err(error("give either `action` or `operations`, not both"));
    }
    let action = match action {
        Action::Add => OperationsItemAction::Add,
        Action::Replace => OperationsItemAction::Replace,
        Action::Remove => OperationsItemAction::Remove,
    };
    operation(OperationsItem { action, content, old_text })
        .map(|operation| vec![operation])
        .map_err(|problem| error(&problem))
}

fn operation(item: OperationsItem) -> Result<Operation, String> {
    let OperationsItem { action, content, old_text } = item;
    let [content, old_text] = [content, old_text].map(|text| text.filter(|text| !text.trim().is_empty()));
    match (action, content, old_text) {
        (OperationsItemAction::Add, Some(content), None) => Ok(Operation::Add(content)),
        (OperationsItemAction::Replace, Some(content), Some(old_text)) => Ok(Operation::Replace { old_text, content }),
        (OperationsItemAction::Remove, None, Some(old_text)) => Ok(Operation::Remove(old_text)),
        (OperationsItemAction::Add, None, _) => Err("add needs `content`, the new entry".to_owned()),
        (OperationsItemAction::Add, _, Some(_)) => {
            Err("add takes no `old_text`: to change an entry, use replace".to_owned())
        }
        (OperationsItemAction::Replace, _, None) => {
            Err("replace needs `old_text`, a part of the entry to replace".to_owned())
        }
        (OperationsItemAction::Replace, None, _) => {
            Err("replace needs `content`, the new entry: to delete an entry, use remove".to_owned())
        }
        (OperationsItemAction::Remove, _, None) => {
            Err("remove needs `old_text`, a part of the entry to remove".to_owned())
        }
        (OperationsItemAction::Remove, Some(_), _) => {
            Err("remove takes no `content`: to change an entry, use replace".to_owned())
        }
    }
}

fn is_given(text: Option<&String>) -> bool {
    text.is_some_and(|text| !text.trim().is_empty())
}

/// Returns an error about a call that changes nothing.
fn error(problem: &str) -> ToolError {
    ToolError::new(format!("{problem}. Nothing was changed"))
}
