//! The files of one skill, in memory.
//!
//! A [`Bundle`] always fits on every system and within its [`Limits`], wherever it is from: an archive, a repository or a folder.

mod archive;
mod digest;
mod disk;
mod error;
mod heading;
mod path;

pub use archive::{unpack, zip};
pub use digest::{Digest, GitId, InvalidDigest};
pub use disk::{LocalFiles, OddFile};
pub use error::BundleError;
pub use heading::Heading;
pub use path::PathFault;

pub(crate) use disk::{is_executable, join, sync_folder, write_file};
pub(crate) use path::{check_name, folded};

/// The file that makes a folder a skill.
pub const SKILL_FILE: &str = "SKILL.md";

/// The bounds of a skill, and of an archive with skills.
///
/// The largest of the 36 official skills of Anthropic, OpenAI and Vercel had 83 files and 5.5 MB in November 2026.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The maximum number of files.
    pub files: usize,
    /// The maximum size of a file, in bytes.
    pub file_bytes: usize,
    /// The maximum size of all files together, in bytes.
    pub bytes: usize,
    /// The maximum number of folders in each other.
    pub folders: usize,
    /// How many times larger than the archive its content may be. Content of up to 1 MiB is always allowed.
    pub ratio: usize,
}

impl Default for Limits {
    /// 1,000 files, 10 MiB a file, 20 MiB together, 8 folders, 200 times.
    fn default() -> Self {
        Self { files: 1_000, file_bytes: 10 << 20, bytes: 20 << 20, folders: 8, ratio: 200 }
    }
}

impl Limits {
    /// Returns the bounds of an archive of a whole repository, in which a skill is a folder.
    #[must_use]
    pub fn for_archives(self) -> Self {
        Self { files: 10 * self.files, bytes: 5 * self.bytes, folders: self.folders + 4, ..self }
    }
}

/// A file of a skill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BundleFile {
    /// The path in the folder of the skill, with `/`.
    pub path: String,
    /// The content.
    pub bytes: Vec<u8>,
    /// Whether its owner may run it as a program.
    pub is_executable: bool,
}

impl BundleFile {
    /// Returns what counts when two versions of a file are compared: the content, and where files have modes, whether it is a program.
    pub(crate) fn state(&self) -> (&[u8], bool) {
        (&self.bytes, self.is_executable && cfg!(unix))
    }
}

/// The files of one skill, sorted by their paths.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bundle {
    files: Vec<BundleFile>,
    digest: Digest,
}

impl Bundle {
    /// Checks the files of a skill.
    ///
    /// # Errors
    /// If they are too many or too large, a path cannot be on every system, or `SKILL.md` is missing or not UTF-8.
    pub fn new(files: Vec<BundleFile>, limits: &Limits) -> Result<Self, BundleError> {
        let files = checked(files, limits)?;
        let Some(skill) = files.iter().find(|file| file.path == SKILL_FILE) else {
            let is_similar = |file: &&BundleFile| folded(&file.path) == folded(SKILL_FILE);
            return Err(BundleError::NoSkillFile(files.iter().find(is_similar).map(|file| file.path.clone())));
        };
        if str::from_utf8(&skill.bytes).is_err() {
            return Err(BundleError::NotText(SKILL_FILE.to_owned()));
        }
        let digest = Digest::of_files(&files);
        Ok(Self { files, digest })
    }

    /// Takes the folder of a skill out of the files of a repository or an archive.
    ///
    /// # Errors
    /// Like [`Bundle::new`].
    pub fn from_folder(files: Vec<BundleFile>, folder: &str, limits: &Limits) -> Result<Self, BundleError> {
        let inside = |file: BundleFile| {
            let path = relative(&file.path, folder)?.to_owned();
            Some(BundleFile { path, ..file })
        };
        Self::new(files.into_iter().filter_map(inside).collect(), limits)
    }

    /// Returns the files, sorted by their paths.
    pub fn files(&self) -> &[BundleFile] {
        &self.files
    }

    /// Returns a file.
    pub fn file(&self, path: &str) -> Option<&BundleFile> {
        let at = self.files.binary_search_by(|file| file.path.as_str().cmp(path)).ok()?;
        Some(&self.files[at])
    }

    /// Returns the digest of the files.
    pub fn digest(&self) -> Digest {
        self.digest
    }

    /// Returns the name that git gives to the folder.
    pub fn tree(&self) -> GitId {
        GitId::of_files(&self.files)
    }

    /// Returns the text of `SKILL.md`.
    pub fn skill_text(&self) -> &str {
        let file = self.file(SKILL_FILE).expect("a bundle has it");
        str::from_utf8(&file.bytes).expect("a bundle has checked it")
    }

    /// Returns the same files, with another name in `SKILL.md` if that has one.
    pub(crate) fn renamed(&self, name: &str) -> Self {
        let mut files = self.files.clone();
        if let Some(text) = heading::renamed(self.skill_text(), name) {
            let skill = files.iter_mut().filter(|file| file.path == SKILL_FILE);
            skill.for_each(|file| file.bytes = text.clone().into_bytes());
        }
        let digest = Digest::of_files(&files);
        Self { files, digest }
    }

    /// Returns the name and the description at the beginning of `SKILL.md`.
    pub fn heading(&self) -> Heading {
        Heading::read(self.skill_text())
    }
}

/// Returns the path of a file in a folder, of which the empty path is the root.
pub(crate) fn relative<'p>(path: &'p str, folder: &str) -> Option<&'p str> {
    if folder.is_empty() { Some(path) } else { path.strip_prefix(folder)?.strip_prefix('/') }
}

/// Returns the folders with a `SKILL.md` among some paths. A folder inside the folder of another skill belongs to that skill.
pub(crate) fn skill_folders<'p>(paths: impl Iterator<Item = &'p str>) -> Vec<&'p str> {
    let folder = |path: &'p str| match path.strip_suffix(SKILL_FILE)? {
        "" => Some(""),
        folder => folder.strip_suffix('/'),
    };
    let mut folders: Vec<&str> = paths.filter_map(folder).collect();
    folders.sort_unstable();
    let outer = folders.clone();
    // A `SKILL.md` at the root of a repository with more of them describes the repository.
    let is_inside = |folder: &str| {
        outer.iter().any(|other| !other.is_empty() && *other != folder && relative(folder, other).is_some())
    };
    folders.retain(|folder| !is_inside(folder));
    folders
}

/// Checks paths, sizes and collisions, and sorts the files.
fn checked(mut files: Vec<BundleFile>, limits: &Limits) -> Result<Vec<BundleFile>, BundleError> {
    if files.len() > limits.files {
        return Err(BundleError::TooManyFiles(limits.files));
    }
    for file in &files {
        path::check(&file.path, limits).map_err(|fault| BundleError::path(&file.path, fault))?;
        if file.bytes.len() > limits.file_bytes {
            return Err(BundleError::FileTooLarge(file.path.clone(), limits.file_bytes));
        }
    }
    if files.iter().map(|file| file.bytes.len()).sum::<usize>() > limits.bytes {
        return Err(BundleError::TooLarge(limits.bytes));
    }
    if let Some((one, other)) = path::collision(files.iter().map(|file| file.path.as_str())) {
        return Err(BundleError::Collision(one, other));
    }
    files.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str, text: &str) -> BundleFile {
        BundleFile { path: path.to_owned(), bytes: text.as_bytes().to_vec(), is_executable: false }
    }

    #[test]
    fn a_bundle_is_within_its_limits_and_has_a_skill_file() {
        let limits = Limits { files: 2, file_bytes: 10, bytes: 15, ..Limits::default() };
        let new =
            |files: &[(&str, &str)]| Bundle::new(files.iter().map(|(path, text)| file(path, text)).collect(), &limits);
        assert!(new(&[("SKILL.md", "0123456789"), ("a", "01234")]).is_ok());
        assert_eq!(new(&[("SKILL.md", ""), ("a", ""), ("b", "")]), Err(BundleError::TooManyFiles(2)));
        assert_eq!(new(&[("SKILL.md", "0123456789A")]), Err(BundleError::FileTooLarge("SKILL.md".to_owned(), 10)));
        assert_eq!(new(&[("SKILL.md", "0123456789"), ("a", "012345")]), Err(BundleError::TooLarge(15)));
        assert_eq!(new(&[("skill.md", "")]), Err(BundleError::NoSkillFile(Some("skill.md".to_owned()))));
        assert_eq!(new(&[]), Err(BundleError::NoSkillFile(None)));
        let binary = BundleFile { path: SKILL_FILE.to_owned(), bytes: vec![0xff], is_executable: false };
        assert_eq!(Bundle::new(vec![binary], &limits), Err(BundleError::NotText(SKILL_FILE.to_owned())));
    }

    #[test]
    fn the_order_of_files_does_not_matter() {
        let bundle = |files| Bundle::new(files, &Limits::default()).expect("it is a skill");
        let (a, b) = (file("SKILL.md", "x"), file("a/b", "y"));
        let (one, other) = (bundle(vec![a.clone(), b.clone()]), bundle(vec![b, a]));
        assert_eq!((one.digest(), one.tree()), (other.digest(), other.tree()));
        assert_eq!(one.file("a/b").map(|file| file.bytes.as_slice()), Some(&b"y"[..]));
    }

    #[test]
    fn skills_in_a_repository_are_its_folders_with_a_skill_file() {
        let paths =
            ["README.md", "skills/a/SKILL.md", "skills/a/examples/b/SKILL.md", "c/SKILL.md", "SKILL.md", "xSKILL.md"];
        assert_eq!(skill_folders(paths.into_iter()), ["", "c", "skills/a"]);
        assert_eq!(skill_folders(["ab/SKILL.md", "a/SKILL.md"].into_iter()), ["a", "ab"]);
    }
}
