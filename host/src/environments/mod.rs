//! The environment in which tools act: its kind, the lease of this process, and the section of `doctor`.

#[cfg_attr(not(unix), path = "no_kinds.rs")]
mod kinds;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::ValueEnum;
use serde_json::json;
use toolc_cli::DoctorSection;
use toolc_config::Config;
use toolc_environment::{HostId, Leases, Local, Promises, Resource, SandboxKind};
use toolc_workspace::{Environments, Workspace};

use crate::ground::error::{Error, Result};
use crate::ground::show;
use crate::profile::Profile;
pub(crate) use kinds::leases as own_leases;

/// The kind of environment in which tools act.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum EnvironmentKind {
    /// This machine, with your rights.
    Local,
    /// A sandbox on this machine, which sees only the current directory and the installed programs, without network.
    Sandbox,
    /// A container of docker, which sees only the current directory and its image.
    Docker,
    /// Another machine, with the rights of your user there.
    Ssh,
    /// A container of Apptainer or Singularity, which has the files of its image and the current directory.
    Apptainer,
    /// A sandbox of the service Daytona, which has nothing of this machine.
    Daytona,
    /// A sandbox of the service Modal, which has nothing of this machine.
    Modal,
}

impl EnvironmentKind {
    /// The environment variable that names the kind.
    const VARIABLE: &str = "TOOLC_ENVIRONMENT";

    /// Returns the kind that the command line, the variable or the configuration names.
    ///
    /// # Errors
    /// If the variable has an unknown value, or the configuration lacks a setting of the kind.
    pub(crate) fn find(argument: Option<Self>, config: &Config) -> Result<Self> {
        let variable = std::env::var_os(Self::VARIABLE).filter(|word| !word.is_empty());
        let kind = match (argument, variable) {
            (Some(kind), _) => kind,
            (None, Some(word)) => word
                .to_str()
                .and_then(|word| <Self as ValueEnum>::from_str(word, false).ok())
                .ok_or_else(|| Self::unknown_message(&word.display().to_string()))?,
            (None, None) => match config.environment.kind {
                toolc_config::EnvironmentKind::Local => Self::Local,
                toolc_config::EnvironmentKind::Sandbox => Self::Sandbox,
                toolc_config::EnvironmentKind::Docker => Self::Docker,
                toolc_config::EnvironmentKind::Ssh => Self::Ssh,
                toolc_config::EnvironmentKind::Apptainer => Self::Apptainer,
                toolc_config::EnvironmentKind::Daytona => Self::Daytona,
                toolc_config::EnvironmentKind::Modal => Self::Modal,
            },
        };
        let missing = match kind {
            Self::Docker if config.environment.container.is_none() => {
                "the environment `docker` needs an image: set `environment.container.image` in config.toml"
            }
            Self::Ssh if config.environment.ssh.is_none() => {
                "the environment `ssh` needs the name of a machine: set `environment.ssh.host` in config.toml"
            }
            Self::Apptainer if config.environment.apptainer.is_none() => {
                "the environment `apptainer` needs an image: set `environment.apptainer.image` in config.toml"
            }
            _ => return Ok(kind),
        };
        Err(Error::Invalid(missing.to_owned()))
    }

    fn unknown_message(word: &str) -> String {
        let kinds: Vec<String> = Self::value_variants().iter().map(|kind| format!("`{}`", kind.name())).collect();
        format!("the variable `{}` must be {}, not `{word}`", Self::VARIABLE, show::one_of(&kinds))
    }

    /// Returns the name of the kind.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Local => Local::NAME,
            Self::Sandbox => SandboxKind::NAME,
            // The types of these kinds exist only on Unix.
            Self::Docker => "docker",
            Self::Ssh => "ssh",
            Self::Apptainer => "apptainer",
            Self::Daytona => "daytona",
            Self::Modal => "modal",
        }
    }

    /// Returns the directory in which tools start, if this program was started in `current`. Returns `None` if only the environment knows
    /// the directory.
    pub(crate) fn directory(self, current: &Path, config: &Config) -> Option<PathBuf> {
        if !self.is_remote() {
            return Some(current.to_owned());
        }
        self.remote_directory(config).map(PathBuf::from).filter(|path| path.is_absolute())
    }

    /// Describes the directory in which tools start, for the instructions of a model.
    pub(crate) fn place(self, current: &Path, config: &Config) -> String {
        let folder = match self.remote_directory(config) {
            Some(directory) => format!("the folder {directory}"),
            None => "the home folder".to_owned(),
        };
        match (self, &config.environment.ssh) {
            (Self::Ssh, Some(ssh)) => format!("{folder} on the machine {}, which has linux", ssh.host),
            (Self::Daytona | Self::Modal, _) => format!("{folder} of a sandbox on another machine, which has linux"),
            _ => format!("the folder {} on {}", current.display(), std::env::consts::OS),
        }
    }

    /// Returns whether tools act on another machine, without the files of this one.
    fn is_remote(self) -> bool {
        matches!(self, Self::Ssh | Self::Daytona | Self::Modal)
    }

    /// Returns the configured directory on the other machine.
    fn remote_directory(self, config: &Config) -> Option<&str> {
        match self {
            Self::Ssh => config.environment.ssh.as_ref()?.directory.as_deref(),
            Self::Daytona => config.environment.daytona.directory.as_deref(),
            Self::Modal => Some(&config.environment.modal.directory),
            Self::Local | Self::Sandbox | Self::Docker | Self::Apptainer => None,
        }
    }
}

/// Returns the environments of this process. If tools are called, takes a lease in the home of the profile, and removes resources that
/// other processes have left.
pub(crate) fn environments(kind: EnvironmentKind, profile: &Profile, calls: bool) -> Environments {
    let environments = toolc_host::environments(&Workspace::current()).by_default(kind.name());
    let environments = kinds::add(environments, kind, profile);
    if calls { environments.leases(take_lease(profile)) } else { environments }
}

fn take_lease(profile: &Profile) -> Arc<Leases> {
    let (leases, home) = (kinds::leases(profile), &profile.home);
    let (_, problems) = leases.clean_up();
    for problem in problems {
        eprintln!("warning: {problem}");
    }
    // Without a lease, only the guardian ends the processes of a killed host.
    let taken = HostId::of_this_process()
        .map(|host| home.create(&home.leases()).and_then(|()| leases.add(&Resource::Processes(host))));
    if let Some(Err(error)) = taken {
        eprintln!("warning: failed to write to `{}`: {error}", home.leases().display());
    }
    Arc::new(leases)
}

/// Returns the section on environments for the report of `doctor`. Reports a problem if environments of the default kind cannot be made.
pub(crate) fn section(default: EnvironmentKind, profile: &Profile) -> DoctorSection {
    let sandbox = SandboxKind::default().check().map_err(|error| error.to_string());
    let state = match &sandbox {
        Ok(Promises { limited_processes: true, .. }) => "available".to_owned(),
        Ok(_) => "available, but the number of its processes is not limited, because this process may not create control groups"
            .to_owned(),
        Err(error) => format!("not available: {error}"),
    };
    let mut text = format!("environment: {}\n    sandbox: {}", default.name(), state.replace('\n', "\n    "));
    let mut json = json!({
        "default": default.name(),
        "sandbox": {
            "available": sandbox.is_ok(),
            "limited_processes": sandbox.as_ref().is_ok_and(|promises| promises.limited_processes),
            "problem": sandbox.as_ref().err(),
        },
    });
    let mut problems = Vec::new();
    if let (Err(error), EnvironmentKind::Sandbox) = (&sandbox, default) {
        problems.push(format!("the sandbox is not available: {error}"));
    }
    if let Some((description, mut details, result)) = kinds::check(default, profile) {
        let result = result.map_err(|error| error.to_string());
        let state = result.as_ref().map_or_else(|error| format!("not available: {error}"), |()| "available".to_owned());
        text += &format!("\n    {description}: {}", state.replace('\n', "\n    "));
        details["available"] = result.is_ok().into();
        details["problem"] = result.as_ref().err().cloned().into();
        json[default.name()] = details;
        problems.extend(result.err().map(|error| format!("{} is not available: {error}", default.name())));
    }
    DoctorSection { key: "environment".to_owned(), json, text, problems }
}
