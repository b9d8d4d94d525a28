//! The build cache: the files of the last run of gen with digests of their inputs, so that unchanged files are not rendered
//! again. It is stored in the target folder. Output never depends on it: if it is missing, damaged or from another compiler, gen
//! renders everything.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::fs::{self, File, Metadata};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io::Read as _;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use rayon::prelude::*;

use crate::emit::Inputs;
use crate::kept::{Kept, KeptText};
use crate::lower::Lowered;
use crate::project::write_atomically;
use crate::quick::QuickMap;
use crate::source::{Kind, Sources};

/// A generated file as the last run wrote it.
#[derive(Debug, PartialEq)]
struct Entry {
    /// The size in bytes.
    size: u64,
    /// The time of modification, in nanoseconds since the Unix epoch.
    modified: u128,
    file: CachedFile,
    /// Where the line of the file is in the text of the cache.
    line: Range<usize>,
}

/// The text of a generated file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CachedFile {
    /// The parts of the text, in order.
    pub parts: Vec<CachedPart>,
}

impl CachedFile {
    /// Returns whether the inputs of the parts are these.
    pub fn has_inputs(&self, inputs: &[u64]) -> bool {
        self.parts.iter().map(|part| part.inputs).eq(inputs.iter().copied())
    }

    /// Returns whether the text is that of another file, regardless of the inputs.
    pub fn has_text_of(&self, other: &Self) -> bool {
        let texts = |file: &Self| file.parts.iter().map(|part| (part.digest, part.length)).collect::<Vec<_>>();
        texts(self) == texts(other)
    }

    /// Returns each part, with its place in the text.
    pub fn places(&self) -> impl Iterator<Item = (CachedPart, Range<usize>)> {
        self.parts.iter().scan(0, |start, part| {
            let place = *start..*start + part.length;
            *start = place.end;
            Some((*part, place))
        })
    }

    /// Returns whether this is the text.
    fn is(&self, text: &[u8]) -> bool {
        let places: Vec<_> = self.places().collect();
        let is_part = |(part, place): &(CachedPart, Range<usize>)| {
            text.get(place.clone()).is_some_and(|text| text_digest(text) == part.digest)
        };
        places.last().map_or(0, |(_, place)| place.end) == text.len() && places.par_iter().all(is_part)
    }
}

/// A part of a generated file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CachedPart {
    /// The digest of the inputs of the part.
    pub inputs: u64,
    /// The digest of the text: see [`text_digest`].
    pub digest: u64,
    /// The length of the text, in bytes.
    pub length: usize,
}

/// A generated file of this run.
#[derive(Debug)]
pub struct GeneratedFile {
    /// The path relative to the project.
    pub path: String,
    /// The text, or `None` if the cache has exactly this.
    pub file: Option<CachedFile>,
}

/// The generated files of the last run.
#[derive(Debug, Default)]
pub struct BuildCache {
    /// The file of the cache, or `None` if the cache is not stored.
    file: Option<StoredFile>,
    text: String,
    /// The files by their paths relative to the project.
    entries: QuickMap<String, Entry>,
    /// Whether a file counts as unchanged by its text, not by its size and time.
    by_text: bool,
}

impl BuildCache {
    /// Opens the cache of the project at `root`. The result is empty if no valid cache exists.
    pub fn open(root: &Path) -> Self {
        let Some(file) = StoredFile::new(root, "cache") else { return Self::default() };
        let text = file.read().unwrap_or_default();
        let entries = parse(&text).unwrap_or_default();
        Self { file: Some(file), text, entries, by_text: false }
    }

    /// Returns the cache for `--check`, which reads every file: one counts as unchanged only if its text has the digest of what
    /// this compiler rendered from the same inputs.
    #[must_use]
    pub fn by_text(self) -> Self {
        Self { by_text: true, ..self }
    }

    /// Returns a file that is unchanged since the last run, by its size and time.
    pub fn by_time(&self, path: &str, metadata: &Metadata) -> Option<&CachedFile> {
        let entry = self.entries.get(path).filter(|_| !self.by_text)?;
        (Some((entry.size, entry.modified)) == fingerprint(metadata)).then_some(&entry.file)
    }

    /// Returns a file whose text is that of the last run.
    pub fn with_text(&self, path: &str, text: &[u8]) -> Option<&CachedFile> {
        let entry = self.entries.get(path).filter(|_| self.by_text)?;
        entry.file.is(text).then_some(&entry.file)
    }

    /// Stores the current state of the files below `root`, and their parts. Failures are ignored: the next run renders more.
    pub fn store(&self, root: &Path, files: &[GeneratedFile]) {
        let Some(stored) = &self.file else { return };
        if files.len() == self.entries.len() && files.iter().all(|file| file.file.is_none()) {
            return;
        }
        let lines = files.par_iter().map(|GeneratedFile { path, file }| {
            let Some(file) = file else {
                return Some(Cow::Borrowed(&self.text[self.entries.get(path)?.line.clone()]));
            };
            let (size, modified) = fingerprint(&fs::symlink_metadata(root.join(path)).ok()?)?;
            let mut line = format!("{size} {modified}");
            for CachedPart { inputs, digest, length } in &file.parts {
                let _ = write!(line, " {inputs:x} {digest:x} {length}");
            }
            Some(Cow::Owned(format!("{line}\t{path}\n")))
        });
        stored.store(&lines.flatten().collect::<Vec<Cow<'_, str>>>().concat());
    }
}

/// Returns the digest of a text. It is comparable only within one build of the compiler.
pub fn text_digest(text: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

/// The files of what a run keeps for the next one, next to the build cache.
#[derive(Debug, Default)]
pub struct KeptFiles {
    manifests: Option<StoredFile>,
    findings: Option<StoredFile>,
    stamps: Option<StoredFile>,
}

impl KeptFiles {
    /// Finds the files of the project at `root`.
    pub fn new(root: &Path) -> Self {
        let file = |extension| StoredFile::new(root, extension);
        Self { manifests: file("manifests"), findings: file("findings"), stamps: file("stamps") }
    }

    /// Reads what the last run kept.
    pub fn kept(&self) -> Kept {
        let kept = |file: &Option<StoredFile>| KeptText::new(text(file.as_ref()));
        Kept { manifests: kept(&self.manifests), findings: kept(&self.findings) }
    }

    /// Reads the stamps of manifests that the last run kept.
    pub fn stamps(&self) -> String {
        text(self.stamps.as_ref())
    }

    /// Stores what this run keeps. The stamps of the last run remain without others.
    pub fn store(&self, kept: &Kept, stamps: Option<&str>) {
        if let Some((file, stamps)) = self.stamps.as_ref().zip(stamps) {
            file.store(stamps);
        }
        for (file, text) in [(&self.manifests, &kept.manifests), (&self.findings, &kept.findings)] {
            if let Some((file, text)) = file.as_ref().zip(text.changed()) {
                file.store(text);
            }
        }
    }
}

fn text(file: Option<&StoredFile>) -> String {
    file.and_then(StoredFile::read).unwrap_or_default()
}

/// A file of the target folder: a line that identifies the compiler, a line with the digest of the rest, and the rest. A file that another
/// compiler wrote, or that is damaged, counts as empty.
#[derive(Debug)]
struct StoredFile {
    path: PathBuf,
    /// See [`compiler`].
    compiler: String,
}

impl StoredFile {
    /// The maximum size in bytes.
    const MAX: u64 = 256 << 20;

    /// Returns a file, which may be missing. `None` if the project has no target folder.
    fn new(root: &Path, extension: &str) -> Option<Self> {
        Some(Self { path: cache_path(root, extension)?, compiler: compiler()? })
    }

    fn read(&self) -> Option<String> {
        let size = fs::symlink_metadata(&self.path).ok().filter(Metadata::is_file)?.len();
        let mut text = String::with_capacity(usize::try_from(size.min(Self::MAX)).ok()?);
        File::open(&self.path).ok()?.take(Self::MAX).read_to_string(&mut text).ok()?;
        let rest = text.strip_prefix(&self.compiler)?.strip_prefix('\n')?;
        let (digest, rest) = rest.split_once('\n')?;
        let start = text.len() - rest.len();
        if u64::from_str_radix(digest, 16) != Ok(text_digest(rest.as_bytes())) {
            return None;
        }
        drop(text.drain(..start));
        Some(text)
    }

    /// Replaces the text. Failures are ignored: the next run does more.
    fn store(&self, text: &str) {
        let digest = text_digest(text.as_bytes());
        let _ = write_atomically(&self.path, &format!("{}\n{digest:016x}\n{text}", self.compiler));
    }
}

/// Returns the size and the modification time of a file, in bytes and nanoseconds.
pub(crate) fn fingerprint(metadata: &Metadata) -> Option<(u64, u128)> {
    let modified = metadata.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    metadata.is_file().then_some((metadata.len(), modified.as_nanos()))
}

/// Parses a stored cache: a line `SIZE MODIFIED (INPUTS DIGEST LENGTH)*<tab>PATH` for each file. Returns `None` if a line is damaged.
fn parse(text: &str) -> Option<QuickMap<String, Entry>> {
    let entry = |place: &Range<usize>| {
        let (numbers, name) = text[place.clone()].strip_suffix('\n')?.split_once('\t')?;
        let mut numbers = numbers.split(' ');
        let (size, modified): (u64, _) = (numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?);
        let (mut parts, mut total) = (Vec::new(), 0_u64);
        while let Some(inputs) = numbers.next() {
            let inputs = u64::from_str_radix(inputs, 16).ok()?;
            let digest = u64::from_str_radix(numbers.next()?, 16).ok()?;
            let length: usize = numbers.next()?.parse().ok()?;
            total = total.checked_add(u64::try_from(length).ok()?)?;
            parts.push(CachedPart { inputs, digest, length });
        }
        // The parts make up the whole file, or the line is damaged.
        let entry = || Entry { size, modified, file: CachedFile { parts }, line: place.clone() };
        (total == size).then(|| (name.to_owned(), entry()))
    };
    let lines = text.split_inclusive('\n').scan(0, |start, line| {
        let place = *start..*start + line.len();
        *start = place.end;
        Some(place)
    });
    let lines: Vec<Range<usize>> = lines.collect();
    let entries: Option<Vec<(String, Entry)>> = lines.par_iter().map(entry).collect();
    Some(entries?.into_iter().collect())
}

/// Returns the path of a cache: in the target folder, which is not committed and may be deleted. `None` if there is no target
/// folder.
fn cache_path(root: &Path, extension: &str) -> Option<PathBuf> {
    let root = fs::canonicalize(root).ok()?;
    let configured = std::env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
    let target = [Some(root.join("target")), configured].into_iter().flatten().find(|folder| folder.is_dir())?;
    let mut hasher = DefaultHasher::new();
    root.hash(&mut hasher);
    Some(target.join("toolc").join(format!("{:016x}.{extension}", hasher.finish())))
}

/// Returns a text that identifies the running executable: another build of the compiler may write other files.
fn compiler() -> Option<String> {
    let path = std::env::current_exe().ok()?;
    let (size, modified) = fingerprint(&fs::metadata(&path).ok()?)?;
    Some(format!("{size} {modified} {}", path.display()))
}

/// Digests of the inputs of generated files. They are comparable only within one build of the compiler.
#[derive(Debug)]
pub struct Digests {
    /// The digest of everything except the contents of tool manifests that only the files of the tool itself use.
    common: u64,
    /// The digest of each tool's manifest, by tool id.
    tools: Vec<u64>,
}

impl Digests {
    /// Computes the digests of the manifests and of the catalog made from them.
    pub fn new(sources: &Sources, catalog: &Lowered<'_>) -> Self {
        let ids: Vec<_> = catalog.tools().map(|(id, _)| id).collect();
        let tools = ids.par_iter().map(|&id| (catalog[id].manifest.digest, catalog.shared_facets(id)));
        let tools: Vec<_> = tools.collect();
        let mut common = DefaultHasher::new();
        for source in sources.all().iter().filter(|source| source.kind != Some(Kind::Tool)) {
            (&source.path, &*source.text).hash(&mut common);
        }
        for (_, shared_facets) in &tools {
            shared_facets.hash(&mut common);
        }
        Self { common: common.finish(), tools: tools.into_iter().map(|(digest, _)| digest).collect() }
    }

    /// Returns the digest of the inputs of a part.
    pub fn get(&self, inputs: &Inputs) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.common.hash(&mut hasher);
        match inputs {
            Inputs::Common => {}
            Inputs::Tools(tools) => tools.iter().for_each(|id| self.tools[id.0].hash(&mut hasher)),
            Inputs::All => self.tools.hash(&mut hasher),
        }
        hasher.finish()
    }
}
