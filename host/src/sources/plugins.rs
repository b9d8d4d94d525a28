//! Loads the plugins in the folders that the command line names, or in the folders of the profile, of packages and of the project.
//!
//! Plugins of packages and of the current project are loaded only after `toolc trust`: a user who installs a package or opens a cloned
//! repository has not agreed to run its programs with every call.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::env;
use std::io::{self, IsTerminal as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use toolc::{Env, Registry, SessionBuilder, ToolError};
use toolc_agent::memory::Change;
use toolc_agent::{MemoryStore, MemoryTarget};
use toolc_cli::DoctorSection;
use toolc_config::{Home, PROJECT_FOLDER, ProjectFiles, Trust};
use toolc_environment::HiddenFolder;
use toolc_plugins::{PluginMemory, PluginReport, Plugins};

use crate::ground::error::{Error, Result};
use crate::ground::folders;
use crate::ground::tell::tell;
use crate::profile::Profile;
use crate::sources::packages::{self, PackagedPlugin};
use crate::sources::project;

/// The plugins that the program has loaded.
pub(crate) struct LoadedPlugins {
    plugins: Arc<Plugins>,
    /// The report of each plugin.
    reports: Vec<PluginReport>,
    /// The toolsets that the plugins have added to the registry.
    toolsets: Vec<String>,
    /// Messages about folders that earlier versions have used.
    obsolete: Vec<String>,
    /// Why the plugins of the project are not loaded, if the user has not trusted them.
    untrusted: Option<String>,
    /// The plugins of packages that the user has not trusted.
    packages: Vec<PackagedPlugin>,
}

/// Loads the plugins in `folders`. If `folders` is empty, loads the plugins of the profile, of packages and of the project. Their programs
/// do not see the folder `hidden`.
pub(crate) fn load(
    folders: &[PathBuf],
    home: &Home,
    config: &toolc_config::Plugins,
    hidden: Option<HiddenFolder>,
    registry: &Registry,
) -> Result<LoadedPlugins> {
    if let Some(missing) = folders.iter().find(|folder| !folder.is_dir()) {
        return Err(Error::Invalid(format!("the plugin folder does not exist: {}", missing.display())));
    }
    let (mut folders, is_default) = (folders.to_vec(), folders.is_empty());
    let (mut untrusted, mut packages) = (None, Vec::new());
    if is_default {
        // The folders of the user come first, so that their plugins take precedence.
        folders = profile_folders(home, config);
        match find_project_plugins(home, config) {
            ProjectPlugins::None => {}
            ProjectPlugins::Untrusted(message) => untrusted = Some(message),
            ProjectPlugins::Trusted(folder) => folders.push(folder),
        }
        if config.from_packages {
            let found = packages::find().into_iter().filter(|plugin| !config.disable.contains(&plugin.name));
            for plugin in found {
                match plugin.trusted_copy(home) {
                    Ok(folder) => folders.push(folder),
                    Err(why) => packages.push(PackagedPlugin { why: why.to_string(), ..plugin }),
                }
            }
        }
    }
    let plugins = folders.into_iter().fold(Plugins::new(), Plugins::folder).except(config.disable.clone());
    let plugins = Arc::new(hidden.into_iter().fold(plugins, Plugins::hiding));
    let shipped = registry.toolsets();
    let reports = plugins.load(registry);
    let toolsets = toolsets(&reports, registry).filter(|name| !shipped.contains(name)).map(Cow::into_owned).collect();
    if let Some(message) = untrusted.as_deref().filter(|_| io::stderr().is_terminal()) {
        tell!("note: {message}");
    }
    Ok(LoadedPlugins { plugins, reports, toolsets, obsolete: obsolete_folders(home), untrusted, packages })
}

/// Returns the home toolsets of the tools of plugins, each once.
fn toolsets(reports: &[PluginReport], registry: &Registry) -> impl Iterator<Item = Cow<'static, str>> {
    let tools = reports.iter().flat_map(|report| &report.tools);
    tools.filter_map(|tool| registry.tool(tool)).map(|tool| tool.toolset).collect::<BTreeSet<_>>().into_iter()
}

impl LoadedPlugins {
    /// Returns the home toolsets of the plugins' tools, without the shipped ones: a tool that joins a shipped toolset is on with it.
    pub(crate) fn toolsets(&self) -> &[String] {
        &self.toolsets
    }

    /// Returns why the plugins of the project are not loaded, if the user has not trusted them.
    pub(crate) fn untrusted(&self) -> Option<&str> {
        self.untrusted.as_deref()
    }

    /// Returns messages about plugins that cannot be used, and about plugin folders that are no longer read.
    pub(crate) fn problems(&self) -> impl Iterator<Item = String> {
        let is_problem = |report: &&PluginReport| report.is_broken() || !report.ignored_aliases.is_empty();
        let broken = self.reports.iter().filter(is_problem).map(PluginReport::to_string);
        broken.chain(self.obsolete.iter().cloned())
    }

    /// Returns the section on the plugins for the report of `doctor`.
    pub(crate) fn section(&self) -> DoctorSection {
        let packages = self.packages.iter().map(PackagedPlugin::to_string);
        let reports = self.reports.iter().map(PluginReport::to_string);
        let reports: Vec<String> = reports.chain(self.untrusted.clone()).chain(packages).collect();
        let untrusted = self.packages.iter().map(PackagedPlugin::json);
        let json = self.reports.iter().map(|report| json!(report)).chain(untrusted).collect();
        DoctorSection {
            key: "plugins".to_owned(),
            json,
            text: reports.join("\n\n"),
            problems: self.problems().collect(),
        }
    }

    /// Returns the hooks of the plugins for sessions of this registry.
    pub(crate) fn hooks(&self, registry: &Registry, env: Env, home: &Home) -> Hooks {
        let (plugins, registry, home) = (Arc::clone(&self.plugins), registry.clone(), home.path().to_owned());
        Hooks { plugins, registry, env, home }
    }

    /// Returns the store of notes of a plugin, if the configuration names a plugin for notes.
    ///
    /// # Errors
    /// Returns an error if the plugin is not loaded, or does not store notes.
    pub(crate) fn memory(&self, profile: &Profile) -> Result<Option<Arc<dyn MemoryStore>>> {
        let Some(name) = &profile.config().memory.plugin else { return Ok(None) };
        let memory = self.plugins.memory(name, profile.env(), Some(profile.home.path()));
        let memory = memory.map_err(|problem| {
            format!("{}: `memory.plugin` cannot be used: {problem}", profile.home.config().display())
        })?;
        Ok(Some(Arc::new(PluginNotes(memory))))
    }

    /// Waits until the programs of calls that took too long have ended, so that they do not outlive this process.
    pub(crate) fn settle(&self) {
        /// The time limit. A program that does not end by itself is killed after a second.
        const LIMIT: Duration = Duration::from_secs(5);
        self.plugins.settle(LIMIT);
    }
}

/// The hooks of all plugins.
#[derive(Clone)]
pub(crate) struct Hooks {
    plugins: Arc<Plugins>,
    registry: Registry,
    env: Env,
    home: PathBuf,
}

impl Hooks {
    /// Adds the hooks to a session. `warn` shows their failures to the user.
    pub(crate) fn add_to(
        &self,
        session: SessionBuilder,
        warn: impl Fn(&str) + Send + Sync + 'static,
    ) -> SessionBuilder {
        self.plugins.hooks(&self.registry).env(self.env.clone()).home(&self.home).on_warning(warn).add_to(session)
    }
}

/// A store of notes in a plugin.
struct PluginNotes(PluginMemory);

impl MemoryStore for PluginNotes {
    fn entries(&self, target: MemoryTarget) -> Result<Vec<String>, ToolError> {
        Ok(self.0.read(target.word())?.entries)
    }

    fn change(&self, target: MemoryTarget, change: &mut Change<'_>) -> Result<Vec<String>, ToolError> {
        /// How often a change is tried if another change was made at the same time.
        const TRIES: usize = 5;
        for _ in 0..TRIES {
            let notes = self.0.read(target.word())?;
            let entries = change(notes.entries)?;
            if self.0.write(target.word(), &entries, &notes.revision)? {
                return Ok(entries);
            }
        }
        Err(ToolError::new("other programs keep changing the notes, so nothing was changed: try again later"))
    }
}

/// The plugins of the current project.
enum ProjectPlugins {
    None,
    /// The message says why the plugins are not loaded.
    Untrusted(String),
    /// The trusted copy of the plugin folder.
    Trusted(PathBuf),
}

/// Looks for plugins of the current project. Runs no programs and parses no manifests of a project, unless the user trusts it.
fn find_project_plugins(home: &Home, config: &toolc_config::Plugins) -> ProjectPlugins {
    let current = env::current_dir().ok().filter(|_| config.from_projects);
    let Some(project) = current.and_then(|current| project::find_project(&current, home)) else {
        return ProjectPlugins::None;
    };
    if !project.join(PROJECT_FOLDER).join("plugins").is_dir() {
        return ProjectPlugins::None;
    }
    let not_loaded = |why: &str| {
        ProjectPlugins::Untrusted(format!("the plugins of the project {} are not loaded: {why}", project.display()))
    };
    let files = match ProjectFiles::read(&project) {
        Ok(Some(files)) => files,
        Ok(None) => return ProjectPlugins::None,
        Err(error) => return not_loaded(&error.to_string()),
    };
    match files.trust(home) {
        Ok(Trust::Trusted(copy)) => ProjectPlugins::Trusted(copy.join("plugins")),
        Ok(Trust::Changed) => not_loaded("its files have changed since you trusted them: run `toolc trust`"),
        Ok(Trust::Unknown) => not_loaded("run `toolc trust`, if you trust its files"),
        Err(error) => not_loaded(&error.to_string()),
    }
}

/// Returns the plugin folder of the profile, and the folders that the configuration names.
fn profile_folders(home: &Home, config: &toolc_config::Plugins) -> Vec<PathBuf> {
    let user = env::home_dir();
    let expand = |folder: &String| match (folder.strip_prefix("~/"), &user) {
        (Some(rest), Some(user)) => user.join(rest),
        _ => PathBuf::from(folder),
    };
    let mut folders = vec![home.plugins()];
    folders.extend(config.folders.iter().map(expand));
    folders
}

/// Returns a message for each folder of earlier versions that still has entries.
fn obsolete_folders(home: &Home) -> Vec<String> {
    let has_entries = |folder: &Path| folder.read_dir().is_ok_and(|mut entries| entries.next().is_some());
    let mut messages = Vec::new();
    if let Some(old) =
        folders::config().map(|folder| folder.join("toolc").join("plugins")).filter(|old| has_entries(old))
    {
        let (old, new) = (old.display(), home.plugins());
        messages.push(format!("the plugins in {old} are no longer loaded: move them to {}", new.display()));
    }
    if let Some(old) =
        folders::cache().map(|folder| folder.join("toolc").join("results")).filter(|old| has_entries(old))
    {
        let (old, new) = (old.display(), home.results());
        messages
            .push(format!("long results are now stored in {}: delete {old}, which is no longer used", new.display()));
    }
    messages
}
