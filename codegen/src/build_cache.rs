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

/// A file, as it was left.
#[derive(Debug, PartialEq)]
struct Entry {
    /// In bytes.
    size: u64,
    /// In nanoseconds.
    modified: u128,
    parts: Vec<CachedPart>,
}

/// A part of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CachedPart {
    /// The digest of what it is made of.
    pub inputs: u64,
    /// The length of its text, in bytes.
    pub length: usize,
}

/// The files of the last run.
#[derive(Debug, Default)]
pub struct BuildCache {
    /// The file of the cache, or `None` if it is not stored.
    path: Option<PathBuf>,
    /// Which compiler wrote it.
    compiler: String,
    known: HashMap<String, Entry>,
}

impl BuildCache {
    /// Opens the cache of the project at `root`; empty if there is no valid one.
    pub fn open(root: &Path) -> Self {
        let Some((path, compiler)) = place(root).zip(compiler()) else { return Self::default() };
        let text = fs::read_to_string(&path).unwrap_or_default();
        let known = read(&text, &compiler).unwrap_or_default();
        Self { path: Some(path), compiler, known }
    }

    /// The parts of a file that is as it was left; none of any other.
    pub fn parts(&self, path: &str, found: &Metadata) -> &[CachedPart] {
        let known = self.known.get(path).filter(|known| Some((known.size, known.modified)) == state(found));
        known.map_or(&[], |known| &known.parts)
    }

    /// Keeps what is true now: the files below `root`, and their parts. Failing that, the next run has more to do.
    pub fn store(&self, root: &Path, files: &[(String, Vec<CachedPart>)]) {
        let Some(path) = &self.path else { return };
        let mut text = format!("{}\n", self.compiler);
        let lines = files.par_iter().map(|(name, parts)| {
            let (size, modified) = state(&fs::symlink_metadata(root.join(name)).ok()?)?;
            let mut line = format!("{size} {modified}");
            for CachedPart { inputs, length } in parts {
                let _ = write!(line, " {inputs:x} {length}");
            }
            Some(format!("{line}\t{name}\n"))
        });
        text.extend(lines.flatten().collect::<Vec<String>>());
        // Without it, the next run only has more to do.
        let _ = write_atomically(path, &text);
    }
}

fn state(about: &Metadata) -> Option<(u64, u128)> {
    let modified = about.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    about.is_file().then_some((about.len(), modified.as_nanos()))
}

fn read(text: &str, compiler: &str) -> Option<HashMap<String, Entry>> {
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
        // Parts that do not make up the file are damage.
        (total == size).then_some((name.to_owned(), Entry { size, modified, parts }))
    };
    (first == compiler).then(|| lines.lines().map(line).collect())?
}

/// The target folder of this project, which is not committed and may be deleted.
fn place(root: &Path) -> Option<PathBuf> {
    let root = fs::canonicalize(root).ok()?;
    let elsewhere = std::env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
    let target = [Some(root.join("target")), elsewhere].into_iter().flatten().find(|folder| folder.is_dir())?;
    let mut hasher = DefaultHasher::new();
    root.hash(&mut hasher);
    Some(target.join("toolc").join(format!("{:016x}.cache", hasher.finish())))
}

/// This very program: another one may write other files.
fn compiler() -> Option<String> {
    let path = std::env::current_exe().ok()?;
    let about = fs::metadata(&path).ok()?;
    let modified = about.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    Some(format!("{} {} {}", about.len(), modified.as_nanos(), path.display()))
}

/// Numbers that change with what files are made of.
#[derive(Debug)]
pub struct Digests {
    /// Everything, but for what only a tool's own files tell.
    common: u64,
    /// Each tool's manifest.
    tools: Vec<u64>,
}

impl Digests {
    /// Computes the digests of the manifests and of the catalog made from them.
    pub fn new(sources: &Sources, catalog: &Lowered<'_>) -> Self {
        let ids: Vec<_> = catalog.tools().map(|(id, _)| id).collect();
        let tools = ids.par_iter().map(|&id| {
            let mut hasher = DefaultHasher::new();
            sources.get(catalog[id].manifest.name.place.source).text.hash(&mut hasher);
            (hasher.finish(), catalog.seen(id))
        });
        let tools: Vec<_> = tools.collect();
        let mut common = DefaultHasher::new();
        for source in sources.all().iter().filter(|source| source.kind != Some(Kind::Tool)) {
            (&source.path, &source.text).hash(&mut common);
        }
        for (_, seen) in &tools {
            seen.hash(&mut common);
        }
        Self { common: common.finish(), tools: tools.into_iter().map(|(own, _)| own).collect() }
    }

    /// One number for all of these.
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
