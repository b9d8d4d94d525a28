//! Skills that are in no folder of this machine, such as those of MCP servers. They are text from outside: they have names that no skill
//! of a folder can have, they are marked, and they are only read.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Map, Value};
use toolc::cancel::CancellationToken;
use toolc_skill::{Card, Library, RootKind, Skill, Strictness, read};

/// The maximum number of characters of a name.
const MAX_NAME: usize = 400;

/// A skill from outside.
#[derive(Debug, Clone)]
pub struct OutsideSkill {
    skill: Skill,
    /// The name of the server that it comes from.
    pub server: String,
    /// Changes with its files.
    pub version: String,
    /// The paths and sizes of its files.
    pub files: Vec<(String, u64)>,
    /// Whether the model may read it without a question to the person.
    pub is_trusted: bool,
}

impl OutsideSkill {
    /// Returns the skill that a server calls `label`. Its name is `SERVER:LABEL`, and its category `mcp-SERVER`. `front_matter` is the front
    /// matter of its SKILL.md, with every field.
    ///
    /// # Errors
    /// Returns why it cannot be used.
    pub fn new(server: &str, label: &str, front_matter: &Map<String, Value>) -> Result<Self, String> {
        let name = format!("{server}:{label}");
        if name.chars().count() > MAX_NAME {
            return Err(format!("its name has more than {MAX_NAME} characters"));
        }
        // YAML contains JSON, so one reader reads the fields and the conditions of all skills.
        let text = format!("---\n{}\n---\n", Value::Object(front_matter.clone()));
        let reading = read(text.as_bytes(), Some("skill"), Strictness::Use);
        let reading = reading.map_err(|error| error.notes.first().map(ToString::to_string).unwrap_or_default())?;
        let mut card = Card { front_matter: reading.front_matter, notes: Vec::new() };
        card.front_matter.name = name;
        let category = Some(format!("mcp-{server}"));
        let skill = Skill { card: Arc::new(card), category, folder: PathBuf::new(), kind: RootKind::Server };
        let (version, files) = (String::new(), Vec::new());
        Ok(Self { skill, server: server.to_owned(), version, files, is_trusted: false })
    }

    /// Returns its name, which no skill of a folder and no skill of another server has.
    pub fn name(&self) -> &str {
        self.skill.name()
    }

    pub(crate) fn skill(&self) -> &Skill {
        &self.skill
    }
}

/// The skills from outside, as far as they are known.
#[derive(Debug, Clone, Default)]
pub struct OutsideList {
    /// The skills that can be used.
    pub skills: Vec<OutsideSkill>,
    /// What cannot be used, and why, a sentence each.
    pub problems: Vec<String>,
}

impl OutsideList {
    /// Adds the skills to a library.
    pub(crate) fn add_to(&self, library: &mut Library) {
        for skill in &self.skills {
            if let Some(category) = &skill.skill.category {
                let about = format!("From outside: the MCP server `{}`.", skill.server);
                library.descriptions.entry(category.clone()).or_insert(about);
            }
        }
        library.extend(self.skills.iter().map(|skill| skill.skill.clone()));
    }
}

/// The text of a file of a skill from outside.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OutsideText {
    /// The text, which was checked like all texts from outside.
    pub text: String,
    /// What a guard has found in it, a sentence each: the person is asked about it before the model reads the text.
    pub objections: Vec<String>,
}

/// A text that is read in the background, or why it cannot be read.
pub type ReadLater = Pin<Box<dyn Future<Output = Result<OutsideText, String>> + Send>>;

/// Where skills from outside come from.
pub trait OutsideSkills: Send + Sync {
    /// Returns what is known now, without waiting for anything.
    fn known(&self) -> Arc<OutsideList>;

    /// Asks for what has changed, for a limited time, and returns what is known then.
    fn refresh(&self, cancellation: &CancellationToken) -> Arc<OutsideList>;

    /// Returns the text of a file of a skill, as this version of the skill has it.
    ///
    /// # Errors
    /// Returns why it cannot be read, or may not be shown.
    fn read(&self, skill: &OutsideSkill, path: &str, cancellation: &CancellationToken) -> Result<OutsideText, String>;

    /// Returns what [`read`](Self::read) returns, without waiting for it.
    fn read_later(self: Arc<Self>, skill: OutsideSkill, path: String) -> ReadLater;
}

/// The versions of skills about which the person was asked, by the id of the call and the name of the skill. A skill can change while the
/// person decides, and only the version in the question may be read.
#[derive(Debug, Default)]
pub(crate) struct AskedVersions(Mutex<BTreeMap<(String, String), BTreeSet<String>>>);

impl AskedVersions {
    /// Notes the version about which a call asks.
    pub(crate) fn note(&self, call: &str, skill: &OutsideSkill) {
        let mut asked = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        asked.entry((call.to_owned(), skill.name().to_owned())).or_default().insert(skill.version.clone());
    }

    /// Returns whether a call has asked about this version of a skill, and about no other one. The answer counts once.
    pub(crate) fn take(&self, call: &str, skill: &OutsideSkill) -> bool {
        let mut asked = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let versions = asked.remove(&(call.to_owned(), skill.name().to_owned())).unwrap_or_default();
        versions.len() == 1 && versions.contains(&skill.version)
    }
}

/// Returns the server of a skill, if it comes from one.
pub(crate) fn server_of(skill: &Skill) -> Option<&str> {
    let is_outside = skill.kind == RootKind::Server;
    skill.name().split_once(':').filter(|_| is_outside).map(|(server, _)| server)
}
