//! Whether a program is one of the system, so that its name says what it does. A shell that was copied or linked under another name
//! is not: only the administrator writes to the folders of the system.

use std::cell::Cell;
use std::env;
use std::ffi::OsString;
use std::path::Path;

use toolc_environment::files::{FileKind, Metadata};
use toolc_environment::{Environment, Files};

/// The folders of the system's programs, as they are named.
const FOLDERS: &[&str] =
    &["/bin", "/sbin", "/usr/bin", "/usr/sbin", "/usr/local/bin", "/usr/local/sbin", "/opt/homebrew/bin"];
/// The users who own programs of the system: root, and in a user namespace the user who stands for all that it does not have.
const OWNERS: [u32; 2] = [0, 65_534];
/// The bits of a mode with which others than the owner write.
const WRITABLE_BY_OTHERS: u32 = 0o022;
/// The maximum number of programs of a line that are looked for. Each takes several operations, which are slow elsewhere.
const MAX_PROGRAMS: usize = 16;

/// Looks for programs in an environment.
pub(crate) struct Installed<'e> {
    files: Box<dyn Files + 'e>,
    path: Option<OsString>,
    looked_for: Cell<usize>,
}

impl<'e> Installed<'e> {
    /// Looks where a command of the environment finds programs, whose variables are `variables`.
    pub(crate) fn new(environment: &'e dyn Environment, variables: &[(OsString, OsString)]) -> Self {
        let path = variables.iter().find(|(name, _)| name == "PATH").map(|(_, value)| value.clone());
        Self { files: environment.files(), path, looked_for: Cell::new(0) }
    }

    /// Returns whether the program that a shell starts for `word` is one of the system.
    pub(crate) fn has(&self, word: &str) -> bool {
        self.looked_for.set(self.looked_for.get() + 1);
        if self.looked_for.get() > MAX_PROGRAMS {
            return false;
        }
        if word.contains('/') {
            return self.is_of_the_system(Path::new(word));
        }
        let Some(path) = &self.path else { return false };
        env::split_paths(path)
            .map(|folder| folder.join(word))
            .find(|file| self.exists(file))
            .is_some_and(|file| self.is_of_the_system(&file))
    }

    /// Returns whether there is such a file, or whether that is not known.
    fn exists(&self, file: &Path) -> bool {
        // An empty or relative folder depends on the directory.
        !file.is_absolute() || self.files.resolve(file).and_then(|file| self.files.metadata(&file)).is_ok()
    }

    fn is_of_the_system(&self, file: &Path) -> bool {
        let folder = file.parent().filter(|folder| FOLDERS.iter().any(|of_system| *folder == Path::new(of_system)));
        let Some(folder) = folder else { return false };
        let is_protected = |path: &Path, kind| {
            let found = self.files.metadata(path);
            found.is_ok_and(|found| found.kind == kind && is_protected(&found))
        };
        let (Ok(folder), Ok(file)) = (self.files.resolve(folder), self.files.resolve(file)) else { return false };
        // The name can be a link, such as one to busybox, or to a file of another folder.
        let target = file.parent().is_some_and(|folder| is_protected(folder, FileKind::Folder));
        target && is_protected(&folder, FileKind::Folder) && is_protected(&file, FileKind::Regular)
    }
}

/// Returns whether only the administrator can change a file.
fn is_protected(found: &Metadata) -> bool {
    OWNERS.contains(&found.permissions.user) && found.permissions.mode & WRITABLE_BY_OTHERS == 0
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs;
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    use std::path::PathBuf;

    use tempfile::TempDir;
    use toolc_environment::Local;

    use super::*;

    /// Returns whether the programs are of the system, if the folder `bin` of a temporary directory comes first in `PATH`.
    fn found(programs: &[&str], prepare: impl FnOnce(&Path)) -> Vec<bool> {
        let dir = TempDir::new().unwrap();
        let bin = dir.path().canonicalize().unwrap().join("bin");
        fs::create_dir(&bin).unwrap();
        prepare(&bin);
        let system = FOLDERS.iter().map(PathBuf::from);
        let path = env::join_paths([bin].into_iter().chain(system)).unwrap();
        let environment = Local::new(dir.path());
        let installed = Installed::new(&environment, &[("PATH".into(), path)]);
        programs.iter().map(|program| installed.has(program)).collect()
    }

    #[test]
    fn programs_of_the_system_are_found_by_name_and_path() {
        assert_eq!(
            found(&["cat", "/bin/cat", "/usr/bin/sort", "missing", "/usr/bin/missing"], |_| {}),
            [true, true, true, false, false]
        );
    }

    #[test]
    fn copies_and_links_elsewhere_are_not_of_the_system() {
        let programs = ["cat", "sort", "head", "./cat", "bin/cat", "/usr/bin/../../usr/bin/cat"];
        let found = found(&programs, |bin| {
            fs::copy("/bin/sh", bin.join("cat")).unwrap();
            symlink("/bin/sh", bin.join("sort")).unwrap();
            fs::write(bin.join("tail"), "").unwrap();
        });
        assert_eq!(found, [false, false, true, false, false, false]);
    }

    #[test]
    fn a_path_that_depends_on_the_directory_is_not_known() {
        let environment = Local::new("/");
        for (path, expected) in [("/usr/bin:/bin", true), (":/usr/bin:/bin", false), ("bin:/usr/bin:/bin", false)] {
            let installed = Installed::new(&environment, &[("PATH".into(), path.into())]);
            assert_eq!(installed.has("cat"), expected, "{path}");
        }
        assert!(!Installed::new(&environment, &[]).has("cat"), "without the variable");
    }

    #[test]
    fn only_what_the_administrator_alone_can_change_is_of_the_system() {
        let dir = TempDir::new().unwrap();
        let of = |mode: u32| {
            fs::set_permissions(dir.path(), fs::Permissions::from_mode(mode)).unwrap();
            let files = Local::new("/");
            let mut found = files.files().metadata(&dir.path().canonicalize().unwrap()).unwrap();
            found.permissions.user = 0;
            is_protected(&found)
        };
        assert_eq!([0o755, 0o700, 0o775, 0o757, 0o1777].map(of), [true, true, false, false, false]);
        let files = Local::new("/");
        let mut found = files.files().metadata(Path::new("/")).unwrap();
        found.permissions.user = 1000;
        assert!(!is_protected(&found), "a folder of a user");
    }

    #[test]
    fn no_more_than_some_programs_are_looked_for() {
        let found = found(&["cat"; 20], |_| {});
        assert_eq!(found.iter().filter(|found| **found).count(), MAX_PROGRAMS);
    }
}
