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
    parts: Vec<CachedPart>,
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
}

impl BuildCache {
    /// Opens the cache of the project at `root`. The result is empty if no valid cache exists.
    pub fn open(root: &Path) -> Self {
        let Some((path, compiler)) = cache_path(root).zip(compiler()) else { return Self::default() };
        let text = fs::read_to_string(&path).unwrap_or_default();
        let entries = parse(&text, &compiler).unwrap_or_default();
        Self { path: Some(path), compiler, entries }
    }

    /// Returns the parts of a file that is unchanged since the last run, and no parts if it was changed.
    pub fn parts(&self, path: &str, metadata: &Metadata) -> &[CachedPart] {
        let entry = self.entries.get(path).filter(|entry| Some((entry.size, entry.modified)) == fingerprint(metadata));
        entry.map_or(&[], |entry| &entry.parts)
    }

    /// Stores the current state of the files below `root`, and their parts. Failures are ignored: the next run renders more.
    pub fn store(&self, root: &Path, files: &[(String, Vec<CachedPart>)]) {
        let Some(path) = &self.path else { return };
        let mut text = format!("{}\n", self.compiler);
        let lines = files.par_iter().map(|(name, parts)| {
            let (size, modified) = fingerprint(&fs::symlink_metadata(root.join(name)).ok()?)?;
            let mut line = format!("{size} {modified}");
            for CachedPart { inputs, length } in parts {
                let _ = write!(line, " {inputs:x} {length}");
            }
            Some(format!("{line}\t{name}\n"))
        });
        text.extend(lines.flatten().collect::<Vec<String>>());
        let _ = write_atomically(path, &text);
    }
}

/// Returns the size and the modification time of a file, in bytes and nanoseconds.
fn fingerprint(metadata: &Metadata) -> Option<(u64, u128)> {
    let modified = metadata.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    metadata.is_file().then_some((metadata.len(), modified.as_nanos()))
}

/// Parses a stored cache: a line with the compiler, and a line `SIZE MODIFIED (INPUTS LENGTH)*<tab>PATH` for each file. Returns
/// `None` if another compiler wrote it, or a line is damaged.
fn parse(text: &str, compiler: &str) -> Option<HashMap<String, Entry>> {
    let (first, lines) = text.split_once('\n')?;
    let line = |line: &str| {
        let (numbers, name) = line.split_once('\t')?;
        let mut numbers = numbers.split(' ');
        let (size, modified): (u64, _) = (numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?);
        let (mut parts, mut total) = (Vec::new(), 0_u64);
        while let Some(inputs) = numbers.next() {
            let inputs = u64::from_str_radix(inputs, 16).ok()?;
            let length: usize = numbers.next()?.parse().ok()?;
            total = total.checked_add(u64::try_from(length).ok()?)?;
            parts.push(CachedPart { inputs, length });
        }
        // The parts make up the whole file, or the line is damaged.
        (total == size).then_some((name.to_owned(), Entry { size, modified, parts }))
    };
    (first == compiler).then(|| lines.lines().map(line).collect())?
}

/// Returns the path of the cache: in the target folder, which is not committed and may be deleted. `None` if there is no target
/// folder.
fn cache_path(root: &Path) -> Option<PathBuf> {
    let root = fs::canonicalize(root).ok()?;
    let configured = std::env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
    let target = [Some(root.join("target")), configured].into_iter().flatten().find(|folder| folder.is_dir())?;
    let mut hasher = DefaultHasher::new();
    root.hash(&mut hasher);
    Some(target.join("toolc").join(format!("{:016x}.cache", hasher.finish())))
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
