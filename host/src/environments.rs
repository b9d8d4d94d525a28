//! Where the tools of this program act: the kind of environment, the lease of this process, and what `doctor` reports about them.

use std::sync::Arc;

use clap::ValueEnum;
use serde_json::json;
use toolc_cli::DoctorSection;
use toolc_config::{Config, Container, Home, Modal};
use toolc_environment::{ContainerKind, HostId, Leases, LocalKind, ModalKind, Promises, Resource, SandboxKind};
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
    /// A sandbox of the service Modal, which sees nothing of this machine.
    Modal,
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
                toolc_config::EnvironmentKind::Modal => Self::Modal,
            },
        };
        if kind == Self::Docker && config.environment.container.is_none() {
            return Err(
                "tools cannot act in a container without an image: set `environment.container.image` in config.toml"
                    .to_owned(),
            );
        }
        Ok(kind)
    }

    fn unknown(word: &str) -> String {
        let kinds: Vec<String> = Self::value_variants().iter().map(|kind| format!("`{}`", kind.name())).collect();
        let (last, others) = kinds.split_last().unwrap_or_else(|| unreachable!("there are kinds"));
        format!("the variable `{}` must be {} or {last}, not `{word}`", Self::VARIABLE, others.join(", "))
    }

    /// Returns whether the directory of this process is there, too.
    pub(crate) fn sees_directory(self) -> bool {
        self != Self::Modal
    }

    /// Returns the name of the kind.
    pub(crate) fn name(self) -> &'static str {
        use toolc_environment::Kind as _;
        match self {
            Self::Local => LocalKind.name(),
            Self::Sandbox => SandboxKind::NAME,
            Self::Docker => ContainerKind::NAME,
            Self::Modal => ModalKind::NAME,
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
    let modal = modal_kind(&profile.config().environment.modal);
    if kind == EnvironmentKind::Modal {
        // Only if it was chosen: for code, a task of another kind may use any kind that isolates.
        environments = environments.with_kind(modal.clone());
    }
    if calls { environments.leases(leases(&profile.home, modal)) } else { environments }
}

/// Returns the sandboxes of Modal of the configuration.
fn modal_kind(modal: &Modal) -> ModalKind {
    let kind = ModalKind::default()
        .python(&modal.python)
        .app(&*modal.app)
        .directory(&modal.directory)
        .timeout(modal.timeout)
        .network(modal.network)
        .max_memory(u64::from(modal.max_memory_mib) << 20)
        .max_processors(f64::from(modal.max_processors))
        .max_sandboxes(modal.max_sandboxes);
    match &modal.image {
        Some(image) => kind.image(image),
        None => kind,
    }
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

fn leases(home: &Home, modal: ModalKind) -> Arc<Leases> {
    let leases = Leases::new(home.leases()).modal(modal);
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
pub(crate) fn section(default: EnvironmentKind, config: &Config) -> DoctorSection {
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
    if let (EnvironmentKind::Docker, Some(container)) = (default, &config.environment.container) {
        let checked = container_kind(container).check().map_err(|error| error.to_string());
        let state =
            checked.as_ref().map_or_else(|error| format!("not available: {error}"), |()| "available".to_owned());
        text += &format!("\n    docker with the image {}: {}", container.image, state.replace('\n', "\n    "));
        json[ContainerKind::NAME] = json!({
            "image": container.image,
            "available": checked.is_ok(),
            "problem": checked.as_ref().err(),
        });
        problems.extend(checked.err().map(|error| format!("docker is not available: {error}")));
    }
    if default == EnvironmentKind::Modal {
        let modal = &config.environment.modal;
        let checked = modal_kind(modal).check().map_err(|error| error.to_string());
        let state =
            checked.as_ref().map_or_else(|error| format!("not available: {error}"), |()| "available".to_owned());
        text += &format!("\n    modal with {}: {}", modal.python, state.replace('\n', "\n    "));
        json[ModalKind::NAME] = json!({
            "python": modal.python,
            "available": checked.is_ok(),
            "problem": checked.as_ref().err(),
        });
        problems.extend(checked.err().map(|error| format!("Modal is not available: {error}")));
    }
    DoctorSection { key: "environment".to_owned(), json, text, problems }
}
