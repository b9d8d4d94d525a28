//! The scan stage: reads the manifests of a project from disk, sorted by path.

use std::fmt::Write as _;
use std::fs;
use std::io::Read as _;
use std::path::{Component, Path, PathBuf};

use rayon::prelude::*;
use walkdir::WalkDir;

use crate::failure::Failure;
#[cfg(feature = "cli")]
use crate::project::write_atomically;
use crate::project::{MANIFESTS, PLUGIN, SETTINGS};

/// The maximum size of a manifest. It keeps every offset within 32 bits.
const MAX_BYTES: u64 = 4 << 20;

/// A kind of manifest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// A tool.
    Tool,
    /// A toolset.
    Toolset,
    /// Toolsets to draw at random, with their probabilities.
    Distribution,
    /// Rules for the approval of shell commands.
    Commands,
    /// The facts that the host supplies at run time.
    Facts,
    /// The environment variables that tools require.
    Env,
    /// The settings of the project.
    Settings,
    /// The settings of a plugin. A project that has this file is a plugin.
    Plugin,
}

impl Kind {
    /// Every kind.
    pub const ALL: [Kind; 8] = [
        Kind::Tool,
        Kind::Toolset,
        Kind::Distribution,
        Kind::Commands,
        Kind::Facts,
        Kind::Env,
        Kind::Settings,
        Kind::Plugin,
    ];

    /// Returns where files of this kind are, relative to the project: a folder with `/` at its end, or the path of the only file.
    pub const fn place(self) -> &'static str {
        match self {
            Kind::Tool => "manifests/tools/",
            Kind::Toolset => "manifests/toolsets/",
            Kind::Distribution => "manifests/distributions/",
            Kind::Commands => "manifests/commands/",
            Kind::Facts => "manifests/facts.toml",
            Kind::Env => "manifests/env.toml",
            Kind::Settings => SETTINGS,
            Kind::Plugin => PLUGIN,
        }
    }

    /// Returns the word for this kind: the stem of its published schema.
    pub const fn noun(self) -> &'static str {
        match self {
            Kind::Tool => "tool",
            Kind::Toolset => "toolset",
            Kind::Distribution => "distribution",
            Kind::Commands => "commands",
            Kind::Facts => "facts",
            Kind::Env => "env",
            Kind::Settings => "toolc",
            Kind::Plugin => "plugin",
        }
    }

    /// Returns how messages refer to a file of this kind.
    pub const fn document(self) -> &'static str {
        match self {
            Kind::Tool => "a tool's manifest",
            Kind::Toolset => "a toolset's manifest",
            Kind::Distribution => "a distribution's manifest",
            Kind::Commands => "a manifest of command rules",
            Kind::Facts => "the manifest of facts",
            Kind::Env => "the manifest of variables",
            Kind::Settings => "`toolc.toml`",
            Kind::Plugin => "`plugin.toml`",
        }
    }

    fn from_path(path: &str) -> Option<Self> {
        let contains_path = |kind: &Kind| match kind.place() {
            folder if folder.ends_with('/') => path.starts_with(folder),
            file => path == file,
        };
        Kind::ALL.into_iter().find(contains_path)
    }
}

/// The index of a file in [`Sources`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SourceId(pub u32);

/// A file of the project.
#[derive(Debug, Clone)]
pub struct Source {
    /// The path relative to the project, with `/` as separator on every system.
    pub path: String,
    /// The kind of manifest, or `None` if no manifest is read from this path.
    pub kind: Option<Kind>,
    /// The file name without `.toml`: the `name` that the manifest must declare.
    pub stem: String,
    /// The text, with CRLF replaced by LF. Empty for a file in another format than TOML.
    pub text: String,
    /// Why the file cannot be read as a manifest, and the byte offset of the problem.
    pub fault: Option<(usize, String)>,
}

impl Source {
    fn new(path: String, bytes: Vec<u8>) -> Self {
        if likely_manifest(&path).is_some() {
            return Self { path, kind: None, stem: String::new(), text: String::new(), fault: None };
        }
        let (text, fault) = match String::from_utf8(bytes) {
            Ok(text) => (text, None),
            Err(error) => {
                let at = error.utf8_error().valid_up_to();
                let text = String::from_utf8_lossy(&error.into_bytes()[..at]).into_owned();
                (text, Some("not UTF-8 from here on: save the file as UTF-8".to_owned()))
            }
        };
        let text = if text.contains('\r') { text.replace("\r\n", "\n") } else { text };
        let stem = path.rsplit('/').next().and_then(|name| name.strip_suffix(".toml")).unwrap_or_default().to_owned();
        Self { kind: Kind::from_path(&path), stem, fault: fault.map(|why| (text.len(), why)), text, path }
    }
}

/// The files of a project.
#[derive(Debug, Clone, Default)]
pub struct Sources {
    /// The project folder; empty for a project in memory.
    root: PathBuf,
    files: Vec<Source>,
    /// The path and text of other files of a project in memory, such as its baseline.
    others: Vec<(String, String)>,
}

impl Sources {
    /// Reads the manifests of the project in the folder `root`.
    ///
    /// # Errors
    /// If `root` has no folder `manifests`, or a file or folder in it cannot be read.
    pub fn scan(root: &Path) -> Result<Self, Failure> {
        let folder = root.join(MANIFESTS);
        let mut paths = Vec::new();
        for entry in WalkDir::new(&folder).follow_links(true).sort_by_file_name() {
            // Hidden files belong to other programs. Some cannot be read: the lock of an editor may be a dangling link.
            let path = entry.as_ref().map_or_else(walkdir::Error::path, |entry| Some(entry.path()));
            if path.is_some_and(|path| is_hidden(path, &folder)) {
                continue;
            }
            let entry = entry.map_err(|error| {
                let path = error.path().unwrap_or(&folder).to_owned();
                Failure::new(format!("failed to read {}: {error}", path.display()))
            })?;
            if entry.file_type().is_file() {
                paths.push(entry.into_path());
            }
        }
        let at_root = [SETTINGS, PLUGIN].map(|file| root.join(file));
        paths.extend(at_root.into_iter().filter(|file| fs::symlink_metadata(file).is_ok()));
        let read = |path: &PathBuf| {
            let relative = relative(root, path).filter(|relative| is_source(relative))?;
            Some(read(path, relative))
        };
        let files: Vec<Option<Result<Source, Failure>>> = paths.par_iter().map(read).collect();
        let mut files = files.into_iter().flatten().collect::<Result<Vec<Source>, Failure>>()?;
        files.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(Self { root: root.to_owned(), files, others: Vec::new() })
    }

    /// Creates a project in memory from the path and text of each file. Paths are relative to the project, with `/` as separator.
    pub fn from_memory(files: impl IntoIterator<Item = (String, String)>) -> Self {
        let (files, others): (Vec<_>, Vec<_>) = files.into_iter().partition(|(path, _)| is_source(path));
        let files = files.into_iter().map(|(path, text)| Source::new(path, text.into_bytes()));
        let mut files: Vec<Source> = files.collect();
        files.sort_by(|a, b| a.path.cmp(&b.path));
        Self { root: PathBuf::new(), files, others }
    }

    /// Reads a file of the project that is not a source.
    pub(crate) fn other_file(&self, path: &str) -> Result<String, String> {
        match self.others.iter().find(|(other, _)| other == path) {
            Some((_, text)) => Ok(text.clone()),
            None if self.root.as_os_str().is_empty() => Err("the file does not exist".to_owned()),
            None => fs::read_to_string(self.root.join(path)).map_err(|error| error.to_string()),
        }
    }

    /// Returns a copy in which the given files have new texts.
    #[must_use]
    pub fn with(&self, changed: &[(SourceId, String)]) -> Self {
        let mut all = self.clone();
        for (id, text) in changed {
            let path = self.get(*id).path.clone();
            all.files[id.0 as usize] = Source::new(path, text.clone().into_bytes());
        }
        all
    }

    /// Returns a copy with one more file, or with a new text of it. `path` is relative to the project.
    #[must_use]
    #[cfg(feature = "cli")]
    pub(crate) fn with_file(&self, path: &str, text: &str) -> Self {
        let mut all = self.clone();
        let file = Source::new(path.to_owned(), text.as_bytes().to_vec());
        match all.files.binary_search_by(|other| other.path.as_str().cmp(path)) {
            Ok(position) => all.files[position] = file,
            Err(position) => all.files.insert(position, file),
        }
        all
    }

    /// Replaces the text of a file on disk. A file with CRLF line ends keeps them.
    #[cfg(feature = "cli")]
    pub(crate) fn write(&self, id: SourceId, text: &str) -> Result<(), Failure> {
        let path = self.root.join(&self.get(id).path);
        let is_crlf = fs::read(&path).is_ok_and(|bytes| bytes.windows(2).any(|pair| pair == b"\r\n"));
        // A link is kept: its target is written.
        let path = fs::canonicalize(&path).unwrap_or(path);
        write_atomically(&path, &if is_crlf { text.replace('\n', "\r\n") } else { text.to_owned() })
    }

    /// Returns the file with this id.
    pub fn get(&self, id: SourceId) -> &Source {
        &self.files[id.0 as usize]
    }

    /// Returns all files, sorted by path. The index of a file is its [`SourceId`].
    pub fn all(&self) -> &[Source] {
        &self.files
    }

    /// Returns every file with its id.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (SourceId, &Source)> {
        (0..).map(SourceId).zip(&self.files)
    }

    /// Returns the path to show to a user: relative to the current folder if that is the project folder, else with the project
    /// folder in front.
    pub fn display(&self, id: SourceId) -> String {
        let path = &self.get(id).path;
        if self.root.as_os_str().is_empty() {
            return path.clone();
        }
        let here = std::env::current_dir().ok().and_then(|here| here.canonicalize().ok());
        if self.root.canonicalize().ok() == here {
            return path.clone();
        }
        let mut shown = self.root.display().to_string();
        if !shown.ends_with('/') {
            shown.push('/');
        }
        let _ = write!(shown, "{path}");
        shown
    }
}

/// Returns the path relative to `root`, with `/` as separator, or `None` if it is not UTF-8: no name of a manifest is like that.
fn relative(root: &Path, path: &Path) -> Option<String> {
    let parts = path.strip_prefix(root).ok()?.components().map(|part| match part {
        Component::Normal(part) => part.to_str(),
        _ => None,
    });
    Some(parts.collect::<Option<Vec<&str>>>()?.join("/"))
}

fn is_hidden(path: &Path, folder: &Path) -> bool {
    let relative = path.strip_prefix(folder).unwrap_or(path);
    relative.components().any(|part| part.as_os_str().to_string_lossy().starts_with('.'))
}

/// Returns whether a file is read or reported: the settings, the TOML files of `manifests/` except the `Cargo.toml` of a crate,
/// and files in other formats whose path would be that of a manifest.
fn is_source(path: &str) -> bool {
    match path.strip_suffix(".toml") {
        Some(stem) => stem != "manifests/Cargo",
        None => likely_manifest(path).is_some(),
    }
}

fn read(path: &Path, relative: String) -> Result<Source, Failure> {
    let failed = |error: std::io::Error| Failure::io("read", path, &error);
    // Opening a pipe would block until a process writes to it.
    if !fs::metadata(path).map_err(failed)?.is_file() {
        return Err(Failure::new(format!("failed to read {}: not a file", path.display())));
    }
    let file = fs::File::open(path).map_err(failed)?;
    // One byte more than the file has, so that a single read reaches the end.
    let length = file.metadata().map_err(failed)?.len().min(MAX_BYTES) + 1;
    let mut bytes = Vec::with_capacity(usize::try_from(length).unwrap_or_default());
    file.take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() as u64 > MAX_BYTES {
        let fault = Some((0, format!("larger than {MAX_BYTES} bytes, the maximum for a manifest")));
        return Ok(Source { fault, ..Source::new(relative, Vec::new()) });
    }
    Ok(Source::new(relative, bytes))
}

/// Returns the path that a file in another format, such as YAML, would have as a manifest, or `None` if it is unlikely to be one.
pub(crate) fn likely_manifest(path: &str) -> Option<String> {
    let (stem, extension) = path.rsplit_once('.')?;
    let is_like = ["toml", "yaml", "yml", "json"].iter().any(|like| extension.eq_ignore_ascii_case(like));
    let toml = format!("{stem}.toml");
    (is_like && extension != "toml" && Kind::from_path(&toml).is_some()).then_some(toml)
}
