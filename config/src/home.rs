//! The folder in which the program keeps what belongs to one profile of the user.

use std::env;
use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::access;
use crate::error::{ConfigError, ConfigErrorKind};

/// The environment variable that names the folder of all profiles.
pub const HOME_VARIABLE: &str = "TOOLC_HOME";
/// The environment variable that names the profile.
pub const PROFILE_VARIABLE: &str = "TOOLC_PROFILE";
/// The name of the profile whose folder is the folder of all profiles.
pub const DEFAULT_PROFILE: &str = "default";
/// The maximum length of the name of a profile.
const MAX_NAME: usize = 64;

/// The folder of a profile. The folder of the default profile may not exist yet.
///
/// Nothing in it is global: two profiles in one process each have their own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Home {
    path: PathBuf,
    /// The folder of all profiles.
    all: PathBuf,
    profile: Profile,
}

/// The name of a profile.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Profile(String);

impl Profile {
    /// Returns a profile.
    ///
    /// # Errors
    /// If the name cannot be the name of a folder on every system.
    pub fn new(name: &str) -> Result<Self, ConfigError> {
        let is_letter = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' || c == '_';
        let is_valid = name.starts_with(|c: char| c.is_ascii_lowercase() || c.is_ascii_digit())
            && name.chars().all(is_letter)
            && name.len() <= MAX_NAME;
        if is_valid {
            return Ok(Self(name.to_owned()));
        }
        let message = format!(
            "`{}` is not the name of a profile: expected at most {MAX_NAME} lower-case letters, digits, `-` and `_`, beginning with \
             a letter or a digit",
            name.escape_debug()
        );
        Err(ConfigError::new(ConfigErrorKind::InvalidInput, message))
    }

    /// Returns whether it is the default profile.
    pub fn is_default(&self) -> bool {
        self.0 == DEFAULT_PROFILE
    }
}

impl Default for Profile {
    fn default() -> Self {
        Self(DEFAULT_PROFILE.to_owned())
    }
}

impl fmt::Display for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Home {
    /// Returns the folder of the profile that the command line or the environment names, by default the default profile.
    ///
    /// # Errors
    /// If `TOOLC_HOME` is a relative path, or it is not set and the user has no home folder, or the profile has no valid name.
    pub fn find(profile: Option<&str>) -> Result<Self, ConfigError> {
        let from_environment = || env::var_os(PROFILE_VARIABLE).filter(|name| !name.is_empty());
        let profile = match profile {
            Some(name) => Profile::new(name)?,
            None => match from_environment() {
                Some(name) => Profile::new(&name.to_string_lossy())
                    .map_err(|error| error.within(&format!("the variable `{PROFILE_VARIABLE}` is invalid")))?,
                None => Profile::default(),
            },
        };
        let all = all_profiles(env::var_os(HOME_VARIABLE).map(PathBuf::from), env::home_dir())?;
        Ok(Self::of_profile(all, profile))
    }

    /// Returns the folder of the default profile, which is this folder.
    pub fn at(path: impl Into<PathBuf>) -> Self {
        Self::of_profile(path.into(), Profile::default())
    }

    /// Returns the folder of a profile. `all` is the folder of all profiles.
    pub fn of_profile(all: PathBuf, profile: Profile) -> Self {
        let path = if profile.is_default() { all.clone() } else { all.join("profiles").join(&profile.0) };
        Self { path, all, profile }
    }

    /// Fails if something else than a folder has the path of the folder of all profiles, or if other users can change the folder.
    ///
    /// # Errors
    /// Says what has the path, or who can change it.
    pub fn check_is_folder(&self) -> Result<(), ConfigError> {
        let all = self.all.display();
        let what = match (fs::metadata(&self.all), fs::symlink_metadata(&self.all)) {
            (Ok(meta), _) if meta.is_dir() => return check_writers(&self.all),
            (Ok(_), _) => "is not a folder".to_owned(),
            (Err(error), Ok(_)) if error.kind() == io::ErrorKind::NotFound => {
                let target = fs::read_link(&self.all).unwrap_or_default();
                format!("is a link to {}, which does not exist", target.display())
            }
            (Err(error), Err(_)) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            (Err(error), _) => format!("cannot be used: {error}"),
        };
        let message =
            format!("the home folder {all} {what}: make it a folder, or set `{HOME_VARIABLE}` to another path");
        Err(ConfigError::new(ConfigErrorKind::Io, message))
    }

    /// Fails if something else has the path of the folder, or if the folder does not exist, unless it is the folder of the default profile. A misspelt profile would otherwise be a profile
    /// without any of the user's restrictions.
    pub fn check_exists(&self) -> Result<(), ConfigError> {
        self.check_is_folder()?;
        if self.profile.is_default() {
            return Ok(());
        }
        if self.path.is_dir() {
            return check_writers(&self.path);
        }
        let Self { path, profile, .. } = self;
        let message = format!(
            "there is no profile `{profile}`: its folder would be {}. `toolc setup --profile {profile}` creates it",
            path.display()
        );
        Err(ConfigError::new(ConfigErrorKind::NotFound, message))
    }

    /// Returns the name of the profile.
    pub fn profile(&self) -> &Profile {
        &self.profile
    }

    /// Returns the folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the folder of all profiles, which is also the folder of the default profile.
    pub fn all_profiles(&self) -> &Path {
        &self.all
    }

    /// Returns the configuration file.
    pub fn config(&self) -> PathBuf {
        self.path.join("config.toml")
    }

    /// Returns the file with the schema of the configuration, for editors.
    pub fn config_schema(&self) -> PathBuf {
        self.path.join("config.schema.json")
    }

    /// Returns the file of environment variables.
    pub fn env(&self) -> PathBuf {
        self.path.join(".env")
    }

    /// Returns the file of the stores.
    pub fn state(&self) -> PathBuf {
        self.path.join("state.db")
    }

    /// Returns the list of trusted projects.
    pub fn trusted(&self) -> PathBuf {
        self.path.join("trusted.toml")
    }

    /// Returns the folder of the user's own command rules.
    pub fn rules(&self) -> PathBuf {
        self.path.join("rules")
    }

    /// Returns the file of the user's permissions.
    pub fn permissions(&self) -> PathBuf {
        self.path.join("permissions.toml")
    }

    /// Returns the lock file of an MCP server: what was accepted of it.
    pub fn mcp_lock(&self, server: &str) -> PathBuf {
        self.path.join("mcp").join(format!("{server}.lock.json"))
    }

    /// Returns the file of an MCP server's tokens: what the last login has left.
    pub fn mcp_tokens(&self, server: &str) -> PathBuf {
        self.path.join("mcp").join(format!("{server}.tokens.json"))
    }

    /// Returns the file of what is known about the package of an MCP server.
    pub fn mcp_package(&self, server: &str) -> PathBuf {
        self.path.join("mcp").join(format!("{server}.package.json"))
    }

    /// Returns the file that remembers with which form of the protocol an MCP server begins.
    pub fn mcp_protocol(&self, server: &str) -> PathBuf {
        self.path.join("mcp").join(format!("{server}.protocol.json"))
    }

    /// Returns the file of what was seen of an MCP server the last time.
    pub fn mcp_state(&self, server: &str) -> PathBuf {
        self.path.join("mcp").join(format!("{server}.state.json"))
    }

    /// Returns the folder of the user's plugins.
    pub fn plugins(&self) -> PathBuf {
        self.path.join("plugins")
    }

    /// Returns the folder of the user's skills.
    pub fn skills(&self) -> PathBuf {
        self.path.join("skills")
    }

    /// Returns the folder of results that were too long for the model.
    pub fn results(&self) -> PathBuf {
        self.path.join("cache").join("results")
    }

    /// Returns the file of the lines that were typed in the chat.
    pub fn history(&self) -> PathBuf {
        self.path.join("cache").join("history")
    }

    /// Returns the folder of notes that outlive a conversation.
    pub fn memories(&self) -> PathBuf {
        self.path.join("memories")
    }

    /// Returns the folder of the results of scheduled jobs.
    pub fn cron(&self) -> PathBuf {
        self.path.join("cron")
    }

    /// Returns the file that the program has locked that writes to a conversation.
    pub fn session_lock(&self, session: &str) -> PathBuf {
        self.path.join("sessions").join(format!("{session}.lock"))
    }

    /// Returns the folder of leases: what hosts have made and may leave behind.
    pub fn leases(&self) -> PathBuf {
        self.path.join("leases")
    }

    /// Returns the file with the host keys of other machines.
    pub fn known_hosts(&self) -> PathBuf {
        self.path.join("known_hosts")
    }

    /// Returns the folder of logs.
    pub fn logs(&self) -> PathBuf {
        self.path.join("logs")
    }

    /// Creates the folder of what can be made again.
    ///
    /// # Errors
    /// If it cannot be created.
    pub fn create_cache(&self) -> io::Result<()> {
        self.create(&self.path.join("cache"))
    }

    /// Creates the folder, or one in it, for this user only.
    ///
    /// # Errors
    /// If it cannot be created.
    pub fn create(&self, folder: &Path) -> io::Result<()> {
        let mut builder = fs::DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        // What is above it is created, too, if it is missing.
        builder.create(&self.path).and_then(|()| builder.create(folder))
    }
}

/// Fails if other users can change the folder: they could change the configuration in it.
fn check_writers(folder: &Path) -> Result<(), ConfigError> {
    access::check_writers(folder).map_err(|error| {
        let message = format!("the home folder {} is not used, because {error}", folder.display());
        ConfigError::new(ConfigErrorKind::Exposed, message).with_source(error)
    })
}

/// Returns the folder of all profiles: the value of the environment variable, or else `.toolc` in the home folder of the user.
fn all_profiles(variable: Option<PathBuf>, user: Option<PathBuf>) -> Result<PathBuf, ConfigError> {
    match variable.filter(|path| !path.as_os_str().is_empty()) {
        Some(path) if path.is_absolute() => Ok(path),
        Some(path) => {
            let message = format!("`{HOME_VARIABLE}` is not an absolute path: {}", path.display());
            Err(ConfigError::new(ConfigErrorKind::InvalidInput, message))
        }
        None => user.filter(|path| path.is_absolute()).map(|path| path.join(".toolc")).ok_or_else(|| {
            let message = format!("the home folder of the user is unknown: set `{HOME_VARIABLE}` to an absolute path");
            ConfigError::new(ConfigErrorKind::NotFound, message)
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_folder_is_named_by_the_variable_or_is_in_the_users_home() {
        let from =
            |variable: Option<&str>, user: Option<&str>| all_profiles(variable.map(Into::into), user.map(Into::into));
        let root = if cfg!(windows) { "C:\\" } else { "/" };
        let user = format!("{root}u");
        assert_eq!(from(Some(&user), None), Ok(user.clone().into()));
        for unset in [None, Some("")] {
            assert_eq!(from(unset, Some(&user)), Ok(Path::new(&user).join(".toolc")));
        }
        assert!(
            from(Some("relative"), Some(&user))
                .is_err_and(|error| error.to_string().contains("not an absolute path: relative"))
        );
        assert!(from(None, None).is_err_and(|error| error.to_string().contains("set `TOOLC_HOME`")));
    }

    #[test]
    fn other_profiles_are_below_the_default_one_and_must_exist() {
        let folder = tempfile::tempdir().expect("failed to make a folder");
        let work = Home::of_profile(folder.path().into(), Profile::new("work").expect("a valid name"));
        assert_eq!(work.path(), folder.path().join("profiles").join("work"));
        let error = work.check_exists().expect_err("it does not exist");
        assert!(error.to_string().contains("toolc setup --profile work"), "{error}");
        work.create(&work.logs()).expect("failed to create");
        assert_eq!(work.check_exists(), Ok(()));
        assert_eq!(Home::at(folder.path().join("missing")).check_exists(), Ok(()));
    }

    #[test]
    fn the_name_of_a_profile_never_leads_out_of_the_folder() {
        for name in ["", ".", "..", "a/b", "../x", "a\\b", "Work", "-x", "a\0", "nul\n", &"x".repeat(65)] {
            assert!(Profile::new(name).is_err(), "{name:?}");
        }
        assert!(["work", "2nd", "a-b_c"].into_iter().all(|name| Profile::new(name).is_ok()));
    }

    #[test]
    #[cfg(unix)]
    fn folders_are_created_for_the_user_only() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().expect("failed to make a folder");
        let home = Home::at(folder.path().join("a/home"));
        home.create(&home.logs()).expect("failed to create");
        for path in [home.path(), &home.logs()] {
            let mode = fs::metadata(path).expect("the folder exists").permissions().mode();
            assert_eq!(mode & 0o777, 0o700, "{path:?}");
        }
    }
}
