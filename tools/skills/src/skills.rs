//! The skills of a session: those of the user, which the model may change, and those that it may only read.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use toolc::suggest::nearest_name;
use toolc::{Call, Env, ErrorKind, Registry, ToolError};
use toolc_skill::{Broken, Cache, Code, Conditions, Library, Need, Note, Root, RootKind, Severity, Skill};

use crate::ledger::Ledger;
use crate::outside::{OutsideList, OutsideSkill, OutsideSkills};

/// The maximum number of names in an error.
const MAX_NAMED: usize = 10;

/// Returns why the skills of a folder must not be used now.
type RootCheck = Box<dyn Fn() -> Option<String> + Send + Sync>;

/// The skills of a profile, and those of the project and of folders that several programs share. A host gives them to its sessions as a
/// [value](toolc::SessionBuilder::value).
pub struct Skills {
    ledger: Ledger,
    roots: Vec<(Root, Option<RootCheck>)>,
    /// The registry whose toolsets the conditions of skills name.
    registry: Registry,
    cache: Mutex<Cache>,
    outside: Option<Arc<dyn OutsideSkills>>,
}

impl Skills {
    /// Returns the skills in the folder `skills` of a home, which the model may change.
    pub fn new(folder: impl Into<PathBuf>, registry: &Registry) -> Self {
        let folder = folder.into();
        let own = Root { path: folder.clone(), kind: RootKind::Home };
        let (ledger, roots, registry) = (Ledger::new(folder), vec![(own, None)], registry.clone());
        Self { ledger, roots, registry, cache: Mutex::default(), outside: None }
    }

    /// Adds a folder with skills that the model may only read. A skill with the name of an earlier one is not used.
    #[must_use]
    pub fn with_root(mut self, root: Root) -> Self {
        self.roots.push((root, None));
        self
    }

    /// Adds a folder as [`with_root`](Self::with_root) does. Each time skills are read, `refusal` can return why those of the folder must not
    /// be used any more.
    #[must_use]
    pub fn with_checked_root(
        mut self,
        root: Root,
        refusal: impl Fn() -> Option<String> + Send + Sync + 'static,
    ) -> Self {
        self.roots.push((root, Some(Box::new(refusal))));
        self
    }

    /// Adds skills that are in no folder of this machine, which the model may only read.
    #[must_use]
    pub fn with_outside(self, skills: Arc<dyn OutsideSkills>) -> Self {
        Self { outside: Some(skills), ..self }
    }

    /// Returns whether skills from outside can be read.
    pub fn has_outside(&self) -> bool {
        self.outside.is_some()
    }

    /// Returns where skills from outside come from, if there are any.
    pub(crate) fn outside(&self) -> Option<&Arc<dyn OutsideSkills>> {
        self.outside.as_ref()
    }

    /// Returns the skill from outside with a name, or `CATEGORY/NAME`, as far as it is known. Names of skills in folders have no colon.
    pub(crate) fn outside_skill(&self, name: &str) -> Option<OutsideSkill> {
        let name = name.trim();
        let known = self.outside().filter(|_| name.contains(':'))?.known();
        let is_meant = |skill: &&OutsideSkill| {
            let category = skill.skill().category.as_deref().unwrap_or_default();
            let short = name.strip_prefix(category).and_then(|rest| rest.strip_prefix('/'));
            [Some(name), short].contains(&Some(skill.name()))
        };
        known.skills.iter().find(is_meant).cloned()
    }

    /// Reads all skills, with those from outside.
    pub(crate) fn library_with(&self, outside: &OutsideList) -> Library {
        let mut library = self.library();
        outside.add_to(&mut library);
        library
    }

    /// Returns the history of the skills that the model may change.
    pub fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// Reads all skills. Only files that have changed since the last time are read again.
    pub fn library(&self) -> Library {
        let (mut roots, mut refused) = (Vec::new(), Vec::new());
        for (root, check) in &self.roots {
            match check.as_ref().and_then(|check| check()) {
                None => roots.push(root.clone()),
                Some(reason) => refused.push(refused_root(root, reason)),
            }
        }
        let mut library = Library::read(&roots, &mut self.cache.lock().unwrap_or_else(PoisonError::into_inner));
        library.broken.extend(refused);
        library
    }

    /// Returns why the conditions of a skill are not met, or `None` if they are. `has_tool` answers whether a tool is available.
    pub fn unmet(&self, conditions: &Conditions, env: &Env, has_tool: impl Fn(&str) -> bool) -> Option<String> {
        conditions.unmet(|need, name| match need {
            Need::Tool => has_tool(name),
            Need::Toolset => {
                self.registry.toolset(name).is_some_and(|toolset| toolset.resolved.iter().any(|tool| has_tool(tool)))
            }
            Need::Variable => env.var(name).is_some(),
            Need::Program => env.has_program(name),
            Need::Platform => name == std::env::consts::OS,
            // They are settings of another agent, which says nothing about this one.
            Need::Setting => true,
        })
    }

    /// Returns why the conditions of a skill are not met in a call.
    pub(crate) fn unmet_in(&self, skill: &Skill, call: &Call<'_>) -> Option<String> {
        self.unmet(&skill.card.front_matter.conditions, &call.env(), |tool| call.has_tool(tool))
    }

    /// Returns the skills by whether the model may change them.
    pub(crate) fn owned(&self) -> Owned {
        Owned::of(&self.library(), &self.ledger)
    }
}

/// Returns the entry about a folder whose skills must not be used.
fn refused_root(root: &Root, reason: String) -> Broken {
    let note =
        Note { line: 0, column: 0, code: Code::CannotRead, severity: Severity::Error, message: reason, fix: None };
    Broken { folder: root.path.clone(), kind: root.kind, notes: vec![note] }
}

/// Returns the skill with a name, or `CATEGORY/NAME`.
///
/// # Errors
/// If no skill has the name. The error names similar ones, or says why a folder with the name is not read.
pub(crate) fn find<'l>(library: &'l Library, name: &str) -> Result<&'l Skill, ToolError> {
    let wanted = name.trim().trim_end_matches('/');
    if let Some(skill) = library.get(wanted) {
        return Ok(skill);
    }
    let short = wanted.rsplit('/').next().unwrap_or(wanted);
    let is_meant = |skill: &&Skill| {
        wanted == short || skill.category.as_deref().is_some_and(|category| wanted == format!("{category}/{short}"))
    };
    if let Some(skill) = library.get(short).filter(is_meant) {
        return Ok(skill);
    }
    let broken = library.broken.iter().find(|broken| broken.folder.file_name().is_some_and(|folder| *folder == *short));
    if let Some(broken) = broken {
        let reason = broken.notes.first().map(ToString::to_string).unwrap_or_default();
        return Err(ToolError::new(format!(
            "the skill `{short}` cannot be read: {}: {reason}",
            broken.folder.display()
        )));
    }
    let names: Vec<&str> = library.skills.iter().map(Skill::name).collect();
    Err(unknown(short, &names))
}

/// Returns the error about a name that no skill has.
fn unknown(name: &str, names: &[&str]) -> ToolError {
    let listed = match nearest_name(name, names.iter().copied())[..] {
        [similar, ..] => format!("did you mean `{similar}`?"),
        [] if names.is_empty() => "there are no skills yet".to_owned(),
        [] => {
            let first = names.iter().take(MAX_NAMED).map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
            let more = names.len().saturating_sub(MAX_NAMED);
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            format!("the skills are {first}{more}")
        }
    };
    ToolError::with_kind(ErrorKind::NotFound, format!("there is no skill `{}`: {listed}", name.escape_debug()))
}

/// The skills by whether the model may change them.
#[derive(Debug)]
pub(crate) struct Owned {
    /// The folders of the user's skills, relative to the folder of all, by name.
    folders: BTreeMap<String, String>,
    /// The folders of all skills, by name.
    all: BTreeMap<String, PathBuf>,
}

impl Owned {
    fn of(library: &Library, ledger: &Ledger) -> Self {
        let mut owned = Self { folders: BTreeMap::new(), all: BTreeMap::new() };
        for skill in &library.skills {
            owned.all.insert(skill.name().to_owned(), skill.folder.clone());
            if skill.kind == RootKind::Home
                && let Ok(relative) = skill.folder.strip_prefix(ledger.root().folder())
                && let Some(names) = relative.iter().map(|name| name.to_str()).collect::<Option<Vec<_>>>()
            {
                owned.folders.insert(skill.name().to_owned(), names.join("/"));
            }
        }
        // A folder that cannot be read as a skill can still be mended or deleted by its name.
        for broken in library.broken.iter().filter(|broken| broken.kind == RootKind::Home) {
            let Ok(relative) = broken.folder.strip_prefix(ledger.root().folder()) else { continue };
            let names: Option<Vec<_>> = relative.iter().map(|name| name.to_str()).collect();
            if let Some((name, names)) = names.as_deref().and_then(|names| Some((*names.last()?, names))) {
                owned.all.entry(name.to_owned()).or_insert_with(|| broken.folder.clone());
                owned.folders.entry(name.to_owned()).or_insert_with(|| names.join("/"));
            }
        }
        owned
    }

    /// Returns the folder of a skill that may be changed.
    pub(crate) fn folder(&self, name: &str) -> Option<String> {
        self.folders.get(name).cloned()
    }

    /// Returns where a skill is, if one has this name.
    pub(crate) fn place(&self, name: &str) -> Option<String> {
        self.all.get(name).map(|folder| folder.display().to_string())
    }

    /// Returns the error about a skill that may not be changed, or does not exist.
    pub(crate) fn unknown(&self, name: &str) -> ToolError {
        match self.all.get(name) {
            Some(folder) => ToolError::with_kind(
                ErrorKind::Refused,
                format!(
                    "the skill `{name}` is in {}, which is read only here: create a skill with another name instead.",
                    folder.display()
                ),
            ),
            None => unknown(name, &self.folders.keys().map(String::as_str).collect::<Vec<_>>()),
        }
    }
}
