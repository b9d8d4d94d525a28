//! The folder in which this program keeps what belongs to the user: `TOOLC_HOME`, by default `~/.toolc`.

use std::env;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The environment variable that names the folder.
pub(crate) const VARIABLE: &str = "TOOLC_HOME";

/// The folder of the user. It may not exist yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Home(PathBuf);

impl Home {
    /// Returns the folder that the environment names.
    ///
    /// # Errors
    /// If `TOOLC_HOME` is a relative path, or if it is not set and the user has no home folder.
    pub(crate) fn find() -> Result<Self, String> {
        Self::from(env::var_os(VARIABLE).map(PathBuf::from), env::home_dir())
    }

    fn from(variable: Option<PathBuf>, user: Option<PathBuf>) -> Result<Self, String> {
        match variable.filter(|path| !path.as_os_str().is_empty()) {
            Some(path) if path.is_absolute() => Ok(Self(path)),
            Some(path) => Err(format!("`{VARIABLE}` is not an absolute path: {}", path.display())),
            None => user
                .filter(|path| path.is_absolute())
                .map(|path| Self(path.join(".toolc")))
                .ok_or_else(|| format!("the home folder of the user is unknown: set `{VARIABLE}` to an absolute path")),
        }
    }

    #[cfg(all(test, unix))]
    pub(crate) fn at(path: PathBuf) -> Self {
        Self(path)
    }

    /// Returns the folder.
    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    /// Returns the file of the stores.
    pub(crate) fn state(&self) -> PathBuf {
        self.0.join("state.db")
    }

    /// Returns the folder of the user's own command rules.
    pub(crate) fn rules(&self) -> PathBuf {
        self.0.join("rules")
    }

    /// Returns the folder of logs.
    pub(crate) fn logs(&self) -> PathBuf {
        self.0.join("logs")
    }

    /// Returns the folder of leases.
    pub(crate) fn leases(&self) -> PathBuf {
        self.0.join("leases")
    }

    /// Creates the folder, or one in it, for this user only.
    pub(crate) fn create(&self, folder: &Path) -> io::Result<()> {
        let mut builder = fs::DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        // What is above it is created, too, if it is missing.
        builder.create(&self.0).and_then(|()| builder.create(folder))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_folder_is_named_by_the_variable_or_is_in_the_users_home() {
        let from =
            |variable: Option<&str>, user: Option<&str>| Home::from(variable.map(Into::into), user.map(Into::into));
        let root = if cfg!(windows) { "C:\\" } else { "/" };
        let user = format!("{root}u");
        assert_eq!(from(Some(&user), None).map(|home| home.0), Ok(user.clone().into()));
        for unset in [None, Some("")] {
            assert_eq!(from(unset, Some(&user)).map(|home| home.0), Ok(Path::new(&user).join(".toolc")));
        }
        assert!(
            from(Some("relative"), Some(&user)).is_err_and(|error| error.contains("not an absolute path: relative"))
        );
        assert!(from(None, None).is_err_and(|error| error.contains("set `TOOLC_HOME`")));
    }

    #[test]
    #[cfg(unix)]
    fn folders_are_created_for_the_user_only() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().expect("failed to make a folder");
        let home = Home(folder.path().join("a/home"));
        home.create(&home.logs()).expect("failed to create");
        for path in [home.path(), &home.logs()] {
            let mode = fs::metadata(path).expect("the folder exists").permissions().mode();
            assert_eq!(mode & 0o777, 0o700, "{path:?}");
        }
    }
}
