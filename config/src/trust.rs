//! Projects and plugins of packages whose files the user has trusted: the digest of a folder, and a copy of it. The folder of a project is
//! `.toolc`. The same file lists the git repositories and the files with instructions that the user has trusted, by a digest that the
//! caller computes.
//!
//! Programs run from the copy. So what runs is what was trusted, even if a file of the project changes at that moment.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};
use toml_edit::{ArrayOfTables, DocumentMut, Item, Table, value};
use walkdir::WalkDir;

use crate::bounded;
use crate::error::{ConfigError, ConfigErrorKind};
use crate::home::Home;

/// The folder of a project that can hold plugins.
pub const PROJECT_FOLDER: &str = ".toolc";
/// The maximum number of files and folders of a project's folder.
const MAX_ENTRIES: usize = 10_000;
/// The maximum number of bytes of all files together.
const MAX_BYTES: u64 = 256 << 20;
/// The maximum number of bytes of the list of trusted projects.
const MAX_LIST_BYTES: usize = 1 << 20;

/// The files of a project's folder, or of a plugin of a package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProjectFiles {
    /// The project, or the folder of the plugin.
    project: PathBuf,
    /// The folder with the files.
    folder: PathBuf,
    /// The files, sorted, relative to the folder.
    files: Vec<ProjectFile>,
    digest: String,
}

/// A file of the folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProjectFile {
    /// The path relative to the folder.
    pub path: PathBuf,
    /// The number of bytes.
    pub bytes: u64,
    /// Whether it can be run.
    pub is_executable: bool,
}

/// Whether the user trusts a project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Trust {
    /// The files are those that the user has trusted. The copy of the folder is here.
    Trusted(PathBuf),
    /// The files have changed since.
    Changed,
    /// The user has not trusted the project.
    Unknown,
}

impl ProjectFiles {
    /// Reads the folder `.toolc` of a project. Returns `None` if the project has none.
    ///
    /// # Errors
    /// If a file cannot be read, is neither a file nor a folder, such as a link, or there are too many.
    pub fn read(project: &Path) -> Result<Option<Self>, ConfigError> {
        let folder = project.join(PROJECT_FOLDER);
        match fs::symlink_metadata(&folder) {
            Ok(meta) if meta.is_dir() => {}
            Ok(_) => return Err(ConfigError::mistake(format!("{} is not a folder", folder.display()))),
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
                return Ok(None);
            }
            Err(error) => return Err(ConfigError::io("failed to read", &folder, error)),
        }
        let failed = |path: &Path, error: io::Error| ConfigError::io("failed to read", path, error);
        let project = fs::canonicalize(project).map_err(|error| failed(project, error))?;
        let folder = project.join(PROJECT_FOLDER);
        Self::read_files(project, folder, Sha256::new()).map(Some)
    }

    /// Reads the folder of a plugin that a package has installed.
    ///
    /// # Errors
    /// Like [`read`](Self::read).
    pub fn read_plugin(folder: &Path) -> Result<Self, ConfigError> {
        let folder = fs::canonicalize(folder).map_err(|error| ConfigError::io("failed to read", folder, error))?;
        Self::read_plugin_files(folder)
    }

    /// Reads the plugin in `folder`. A plugin has the name of its folder, so the name is a part of the digest.
    fn read_plugin_files(folder: PathBuf) -> Result<Self, ConfigError> {
        let name = folder.file_name().unwrap_or_default().as_encoded_bytes();
        let digest = Sha256::new().chain_update("plugin ").chain_update((name.len() as u64).to_le_bytes());
        let digest = digest.chain_update(name);
        Self::read_files(folder.clone(), folder, digest)
    }

    /// Reads the files in `folder`.
    fn read_files(project: PathBuf, folder: PathBuf, mut digest: Sha256) -> Result<Self, ConfigError> {
        let failed = |path: &Path, error: io::Error| ConfigError::io("failed to read", path, error);
        let refused =
            |path: &Path, why: &str| ConfigError::mistake(format!("failed to read {}: {why}", path.display()));
        let (mut files, mut total) = (Vec::new(), 0);
        for (count, entry) in WalkDir::new(&folder).sort_by_file_name().into_iter().enumerate() {
            let entry =
                entry.map_err(|error| ConfigError::caused(ConfigErrorKind::Io, "failed to read", &folder, error))?;
            let path = entry.path();
            if count > MAX_ENTRIES {
                return Err(refused(&folder, &format!("it has more than {MAX_ENTRIES} files and folders")));
            }
            let meta = entry
                .metadata()
                .map_err(|error| ConfigError::caused(ConfigErrorKind::Io, "failed to read", path, error))?;
            if meta.is_dir() {
                continue;
            }
            if !meta.is_file() {
                return Err(refused(path, "only files and folders can be trusted: replace the link with a copy"));
            }
            total += meta.len();
            if total > MAX_BYTES {
                return Err(refused(&folder, &format!("its files have more than {MAX_BYTES} bytes")));
            }
            let relative = path.strip_prefix(&folder).unwrap_or(path).to_owned();
            let name = relative.as_os_str().as_encoded_bytes();
            let (content, bytes) = content(path).map_err(|error| failed(path, error))?;
            let is_executable = is_executable(&meta);
            // Lengths keep the parts apart.
            digest.update((name.len() as u64).to_le_bytes());
            digest.update(name);
            digest.update([u8::from(is_executable)]);
            digest.update(content);
            files.push(ProjectFile { path: relative, bytes, is_executable });
        }
        Ok(Self { project, folder, files, digest: hex(&digest.finalize()) })
    }

    /// Returns the files, sorted by path.
    pub fn files(&self) -> &[ProjectFile] {
        &self.files
    }

    /// Returns the folder with the files.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns the project, or the folder of the plugin.
    pub fn project(&self) -> &Path {
        &self.project
    }

    /// Returns whether the user of this profile trusts these files.
    ///
    /// # Errors
    /// If the list of trusted projects cannot be read.
    pub fn trust(&self, home: &Home) -> Result<Trust, ConfigError> {
        let listed = trusted_projects(home)?.into_iter().find(|(project, _)| *project == self.project);
        Ok(match listed {
            None => Trust::Unknown,
            Some((_, digest)) if digest != self.digest => Trust::Changed,
            Some(_) => {
                let copy = self.copy(home);
                if copy.is_dir() { Trust::Trusted(copy) } else { Trust::Changed }
            }
        })
    }

    /// Trusts these files: copies them, and adds the project to the list.
    ///
    /// # Errors
    /// If they have changed since they were read, or a file cannot be written.
    pub fn add(&self, home: &Home) -> Result<(), ConfigError> {
        let failed = |error: io::Error| ConfigError::io("failed to copy", &self.project, error);
        let copies = home.path().join("trusted");
        home.create(&copies).map_err(failed)?;
        let temporary = tempfile::Builder::new().prefix(".copy-").tempdir_in(&copies).map_err(failed)?;
        let folder = temporary.path().join(self.name());
        fs::create_dir(&folder).map_err(failed)?;
        for file in &self.files {
            let to = folder.join(&file.path);
            fs::create_dir_all(to.parent().unwrap_or(&folder)).map_err(failed)?;
            fs::copy(self.folder.join(&file.path), &to).map_err(failed)?;
            set_private(&to, file.is_executable).map_err(failed)?;
        }
        set_folders_private(&folder).map_err(failed)?;
        let read_again = if self.is_plugin() {
            Self::read_plugin_files(folder.clone())?
        } else {
            Self::read_files(folder.clone(), folder.clone(), Sha256::new())?
        };
        if read_again.digest != self.digest {
            let message = format!("a file of {} has changed in the meantime: look at it again", self.project.display());
            return Err(ConfigError::new(ConfigErrorKind::Changed, message));
        }
        let copy = self.copy(home);
        if !copy.is_dir() {
            let target = copy.parent().unwrap_or(&copies);
            fs::create_dir_all(target).and_then(|()| fs::rename(&folder, &copy)).map_err(failed)?;
        }
        add(home, PROJECTS, &self.project, &self.digest)
    }

    fn is_plugin(&self) -> bool {
        self.folder == self.project
    }

    /// Returns the name of the folder, which its copy has, too.
    fn name(&self) -> &OsStr {
        self.folder.file_name().unwrap_or_default()
    }

    fn copy(&self, home: &Home) -> PathBuf {
        copies_of(home, &self.digest).join(self.name())
    }
}

/// Returns a digest of several parts, whose lengths keep them apart.
pub fn digest<'p>(parts: impl IntoIterator<Item = &'p [u8]>) -> String {
    let with_length =
        |digest: Sha256, part: &[u8]| digest.chain_update((part.len() as u64).to_le_bytes()).chain_update(part);
    hex(&parts.into_iter().fold(Sha256::new(), with_length).finalize())
}

/// The list of projects and plugins in the file.
const PROJECTS: &str = "project";

/// What the user trusts by a digest that the caller computes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TrustList {
    /// The settings of git repositories.
    Repositories,
    /// The files with standing instructions.
    Instructions,
    /// The folders with skills of projects.
    Skills,
}

impl TrustList {
    /// Returns the name of the list in the file.
    fn name(self) -> &'static str {
        match self {
            Self::Repositories => "repository",
            Self::Instructions => "instructions",
            Self::Skills => "skills",
        }
    }

    /// Returns the trusted paths, each with its digest.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn entries(self, home: &Home) -> Result<Vec<(PathBuf, String)>, ConfigError> {
        trusted_paths(home, self.name())
    }

    /// Trusts the content of a path that has this digest.
    ///
    /// # Errors
    /// If the file cannot be read or written.
    pub fn add(self, home: &Home, path: &Path, digest: &str) -> Result<(), ConfigError> {
        add(home, self.name(), path, digest)
    }

    /// Trusts a path no more. Returns whether it was trusted.
    ///
    /// # Errors
    /// If the file cannot be read or written.
    pub fn remove(self, home: &Home, path: &Path) -> Result<bool, ConfigError> {
        let was_trusted = self.entries(home)?.iter().any(|(known, _)| known == path);
        if was_trusted {
            edit(home, self.name(), |list| list.retain(|table| path_of(table).as_deref() != Some(path)))?;
        }
        Ok(was_trusted)
    }
}

/// Returns the trusted projects and plugins, each with the digest of its files.
///
/// # Errors
/// If the list cannot be read.
pub fn trusted_projects(home: &Home) -> Result<Vec<(PathBuf, String)>, ConfigError> {
    trusted_paths(home, PROJECTS)
}

fn trusted_paths(home: &Home, list: &str) -> Result<Vec<(PathBuf, String)>, ConfigError> {
    let document = document(home)?;
    let tables = document.get(list).and_then(Item::as_array_of_tables);
    let read = |table: &Table| Some((path_of(table)?, table.get("digest")?.as_str()?.to_owned()));
    Ok(tables.into_iter().flat_map(ArrayOfTables::iter).filter_map(read).collect())
}

fn add(home: &Home, list: &str, path: &Path, digest: &str) -> Result<(), ConfigError> {
    edit(home, list, |tables| {
        tables.retain(|table| path_of(table).as_deref() != Some(path));
        let mut table = Table::new();
        table["path"] = value(path.to_string_lossy().into_owned());
        table["digest"] = value(digest);
        tables.push(table);
    })
}

/// Trusts a project or a plugin no more. Returns whether it was trusted.
///
/// # Errors
/// If the list cannot be read or written.
pub fn revoke(home: &Home, project: &Path) -> Result<bool, ConfigError> {
    let project = fs::canonicalize(project).unwrap_or_else(|_| project.to_owned());
    let all = trusted_projects(home)?;
    let Some((_, digest)) = all.iter().find(|(known, _)| *known == project) else { return Ok(false) };
    edit(home, PROJECTS, |projects| projects.retain(|table| path_of(table).as_deref() != Some(&project)))?;
    // Another project may have the same files.
    if !all.iter().any(|(other, same)| *other != project && same == digest) {
        let _ = fs::remove_dir_all(copies_of(home, digest));
    }
    Ok(true)
}

/// Returns the folder that contains the copy of files with this digest.
fn copies_of(home: &Home, digest: &str) -> PathBuf {
    let is_digest = digest.len() == 64 && digest.bytes().all(|byte| byte.is_ascii_hexdigit());
    let name = if is_digest { digest } else { "none" };
    home.path().join("trusted").join(name)
}

fn path_of(table: &Table) -> Option<PathBuf> {
    table.get("path")?.as_str().map(PathBuf::from)
}

fn document(home: &Home) -> Result<DocumentMut, ConfigError> {
    let path = home.trusted();
    let failed = |error: io::Error| ConfigError::io("failed to read", &path, error);
    let text = bounded::read(&path, MAX_LIST_BYTES).map_err(failed)?.unwrap_or_default();
    text.parse().map_err(|error: toml_edit::TomlError| {
        let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
        let line = before.matches('\n').count() + 1;
        let message = format!(
            "failed to read line {line} of {}: {}. Mend the line, or remove the file and trust your projects again",
            path.display(),
            error.message()
        );
        ConfigError::mistake(message).with_source(error)
    })
}

fn edit(home: &Home, list: &str, change: impl FnOnce(&mut ArrayOfTables)) -> Result<(), ConfigError> {
    let mut document = document(home)?;
    let tables = document.entry(list).or_insert(Item::ArrayOfTables(ArrayOfTables::new()));
    let path = home.trusted();
    let Some(tables) = tables.as_array_of_tables_mut() else {
        let message = format!("failed to change {}: `{list}` is not an array of tables", path.display());
        return Err(ConfigError::mistake(message));
    };
    change(tables);
    let written = home.create(home.path()).and_then(|()| bounded::write(&path, &document.to_string()));
    written.map_err(|error| ConfigError::io("failed to write", &path, error))
}

/// Returns the digest and the length of a file.
fn content(path: &Path) -> io::Result<([u8; 32], u64)> {
    let mut digest = Sha256::new();
    let mut file = File::open(path)?.take(MAX_BYTES + 1);
    let (mut buffer, mut length) = (vec![0; 64 << 10], 0);
    loop {
        let read = file.read(&mut buffer)?;
        if read == 0 {
            return Ok((digest.finalize().into(), length));
        }
        digest.update(&buffer[..read]);
        length += read as u64;
    }
}

fn hex(bytes: &[u8]) -> String {
    let digits = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    digits.filter_map(|digit| char::from_digit(digit.into(), 16)).collect()
}

#[cfg(unix)]
fn is_executable(meta: &fs::Metadata) -> bool {
    std::os::unix::fs::PermissionsExt::mode(&meta.permissions()) & 0o111 != 0
}

#[cfg(not(unix))]
fn is_executable(_: &fs::Metadata) -> bool {
    false
}

#[cfg(unix)]
fn set_private(path: &Path, is_executable: bool) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    fs::set_permissions(path, fs::Permissions::from_mode(if is_executable { 0o700 } else { 0o600 }))
}

#[cfg(not(unix))]
fn set_private(_: &Path, _: bool) -> io::Result<()> {
    Ok(())
}

/// Closes all folders to other users.
fn set_folders_private(root: &Path) -> io::Result<()> {
    for entry in WalkDir::new(root) {
        let entry = entry.map_err(io::Error::from)?;
        if entry.file_type().is_dir() {
            set_private(entry.path(), true)?;
        }
    }
    Ok(())
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use super::*;

    struct Fixture {
        _folder: tempfile::TempDir,
        home: Home,
        project: PathBuf,
    }

    fn fixture() -> Fixture {
        let folder = tempfile::tempdir().expect("failed to make a folder");
        let project = folder.path().join("project");
        fs::create_dir_all(project.join(".toolc/plugins/a")).expect("failed to make a folder");
        fs::write(project.join(".toolc/plugins/a/run"), "1").expect("failed to write");
        Fixture { home: Home::at(folder.path().join("home")), project, _folder: folder }
    }

    impl Fixture {
        fn files(&self) -> ProjectFiles {
            ProjectFiles::read(&self.project).expect("it can be read").expect("it has a folder")
        }

        fn trust(&self) -> Trust {
            self.files().trust(&self.home).expect("the list can be read")
        }
    }

    #[test]
    fn files_are_trusted_until_any_of_them_changes() {
        let it = fixture();
        assert_eq!(it.trust(), Trust::Unknown);
        it.files().add(&it.home).expect("failed to trust");
        let Trust::Trusted(copy) = it.trust() else { panic!("it is not trusted") };
        assert_eq!(fs::read_to_string(copy.join("plugins/a/run")).expect("it is copied"), "1");
        let run = it.project.join(".toolc/plugins/a/run");
        let changes: [&dyn Fn(); 4] = [
            &|| fs::write(&run, "2").expect("failed to write"),
            &|| fs::set_permissions(&run, fs::Permissions::from_mode(0o755)).expect("it exists"),
            &|| fs::write(it.project.join(".toolc/new"), "").expect("failed to write"),
            &|| fs::rename(&run, run.with_extension("sh")).expect("it exists"),
        ];
        for change in changes {
            change();
            assert_eq!(it.trust(), Trust::Changed);
            // The copy stays as it was trusted.
            assert_eq!(fs::read_to_string(copy.join("plugins/a/run")).ok().as_deref(), Some("1"));
            let before = it.files();
            before.add(&it.home).expect("failed to trust");
            assert!(matches!(it.trust(), Trust::Trusted(_)));
            fs::remove_dir_all(copy.parent().expect("it has a folder")).ok();
            fs::create_dir_all(copy.join("plugins/a")).expect("failed to make a folder");
            fs::write(copy.join("plugins/a/run"), "1").expect("failed to write");
        }
        assert_eq!(trusted_projects(&it.home).expect("a list").len(), 1);
    }

    #[test]
    fn a_revoked_project_is_unknown_and_its_copy_is_gone() {
        let it = fixture();
        it.files().add(&it.home).expect("failed to trust");
        let Trust::Trusted(copy) = it.trust() else { panic!("it is not trusted") };
        assert_eq!(revoke(&it.home, &it.project), Ok(true));
        assert_eq!((it.trust(), copy.exists(), revoke(&it.home, &it.project)), (Trust::Unknown, false, Ok(false)));
    }

    #[test]
    fn links_cannot_be_trusted_and_the_copy_is_private() {
        let it = fixture();
        it.files().add(&it.home).expect("failed to trust");
        let Trust::Trusted(copy) = it.trust() else { panic!("it is not trusted") };
        let mode = |path: &Path| fs::metadata(path).expect("it exists").permissions().mode() & 0o777;
        assert_eq!((mode(&copy), mode(&copy.join("plugins/a/run"))), (0o700, 0o600));
        symlink("/bin/sh", it.project.join(".toolc/plugins/a/link")).expect("failed to link");
        let error = ProjectFiles::read(&it.project).expect_err("it has a link");
        assert!(error.to_string().contains("replace the link with a copy"), "{error}");
        fs::remove_dir_all(it.project.join(".toolc")).expect("it exists");
        assert_eq!(ProjectFiles::read(&it.project), Ok(None));
        symlink(&it.project, it.project.join(".toolc")).expect("failed to link");
        assert!(ProjectFiles::read(&it.project).is_err());
    }

    #[test]
    fn a_digest_in_the_list_is_never_a_path() {
        let it = fixture();
        assert!(copies_of(&it.home, "../../etc").ends_with("trusted/none"));
    }
}
