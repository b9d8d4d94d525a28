//! Follows `cd` with literals to find out the working directory of each command.

use std::collections::{HashMap, HashSet};

use super::Unfolder;
use crate::flags::{self, Argument, Value, is_abbreviation};
use crate::programs::{Program, Runs};
use crate::reading::{Command, Directory, How};
use crate::syntax::{Part, ScopeId, ScopeKind, Word};

/// The maximum length of a directory that is followed. Each command stores a copy.
const MAX_PATH: usize = 512;

impl Unfolder<'_> {
    /// Sets the directory of every command.
    pub(super) fn set_directories(&mut self) {
        if self.movers.is_empty() && !self.reading.commands.iter().any(Command::changes_directory) {
            return;
        }
        let (order, children) = self.running_order();
        let is_redefined = ["cd", "pushd", "popd"].iter().any(|name| self.variables.functions.contains(*name));
        let moving = self.moving_scopes();
        let mut current: HashMap<ScopeId, Directory> = HashMap::new();
        // The directories of the commands that a wrapper runs.
        let mut within: HashMap<usize, Directory> = HashMap::new();
        for index in order {
            let scope = self.reading.commands[index].scope;
            let process = self.process_of(scope);
            let directory =
                if self.is_moving(scope, &moving) { Directory::Unknown } else { self.directory_of(process, &current) };
            let directory = within.remove(&index).unwrap_or(directory);
            self.reading.commands[index].directory = directory.clone();
            let is_within = matches!(directory, Directory::Within(_));
            if is_within || self.movers.contains_key(&index) {
                let inner =
                    self.movers.get(&index).map_or(directory.clone(), |folder| joined(&directory, folder.as_deref()));
                for child in &children[index] {
                    match self.code_scope(*child, scope) {
                        Some(code) => drop(current.insert(code, inner.clone())),
                        None => drop(within.insert(*child, inner.clone())),
                    }
                }
            }
            let command = &self.reading.commands[index];
            if !command.changes_directory() {
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

    /// Returns all commands in the order of running, each before those that it runs, and the commands that each runs.
    fn running_order(&self) -> (Vec<usize>, Vec<Vec<usize>>) {
        let count = self.reading.commands.len();
        let mut children: Vec<Vec<usize>> = vec![Vec::new(); count];
        for (index, command) in self.reading.commands.iter().enumerate() {
            if let Some(via) = command.via {
                children[via.command as usize].push(index);
            }
        }
        let mut order: Vec<usize> = Vec::with_capacity(count);
        let mut stack: Vec<usize> =
            (0..count).filter(|index| self.reading.commands[*index].via.is_none()).rev().collect();
        while let Some(index) = stack.pop() {
            order.push(index);
            stack.extend(children[index].iter().rev());
        }
        (order, children)
    }

    /// Returns the scopes that contain a `cd`. A loop among them can run its commands again after it.
    fn moving_scopes(&self) -> HashSet<ScopeId> {
        let mut moving: HashSet<ScopeId> = HashSet::new();
        for command in self.reading.commands.iter().filter(|command| command.changes_directory()) {
            let mut next = Some(command.scope);
            while let Some(scope) = next {
                moving.insert(scope);
                next = self.reading.scopes[scope as usize].parent;
            }
        }
        moving
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

    /// Returns the scope of the code that contains a command, if a command in `around` runs that code.
    fn code_scope(&self, index: usize, around: ScopeId) -> Option<ScopeId> {
        if self.reading.commands[index].via.is_none_or(|via| !matches!(via.how, How::Code | How::Input)) {
            return None;
        }
        let mut scope = self.reading.commands[index].scope;
        loop {
            match self.reading.scopes[scope as usize].parent {
                Some(parent) if parent == around => return Some(scope),
                Some(parent) => scope = parent,
                None => return None,
            }
        }
    }

    /// Records the working directory that the options of a wrapper name for the commands that it runs.
    pub(super) fn record_directory(&mut self, index: usize, arguments: &[Word], program: &Program<'_>) {
        let mut folders: Vec<Option<String>> = Vec::new();
        let mut is_after = !program.runs.iter().any(|runs| matches!(runs, Runs::Rest(rest) if !rest.after.is_empty()));
        for argument in flags::arguments(arguments, program.value_options) {
            let (name, value) = match argument {
                Argument::Option { name, value, .. } => (name, value),
                // The other options belong to the command.
                Argument::Operand { .. } | Argument::Either { .. } if is_after => break,
                Argument::Operand { word, .. } | Argument::Either { word, .. } => {
                    let text = word.text();
                    let is_last = |words: &&str| words.rsplit(' ').next() == text.as_deref();
                    let is_one = |runs: &Runs<'_>| matches!(runs, Runs::Rest(rest) if rest.after.iter().any(is_last));
                    is_after = program.runs.iter().any(is_one);
                    continue;
                }
            };
            if program.directory_options.iter().any(|option| is_abbreviation(&name, option)) {
                folders.push(match value {
                    Some(Value::Word(word)) => match word.parts.split_first() {
                        Some((Part::Variable { name, operation: None, .. }, rest)) if name == "HOME" => {
                            below_home(rest)
                        }
                        _ => path_of(word),
                    },
                    Some(Value::Text(text)) => Some(text.into_owned()),
                    Some(Value::Built(_)) | None => None,
                });
            }
        }
        match folders.as_slice() {
            [] => {}
            [folder] => drop(self.movers.insert(index, folder.clone())),
            // Programs differ in whether a later folder is relative to the one before it.
            [.., last] => drop(self.movers.insert(index, last.clone().filter(|path| path.starts_with(['/', '~'])))),
        }
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
    let path = path_of(word).filter(|text| text != "-");
    match (path, from) {
        (Some(path), _) if path.len() > MAX_PATH => Directory::Unknown,
        (Some(path), _) if path.starts_with(['/', '~']) => Directory::At(path),
        (Some(path), Directory::At(base) | Directory::Within(base)) if base.len() + path.len() > MAX_PATH => {
            Directory::Unknown
        }
        (Some(path), Directory::At(base) | Directory::Within(base)) => Directory::At(below(base, &path)),
        (Some(path), Directory::Start) => Directory::At(path),
        (None, _) | (Some(_), Directory::Unknown) => Directory::Unknown,
    }
}

/// Returns the directory that an option of a wrapper names. `None` stands for an unknown folder.
fn joined(from: &Directory, folder: Option<&str>) -> Directory {
    let Some(folder) = folder.filter(|path| path.len() <= MAX_PATH) else { return Directory::Unknown };
    if folder.starts_with(['/', '~']) {
        return Directory::Within(folder.to_owned());
    }
    match from {
        Directory::Start => Directory::Within(folder.to_owned()),
        Directory::At(base) | Directory::Within(base) if base.len() + folder.len() > MAX_PATH => Directory::Unknown,
        Directory::Within(base) => Directory::Within(below(base, folder)),
        // The `cd` before the wrapper can fail.
        Directory::At(base) => Directory::At(below(base, folder)),
        Directory::Unknown => Directory::Unknown,
    }
}

fn below(base: &str, path: &str) -> String {
    format!("{}/{path}", base.trim_end_matches('/'))
}

/// Returns the path of a folder, if it is certain, with `~` for the home folder.
fn path_of(word: &Word) -> Option<String> {
    match word.parts.split_first() {
        Some((Part::Tilde { user }, rest)) if user.is_empty() => below_home(rest),
        _ => word.text().map(std::borrow::Cow::into_owned),
    }
}

/// Returns the path of a folder below the home folder, if it is certain.
fn below_home(rest: &[Part]) -> Option<String> {
    let text = |part: &Part| match part {
        Part::Literal { text, .. } => Some(text.clone()),
        _ => None,
    };
    let rest: String = rest.iter().map(text).collect::<Option<_>>()?;
    (rest.is_empty() || rest.starts_with('/')).then(|| format!("~{rest}"))
}
