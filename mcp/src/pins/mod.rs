//! Pins the definitions of servers: a lock file keeps the accepted definitions, and a definition that differs is held back until a
//! person accepts it.

mod canonical;
mod change;
mod compare;
mod findings;
mod lock;
mod schema;
mod skills;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::{Mutex, PoisonError};

use serde::Serialize;
use serde_json::{Value, json};

pub use change::{Change, ChangeClass};
pub use findings::TextFinding;
use lock::Lock;
pub(crate) use lock::identity;
pub(crate) use skills::{SkillDefinition, SkillReview, definition};

use crate::definition::Definition;
use crate::error::{ErrorKind, McpError};
use crate::settings::{PinPolicy, Pinning, Server};

/// Held while a lock file is read and replaced: tools and skills are reviewed at the same time.
static TURN: Mutex<()> = Mutex::new(());

/// A tool or a skill that is held back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct HeldBack {
    /// The name that the server gave it. For a skill, its name among the skills of the server.
    pub tool: String,
    /// Whether it was not accepted before.
    pub is_new: bool,
    /// Whether it is a skill.
    #[serde(skip)]
    pub(crate) is_skill: bool,
    /// Its whole definition, if it is new.
    #[serde(skip)]
    pub definition: Option<Value>,
    /// The differences from what was accepted.
    pub changes: Vec<Change>,
    /// Suspicious texts.
    pub findings: Vec<TextFinding>,
}

/// A server's list as it is compared with the lock file.
#[derive(Debug, Clone)]
pub(crate) struct ServerList {
    pub(crate) instructions: Option<String>,
    /// The names of all tools that the server lists.
    pub(crate) names: BTreeSet<String>,
    /// The definitions of the tools that can be used.
    pub(crate) definitions: BTreeMap<String, Value>,
}

/// The result of a comparison.
#[derive(Debug, Default)]
pub(crate) struct Review {
    pub(crate) accepted: Vec<Definition>,
    pub(crate) held_back: Vec<HeldBack>,
    /// Accepted tools that the server does not list any more.
    pub(crate) removed: Vec<String>,
    /// Changes of the server itself.
    pub(crate) server_changes: Vec<Change>,
    /// Why the lock file cannot be read or written.
    pub(crate) problem: Option<String>,
}

impl Pinning {
    /// Fails if the command line or the address of the server is not the pinned one, unless a person has agreed to the start.
    pub(crate) fn check_identity(&self, server: &Server) -> Result<(), McpError> {
        if self.for_review {
            return Ok(());
        }
        let Some(change) = server.changed_start()? else { return Ok(()) };
        let (name, lines) = (&server.name, change.lines.join("\n"));
        let message = format!(
            "its command line or address has changed since it was accepted, and it is not started:\n{lines}\n`toolc mcp accept {name}` asks \
             whether to start it, and accepts it"
        );
        Err(McpError::new(ErrorKind::NotAccepted, message))
    }

    /// Compares definitions with the lock file, and pins those that no person must accept.
    pub(crate) fn review(&self, server: &Server, listed: &ServerList, definitions: Vec<Definition>) -> Review {
        let mut review = Review::default();
        let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        let read = match Lock::read(&self.file) {
            Ok(read) => read,
            Err(problem) => {
                let held = |definition: Definition| HeldBack::new(definition, false, Vec::new(), Vec::new());
                review.held_back = definitions.into_iter().map(held).collect();
                review.problem = Some(problem.to_string());
                return review;
            }
        };
        let is_first = read.is_none();
        let before = read.unwrap_or_else(|| Lock::new(server, listed.instructions.clone()));
        let mut lock = before.clone();
        for definition in definitions {
            let pinned = before.tools.get(&definition.own_name);
            if pinned == Some(&definition.whole) {
                review.accepted.push(definition);
                continue;
            }
            let changes = pinned.map(|pinned| changes(pinned, &definition.whole)).unwrap_or_default();
            if pinned.is_some() && changes.is_empty() {
                // The definition has another text, and the same meaning.
                review.accepted.push(definition);
                continue;
            }
            let findings = findings::findings(&definition.whole);
            let is_new = pinned.is_none();
            let is_additive = changes.iter().all(|change| change.class == ChangeClass::Additive);
            let is_accepted = findings.is_empty()
                && match self.policy {
                    PinPolicy::Off => true,
                    PinPolicy::Additive => is_additive,
                    PinPolicy::Strict => is_first,
                };
            if is_accepted {
                lock.tools.insert(definition.own_name.clone(), definition.whole.clone());
                review.accepted.push(definition);
            } else {
                review.held_back.push(HeldBack::new(definition, is_new, changes, findings));
            }
        }
        review.removed = before.tools.keys().filter(|name| !listed.names.contains(*name)).cloned().collect();
        review.server_changes = server_changes(&before, server, listed);
        let is_written = !self.for_review && self.policy != PinPolicy::Off && (is_first || lock != before);
        if is_written {
            review.problem = lock.write(&self.file).err().map(|error| error.to_string());
        }
        review
    }

    /// Pins the tools and the skills with these names as they are listed. Without names, pins all that are listed, and the server as it is started.
    /// `skills` are those that the server lists, if it has listed any. Returns the pinned names.
    ///
    /// # Errors
    /// Returns an error if a name is not listed, or the lock file cannot be written.
    pub(crate) fn accept(
        &self,
        server: &Server,
        listed: &ServerList,
        skills: Option<&[SkillDefinition]>,
        names: Option<(&[String], &[String])>,
    ) -> Result<Vec<String>, McpError> {
        let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        let new = Lock::new(server, listed.instructions.clone());
        let all_skills = skills.unwrap_or_default();
        let mut lock = match (names, skills) {
            (None, Some(_)) => new,
            // A lock file that cannot be read has no skills that could be kept.
            (None, None) => new.with_skills(Lock::read(&self.file).ok().flatten().and_then(|lock| lock.skills)),
            // The changes of the server itself were not accepted.
            (Some(_), _) => Lock::read(&self.file)?.unwrap_or(new),
        };
        let all = || {
            (listed.definitions.keys().cloned().collect(), all_skills.iter().map(|skill| skill.label.clone()).collect())
        };
        let (tools, of_skills): (Vec<String>, Vec<String>) =
            names.map_or_else(all, |(tools, skills)| (tools.to_vec(), skills.to_vec()));
        let unknown =
            |kind: &str, name: &str| McpError::new(ErrorKind::Unknown, format!("the server lists no {kind} `{name}`"));
        for name in &tools {
            let definition = listed.definitions.get(name).ok_or_else(|| unknown("tool", name))?;
            lock.tools.insert(name.clone(), definition.clone());
        }
        for name in &of_skills {
            let skill = all_skills.iter().find(|skill| skill.label == *name).ok_or_else(|| unknown("skill", name))?;
            lock.skills.get_or_insert_default().insert(skill.uri.clone(), skill.whole.clone());
        }
        if skills.is_some() {
            lock.skills.get_or_insert_default();
        }
        lock.write(&self.file)?;
        Ok(tools.into_iter().chain(of_skills).collect())
    }
}

impl Server {
    /// Returns how the start of the server differs from the one that was accepted: its command line, the names of its variables, its
    /// directory or its address. Returns `None` if it does not, if nothing was accepted, or if nothing is pinned.
    ///
    /// # Errors
    /// Returns an error if the lock file cannot be read.
    pub fn changed_start(&self) -> Result<Option<Change>, McpError> {
        if self.pinning.policy == PinPolicy::Off {
            return Ok(None);
        }
        Ok(Lock::read(&self.pinning.file)?.and_then(|lock| start_change(&lock, self)))
    }
}

/// Returns what is different in the meaning of a definition.
fn changes(pinned: &Value, current: &Value) -> Vec<Change> {
    let (mut pinned, current) = (canonical::canonical(pinned), canonical::canonical(current));
    canonical::forget_unused(&mut pinned, &current);
    compare::compare(&pinned, &current)
}

fn start_change(lock: &Lock, server: &Server) -> Option<Change> {
    let identity = lock::identity(server);
    let change = || {
        let (old, new) = (format!("{:#}", lock.server), format!("{identity:#}"));
        Change::new(ChangeClass::Behaviour, "the start of the server", Some(&old.into()), Some(&new.into()))
    };
    (lock.server != identity).then(change)
}

/// Returns a whole definition as text for a person, without its name.
pub(crate) fn definition_text(definition: &Value) -> String {
    change::definition_lines(definition).iter().flat_map(|line| ["  ", line, "\n"]).collect()
}

/// Returns the changes of the command line or address, and of the instructions.
fn server_changes(lock: &Lock, server: &Server, listed: &ServerList) -> Vec<Change> {
    let mut changes: Vec<Change> = start_change(lock, server).into_iter().collect();
    if lock.instructions != listed.instructions {
        let [old, new] = [&lock.instructions, &listed.instructions].map(|text| text.as_ref().map(|text| json!(text)));
        changes.push(Change::new(ChangeClass::Wording, "the instructions of the server", old.as_ref(), new.as_ref()));
    }
    changes
}

impl HeldBack {
    fn new(definition: Definition, is_new: bool, changes: Vec<Change>, findings: Vec<TextFinding>) -> Self {
        let Definition { own_name: tool, whole, .. } = definition;
        Self { tool, is_new, is_skill: false, definition: is_new.then_some(whole), changes, findings }
    }

    /// Returns the greatest class of its changes, if it has changed.
    pub fn class(&self) -> Option<ChangeClass> {
        self.changes.iter().map(|change| change.class).max()
    }

    /// Returns in a few words why it is held back.
    pub(crate) fn reason(&self) -> String {
        let change = match (self.is_new, self.class()) {
            (true, _) => Some("it is new".to_owned()),
            (false, Some(class)) => Some(format!("it has changed ({})", class.word())),
            (false, None) if self.findings.is_empty() => Some("the accepted definition is unknown".to_owned()),
            (false, None) => None,
        };
        let finding =
            self.findings.first().map(|TextFinding { path, message }| format!("suspicious: {path} {message}"));
        change.into_iter().chain(finding).collect::<Vec<_>>().join("; ")
    }
}

impl fmt::Display for HeldBack {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`", self.tool)?;
        if self.is_new {
            f.write_str(if self.is_skill { ": a new skill" } else { ": a new tool" })?;
        }
        for line in self.definition.iter().flat_map(change::definition_lines) {
            write!(f, "\n  {line}")?;
        }
        for TextFinding { path, message } in &self.findings {
            write!(f, "\n  suspicious: {path} {message}")?;
        }
        for line in
            self.changes.iter().flat_map(|change| change.to_string().lines().map(str::to_owned).collect::<Vec<_>>())
        {
            write!(f, "\n  {line}")?;
        }
        Ok(())
    }
}
