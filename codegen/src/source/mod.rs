//! The sources of a project: its manifests as text, sorted by path.

mod path;
mod scan;
mod stamps;
mod text;
mod walk;

#[cfg(feature = "cli")]
pub(crate) use stamps::Stamps;
pub use text::SourceText;
pub use toolc_tables::SourceId;
#[cfg(feature = "cli")]
pub(crate) use walk::walk;

use std::fmt::Write as _;
use std::fs;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use toolc_tables::{Files, normalized};

use crate::failure::Failure;
#[cfg(feature = "cli")]
use crate::project::write_target;
use crate::project::{PLUGIN, SETTINGS};

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

/// A file of the project.
#[derive(Debug, Clone)]
pub struct Source {
    /// The path relative to the project, with `/` as separator on every system.
    pub path: String,
    /// The kind of manifest, or `None` if no manifest is read from this path.
    pub kind: Option<Kind>,
    /// The file name without `.toml`: the `name` that the manifest must declare.
    pub stem: String,
    /// The text, without a byte order mark and with CRLF replaced by LF. Empty for a file in another format than TOML.
    pub text: SourceText,
    /// Why the file cannot be read.
    pub fault: Option<Fault>,
    /// See [`Source::manifest_digest`].
    manifest_digest: OnceLock<u64>,
    /// See [`Source::has_comments`].
    has_comments: OnceLock<bool>,
    /// The state of the file from which the text was read, if its stamp may be kept.
    state: Option<u64>,
}

/// Why a file cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// The text is not UTF-8 from the byte `at`, or too large.
    Text {
        /// The byte offset of the problem.
        at: usize,
        /// What is wrong.
        message: String,
        /// What to do.
        help: &'static str,
    },
    /// It is not a file whose text could be read, such as a folder or a link without a target.
    File {
        /// What is wrong, after the name of the file.
        message: String,
        /// What to do.
        help: &'static str,
    },
}

/// The marks at the beginning of a file in UTF-16.
const UTF_16: [&[u8]; 2] = [b"\xff\xfe", b"\xfe\xff"];

impl Source {
    fn new(path: String, bytes: Vec<u8>) -> Self {
        if likely_manifest(&path).is_some() {
            return Self::with(path, String::new(), None);
        }
        let (text, fault) = decoded(bytes);
        let stem = path.rsplit('/').next().and_then(|name| name.strip_suffix(".toml")).unwrap_or_default().to_owned();
        Self { kind: Kind::from_path(&path), stem, ..Self::with(path, text, fault) }
    }

    /// Creates a source of no kind.
    fn with(path: String, text: impl Into<SourceText>, fault: Option<Fault>) -> Self {
        Self {
            path,
            kind: None,
            stem: String::new(),
            text: text.into(),
            fault,
            manifest_digest: OnceLock::new(),
            has_comments: OnceLock::new(),
            state: None,
        }
    }

    /// Returns the digest of the path and the text. It is comparable only within one build of the compiler.
    pub(crate) fn digest(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        (&self.path, self.text.digest()).hash(&mut hasher);
        hasher.finish()
    }

    /// Returns the digest of the text for a build script.
    #[cfg(feature = "emit")]
    pub(crate) fn manifest_digest(&self) -> u64 {
        *self.manifest_digest.get_or_init(|| toolc_build::digest(self.text.as_bytes()))
    }

    /// Returns whether the text may have a comment to the linter.
    pub(crate) fn has_comments(&self) -> bool {
        *self.has_comments.get_or_init(|| self.text.contains(COMMENT_PREFIX))
    }

    /// Creates a source that is not a file whose text could be read.
    fn unreadable(path: String, message: impl Into<String>, help: &'static str) -> Self {
        let fault = Some(Fault::File { message: message.into(), help });
        Self { fault, ..Self::new(path, Vec::new()) }
    }
}

/// The start of a comment to the linter, after the `#`.
pub(crate) const COMMENT_PREFIX: &str = "lint:";

/// Returns the text of a file, and what is wrong with it.
fn decoded(bytes: Vec<u8>) -> (String, Option<Fault>) {
    let is_utf_16 = UTF_16.iter().any(|mark| bytes.starts_with(mark));
    let fault = |at, message: &str| Fault::Text { at, message: message.to_owned(), help: "save the file as UTF-8" };
    let (text, fault) = match String::from_utf8(bytes) {
        Ok(text) => (text, None),
        Err(_) if is_utf_16 => (String::new(), Some(fault(0, "the file is UTF-16, not UTF-8"))),
        Err(error) => {
            let at = error.utf8_error().valid_up_to();
            let text = normalized(String::from_utf8_lossy(&error.into_bytes()[..at]).into_owned());
            let fault = fault(text.len(), "the file is not UTF-8 from here on");
            (text, Some(fault))
        }
    };
    (normalized(text), fault)
}

#[cfg(feature = "cli")]
const BYTE_ORDER_MARK: char = '\u{feff}';

/// The files of a project.
#[derive(Debug, Clone, Default)]
pub struct Sources {
    /// The project folder; empty for a project in memory.
    root: PathBuf,
    files: Vec<Arc<Source>>,
    /// The path and text of other files of a project in memory, such as its baseline.
    others: Vec<(String, String)>,
    /// The baseline, once it was read. Findings can be in it, and it is not a manifest.
    other: OnceLock<Source>,
}

impl Sources {
    /// Reads the manifests of the project in the folder `root`. What lies among them and cannot be read is a source with a
    /// [`Fault`].
    ///
    /// # Errors
    /// If `root` has no folder `manifests` that can be read. Only a plugin need not have one.
    pub fn scan(root: &Path) -> Result<Self, Failure> {
        let mut files: Vec<Arc<Source>> = scan::read_all(root, None)?.into_iter().map(Arc::new).collect();
        files.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(Self { root: root.to_owned(), files, others: Vec::new(), other: OnceLock::new() })
    }

    /// Reads the manifests of a project as [`scan`](Self::scan) does. Files with the stamps of the last run are not read.
    #[cfg(feature = "cli")]
    pub(crate) fn scan_with(root: &Path, stamps: &Stamps<'_>) -> Result<Self, Failure> {
        let mut files: Vec<Arc<Source>> = scan::read_all(root, Some(stamps))?.into_iter().map(Arc::new).collect();
        files.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(Self { root: root.to_owned(), files, others: Vec::new(), other: OnceLock::new() })
    }

    /// Returns the stamps for the next run as text, or `None` if those that the last run kept serve as well.
    #[cfg(feature = "cli")]
    pub(crate) fn stamps(&self) -> Option<String> {
        /// The stamps of a few files are not worth writing all.
        const SHARE: usize = 64;
        let tools = || self.files.iter().filter(|source| source.kind == Some(Kind::Tool));
        let is_new = |source: &&Arc<Source>| source.state.is_some() && !source.text.is_unread_file();
        if tools().filter(is_new).count() * SHARE <= tools().count() {
            return None;
        }
        let mut text = String::new();
        for source in tools() {
            if let Some(state) = source.state {
                let (digest, manifest) = (source.text.digest(), source.manifest_digest());
                let has_comments = source.has_comments();
                stamps::write(&mut text, &source.path, stamps::Stamp { state, text: digest, manifest, has_comments });
            }
        }
        Some(text)
    }

    /// Checks that no file was changed after its stamp was compared.
    ///
    /// # Errors
    /// If one was.
    #[cfg(feature = "cli")]
    pub(crate) fn check_unchanged(&self) -> Result<(), Failure> {
        match self.files.iter().find(|source| source.text.is_other()) {
            None => Ok(()),
            Some(source) => Err(Failure::new(format!("{} was changed in the meantime: run it again", source.path))),
        }
    }

    /// Creates a project in memory from the path and text of each file. Paths are relative to the project, with `/` as separator.
    pub fn from_memory(files: impl IntoIterator<Item = (String, String)>) -> Self {
        let (files, others): (Vec<_>, Vec<_>) = files.into_iter().partition(|(path, _)| is_source(path));
        let files = files.into_iter().map(|(path, text)| Arc::new(Source::new(path, text.into_bytes())));
        let mut files: Vec<Arc<Source>> = files.collect();
        files.sort_by(|a, b| a.path.cmp(&b.path));
        Self { root: PathBuf::new(), files, others, other: OnceLock::new() }
    }

    /// Creates a project in memory that has only these files, by path and text. They are read as if each were at `place`, and messages show
    /// the paths.
    pub(crate) fn files_at<'f>(place: &str, files: impl IntoIterator<Item = (&'f str, &'f str)>) -> Self {
        let files = files.into_iter().map(|(path, text)| {
            let source = Source::new(place.to_owned(), text.as_bytes().to_vec());
            Arc::new(Source { path: path.to_owned(), ..source })
        });
        Self { files: files.collect(), ..Self::default() }
    }

    /// Reads the baseline, a file of the project that is not a manifest.
    ///
    /// # Errors
    /// Why the file cannot be read.
    pub(crate) fn other_file(&self, path: &str) -> Result<(SourceId, &str), String> {
        let id = SourceId(u32::try_from(self.files.len()).unwrap_or(u32::MAX));
        if let Some(other) = self.other.get().filter(|other| other.path == path) {
            return Ok((id, &other.text));
        }
        let text = match self.others.iter().find(|(other, _)| other == path) {
            Some((_, text)) => text.clone(),
            None if self.root.as_os_str().is_empty() => return Err("the file does not exist".to_owned()),
            None => scan::read_text(&self.root.join(path)).map_err(|error| error.to_string())?,
        };
        let other = self.other.get_or_init(|| Source::with(path.to_owned(), text, None));
        Ok((id, &other.text))
    }

    /// Returns the baseline, if it was read.
    #[cfg(feature = "cli")]
    pub(crate) fn other(&self) -> Option<&Source> {
        self.other.get()
    }

    /// Returns whether this is the id of the baseline.
    pub(crate) fn is_other(&self, id: SourceId) -> bool {
        id.0 as usize == self.files.len()
    }

    /// Returns a copy in which the given files have new texts.
    #[must_use]
    pub fn with(&self, changed: &[(SourceId, String)]) -> Self {
        let mut all = self.clone();
        for (id, text) in changed {
            let path = self.get(*id).path.clone();
            all.files[id.0 as usize] = Arc::new(Source::new(path, text.clone().into_bytes()));
        }
        all
    }

    /// Returns a copy with one more file, or with a new text of it. `path` is relative to the project.
    #[must_use]
    #[cfg(feature = "cli")]
    pub fn with_file(&self, path: &str, text: &str) -> Self {
        self.with_files([(path, text)])
    }

    /// Returns a copy with more files, or with new texts of them, such as those that an editor has not saved. Paths are relative to the
    /// project.
    #[must_use]
    #[cfg(feature = "cli")]
    pub fn with_files<'f>(&self, files: impl IntoIterator<Item = (&'f str, &'f str)>) -> Self {
        let mut all = Self { other: OnceLock::new(), ..self.clone() };
        for (path, text) in files.into_iter().filter(|(path, _)| is_source(path)) {
            let file = Arc::new(Source::new(path.to_owned(), text.as_bytes().to_vec()));
            match all.files.binary_search_by(|other| other.path.as_str().cmp(path)) {
                Ok(position) => all.files[position] = file,
                Err(position) => all.files.insert(position, file),
            }
        }
        all
    }

    /// Returns a copy that has only the files that are wanted.
    #[must_use]
    #[cfg(feature = "cli")]
    pub fn only(&self, wanted: impl Fn(&Source) -> bool) -> Self {
        let files = self.files.iter().filter(|source| wanted(source)).cloned().collect();
        Self { root: self.root.clone(), files, others: self.others.clone(), other: OnceLock::new() }
    }

    /// Replaces the text of a file on disk. CRLF line endings and a byte order mark are kept.
    #[cfg(feature = "cli")]
    pub(crate) fn write(&self, id: SourceId, text: &str) -> Result<(), Failure> {
        let path = self.root.join(&self.get(id).path);
        let before = fs::read(&path).unwrap_or_default();
        let is_crlf = before.windows(2).any(|pair| pair == b"\r\n");
        let text = if is_crlf { text.replace('\n', "\r\n") } else { text.to_owned() };
        let has_mark = before.starts_with(BYTE_ORDER_MARK.to_string().as_bytes());
        let text = if has_mark { format!("{BYTE_ORDER_MARK}{text}") } else { text };
        write_target(&path, &text)
    }

    /// Returns the project folder, or `None` for a project in memory.
    pub fn root(&self) -> Option<&Path> {
        Some(self.root.as_path()).filter(|root| !root.as_os_str().is_empty())
    }

    /// Returns the file with this id.
    pub fn get(&self, id: SourceId) -> &Source {
        match self.other.get() {
            Some(other) if self.is_other(id) => other,
            _ => &self.files[id.0 as usize],
        }
    }

    /// Returns all files, sorted by path. The index of a file is its [`SourceId`].
    pub fn all(&self) -> &[Arc<Source>] {
        &self.files
    }

    /// Finds a file by its path relative to the project.
    pub fn find(&self, path: &str) -> Option<SourceId> {
        let index = self.files.binary_search_by(|file| file.path.as_str().cmp(path)).ok()?;
        u32::try_from(index).ok().map(SourceId)
    }

    /// Returns every file with its id.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (SourceId, &Source)> {
        self.iter_shared().map(|(id, source)| (id, &**source))
    }

    /// Returns every file with its id, as [`iter`](Self::iter) does.
    pub(crate) fn iter_shared(&self) -> impl Iterator<Item = (SourceId, &Arc<Source>)> {
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

impl Files for Sources {
    fn text(&self, id: SourceId) -> &str {
        &self.get(id).text
    }

    fn display(&self, id: SourceId) -> String {
        Sources::display(self, id)
    }
}

/// Returns whether a file is read or reported: the settings, the TOML files of `manifests/` except the `Cargo.toml` of a crate,
/// and files in other formats whose path would be that of a manifest.
fn is_source(path: &str) -> bool {
    match path.strip_suffix(".toml") {
        Some(stem) => stem != "manifests/Cargo",
        None => likely_manifest(path).is_some(),
    }
}

/// Returns whether a file of the project at `root` is read: it is a manifest, or likely to be one with another extension.
#[cfg(feature = "cli")]
pub(crate) fn is_read(root: &Path, path: &Path) -> bool {
    is_source(&path::relative_or_lossy(root, path))
}

/// Returns the path that a file in another format, such as YAML, would have as a manifest, or `None` if it is unlikely to be one.
pub(crate) fn likely_manifest(path: &str) -> Option<String> {
    let original = path;
    // Some systems hide the last extension of a file.
    let path = path.strip_suffix(".txt").filter(|path| path.strip_suffix(".toml").is_some()).unwrap_or(path);
    let (stem, extension) = path.rsplit_once('.')?;
    // The usual case, and the fastest one.
    if extension == "toml" && path == original {
        return None;
    }
    // Editors name backups `x.toml~`.
    let is_misspelt = !extension.ends_with('~') && !toolc::suggest::nearest(extension, ["toml"]).is_empty();
    let is_like = is_misspelt || OTHER_FORMATS.iter().any(|like| extension.eq_ignore_ascii_case(like));
    let toml = format!("{stem}.toml");
    (is_like && toml != original && Kind::from_path(&toml).is_some()).then_some(toml)
}

/// The extensions of other formats in which authors write manifests.
pub(crate) const OTHER_FORMATS: [&str; 6] = ["yaml", "yml", "json", "jsonc", "json5", "hjson"];
