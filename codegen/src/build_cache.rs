//! The build cache: the files of the last run of gen with digests of their inputs, so that unchanged files are not rendered
//! again. It is stored in the target folder. Output never depends on it: if it is missing, damaged or from another compiler, gen
//! renders everything.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::fs::{self, Metadata};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use rayon::prelude::*;

use crate::emit::Inputs;
use crate::lint::FindingsCache;
use crate::lower::Lowered;
use crate::project::write_atomically;
use crate::source::{Kind, Sources};

/// A generated file as the last run wrote it.
#[derive(Debug, PartialEq)]
struct Entry {
    /// The size in bytes.
    size: u64,
    /// The time of modification, in nanoseconds since the Unix epoch.
    modified: u128,
    file: CachedFile,
}

/// The text of a generated file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CachedFile {
    /// The digest of the text: see [`text_digest`].
    pub digest: u64,
    /// The parts of the text, in order.
    pub parts: Vec<CachedPart>,
}

impl CachedFile {
    /// Returns whether the inputs of the parts are these.
    pub fn has_inputs(&self, inputs: &[u64]) -> bool {
        self.parts.iter().map(|part| part.inputs).eq(inputs.iter().copied())
    }
}

/// A part of a generated file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CachedPart {
    /// The digest of the inputs of the part.
    pub inputs: u64,
    /// The length of the text, in bytes.
    pub length: usize,
}

/// The generated files of the last run.
#[derive(Debug, Default)]
pub struct BuildCache {
    /// The file of the cache, or `None` if the cache is not stored.
    path: Option<PathBuf>,
    /// Identifies the running compiler: see [`compiler`].
    compiler: String,
    /// The files by their paths relative to the project.
    entries: HashMap<String, Entry>,
    /// Whether a file counts as unchanged by its text, not by its size and time.
    by_text: bool,
}

impl BuildCache {
    /// Opens the cache of the project at `root`. The result is empty if no valid cache exists.
    pub fn open(root: &Path) -> Self {
        let Some((path, compiler)) = cache_path(root, "cache").zip(compiler()) else { return Self::default() };
        let text = fs::read_to_string(&path).unwrap_or_default();
        let entries = parse(&text, &compiler).unwrap_or_default();
        Self { path: Some(path), compiler, entries, by_text: false }
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
        (entry.file.digest == text_digest(text)).then_some(&entry.file)
    }

    /// Stores the current state of the files below `root`, and their parts. Failures are ignored: the next run renders more.
    pub fn store(&self, root: &Path, files: &[(String, CachedFile)]) {
        let Some(path) = &self.path else { return };
        let mut text = format!("{}\n", self.compiler);
        let lines = files.par_iter().map(|(name, CachedFile { digest, parts })| {
            let (size, modified) = fingerprint(&fs::symlink_metadata(root.join(name)).ok()?)?;
            let mut line = format!("{size} {modified} {digest:x}");
            for CachedPart { inputs, length } in parts {
                let _ = write!(line, " {inputs:x} {length}");
            }
            Some(format!("{line}\t{name}\n"))
        });
        text.extend(lines.flatten().collect::<Vec<String>>());
        let _ = write_atomically(path, &text);
    }
}

/// Returns the digest of the text of a generated file. It is comparable only within one build of the compiler.
pub fn text_digest(text: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

/// What the linter found in the project at `root` during the last run, stored next to the build cache.
#[derive(Debug, Default)]
pub struct FindingsFile {
    path: Option<PathBuf>,
    compiler: String,
}

impl FindingsFile {
    /// Opens the file. What was kept is empty if another compiler wrote it.
    pub fn open(root: &Path) -> (Self, FindingsCache) {
        let Some((path, compiler)) = cache_path(root, "findings").zip(compiler()) else { return Default::default() };
        let text = fs::read_to_string(&path).unwrap_or_default();
        let last = text.strip_prefix(&compiler).and_then(|rest| rest.strip_prefix('\n')).unwrap_or_default().to_owned();
        (Self { path: Some(path), compiler }, FindingsCache::new(last))
    }

    /// Stores what this run found. Failures are ignored: the next run checks more.
    pub fn store(&self, kept: &FindingsCache) {
        if let Some((path, text)) = self.path.as_ref().zip(kept.changed()) {
            let _ = write_atomically(path, &format!("{}\n{text}", self.compiler));
        }
    }
}

/// Returns the size and the modification time of a file, in bytes and nanoseconds.
fn fingerprint(metadata: &Metadata) -> Option<(u64, u128)> {
    let modified = metadata.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    metadata.is_file().then_some((metadata.len(), modified.as_nanos()))
}

/// Parses a stored cache: a line with the compiler, and a line `SIZE MODIFIED DIGEST (INPUTS LENGTH)*<tab>PATH` for each file. Returns
/// `None` if another compiler wrote it, or a line is damaged.
fn parse(text: &str, compiler: &str) -> Option<HashMap<String, Entry>> {
    let (first, lines) = text.split_once('\n')?;
    let line = |line: &str| {
        let (numbers, name) = line.split_once('\t')?;
        let mut numbers = numbers.split(' ');
        let (size, modified): (u64, _) = (numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?);
        let digest = u64::from_str_radix(numbers.next()?, 16).ok()?;
        let (mut parts, mut total) = (Vec::new(), 0_u64);
        while let Some(inputs) = numbers.next() {
            let inputs = u64::from_str_radix(inputs, 16).ok()?;
            let length: usize = numbers.next()?.parse().ok()?;
            total = total.checked_add(u64::try_from(length).ok()?)?;
            parts.push(CachedPart { inputs, length });
        }
        // The parts make up the whole file, or the line is damaged.
        (total == size).then(|| (name.to_owned(), Entry { size, modified, file: CachedFile { digest, parts } }))
    };
    (first == compiler).then(|| lines.lines().map(line).collect())?
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
        let tools = ids.par_iter().map(|&id| {
            let mut hasher = DefaultHasher::new();
            sources.get(catalog[id].manifest.name.place.source).text.hash(&mut hasher);
            (hasher.finish(), catalog.shared_facets(id))
        });
        let tools: Vec<_> = tools.collect();
        let mut common = DefaultHasher::new();
        for source in sources.all().iter().filter(|source| source.kind != Some(Kind::Tool)) {
            (&source.path, &source.text).hash(&mut common);
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
