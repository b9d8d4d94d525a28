//! Follows `cd` with literals to find out the working directory of each command.

use std::collections::{HashMap, HashSet};

use super::Unfolder;
use crate::flags::{self, Argument};
use crate::reading::{Command, Directory, How};
use crate::syntax::{Part, ScopeId, ScopeKind, Word};

/// The maximum length of a directory that is followed. Each command stores a copy.
const MAX_PATH: usize = 512;

impl Unfolder<'_> {
    /// Sets the directory of every command.
    pub(super) fn set_directories(&mut self) {
        let changes = |command: &Command| matches!(command.program.name(), Some("cd" | "pushd" | "popd"));
        if !self.reading.commands.iter().any(changes) {
            return;
        }
        // In the order of running: each command, then those that it runs.
        let count = self.reading.commands.len();
        let mut children: Vec<Vec<usize>> = vec![Vec::new(); count];
        let mut order: Vec<usize> = Vec::with_capacity(count);
        for (index, command) in self.reading.commands.iter().enumerate() {
            if let Some(via) = command.via {
                children[via.command as usize].push(index);
            }
        }
        let mut stack: Vec<usize> =
            (0..count).filter(|index| self.reading.commands[*index].via.is_none()).rev().collect();
        while let Some(index) = stack.pop() {
            order.push(index);
            stack.extend(children[index].iter().rev());
        }
        let is_redefined = ["cd", "pushd", "popd"].iter().any(|name| self.variables.functions.contains(*name));
        // The scopes that contain a `cd`. A loop among them can run its commands again after it.
        let mut moving: HashSet<ScopeId> = HashSet::new();
        for command in self.reading.commands.iter().filter(|command| changes(command)) {
            let mut next = Some(command.scope);
            while let Some(scope) = next {
                moving.insert(scope);
                next = self.reading.scopes[scope as usize].parent;
            }
        }
        let mut current: HashMap<ScopeId, Directory> = HashMap::new();
        for index in order {
            let scope = self.reading.commands[index].scope;
            let process = self.process_of(scope);
            let directory =
                if self.is_moving(scope, &moving) { Directory::Unknown } else { self.directory_of(process, &current) };
            self.reading.commands[index].directory = directory.clone();
            let command = &self.reading.commands[index];
            if !changes(command) {
                continue;
            }
            // `sudo cd` should have no effect on the shell, but this is not certain.
            let is_own = command.via.is_none_or(|via| via.how == How::Code);
            let next = if is_redefined || !is_own || self.is_uncertain(scope, process) {
                Directory::Unknown
            } else {
                target(command, &directory)
            };
            current.insert(process, next);
        }
    }

    /// Returns whether commands in a scope may run after a `cd` that comes later in the text.
    fn is_moving(&self, scope: ScopeId, moving: &HashSet<ScopeId>) -> bool {
        let mut next = Some(scope);
        while let Some(id) = next {
            let inner = &self.reading.scopes[id as usize];
            if matches!(inner.kind, ScopeKind::Function(_)) || inner.kind == ScopeKind::Loop && moving.contains(&id) {
                return true;
            }
            next = inner.parent;
        }
        false
    }

    /// Returns the innermost scope that is a process of its own.
    fn process_of(&self, mut scope: ScopeId) -> ScopeId {
        loop {
            let inner = &self.reading.scopes[scope as usize];
            match inner.parent {
                Some(parent) if !inner.kind.is_own_process() => scope = parent,
                _ => return scope,
            }
        }
    }

    /// Returns the current directory of a process: its own, or that of the process around it.
    fn directory_of(&self, process: ScopeId, current: &HashMap<ScopeId, Directory>) -> Directory {
        let mut next = Some(process);
        while let Some(scope) = next {
            if let Some(directory) = current.get(&scope) {
                return directory.clone();
            }
            next = self.reading.scopes[scope as usize].parent.map(|parent| self.process_of(parent));
        }
        Directory::Start
    }

    /// Returns whether a command in `scope` may not run, or may run more than once.
    fn is_uncertain(&self, mut scope: ScopeId, process: ScopeId) -> bool {
        while scope != process {
            let inner = &self.reading.scopes[scope as usize];
            if inner.kind.is_conditional() {
                return true;
            }
            match inner.parent {
                Some(parent) => scope = parent,
                None => return false,
            }
        }
        matches!(self.reading.scopes[process as usize].kind, ScopeKind::Function(_))
    }
}

/// Returns the directory after a `cd`.
fn target(command: &Command, from: &Directory) -> Directory {
    let is_cd = command.program.name() == Some("cd");
    // `pushd -n` changes nothing, and `pushd +1` goes to a folder that the shell remembers.
    let is_plain = |word: &Word| word.text().is_none_or(|text| !text.starts_with(['-', '+']));
    let is_pushd = command.program.name() == Some("pushd") && command.arguments().iter().all(is_plain);
    if !(is_cd || is_pushd && command.arguments().len() == 1) {
        return Directory::Unknown;
    }
    let mut operand = None;
    for argument in flags::arguments(command.arguments(), &[]) {
        match argument {
            Argument::Option { .. } => {}
            Argument::Operand { word, .. } if operand.is_none() => operand = Some(word),
            Argument::Operand { .. } | Argument::Either { .. } => return Directory::Unknown,
        }
    }
    let Some(word) = operand else { return Directory::At("~".to_owned()) };
    let path = match word.parts.split_first() {
        Some((Part::Tilde { user }, rest)) if user.is_empty() => {
            let rest: Option<String> = rest
                .iter()
                .map(|part| match part {
                    Part::Literal { text, .. } => Some(text.as_str()),
                    _ => None,
                })
                .collect();
            rest.map(|rest| format!("~{rest}"))
        }
        _ => word.text().filter(|text| *text != "-").map(std::borrow::Cow::into_owned),
    };
    match (path, from) {
        (Some(path), _) if path.len() > MAX_PATH => Directory::Unknown,
        (Some(path), _) if path.starts_with(['/', '~']) => Directory::At(path),
        (Some(path), Directory::At(base)) if base.len() + path.len() > MAX_PATH => Directory::Unknown,
        (Some(path), Directory::At(base)) => Directory::At(format!("{}/{path}", base.trim_end_matches('/'))),
        (Some(path), Directory::Start) => Directory::At(path),
        (None, _) | (Some(_), Directory::Unknown) => Directory::Unknown,
    }
}
