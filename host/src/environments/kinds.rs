//! The kinds of environments that have settings in the configuration.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use serde_json::{Value, json};
use toolc_config::{Apptainer, Container, Home, Modal, Ssh, expanded};
use toolc_environment::copy::Copies;
use toolc_environment::{ApptainerKind, ContainerKind, DaytonaKind, HostKeys, Leases, ModalKind, SshKind};
use toolc_workspace::{Environments, Workspace};

use super::EnvironmentKind;
use crate::ground::show;
use crate::profile::{DAYTONA_KEY, MODAL_TOKEN, Profile};

/// Adds the configured kinds.
pub(super) fn add(mut environments: Environments, chosen: EnvironmentKind, profile: &Profile) -> Environments {
    let config = &profile.config().environment;
    if let Some(container) = &config.container {
        environments = environments.with_kind(container_kind(container));
    }
    if let Some(ssh) = &config.ssh {
        environments = environments.with_kind(ssh_kind(ssh, &profile.home));
    }
    if let Some(apptainer) = &config.apptainer {
        environments = environments.with_kind(apptainer_kind(apptainer));
    }
    // These services cost money, so they are offered only if the user has chosen them.
    match chosen {
        EnvironmentKind::Daytona => environments.with_kind(daytona_kind(profile)),
        EnvironmentKind::Modal => environments.with_kind(modal_kind(profile)),
        _ => environments,
    }
}

/// Returns the leases in the home of the profile. They can remove the resources of all kinds of environments.
pub(crate) fn leases(profile: &Profile) -> Leases {
    Leases::new(profile.home.leases()).modal(modal_kind(profile))
}

/// Checks whether environments of a kind that has settings can be made. Returns a description, the settings and the result.
pub(super) fn check(kind: EnvironmentKind, profile: &Profile) -> Option<(String, Value, io::Result<()>)> {
    let config = &profile.config().environment;
    match kind {
        EnvironmentKind::Local | EnvironmentKind::Sandbox => None,
        EnvironmentKind::Docker => {
            let container = config.container.as_ref()?;
            let description = format!("docker with the image {}", container.image);
            Some((description, json!({ "image": container.image }), container_kind(container).check()))
        }
        EnvironmentKind::Ssh => {
            let ssh = config.ssh.as_ref()?;
            let checked = ssh_kind(ssh, &profile.home).check();
            Some((format!("ssh to {}", ssh.host), json!({ "host": ssh.host }), checked))
        }
        EnvironmentKind::Apptainer => {
            let apptainer = config.apptainer.as_ref()?;
            let description = format!("apptainer with the image {}", apptainer.image);
            Some((description, json!({ "image": apptainer.image }), apptainer_kind(apptainer).check()))
        }
        EnvironmentKind::Daytona => Some(("daytona".to_owned(), json!({}), daytona_kind(profile).check())),
        EnvironmentKind::Modal => {
            let Modal { python, app, .. } = &config.modal;
            let description = format!("modal with {python}");
            Some((description, json!({ "python": python, "app": app }), modal_kind(profile).check()))
        }
    }
}

/// Returns the kind of containers that the configuration describes.
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

/// Returns the kind for the remote machine that the configuration names.
fn ssh_kind(ssh: &Ssh, home: &Home) -> SshKind {
    let known_hosts = ssh.known_hosts.as_deref().map_or_else(|| home.known_hosts(), expanded);
    let mut kind = SshKind::new(&*ssh.host, known_hosts).host_keys(host_keys(ssh.host_keys));
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

/// Returns the kind of Apptainer containers that the configuration describes.
fn apptainer_kind(apptainer: &Apptainer) -> ApptainerKind {
    let kind = ApptainerKind::new(expanded(&apptainer.image)).network(apptainer.network);
    let kind = apptainer.binds.iter().fold(kind, ApptainerKind::bind);
    match &apptainer.program {
        Some(program) => kind.program(expanded(program)),
        None => kind,
    }
}

/// Returns the files that are copied into sandboxes of services, and out of them.
fn copies(profile: &Profile) -> Copies {
    let environment = &profile.config().environment;
    // Files are copied from the directory of this process: the directory of a task is in the sandbox.
    let workspace = Workspace::current();
    let paths = |paths: &[String]| paths.iter().map(PathBuf::from).collect();
    let notice = |text: &str| eprintln!("note: {}", show::one_line(text));
    Copies::new(workspace.dir(), paths(&environment.put), paths(&environment.get), notice)
}

/// Returns the kind of Daytona sandboxes that the configuration describes.
fn daytona_kind(profile: &Profile) -> DaytonaKind {
    let daytona = &profile.config().environment.daytona;
    let known_hosts = daytona.known_hosts.as_deref().map_or_else(|| profile.home.known_hosts(), expanded);
    let key = profile.variable(DAYTONA_KEY).unwrap_or_default();
    let mut kind = DaytonaKind::new(key, known_hosts)
        .host_keys(host_keys(daytona.host_keys))
        .network(daytona.network)
        .lifetime(Duration::from_secs(u64::from(daytona.max_minutes) * 60))
        .max_sandboxes(daytona.max_sandboxes as usize)
        .copies(copies(profile));
    if let Some(snapshot) = &daytona.snapshot {
        kind = kind.snapshot(snapshot);
    }
    if let Some(directory) = &daytona.directory {
        kind = kind.directory(directory);
    }
    if let Some(target) = &daytona.target {
        kind = kind.target(target);
    }
    if let Some(id) = &daytona.organization {
        kind = kind.organization(id);
    }
    match &daytona.url {
        Some(url) => kind.url(url),
        None => kind,
    }
}

/// Returns the kind of Modal sandboxes that the configuration describes.
fn modal_kind(profile: &Profile) -> ModalKind {
    let modal = &profile.config().environment.modal;
    let mut kind = ModalKind::default()
        .python(expanded(&modal.python))
        .app(&*modal.app)
        .directory(&modal.directory)
        .network(modal.network)
        .lifetime(Duration::from_secs(u64::from(modal.max_minutes) * 60))
        .max_memory(u64::from(modal.max_memory_mib) << 20)
        .max_processors(f64::from(modal.max_processors))
        .max_sandboxes(modal.max_sandboxes)
        .copies(copies(profile));
    if let Some(image) = &modal.image {
        kind = kind.image(image);
    }
    if let Some(url) = &modal.url {
        kind = kind.url(url);
    }
    let token = MODAL_TOKEN.iter().filter_map(|name| Some((*name, profile.variable(name)?)));
    token.fold(kind, |kind, (name, value)| kind.variable(name, value))
}

fn host_keys(keys: toolc_config::HostKeys) -> HostKeys {
    match keys {
        toolc_config::HostKeys::Strict => HostKeys::Strict,
        toolc_config::HostKeys::AcceptNew => HostKeys::AcceptNew,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_have_the_same_name_on_all_systems() {
        for (kind, name) in [
            (EnvironmentKind::Docker, ContainerKind::NAME),
            (EnvironmentKind::Ssh, SshKind::NAME),
            (EnvironmentKind::Apptainer, ApptainerKind::NAME),
            (EnvironmentKind::Daytona, DaytonaKind::NAME),
            (EnvironmentKind::Modal, ModalKind::NAME),
        ] {
            assert_eq!(kind.name(), name);
        }
    }
}
