//! The place where a command runs: the directory, the home folder and the variables that the judge knows.

use std::fs;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use toolc_commands::{FileSystem, Surroundings};

use crate::args::Arguments;
use crate::call::approval::policy::CommandApproval;
use crate::call::approval::shell::ShellState;
use crate::data::table::Table;
use crate::env::Env;
use crate::text::names::same_name;
use toolc_redact::is_credential;

/// Names of parameters for the working directory of a command.
const DIRECTORIES: &[&str] = &["workdir", "cwd", "working_directory", "working_dir", "directory"];

/// Variables that the shell sets, or that are known in another way.
const NOT_PASSED_ON: &[&str] = &["HOME", "OLDPWD", "PWD", "SHLVL", "_"];

/// The place of a command.
#[derive(Debug, Clone)]
pub(super) struct CommandPlace {
    /// The kind of environment.
    pub(super) environment: String,
    /// The working directory, as an absolute path without `.` and `..`. `None` if it is unknown, or not UTF-8.
    pub(super) directory: Option<String>,
    /// The working directory for the judge, with U+FFFD for what is not UTF-8, so that `..` leads to the folders above it.
    judged: Option<String>,
    home: Option<String>,
    variables: Vec<(String, String)>,
    /// The names of the other variables. `None` if the environment is not known.
    hidden_variables: Option<Vec<String>>,
    /// The processes on which the host depends. None if the command runs elsewhere.
    processes: Vec<u32>,
    /// The host's own folder, and the file system. None if the command runs elsewhere.
    own_folder: Option<PathBuf>,
    files: Option<Arc<dyn FileSystem>>,
}

impl CommandPlace {
    /// Returns the place of commands of a task. `elsewhere` is the kind of the task's environment, if the task has another environment than
    /// the session. What the session says about its own environment then does not apply.
    pub(super) fn new(
        config: &CommandApproval,
        elsewhere: Option<&str>,
        env: &Env,
        is_secret: impl Fn(&str) -> bool,
        state: &ShellState,
    ) -> Self {
        let directory = state.directory.as_deref().or(config.directory.as_deref());
        let environment = elsewhere.unwrap_or(&config.environment);
        let is_local = environment == CommandApproval::LOCAL;
        let home = config.home.as_deref().filter(|_| elsewhere.is_none()).and_then(Path::to_str).map(str::to_owned);
        let mut variables = if is_local { env.vars() } else { Vec::new() };
        variables.retain(|(name, _)| !state.variables.iter().any(|(changed, _)| changed == name));
        let changed = state.variables.iter().filter_map(|(name, value)| Some((name.clone(), value.clone()?)));
        variables.extend(changed);
        let is_hidden =
            |name: &str, value: &str| NOT_PASSED_ON.contains(&name) || is_credential(name, value) || is_secret(name);
        let hidden = variables.extract_if(.., |(name, value)| is_hidden(name, value)).map(|(name, _)| name);
        let hidden_variables = Some(hidden.collect()).filter(|_| is_local);
        Self {
            environment: environment.to_owned(),
            directory: directory.and_then(Path::to_str).and_then(absolute),
            judged: directory.and_then(|directory| absolute(&directory.to_string_lossy())),
            home: home.or_else(|| env.var("HOME").filter(|_| is_local)).as_deref().and_then(absolute),
            variables,
            hidden_variables,
            processes: if is_local { own_processes(config) } else { Vec::new() },
            own_folder: config.own_folder.clone().filter(|_| is_local),
            files: config.files.clone().filter(|_| is_local),
        }
    }

    /// Returns the place of a call whose handlers have found this directory. It is unknown if it could mean another one.
    pub(super) fn in_directory(self, directory: &Path) -> Self {
        let directory = Some(directory).filter(|path| path.components().all(|part| part != Component::ParentDir));
        Self {
            directory: directory.and_then(Path::to_str).and_then(absolute),
            judged: directory.and_then(|directory| absolute(&directory.to_string_lossy())),
            ..self
        }
    }

    /// Returns the place of a call whose handlers leave the directory to the runtime: an argument can name it, as a plain path.
    pub(super) fn in_directory_of(self, arguments: &Arguments, table: &Table) -> Self {
        let properties = table.nodes.first().map_or(&[][..], |root| root.properties.slice(&table.properties));
        let names = properties.iter().filter(|property| DIRECTORIES.iter().any(|name| same_name(&property.name, name)));
        let Some(value) = names.filter_map(|property| arguments.get(&property.name)).find(|value| !value.is_null())
        else {
            return self;
        };
        let directory = value.as_str().and_then(|path| self.named(path));
        Self { judged: directory.clone(), directory, ..self }
    }

    /// Returns the directory that a path names, or `None` if that is not certain.
    fn named(&self, path: &str) -> Option<String> {
        let current = self.directory.as_deref();
        let is_local = self.environment == CommandApproval::LOCAL;
        let (start, below) = match path.strip_prefix('~') {
            // A handler that does not expand it would start in a folder of that name.
            Some(_) if is_local && Path::new(current?).join(path).exists() => return None,
            Some("") => (self.home.as_deref()?, ""),
            Some(below) if below.starts_with('/') => (self.home.as_deref()?, below),
            // The folder of another user.
            Some(_) => return None,
            None if path.starts_with('/') => ("/", path),
            None => (current?, path),
        };
        let whole = format!("{start}/{below}");
        if is_local {
            // Nothing starts in a folder that does not exist.
            return fs::canonicalize(&whole).map_or_else(|_| absolute(&whole), |found| absolute(found.to_str()?));
        }
        // The folder before `..` could be a link to a folder elsewhere.
        let mut names = below.split('/').filter(|name| !matches!(*name, "" | ".")).skip_while(|name| *name == "..");
        absolute(&whole).filter(|_| names.all(|name| name != ".."))
    }

    /// Returns the place of a program's input. The variables of the program may have changed since it started.
    pub(super) fn of_input(self, directory: Option<&str>) -> Self {
        let directory = directory.and_then(absolute);
        Self { judged: directory.clone(), directory, variables: Vec::new(), ..self }
    }

    /// Returns this place in an unknown directory.
    pub(super) fn elsewhere(&self) -> Self {
        Self { directory: None, judged: None, ..self.clone() }
    }

    /// Calls `judge` with the surroundings of the command.
    pub(super) fn surroundings<T>(&self, judge: impl FnOnce(&Surroundings<'_>) -> T) -> T {
        let variables: Vec<(&str, &str)> = self.variables.iter().map(|(name, value)| (&**name, &**value)).collect();
        let hidden: Option<Vec<&str>> =
            self.hidden_variables.as_ref().map(|names| names.iter().map(String::as_str).collect());
        judge(&Surroundings {
            directory: self.judged.as_deref().map(Path::new),
            home: self.home.as_deref().map(Path::new),
            variables: &variables,
            hidden_variables: hidden.as_deref(),
            ignores_case: IGNORES_CASE && self.environment == CommandApproval::LOCAL,
            processes: &self.processes,
            own_folder: self.own_folder.as_deref(),
            files: self.files.as_deref(),
            ..Surroundings::default()
        })
    }
}

/// Whether the file systems of this operating system usually ignore case.
const IGNORES_CASE: bool = cfg!(any(target_os = "macos", target_os = "windows"));

/// Returns the numbers of the processes on which the host depends.
fn own_processes(config: &CommandApproval) -> Vec<u32> {
    config.processes.map_or_else(|| vec![std::process::id()], |find| find())
}

/// Returns an absolute path without `.`, `..` and double slashes. `None` for a relative path.
fn absolute(path: &str) -> Option<String> {
    let mut names: Vec<&str> = Vec::new();
    for name in path.strip_prefix('/')?.split('/') {
        match name {
            "" | "." => {}
            ".." => drop(names.pop()),
            name => names.push(name),
        }
    }
    Some(format!("/{}", names.join("/")))
}

#[cfg(test)]
mod tests {
    use std::sync::LazyLock;

    use serde_json::{Value, json};
    use toolc_commands::programs::USUAL;
    use toolc_commands::rules::RuleSet;

    use super::*;
    use crate::args::Limits;

    static RULES: LazyLock<RuleSet<'static>> = LazyLock::new(|| RuleSet::new(&[], &[], USUAL));

    fn directory(config: &CommandApproval, arguments: &Value) -> Option<String> {
        let schema = json!({"type": "object", "properties": {"command": {}, "workDir": {}, "note": {}}});
        let table = Table::from_schema(&schema).unwrap();
        let (arguments, _) = Arguments::read(&arguments.to_string(), &table, Limits::default()).unwrap();
        let env = Env::empty().with_var("HOME", "/home/me");
        CommandPlace::new(config, None, &env, |_| false, &ShellState::default())
            .in_directory_of(&arguments, &table)
            .directory
    }

    #[test]
    fn an_argument_names_the_directory() {
        let local = || CommandApproval::new(&RULES).directory("/w/app/");
        for (value, expected) in [
            (json!({}), Some("/w/app")),
            (json!({"workDir": null}), Some("/w/app")),
            (json!({"workDir": "sub/./x"}), Some("/w/app/sub/x")),
            (json!({"workDir": "../other"}), Some("/w/other")),
            (json!({"workDir": "../../../.."}), Some("/")),
            (json!({"workDir": "/srv//x/../y"}), Some("/srv/y")),
            (json!({"workDir": "~/x"}), Some("/home/me/x")),
            (json!({"workDir": "~root"}), None),
            (json!({"workDir": 5}), None),
            (json!({"note": "/etc"}), Some("/w/app")),
        ] {
            assert_eq!(directory(&local(), &value).as_deref(), expected, "{value}");
        }
        assert_eq!(directory(&CommandApproval::new(&RULES), &json!({"workDir": "x"})), None);
        assert_eq!(directory(&CommandApproval::new(&RULES).directory("x"), &json!({})), None, "a relative directory");
        let remote = CommandApproval::new(&RULES).environment("docker").directory("/w");
        assert_eq!(directory(&remote, &json!({"workDir": "~/x"})), None, "the home folder is unknown");
        assert_eq!(directory(&remote, &json!({"workDir": "../.././x"})).as_deref(), Some("/x"));
        assert_eq!(directory(&remote, &json!({"workDir": "link/.."})), None, "the folder can be a link");
    }

    #[cfg(unix)]
    #[test]
    fn links_of_this_machine_are_followed() {
        let folder = std::env::temp_dir().join(format!("toolc-place-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let root = folder.canonicalize().unwrap();
        std::os::unix::fs::symlink("/usr", root.join("link")).unwrap();
        std::os::unix::fs::symlink("link", root.join("link2")).unwrap();
        fs::create_dir_all(root.join("~/x")).unwrap();
        let config = CommandApproval::new(&RULES).directory(&root);
        for (path, expected) in [
            ("link2", Some("/usr")),
            ("link/..", Some("/")),
            ("link2/./bin/../", Some("/usr")),
            (r"\x2fusr", Some(&*format!(r"{}/\x2fusr", root.display()))),
            ("~/x", None),
            ("~/y", Some("/home/me/y")),
        ] {
            assert_eq!(directory(&config, &json!({"workDir": path})).as_deref(), expected, "{path}");
        }
        fs::remove_dir_all(&folder).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn a_directory_that_is_not_utf_8_is_known_to_the_judge_only() {
        use std::os::unix::ffi::OsStrExt as _;
        let path = Path::new(std::ffi::OsStr::from_bytes(b"/w/app/\xfd"));
        let config = CommandApproval::new(&RULES).directory(path);
        let place = |state| CommandPlace::new(&config, None, &Env::empty(), |_| false, state);
        for place in [place(&ShellState::default()), place(&ShellState::default()).in_directory(path)] {
            assert_eq!(place.directory, None);
            let judged = place.surroundings(|surroundings| surroundings.directory.map(Path::to_owned));
            assert_eq!(judged.as_deref(), Some(Path::new("/w/app/\u{fffd}")));
        }
    }

    #[test]
    fn only_local_commands_know_the_processes_of_the_host() {
        let processes = |config: CommandApproval, elsewhere| {
            let place = CommandPlace::new(&config, elsewhere, &Env::empty(), |_| false, &ShellState::default());
            place.surroundings(|surroundings| surroundings.processes.to_vec())
        };
        let config = || CommandApproval::new(&RULES).processes(|| vec![11, 12]);
        assert_eq!(processes(config(), None), [11, 12]);
        assert_eq!(processes(CommandApproval::new(&RULES), None), [std::process::id()]);
        assert!(processes(config(), Some("docker")).is_empty());
    }

    #[test]
    fn only_local_commands_have_the_variables_of_the_session() {
        let env = Env::empty()
            .with_var("OUT", "/x")
            .with_var("API_KEY", "k")
            .with_var("PWD", "/p")
            .with_var("DSN1", "d")
            .with_var("KEY", "k")
            .with_var("DB", "x://me:pw@db");
        let names = |config: CommandApproval| {
            let place = CommandPlace::new(&config, None, &env, |name| name == "DSN1", &ShellState::default());
            place.variables.into_iter().map(|(name, _)| name).collect::<Vec<_>>()
        };
        assert_eq!(names(CommandApproval::new(&RULES)), ["OUT"]);
        assert!(names(CommandApproval::new(&RULES).environment("ssh")).is_empty());
    }

    #[test]
    fn the_state_of_the_shell_changes_directory_and_variables() {
        let env = Env::empty().with_var("OUT", "/x").with_var("GONE", "y").with_var("KEPT", "z");
        let set = |name: &str, value: Option<&str>| (name.to_owned(), value.map(str::to_owned));
        let state = ShellState {
            directory: Some("/srv/./app/".into()),
            variables: vec![
                set("OUT", Some("/etc")),
                set("GONE", None),
                set("NEW", Some("n")),
                set("MY_TOKEN", Some("t")),
            ],
        };
        let config = CommandApproval::new(&RULES).directory("/w/app");
        let place = CommandPlace::new(&config, None, &env, |_| false, &state);
        assert_eq!(place.directory.as_deref(), Some("/srv/app"));
        let variables: Vec<_> = place.variables.iter().map(|(name, value)| (&**name, &**value)).collect();
        assert_eq!(variables, [("KEPT", "z"), ("OUT", "/etc"), ("NEW", "n")]);
        let remote = CommandPlace::new(&config, Some("docker"), &env, |_| false, &state);
        assert_eq!(remote.variables.len(), 2, "what the shell has reported is known everywhere");
    }
}
