//! Loads the plugins of folders, and updates a registry from them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use toolc::catalog::ProviderId;
use toolc::{Env, Registry, Tool};
use toolc_process::HiddenFolder;

use crate::compile::{Compiled, compile};
use crate::fingerprint::{Fingerprint, Fingerprints};
use crate::folders::{Candidate, Candidates, find};
use crate::hook_rules::HookRule;
use crate::hooks::PluginHooks;
use crate::memory::{NoMemory, PluginMemory};
use crate::plugin::Plugin;
use crate::provider::PluginProvider;
use crate::report::{FileProblem, Finding, Level, PluginReport, PluginState};
use toolc_program::parts::Programs;

/// The plugins of some folders, in a registry.
///
/// ```no_run
/// use toolc::Registry;
/// use toolc_plugins::Plugins;
///
/// let registry = Registry::new(); // ... with a host's own tools
/// let plugins = Plugins::new().folder("/home/me/.config/agent/plugins").folder("/usr/share/agent/plugins");
/// for report in plugins.load(&registry) {
///     eprintln!("{report}");
/// }
/// // ... and before a turn, or from time to time:
/// for changed in plugins.reload(&registry) {
///     eprintln!("{changed}");
/// }
/// ```
///
/// If a loaded plugin breaks, all its tools are removed: its program may have changed together with its manifests, so the last valid
/// manifests may be wrong. Existing turns keep their tools.
#[derive(Debug, Default)]
pub struct Plugins {
    folders: Vec<PathBuf>,
    /// The names of plugins that are not loaded.
    except: BTreeSet<String>,
    programs: Programs,
    state: Mutex<LoadState>,
}

#[derive(Debug, Default)]
struct LoadState {
    /// The state of each plugin, by its folder.
    plugins: BTreeMap<PathBuf, KnownPlugin>,
    /// The reports of the last update.
    reports: Vec<PluginReport>,
}

/// Information about a plugin since the last update.
#[derive(Debug)]
struct KnownPlugin {
    files: Fingerprints,
    /// The path and the fingerprint of the program.
    program: Option<(PathBuf, Fingerprint)>,
    /// The plugin, if it has no errors.
    plugin: Option<Arc<Plugin>>,
    description: String,
    findings: Vec<Finding>,
    /// The id of the plugin in the registry, if it is registered.
    id: Option<ProviderId>,
    /// The names of the tools that are registered under this id.
    registered: Vec<String>,
    /// The aliases that are ignored, each with a finding.
    ignored: Vec<IgnoredAlias>,
    /// The reason why the registry refused the plugin.
    refused: Option<Finding>,
    /// Whether this version of the plugin is not registered yet.
    is_due: bool,
}

/// An alias that is ignored because it already stands for a tool of another provider, and the finding about it.
type IgnoredAlias = (String, Finding);

impl KnownPlugin {
    /// Compiles the plugin in `root`. `before` is its previous version.
    fn new(name: &str, root: &Path, before: Option<&Self>) -> Self {
        let id = before.and_then(|before| before.id);
        let registered = before.map(|before| before.registered.clone()).unwrap_or_default();
        // Take the fingerprints before reading, so that the next update notices changes during reading.
        let files = Fingerprints::new(root);
        let Compiled { plugin, description, executable, findings } = compile(name, root);
        let program = executable.map(|path| (path.clone(), Fingerprint::new(&path)));
        let plugin = plugin.map(Arc::new);
        Self {
            files,
            program,
            plugin,
            description,
            findings,
            id,
            registered,
            ignored: Vec::new(),
            refused: None,
            is_due: true,
        }
    }

    /// Returns whether the files of the plugin are unchanged.
    fn is_current(&self, root: &Path) -> bool {
        let program_is_current = || match &self.program {
            Some((path, fingerprint)) => Fingerprint::new(path) == *fingerprint,
            None => true,
        };
        self.files == Fingerprints::new(root) && program_is_current()
    }
}

impl Plugins {
    /// Returns a value without folders.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds the plugins in this folder, each in a subfolder with the name of the plugin. If two folders have a plugin of the same
    /// name, the plugin in the folder added first is used: add the user's folder before the system's. A missing folder has no
    /// plugins.
    ///
    /// A user who can write to the folder can run any program, so a folder that users other than the current one and root can
    /// write to is refused. Never add a folder from foreign files, such as the project that an agent works on, without the
    /// user's consent.
    #[must_use]
    pub fn folder(mut self, folder: impl Into<PathBuf>) -> Self {
        let folder = folder.into();
        // An absolute path stays valid if the program runs in another directory.
        self.folders.push(std::path::absolute(&folder).unwrap_or(folder));
        self
    }

    /// Does not load the plugins with these names.
    #[must_use]
    pub fn except<N: Into<String>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        self.except.extend(names.into_iter().map(Into::into));
        self
    }

    /// Sets the working directory of the programs. Default: the working directory of the host.
    #[must_use]
    pub fn in_dir(mut self, dir: impl Into<PathBuf>) -> Self {
        self.programs.place.dir = Some(dir.into());
        self
    }

    /// Hides a folder from the programs, such as the folder with the user's keys and settings of the host, where the system
    /// [can hide folders](HiddenFolder::check_available). If the folder of a plugin is in it, the program of the plugin sees that folder. It
    /// can change only what is in the folder `data` there.
    #[must_use]
    pub fn hiding(mut self, folder: HiddenFolder) -> Self {
        self.programs.place.hidden = Some(folder);
        self
    }

    /// Updates `registry` from the folders: adds new plugins, replaces changed ones and removes those that are missing or broken.
    /// Returns reports about all of them.
    ///
    /// Use one `Plugins` for one registry only.
    pub fn load(&self, registry: &Registry) -> Vec<PluginReport> {
        let mut state = self.state();
        (state.reports, _) = self.update(&mut state.plugins, registry);
        state.reports.clone()
    }

    /// Does the same as [`load`](Self::load), but returns only reports that have changed since the last update. Compares the metadata of
    /// files, and opens none if nothing has changed.
    pub fn reload(&self, registry: &Registry) -> Vec<PluginReport> {
        let mut state = self.state();
        let (reports, compiled) = self.update(&mut state.plugins, registry);
        let before = std::mem::replace(&mut state.reports, reports);
        let is_gone = |report: &&PluginReport| !state.reports.iter().any(|other| other.folder == report.folder);
        let gone = before.iter().filter(is_gone).map(|report| PluginReport {
            state: PluginState::Gone,
            tools: Vec::new(),
            hooks: Vec::new(),
            ignored_aliases: Vec::new(),
            findings: Vec::new(),
            ..report.clone()
        });
        let is_new = |report: &&PluginReport| compiled.contains(&report.folder) || !before.contains(report);
        state.reports.iter().filter(is_new).cloned().chain(gone).collect()
    }

    /// Returns the hooks of the loaded plugins, for a session. Plugins that are loaded later do not count, and those that change are kept
    /// as they are now.
    ///
    /// They run in the order of the folders, and in each folder in the order of the plugins' names. Each sees what the earlier ones have
    /// changed.
    ///
    /// ```no_run
    /// # use toolc::{Env, Registry, Session, error::SessionError};
    /// # use toolc_plugins::Plugins;
    /// fn session(plugins: &Plugins, registry: &Registry, env: Env) -> Result<Session, SessionError> {
    ///     let hooks = plugins.hooks(registry).env(env.clone()).on_warning(|text| eprintln!("warning: {text}"));
    ///     hooks.add_to(registry.session().env(env)).build()
    /// }
    /// ```
    pub fn hooks(&self, registry: &Registry) -> PluginHooks {
        let state = self.state();
        let has_hooks = |plugin: &&Arc<Plugin>| plugin.hooks.iter().next().is_some();
        // `reports` has the order of loading.
        let loaded = state.reports.iter().filter_map(|report| state.plugins.get(&report.folder));
        let loaded = loaded.filter(|plugin| plugin.id.is_some()).filter_map(|plugin| plugin.plugin.as_ref());
        PluginHooks::new(loaded.filter(has_hooks).cloned().collect(), self.programs.clone(), registry)
    }

    /// Returns the notes that the loaded plugin of this name keeps. `env` is the environment from which its program gets the variables that
    /// it asks for, and `home` the home folder, which requests contain.
    ///
    /// # Errors
    /// Returns an error if no such plugin is loaded, or it keeps no notes.
    pub fn memory(&self, name: &str, env: Env, home: Option<&Path>) -> Result<PluginMemory, NoMemory> {
        let state = self.state();
        let loaded = state.plugins.values().filter(|plugin| plugin.id.is_some());
        let plugin = loaded.filter_map(|plugin| plugin.plugin.as_ref()).find(|plugin| plugin.name == name);
        match plugin {
            Some(plugin) if plugin.memory => {
                Ok(PluginMemory::new(Arc::clone(plugin), self.programs.clone(), env, home))
            }
            Some(_) => Err(NoMemory::NotDeclared { plugin: name.to_owned() }),
            None => Err(NoMemory::NotLoaded { plugin: name.to_owned() }),
        }
    }

    /// Waits until no program runs, but at most for `timeout`. Returns whether no program runs. Ends programs that stay running; the
    /// next call would start them again. The programs of cancelled and timed-out calls need a moment to end. All of them also end
    /// with the host, so only a host that must not exit before them needs to wait.
    pub fn settle(&self, timeout: Duration) -> bool {
        let deadline = Instant::now() + timeout;
        let have_ended = self.programs.calls.settle(timeout);
        self.programs.residents.end(deadline.saturating_duration_since(Instant::now())) && have_ended
    }

    /// Returns reports about all plugins, and the folders that were compiled.
    fn update(
        &self,
        plugins: &mut BTreeMap<PathBuf, KnownPlugin>,
        registry: &Registry,
    ) -> (Vec<PluginReport>, BTreeSet<PathBuf>) {
        let mut compiled = BTreeSet::new();
        let Candidates { accepted, mut rejected } = find(&self.folders, &self.except);
        let existing: BTreeSet<&Path> = accepted.iter().map(|candidate| candidate.root.as_path()).collect();
        plugins.retain(|root, plugin| {
            let exists = existing.contains(root.as_path());
            if !exists {
                if let Some(id) = plugin.id {
                    registry.remove(id);
                }
                self.retire(plugin);
            }
            exists
        });
        for Candidate { name, root } in &accepted {
            let before = plugins.get(root);
            if before.is_some_and(|plugin| plugin.is_current(root)) {
                continue;
            }
            if let Some(before) = before {
                self.retire(before);
            }
            let mut plugin = KnownPlugin::new(name, root, before);
            // Remove a broken plugin before others are registered, so that its names are free.
            if plugin.plugin.is_none()
                && let Some(id) = plugin.id.take()
            {
                registry.remove(id);
            }
            plugins.insert(root.clone(), plugin);
            compiled.insert(root.clone());
        }
        self.register(&accepted, plugins, registry);
        let reports =
            accepted.iter().filter_map(|candidate| Some(report(candidate, plugins.get(&candidate.root)?, registry)));
        let mut reports: Vec<PluginReport> = reports.collect();
        reports.append(&mut rejected);
        (reports, compiled)
    }

    /// Registers the plugins that are due. Registering one can free a name that another one needs, so this repeats until nothing
    /// changes.
    fn register(&self, candidates: &[Candidate], plugins: &mut BTreeMap<PathBuf, KnownPlugin>, registry: &Registry) {
        let mut has_changed = true;
        while std::mem::take(&mut has_changed) {
            for Candidate { root, .. } in candidates {
                let Some(state) = plugins.get_mut(root) else { continue };
                if !state.is_due {
                    continue;
                }
                let Some(plugin) = &state.plugin else { continue };
                let (tools, ignored) = without_ambiguous_aliases(plugin, &state.registered, registry);
                let registered_names = tools.iter().map(|tool| tool.name.to_string()).collect();
                let (plugin, programs) = (Arc::clone(plugin), self.programs.clone());
                let provider = Box::new(PluginProvider { plugin, programs, tools });
                let registered = match state.id {
                    Some(id) => registry.replace(id, provider).map(|()| id),
                    None => registry.add(provider),
                };
                match registered {
                    Ok(id) => {
                        state.id = Some(id);
                        (state.registered, state.ignored) = (registered_names, ignored);
                        state.refused = None;
                        state.is_due = false;
                        has_changed = true;
                    }
                    Err(error) => {
                        if let Some(id) = state.id.take() {
                            has_changed |= registry.remove(id);
                        }
                        let help = "rename the tool or toolset, or remove the other plugin";
                        state.refused = Some(FileProblem::new(root, error.to_string(), help).into());
                    }
                }
            }
        }
    }

    /// Ends the processes of a version of a plugin that is not used by later turns.
    fn retire(&self, state: &KnownPlugin) {
        if let Some(plugin) = &state.plugin {
            self.programs.residents.retire(plugin.program.version);
        }
    }

    fn state(&self) -> MutexGuard<'_, LoadState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the tools of a plugin without the aliases that already stand for tools of other providers, and a finding for each of those. With
/// such an alias, a call would be ambiguous. `registered` are the tools of the plugin's previous version.
fn without_ambiguous_aliases(
    plugin: &Plugin,
    registered: &[String],
    registry: &Registry,
) -> (Vec<Tool>, Vec<IgnoredAlias>) {
    let (mut tools, mut ignored) = (plugin.tools.clone(), Vec::new());
    let is_own = |name: &str| {
        plugin.tools.iter().any(|tool| tool.name == name) || registered.iter().any(|registered| registered == name)
    };
    for tool in &mut tools {
        let (name, file) = (tool.name.clone(), plugin.program.root.join(format!("manifests/tools/{}.toml", tool.name)));
        tool.aliases.retain(|alias| {
            let Some(other) = registry.tool_called(alias).filter(|other| !is_own(&other.name)) else { return true };
            let message = format!(
                "the alias `{alias}` of the tool `{name}` is ignored: it already stands for the tool `{}`",
                other.name
            );
            let finding = Finding::new(Level::Warning, &file, message, "remove the alias, or choose another one");
            ignored.push((alias.to_string(), finding));
            false
        });
    }
    (tools, ignored)
}

/// Returns the report about a plugin.
fn report(Candidate { name, root }: &Candidate, state: &KnownPlugin, registry: &Registry) -> PluginReport {
    let is_loaded = state.id.is_some();
    let plugin = || state.plugin.iter().filter(|_| is_loaded);
    let tools = plugin().flat_map(|plugin| &plugin.tools);
    let hooks = || plugin().flat_map(|plugin| plugin.hooks.iter());
    // A misspelt name in a guard must not go unnoticed.
    let unknown = hooks().flat_map(|hook| hook.unknown_names(registry)).map(|message| {
        let help = "correct the name in `plugin.toml`, or ignore this if the name is added later";
        Finding::new(Level::Warning, root.join("plugin.toml"), message, help)
    });
    let mut findings: Vec<Finding> = state
        .findings
        .iter()
        .chain(&state.refused)
        .chain(state.ignored.iter().map(|(_, finding)| finding))
        .cloned()
        .chain(unknown)
        .collect();
    findings.sort_by_key(|finding| finding.level);
    let ignored_aliases = state.ignored.iter().map(|(alias, _)| alias.clone()).collect();
    PluginReport {
        name: name.clone(),
        folder: root.clone(),
        state: if is_loaded { PluginState::Loaded } else { PluginState::Broken },
        description: state.description.clone(),
        tools: tools.map(|tool| tool.name.to_string()).collect(),
        hooks: hooks().map(HookRule::report).collect(),
        ignored_aliases,
        findings,
    }
}
