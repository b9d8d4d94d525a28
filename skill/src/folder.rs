//! The folder of one skill: its SKILL.md and its supporting files.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use serde::Serialize;
use sha2::{Digest as _, Sha256};

use crate::directory::{Directory, EntryKind};
use crate::front_matter::{Reading, read};
use crate::note::{Code, Note, Notes, Strictness, Unreadable};
use crate::source::MAX_FILE_BYTES;

/// The name of the file with the instructions.
pub(crate) const SKILL_FILE: &str = "SKILL.md";

/// Bounds of what is read in a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The most files, folders and links. Default: 1,000; the largest official skills have about 100.
    pub files: usize,
    /// The most bytes of all files together. Default: 64 MiB.
    pub bytes: u64,
    /// The deepest folder; the skill's own folder has depth 0. Default: 8.
    pub depth: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { files: 1_000, bytes: 64 << 20, depth: 8 }
    }
}

/// What a file of a skill is for, by its folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum FileKind {
    /// SKILL.md.
    Skill,
    /// Below `references/`.
    Reference,
    /// Below `templates/`.
    Template,
    /// Below `scripts/`.
    Script,
    /// Below `assets/`.
    Asset,
    /// Elsewhere.
    Other,
    /// A symbolic link, which is not followed.
    Link,
}

impl FileKind {
    fn of_path(path: &str) -> Self {
        match path.split_once('/').map(|(first, _)| first) {
            Some("references") => Self::Reference,
            Some("templates") => Self::Template,
            Some("scripts") => Self::Script,
            Some("assets") => Self::Asset,
            None if path.eq_ignore_ascii_case(SKILL_FILE) => Self::Skill,
            _ => Self::Other,
        }
    }
}

/// A file of a skill.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SkillFile {
    /// The path relative to the skill's folder, with `/` between its parts.
    pub path: String,
    /// The size in bytes; 0 for a link.
    pub size: u64,
    /// What the file is for.
    pub kind: FileKind,
}

/// The files of a skill, sorted by path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Listing {
    /// The files and links.
    pub files: Vec<SkillFile>,
    /// Links, odd names, and what was left out.
    pub notes: Vec<Note>,
    /// Whether all files are listed: no bound was exceeded, and every folder could be read.
    pub is_complete: bool,
}

/// Why a file of a skill cannot be read.
#[derive(Debug)]
#[non_exhaustive]
pub enum FileError {
    /// The path leads out of the folder or is malformed: the path, and what is wrong with it.
    BadPath(String, &'static str),
    /// No file has the path.
    NotFound(String),
    /// The file, or a folder in its path, is a symbolic link.
    Link(String),
    /// The file is larger than allowed: its path, and the most bytes.
    TooLarge(String, u64),
    /// The folder exceeds the [`Limits`], or a part of it cannot be read.
    Incomplete(PathBuf),
    /// The system refuses to read it.
    Io(String, io::Error),
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BadPath(path, fault) => {
                write!(f, "expected a path below the skill's folder, such as `references/api.md`; `{path}` {fault}")
            }
            Self::NotFound(path) => write!(f, "the skill has no file `{path}`"),
            Self::Link(path) => write!(
                f,
                "`{path}` is a symbolic link or below one, and links are not followed; copy the file into the skill"
            ),
            Self::TooLarge(path, most) => {
                write!(f, "`{path}` has more than {most} bytes, which is the most that is read")
            }
            Self::Incomplete(path) => {
                write!(f, "the folder `{}` cannot be read as a whole; its listing has the reasons", path.display())
            }
            Self::Io(path, error) => write!(f, "cannot read `{path}`: {error}"),
        }
    }
}

impl std::error::Error for FileError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io(_, error) => Some(error),
            _ => None,
        }
    }
}

/// The open folder of a skill. On Unix, files are opened relative to it, so that nothing that is moved or linked meanwhile leads out.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    directory: Directory,
}

impl Folder {
    /// Opens a folder. Links in its path are followed, links inside the folder are not.
    ///
    /// # Errors
    ///
    /// The path is not a folder, or cannot be opened.
    pub fn open(path: impl Into<PathBuf>) -> io::Result<Self> {
        let path = path.into();
        Ok(Self { directory: Directory::open(&path)?, path })
    }

    /// Returns the path with which the folder was opened.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Reads SKILL.md, or a file whose name differs from it only in case.
    ///
    /// # Errors
    ///
    /// The file is missing, cannot be opened, or [`read`] refuses it.
    pub fn read_skill(&self, strictness: Strictness) -> Result<Reading, Unreadable> {
        let mut notes = Notes::new(strictness);
        let Some(bytes) = self.skill_bytes(&mut notes) else { return Err(notes.unreadable()) };
        let folder = self.path.file_name().map(OsStr::to_string_lossy);
        let mut reading = read(&bytes, folder.as_deref(), strictness)?;
        reading.notes.splice(0..0, notes.sorted());
        Ok(reading)
    }

    fn skill_bytes(&self, notes: &mut Notes) -> Option<Vec<u8>> {
        let most = MAX_FILE_BYTES as u64;
        let mut name = OsString::from(SKILL_FILE);
        let mut bytes = self.directory.read(&name, most);
        if bytes.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::NotFound) {
            let names = self.directory.names(Limits::default().files).unwrap_or_default();
            if let Some(other) = names.into_iter().find(|name| name.eq_ignore_ascii_case(SKILL_FILE)) {
                notes.add(
                    (0, 0),
                    Code::FileName,
                    format!("expected {SKILL_FILE}, and the file is called {}; rename it", other.to_string_lossy()),
                );
                bytes = self.directory.read(&other, most);
                name = other;
            }
        }
        match bytes {
            Ok(Some(bytes)) => return Some(bytes),
            Ok(None) => notes.add(
                (0, 0),
                Code::TooLarge,
                format!("{} has more than {most} bytes; move parts to references/", self.at(&name)),
            ),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                notes.add((0, 0), Code::MissingSkillFile, format!("expected the file {}", self.at(&name)));
            }
            Err(_) if matches!(self.directory.kind(&name), Ok(EntryKind::Link(_))) => {
                notes.add(
                    (0, 0),
                    Code::CannotRead,
                    format!("{} is a symbolic link, which is not followed; copy the file", self.at(&name)),
                );
            }
            Err(error) => notes.add((0, 0), Code::CannotRead, format!("cannot read {}: {error}", self.at(&name))),
        }
        None
    }

    fn at(&self, name: &OsStr) -> String {
        self.path.join(name).display().to_string()
    }

    /// Lists all files of the skill.
    pub fn list(&self, limits: &Limits) -> Listing {
        let mut lister = Lister {
            limits,
            files: Vec::new(),
            notes: Notes::new(Strictness::Use),
            is_complete: true,
            seen: 0,
            bytes: 0,
        };
        lister.folder(&self.directory, "", 0);
        lister.files.sort_by(|a, b| a.path.cmp(&b.path));
        Listing { files: lister.files, notes: lister.notes.sorted(), is_complete: lister.is_complete }
    }

    /// Returns a digest of the contents of the skill, as 64 hexadecimal digits, which shows whether anything has changed.
    ///
    /// It is the SHA-256 of all regular files in the order of their paths, compared as bytes. Each file contributes the length of its
    /// path as 8 bytes in big-endian order, its path with `/` between the parts, the length of its content in the same form, and its
    /// content. A link contributes its path and the text of its target likewise. Times and permissions do not count.
    ///
    /// # Errors
    ///
    /// A part of the folder cannot be read, has a name that is not UTF-8, or exceeds the limits: a digest of a part would mislead.
    pub fn digest(&self, limits: &Limits) -> Result<String, FileError> {
        self.digest_with(limits, |_, _| ())
    }

    /// Returns the [`digest`](Self::digest), and calls `visit` with each file and exactly the bytes that count for it: the content, or for
    /// a link its target.
    ///
    /// # Errors
    ///
    /// As for [`digest`](Self::digest).
    pub fn digest_with(&self, limits: &Limits, mut visit: impl FnMut(SkillFile, Vec<u8>)) -> Result<String, FileError> {
        let listing = self.list(limits);
        if !listing.is_complete {
            return Err(FileError::Incomplete(self.path.clone()));
        }
        let mut digest = Sha256::new();
        let mut left = limits.bytes;
        for file in listing.files {
            let content =
                if file.kind == FileKind::Link { self.target(&file.path)? } else { self.read_file(&file.path, left)? };
            left = left.saturating_sub(content.len() as u64);
            for part in [file.path.as_bytes(), &content] {
                digest.update((part.len() as u64).to_be_bytes());
                digest.update(part);
            }
            visit(file, content);
        }
        Ok(digest.finalize().iter().fold(String::with_capacity(64), |text, byte| text + &format!("{byte:02x}")))
    }

    fn target(&self, path: &str) -> Result<Vec<u8>, FileError> {
        let (folder, name) = self.parent(path)?;
        match folder.as_ref().unwrap_or(&self.directory).kind(OsStr::new(name)) {
            Ok(EntryKind::Link(target)) => Ok(target.into_os_string().into_encoded_bytes()),
            Ok(_) => Err(FileError::NotFound(path.to_owned())),
            Err(error) => Err(FileError::Io(path.to_owned(), error)),
        }
    }

    /// Returns the target of a link, as it is stored. What is not UTF-8 is replaced.
    ///
    /// # Errors
    ///
    /// The path is malformed, leads through a link, or is not a link.
    pub fn link_target(&self, path: &str) -> Result<String, FileError> {
        self.target(path).map(|target| String::from_utf8_lossy(&target).into_owned())
    }

    /// Reads a file of the skill of at most `most` bytes. The path is relative to the skill's folder, with `/` between its parts.
    ///
    /// # Errors
    ///
    /// The path is absolute, contains `..`, or leads through a link; the file is missing, too large, or not a regular file.
    pub fn read_file(&self, path: &str, most: u64) -> Result<Vec<u8>, FileError> {
        let (folder, name) = self.parent(path)?;
        let folder = folder.as_ref().unwrap_or(&self.directory);
        match folder.read(OsStr::new(name), most) {
            Ok(Some(bytes)) => Ok(bytes),
            Ok(None) => Err(FileError::TooLarge(path.to_owned(), most)),
            Err(error) => Err(failure(folder, name, path, error)),
        }
    }

    /// Opens the folder that contains a file, or returns `None` if it is the skill's own.
    fn parent<'p>(&self, path: &'p str) -> Result<(Option<Directory>, &'p str), FileError> {
        check_path(path).map_err(|fault| FileError::BadPath(path.to_owned(), fault))?;
        let (folders, name) = path.rsplit_once('/').map_or((None, path), |(folders, name)| (Some(folders), name));
        let mut open: Option<Directory> = None;
        for part in folders.into_iter().flat_map(|folders| folders.split('/')) {
            let folder = open.as_ref().unwrap_or(&self.directory);
            let next = folder.folder(OsStr::new(part)).map_err(|error| failure(folder, part, path, error))?;
            open = Some(next);
        }
        Ok((open, name))
    }
}

/// Returns why an entry cannot be opened.
fn failure(folder: &Directory, name: &str, path: &str, error: io::Error) -> FileError {
    match folder.kind(OsStr::new(name)) {
        Ok(EntryKind::Link(_)) => FileError::Link(path.to_owned()),
        Err(missing) if missing.kind() == io::ErrorKind::NotFound => FileError::NotFound(path.to_owned()),
        _ => FileError::Io(path.to_owned(), error),
    }
}

/// Checks a path of a file in a skill. Returns what is wrong with it.
pub(crate) fn check_path(path: &str) -> Result<(), &'static str> {
    if path.is_empty() {
        return Err("is empty");
    }
    if path.starts_with('/') || path.as_bytes().get(1) == Some(&b':') {
        return Err("is absolute");
    }
    if path.contains('\\') {
        return Err("contains a backslash; write `/`");
    }
    if path.contains('\0') {
        return Err("contains a NUL character");
    }
    for part in path.split('/') {
        match part {
            "" => return Err("has an empty part"),
            "." => return Err("contains `.` as a part; leave it out"),
            ".." => return Err("contains `..`"),
            _ => {}
        }
    }
    Ok(())
}

/// Lists folders within limits.
struct Lister<'a> {
    limits: &'a Limits,
    files: Vec<SkillFile>,
    notes: Notes,
    is_complete: bool,
    seen: usize,
    bytes: u64,
}

impl Lister<'_> {
    fn folder(&mut self, directory: &Directory, prefix: &str, depth: usize) {
        if depth > self.limits.depth {
            return self.incomplete(
                Code::TooLarge,
                format!("`{prefix}` is nested deeper than {} folders; its files are left out", self.limits.depth),
            );
        }
        // One more than allowed shows that the folder has more.
        let names = match directory.names(self.limits.files.saturating_sub(self.seen) + 1) {
            Ok(names) => names,
            Err(error) => {
                return self.incomplete(Code::CannotRead, format!("cannot read the folder `{prefix}`: {error}"));
            }
        };
        for name in names {
            self.seen += 1;
            if self.seen > self.limits.files {
                return self.incomplete(
                    Code::TooLarge,
                    format!("the skill has more than {} files; the others are left out", self.limits.files),
                );
            }
            self.entry(directory, prefix, &name, depth);
        }
    }

    fn entry(&mut self, directory: &Directory, prefix: &str, name: &OsStr, depth: usize) {
        let Some(text) = name.to_str().filter(|name| !name.contains('\\')) else {
            let message = format!("`{prefix}{}` cannot be read by its name; rename it", name.to_string_lossy());
            return self.incomplete(Code::OddFileName, message);
        };
        let path = format!("{prefix}{text}");
        match directory.kind(name) {
            Ok(EntryKind::File(size)) => {
                self.bytes = self.bytes.saturating_add(size);
                if self.bytes > self.limits.bytes {
                    return self.incomplete(
                        Code::TooLarge,
                        format!("with `{path}`, the skill exceeds {} bytes; it is left out", self.limits.bytes),
                    );
                }
                self.files.push(SkillFile { kind: FileKind::of_path(&path), path, size });
            }
            Ok(EntryKind::Folder) => match directory.folder(name) {
                Ok(folder) => self.folder(&folder, &format!("{path}/"), depth + 1),
                Err(error) => self.incomplete(Code::CannotRead, format!("cannot open the folder `{path}`: {error}")),
            },
            Ok(EntryKind::Link(target)) => {
                self.notes.add(
                    (0, 0),
                    Code::Link,
                    format!("`{path}` is a symbolic link to `{}`, which is not followed", target.display()),
                );
                self.files.push(SkillFile { path, size: 0, kind: FileKind::Link });
            }
            Ok(EntryKind::Other) => {
                self.incomplete(
                    Code::NotRegular,
                    format!("`{path}` is not a file, a folder or a link; it is left out"),
                );
            }
            Err(error) => self.incomplete(Code::CannotRead, format!("cannot read `{path}`: {error}")),
        }
    }

    fn incomplete(&mut self, code: Code, message: String) {
        self.is_complete = false;
        self.notes.add((0, 0), code, message);
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn skill() -> (tempfile::TempDir, Folder) {
        let temporary = tempfile::tempdir().unwrap();
        let path = temporary.path().join("x");
        fs::create_dir_all(path.join("references/deep")).unwrap();
        fs::create_dir_all(path.join("scripts")).unwrap();
        fs::write(path.join("SKILL.md"), "---\nname: x\ndescription: d\n---\nBody\n").unwrap();
        fs::write(path.join("references/deep/a.md"), "text").unwrap();
        fs::write(path.join("scripts/run.sh"), "true").unwrap();
        fs::write(path.join("LICENSE"), "MIT").unwrap();
        let folder = Folder::open(path).unwrap();
        (temporary, folder)
    }

    #[test]
    fn files_are_listed_by_path_with_their_kinds() {
        let (_temporary, folder) = skill();
        let listing = folder.list(&Limits::default());
        let files: Vec<_> = listing.files.iter().map(|file| (file.path.as_str(), file.size, file.kind)).collect();
        let expected = [
            ("LICENSE", 3, FileKind::Other),
            ("SKILL.md", 36, FileKind::Skill),
            ("references/deep/a.md", 4, FileKind::Reference),
            ("scripts/run.sh", 4, FileKind::Script),
        ];
        assert_eq!((&files[..], listing.is_complete), (&expected[..], true));
        assert_eq!(folder.read_skill(Strictness::Check).unwrap().body(), "Body\n");
    }

    #[test]
    fn a_folder_beyond_the_limits_is_listed_in_part_and_has_no_digest() {
        let (_temporary, folder) = skill();
        for limits in [
            Limits { files: 3, ..Limits::default() },
            Limits { bytes: 40, ..Limits::default() },
            Limits { depth: 1, ..Limits::default() },
        ] {
            let listing = folder.list(&limits);
            assert!(!listing.is_complete && !listing.notes.is_empty(), "{limits:?}");
            assert!(matches!(folder.digest(&limits), Err(FileError::Incomplete(_))), "{limits:?}");
        }
    }

    #[test]
    fn the_digest_changes_with_contents_and_paths_only() {
        let (temporary, folder) = skill();
        let digest = |folder: &Folder| folder.digest(&Limits::default()).unwrap();
        let first = digest(&folder);
        let path = folder.path().join("LICENSE");
        fs::write(&path, "BSD").unwrap();
        let second = digest(&folder);
        fs::write(&path, "MIT").unwrap();
        assert_eq!((digest(&folder), first.len()), (first.clone(), 64));
        fs::rename(&path, folder.path().join("LICENSE.txt")).unwrap();
        assert!(second != first && digest(&folder) != first);
        let other = temporary.path().join("one");
        fs::create_dir(&other).unwrap();
        fs::write(other.join("a"), "b").unwrap();
        // printf '\0\0\0\0\0\0\0\1a\0\0\0\0\0\0\0\1b' | sha256sum
        assert_eq!(
            digest(&Folder::open(other).unwrap()),
            "3c9d591045bc8876f9d0399bbfb05c6a412096e906f73278f98406cd5dca86df"
        );
    }

    #[test]
    fn only_files_below_the_folder_are_read() {
        let (temporary, folder) = skill();
        fs::write(temporary.path().join("secret"), "s").unwrap();
        assert_eq!(folder.read_file("references/deep/a.md", 4).unwrap(), b"text");
        assert!(matches!(folder.read_file("references/deep/a.md", 3), Err(FileError::TooLarge(_, 3))));
        assert!(matches!(folder.read_file("references/b.md", 9), Err(FileError::NotFound(_))));
        assert!(matches!(folder.read_file("none/b.md", 9), Err(FileError::NotFound(_))));
        assert!(matches!(folder.read_file("references", 9), Err(FileError::Io(..))));
        for path in [
            "",
            "/etc/passwd",
            "../secret",
            "scripts/../../secret",
            "./LICENSE",
            "scripts//run.sh",
            "a\\b",
            "c:/x",
            "a\0",
        ] {
            assert!(matches!(folder.read_file(path, 9), Err(FileError::BadPath(..))), "{path:?}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn links_are_listed_and_not_followed() {
        use std::os::unix::fs::symlink;
        let (temporary, folder) = skill();
        fs::write(temporary.path().join("secret"), "s").unwrap();
        let before = folder.digest(&Limits::default()).unwrap();
        symlink(temporary.path(), folder.path().join("out")).unwrap();
        symlink("../secret", folder.path().join("file")).unwrap();
        let listing = folder.list(&Limits::default());
        assert_eq!(listing.files.iter().filter(|file| file.kind == FileKind::Link).count(), 2);
        assert_eq!(listing.notes.iter().filter(|note| note.code == Code::Link).count(), 2);
        assert!(matches!(folder.read_file("file", 9), Err(FileError::Link(_))));
        assert!(matches!(folder.read_file("out/secret", 9), Err(FileError::Link(_))));
        assert_ne!(folder.digest(&Limits::default()).unwrap(), before);
        fs::remove_file(folder.path().join("SKILL.md")).unwrap();
        symlink("../secret", folder.path().join("SKILL.md")).unwrap();
        assert_eq!(folder.read_skill(Strictness::Use).unwrap_err().notes[0].code, Code::CannotRead);
    }

    #[test]
    fn a_skill_file_in_lower_case_is_read_with_a_note() {
        let (_temporary, folder) = skill();
        fs::rename(folder.path().join("SKILL.md"), folder.path().join("skill.md")).unwrap();
        let reading = folder.read_skill(Strictness::Use).unwrap();
        let is_sensitive = !folder.path().join("SKILL.md").exists();
        assert_eq!(reading.notes.iter().any(|note| note.code == Code::FileName), is_sensitive);
        fs::remove_file(folder.path().join("skill.md")).unwrap();
        assert_eq!(folder.read_skill(Strictness::Use).unwrap_err().notes[0].code, Code::MissingSkillFile);
    }
}
