//! All skills below some roots.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use serde::Serialize;

use crate::folder::{Folder, SKILL_FILE};
use crate::front_matter::{FrontMatter, first_paragraph, read};
use crate::note::{Code, Note, Notes, Strictness, Unreadable};

/// The most folders between a root and a skill, including the skill's own: `CATEGORY/PART/NAME` has 3.
const MAX_DEPTH: usize = 4;
/// The most folders that are visited below one root.
const MAX_FOLDERS: usize = 20_000;
/// The most bytes of a DESCRIPTION.md.
const MAX_DESCRIPTION_BYTES: u64 = 64 << 10;
/// The file that describes a category.
const DESCRIPTION_FILE: &str = "DESCRIPTION.md";

/// Where the skills of a root come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum RootKind {
    /// The user's home folder of the program; the agent may change the skills.
    Home,
    /// A project. Links that lead out of the root are not followed, because others may have written the project.
    Project,
    /// A folder that several programs share, such as `~/.agents/skills`; it is read only.
    Shared,
    /// The folder that the program was installed with.
    Bundled,
    /// An MCP server. Its skills are not in a folder of this machine.
    Server,
}

/// A folder that holds skills: `NAME/SKILL.md` or `CATEGORY/NAME/SKILL.md`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Root {
    /// The folder. A root that does not exist holds no skills, which is not an error.
    pub path: PathBuf,
    /// Where its skills come from.
    pub kind: RootKind,
}

/// What is kept of a SKILL.md.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Card {
    /// The front matter.
    pub front_matter: FrontMatter,
    /// What is wrong with the file.
    pub notes: Vec<Note>,
}

/// A skill of a library.
#[derive(Debug, Clone)]
pub struct Skill {
    /// Its front matter and notes.
    pub card: Arc<Card>,
    /// The folders between the root and the skill, joined with `/`, or `None` if the skill is directly below the root.
    pub category: Option<String>,
    /// Its folder.
    pub folder: PathBuf,
    /// The kind of its root.
    pub kind: RootKind,
}

impl Skill {
    /// Returns the name, which is unique in the library.
    pub fn name(&self) -> &str {
        &self.card.front_matter.name
    }
}

/// A folder that looks like a skill and cannot be read.
#[derive(Debug, Clone)]
pub struct Broken {
    /// The folder.
    pub folder: PathBuf,
    /// The kind of its root.
    pub kind: RootKind,
    /// Why it cannot be read. The notes are not empty.
    pub notes: Vec<Note>,
}

/// A skill that is not used because another one has its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shadowed {
    /// The name.
    pub name: String,
    /// The folder of the skill that is not used.
    pub folder: PathBuf,
    /// The folder of the skill that is used.
    pub by: PathBuf,
}

/// Size and time of a SKILL.md, from which a change is recognized.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Stamp {
    bytes: u64,
    modified: Option<SystemTime>,
}

/// What was read at an earlier time.
#[derive(Debug)]
struct Kept {
    stamp: Stamp,
    read: Result<Arc<Card>, Unreadable>,
    /// The number of the last reading of a library that used it.
    used: usize,
}

/// What was read earlier, by the paths of folders, so that reading again opens only files whose size or time has changed. Skills that
/// a reading no longer finds are dropped.
#[derive(Debug, Default)]
pub struct Cache {
    entries: HashMap<PathBuf, Kept>,
    reads: usize,
    /// The number of the reading.
    reading: usize,
}

impl Cache {
    /// Returns how many files were opened and read since the cache was created.
    pub fn reads(&self) -> usize {
        self.reads
    }

    /// Reads a skill, unless it is unchanged.
    fn read(&mut self, path: &Path) -> Result<Arc<Card>, Unreadable> {
        let metadata = [SKILL_FILE, "skill.md"].into_iter().find_map(|name| fs::symlink_metadata(path.join(name)).ok());
        let stamp = metadata.map(|metadata| Stamp { bytes: metadata.len(), modified: metadata.modified().ok() });
        if let (Some(stamp), Some(kept)) = (&stamp, self.entries.get_mut(path))
            && *stamp == kept.stamp
            && stamp.modified.is_some()
        {
            kept.used = self.reading;
            return kept.read.clone();
        }
        self.reads += 1;
        let read = match Folder::open(path) {
            Ok(folder) => folder
                .read_skill(Strictness::Use)
                .map(|reading| Arc::new(Card { front_matter: reading.front_matter, notes: reading.notes })),
            Err(error) => {
                Err(one_note(Code::CannotRead, format!("cannot open the folder `{}`: {error}", path.display())))
            }
        };
        if let Some(stamp) = stamp {
            self.entries.insert(path.to_owned(), Kept { stamp, read: read.clone(), used: self.reading });
        }
        read
    }
}

fn one_note(code: Code, message: String) -> Unreadable {
    let mut notes = Notes::new(Strictness::Use);
    notes.add((0, 0), code, message);
    notes.unreadable()
}

/// The skills of all roots. The order of everything depends only on the names and contents of files.
#[derive(Debug, Default)]
pub struct Library {
    /// The skills, by category and name.
    pub skills: Vec<Skill>,
    /// Folders that cannot be read, by path.
    pub broken: Vec<Broken>,
    /// Skills that others replace, by path.
    pub shadowed: Vec<Shadowed>,
    /// The texts of DESCRIPTION.md, by category.
    pub descriptions: BTreeMap<String, String>,
}

impl Library {
    /// Reads all skills below the roots. If two have the same name, the one in the earlier root is used, and in one root the one whose
    /// path comes first.
    ///
    /// Folders whose names begin with a dot, and `node_modules`, are skipped. A folder with a SKILL.md is a skill; its own folders are not
    /// searched. At most 20,000 folders are visited below a root, at most 4 levels deep.
    pub fn read(roots: &[Root], cache: &mut Cache) -> Self {
        let mut library = Self::default();
        cache.reading += 1;
        for root in roots {
            let mut scan = Scan {
                root,
                real: fs::canonicalize(&root.path).ok(),
                cache,
                found: Vec::new(),
                broken: Vec::new(),
                visited: 0,
                descriptions: BTreeMap::new(),
            };
            scan.root();
            let Scan { found, broken, descriptions, .. } = scan;
            library.broken.extend(broken);
            for (category, text) in descriptions {
                library.descriptions.entry(category).or_insert(text);
            }
            library.add(found);
        }
        let reading = cache.reading;
        cache
            .entries
            .retain(|path, kept| kept.used == reading || !roots.iter().any(|root| path.starts_with(&root.path)));
        library.skills.sort_by(|a, b| (&a.category, a.name()).cmp(&(&b.category, b.name())));
        library.broken.sort_by(|a, b| a.folder.cmp(&b.folder));
        library.shadowed.sort_by(|a, b| a.folder.cmp(&b.folder));
        library
    }

    fn add(&mut self, found: Vec<Skill>) {
        let mut by_name: HashMap<String, PathBuf> =
            self.skills.iter().map(|skill| (skill.name().to_owned(), skill.folder.clone())).collect();
        for skill in found {
            if let Some(by) = by_name.get(skill.name()) {
                self.shadowed.push(Shadowed { name: skill.name().to_owned(), by: by.clone(), folder: skill.folder });
                continue;
            }
            by_name.insert(skill.name().to_owned(), skill.folder.clone());
            self.skills.push(skill);
        }
    }

    /// Adds skills that are not in a folder of this machine. A name that the library has already keeps its skill.
    pub fn extend(&mut self, skills: impl IntoIterator<Item = Skill>) {
        self.add(skills.into_iter().collect());
        self.skills.sort_by(|a, b| (&a.category, a.name()).cmp(&(&b.category, b.name())));
    }

    /// Returns the skill with a name.
    pub fn get(&self, name: &str) -> Option<&Skill> {
        self.skills.iter().find(|skill| skill.name() == name)
    }
}

/// Reads one root.
struct Scan<'a> {
    root: &'a Root,
    /// The root's path without links.
    real: Option<PathBuf>,
    cache: &'a mut Cache,
    found: Vec<Skill>,
    broken: Vec<Broken>,
    visited: usize,
    descriptions: BTreeMap<String, String>,
}

/// An entry of a folder that is searched.
struct Child {
    name: String,
    path: PathBuf,
    is_folder: bool,
    is_link: bool,
}

impl Scan<'_> {
    fn root(&mut self) {
        let children = match children(&self.root.path) {
            Ok(children) => children,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return,
            Err(error) => {
                return self.broken(
                    &self.root.path.clone(),
                    Code::CannotRead,
                    format!("cannot read the folder of skills: {error}"),
                );
            }
        };
        if children.iter().any(|child| !child.is_folder && child.name == SKILL_FILE) {
            let message = format!(
                "expected `NAME/{SKILL_FILE}`, and there is a {SKILL_FILE} directly in the folder of skills; move it into a folder"
            );
            self.broken(&self.root.path.clone(), Code::MissingSkillFile, message);
        }
        for child in &children {
            self.dangling(child);
        }
        for child in children.into_iter().filter(|child| child.is_folder) {
            self.folder(&child, &[], 1);
        }
    }

    /// Reports a link that leads nowhere.
    fn dangling(&mut self, child: &Child) {
        if child.is_link && !child.path.exists() {
            self.broken(
                &child.path,
                Code::Link,
                "the symbolic link leads nowhere; remove it, or restore its target".into(),
            );
        }
    }

    fn broken(&mut self, folder: &Path, code: Code, message: String) {
        self.broken.push(Broken {
            folder: folder.to_owned(),
            kind: self.root.kind,
            notes: one_note(code, message).notes,
        });
    }

    /// Visits a folder: a skill, or a category.
    fn folder(&mut self, folder: &Child, category: &[&str], depth: usize) {
        self.visited += 1;
        if self.visited > MAX_FOLDERS {
            if self.visited == MAX_FOLDERS + 1 {
                let message =
                    format!("the root has more than {MAX_FOLDERS} folders; this one and those after it are left out");
                self.broken(&folder.path, Code::TooLarge, message);
            }
            return;
        }
        if folder.is_link && self.leads_out(folder) {
            return;
        }
        let children = match children(&folder.path) {
            Ok(children) => children,
            Err(error) => {
                return self.broken(&folder.path, Code::CannotRead, format!("cannot read the folder: {error}"));
            }
        };
        if children.iter().any(|child| !child.is_folder && child.name.eq_ignore_ascii_case(SKILL_FILE)) {
            return self.skill(folder, category);
        }
        // A link to a category could lead around in a circle.
        let folders: Vec<&Child> = children.iter().filter(|child| child.is_folder && !folder.is_link).collect();
        for child in &children {
            self.dangling(child);
        }
        let files = children.iter().filter(|child| !child.is_folder && child.name != DESCRIPTION_FILE).count();
        let (found, broken) = (self.found.len(), self.broken.len());
        let path: Vec<&str> = category.iter().copied().chain([folder.name.as_str()]).collect();
        if depth < MAX_DEPTH {
            for child in folders {
                self.folder(child, &path, depth + 1);
            }
        } else if folders.iter().any(|child| has_skill(&child.path, MAX_DEPTH)) {
            let message =
                format!("the folder has skills, and they are found at most {MAX_DEPTH} folders deep; move them up");
            self.broken(&folder.path, Code::TooLarge, message);
        }
        if folder.is_link
            && self.leads_elsewhere(folder)
            && children.iter().any(|child| child.is_folder && has_skill(&child.path, MAX_DEPTH))
        {
            let message =
                "the folder is a symbolic link with several skills, which are not found; copy it, or link each skill";
            self.broken(&folder.path, Code::Link, message.into());
        }
        if (found, broken) == (self.found.len(), self.broken.len()) {
            if files > 0 {
                let message = format!("expected the file {}", folder.path.join(SKILL_FILE).display());
                self.broken(&folder.path, Code::MissingSkillFile, message);
            }
        } else if children.iter().any(|child| !child.is_folder && child.name == DESCRIPTION_FILE) {
            self.description(folder, path.join("/"));
        }
    }

    /// Returns whether the target of a link neither contains the root nor is in it, where its skills are found without the link.
    fn leads_elsewhere(&self, folder: &Child) -> bool {
        let target = fs::canonicalize(&folder.path).ok();
        target
            .zip(self.real.as_ref())
            .is_none_or(|(target, root)| !target.starts_with(root) && !root.starts_with(&target))
    }

    /// Returns whether a link leads out of a project, and reports it.
    fn leads_out(&mut self, folder: &Child) -> bool {
        let target = fs::canonicalize(&folder.path).ok();
        let is_inside = target.zip(self.real.as_ref()).is_some_and(|(target, root)| target.starts_with(root));
        let leads_out = self.root.kind == RootKind::Project && !is_inside;
        if leads_out {
            let message = "the folder is a symbolic link that leads out of the project's skills; copy the skill";
            self.broken(&folder.path, Code::Link, message.into());
        }
        leads_out
    }

    fn skill(&mut self, folder: &Child, category: &[&str]) {
        match self.cache.read(&folder.path) {
            Ok(card) => {
                let category = (!category.is_empty()).then(|| category.join("/"));
                self.found.push(Skill { card, category, folder: folder.path.clone(), kind: self.root.kind });
            }
            Err(unreadable) => {
                self.broken.push(Broken { folder: folder.path.clone(), kind: self.root.kind, notes: unreadable.notes });
            }
        }
    }

    /// Reads the text of a category: the `description` of the front matter, or the first paragraph.
    fn description(&mut self, folder: &Child, category: String) {
        let bytes = Folder::open(&folder.path)
            .ok()
            .and_then(|open| open.read_file(DESCRIPTION_FILE, MAX_DESCRIPTION_BYTES).ok());
        let Some(bytes) = bytes else { return };
        let text = match read(&bytes, Some(&folder.name), Strictness::Use) {
            Ok(reading) => Some(reading.front_matter.description),
            Err(_) => first_paragraph(&String::from_utf8_lossy(&bytes)),
        };
        if let Some(text) = text {
            self.descriptions.insert(category, text);
        }
    }
}

/// Returns the entries of a folder that may hold skills, sorted by name.
/// Returns whether a folder is a skill, or has one below.
fn has_skill(folder: &Path, depth: usize) -> bool {
    let children = children(folder).unwrap_or_default();
    children.iter().any(|child| !child.is_folder && child.name.eq_ignore_ascii_case(SKILL_FILE))
        || depth > 0
            && children.iter().any(|child| child.is_folder && !child.is_link && has_skill(&child.path, depth - 1))
}

fn children(path: &Path) -> io::Result<Vec<Child>> {
    let mut children = Vec::new();
    for entry in fs::read_dir(path)?.take(MAX_FOLDERS) {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.starts_with('.') || name == "node_modules" {
            continue;
        }
        let kind = entry.file_type()?;
        let path = entry.path();
        let is_folder = kind.is_dir() || (kind.is_symlink() && path.is_dir());
        children.push(Child { name, path, is_folder, is_link: kind.is_symlink() });
    }
    children.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(children)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Writes a skill below a root.
    pub(crate) fn write(root: &Path, path: &str, description: &str) {
        let folder = root.join(path);
        fs::create_dir_all(&folder).unwrap();
        let name = folder.file_name().unwrap().to_string_lossy().into_owned();
        fs::write(folder.join("SKILL.md"), format!("---\nname: {name}\ndescription: {description}\n---\nBody\n"))
            .unwrap();
    }

    pub(crate) fn root(path: &Path, kind: RootKind) -> Root {
        Root { path: path.to_owned(), kind }
    }

    fn names(library: &Library) -> Vec<String> {
        library
            .skills
            .iter()
            .map(|skill| format!("{}/{}", skill.category.as_deref().unwrap_or_default(), skill.name()))
            .collect()
    }

    #[test]
    fn skills_of_all_roots_are_found_and_earlier_roots_win() {
        let folders = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
        let [home, bundled] = [folders[0].path(), folders[1].path()];
        write(home, "b", "home b");
        write(home, "dev/a", "home a");
        write(home, "dev/a/templates/inner", "a template");
        write(home, ".hub/hidden", "hidden");
        write(bundled, "other/b", "bundled b");
        write(bundled, "ml/training/c", "bundled c");
        fs::write(home.join("dev/DESCRIPTION.md"), "---\ndescription: For developers\n---\n").unwrap();
        fs::write(bundled.join("ml/DESCRIPTION.md"), "# Title\n\nMachine learning.\n").unwrap();
        let missing = root(&home.join("missing"), RootKind::Project);
        let library = Library::read(
            &[missing, root(home, RootKind::Home), root(bundled, RootKind::Bundled)],
            &mut Cache::default(),
        );
        assert_eq!(names(&library), ["/b", "dev/a", "ml/training/c"]);
        assert_eq!(
            library.get("b").map(|skill| (skill.kind, skill.card.front_matter.description.as_str())),
            Some((RootKind::Home, "home b"))
        );
        assert_eq!(
            library.shadowed,
            [Shadowed { name: "b".into(), folder: bundled.join("other/b"), by: home.join("b") }]
        );
        assert_eq!(library.broken.len(), 0, "{:?}", library.broken);
        let descriptions: Vec<_> =
            library.descriptions.iter().map(|(category, text)| (category.as_str(), text.as_str())).collect();
        assert_eq!(descriptions, [("dev", "For developers"), ("ml", "Machine learning.")]);
    }

    #[test]
    fn folders_that_cannot_be_read_are_reported() {
        let temporary = tempfile::tempdir().unwrap();
        let path = temporary.path();
        write(path, "good", "d");
        for (folder, file, text) in [
            ("no-front", "SKILL.md", "# Title\n"),
            ("cat/no-file", "README.md", "x"),
            ("", "SKILL.md", "x"),
            ("cat/empty", ".keep", ""),
        ] {
            fs::create_dir_all(path.join(folder)).unwrap();
            fs::write(path.join(folder).join(file), text).unwrap();
        }
        let library = Library::read(&[root(path, RootKind::Home)], &mut Cache::default());
        let broken: Vec<_> = library
            .broken
            .iter()
            .map(|broken| (broken.folder.strip_prefix(path).unwrap().to_str().unwrap(), broken.notes[0].code))
            .collect();
        assert_eq!(
            broken,
            [
                ("", Code::MissingSkillFile),
                ("cat/no-file", Code::MissingSkillFile),
                ("no-front", Code::MissingFrontMatter)
            ]
        );
        assert_eq!(names(&library), ["/good"]);
    }

    #[test]
    fn a_second_reading_opens_only_what_has_changed() {
        let temporary = tempfile::tempdir().unwrap();
        let path = temporary.path();
        for index in 0..100 {
            write(path, &format!("c{}/s{index}", index % 7), "d");
        }
        let roots = [root(path, RootKind::Home)];
        let mut cache = Cache::default();
        let first = Library::read(&roots, &mut cache);
        assert_eq!((first.skills.len(), cache.reads()), (100, 100));
        write(path, "c1/s1", "a longer description");
        write(path, "c1/s1000", "new");
        fs::remove_dir_all(path.join("c2/s2")).unwrap();
        let second = Library::read(&roots, &mut cache);
        assert_eq!((second.skills.len(), cache.reads()), (100, 102));
        assert_eq!(second.get("s1").unwrap().card.front_matter.description, "a longer description");
        assert_eq!(cache.entries.len(), 100, "the deleted skill is dropped");
        assert!(second.get("s2").is_none() && second.get("s1000").is_some());
        assert_eq!(names(&Library::read(&roots, &mut Cache::default())), names(&second), "the order is the same");
    }

    #[cfg(unix)]
    #[test]
    fn a_linked_skill_is_read_unless_it_leads_out_of_a_project() {
        use std::os::unix::fs::symlink;
        let folders = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
        let [shared, path] = [folders[0].path(), folders[1].path()];
        write(shared, "a", "d");
        write(path, "b", "d");
        symlink(shared.join("a"), path.join("a")).unwrap();
        symlink("b", path.join("c")).unwrap();
        symlink(path, path.join("circle")).unwrap();
        let home = Library::read(&[root(path, RootKind::Home)], &mut Cache::default());
        assert_eq!((names(&home), home.shadowed.len()), (vec!["/a".to_owned(), "/b".to_owned()], 1));
        let project = Library::read(&[root(path, RootKind::Project)], &mut Cache::default());
        assert_eq!(names(&project), ["/b"]);
        assert_eq!(project.broken.iter().map(|broken| broken.notes[0].code).collect::<Vec<_>>(), [Code::Link]);
    }

    #[cfg(unix)]
    #[test]
    fn folders_whose_skills_are_not_found_are_reported() {
        use std::os::unix::fs::symlink;
        let folders = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
        let [shared, path] = [folders[0].path(), folders[1].path()];
        write(shared, "tables/a", "d");
        write(path, "c1/c2/c3/c4/c5/deep", "d");
        symlink(shared.join("tables"), path.join("tables")).unwrap();
        symlink(shared.join("missing"), path.join("missing")).unwrap();
        let library = Library::read(&[root(path, RootKind::Home)], &mut Cache::default());
        let found: Vec<(String, Code)> = library
            .broken
            .iter()
            .map(|broken| (broken.folder.file_name().unwrap().to_string_lossy().into_owned(), broken.notes[0].code))
            .collect();
        let expected = [("c4", Code::TooLarge), ("missing", Code::Link), ("tables", Code::Link)];
        let mut found = found.iter().map(|(name, code)| (name.as_str(), *code)).collect::<Vec<_>>();
        found.sort_by_key(|(name, _)| *name);
        assert_eq!(found, expected);
    }
}
