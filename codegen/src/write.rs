//! The write stage: the only one that changes the disk. Each file is written atomically, unchanged files are not touched, and
//! files that gen did not write are removed from its folders.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use ignore::WalkBuilder;
use rayon::prelude::*;
use walkdir::{DirEntry, WalkDir};

use crate::build_cache::{BuildCache, CachedFile, CachedPart, Digests, GeneratedFile, text_digest};
use crate::emit::{Draft, Output};
use crate::failure::Failure;
use crate::project::{GENERATED, MANIFESTS, MARK, is_temporary, write_atomically};

/// The changes that make the disk equal to the output.
#[derive(Debug)]
pub struct Plan {
    folders: Vec<Folder>,
    /// The files that are missing or differ from the output.
    pub stale: Vec<Stale>,
    /// The files that gen did not write.
    pub orphans: Vec<Orphan>,
    /// Every generated file, for the build cache.
    pub files: Vec<GeneratedFile>,
}

/// A folder that gen owns: it removes any other file there, except those that git ignores.
#[derive(Debug)]
struct Folder {
    /// The path relative to the project, with `/` at its end.
    name: String,
    /// The path on disk. Links are resolved.
    path: PathBuf,
}

impl Folder {
    fn new(root: &Path, name: &str) -> Self {
        let path = root.join(name);
        Self { name: format!("{name}/"), path: fs::canonicalize(&path).unwrap_or(path) }
    }
}

/// A file that gen must write.
#[derive(Debug)]
pub struct Stale {
    /// The path and text to write.
    pub output: Output,
    /// Whether the file exists.
    pub exists: bool,
    /// The current text of the file, or `None` if it is missing or not text.
    pub found: Option<String>,
    /// Whether the file contains packed data, which people cannot review.
    pub is_packed: bool,
    path: PathBuf,
}

/// A file that gen did not write, in a folder that gen owns.
#[derive(Debug)]
pub struct Orphan {
    /// The path relative to the project.
    pub name: String,
    path: PathBuf,
}

/// Compares the output with the disk. gen owns `generated/` of the project at `root`, and the folder `module` of the generated
/// module if the settings name one. A file that is unchanged since the last run, according to `cache`, is not read.
///
/// # Errors
/// If a folder cannot be read, or contains files but none that gen wrote.
pub fn plan(
    root: &Path,
    module: Option<&str>,
    drafts: &[Draft<'_>],
    digests: &Digests,
    cache: &BuildCache,
) -> Result<Plan, Failure> {
    let folders: Vec<Folder> =
        [Some(GENERATED), module].into_iter().flatten().map(|name| Folder::new(root, name)).collect();
    let path_on_disk = |draft: &Draft<'_>| {
        let path = folders.iter().find_map(|folder| Some(folder.path.join(draft.path.strip_prefix(&folder.name)?)));
        path.unwrap_or_else(|| unreachable!("an emitter writes to {}, which gen does not own", draft.path))
    };
    let wanted: HashSet<PathBuf> = drafts.iter().map(path_on_disk).collect();
    let mut orphans = Vec::new();
    for folder in &folders {
        let files = WalkDir::new(&folder.path).into_iter().filter_map(Result::ok);
        let files = files.filter(|entry| !entry.file_type().is_dir()).map(DirEntry::into_path);
        let all: Vec<PathBuf> = files.collect();
        // Looking up what git ignores is slow, and only necessary if there are other files.
        let present = if all.iter().all(|path| wanted.contains(path)) { all } else { present(&folder.path)? };
        if !present.iter().all(|path| is_temporary(path))
            && !drafts.iter().map(path_on_disk).any(|path| path.starts_with(&folder.path) && is_marked(&path))
        {
            return Err(Failure::new(format!(
                "{} contains files that gen did not write: move them away, or delete the folder, and run gen again",
                folder.path.display()
            )));
        }
        for path in present.into_iter().filter(|path| !wanted.contains(path)) {
            let relative = path.strip_prefix(&folder.path).unwrap_or(&path).display();
            orphans.push(Orphan { name: format!("{}{relative}", folder.name), path });
        }
    }
    // Each file is a job of its own, because their sizes differ: one thread might otherwise get all large ones.
    let compared: Vec<Result<_, Failure>> =
        drafts.par_iter().with_max_len(1).map(|draft| compare(draft, path_on_disk(draft), digests, cache)).collect();
    let mut files = Vec::new();
    let mut stale = Vec::new();
    for compared in compared {
        let (file, change) = compared?;
        files.push(file);
        stale.extend(change);
    }
    Ok(Plan { folders, stale, orphans, files })
}

/// Compares a draft with the file at `path`. Returns the file for the cache, and the change if the file differs.
fn compare(
    draft: &Draft<'_>,
    path: PathBuf,
    digests: &Digests,
    cache: &BuildCache,
) -> Result<(GeneratedFile, Option<Stale>), Failure> {
    let generated = |file: CachedFile, is_cached| GeneratedFile { path: draft.path.clone(), file, is_cached };
    let inputs: Vec<u64> = draft.parts.iter().map(|part| digests.get(&part.inputs)).collect();
    let mut cached = None;
    let mut found = None;
    match fs::symlink_metadata(&path) {
        Ok(metadata) if metadata.is_file() => {
            cached = cache.by_time(&draft.path, &metadata);
            if let Some(file) = cached.filter(|file| file.has_inputs(&inputs)) {
                return Ok((generated(file.clone(), true), None));
            }
            let text = fs::read(&path).map_err(|error| Failure::io("read", &path, &error))?;
            if let Some(file) = cache.with_text(&draft.path, &text).filter(|file| file.has_inputs(&inputs)) {
                return Ok((generated(file.clone(), false), None));
            }
            found = Some(text);
        }
        Ok(_) => {}
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {}
        Err(error) => return Err(Failure::io("read", &path, &error)),
    }
    let cached = cached.map_or(&[][..], |file| &file.parts);
    let (text, parts) = compose(draft, &inputs, cached, found.as_deref().unwrap_or_default());
    let file = generated(CachedFile { digest: text_digest(text.as_bytes()), parts }, false);
    if found.as_deref() == Some(text.as_bytes()) {
        return Ok((file, None));
    }
    let exists = found.is_some();
    let found = found.and_then(|bytes| String::from_utf8(bytes).ok());
    let output = Output { path: draft.path.clone(), text };
    Ok((file, Some(Stale { output, exists, found, is_packed: draft.is_packed, path })))
}

/// Returns the text of a file and its parts. A part whose inputs equal those of the cached part at the same index is copied from
/// `found`, the current content of the file; the others are rendered.
fn compose(draft: &Draft<'_>, inputs: &[u64], cached: &[CachedPart], found: &[u8]) -> (String, Vec<CachedPart>) {
    let mut start = 0;
    let cached = cached.iter().map(|part| {
        let range = start..start + part.length;
        start = range.end;
        Some((part.inputs, range))
    });
    // If a part was added or removed, all digests differ, so the wrong index does no harm.
    let cached = cached.chain(std::iter::repeat(None));
    let parts: Vec<_> = draft.parts.iter().zip(inputs).zip(cached).collect();
    let texts = parts.par_iter().with_max_len(1).map(|((part, inputs), cached)| {
        let unchanged = cached.as_ref().filter(|(old, _)| old == *inputs);
        let old = unchanged.and_then(|(_, range)| std::str::from_utf8(found.get(range.clone())?).ok());
        old.map_or_else(|| Cow::Owned(part.text()), Cow::Borrowed)
    });
    let texts: Vec<Cow<'_, str>> = texts.collect();
    let parts = texts.iter().zip(inputs).map(|(text, &inputs)| CachedPart { inputs, length: text.len() }).collect();
    (texts.concat(), parts)
}

impl Plan {
    /// Returns whether the disk equals the output.
    pub fn is_clean(&self) -> bool {
        self.stale.is_empty() && self.orphans.is_empty()
    }

    /// Applies the plan: orphans first, since one may be in the place of a folder, or in a folder in the place of a file.
    ///
    /// # Errors
    /// If a file cannot be written or removed. Changes up to then remain, and every file is complete.
    pub fn apply(&self) -> Result<(), Failure> {
        for Orphan { path, .. } in &self.orphans {
            match fs::remove_file(path) {
                Err(error) if error.kind() != ErrorKind::NotFound => return Err(Failure::io("remove", path, &error)),
                _ => {}
            }
        }
        self.folders.iter().for_each(|folder| remove_empty_folders(&folder.path));
        // One file before all others: if this run is stopped, the next one recognizes its folder by a file with the mark.
        let (first, rest) = self.stale.split_at(self.stale.len().min(1));
        // One file after all others: the digests of the manifests.
        let (rest, last) = rest.split_at(rest.len().saturating_sub(1));
        let write_all = |files: &[Stale]| -> Vec<Result<(), Failure>> {
            files.par_iter().map(|stale| write_atomically(&stale.path, &stale.output.text)).collect()
        };
        [first, rest, last].into_iter().flat_map(write_all).collect()
    }
}

/// Returns the files of the folder that git does not ignore.
fn present(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    if fs::symlink_metadata(folder).is_err_and(|error| error.kind() == ErrorKind::NotFound) {
        return Ok(Vec::new());
    }
    let mut files = Vec::new();
    for entry in WalkBuilder::new(folder).hidden(false).ignore(false).build() {
        let entry = entry.map_err(|error| Failure::new(format!("failed to read {}: {error}", folder.display())))?;
        if entry.file_type().is_some_and(|kind| !kind.is_dir()) {
            files.push(entry.into_path());
        }
    }
    files.sort();
    Ok(files)
}

/// Locks the project against other runs of gen until the result is dropped. Returns `None` on systems that cannot lock a folder:
/// concurrent runs may then leave a mixed output, which the next run corrects.
pub fn lock(root: &Path) -> Option<fs::File> {
    let folder = fs::File::open(root.join(MANIFESTS)).ok()?;
    folder.lock().ok()?;
    Some(folder)
}

/// Returns whether a file has the mark of gen in its first 256 bytes.
fn is_marked(path: &Path) -> bool {
    fs::read(path).is_ok_and(|bytes| {
        let start = &bytes[..bytes.len().min(256)];
        start.windows(MARK.len()).any(|window| window == MARK.as_bytes())
    })
}

/// Removes empty folders: git does not track them.
fn remove_empty_folders(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten().filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir())) {
        remove_empty_folders(&entry.path());
        // Fails if the folder is not empty, as intended.
        let _ = fs::remove_dir(entry.path());
    }
}
