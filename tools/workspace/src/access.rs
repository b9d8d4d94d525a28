//! The rules for which files the handlers may read and write.
//!
//! The rules protect against mistakes and injected instructions. Paths are [resolved](toolc_environment::Files::resolve) before they are checked,
//! and opened without following links, so that no link leads past the check.
//!
//! [`Access`] has the rules of the host, for every environment. [`BoundAccess`] has the rules for one environment, with its working
//! directory, its home directory and its links resolved.

use std::path::{Path, PathBuf};

use toolc::{ErrorKind, ToolError};
use toolc_commands::rules::{Place, RuleSet};
use toolc_commands::{PlaceMatcher, Surroundings};
use toolc_environment::Files;

use crate::Workspace;

/// Places that cannot be read.
const UNREADABLE: &[&str] = &["private-keys"];
/// Places that cannot be written, even if writing around them is allowed.
const UNWRITABLE: &[&str] = &["private-keys", "credentials", "start-up-files", "git-hooks", "toolc-home", "raw-disks"];
/// The place of the operating system's files. They can be written only below a folder that the host names.
const SYSTEM: &str = "system-files";

/// The rules for what the handlers may read and write.
///
/// By default, every file can be read, and files in the working directory and in the folder for temporary files can be written. In both
/// cases, the places that the [command rules](RuleSet::places) protect are excluded: private keys can be neither read nor written, and
/// credentials, start-up files, git hooks and the operating system's files cannot be written.
#[derive(Debug, Clone)]
pub struct Access {
    rules: &'static RuleSet<'static>,
    /// Folders below which files can be read, or `None` if every folder can be read.
    readable: Option<Vec<PathBuf>>,
    /// Folders below which files can be written.
    writable: Vec<Root>,
    /// Folders of the system below which the host allows writing.
    exceptions: Vec<PathBuf>,
    /// The folder in which the host keeps the user's data.
    host_home: Option<PathBuf>,
    /// The folder with the long results of all sessions, and the folder with the results of this session.
    results: Option<(PathBuf, PathBuf)>,
}

/// A folder below which files can be written.
#[derive(Debug, Clone)]
enum Root {
    /// The working directory.
    Directory,
    /// The folder for temporary files.
    Temporary,
    Folder(PathBuf),
}

impl Access {
    /// Returns the default access, with the protected places of these rules.
    pub fn new(rules: &'static RuleSet<'static>) -> Self {
        let writable = vec![Root::Directory, Root::Temporary];
        Self { rules, readable: None, writable, exceptions: Vec::new(), host_home: None, results: None }
    }

    /// Restricts reading to files below these folders.
    #[must_use]
    pub fn only_readable(mut self, folders: impl IntoIterator<Item = PathBuf>) -> Self {
        self.readable = Some(folders.into_iter().collect());
        self
    }

    /// Restricts writing to files below these folders. Without folders, nothing can be written.
    #[must_use]
    pub fn only_writable(mut self, folders: impl IntoIterator<Item = PathBuf>) -> Self {
        self.writable = folders.into_iter().map(Root::Folder).collect();
        self
    }

    /// Allows reading below a folder, if reading is restricted.
    #[must_use]
    pub fn with_readable(mut self, folder: impl Into<PathBuf>) -> Self {
        if let Some(readable) = &mut self.readable {
            readable.push(folder.into());
        }
        self
    }

    /// Allows writing below a folder, even if it belongs to the operating system, such as `/usr/src/app` in a container image.
    #[must_use]
    pub fn with_writable(mut self, folder: impl Into<PathBuf>) -> Self {
        let folder = folder.into();
        self.writable.push(Root::Folder(folder.clone()));
        self.exceptions.push(folder);
        self
    }

    /// Protects the folder in which the host keeps the user's data: nothing in it can be written, and its secrets and databases cannot be
    /// read.
    #[must_use]
    pub fn with_host_home(mut self, folder: impl Into<PathBuf>) -> Self {
        self.host_home = Some(folder.into());
        self
    }

    /// Protects the folder in which the host keeps long results: only the files directly in `own` can be read, even if reading is
    /// restricted.
    #[must_use]
    pub fn with_results(mut self, folder: impl Into<PathBuf>, own: impl Into<PathBuf>) -> Self {
        self.results = Some((folder.into(), own.into()));
        self
    }

    /// Returns the rules for an environment, whose folder for temporary files is `temporary`.
    pub fn bind(&self, workspace: Workspace, files: &dyn Files, temporary: &Path) -> BoundAccess {
        let resolved = |folder: &PathBuf| files.resolve(folder).unwrap_or_else(|_| folder.clone());
        let all = |folders: &Vec<PathBuf>| folders.iter().map(resolved).collect::<Vec<_>>();
        let writable = self.writable.iter().map(|root| match root {
            Root::Directory => workspace.dir().to_owned(),
            Root::Temporary => temporary.to_owned(),
            Root::Folder(folder) => resolved(folder),
        });
        let surroundings =
            Surroundings { directory: Some(workspace.dir()), home: workspace.home(), ..Surroundings::default() };
        let places = |names: &[&str]| Protected::places(self.rules, names, &surroundings);
        BoundAccess {
            rules: self.rules,
            unreadable: places(UNREADABLE),
            unwritable: places(UNWRITABLE),
            system: places(&[SYSTEM]),
            readable: self.readable.as_ref().map(all),
            writable: writable.collect(),
            exceptions: all(&self.exceptions),
            host_home: self.host_home.as_ref().map(resolved),
            results: self.results.as_ref().map(|(folder, own)| (resolved(folder), resolved(own))),
            workspace,
        }
    }
}

/// The rules for what may be read and written in one environment. Their paths are resolved.
#[derive(Debug, Clone)]
pub struct BoundAccess {
    rules: &'static RuleSet<'static>,
    unreadable: Vec<Protected>,
    unwritable: Vec<Protected>,
    system: Vec<Protected>,
    workspace: Workspace,
    readable: Option<Vec<PathBuf>>,
    writable: Vec<PathBuf>,
    exceptions: Vec<PathBuf>,
    host_home: Option<PathBuf>,
    results: Option<(PathBuf, PathBuf)>,
}

/// A place that is protected.
#[derive(Debug, Clone)]
struct Protected {
    matcher: PlaceMatcher,
    /// A description of its files, for messages.
    description: &'static str,
}

impl Protected {
    fn places(rules: &RuleSet<'static>, names: &[&str], surroundings: &Surroundings<'_>) -> Vec<Self> {
        let places = names.iter().filter_map(|name| rules.place(name));
        let protected = |place: &Place<'static>| Self {
            matcher: place.matcher(surroundings),
            description: place.description.split(['.', ':']).next().unwrap_or_default(),
        };
        places.map(protected).collect()
    }

    /// Returns the reason why a path is protected, or `None` if no place contains it.
    fn reason(places: &[Self], path: &Path) -> Option<String> {
        let place = places.iter().find(|place| place.matcher.contains(path))?;
        Some(format!("it is protected ({})", place.description))
    }
}

impl BoundAccess {
    /// Returns whether some files below a folder may not be read, so that each file must be checked.
    pub fn restricts_reading_below(&self, folder: &Path) -> bool {
        let overlaps = |other: &Path| is_below(other, folder) || is_below(folder, other);
        let is_near = |pattern: &&str| match (pattern.strip_prefix('~'), self.workspace.home()) {
            (Some(below), Some(home)) => overlaps(&home.join(literal_prefix(below.trim_start_matches('/')))),
            (Some(_), None) => false,
            (None, _) => overlaps(&Path::new("/").join(literal_prefix(pattern.trim_start_matches('/')))),
        };
        let mut places = UNREADABLE.iter().filter_map(|name| self.rules.place(name));
        self.readable.is_some()
            || overlaps(Path::new("/proc"))
            || self.host_home.as_deref().is_some_and(overlaps)
            || self.results.as_ref().is_some_and(|(folder, _)| overlaps(folder))
            || places.any(|place| place.paths.iter().any(is_near))
    }

    /// Checks that a file may be read. `path` is resolved.
    ///
    /// # Errors
    /// Returns the error for the model.
    pub fn check_read(&self, path: &Path) -> Result<(), ToolError> {
        let workspace = &self.workspace;
        let refuse = |reason: String| Err(refused("read", workspace, path, &reason));
        if is_process_file(path) {
            return refuse("it shows a process, with its memory, its files and its environment variables".to_owned());
        }
        if self.host_home.as_deref().is_some_and(|home| is_secret_of_host(path, home)) {
            return refuse("it holds secrets or stored data of the host".to_owned());
        }
        if let Some((folder, own)) = &self.results
            && is_below(path, folder)
        {
            let is_own = path.parent() == Some(own);
            return if is_own { Ok(()) } else { refuse("it is a result of another session".to_owned()) };
        }
        if let Some(reason) = Protected::reason(&self.unreadable, path) {
            return refuse(format!("{reason}. Ask the user for what you need"));
        }
        match &self.readable {
            Some(folders) if !is_below_one(path, folders) => {
                refuse(format!("files can be read only below {}", folder_list(workspace, folders)))
            }
            _ => Ok(()),
        }
    }

    /// Checks that a file may be written. `path` is resolved.
    ///
    /// # Errors
    /// Returns the error for the model.
    pub fn check_write(&self, path: &Path) -> Result<(), ToolError> {
        let workspace = &self.workspace;
        if self.writable.is_empty() {
            return Err(refused("write", workspace, path, "this session may not write files"));
        }
        let refuse = |reason: String| {
            let folders = folder_list(workspace, &self.writable);
            let reason = format!("{reason}. Write below {folders}, or ask the user to make this change");
            Err(refused("write", workspace, path, &reason))
        };
        if self.host_home.as_deref().is_some_and(|home| is_below(path, home)) {
            return refuse("it belongs to the host of the tools".to_owned());
        }
        if let Some(reason) = Protected::reason(&self.unwritable, path) {
            return refuse(reason);
        }
        if !is_below_one(path, &self.exceptions)
            && let Some(reason) = Protected::reason(&self.system, path)
        {
            return refuse(reason);
        }
        if !is_below_one(path, &self.writable) {
            return refuse("it is outside the folders in which files can be written".to_owned());
        }
        Ok(())
    }
}

fn refused(verb: &str, workspace: &Workspace, path: &Path, reason: &str) -> ToolError {
    ToolError::with_kind(ErrorKind::Refused, format!("refused to {verb} `{}`: {reason}", workspace.show(path)))
}

/// Returns a list of folders for the model.
fn folder_list(workspace: &Workspace, folders: &[PathBuf]) -> String {
    let shown: Vec<String> = folders
        .iter()
        .map(|folder| {
            if folder == workspace.dir() {
                "the working directory".to_owned()
            } else {
                format!("`{}`", folder.display())
            }
        })
        .collect();
    shown.join(" or ")
}

/// Returns the components of a pattern before the first component with a wildcard.
fn literal_prefix(pattern: &str) -> PathBuf {
    pattern.split('/').take_while(|name| !name.contains(['*', '?', '['])).collect()
}

/// Returns whether a path is a file with secrets, or a database, in the host's folder `home`.
fn is_secret_of_host(path: &Path, home: &Path) -> bool {
    let Some(first) = path.components().nth(home.components().count()) else { return false };
    let first = first.as_os_str().to_string_lossy().to_lowercase();
    is_below(path, home) && (first.starts_with(".env") || first.starts_with("state.db") || first == "logs")
}

/// Returns whether a path belongs to a process in `/proc`.
fn is_process_file(path: &Path) -> bool {
    let Ok(below) = path.strip_prefix("/proc") else { return false };
    let first = below.components().next().map(|part| part.as_os_str().to_string_lossy());
    first.is_some_and(|first| {
        first.bytes().all(|byte| byte.is_ascii_digit()) || matches!(&*first, "self" | "thread-self")
    })
}

fn is_below_one(path: &Path, folders: &[PathBuf]) -> bool {
    folders.iter().any(|folder| is_below(path, folder))
}

/// Returns whether `path` begins with the components of `root`. Ignores case, because some file systems do.
fn is_below(path: &Path, root: &Path) -> bool {
    let mut parts = path.components();
    root.components().all(|expected| parts.next().is_some_and(|part| part.as_os_str().eq_ignore_ascii_case(expected)))
}

#[cfg(all(test, unix))]
mod tests {
    use toolc_commands::ProgramTable;
    use toolc_environment::LocalFiles;

    use super::*;

    /// Rules with the places that this module names.
    fn rules() -> &'static RuleSet<'static> {
        let place = |name, paths| Place { name, description: "Files of a kind.", paths, except: &[] };
        let places = [
            place("private-keys", &["~/.ssh/id_*", "/etc/shadow"]),
            place("credentials", &["**/.ssh/**", "~/.netrc"]),
            place("start-up-files", &["~/.bashrc"]),
            place("git-hooks", &["**/.git/hooks/**"]),
            place(SYSTEM, &["/etc/**", "/usr/**"]),
        ];
        Box::leak(Box::new(RuleSet::new(&[], &places, ProgramTable::EMPTY)))
    }

    fn workspace() -> (tempfile::TempDir, Workspace) {
        let dir = tempfile::TempDir::new().unwrap();
        let workspace = Workspace::new(dir.path()).with_home("/home/me");
        (dir, workspace)
    }

    fn temporary() -> PathBuf {
        LocalFiles.places().unwrap().temporary
    }

    fn bound(access: &Access, workspace: &Workspace) -> BoundAccess {
        access.bind(workspace.clone(), &LocalFiles, &temporary())
    }

    #[track_caller]
    fn message(result: Result<(), ToolError>) -> String {
        let error = result.expect_err("it is refused");
        assert_eq!(error.kind(), ErrorKind::Refused);
        error.message().to_owned()
    }

    #[test]
    fn only_the_results_of_the_own_session_can_be_read() {
        let (_dir, workspace) = workspace();
        let results =
            |access: Access| bound(&access.with_results("/home/me/results", "/home/me/results/a"), &workspace);
        for access in [results(Access::new(rules())), results(Access::new(rules()).only_readable([]))] {
            assert!(access.check_read(Path::new("/home/me/results/a/x.txt")).is_ok());
            for path in ["/home/me/results/b/x.txt", "/home/me/results/x.txt", "/home/me/results/a/b/x.txt"] {
                assert!(message(access.check_read(Path::new(path))).contains("of another session"), "{path}");
            }
            assert!(access.restricts_reading_below(Path::new("/home/me")));
        }
    }

    #[test]
    fn everything_can_be_read_but_keys_and_processes() {
        let (_dir, workspace) = workspace();
        let access = bound(&Access::new(rules()), &workspace);
        for path in ["/etc/passwd", "/home/me/.bashrc", "/home/me/notes", "/proc/cpuinfo", "/proc/net/tcp"] {
            assert!(access.check_read(Path::new(path)).is_ok(), "{path}");
        }
        for path in ["/home/me/.ssh/id_rsa", "/HOME/me/.SSH/ID_RSA", "/etc/shadow"] {
            assert!(message(access.check_read(Path::new(path))).contains("protected (Files of a kind)"), "{path}");
        }
        for path in ["/proc/1/environ", "/proc/self/root/etc/passwd", "/proc/thread-self/maps", "/proc/self"] {
            assert!(message(access.check_read(Path::new(path))).contains("shows a process"), "{path}");
        }
    }

    #[test]
    fn files_are_written_in_the_working_directory_and_the_temporary_folder() {
        let (_dir, workspace) = workspace();
        let access = bound(&Access::new(rules()), &workspace);
        let own = workspace.dir();
        for path in [own.join("a/b"), temporary().join("x"), own.join(".git/config")] {
            assert!(access.check_write(&path).is_ok(), "{path:?}");
        }
        for path in [own.join(".ssh/config"), own.join(".git/hooks/pre-commit"), own.join(".GIT/Hooks/x")] {
            assert!(message(access.check_write(&path)).contains("protected"), "{path:?}");
        }
        for path in ["/home/me/notes", "/srv/x", "/"] {
            let message = message(access.check_write(Path::new(path)));
            assert!(
                message.contains("outside the folders") && message.contains("the working directory or `"),
                "{message}"
            );
        }
    }

    #[test]
    fn a_host_narrows_and_widens_both() {
        let (_dir, workspace) = workspace();
        let read = |access: &Access, path: &str| bound(access, &workspace).check_read(Path::new(path)).is_ok();
        let access = Access::new(rules()).only_readable([PathBuf::from("/srv")]).with_readable("/var/spill");
        assert!(read(&access, "/srv/x") && read(&access, "/var/spill/1") && !read(&access, "/srv2/x"));
        assert!(
            message(bound(&access, &workspace).check_read(Path::new("/etc/hosts")))
                .contains("only below `/srv` or `/var/spill`")
        );

        let write = |access: &Access, path: &str| bound(access, &workspace).check_write(Path::new(path)).is_ok();
        let access = Access::new(rules()).with_writable("/usr/src/app").with_writable("/home/me");
        assert!(write(&access, "/usr/src/app/x") && !write(&access, "/usr/src/x"));
        assert!(write(&access, "/home/me/notes") && !write(&access, "/home/me/.bashrc"));
        let access = Access::new(rules()).only_writable([]);
        assert!(
            message(bound(&access, &workspace).check_write(&workspace.dir().join("x"))).contains("may not write files")
        );
    }

    #[test]
    fn the_folder_of_the_host_is_protected() {
        let (_dir, workspace) = workspace();
        let access = bound(&Access::new(rules()).with_host_home("/srv/host").with_writable("/srv"), &workspace);
        let is_readable = |path: &str| access.check_read(Path::new(path)).is_ok();
        assert!(is_readable("/srv/host/skills/a/SKILL.md") && is_readable("/srv/state.db"));
        for path in ["/srv/host/.env", "/srv/host/state.db-wal", "/srv/host/logs/approvals.jsonl"] {
            assert!(!is_readable(path), "{path}");
        }
        assert!(access.check_write(Path::new("/srv/host/skills/x")).is_err());
        assert!(access.check_write(Path::new("/srv/hostess")).is_ok());
    }

    #[test]
    fn files_are_checked_one_by_one_only_near_what_is_protected() {
        let (_dir, workspace) = workspace();
        let access = Access::new(rules());
        let is_restricted =
            |access: &Access, folder: &str| bound(access, &workspace).restricts_reading_below(Path::new(folder));
        for folder in ["/", "/home", "/home/me", "/home/me/.ssh", "/etc", "/proc/1"] {
            assert!(is_restricted(&access, folder), "{folder}");
        }
        for folder in ["/home/me/project", "/usr/src", "/home/you"] {
            assert!(!is_restricted(&access, folder), "{folder}");
        }
        assert!(is_restricted(&access.only_readable([PathBuf::from("/srv")]), "/usr/src"));
    }

    #[test]
    fn a_working_directory_of_the_system_is_not_writable_by_itself() {
        let workspace = Workspace::new("/usr");
        assert!(bound(&Access::new(rules()), &workspace).check_write(Path::new("/usr/x")).is_err());
    }
}
