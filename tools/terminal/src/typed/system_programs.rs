//! Determines whether a program belongs to the system, so that its name can be trusted. Only the administrator can write to the folders
//! of the system, so a copy of a shell under another name does not belong to it.

use std::cell::Cell;
use std::env;
use std::ffi::OsString;
use std::path::Path;

use toolc_environment::files::{FileKind, Metadata};
use toolc_environment::{Environment, Files};

/// The folders with the programs of the system.
const FOLDERS: &[&str] =
    &["/bin", "/sbin", "/usr/bin", "/usr/sbin", "/usr/local/bin", "/usr/local/sbin", "/opt/homebrew/bin"];
/// The users who own programs of the system: root, and the overflow user, to which a user namespace maps unknown users.
const OWNERS: [u32; 2] = [0, 65_534];
/// The mode bits with which other users than the owner can write.
const WRITABLE_BY_OTHERS: u32 = 0o022;
/// The maximum number of programs of a line that are checked. Each check takes several operations, which are slow on other machines.
const MAX_PROGRAMS: usize = 16;

/// Finds the programs of the system in an environment.
pub(crate) struct SystemPrograms<'e> {
    files: Box<dyn Files + 'e>,
    path: Option<OsString>,
    checked: Cell<usize>,
}

impl<'e> SystemPrograms<'e> {
    /// Searches programs like a command of the environment with these variables.
    pub(crate) fn new(environment: &'e dyn Environment, variables: &[(OsString, OsString)]) -> Self {
        let path = variables.iter().find(|(name, _)| name == "PATH").map(|(_, value)| value.clone());
        Self { files: environment.files(), path, checked: Cell::new(0) }
    }

    /// Returns whether the program that a shell starts for `word` belongs to the system.
    pub(crate) fn contains(&self, word: &str) -> bool {
        self.checked.set(self.checked.get() + 1);
        if self.checked.get() > MAX_PROGRAMS {
            return false;
        }
        if word.contains('/') {
            return self.belongs_to_system(Path::new(word));
        }
        let Some(path) = &self.path else { return false };
        env::split_paths(path)
            .map(|folder| folder.join(word))
            .find(|file| self.exists(file))
            .is_some_and(|file| self.belongs_to_system(&file))
    }

    /// Returns whether the file exists, or may exist.
    fn exists(&self, file: &Path) -> bool {
        // The file depends on the directory of the command if the folder is empty or relative.
        !file.is_absolute() || self.files.resolve(file).and_then(|file| self.files.metadata(&file)).is_ok()
    }

    fn belongs_to_system(&self, file: &Path) -> bool {
        let folder = file.parent().filter(|folder| FOLDERS.iter().any(|of_system| *folder == Path::new(of_system)));
        let Some(folder) = folder else { return false };
        let is_protected = |path: &Path, kind| {
            let found = self.files.metadata(path);
            found.is_ok_and(|found| found.kind == kind && is_protected(&found))
        };
        let (Ok(folder), Ok(file)) = (self.files.resolve(folder), self.files.resolve(file)) else { return false };
        // The file can be a link to busybox, or to a file of another folder.
        let is_target_protected = file.parent().is_some_and(|folder| is_protected(folder, FileKind::Folder));
        is_target_protected && is_protected(&folder, FileKind::Folder) && is_protected(&file, FileKind::Regular)
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

    /// Returns whether each program belongs to the system, if the folder `bin` of a temporary directory comes first in `PATH`.
    fn check_programs(programs: &[&str], prepare: impl FnOnce(&Path)) -> Vec<bool> {
        let dir = TempDir::new().unwrap();
        let bin = dir.path().canonicalize().unwrap().join("bin");
        fs::create_dir(&bin).unwrap();
        prepare(&bin);
        let system = FOLDERS.iter().map(PathBuf::from);
        let path = env::join_paths([bin].into_iter().chain(system)).unwrap();
        let environment = Local::new(dir.path());
        let system_programs = SystemPrograms::new(&environment, &[("PATH".into(), path)]);
        programs.iter().map(|program| system_programs.contains(program)).collect()
    }

    #[test]
    fn programs_of_the_system_are_found_by_name_and_path() {
        assert_eq!(
            check_programs(&["cat", "/bin/cat", "/usr/bin/sort", "missing", "/usr/bin/missing"], |_| {}),
            [true, true, true, false, false]
        );
    }

    #[test]
    fn copies_and_links_in_other_folders_do_not_belong_to_the_system() {
        let programs = ["cat", "sort", "head", "./cat", "bin/cat", "/usr/bin/../../usr/bin/cat"];
        let results = check_programs(&programs, |bin| {
            fs::copy("/bin/sh", bin.join("cat")).unwrap();
            symlink("/bin/sh", bin.join("sort")).unwrap();
            fs::write(bin.join("tail"), "").unwrap();
        });
        assert_eq!(results, [false, false, true, false, false, false]);
    }

    #[test]
    fn a_path_variable_with_relative_folders_is_not_trusted() {
        let environment = Local::new("/");
        for (path, expected) in [("/usr/bin:/bin", true), (":/usr/bin:/bin", false), ("bin:/usr/bin:/bin", false)] {
            let system_programs = SystemPrograms::new(&environment, &[("PATH".into(), path.into())]);
            assert_eq!(system_programs.contains("cat"), expected, "{path}");
        }
        assert!(!SystemPrograms::new(&environment, &[]).contains("cat"), "without the variable");
    }

    #[test]
    fn a_file_that_other_users_can_change_is_not_protected() {
        let dir = TempDir::new().unwrap();
        let is_protected_with = |mode: u32| {
            fs::set_permissions(dir.path(), fs::Permissions::from_mode(mode)).unwrap();
            let files = Local::new("/");
            let mut found = files.files().metadata(&dir.path().canonicalize().unwrap()).unwrap();
            found.permissions.user = 0;
            is_protected(&found)
        };
        assert_eq!([0o755, 0o700, 0o775, 0o757, 0o1777].map(is_protected_with), [true, true, false, false, false]);
        let files = Local::new("/");
        let mut found = files.files().metadata(Path::new("/")).unwrap();
        found.permissions.user = 1000;
        assert!(!is_protected(&found), "a folder of a user");
    }

    #[test]
    fn the_number_of_checked_programs_is_limited() {
        let results = check_programs(&["cat"; 20], |_| {});
        assert_eq!(results.iter().filter(|result| **result).count(), MAX_PROGRAMS);
    }
}
