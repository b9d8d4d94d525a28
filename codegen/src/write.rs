//! Write: the only stage that touches the disk. Each file appears whole or not at all; what has not changed is not
//! touched; what gen did not write goes.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use ignore::WalkBuilder;
use rayon::prelude::*;
use walkdir::{DirEntry, WalkDir};

use crate::build_cache::{BuildCache, CachedPart, Digests};
use crate::emit::{Draft, Output};
use crate::failure::Failure;
use crate::project::{GENERATED, MANIFESTS, MARK, is_temporary, write_atomically};

/// What it takes to make the disk like the output.
#[derive(Debug)]
pub struct Plan {
    folders: Vec<Folder>,
    /// Files that differ from what they should be, or are missing.
    pub stale: Vec<Stale>,
    /// Files that gen did not write.
    pub orphans: Vec<Orphan>,
    /// Every generated file, and its parts.
    pub files: Vec<(String, Vec<CachedPart>)>,
}

/// A folder that gen owns: what it did not write there, and git does not ignore, goes.
#[derive(Debug)]
struct Folder {
    /// Below the project's root, with `/` at its end.
    name: String,
    /// Where it is: it may be a link, and what counts is the folder that it leads to.
    path: PathBuf,
}

impl Folder {
    fn new(root: &Path, name: &str) -> Self {
        let path = root.join(name);
        Self { name: format!("{name}/"), path: fs::canonicalize(&path).unwrap_or(path) }
    }
}

/// A file to be written.
#[derive(Debug)]
pub struct Stale {
    /// What it should be.
    pub output: Output,
    /// The current text of the file, or `None` if it is missing or not text.
    pub found: Option<String>,
    path: PathBuf,
}

/// A file in a folder of gen's that gen did not write.
#[derive(Debug)]
pub struct Orphan {
    /// Below the project's root.
    pub name: String,
    path: PathBuf,
}

/// Compares the output with what is on disk below `root`, in the folders that gen owns: the usual one, and that of the
/// generated module, if it has one of its own. Files that the cache knows are taken as up to date.
///
/// # Errors
/// When a folder cannot be read, or holds something and was not made by gen.
pub fn plan(
    root: &Path,
    module: Option<&str>,
    drafts: &[Draft<'_>],
    digests: &Digests,
    cache: &BuildCache,
) -> Result<Plan, Failure> {
    let folders: Vec<Folder> =
        [Some(GENERATED), module].into_iter().flatten().map(|name| Folder::new(root, name)).collect();
    let place = |draft: &Draft<'_>| {
        let found = folders.iter().find_map(|folder| Some(folder.path.join(draft.path.strip_prefix(&folder.name)?)));
        found.unwrap_or_else(|| unreachable!("an emitter writes to {}, which gen does not own", draft.path))
    };
    let wanted: HashSet<PathBuf> = drafts.iter().map(place).collect();
    let mut orphans = Vec::new();
    for folder in &folders {
        let files = WalkDir::new(&folder.path).into_iter().filter_map(Result::ok);
        let files = files.filter(|entry| !entry.file_type().is_dir()).map(DirEntry::into_path);
        let all: Vec<PathBuf> = files.collect();
        // Looking up what git ignores is slow, and only necessary if there are other files.
        let present = if all.iter().all(|path| wanted.contains(path)) { all } else { present(&folder.path)? };
        if !present.iter().all(|path| is_temporary(path))
            && !drafts.iter().map(place).any(|path| path.starts_with(&folder.path) && is_marked(&path))
        {
            return Err(Failure::new(format!(
                "{} holds files that gen did not write: move them away, or delete the folder, and run gen again",
                folder.path.display()
            )));
        }
        for path in present.into_iter().filter(|path| !wanted.contains(path)) {
            let below = path.strip_prefix(&folder.path).unwrap_or(&path).display();
            orphans.push(Orphan { name: format!("{}{below}", folder.name), path });
        }
    }
    let compared = drafts.par_iter().map(|draft| {
        let path = place(draft);
        let inputs: Vec<u64> = draft.parts.iter().map(|part| digests.get(&part.inputs)).collect();
        let (known, found) = match fs::symlink_metadata(&path) {
            Ok(about) if about.is_file() => {
                let known = cache.parts(&draft.path, &about);
                if !known.is_empty() && known.iter().map(|part| part.inputs).eq(inputs.iter().copied()) {
                    return Ok((known.to_vec(), None));
                }
                (known, Some(fs::read(&path).map_err(|error| Failure::io("read", &path, &error))?))
            }
            Ok(_) => (&[][..], None),
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => (&[][..], None),
            Err(error) => return Err(Failure::io("read", &path, &error)),
        };
        let (text, parts) = compose(draft, &inputs, known, found.as_deref().unwrap_or_default());
        let differs = found.as_deref() != Some(text.as_bytes());
        let found = found.filter(|_| differs).and_then(|bytes| String::from_utf8(bytes).ok());
        let output = Output { path: draft.path.clone(), text };
        Ok((parts, differs.then_some(Stale { output, found, path })))
    });
    let compared: Vec<_> = compared.collect();
    let (mut files, mut stale) = (Vec::new(), Vec::new());
    for (draft, compared) in drafts.iter().zip(compared) {
        let (parts, differs) = compared?;
        files.push((draft.path.clone(), parts));
        stale.extend(differs);
    }
    Ok(Plan { folders, stale, orphans, files })
}

/// A file's text, and its parts. Those that are known are taken from what was found.
fn compose(draft: &Draft<'_>, inputs: &[u64], known: &[CachedPart], found: &[u8]) -> (String, Vec<CachedPart>) {
    let mut start = 0;
    let known = known.iter().map(|part| {
        let range = start..start + part.length;
        start = range.end;
        Some((part.inputs, range))
    });
    // Where parts come or go, every digest is another.
    let known = known.chain(std::iter::repeat(None));
    let wanted: Vec<_> = draft.parts.iter().zip(inputs).zip(known).collect();
    let texts = wanted.par_iter().map(|((part, inputs), known)| {
        let known = known.as_ref().filter(|(old, _)| old == *inputs);
        let old = known.and_then(|(_, range)| std::str::from_utf8(found.get(range.clone())?).ok());
        old.map_or_else(|| Cow::Owned(part.text()), Cow::Borrowed)
    });
    let texts: Vec<Cow<'_, str>> = texts.collect();
    let parts = texts.iter().zip(inputs).map(|(text, &inputs)| CachedPart { inputs, length: text.len() }).collect();
    (texts.concat(), parts)
}

impl Plan {
    /// Whether the disk is as it should be.
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
        // The first one alone: gen knows its folder by it.
        let (first, rest) = self.stale.split_at(self.stale.len().min(1));
        let write_all = |all: &[Stale]| -> Vec<Result<(), Failure>> {
            all.par_iter().map(|stale| write_atomically(&stale.path, &stale.output.text)).collect()
        };
        [first, rest].into_iter().flat_map(write_all).collect()
    }
}

/// Every file below the folder that git would not ignore.
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

/// Keeps other runs of gen out of the project until it is dropped, where the system can lock a folder. Where it cannot,
/// two runs at once may hinder each other, and the next one mends it.
pub fn lock(root: &Path) -> Option<fs::File> {
    let folder = fs::File::open(root.join(MANIFESTS)).ok()?;
    folder.lock().ok()?;
    Some(folder)
}

/// Whether a file says in its first lines that gen wrote it.
fn is_marked(path: &Path) -> bool {
    fs::read(path).is_ok_and(|bytes| {
        let start = &bytes[..bytes.len().min(256)];
        start.windows(MARK.len()).any(|window| window == MARK.as_bytes())
    })
}

/// Folders that hold nothing are nothing to git, and may as well go.
fn remove_empty_folders(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten().filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir())) {
        remove_empty_folders(&entry.path());
        // Fails where the folder is not empty, which is what is wanted.
        let _ = fs::remove_dir(entry.path());
    }
}
