//! The kinds of environments. Each kind has one record with its name, its table of settings in `config.toml`, its requirements, and a method
//! that creates the kind from its settings. The configuration, the command line, `doctor` and the approval of commands are derived from the
//! records.
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

use crate::{HiddenFolder, Leases};
pub use boxed::KindResult;

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
            /// The environment in which tools act.
            #[derive(Debug, Clone, PartialEq)]
            pub struct EnvironmentTable {
                /// The kind of environment.
                kind: Word<EnvironmentKind> = EnvironmentKind::Local,
                /// Files and folders of the current directory that are copied into each new sandbox of a service (`daytona`, `modal`). `.` means the
                /// whole directory. Default: none.
                put: Texts,
                /// Files and folders that are copied out of such a sandbox before it ends, to a new folder in the current directory. `.` means
                /// the whole directory of the sandbox. Default: none.
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

/// Returns the settings of a kind. A kind without a key has no settings.
macro_rules! settings {
    ($table:ident $module:ident $key:ident) => {
        &$table.$key
    };
    ($table:ident $module:ident) => {
        &$module::Settings
    };
}

kinds! {
    Local = local, local: "This machine, for the kind `local`.";
    Sandbox = sandbox;
    Docker = docker, container: "Containers of the kind `docker`.";
    Ssh = ssh, ssh: "The machine of the kind `ssh`.";
    Apptainer = apptainer, apptainer: "Containers of the kind `apptainer`.";
    Daytona = daytona, daytona: "Sandboxes of the kind `daytona`.";
    Modal = modal, modal: "Sandboxes of the kind `modal`.";
}

/// The properties of a kind of environment.
struct Record {
    name: &'static str,
    /// One sentence for users.
    about: &'static str,
    files: FilesOf,
    /// The variables of the host with credentials, which commands must not see.
    secrets: &'static [&'static str],
}

/// The files that the tools of a task see.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FilesOf {
    /// The files of this machine.
    ThisMachine,
    /// The directory of the task. All other files belong to the environment, and are removed with it.
    Task,
    /// The files of another machine, which outlive the task.
    OtherMachine,
    /// The files of a sandbox that a service makes on another machine, and charges for. The sandbox ends with the task.
    Service,
}

impl EnvironmentKind {
    /// Returns the name, such as `local`.
    pub const fn name(self) -> &'static str {
        self.record().name
    }

    /// Returns which files the tools of a task see.
    pub const fn files(self) -> FilesOf {
        self.record().files
    }

    /// Returns the variables of the host that are secret.
    pub const fn secrets(self) -> &'static [&'static str] {
        self.record().secrets
    }

    /// Returns whether tools act on another machine, without the files of this one.
    pub const fn is_remote(self) -> bool {
        matches!(self.files(), FilesOf::OtherMachine | FilesOf::Service)
    }
}

/// The settings of a kind.
pub trait KindSettings: fmt::Debug {
    /// Returns the setting that is required to make an environment, if any.
    fn required(&self) -> Option<RequiredSetting<'_>> {
        None
    }

    /// Returns the required setting, if it is missing.
    fn missing(&self) -> Option<RequiredSetting<'_>> {
        self.required().filter(|setting| setting.value.is_none())
    }

    /// Reports mistakes that the table of keys cannot express.
    fn check(&self, _: &Sink) {}

    /// Returns whether a host offers the kind to tasks, even if another kind is the default. By default, this is the case if the kind has a
    /// required setting, and the setting has a value.
    fn is_configured(&self) -> bool {
        self.required().is_some_and(|setting| setting.value.is_some())
    }

    /// Returns the directory in which tools begin, if the settings say so.
    fn directory(&self) -> Option<&str> {
        None
    }

    /// Returns a phrase for the location of the directory, if it is not on this machine: `on the machine box`.
    fn place(&self) -> Option<String> {
        None
    }

    /// Returns the settings that `doctor` shows, by their keys.
    fn doctor_settings(&self) -> Vec<(&'static str, String)> {
        let required = self.required().and_then(|setting| Some((setting.key.rsplit('.').next()?, setting.value?)));
        required.map(|(key, value)| (key, value.to_owned())).into_iter().collect()
    }

    /// Returns the kind with these settings. The caller has checked that nothing is [missing](Self::missing).
    ///
    /// # Errors
    /// If this build has no such kind.
    fn kind(&self, _: &Context<'_>) -> KindResult {
        boxed::unsupported("this kind of environment needs Unix")
    }

    /// Adds the settings to leases that these need to remove resources of the kind.
    fn leases(&self, leases: Leases, _: &Context<'_>) -> Leases {
        leases
    }
}

/// A setting that a kind needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RequiredSetting<'s> {
    /// The name of the value, as in "the environment needs ...".
    pub what: &'static str,
    /// The key of `config.toml` that sets it.
    pub key: &'static str,
    /// The value, or `None` if it is missing.
    pub value: Option<&'s str>,
}

/// What kinds need from the host.
#[derive(Clone, Copy)]
pub struct Context<'a> {
    /// The file with the host keys that are accepted, unless the settings name another one.
    pub known_hosts: &'a Path,
    /// The home folder of the host, with what programs see of it, and the other places that are hidden.
    pub hidden: &'a HiddenFolder,
    /// The directory from which files are copied into sandboxes of services, and to which results are copied.
    pub directory: &'a Path,
    /// Returns an environment variable of the host.
    pub variable: &'a dyn Fn(&str) -> Option<String>,
    /// Expands `~/` in a path of the settings to the home of the user.
    pub expand_home: fn(&str) -> PathBuf,
    /// Reports copied files to the user.
    pub notice: fn(&str),
    /// The settings with the paths to copy.
    pub table: &'a EnvironmentTable,
}

impl fmt::Debug for Context<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Context").field("directory", &self.directory).finish_non_exhaustive()
    }
}

/// The settings keep their positions in the file, because the records both check the settings and create kinds from them.
impl HasValues for EnvironmentTable {
    type Values = Self;

    fn values(&self) -> Option<Self> {
        Some(self.clone())
    }
}

/// The settings of an empty `config.toml`.
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

    /// Returns the leases in a folder, with which the resources of all kinds can be removed.
    pub fn leases(&self, folder: impl Into<PathBuf>, context: &Context<'_>) -> Leases {
        let leases = |leases, kind: &EnvironmentKind| self.settings(*kind).leases(leases, context);
        EnvironmentKind::ALL.iter().fold(Leases::new(folder), leases)
    }

    /// Returns the error about a setting that is missing to make an environment of a kind, as a sentence without a full stop.
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

/// Reports paths to copy that are not below the directory.
fn check_copies(paths: &[At<String>], key: &str, sink: &Sink) {
    for path in paths {
        let is_inside = |part| matches!(part, Component::Normal(_) | Component::CurDir);
        if path.value.is_empty() || !Path::new(&path.value).components().all(is_inside) {
            let help = "write the path of a file or folder of the directory, or `.` for the whole directory";
            let found = format!("`{key}` has a path that is not below the directory");
            checks::report(sink, path, &found, "expected a relative path without `..`", help);
        }
    }
}

/// Returns a text of the settings without surrounding white space, or `None` if it is missing or empty.
fn text(text: Option<&At<String>>) -> Option<&str> {
    text.map(|text| text.value.trim()).filter(|text| !text.is_empty())
}

/// Functions with which the records create kinds.
mod boxed {
    use std::io;
    use std::sync::Arc;

    use crate::Kind;

    /// A kind, or the reason why this build does not have it.
    pub type KindResult = io::Result<Arc<dyn Kind>>;

    pub(super) fn boxed(kind: impl Kind + 'static) -> Arc<dyn Kind> {
        Arc::new(kind)
    }

    pub(super) fn unsupported(text: &str) -> KindResult {
        Err(io::Error::new(io::ErrorKind::Unsupported, text))
    }
}

#[cfg(unix)]
impl Context<'_> {
    /// Returns the paths that sandboxes of services copy.
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
            hidden: &HiddenFolder::new("/home"),
            directory: Path::new("/"),
            variable: &|_| None,
            expand_home: |path| path.into(),
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
