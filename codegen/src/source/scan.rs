//! The scan stage: reads the manifests of a project from disk. Whatever lies among them and is not a file is reported, and does not
//! prevent the others from being read.

use std::fs::{self, FileType};
use std::io::{self, Read as _};
use std::path::Path;
use std::sync::OnceLock;
use std::time::SystemTime;

use rayon::prelude::*;

use super::path::{relative, relative_or_lossy};
use super::stamps::{Stamps, is_settled, state};
use super::text::read;
use super::walk::{Found, MAX_BYTES, walk};
use super::{Fault, Kind, Source, SourceText, is_source};
use crate::failure::Failure;
use crate::project::{MANIFESTS, PLUGIN, SETTINGS};

/// Returns the sources of the project in the folder `root`.
///
/// A file with the stamp of the last run is not read.
///
/// # Errors
/// If the folder with the manifests cannot be read. Only a plugin need not have one.
pub(super) fn read_all(root: &Path, stamps: Option<&Stamps<'_>>) -> Result<Vec<Source>, Failure> {
    let folder = root.join(MANIFESTS);
    let found = match fs::read_dir(&folder) {
        Ok(_) => walk(&folder),
        // A plugin may have hooks only.
        Err(error) if error.kind() == io::ErrorKind::NotFound && root.join(PLUGIN).is_file() => Vec::new(),
        Err(error) => return Err(Failure::io("read", &folder, &error)),
    };
    let mut sources: Vec<Source> = found.par_iter().filter_map(|one| found_source(root, one, &found, stamps)).collect();
    for path in [SETTINGS, PLUGIN].map(|file| root.join(file)) {
        match fs::metadata(&path) {
            Ok(about) => sources.extend(source(root, &path, about.file_type(), None)),
            Err(_) if fs::symlink_metadata(&path).is_err() => {}
            Err(error) => {
                sources.extend(relative(root, &path).ok().map(|relative| unreadable(&path, relative, &error)));
            }
        }
    }
    Ok(sources)
}

/// Returns the source at a path, or `None` if nothing of this name can be a manifest.
fn source(root: &Path, path: &Path, file_type: FileType, stamps: Option<&Stamps<'_>>) -> Option<Source> {
    let relative = match relative(root, path) {
        Ok(relative) => relative,
        Err(lossy) => {
            let message = "has a name that is not UTF-8";
            return is_source(&lossy).then(|| Source::unreadable(lossy, message, "rename the file, or its folder"));
        }
    };
    if file_type.is_dir() {
        let message = "is a folder, not a file";
        let is_like = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("toml"));
        return is_like.then(|| Source::unreadable(relative, message, "rename or remove the folder"));
    }
    if !is_source(&relative) {
        return None;
    }
    if !file_type.is_file() {
        let message = format!("is {}, not a file", noun(file_type));
        return Some(Source::unreadable(relative, message, "replace it with a file, or remove it"));
    }
    if let Some(stamps) = stamps.filter(|_| Kind::from_path(&relative) == Some(Kind::Tool)) {
        return Some(stamped(path, relative, stamps));
    }
    Some(read_source(path, relative))
}

/// Returns the source of a tool, without reading a file that has the stamp of the last run.
fn stamped(path: &Path, relative: String, stamps: &Stamps<'_>) -> Source {
    let now = SystemTime::now();
    let Ok(metadata) = fs::metadata(path) else { return read_source(path, relative) };
    let Some(state) = state(&metadata) else { return read_source(path, relative) };
    if let Some(stamp) = stamps.find(&relative).filter(|stamp| stamp.state == state) {
        return Source {
            text: SourceText::unread(path.to_owned(), stamp.text),
            manifest_digest: OnceLock::from(stamp.manifest),
            has_comments: OnceLock::from(stamp.has_comments),
            state: Some(state),
            ..Source::new(relative, Vec::new())
        };
    }
    let source = read_source(path, relative);
    let is_valid = source.fault.is_none() && is_settled(&metadata, now);
    Source { state: Some(state).filter(|_| is_valid), ..source }
}

fn read_source(path: &Path, relative: String) -> Source {
    match read(path) {
        Ok(bytes) if bytes.len() as u64 > MAX_BYTES => {
            let message = format!("the file is larger than {MAX_BYTES} bytes, the maximum for a manifest");
            let fault = Fault::Text { at: 0, message, help: "check that the file is a manifest" };
            Source { fault: Some(fault), ..Source::new(relative, Vec::new()) }
        }
        Ok(bytes) => Source::new(relative, bytes),
        Err(error) => unreadable(path, relative, &error),
    }
}

/// Returns the source of something that the walk found among `all`, or `None` if it cannot be a manifest or contain any.
fn found_source(root: &Path, found: &Found, all: &[Found], stamps: Option<&Stamps<'_>>) -> Option<Source> {
    let path = found.path()?;
    let relative = || relative_or_lossy(root, path);
    match found {
        Found::Entry(path, file_type) => source(root, path, *file_type, stamps),
        Found::Loop(_) => {
            Some(Source::unreadable(relative(), "is a link to a folder that contains it", "remove the link"))
        }
        Found::Again(_, first) => {
            let has_sources = |one: &Found| {
                one.path().is_some_and(|path| path.starts_with(first) && is_source(&relative_or_lossy(root, path)))
            };
            let message = format!("leads to `{}`, which is read there", relative_or_lossy(root, first));
            all.iter().any(has_sources).then(|| Source::unreadable(relative(), message, "remove the link"))
        }
        Found::Broken(_, error) => {
            // Without an extension, it may be meant for a folder of manifests.
            let relative = relative();
            let may_be_meant = path.extension().is_none() || is_source(&relative);
            may_be_meant.then(|| unreadable(path, relative, error))
        }
        Found::Refused(_, refusal) => {
            let target = fs::canonicalize(path).unwrap_or_default();
            let message = format!("is a link to `{}`, which is not read: {refusal}", target.display());
            let help = "replace the link with a link to a folder that contains only manifests, or with copies of the manifests";
            Some(Source::unreadable(relative(), message, help))
        }
        Found::Unreadable(error) => {
            let (relative, error) = (relative(), error.io_error()?);
            (path.is_dir() || is_source(&relative)).then(|| unreadable(path, relative, error))
        }
    }
}

fn unreadable(path: &Path, relative: String, error: &io::Error) -> Source {
    let (message, help) = match error.kind() {
        io::ErrorKind::NotFound => {
            let message = match fs::read_link(path) {
                Ok(target) => format!("is a link to `{}`, which does not exist", target.display()),
                Err(_) => "does not exist any more".to_owned(),
            };
            (message, "remove the link, or create its target")
        }
        io::ErrorKind::PermissionDenied => {
            ("cannot be read: permission denied".to_owned(), "allow your user to read it")
        }
        _ if path.is_symlink() => (format!("is a link that cannot be followed: {error}"), "remove the link"),
        _ => (format!("cannot be read: {error}"), "check the file and its disk"),
    };
    Source::unreadable(relative, message, help)
}

/// Returns the word for something that is not a file.
fn noun(file_type: FileType) -> &'static str {
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt as _;
        if file_type.is_fifo() {
            return "a named pipe";
        }
        if file_type.is_socket() {
            return "a socket";
        }
        if file_type.is_char_device() || file_type.is_block_device() {
            return "a device";
        }
    }
    if file_type.is_dir() { "a folder" } else { "something else" }
}

/// The maximum size of a baseline, which keeps every offset within 32 bits.
const MAX_BASELINE: u64 = 64 << 20;

/// Reads a text file.
pub(super) fn read_text(path: &Path) -> io::Result<String> {
    let about = fs::metadata(path)?;
    if !about.is_file() {
        return Err(io::Error::other(format!("it is {}, not a file", noun(about.file_type()))));
    }
    if about.len() > MAX_BASELINE {
        return Err(io::Error::other(format!("the file is larger than {MAX_BASELINE} bytes")));
    }
    let mut text = String::new();
    fs::File::open(path)?.take(MAX_BASELINE).read_to_string(&mut text)?;
    Ok(text)
}
