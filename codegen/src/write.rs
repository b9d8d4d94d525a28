//! The write stage: the only one that changes the disk. Each file, or the whole folder if it is new, is written atomically, unchanged files
//! are not touched, and files that gen did not write are removed from its folders.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs::{self, File, Metadata};
use std::io::{self, ErrorKind, Read as _, Seek as _, SeekFrom, Write as _};
use std::ops::Range;
use std::path::{Path, PathBuf};

use ignore::WalkBuilder;
use rayon::prelude::*;
use walkdir::WalkDir;

use crate::build_cache::{BuildCache, CachedFile, CachedPart, Digests, GeneratedFile, fingerprint, text_digest};
use crate::emit::{Draft, Part};
use crate::failure::Failure;
use crate::project::{MANIFESTS, MARK, TEMPORARY, is_temporary, write_in_folder};
use crate::quick::QuickSet;

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
    has_empty_folders: bool,
}

/// A folder that gen owns: it removes any other file there, except those that git ignores.
#[derive(Debug)]
struct Folder {
    /// The path relative to the project, with `/` at its end.
    name: String,
    /// The path on disk. Links are resolved.
    path: PathBuf,
    is_new: bool,
}

impl Folder {
    fn new(root: &Path, name: &str) -> Self {
        let path = root.join(name);
        let is_new = fs::symlink_metadata(&path).is_err_and(|error| error.kind() == ErrorKind::NotFound);
        Self { name: format!("{name}/"), path: fs::canonicalize(&path).unwrap_or(path), is_new }
    }

    /// Returns the folder next to this one in which the files of a new folder are written.
    fn stage(&self) -> PathBuf {
        let name = self.path.file_name().unwrap_or_default().to_string_lossy();
        self.path.with_file_name(format!("{TEMPORARY}{name}"))
    }

    /// Returns the paths of all files, and whether a folder is empty.
    fn files(&self) -> (Vec<PathBuf>, bool) {
        let (mut files, mut has_empty) = (Vec::new(), false);
        // The depth of the previous entry, if it is a folder.
        let mut opened = None;
        for entry in WalkDir::new(&self.path).into_iter().filter_map(Result::ok) {
            has_empty |= opened.is_some_and(|depth| entry.depth() <= depth);
            opened = entry.file_type().is_dir().then(|| entry.depth());
            if opened.is_none() {
                files.push(entry.into_path());
            }
        }
        (files, has_empty || opened.is_some())
    }
}

/// A file that gen must write.
#[derive(Debug)]
pub struct Stale {
    /// The path relative to the project, with `/` as separator.
    pub name: String,
    text: Text,
    /// Whether the file exists.
    pub exists: bool,
    /// The current content of the file, or `None` if it is missing or was not read.
    pub found: Option<Vec<u8>>,
    /// Whether the file contains packed data, which people cannot review.
    pub is_packed: bool,
    path: PathBuf,
}

/// The text of a file to write.
#[derive(Debug)]
enum Text {
    Whole(String),
    /// The text of a large file of which little has changed, and the metadata that the file must still have.
    Pieces(Vec<Piece>, Metadata),
}

#[derive(Debug)]
enum Piece {
    /// Bytes of the old file.
    Old(Range<usize>),
    New(String),
}

/// A file that gen did not write, in a folder that gen owns.
#[derive(Debug)]
pub struct Orphan {
    /// The path relative to the project.
    pub name: String,
    path: PathBuf,
}

/// Compares the output with the disk. gen owns these `folders` of the project at `root`. A file that is unchanged since the last run,
/// according to `cache`, is not read.
///
/// # Errors
/// If a folder cannot be read, or contains files but none that gen wrote.
pub fn plan<'f>(
    root: &Path,
    folders: impl Iterator<Item = &'f str>,
    drafts: &[Draft<'_>],
    digests: &Digests,
    cache: &BuildCache,
) -> Result<Plan, Failure> {
    let folders: Vec<Folder> = folders.map(|name| Folder::new(root, name)).collect();
    let path_on_disk = |draft: &Draft<'_>| {
        let found = folders.iter().find_map(|folder| Some((folder, draft.path.strip_prefix(&folder.name)?)));
        let (folder, rest) =
            found.unwrap_or_else(|| unreachable!("an emitter writes to {}, which gen does not own", draft.path));
        // With the separator of the system, as the paths below the folder are found.
        let mut path = PathBuf::with_capacity(folder.path.as_os_str().len() + 1 + rest.len());
        path.push(&folder.path);
        path.extend(rest.split('/'));
        path
    };
    let (paths, found): (Vec<PathBuf>, Vec<(Vec<PathBuf>, bool)>) =
        rayon::join(|| drafts.iter().map(path_on_disk).collect(), || folders.iter().map(Folder::files).collect());
    let wanted: QuickSet<&OsStr> = paths.iter().map(|path| path.as_os_str()).collect();
    let is_wanted = |path: &PathBuf| wanted.contains(path.as_os_str());
    let mut orphans = Vec::new();
    let has_empty_folders = found.iter().any(|(_, has_empty)| *has_empty);
    for (folder, (all, _)) in folders.iter().zip(found) {
        // Looking up what git ignores is slow, and only necessary if there are other files.
        let present = if all.iter().all(is_wanted) { all } else { present(&folder.path)? };
        if !present.iter().all(|path| is_temporary(path))
            && !paths.iter().any(|path| path.starts_with(&folder.path) && is_marked(path))
        {
            return Err(Failure::new(format!(
                "{} contains files that gen did not write: move them away, or delete the folder, and run gen again",
                folder.path.display()
            )));
        }
        for path in present.into_iter().filter(|path| !is_wanted(path)) {
            let relative = path.strip_prefix(&folder.path).unwrap_or(&path).display();
            orphans.push(Orphan { name: format!("{}{relative}", folder.name), path });
        }
    }
    // Each file is a job of its own, because their sizes differ: one thread might otherwise get all large ones.
    let drafts = drafts.par_iter().zip(&paths).with_max_len(1);
    let compared: Vec<Result<_, Failure>> = drafts.map(|(draft, path)| compare(draft, path, digests, cache)).collect();
    let mut files = Vec::new();
    let mut stale = Vec::new();
    for compared in compared {
        let (file, change) = compared?;
        files.push(file);
        stale.extend(change);
    }
    Ok(Plan { folders, stale, orphans, files, has_empty_folders })
}

/// Compares a draft with the file at `path`. Returns the file for the cache, and the change if the file differs.
fn compare(
    draft: &Draft<'_>,
    path: &Path,
    digests: &Digests,
    cache: &BuildCache,
) -> Result<(GeneratedFile, Option<Stale>), Failure> {
    let generated = |file| GeneratedFile { path: draft.path.clone(), file };
    let stale = |text, found: Option<Vec<u8>>, exists| Stale {
        name: draft.path.clone(),
        text,
        exists,
        found,
        is_packed: draft.is_packed,
        path: path.to_owned(),
    };
    let inputs: Vec<u64> = draft.parts.iter().map(|part| digests.get(&part.inputs)).collect();
    let mut found = None;
    match fs::symlink_metadata(path) {
        Ok(metadata) if metadata.is_file() => {
            if let Some(cached) = cache.by_time(&draft.path, &metadata) {
                if cached.has_inputs(&inputs) {
                    return Ok((generated(None), None));
                }
                let (text, file) = update(draft, &inputs, cached, &metadata);
                let is_same = file.has_text_of(cached);
                return Ok((generated(Some(file)), (!is_same).then(|| stale(text, None, true))));
            }
            let text = fs::read(path).map_err(|error| Failure::io("read", path, &error))?;
            if cache.with_text(&draft.path, &text).is_some_and(|file| file.has_inputs(&inputs)) {
                return Ok((generated(None), None));
            }
            found = Some(text);
        }
        Ok(_) => {}
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {}
        Err(error) => return Err(Failure::io("read", path, &error)),
    }
    let parts: Vec<_> = draft.parts.iter().zip(&inputs).collect();
    let (texts, parts): (Vec<String>, _) =
        parts.par_iter().with_max_len(1).map(|(part, inputs)| render(part, **inputs)).unzip();
    let file = generated(Some(CachedFile { parts }));
    let text = match <[String; 1]>::try_from(texts) {
        Ok([text]) => text,
        Err(texts) => texts.concat(),
    };
    if found.as_deref() == Some(text.as_bytes()) {
        return Ok((file, None));
    }
    let exists = found.is_some();
    Ok((file, Some(stale(Text::Whole(text), found, exists))))
}

fn render(part: &Part<'_>, inputs: u64) -> (String, CachedPart) {
    let text = part.text();
    let part = CachedPart { inputs, digest: text_digest(text.as_bytes()), length: text.len() };
    (text, part)
}

/// Returns the text of a file that is unchanged since the last run, and the file for the cache. A part whose inputs equal those of the
/// cached part at the same index is copied from the file, which has these `metadata`; the others are rendered.
fn update(draft: &Draft<'_>, inputs: &[u64], cached: &CachedFile, metadata: &Metadata) -> (Text, CachedFile) {
    // If a part was added or removed, all digests differ, so the wrong index does no harm.
    let cached = cached.places().map(Some).chain(std::iter::repeat(None));
    let parts: Vec<_> = draft.parts.iter().zip(inputs).zip(cached).collect();
    let pieces = parts.par_iter().with_max_len(1).map(|((part, inputs), cached)| {
        if let Some((old, place)) = cached.as_ref().filter(|(old, _)| old.inputs == **inputs) {
            return (Piece::Old(place.clone()), *old);
        }
        let (text, part) = render(part, **inputs);
        (Piece::New(text), part)
    });
    let (pieces, parts): (Vec<Piece>, Vec<CachedPart>) = pieces.unzip();
    let all_new: Option<String> = pieces.iter().map(Piece::new_text).collect();
    let text = all_new.map_or_else(|| Text::Pieces(joined(pieces), metadata.clone()), Text::Whole);
    (text, CachedFile { parts })
}

impl Piece {
    fn new_text(&self) -> Option<&str> {
        match self {
            Self::New(text) => Some(text),
            Self::Old(_) => None,
        }
    }
}

/// Joins the pieces that follow one another in the old file.
fn joined(pieces: Vec<Piece>) -> Vec<Piece> {
    let mut joined: Vec<Piece> = Vec::new();
    for piece in pieces {
        match (joined.last_mut(), piece) {
            (Some(Piece::Old(last)), Piece::Old(next)) if last.end == next.start => last.end = next.end,
            (_, piece) => joined.push(piece),
        }
    }
    joined
}

impl Stale {
    /// Returns the whole text to write, or `None` if parts of the file are copied.
    pub fn text(&self) -> Option<&str> {
        match &self.text {
            Text::Whole(text) => Some(text),
            Text::Pieces(..) => None,
        }
    }

    /// Writes the file, in a folder that exists.
    fn write(&self) -> Result<(), Failure> {
        write_in_folder(&self.path, self.exists, |file| match &self.text {
            Text::Whole(text) => file.write_all(text.as_bytes()),
            Text::Pieces(pieces, metadata) => copy(&self.path, pieces, metadata, file),
        })
    }
}

/// Writes pieces to a file. Those of the file at `path` are copied, which must still have these `metadata`.
fn copy(path: &Path, pieces: &[Piece], metadata: &Metadata, to: &mut File) -> io::Result<()> {
    let mut old = File::open(path)?;
    for piece in pieces {
        match piece {
            Piece::New(text) => to.write_all(text.as_bytes())?,
            Piece::Old(place) => {
                let [start, end] = [place.start, place.end].map(|offset| offset as u64);
                old.seek(SeekFrom::Start(start))?;
                io::copy(&mut (&old).take(end - start), to)?;
            }
        }
    }
    if fingerprint(&old.metadata()?) == fingerprint(metadata) {
        return Ok(());
    }
    Err(io::Error::other("another program has changed it in the meantime: run gen again"))
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
        if self.has_empty_folders || !self.orphans.is_empty() {
            self.folders.iter().for_each(|folder| remove_empty_folders(&folder.path));
        }
        let mut others: Vec<&Stale> = self.stale.iter().collect();
        let mut staged = Vec::new();
        for folder in self.folders.iter().filter(|folder| folder.is_new) {
            let (inside, outside): (Vec<&Stale>, _) =
                others.into_iter().partition(|stale| stale.path.starts_with(&folder.path));
            if !inside.is_empty() {
                fill_stage(folder, inside)?;
                staged.push(folder);
            }
            others = outside;
        }
        create_folders(others.iter().map(|stale| &*stale.path))?;
        // One file before all others: if this run is stopped, the next one recognizes its folder by a file with the mark.
        let (first, rest) = others.split_at(others.len().min(1));
        // One file after all others: the digests of the manifests.
        let (rest, last) = rest.split_at(rest.len().saturating_sub(1));
        let write_all = |files: &[&Stale]| -> Result<(), Failure> {
            let results: Vec<_> = files.par_iter().map(|stale| stale.write()).collect();
            results.into_iter().collect()
        };
        write_all(first)?;
        write_all(rest)?;
        for folder in staged {
            fs::rename(folder.stage(), &folder.path).map_err(|error| Failure::io("create", &folder.path, &error))?;
        }
        write_all(last)
    }
}

/// Writes the files of a new folder into its stage, which then only needs to be renamed. This saves the temporary file of each, and the
/// folder is complete as soon as it exists.
fn fill_stage(folder: &Folder, files: Vec<&Stale>) -> Result<(), Failure> {
    let stage = folder.stage();
    // A run that was stopped may have left it.
    match fs::remove_dir_all(&stage) {
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(Failure::io("remove", &stage, &error)),
        _ => {}
    }
    let staged = |stale: &Stale| stage.join(stale.path.strip_prefix(&folder.path).unwrap_or(&stale.path));
    let files: Vec<(PathBuf, &str)> =
        files.into_iter().map(|stale| (staged(stale), stale.text().unwrap_or_default())).collect();
    create_folders(files.iter().map(|(path, _)| &**path))?;
    let write =
        |(path, text): &(PathBuf, &str)| fs::write(path, text).map_err(|error| Failure::io("write", path, &error));
    files.par_iter().try_for_each(write)
}

/// Creates the folders of these files.
fn create_folders<'p>(files: impl Iterator<Item = &'p Path>) -> Result<(), Failure> {
    let needed: BTreeSet<&Path> = files.filter_map(Path::parent).collect();
    for folder in needed {
        fs::create_dir_all(folder).map_err(|error| Failure::io("create", folder, &error))?;
    }
    Ok(())
}

/// The folder in which Python keeps compiled modules, next to each module that was imported.
const PYTHON_CACHE: &str = "__pycache__";

/// Returns the files of the folder that git does not ignore, without those that Python keeps.
fn present(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    if fs::symlink_metadata(folder).is_err_and(|error| error.kind() == ErrorKind::NotFound) {
        return Ok(Vec::new());
    }
    let mut files = Vec::new();
    let mut walk = WalkBuilder::new(folder);
    walk.filter_entry(|entry| entry.file_name() != PYTHON_CACHE);
    for entry in walk.hidden(false).ignore(false).build() {
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
pub fn lock(root: &Path) -> Option<File> {
    let folder = File::open(root.join(MANIFESTS)).ok()?;
    folder.lock().ok()?;
    Some(folder)
}

/// Returns whether a file has the mark of gen in its first 256 bytes.
fn is_marked(path: &Path) -> bool {
    let mut start = Vec::new();
    File::open(path).and_then(|file| file.take(256).read_to_end(&mut start)).is_ok()
        && start.windows(MARK.len()).any(|window| window == MARK.as_bytes())
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
