//! The skills of a session: those of the home folder, of the project, and of the folder that several programs share.
//!
//! Skills in `.agents/skills` of a project are used only as the user has trusted them, by the digest of all their files. Nothing but the
//! skills of the home folder is ever written.

use std::path::{Path, PathBuf};

use toolc::Registry;
use toolc_config::{Home, TrustList, check_writers};
use toolc_skill::{Cache, Folder, Library, Limits, Root, RootKind};
use toolc_skills::{SkillFiles, SkillGuard, Skills};

use super::guard::{self, Guard};
use super::instructions::{FileState, folders};
use crate::ground::error::Result;
use crate::ground::show;

/// The folder with skills in a project, and in the home folder of the user, which programs of several vendors read.
pub(super) const SHARED: &str = ".agents/skills";
/// The file with the instructions of a skill.
pub(crate) const MAIN: &str = "SKILL.md";

/// A folder with skills of a project.
#[derive(Debug)]
pub(crate) struct ProjectSkills {
    pub(crate) folder: PathBuf,
    /// The paths of its files.
    pub(crate) files: Vec<String>,
    pub(crate) state: FileState,
    digest: String,
}

impl ProjectSkills {
    fn read(folder: &Path, trusted: &[(PathBuf, String)]) -> Option<Self> {
        if !folder.is_dir() {
            return None;
        }
        let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
        let mut skills = Self { folder, files: Vec::new(), state: FileState::Used, digest: String::new() };
        match skills.digest() {
            Err(why) => skills.state = FileState::Refused(why),
            Ok(digest) => {
                skills.state = match trusted.iter().find(|(known, _)| *known == skills.folder) {
                    None => FileState::Unknown,
                    Some((_, trusted)) if *trusted == digest => FileState::Used,
                    Some(_) => FileState::Changed,
                };
                skills.digest = digest;
            }
        }
        Some(skills).filter(|skills| !skills.files.is_empty() || skills.state != FileState::Unknown)
    }

    /// Lists the files, and returns the digest of their paths and contents.
    fn digest(&mut self) -> Result<String, String> {
        let (folder, limits) = (Folder::open(&self.folder).map_err(|error| error.to_string())?, Limits::default());
        self.files = folder.list(&limits).files.into_iter().map(|file| file.path).collect();
        folder.digest(&limits).map_err(|error| error.to_string())
    }

    /// Trusts the files.
    ///
    /// # Errors
    /// If the list cannot be read or written.
    pub(crate) fn add_trust(&self, home: &Home) -> Result<()> {
        Ok(TrustList::Skills.add(home, &self.folder, &self.digest)?)
    }

    /// Returns the objections of the guard to each skill, with the path of the skill in the folder.
    pub(crate) fn objections(&self, guard: &Guard) -> Vec<(String, Vec<String>)> {
        let of_skill = |folder: PathBuf| {
            let name = folder.strip_prefix(&self.folder).unwrap_or(&folder).display().to_string();
            let objections = match Folder::open(&folder) {
                Ok(open) => guard::objections(&guard.inspect(&guard::read(&open))),
                Err(error) => vec![format!("it cannot be read: {error}")],
            };
            (name, objections)
        };
        folders_in(&self.folder).into_iter().map(of_skill).filter(|(_, objections)| !objections.is_empty()).collect()
    }

    /// Returns a note for the user if the skills are not used.
    pub(crate) fn note(&self) -> Option<String> {
        let folder = show::one_line(&self.folder.display().to_string());
        match &self.state {
            FileState::Used => None,
            FileState::Unknown => {
                Some(format!("the skills in {folder} are not used: run `toolc trust`, if you trust them"))
            }
            FileState::Changed => Some(format!(
                "the skills in {folder} are not used, because they have changed since you trusted them: run `toolc trust`"
            )),
            FileState::Refused(why) => Some(format!("the skills in {folder} are not used: {}", show::one_line(why))),
        }
    }
}

/// Returns the folders with skills of the project for work in `directory`, from its root on.
///
/// # Errors
/// If the list of trusted folders cannot be read.
pub(crate) fn of_project(home: &Home, directory: &Path) -> Result<Vec<ProjectSkills>> {
    let trusted = TrustList::Skills.entries(home)?;
    let real = |folder: PathBuf| folder.canonicalize().unwrap_or(folder);
    let of_user = std::env::home_dir().map(|home| real(home.join(SHARED)));
    let folders = folders(directory).into_iter().map(|folder| real(folder.join(SHARED)));
    // The project can be the home folder of the user, whose skills need no trust.
    Ok(folders
        .filter(|folder| Some(folder) != of_user.as_ref())
        .filter_map(|folder| ProjectSkills::read(&folder, &trusted))
        .collect())
}

/// Removes the trust in the skills for work in `directory`. Returns whether any were trusted.
///
/// # Errors
/// If the list cannot be read or written.
pub(crate) fn revoke(home: &Home, directory: &Path) -> Result<bool> {
    let mut was_trusted = false;
    for folder in folders(directory) {
        let folder = folder.join(SHARED);
        // What is behind a link was trusted by its own path.
        for path in [folder.canonicalize().ok(), Some(folder)].into_iter().flatten() {
            was_trusted |= TrustList::Skills.remove(home, &path)?;
        }
    }
    Ok(was_trusted)
}

/// Returns the skills of a profile for work in `directory`, whose conditions name the tools of `registry`. Calls `warn` with why folders are not
/// used.
///
/// # Errors
/// If the list of trusted folders cannot be read.
pub(crate) fn skills(home: &Home, registry: &Registry, directory: &Path, warn: impl Fn(&str)) -> Result<Skills> {
    let mut skills = Skills::new(home.skills(), registry);
    for project in of_project(home, directory)? {
        if let Some(note) = project.note() {
            warn(&note);
            continue;
        }
        let (home, folder) = (home.clone(), project.folder.clone());
        let root = Root { path: project.folder, kind: RootKind::Project };
        // The model or another program can change the files at any time.
        skills = skills.with_checked_root(root, move || refusal(&home, &folder));
    }
    if let Some(shared) = std::env::home_dir().map(|home| home.join(SHARED)).filter(|folder| folder.is_dir()) {
        match check_writers(&shared) {
            Ok(()) => skills = skills.with_root(Root { path: shared, kind: RootKind::Shared }),
            Err(error) => warn(&format!("the skills in {} are not used: {error}", shared.display())),
        }
    }
    Ok(skills)
}

/// Returns the folders of the skills in a folder, which can be a skill itself.
pub(crate) fn folders_in(dir: &Path) -> Vec<PathBuf> {
    if dir.join(MAIN).exists() || dir.join("skill.md").exists() {
        return vec![dir.to_owned()];
    }
    let root = Root { path: dir.to_owned(), kind: RootKind::Project };
    let library = Library::read(&[root], &mut Cache::default());
    let used = library.skills.into_iter().map(|skill| skill.folder);
    let broken = library.broken.into_iter().map(|broken| broken.folder);
    let mut folders: Vec<PathBuf> =
        used.chain(broken).chain(library.shadowed.into_iter().map(|skill| skill.folder)).collect();
    folders.sort();
    folders
}

/// Returns why the skills of a folder, which the user has trusted, must not be used any more.
fn refusal(home: &Home, folder: &Path) -> Option<String> {
    match TrustList::Skills.entries(home) {
        Ok(trusted) => match ProjectSkills::read(folder, &trusted) {
            Some(skills) => skills.note(),
            None => Some(format!("the skills in {} are missing", show::one_line(&folder.display().to_string()))),
        },
        Err(error) => Some(format!("the list of trusted skills cannot be read: {error}")),
    }
}

impl SkillGuard for Guard {
    fn objections(&self, _: &str, files: &SkillFiles) -> Vec<String> {
        // A skill that is deleted has no files.
        if files.is_empty() {
            return Vec::new();
        }
        guard::objections(&self.inspect(&guard::files(files.iter().cloned())))
    }
}
