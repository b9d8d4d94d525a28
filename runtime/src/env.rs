//! The environment of tools: variables, and programs that can be run.

use std::ffi::OsString;
use std::fmt;
use std::path::Path;
use std::sync::Arc;

use crate::vec_map::VecMap;

/// The environment in which a session looks up variables and programs: the environment of the process, or a custom one. Cheap to
/// clone.
///
/// ```
/// use toolc::Env;
///
/// let env = Env::empty().with_var("API_KEY", "for a test").with_program("chromium");
/// assert!(env.var("API_KEY").is_some() && env.has_program("chromium"));
/// assert!(env.var("HOME").is_none() && !env.has_program("sh"));
/// ```
#[derive(Clone)]
pub struct Env {
    /// Whether names that were not added are looked up in the process's environment.
    process: bool,
    additions: Option<Arc<Additions>>,
}

/// The added variables and programs.
#[derive(Clone, Default)]
struct Additions {
    variables: VecMap<String, String>,
    /// The names of added variables that are secret.
    secrets: Vec<String>,
    programs: Vec<String>,
}

impl Env {
    /// Returns the process's environment. Each lookup uses its current state.
    pub const fn process() -> Self {
        Self { process: true, additions: None }
    }

    /// Returns an environment without variables and programs.
    pub const fn empty() -> Self {
        Self { process: false, additions: None }
    }

    /// Returns whether this is the process's environment without additions.
    pub(crate) fn is_process(&self) -> bool {
        self.process && self.additions.is_none()
    }

    /// Returns whether the process's environment is not looked up.
    pub(crate) fn is_closed(&self) -> bool {
        !self.process
    }

    /// Sets the variable `name` to `value`. An empty value counts as not set.
    #[must_use]
    pub fn with_var(mut self, name: impl AsRef<str>, value: impl Into<String>) -> Self {
        self.additions().variables.insert(key(name.as_ref()), value.into());
        self
    }

    /// Sets the variable `name`, whose value is secret: handlers do not pass it on to programs that did not ask for it, and it is
    /// replaced in texts that the host keeps.
    ///
    /// ```
    /// let env = toolc::Env::process().with_secret("API_KEY", "for a test");
    /// assert!(env.var("API_KEY").is_some() && env.is_secret("API_KEY"));
    /// ```
    #[must_use]
    pub fn with_secret(self, name: impl AsRef<str>, value: impl Into<String>) -> Self {
        let name = key(name.as_ref());
        let mut env = self.with_var(&name, value);
        let secrets = &mut env.additions().secrets;
        if !secrets.contains(&name) {
            secrets.push(name);
        }
        env
    }

    /// Returns the names of the variables that were set as secrets.
    pub fn secrets(&self) -> impl Iterator<Item = &str> {
        self.additions.iter().flat_map(|additions| additions.secrets.iter().map(String::as_str))
    }

    /// Returns whether a variable was set as a secret.
    pub fn is_secret(&self, name: &str) -> bool {
        let name = key(name);
        self.secrets().any(|secret| secret == name)
    }

    /// Adds the program `name`, so that [`has_program`](Self::has_program) returns true for it.
    #[must_use]
    pub fn with_program(mut self, name: impl Into<String>) -> Self {
        self.additions().programs.push(name.into());
        self
    }

    fn additions(&mut self) -> &mut Additions {
        Arc::make_mut(self.additions.get_or_insert_default())
    }

    /// Returns the value of the variable `name`. A value that is empty or not Unicode counts as not set.
    pub fn var(&self, name: &str) -> Option<String> {
        self.os_var(name)?.into_string().ok().filter(|value| !value.is_empty())
    }

    /// Returns whether the program `name` was added, or is an executable file in a directory of this environment's `PATH`. A
    /// name with a path separator is a path.
    pub fn has_program(&self, name: &str) -> bool {
        if self.additions.as_ref().is_some_and(|additions| additions.programs.iter().any(|program| program == name)) {
            return true;
        }
        let extensions = cfg!(windows).then(|| self.var("PATHEXT").unwrap_or_else(|| ".COM;.EXE;.BAT;.CMD".into()));
        let files = spellings(name, extensions.as_deref());
        let is_in = |directory: &Path| files.iter().any(|file| is_executable(&directory.join(file)));
        if name.contains(std::path::is_separator) {
            return is_in(Path::new(""));
        }
        let path = self.os_var("PATH").filter(|path| !name.is_empty() && !path.is_empty());
        path.is_some_and(|path| std::env::split_paths(&path).any(|directory| is_in(&directory)))
    }

    /// Returns all variables with values that are Unicode and not empty.
    pub(crate) fn vars(&self) -> Vec<(String, String)> {
        let added = self.additions.as_ref().map_or(&[][..], |additions| &additions.variables);
        let mut vars = Vec::new();
        // Without an operating system, listing variables would abort the program.
        if self.process && !cfg!(all(target_family = "wasm", target_os = "unknown")) {
            for (name, value) in std::env::vars_os() {
                let (Ok(name), Ok(value)) = (name.into_string(), value.into_string()) else { continue };
                if !added.iter().any(|(other, _)| *other == key(&name)) {
                    vars.push((name, value));
                }
            }
        }
        vars.extend_from_slice(added);
        vars.retain(|(_, value)| !value.is_empty());
        vars
    }

    /// Returns the value of the variable `name`, also one that is empty or not Unicode.
    pub fn os_var(&self, name: &str) -> Option<OsString> {
        match self.additions.as_ref().and_then(|additions| additions.variables.get(key(name).as_str())) {
            Some(value) => Some(value.into()),
            None if self.process => std::env::var_os(name),
            None => None,
        }
    }
}

/// Returns the process's environment.
impl Default for Env {
    fn default() -> Self {
        Self::process()
    }
}

/// Does not show values of variables, because they may be secret.
impl fmt::Debug for Env {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let additions = self.additions.as_deref();
        f.debug_struct("Env")
            .field("process", &self.process)
            .field("variables", &additions.map(|additions| additions.variables.keys().collect::<Vec<_>>()))
            .field("programs", &additions.map(|additions| &additions.programs))
            .finish()
    }
}

/// Normalises the name of a variable: on Windows, case does not matter.
fn key(name: &str) -> String {
    if cfg!(windows) { name.to_uppercase() } else { name.to_owned() }
}

/// Returns the files that `name` may refer to, on systems with extensions of programs: `name` itself if it has one of
/// them, otherwise `name` with each of them.
fn spellings(name: &str, extensions: Option<&str>) -> Vec<String> {
    let Some(extensions) = extensions else { return vec![name.to_owned()] };
    let extensions: Vec<String> =
        extensions.split(';').filter(|extension| !extension.is_empty()).map(str::to_lowercase).collect();
    if extensions.iter().any(|extension| name.to_lowercase().ends_with(extension)) {
        return vec![name.to_owned()];
    }
    extensions.iter().map(|extension| format!("{name}{extension}")).collect()
}

fn is_executable(path: &Path) -> bool {
    path.metadata().is_ok_and(|file| file.is_file() && may_run(&file))
}

#[cfg(unix)]
fn may_run(file: &std::fs::Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    file.permissions().mode() & 0o111 != 0
}

#[cfg(not(unix))]
fn may_run(_: &std::fs::Metadata) -> bool {
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_custom_environment_only_has_its_additions() {
        let env = Env::empty().with_var("KEY", "value").with_var("EMPTY", "").with_program("git");
        assert_eq!(env.var("KEY").as_deref(), Some("value"));
        assert_eq!([env.var("EMPTY"), env.var("PATH"), env.var("A=B"), env.var("\0")], [const { None }; 4]);
        assert!(env.has_program("git") && !env.has_program("sh") && !env.has_program(""));
        let more = env.clone().with_var("KEY", "other");
        assert_eq!([env.var("KEY"), more.var("KEY")], [Some("value".into()), Some("other".into())]);
    }

    #[test]
    fn the_process_environment_is_looked_up() {
        assert_eq!(Env::default().var("PATH"), std::env::var("PATH").ok());
        assert_eq!(Env::process().with_var("PATH", "").var("PATH"), None);
        assert_eq!(Env::process().var("TOOLC_TEST_UNSET_VARIABLE"), None);
        assert_eq!(
            [Env::process().var("A=B"), Env::process().var("A\0B"), Env::process().var("")],
            [const { None }; 3]
        );
        assert!(!Env::process().has_program("no-such-program"));
        assert!(Env::process().with_program("no-such-program").has_program("no-such-program"));
    }

    #[test]
    fn variables_are_listed_with_their_additions() {
        let env = Env::empty().with_var("KEY", "value").with_var("EMPTY", "");
        assert_eq!(env.vars(), [("KEY".to_owned(), "value".to_owned())]);
        let env = Env::process().with_var("PATH", "other");
        let paths: Vec<_> = env.vars().into_iter().filter(|(name, _)| name.eq_ignore_ascii_case("PATH")).collect();
        assert_eq!(paths, [("PATH".to_owned(), "other".to_owned())]);
    }

    #[test]
    fn debug_output_has_no_values() {
        let shown = format!("{:?}", Env::empty().with_var("KEY", "secret"));
        assert!(shown.contains("KEY") && !shown.contains("secret"), "{shown}");
    }

    #[cfg(unix)]
    #[test]
    fn programs_are_executable_files_on_the_path() {
        use std::os::unix::fs::PermissionsExt as _;
        let directory = std::env::temp_dir().join(format!("toolc-env-{}", std::process::id()));
        std::fs::create_dir_all(directory.join("folder")).unwrap();
        for (file, mode) in [("runs", 0o755), ("reads", 0o644)] {
            std::fs::write(directory.join(file), "").unwrap();
            std::fs::set_permissions(directory.join(file), std::fs::Permissions::from_mode(mode)).unwrap();
        }
        let path = std::env::join_paths([Path::new("/does/not/exist"), &directory]).unwrap();
        let env = Env::empty().with_var("PATH", path.to_str().unwrap());
        let has = ["runs", "reads", "folder", "", "no\0name"].map(|name| env.has_program(name));
        let absolute = directory.join("runs").to_str().unwrap().to_owned();
        let by_path =
            [Env::empty().has_program(&absolute), env.has_program("./runs"), Env::empty().has_program("runs")];
        std::fs::remove_dir_all(&directory).unwrap();
        assert_eq!(has, [true, false, false, false, false]);
        assert_eq!(by_path, [true, false, false]);
    }

    #[test]
    fn extensions_complete_a_name_that_has_none() {
        let with = |name| spellings(name, Some(".COM;.EXE;;"));
        assert_eq!(with("git"), ["git.com", "git.exe"]);
        assert_eq!(with("GIT.Exe"), ["GIT.Exe"]);
        assert_eq!(with("python3.12"), ["python3.12.com", "python3.12.exe"]);
        assert_eq!(spellings("git", None), ["git"]);
    }
}
