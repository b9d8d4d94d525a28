//! The kinds of environments, one record each: the name, the table of settings in `config.toml`, what they need, and how an environment
//! is made from them. The configuration, the command line, `doctor` and the approval of commands follow from the records.
//!
//! To add a kind, write its record in `kinds/NAME.rs`, and add its line to `kinds!`.

mod apptainer;
mod daytona;
mod docker;
mod local;
mod modal;
mod sandbox;
mod ssh;

use std::fmt;
use std::path::{Component, Path, PathBuf};

use toolc_tables::diagnostic::{At, Sink};
use toolc_tables::kinds::{Section, Texts, Word};
use toolc_tables::{HasValues, Words, checks, table};

use crate::Leases;
pub use made::KindResult;

/// Declares the kinds. A kind with settings has a key in the table `[environment]`.
macro_rules! kinds {
    ($($name:ident = $module:ident $(, $key:ident: $doc:literal)?;)+) => {
        /// A kind of environment.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum EnvironmentKind {
            $(
                #[doc = concat!("The kind with the name `", stringify!($module), "`.")]
                $name,
            )+
        }

        impl EnvironmentKind {
            /// All kinds.
            pub const ALL: &[Self] = &[$(Self::$name,)+];

            const fn record(self) -> &'static Record {
                match self {
                    $(Self::$name => &$module::KIND,)+
                }
            }
        }

        impl Words for EnvironmentKind {
            const WORDS: &'static [(&'static str, &'static str)] = &[$(($module::KIND.name, $module::KIND.about),)+];
            const ALL: &'static [Self] = Self::ALL;

            fn word(self) -> &'static str {
                self.name()
            }
        }

        table! {
            /// Where tools act.
            #[derive(Debug, Clone, PartialEq)]
            pub struct EnvironmentTable {
                /// The kind of environment.
                kind: Word<EnvironmentKind> = EnvironmentKind::Local,
                /// Files and folders of the current directory that each new sandbox of a service (`daytona`, `modal`) gets a copy of. `.` is all of
                /// it. Default: none.
                put: Texts,
                /// Files and folders that are copied out of such a sandbox before it ends, to a new folder in the current directory. `.` is all of
                /// its directory. Default: none.
                get: Texts,
                $($(
                    #[doc = $doc]
                    $key: Section<$module::Settings>,
                )?)+
            }
        }

        impl EnvironmentTable {
            /// Returns the settings of a kind.
            pub fn settings(&self, kind: EnvironmentKind) -> &dyn KindSettings {
                match kind {
                    $(EnvironmentKind::$name => settings!(self $module $($key)?),)+
                }
            }
        }
    };
}

/// Returns the settings of a kind: those of its key, or else none.
macro_rules! settings {
    ($table:ident $module:ident $key:ident) => {
        &$table.$key
    };
    ($table:ident $module:ident) => {
        &$module::Settings
    };
}

kinds! {
    Local = local;
    Sandbox = sandbox;
    Docker = docker, container: "Containers of the kind `docker`.";
    Ssh = ssh, ssh: "The machine of the kind `ssh`.";
    Apptainer = apptainer, apptainer: "Containers of the kind `apptainer`.";
    Daytona = daytona, daytona: "Sandboxes of the kind `daytona`.";
    Modal = modal, modal: "Sandboxes of the kind `modal`.";
}

/// What is the same for all environments of a kind.
struct Record {
    name: &'static str,
    /// One sentence for users.
    about: &'static str,
    files: FilesOf,
    /// The variables of the host that prove who its user is, and that commands must not see.
    secrets: &'static [&'static str],
}

/// Whose files the tools of a task see.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FilesOf {
    /// The files of this machine.
    ThisMachine,
    /// The directory of the task. The rest belongs to the environment, and ends with the task.
    TheTask,
    /// The files of another machine, which outlive the task.
    AnotherMachine,
    /// The files of a sandbox on another machine, which ends with the task. A service makes it, and charges for it.
    AService,
}

impl EnvironmentKind {
    /// Returns the name, such as `local`.
    pub const fn name(self) -> &'static str {
        self.record().name
    }

    /// Returns whose files the tools of a task see.
    pub const fn files(self) -> FilesOf {
        self.record().files
    }

    /// Returns the variables of the host that are secret.
    pub const fn secrets(self) -> &'static [&'static str] {
        self.record().secrets
    }

    /// Returns whether tools act on another machine, without the files of this one.
    pub const fn is_remote(self) -> bool {
        matches!(self.files(), FilesOf::AnotherMachine | FilesOf::AService)
    }
}

/// The settings of a kind.
pub trait KindSettings: fmt::Debug {
    /// Returns the setting without which no environment can be made.
    fn required(&self) -> Option<RequiredSetting<'_>> {
        None
    }

    /// Returns what must be set before an environment can be made.
    fn missing(&self) -> Option<RequiredSetting<'_>> {
        self.required().filter(|setting| setting.value.is_none())
    }

    /// Reports mistakes that the table of keys cannot express.
    fn check(&self, _: &Sink) {}

    /// Returns whether a host offers the kind to tasks, even if it is not the chosen one: a kind that needs a setting, and has it.
    fn is_configured(&self) -> bool {
        self.required().is_some_and(|setting| setting.value.is_some())
    }

    /// Returns the directory over there in which tools begin, if the files are not those of this machine, and it is known.
    fn directory(&self) -> Option<&str> {
        None
    }

    /// Returns where the directory is, if it is not on this machine: `on the machine box`.
    fn place(&self) -> Option<String> {
        None
    }

    /// Returns the settings that `doctor` shows, by their keys.
    fn shown(&self) -> Vec<(&'static str, String)> {
        let required = self.required().and_then(|setting| Some((setting.key.rsplit('.').next()?, setting.value?)));
        required.map(|(key, value)| (key, value.to_owned())).into_iter().collect()
    }

    /// Returns the kind with these settings. The caller has checked that nothing is [missing](Self::missing).
    ///
    /// # Errors
    /// If this build has no such kind.
    fn kind(&self, _: &Context<'_>) -> KindResult {
        made::unsupported("this kind of environment needs Unix")
    }

    /// Gives leases what they need to remove what environments of the kind have left.
    fn leases(&self, leases: Leases, _: &Context<'_>) -> Leases {
        leases
    }
}

/// A setting that a kind needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RequiredSetting<'s> {
    /// What it is, as in "the environment needs ...".
    pub what: &'static str,
    /// The key of `config.toml` that sets it.
    pub key: &'static str,
    /// The value, or `None` if it is missing.
    pub value: Option<&'s str>,
}

/// What kinds need to know of the host.
#[derive(Clone, Copy)]
pub struct Context<'a> {
    /// The file with the host keys that are accepted, unless the settings name another one.
    pub known_hosts: &'a Path,
    /// The directory out of which and into which sandboxes of services copy files.
    pub directory: &'a Path,
    /// Returns an environment variable of the host.
    pub variable: &'a dyn Fn(&str) -> Option<String>,
    /// Returns a path of the settings, with the home folder of the user for `~/`.
    pub expanded: fn(&str) -> PathBuf,
    /// Tells the user what was copied.
    pub notice: fn(&str),
    /// What sandboxes of services copy.
    pub table: &'a EnvironmentTable,
}

impl fmt::Debug for Context<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Context").field("directory", &self.directory).finish_non_exhaustive()
    }
}

/// The settings keep their places, because the records both check them and make kinds of them.
impl HasValues for EnvironmentTable {
    type Values = Self;

    fn values(&self) -> Option<Self> {
        Some(self.clone())
    }
}

/// The settings without a file.
impl Default for EnvironmentTable {
    fn default() -> Self {
        toolc_tables::defaults()
    }
}

impl EnvironmentTable {
    /// Returns a kind with its settings.
    ///
    /// # Errors
    /// If a setting is missing, or if this build has no such kind.
    pub fn kind(&self, kind: EnvironmentKind, context: &Context<'_>) -> KindResult {
        match self.missing(kind) {
            Some(problem) => Err(std::io::Error::new(std::io::ErrorKind::InvalidInput, problem)),
            None => self.settings(kind).kind(context),
        }
    }

    /// Returns the leases in a folder, which can remove what environments of all kinds have left.
    pub fn leases(&self, folder: impl Into<PathBuf>, context: &Context<'_>) -> Leases {
        let leases = |leases, kind: &EnvironmentKind| self.settings(*kind).leases(leases, context);
        EnvironmentKind::ALL.iter().fold(Leases::new(folder), leases)
    }

    /// Returns what must be set before an environment of a kind can be made, as a sentence without a full stop.
    pub fn missing(&self, kind: EnvironmentKind) -> Option<String> {
        let RequiredSetting { what, key, .. } = self.settings(kind).missing()?;
        Some(format!("the environment `{}` needs {what}: set `{key}` in config.toml", kind.name()))
    }

    /// Reports mistakes that the tables of keys cannot express.
    pub fn check(&self, sink: &Sink) {
        if let Some(kind) = self.kind.written()
            && let Some(RequiredSetting { what, key, .. }) = self.settings(kind.value).missing()
        {
            let found = format!("the environment `{}` lacks {what}", kind.value.name());
            let help = format!("set `{key}` in config.toml, or another `kind`");
            checks::report(sink, &kind, &found, &format!("needs `{key}`"), &help);
        }
        for kind in EnvironmentKind::ALL {
            self.settings(*kind).check(sink);
        }
        check_copies(&self.put, "put", sink);
        check_copies(&self.get, "get", sink);
    }
}

/// Reports paths of what is copied that are not below the directory.
fn check_copies(paths: &[At<String>], key: &str, sink: &Sink) {
    for path in paths {
        let is_inside = |part| matches!(part, Component::Normal(_) | Component::CurDir);
        if path.value.is_empty() || !Path::new(&path.value).components().all(is_inside) {
            let help = "write the path of a file or a folder of the directory, or `.` for all of it";
            let found = format!("`{key}` has a path that is not below the directory");
            checks::report(sink, path, &found, "expected a relative path without `..`", help);
        }
    }
}

/// Returns a text of the settings, without the white space around it. `None` if it is missing or empty.
fn text(text: Option<&At<String>>) -> Option<&str> {
    text.map(|text| text.value.trim()).filter(|text| !text.is_empty())
}

/// What the records use to make kinds.
mod made {
    use std::io;
    use std::sync::Arc;

    use crate::Kind;

    /// A kind, or the reason why this build does not have it.
    pub type KindResult = io::Result<Arc<dyn Kind>>;

    pub(super) fn made(kind: impl Kind + 'static) -> Arc<dyn Kind> {
        Arc::new(kind)
    }

    pub(super) fn unsupported(text: &str) -> KindResult {
        Err(io::Error::new(io::ErrorKind::Unsupported, text))
    }
}

#[cfg(unix)]
impl Context<'_> {
    /// Returns what sandboxes of services copy.
    fn copies(&self) -> crate::copy::Copies {
        let paths = |paths: &[At<String>]| paths.iter().map(|path| PathBuf::from(&path.value)).collect();
        crate::copy::Copies::new(self.directory, paths(&self.table.put), paths(&self.table.get), self.notice)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fs;

    use super::*;

    #[test]
    fn every_file_of_a_kind_is_in_the_list() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/kinds");
        let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        let files: BTreeSet<String> =
            files.map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned()).collect();
        let listed = EnvironmentKind::ALL.iter().map(|kind| kind.name().to_owned()).chain(["mod".to_owned()]);
        assert_eq!(files, listed.collect(), "each file is named like its kind, and its kind is a line of `kinds!`");
    }

    #[test]
    fn every_kind_is_in_the_guide() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/environments.md");
        let guide = fs::read_to_string(path).expect("the guide can be read");
        for kind in EnvironmentKind::ALL {
            assert!(
                guide.contains(&format!("| `{}` |", kind.name())),
                "docs/environments.md does not describe `{}`",
                kind.name()
            );
        }
    }

    #[test]
    #[cfg(all(unix, feature = "daytona"))]
    fn a_kind_that_lacks_nothing_can_be_made_and_has_the_name_of_its_record() {
        let read = |text: &str| {
            let read = toolc_tables::Document::<EnvironmentTable>::read("`t.toml`", "t.toml", text, |_, _| {});
            read.unwrap().table
        };
        let without = |table: &EnvironmentTable| -> Vec<&str> {
            EnvironmentKind::ALL.iter().filter(|kind| table.missing(**kind).is_some()).map(|kind| kind.name()).collect()
        };
        assert_eq!(without(&EnvironmentTable::default()), ["docker", "ssh", "apptainer"]);
        let table = read("container.image = 'i'\nssh.host = 'h'\napptainer.image = '/i.sif'\n");
        assert!(without(&table).is_empty());
        let context = Context {
            known_hosts: Path::new("/known_hosts"),
            directory: Path::new("/"),
            variable: &|_| None,
            expanded: |path| path.into(),
            notice: |_| {},
            table: &table,
        };
        for kind in EnvironmentKind::ALL {
            assert_eq!(table.kind(*kind, &context).expect("it is made").name(), kind.name());
        }
        let error = EnvironmentTable::default()
            .kind(EnvironmentKind::Ssh, &context)
            .expect_err("the machine has no name")
            .to_string();
        assert_eq!(
            error,
            "the environment `ssh` needs the name of a machine: set `environment.ssh.host` in config.toml"
        );
    }
}
