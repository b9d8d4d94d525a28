//! Where the tools of this program act: the kind of environment, the lease of this process, and what `doctor` reports about them.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::ValueEnum;
use serde_json::json;
use toolc_cli::DoctorSection;
use toolc_config::{Apptainer, Config, Container, Home, Ssh, expanded};
use toolc_environment::{
    ApptainerKind, ContainerKind, HostId, HostKeys, Leases, LocalKind, Promises, Resource, SandboxKind, SshKind,
};
use toolc_workspace::{Environments, Workspace};

use crate::profile::Profile;

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
}

impl EnvironmentKind {
    /// The environment variable that names the kind.
    const VARIABLE: &str = "TOOLC_ENVIRONMENT";

    /// Returns the kind that the command line, the variable or the configuration names.
    ///
    /// # Errors
    /// If the variable names no kind, or the configuration lacks what the kind needs.
    pub(crate) fn find(argument: Option<Self>, config: &Config) -> Result<Self, String> {
        let variable = std::env::var_os(Self::VARIABLE).filter(|word| !word.is_empty());
        let kind = match (argument, variable) {
            (Some(kind), _) => kind,
            (None, Some(word)) => word
                .to_str()
                .and_then(|word| <Self as ValueEnum>::from_str(word, false).ok())
                .ok_or_else(|| Self::unknown(&word.display().to_string()))?,
            (None, None) => match config.environment.kind {
                toolc_config::EnvironmentKind::Local => Self::Local,
                toolc_config::EnvironmentKind::Sandbox => Self::Sandbox,
                toolc_config::EnvironmentKind::Docker => Self::Docker,
                toolc_config::EnvironmentKind::Ssh => Self::Ssh,
                toolc_config::EnvironmentKind::Apptainer => Self::Apptainer,
            },
        };
        let missing = match kind {
            Self::Docker if config.environment.container.is_none() => {
                "tools cannot act in a container without an image: set `environment.container.image` in config.toml"
            }
            Self::Ssh if config.environment.ssh.is_none() => {
                "tools cannot act on another machine without its name: set `environment.ssh.host` in config.toml"
            }
            Self::Apptainer if config.environment.apptainer.is_none() => {
                "tools cannot act in a container without an image: set `environment.apptainer.image` in config.toml"
            }
            _ => return Ok(kind),
        };
        Err(missing.to_owned())
    }

    fn unknown(word: &str) -> String {
        let kinds: Vec<String> = Self::value_variants().iter().map(|kind| format!("`{}`", kind.name())).collect();
        let (last, others) = kinds.split_last().unwrap_or_else(|| unreachable!("there are kinds"));
        format!("the variable `{}` must be {} or {last}, not `{word}`", Self::VARIABLE, others.join(", "))
    }

    /// Returns the name of the kind.
    pub(crate) fn name(self) -> &'static str {
        use toolc_environment::Kind as _;
        match self {
            Self::Local => LocalKind.name(),
            Self::Sandbox => SandboxKind::NAME,
            Self::Docker => ContainerKind::NAME,
            Self::Ssh => SshKind::NAME,
            Self::Apptainer => ApptainerKind::NAME,
        }
    }

    /// Returns the directory in which tools begin, if the one in which this program was started is `own`. `None` if only the environment
    /// knows it.
    pub(crate) fn directory(self, own: &Path, config: &Config) -> Option<PathBuf> {
        match (self, &config.environment.ssh) {
            (Self::Ssh, Some(ssh)) => ssh.directory.as_ref().map(PathBuf::from).filter(|path| path.is_absolute()),
            _ => Some(own.to_owned()),
        }
    }

    /// Returns where tools begin, for the instructions of a model.
    pub(crate) fn place(self, own: &Path, config: &Config) -> String {
        match (self, &config.environment.ssh) {
            (Self::Ssh, Some(Ssh { host, directory: Some(directory), .. })) => {
                format!("the folder {directory} on the machine {host}, which has linux")
            }
            (Self::Ssh, Some(Ssh { host, directory: None, .. })) => {
                format!("the home folder on the machine {host}, which has linux")
            }
            _ => format!("the folder {} on {}", own.display(), std::env::consts::OS),
        }
    }
}

/// Returns the environments of this process. If tools are called, this process takes a lease in the home of the profile, and what other
/// processes have left is removed.
pub(crate) fn environments(kind: EnvironmentKind, profile: &Profile, calls: bool) -> Environments {
    let mut environments = toolc_host::environments(&Workspace::current()).by_default(kind.name());
    if let Some(container) = &profile.config().environment.container {
        environments = environments.with_kind(container_kind(container));
    }
    if let Some(ssh) = &profile.config().environment.ssh {
        environments = environments.with_kind(ssh_kind(ssh, &profile.home));
    }
    if let Some(apptainer) = &profile.config().environment.apptainer {
        environments = environments.with_kind(apptainer_kind(apptainer));
    }
    if calls { environments.leases(leases(&profile.home)) } else { environments }
}

/// Returns the containers of the configuration.
fn container_kind(container: &Container) -> ContainerKind {
    let kind = ContainerKind::new(&*container.image)
        .network(container.network)
        .read_only(container.read_only)
        .max_processes(container.max_processes)
        .max_memory(u64::from(container.max_memory_mib) << 20);
    match container.max_processors {
        Some(number) => kind.max_processors(number),
        None => kind,
    }
}

/// Returns the containers of Apptainer of the configuration.
fn apptainer_kind(apptainer: &Apptainer) -> ApptainerKind {
    let kind = ApptainerKind::new(expanded(&apptainer.image)).network(apptainer.network);
    let kind = apptainer.binds.iter().fold(kind, ApptainerKind::bind);
    match &apptainer.program {
        Some(program) => kind.program(expanded(program)),
        None => kind,
    }
}

/// Returns the other machine of the configuration.
fn ssh_kind(ssh: &Ssh, home: &Home) -> SshKind {
    let known_hosts = ssh.known_hosts.as_deref().map_or_else(|| home.known_hosts(), expanded);
    let mut kind = SshKind::new(&*ssh.host, known_hosts).host_keys(match ssh.host_keys {
        toolc_config::HostKeys::Strict => HostKeys::Strict,
        toolc_config::HostKeys::AcceptNew => HostKeys::AcceptNew,
    });
    if let Some(user) = &ssh.user {
        kind = kind.user(user);
    }
    if let Some(port) = ssh.port {
        kind = kind.port(port);
    }
    if let Some(key) = &ssh.key {
        kind = kind.key(expanded(key));
    }
    if let Some(directory) = &ssh.directory {
        kind = kind.directory(directory);
    }
    match &ssh.config_file {
        Some(path) => kind.config_file(expanded(path)),
        None => kind,
    }
}

fn leases(home: &Home) -> Arc<Leases> {
    let leases = Leases::new(home.leases());
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

/// Returns the section on environments for the report of `doctor`. The default kind is a problem if its environments cannot be made.
pub(crate) fn section(default: EnvironmentKind, profile: &Profile) -> DoctorSection {
    let config = &profile.config().environment;
    let sandbox = SandboxKind::default().check().map_err(|error| error.to_string());
    let state = match &sandbox {
        Ok(Promises { limited_processes: true, .. }) => "available".to_owned(),
        Ok(_) => "available, but the number of its processes is not limited: this process may not make control groups"
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
    // What is checked, what it is called, and a setting that names it.
    let (checked, shown, setting) = match (default, &config.container, &config.ssh, &config.apptainer) {
        (EnvironmentKind::Docker, Some(container), ..) => {
            let shown = format!("docker with the image {}", container.image);
            (container_kind(container).check(), shown, json!({ "image": container.image }))
        }
        (EnvironmentKind::Ssh, _, Some(ssh), _) => {
            let shown = format!("ssh to {}", ssh.host);
            (ssh_kind(ssh, &profile.home).check(), shown, json!({ "host": ssh.host }))
        }
        (EnvironmentKind::Apptainer, .., Some(apptainer)) => {
            let shown = format!("apptainer with the image {}", apptainer.image);
            (apptainer_kind(apptainer).check(), shown, json!({ "image": apptainer.image }))
        }
        _ => return DoctorSection { key: "environment".to_owned(), json, text, problems },
    };
    let problem = checked.err().map(|error| error.to_string());
    let state = problem.as_ref().map_or_else(|| "available".to_owned(), |error| format!("not available: {error}"));
    text += &format!("\n    {shown}: {}", state.replace('\n', "\n    "));
    json[default.name()] = setting;
    json[default.name()]["available"] = problem.is_none().into();
    json[default.name()]["problem"] = problem.clone().into();
    problems.extend(problem.map(|error| format!("{} is not available: {error}", default.name())));
    DoctorSection { key: "environment".to_owned(), json, text, problems }
}
