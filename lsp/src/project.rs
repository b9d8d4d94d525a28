//! A project that the client works on: its files as the client has them, its graph, and the findings that are shown.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use toolc_codegen::kept::Kept;
use toolc_codegen::project::{MANIFESTS, PLUGIN, SETTINGS};
use toolc_codegen::source::Source;
use toolc_codegen::{Failure, Sources};

use crate::findings::{Found, by_file};
use crate::graph::{Graph, OwnFindings, own_findings};
use crate::text::Encoding;

/// The pause after which the graph is compiled.
const PAUSE: Duration = Duration::from_millis(250);

/// The maximum size of a file that is read again alone. A larger one is left to the compiler, which reports it.
const MAX_BYTES: u64 = 1 << 20;

/// A project.
pub(crate) struct Project {
    pub(crate) root: PathBuf,
    /// The files, with the texts of open documents.
    pub(crate) sources: Sources,
    /// The texts of open documents by path.
    open: BTreeMap<String, String>,
    /// The number of changes so far.
    generation: u64,
    /// When to compile the graph.
    pub(crate) due: Option<Instant>,
    /// What the last run of the compiler kept, or `None` while it runs.
    kept: Option<Kept>,
    /// The last graph.
    last: Option<Arc<Graph>>,
    /// The last graph without errors of the compiler.
    complete: Option<Arc<Graph>>,
    /// The findings of each file that are shown.
    pub(crate) shown: HashMap<String, Vec<Found>>,
}

/// A graph to compile.
#[derive(Debug)]
pub(crate) struct Job {
    pub(crate) root: PathBuf,
    generation: u64,
    sources: Sources,
    kept: Kept,
}

/// A compiled graph.
#[derive(Debug)]
pub(crate) struct Done {
    pub(crate) root: PathBuf,
    generation: u64,
    graph: Graph,
    kept: Kept,
}

impl Job {
    /// Compiles the graph.
    pub(crate) fn run(self) -> Done {
        let Self { root, generation, sources, kept } = self;
        let (graph, kept) = Graph::compile(sources, kept);
        Done { root, generation, graph, kept }
    }
}

/// Returns the folder of the project that a file belongs to: the nearest one above it with manifests.
pub(crate) fn root_of(file: &Path) -> Option<&Path> {
    file.ancestors().skip(1).find(|folder| {
        let is_project = folder.join(MANIFESTS).is_dir();
        is_project && path_in(folder, file).is_some()
    })
}

/// Returns the path of a manifest relative to its project, or `None` if it is not one.
pub(crate) fn path_in(root: &Path, file: &Path) -> Option<String> {
    let steps: Option<Vec<&str>> =
        file.strip_prefix(root).ok()?.components().map(|step| step.as_os_str().to_str()).collect();
    let path = steps?.join("/");
    let is_manifest =
        path.starts_with(&format!("{MANIFESTS}/")) && file.extension().is_some_and(|extension| extension == "toml");
    (is_manifest || path == SETTINGS || path == PLUGIN).then_some(path)
}

impl Project {
    /// Opens the project in a folder.
    ///
    /// # Errors
    /// If its manifests cannot be read.
    pub(crate) fn open(root: PathBuf) -> Result<Self, Failure> {
        let sources = Sources::scan(&root)?;
        Ok(Self {
            root,
            sources,
            open: BTreeMap::new(),
            generation: 0,
            due: Some(Instant::now()),
            kept: Some(Kept::default()),
            last: None,
            complete: None,
            shown: HashMap::new(),
        })
    }

    /// Returns a file.
    pub(crate) fn source(&self, path: &str) -> Option<&Source> {
        self.sources.find(path).map(|id| self.sources.get(id))
    }

    /// Returns the last graph.
    pub(crate) fn last(&self) -> Option<&Graph> {
        self.last.as_deref()
    }

    /// Returns the last graph without errors of the compiler, or the last one if all had some.
    pub(crate) fn graph(&self) -> Option<&Graph> {
        self.complete.as_deref().or(self.last())
    }

    fn changed(&mut self) {
        self.generation += 1;
        self.due = Some(Instant::now() + PAUSE);
    }

    /// Takes the text of an open document.
    pub(crate) fn set_open(&mut self, path: &str, text: &str) {
        self.sources = self.sources.with_files([(path, text)]);
        self.open.insert(path.to_owned(), text.to_owned());
        self.changed();
    }

    /// Forgets the text of a document that is closed: the file has its text again.
    pub(crate) fn set_closed(&mut self, path: &str) {
        self.open.remove(path);
        self.read_again(&[path.to_owned()]);
    }

    /// Reads files again that were changed on disk. What is not the path of a file with a text makes the whole project be read.
    pub(crate) fn read_again(&mut self, paths: &[String]) {
        let paths: Vec<&String> = paths.iter().filter(|path| !self.open.contains_key(*path)).collect();
        let read = |path: &String| {
            let file = self.root.join(path);
            let Ok(about) = fs::metadata(&file) else { return Some((path.clone(), None)) };
            let text = (about.is_file() && about.len() <= MAX_BYTES).then(|| fs::read_to_string(&file).ok())??;
            Some((path.clone(), Some(text)))
        };
        let texts: Option<Vec<(String, Option<String>)>> = paths.into_iter().map(read).collect();
        match texts {
            Some(texts) => {
                let gone: BTreeSet<&str> =
                    texts.iter().filter(|(_, text)| text.is_none()).map(|(path, _)| path.as_str()).collect();
                let present = texts.iter().filter_map(|(path, text)| Some((path.as_str(), text.as_deref()?)));
                self.sources = self.sources.only(|source| !gone.contains(source.path.as_str())).with_files(present);
            }
            None => self.scan(),
        }
        self.changed();
    }

    /// Reads the whole project again.
    pub(crate) fn scan(&mut self) {
        // A project whose folder is gone keeps its open documents.
        let disk = Sources::scan(&self.root).unwrap_or_default();
        self.sources = disk.with_files(self.open.iter().map(|(path, text)| (path.as_str(), text.as_str())));
        self.changed();
    }

    /// Returns the findings of a file that depend on little more than the file.
    pub(crate) fn own_findings(&self, path: &str, encoding: Encoding) -> Vec<Found> {
        let OwnFindings { sources, findings } = own_findings(&self.sources, path, self.last());
        by_file(&sources, &findings, &self.root, encoding).remove(path).unwrap_or_default()
    }

    /// Returns the graph to compile, if it is time, and no other one of the project is compiled.
    pub(crate) fn job(&mut self, now: Instant) -> Option<Job> {
        self.due.filter(|due| *due <= now)?;
        let kept = self.kept.take()?;
        self.due = None;
        Some(Job { root: self.root.clone(), generation: self.generation, sources: self.sources.clone(), kept })
    }

    /// Returns when [`job`](Self::job) has something to do.
    pub(crate) fn next(&self) -> Option<Instant> {
        self.due.filter(|_| self.kept.is_some())
    }

    /// Takes a compiled graph. Returns the findings of all files, or `None` if a file was changed in the meantime: they would belong to an
    /// old version.
    pub(crate) fn take(&mut self, done: Done, encoding: Encoding) -> Option<BTreeMap<String, Vec<Found>>> {
        let Done { generation, graph, kept, .. } = done;
        let graph = Arc::new(graph);
        self.kept = Some(kept);
        if graph.is_complete() {
            self.complete = Some(Arc::clone(&graph));
        }
        self.last = Some(Arc::clone(&graph));
        (generation == self.generation).then(|| by_file(&graph.sources, &graph.findings, &self.root, encoding))
    }
}
