//! Which plugins there are: found in folders, put into a registry, and looked at again when a host asks.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use toolc::Registry;
use toolc::catalog::ProviderId;

use crate::compile::{Compiled, compile};
use crate::fingerprint::{Stamp, Stamps};
use crate::provider::{Plugin, Served};
use crate::report::{Finding, Flaw, Level, PluginReport, State};
use crate::trust;

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
/// What is shown is what is on disk: of a plugin that is changed and then broken nothing stays, because its program has
/// changed, too. A host goes on without it, and a turn that was made before keeps what it shows.
#[derive(Debug, Default)]
pub struct Plugins {
    folders: Vec<PathBuf>,
    /// The working directory of programs, or `None` for that of the host.
    dir: Option<PathBuf>,
    now: Mutex<Now>,
    calls: Arc<Calls>,
}

#[derive(Debug, Default)]
struct Now {
    /// The state of each folder that is, or was, a plugin's.
    known: BTreeMap<PathBuf, Known>,
    /// The last reports.
    told: Vec<PluginReport>,
}

/// The state of a plugin's folder.
#[derive(Debug)]
struct Known {
    files: Stamps,
    /// Its program, which can be anywhere in the folder.
    program: Option<(PathBuf, Stamp)>,
    /// The plugin, if nothing was wrong with it.
    plugin: Option<Arc<Plugin>>,
    description: String,
    findings: Vec<Finding>,
    /// Where it is in the registry.
    id: Option<ProviderId>,
    /// Why the registry did not take it.
    refused: Option<Finding>,
    /// Whether the registry has another version of it, or none.
    is_due: bool,
}

impl Known {
    fn of(name: &str, root: &Path, id: Option<ProviderId>) -> Self {
        // Looked at before it is read: what changes meanwhile is looked at again.
        let files = Stamps::of(root);
        let Compiled { plugin, description, executable, findings } = compile(name, root);
        let program = executable.map(|path| (path.clone(), Stamp::of(&path)));
        let plugin = plugin.map(Arc::new);
        Self { files, program, plugin, description, findings, id, refused: None, is_due: true }
    }

    fn is_current(&self, root: &Path) -> bool {
        self.files == Stamps::of(root) && self.program.as_ref().is_none_or(|(path, stamp)| Stamp::of(path) == *stamp)
    }
}

/// A folder that may be a plugin's.
struct Candidate {
    name: String,
    root: PathBuf,
}

/// What is found in the folders.
#[derive(Default)]
struct Found {
    /// Those that count, in their order.
    candidates: Vec<Candidate>,
    /// Reports about the others.
    others: Vec<PluginReport>,
}

impl Plugins {
    /// None yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds the plugins in this folder, each in a subfolder with the name of the plugin. If two folders have a plugin of one
    /// name, that of the folder added first is used: add the user's folder before the system's. A missing folder has no plugins.
    ///
    /// A user who can write to the folder can run any program, so a folder that users other than the current one and root can
    /// write to is refused. Never add a folder from foreign files, such as the project that an agent works on, without the
    /// user's consent.
    #[must_use]
    pub fn folder(mut self, folder: impl Into<PathBuf>) -> Self {
        let folder = folder.into();
        // A program is found from wherever it is to run.
        self.folders.push(std::path::absolute(&folder).unwrap_or(folder));
        self
    }

    /// Runs the programs in `dir`, instead of where the host runs.
    #[must_use]
    pub fn in_dir(mut self, dir: impl Into<PathBuf>) -> Self {
        self.dir = Some(dir.into());
        self
    }

    /// Updates `registry` from the folders: adds new plugins, replaces changed ones and removes those that are missing or broken.
    /// Returns reports about all of them.
    ///
    /// A registry's providers are its own: with another registry, make other `Plugins`.
    pub fn load(&self, registry: &Registry) -> Vec<PluginReport> {
        let mut now = self.now();
        (now.told, _) = self.update(&mut now.known, registry);
        now.told.clone()
    }

    /// Does the same as [`load`](Self::load), and returns reports about plugins that have changed since the last one. Compares the
    /// metadata of files, and opens none if nothing has changed.
    pub fn reload(&self, registry: &Registry) -> Vec<PluginReport> {
        let mut now = self.now();
        let (told, read) = self.update(&mut now.known, registry);
        let before = std::mem::replace(&mut now.told, told);
        let is_gone = |report: &&PluginReport| !now.told.iter().any(|other| other.folder == report.folder);
        let gone = before.iter().filter(is_gone).map(|report| PluginReport {
            state: State::Gone,
            tools: Vec::new(),
            findings: Vec::new(),
            ..report.clone()
        });
        let is_new = |report: &&PluginReport| read.contains(&report.folder) || !before.contains(report);
        now.told.iter().filter(is_new).cloned().chain(gone).collect()
    }

    /// Waits at most `time` until no program runs for a call, and returns whether none does. Abandoned calls stop their programs;
    /// a host that is about to exit should give them this time.
    pub fn settle(&self, time: Duration) -> bool {
        self.calls.settle(time)
    }

    /// Returns reports about all plugins, and the folders that were read again.
    fn update(
        &self,
        known: &mut BTreeMap<PathBuf, Known>,
        registry: &Registry,
    ) -> (Vec<PluginReport>, BTreeSet<PathBuf>) {
        let mut read = BTreeSet::new();
        let Found { candidates, mut others } = find(&self.folders);
        let there: BTreeSet<&Path> = candidates.iter().map(|candidate| candidate.root.as_path()).collect();
        known.retain(|root, known| {
            let stays = there.contains(root.as_path());
            if let (false, Some(id)) = (stays, known.id) {
                registry.remove(id);
            }
            stays
        });
        for Candidate { name, root } in &candidates {
            let before = known.get(root);
            if before.is_some_and(|known| known.is_current(root)) {
                continue;
            }
            let mut now = Known::of(name, root, before.and_then(|known| known.id));
            // First, so that its names are free for others.
            if let Some(id) = now.id.take_if(|_| now.plugin.is_none()) {
                registry.remove(id);
            }
            known.insert(root.clone(), now);
            read.insert(root.clone());
        }
        self.register(&candidates, known, registry);
        let reports = candidates.iter().filter_map(|candidate| Some(report(candidate, known.get(&candidate.root)?)));
        let mut reports: Vec<PluginReport> = reports.collect();
        reports.append(&mut others);
        (reports, read)
    }

    /// Adds the plugins that the registry does not have yet. A plugin may make room for another, so this repeats until nothing
    /// changes.
    fn register(&self, candidates: &[Candidate], known: &mut BTreeMap<PathBuf, Known>, registry: &Registry) {
        let mut has_changed = true;
        while std::mem::take(&mut has_changed) {
            for Candidate { root, .. } in candidates {
                let Some(known) = known.get_mut(root) else { continue };
                let (Some(plugin), true) = (&known.plugin, known.is_due) else { continue };
                let served = Box::new(Served {
                    plugin: Arc::clone(plugin),
                    dir: self.dir.clone(),
                    calls: Arc::clone(&self.calls),
                });
                let entered = match known.id {
                    Some(id) => registry.replace(id, served).map(|()| id),
                    None => registry.add(served),
                };
                match entered {
                    Ok(id) => {
                        (known.id, known.refused, known.is_due) = (Some(id), None, false);
                        has_changed = true;
                    }
                    Err(error) => {
                        if let Some(id) = known.id.take() {
                            has_changed |= registry.remove(id);
                        }
                        let help = "rename what is taken, or take the other one away";
                        known.refused = Some(Flaw::new(root, error.to_string(), help).into());
                    }
                }
            }
        }
    }

    fn now(&self) -> MutexGuard<'_, Now> {
        self.now.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn report(Candidate { name, root }: &Candidate, known: &Known) -> PluginReport {
    let is_loaded = known.id.is_some();
    let tools = known.plugin.iter().filter(|_| is_loaded).flat_map(|plugin| &plugin.tools);
    let mut findings: Vec<Finding> = known.findings.iter().chain(&known.refused).cloned().collect();
    findings.sort_by_key(|finding| finding.level);
    PluginReport {
        name: name.clone(),
        folder: root.clone(),
        state: if is_loaded { State::Loaded } else { State::Broken },
        description: known.description.clone(),
        tools: tools.map(|tool| tool.name.to_string()).collect(),
        findings,
    }
}

/// Looks for plugins, in the order in which they count.
fn find(folders: &[PathBuf]) -> Found {
    let mut found = Found::default();
    let mut taken: BTreeMap<String, PathBuf> = BTreeMap::new();
    for folder in folders {
        let mut told = |name: &str, root: PathBuf, state, finding| {
            let findings = vec![finding];
            let (name, description, tools) = (name.to_owned(), String::new(), Vec::new());
            found.others.push(PluginReport { name, folder: root, state, description, tools, findings });
        };
        let roots = match entries(folder) {
            Ok(roots) => roots,
            Err(flaw) => {
                told("", folder.clone(), State::Broken, flaw.into());
                continue;
            }
        };
        for root in roots {
            let name = root.file_name().unwrap_or_default().to_string_lossy().into_owned();
            // Before its name counts, so that a link to another folder cannot replace a plugin.
            if let Err(flaw) = trust::within(folder, &root) {
                told(&name, root, State::Broken, flaw.into());
            } else if let Some(first) = taken.get(&name) {
                let message = format!("{} stands for it", first.display());
                told(&name, root.clone(), State::Shadowed, Finding::of(Level::Note, root, message, ""));
            } else {
                taken.insert(name.clone(), root.clone());
                found.candidates.push(Candidate { name, root });
            }
        }
    }
    found
}

/// The folders in a folder, by name. Hidden ones are other programs'.
fn entries(folder: &Path) -> Result<Vec<PathBuf>, Flaw> {
    let failed = |error: std::io::Error| {
        Flaw::new(folder, format!("failed to read it: {error}"), "name a folder of plugins that can be read")
    };
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(failed(error)),
    };
    trust::check(folder)?;
    let mut roots = Vec::new();
    for entry in entries {
        let path = entry.map_err(failed)?.path();
        let is_hidden = path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."));
        // A dangling link is not a file either.
        if !is_hidden && !path.is_file() {
            roots.push(path);
        }
    }
    roots.sort();
    Ok(roots)
}

/// How many calls have been begun and have not ended.
#[derive(Debug, Default)]
pub(crate) struct Calls {
    count: Mutex<usize>,
    ended: Condvar,
}

/// A call, until it has ended.
pub(crate) struct UnderWay(Arc<Calls>);

impl Calls {
    pub(crate) fn begin(self: &Arc<Self>) -> UnderWay {
        *self.count.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        UnderWay(Arc::clone(self))
    }

    fn settle(&self, time: Duration) -> bool {
        let count = self.count.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.ended.wait_timeout_while(count, time, |count| *count > 0);
        *waited.unwrap_or_else(PoisonError::into_inner).0 == 0
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        *self.0.count.lock().unwrap_or_else(PoisonError::into_inner) -= 1;
        self.0.ended.notify_all();
    }
}
