//! Functions that hide a program: after `rm() { echo "$@"; }`, `rm -rf /` prints its arguments.

use std::collections::BTreeMap;

use crate::reading::{Command, Reading};
use crate::syntax::{CommandId, ScopeKind};

/// Programs that print their arguments, or do nothing. A function that runs only these is harmless, whatever it is given.
const PRINTERS: &[&str] = &[":", "echo", "exit", "false", "printf", "return", "true"];
/// Builtins that a function does not replace in every shell, and those that can remove a function or replace it.
const UNCERTAIN: &[&str] = &[
    ".", "alias", "builtin", "command", "declare", "enable", "eval", "exec", "hash", "readonly", "set", "shopt",
    "source", "trap", "typeset", "unalias", "unset", "unsetopt",
];

/// Returns the functions that the line certainly defines and that only print something, each with the last command of its body.
pub(super) fn harmless_functions(reading: &Reading) -> BTreeMap<&str, CommandId> {
    let mut found: BTreeMap<&str, Option<CommandId>> = BTreeMap::new();
    let is_uncertain = |command: &Command| command.program.name().is_none_or(|name| UNCERTAIN.contains(&name));
    if reading.commands.iter().any(is_uncertain) || reading.functions().any(|name| PRINTERS.contains(&name)) {
        return BTreeMap::new();
    }
    for id in reading.ids() {
        let command = reading.command(id);
        let mut scopes = reading.scopes(command.scope);
        let Some(name) = scopes.find_map(|scope| match &scope.kind {
            ScopeKind::Function(name) => Some(name.as_str()),
            _ => None,
        }) else {
            continue;
        };
        let is_defined = scopes.all(|scope| matches!(scope.kind, ScopeKind::Line | ScopeKind::Group));
        let is_harmless = command.via.is_none() && command.program.name().is_some_and(|name| PRINTERS.contains(&name));
        let body = found.entry(name).or_insert(Some(id));
        *body = body.filter(|_| is_defined && is_harmless).map(|_| id);
    }
    for command in reading.commands.iter().filter(|command| is_output_used(command, reading)) {
        if let Some(body) = command.program.name().and_then(|name| found.get_mut(name)) {
            *body = None;
        }
    }
    found.into_iter().filter_map(|(name, body)| Some((name, body?))).collect()
}

/// Returns whether the output of a command may go elsewhere than to the terminal. What a function prints can then matter as much as what
/// the program would do: after `git() { echo --output=x; }`, `$(git merge-base a b)` is an option.
fn is_output_used(command: &Command, reading: &Reading) -> bool {
    let uses_output = |kind: &ScopeKind| {
        matches!(kind, ScopeKind::Substitution | ScopeKind::ProcessSubstitution | ScopeKind::PipelinePart)
    };
    !command.redirects.is_empty() || reading.scopes(command.scope).any(|scope| uses_output(&scope.kind))
}
