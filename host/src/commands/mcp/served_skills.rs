//! The skills that `toolc mcp serve` serves: those of the home folder that the person has named. Each request sees the files as they are.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use toolc::redaction::Redactor;
use toolc::suggest::suggestion;
use toolc_mcp::server::{ServedFile, ServedSkill, SkillShelf};
use toolc_skill::{Cache, FileKind, Folder, Library, Limits, Root, RootKind, Skill, Strictness, is_format_name};

use crate::ground::show;
use crate::sources::servers::front_matter;

/// What an endpoint names to serve all skills.
const ALL: &str = "*";
/// The file with the instructions of a skill.
const SKILL_FILE: &str = "SKILL.md";
/// The bounds of a skill, from the extension.
const LIMITS: Limits = Limits { files: 512, bytes: 16 << 20, depth: 8 };
/// The maximum number of skills.
const MAX_SKILLS: usize = 1_000;
/// The maximum number of bytes of all skills.
const MAX_BYTES: u64 = 256 << 20;

/// Serves the skills of a home folder that are named. Clones share what was read.
#[derive(Clone)]
pub(super) struct HomeSkills(Arc<Inner>);

struct Inner {
    folder: PathBuf,
    /// The names of the skills, or `*`.
    names: BTreeSet<String>,
    redactor: Arc<Redactor>,
    kept: Mutex<Kept>,
}

/// What was read.
#[derive(Default)]
struct Kept {
    cache: Cache,
    skills: HashMap<PathBuf, KeptSkill>,
    list: Arc<[ServedSkill]>,
}

/// A skill as it was read.
struct KeptSkill {
    /// The paths, sizes and times of its files, by which a change is seen.
    stamps: Vec<(String, u64, Option<SystemTime>)>,
    /// The skill with the digests of its files, or why it is not served.
    served: Result<(ServedSkill, BTreeMap<String, String>), String>,
}

impl HomeSkills {
    /// Returns the skills in a folder with these names.
    pub(super) fn new(folder: PathBuf, names: &[String], redactor: &Arc<Redactor>) -> Self {
        let (names, redactor) = (names.iter().cloned().collect(), Arc::clone(redactor));
        Self(Arc::new(Inner { folder, names, redactor, kept: Mutex::default() }))
    }

    /// Reads the skills for the first time. Returns why some of them are not served.
    ///
    /// # Errors
    /// If no skill has one of the names.
    pub(super) fn check(&self) -> Result<Vec<String>, String> {
        let mut kept = self.kept();
        let library = self.library(&mut kept);
        let is_unknown = |name: &&String| *name != ALL && library.get(name).is_none();
        if let Some(name) = self.0.names.iter().find(is_unknown) {
            let known = library.skills.iter().map(Skill::name);
            let broken = library.broken.iter().find(|broken| broken.folder.ends_with(name));
            let (folder, shown) = (self.0.folder.display(), show::one_line(name));
            return Err(match broken.and_then(|broken| broken.notes.first()) {
                Some(note) => format!("the skill `{shown}` in {folder} cannot be read: {note}"),
                None => format!("no skill in {folder} is called `{shown}`{}", suggestion(name, known)),
            });
        }
        let problems = self.read(&mut kept, &library);
        Ok(problems)
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.0.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads the front matter of the skills that have changed. A link out of the folder is not followed.
    fn library(&self, kept: &mut Kept) -> Library {
        let root = Root { path: self.0.folder.clone(), kind: RootKind::Project };
        Library::read(&[root], &mut kept.cache)
    }

    /// Reads the named skills that have changed. Returns why some are not served.
    fn read(&self, kept: &mut Kept, library: &Library) -> Vec<String> {
        let is_named = |skill: &&Skill| self.0.names.contains(ALL) || self.0.names.contains(skill.name());
        let (mut before, mut problems) = (std::mem::take(&mut kept.skills), Vec::new());
        let (mut list, mut bytes) = (Vec::new(), 0);
        for skill in library.skills.iter().filter(is_named) {
            let stamps = stamps(&skill.folder);
            let known = before.remove(&skill.folder).filter(|known| known.stamps == stamps);
            let new = || KeptSkill { served: self.served(skill), stamps: stamps.clone() };
            let read = known.unwrap_or_else(new);
            let size: u64 = read.stamps.iter().map(|(_, size, _)| size).sum();
            let problem = match &read.served {
                Err(why) => Some(why.clone()),
                Ok(_) if list.len() == MAX_SKILLS => Some(format!("at most {MAX_SKILLS} skills are served")),
                Ok(_) if bytes + size > MAX_BYTES => Some(format!("all skills have at most {} MiB", MAX_BYTES >> 20)),
                Ok((served, _)) => {
                    bytes += size;
                    list.push(served.clone());
                    None
                }
            };
            problems.extend(
                problem.map(|why| show::one_line(&format!("the skill `{}` is not served: {why}", skill.name()))),
            );
            kept.skills.insert(skill.folder.clone(), read);
        }
        kept.list = list.into();
        problems
    }

    /// Returns a skill as clients get it.
    ///
    /// # Errors
    /// Returns why it is not served: clients compare its front matter as YAML, and its files are served as they are.
    fn served(&self, skill: &Skill) -> Result<(ServedSkill, BTreeMap<String, String>), String> {
        let folder = Folder::open(&skill.folder).map_err(|error| error.to_string())?;
        let listing = folder.list(&LIMITS);
        if !listing.is_complete {
            return Err(listing.notes.first().map(ToString::to_string).unwrap_or_default());
        }
        let reading = folder.read_skill(Strictness::Use);
        let reading = reading.map_err(|error| error.notes.first().map(ToString::to_string).unwrap_or_default())?;
        let name = &reading.front_matter.name;
        let is_guessed = reading.notes.iter().any(|note| note.fix.is_some());
        if is_guessed || !is_format_name(name) || !skill.folder.ends_with(name) {
            let path = skill.folder.display();
            return Err(format!("it does not have the form of the format: `toolc skills scan {path}` says why"));
        }
        let mut files = Vec::new();
        for file in listing.files.iter().filter(|file| file.kind != FileKind::Link && is_public(&file.path)) {
            let bytes = folder.read_file(&file.path, LIMITS.bytes).map_err(|error| error.to_string())?;
            // A secret is found in any file: what is not UTF-8 is replaced, and UTF-16 has a zero after each character.
            let plain: Vec<u8> = bytes.iter().copied().filter(|byte| *byte != 0).collect();
            let text = String::from_utf8_lossy(&plain);
            if self.0.redactor.text(&text) != text {
                return Err(format!("`{}` contains the value of a secret", file.path));
            }
            files.push(ServedFile::new(&file.path, media_type(&file.path), &bytes));
        }
        let digests = files.iter().map(|file| (file.path.clone(), file.digest.clone())).collect();
        let category = skill.category.as_ref().map(|category| format!("{category}/"));
        let path = category.unwrap_or_default() + name;
        let served = ServedSkill::new(path, front_matter(&reading.text)?, files).map_err(|error| error.to_string())?;
        Ok((served, digests))
    }
}

impl SkillShelf for HomeSkills {
    fn skills(&self) -> io::Result<Arc<[ServedSkill]>> {
        let mut kept = self.kept();
        let library = self.library(&mut kept);
        self.read(&mut kept, &library);
        Ok(Arc::clone(&kept.list))
    }

    fn read(&self, skill: &str, path: &str) -> io::Result<Vec<u8>> {
        let (folder, digest) = {
            let kept = self.kept();
            let served = |(folder, kept): (&PathBuf, &KeptSkill)| {
                let (served, digests) = kept.served.as_ref().ok()?;
                (served.path() == skill).then(|| Some((folder.clone(), digests.get(path)?.clone()))).flatten()
            };
            kept.skills.iter().find_map(served).ok_or(io::ErrorKind::NotFound)?
        };
        let bytes = Folder::open(folder)?.read_file(path, LIMITS.bytes).map_err(io::Error::other)?;
        // What has changed since it was listed has not been checked for secrets.
        if ServedFile::new(path, "", &bytes).digest == digest { Ok(bytes) } else { Err(io::ErrorKind::NotFound.into()) }
    }
}

/// Returns the paths, sizes and times of the files of a skill.
fn stamps(folder: &Path) -> Vec<(String, u64, Option<SystemTime>)> {
    let listed = Folder::open(folder).map(|open| open.list(&LIMITS).files).unwrap_or_default();
    let stamp = |file: toolc_skill::SkillFile| {
        let modified = fs::symlink_metadata(folder.join(&file.path)).and_then(|metadata| metadata.modified()).ok();
        (file.path, file.size, modified)
    };
    listed.into_iter().map(stamp).collect()
}

/// Returns whether a file is meant for others: hidden files, and what Python leaves, are not.
fn is_public(path: &str) -> bool {
    path.split('/').all(|part| !part.starts_with('.') && part != "__pycache__")
}

/// Returns the media type of a file, by the end of its name.
fn media_type(path: &str) -> &'static str {
    if path == SKILL_FILE {
        return "text/markdown";
    }
    match path.rsplit_once('.').map(|(_, end)| end) {
        Some("md") => "text/markdown",
        Some("py") => "text/x-python",
        Some("sh") => "application/x-sh",
        Some("js" | "mjs") => "text/javascript",
        Some("json") => "application/json",
        Some("yaml" | "yml") => "application/yaml",
        Some("html") => "text/html",
        Some("csv") => "text/csv",
        Some("txt") => "text/plain",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        Some("jpg" | "jpeg") => "image/jpeg",
        Some("pdf") => "application/pdf",
        _ => "application/octet-stream",
    }
}
