//! The environment in which tools act: its kind, the lease of this process, and the section of `doctor`.

mod protected;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::json;
use toolc_cli::DoctorSection;
use toolc_config::{Config, expanded, usable_directory};
use toolc_environment::{
    Context, EnvironmentKind, HiddenFolder, HostId, Kind as _, Leases, Promises, Resource, SandboxKind,
};
use toolc_workspace::{Environments, Workspace};

use crate::ground::error::{Error, Result};
use crate::ground::show;
use crate::ground::tell::tell;
use crate::profile::Profile;
use protected::Place;

/// Returns the kind that the command line, a variable or the configuration names.
///
/// # Errors
/// If the configuration lacks a setting of the kind.
pub(crate) fn chosen(argument: Option<EnvironmentKind>, config: &Config) -> Result<EnvironmentKind> {
    let kind = argument.unwrap_or(config.environment.kind.value);
    match config.environment.missing(kind) {
        Some(problem) => Err(problem.into()),
        None => Ok(kind),
    }
}

/// The directory of this machine in which tools begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Start {
    /// That of the configuration, if it names one for the kind `local`, or the current one.
    #[default]
    Configured,
    /// The current one, which the command has entered for its task.
    Current,
}

/// Returns the directory of this machine in which tools begin.
///
/// # Errors
/// If the directory does not exist, or is not a directory.
pub(crate) fn on_this_machine(start: Start, kind: EnvironmentKind, config: &Config) -> Result<PathBuf> {
    let current = || std::env::current_dir().map_err(|error| Error::failed("find the current directory", error));
    if start == Start::Current {
        return current();
    }
    let named = config.environment.settings(kind).directory().filter(|_| kind == EnvironmentKind::Local);
    let Some(directory) = named.map(expanded) else { return current() };
    let problem = match usable_directory(&directory) {
        Ok(found) => return Ok(found),
        Err(problem) => problem,
    };
    let shown = show::one_line(&directory.display().to_string());
    Err(Error::Invalid(format!(
        "{shown}, which `environment.local.directory` names, cannot be the working directory of tools: {problem}. Name a directory \
         that exists and that you may enter"
    )))
}

/// Returns the directory in which tools start, if this program was started in `current`. Returns `None` if only the environment knows
/// the directory.
pub(crate) fn directory(kind: EnvironmentKind, current: &Path, config: &Config) -> Option<PathBuf> {
    if !kind.is_remote() {
        return Some(current.to_owned());
    }
    let there = config.environment.settings(kind).directory();
    there.map(PathBuf::from).filter(|path| path.is_absolute())
}

/// Describes the directory in which tools start, for the instructions of a model.
pub(crate) fn place(kind: EnvironmentKind, current: &Path, config: &Config) -> String {
    let settings = config.environment.settings(kind);
    let folder = settings.directory().map_or_else(|| "the home folder".to_owned(), |path| format!("the folder {path}"));
    match settings.place() {
        Some(place) => format!("{folder} {place}, which has linux"),
        None => format!("the folder {} on {}", current.display(), std::env::consts::OS),
    }
}

/// Returns the environments of this process, for tasks in a workspace. If tools are called, takes a lease in the home of the profile, and removes resources that
/// other processes have left.
pub(crate) fn environments(
    chosen: EnvironmentKind,
    profile: &Profile,
    workspace: &Workspace,
    calls: bool,
) -> Environments {
    let mut environments = toolc_host::environments(workspace).by_default(chosen.name());
    let table = &profile.config().environment;
    for kind in EnvironmentKind::ALL {
        // Services cost money, so they are offered only if the user has chosen them.
        let is_offered = table.settings(*kind).is_configured() || *kind == chosen;
        // A task that chooses a kind which this build lacks is refused.
        if let Some(kind) =
            is_offered.then(|| with_context(profile, |context| table.kind(*kind, context)).ok()).flatten()
        {
            environments = environments.with_kind(kind);
        }
    }
    if calls { environments.leases(take_lease(profile)) } else { environments }
}

/// Calls a function with what the kinds need to know of this host.
fn with_context<T>(profile: &Profile, call: impl FnOnce(&Context<'_>) -> T) -> T {
    let workspace = Workspace::current();
    call(&Context {
        known_hosts: &profile.home.known_hosts(),
        hidden: &hidden(profile),
        directory: workspace.dir(),
        variable: &|name| profile.variable(name),
        expand_home: expanded,
        notice: |text| tell!("note: {}", show::one_line(text)),
        table: &profile.config().environment,
    })
}

/// Returns what is hidden from programs: the home folder of all profiles, except the skills and the long results of this profile, and the
/// places that the user protects.
pub(crate) fn hidden(profile: &Profile) -> HiddenFolder {
    let home = &profile.home;
    let hidden = HiddenFolder::new(home.all_profiles()).except(home.skills()).except(home.results());
    protected::paths(profile).fold(hidden, HiddenFolder::and)
}

/// Returns the leases in the home of the profile. They can remove the resources of all kinds of environments.
pub(crate) fn own_leases(profile: &Profile) -> Leases {
    with_context(profile, |context| context.table.leases(profile.home.leases(), context))
}

fn take_lease(profile: &Profile) -> Arc<Leases> {
    let (leases, home) = (own_leases(profile), &profile.home);
    let (_, problems) = leases.clean_up();
    for problem in problems {
        tell!("warning: {problem}");
    }
    // Without a lease, only the guardian ends the processes of a killed host.
    let taken = HostId::of_this_process()
        .map(|host| home.create(&home.leases()).and_then(|()| leases.add(&Resource::Processes(host))));
    if let Some(Err(error)) = taken {
        tell!("warning: failed to write to `{}`: {error}", home.leases().display());
    }
    Arc::new(leases)
}

/// Returns why commands on this machine can see the home folder of toolc, if tasks begin in `directory`: a sentence without a full stop.
pub(crate) fn why_home_is_visible(profile: &Profile, directory: &Path) -> Option<String> {
    let local = &profile.config().environment.local;
    if !local.hide_home.value {
        return Some("`environment.local.hide_home` is false in config.toml".to_owned());
    }
    with_context(profile, |context| local.local_kind(context)).why_not_hidden(directory)
}

/// Returns what is hidden from programs on this machine, if tasks begin in `directory`. Whether the system can hide it is
/// found out when the first program starts.
pub(crate) fn hidden_from(profile: &Profile, directory: &Path) -> Option<HiddenFolder> {
    let hidden = hidden(profile);
    let is_hidden = profile.config().environment.local.hide_home.value && !hidden.contains(directory);
    let hidden = if is_hidden { Some(hidden) } else { hidden.only_places() };
    hidden.map(|hidden| hidden.outside_of(directory)).filter(|hidden| !hidden.is_empty())
}

/// Returns the protected places that commands can see, and why, if tasks begin in `directory`: a sentence without a full stop.
pub(crate) fn why_protected_are_visible(profile: &Profile, directory: &Path) -> Option<String> {
    let places = protected::places(profile, directory);
    let visible: Vec<(&str, &str)> = places.iter().filter_map(Place::why_visible).collect();
    let names: Vec<&str> = visible.iter().map(|(place, _)| *place).collect();
    visible.first().map(|(_, why)| format!("{}: {why}", names.join(", ")))
}

/// Returns the section on environments for the report of `doctor`. Reports a problem if environments of the default kind cannot be made.
/// Tools begin in `directory`; `directory_problem` is the reason why they cannot use the configured one.
pub(crate) fn section(
    default: EnvironmentKind,
    profile: &Profile,
    directory: &Path,
    directory_problem: Option<&str>,
) -> DoctorSection {
    let sandbox = SandboxKind::default().check().map_err(|error| error.to_string());
    let visible = why_home_is_visible(profile, directory);
    let states = [sandbox_state(&sandbox), home_state(visible.as_deref())];
    let [state, home] = states.map(|text| text.replace('\n', "\n    "));
    let mut text = format!("environment: {}\n    sandbox: {state}\n    home folder: {home}", default.name());
    let places = protected::places(profile, directory);
    for place in &places {
        text += &format!("\n    {}", place.text());
    }
    let mut json = json!({
        "default": default.name(),
        "sandbox": {
            "available": sandbox.is_ok(),
            "limited_processes": sandbox.as_ref().is_ok_and(|promises| promises.limited_processes),
            "problem": sandbox.as_ref().err(),
        },
        "local": {
            "home_hidden": visible.is_none(),
            "problem": visible,
            "protected": places.iter().map(Place::json).collect::<Vec<_>>(),
        },
    });
    let mut problems: Vec<String> = directory_problem.map(ToOwned::to_owned).into_iter().collect();
    if let Some(problem) = directory_problem {
        text += &format!("\n    problem: {problem}");
        json["problem"] = problem.into();
    }
    if let (Err(error), EnvironmentKind::Sandbox) = (&sandbox, default) {
        problems.push(format!("the sandbox is not available: {error}"));
    }
    if !matches!(default, EnvironmentKind::Local | EnvironmentKind::Sandbox) {
        let table = &profile.config().environment;
        let shown = table.settings(default).doctor_settings();
        let checked = with_context(profile, |context| table.kind(default, context)).and_then(|kind| kind.check());
        let problem = checked.err().map(|error| error.to_string());
        let state = problem.as_ref().map_or("available".to_owned(), |error| format!("not available: {error}"));
        let settings: Vec<String> = shown.iter().map(|(key, value)| format!("{key} {value}")).collect();
        let settings = if settings.is_empty() { String::new() } else { format!(" ({})", settings.join(", ")) };
        text += &format!("\n    {}{settings}: {}", default.name(), state.replace('\n', "\n    "));
        let mut details: serde_json::Map<_, _> =
            shown.into_iter().map(|(key, value)| (key.to_owned(), value.into())).collect();
        details.insert("available".to_owned(), problem.is_none().into());
        details.insert("problem".to_owned(), problem.clone().into());
        json[default.name()] = details.into();
        problems.extend(problem.map(|error| format!("{} is not available: {error}", default.name())));
    }
    DoctorSection { key: "environment".to_owned(), json, text, problems }
}

/// Returns whether the sandbox can be used, in words.
fn sandbox_state(sandbox: &Result<Promises, String>) -> String {
    match sandbox {
        Ok(Promises { limited_processes: true, .. }) => "available".to_owned(),
        Ok(_) => "available, but the number of its processes is not limited, because this process may not create control groups"
            .to_owned(),
        Err(error) => format!("not available: {error}"),
    }
}

/// Returns whether commands see the home folder, in words. `visible` says why they do.
fn home_state(visible: Option<&str>) -> String {
    match (visible, HiddenFolder::caveat()) {
        (Some(why), _) => format!("visible to commands: {why}"),
        (None, Some(caveat)) => format!("hidden from commands, but {caveat}"),
        (None, None) => "hidden from commands".to_owned(),
    }
}
