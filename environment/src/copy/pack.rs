//! Packs files of this machine into an archive.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;

use super::tar::{self, BLOCK, Entry, Kind};
use super::tree::{Node, Tree};
use super::{Copied, Limits};

/// The number of bytes of a file that are sent at a time.
const PART: usize = 64 * 1024;

/// A file, or a folder with its content.
#[derive(Debug)]
pub(super) struct Source {
    path: PathBuf,
    tree: Tree,
    limits: Limits,
    pub(super) copied: Copied,
}

impl Source {
    /// Lists all files, and leaves out entries that cannot be copied.
    ///
    /// # Errors
    /// If a folder cannot be read, or the files exceed the limits.
    pub(super) fn find(path: &Path, limits: &Limits) -> io::Result<Self> {
        let named = |error: io::Error| io::Error::new(error.kind(), format!("`{}`: {error}", path.display()));
        let mut source = Self {
            path: path.canonicalize().map_err(named)?,
            tree: Tree::default(),
            limits: *limits,
            copied: Copied::default(),
        };
        let mut pending = vec![PathBuf::new()];
        while let Some(below) = pending.pop() {
            source.add(below, &mut pending).map_err(named)?;
        }
        let links = source.tree.0.iter().filter_map(|(path, node)| match node {
            Node::Link(to) if !source.tree.stays_inside(path, to) => Some(path.clone()),
            _ => None,
        });
        let links: Vec<PathBuf> = links.collect();
        for link in &links {
            source.tree.0.remove(link);
        }
        source.copied.skipped.extend(links);
        Ok(source)
    }

    fn add(&mut self, below: PathBuf, pending: &mut Vec<PathBuf>) -> io::Result<()> {
        if self.tree.0.len() + self.copied.skipped.len() + pending.len() >= self.limits.max_entries {
            return Err(self.limits.too_many());
        }
        let path = self.full_path(&below);
        let metadata = fs::symlink_metadata(&path)?;
        let node = if metadata.is_file() {
            self.copied.files += 1;
            self.copied.bytes += metadata.len();
            if self.copied.bytes > self.limits.max_bytes {
                return Err(self.limits.too_large());
            }
            Node::File
        } else if metadata.is_dir() {
            if below.components().count() > self.limits.max_depth {
                let text = format!("`{}` is more than {} folders deep", path.display(), self.limits.max_depth);
                return Err(io::Error::new(io::ErrorKind::QuotaExceeded, text));
            }
            for entry in fs::read_dir(&path)? {
                pending.push(below.join(entry?.file_name()));
                if pending.len() > self.limits.max_entries {
                    return Err(self.limits.too_many());
                }
            }
            Node::Folder
        } else if metadata.is_symlink() {
            Node::Link(fs::read_link(&path)?)
        } else {
            self.copied.skipped.push(below);
            return Ok(());
        };
        self.tree.0.insert(below, node);
        Ok(())
    }

    fn full_path(&self, below: &Path) -> PathBuf {
        if below.as_os_str().is_empty() { self.path.clone() } else { self.path.join(below) }
    }

    /// Sends an archive in which the source has this name.
    ///
    /// # Errors
    /// If a file has changed since it was listed, or `write` fails.
    pub(super) fn send(&self, name: &OsStr, write: &mut dyn FnMut(&[u8]) -> io::Result<()>) -> io::Result<()> {
        for (below, node) in &self.tree.0 {
            let path = self.full_path(below);
            let named = |error: io::Error| match error.kind() {
                io::ErrorKind::BrokenPipe => error,
                _ => io::Error::new(error.kind(), format!("`{}` cannot be copied: {error}", path.display())),
            };
            let mut entry_name = OsString::from("./");
            entry_name.push(name);
            if !below.as_os_str().is_empty() {
                entry_name.push("/");
                entry_name.push(below);
            }
            let entry = |kind, mode, size| Entry { name: entry_name, kind, mode: mode & 0o777, size };
            match node {
                Node::Folder => {
                    let mode = fs::symlink_metadata(&path).map_err(named)?.mode();
                    // The receiver must be able to add files to the folder.
                    write(&tar::write_header(&entry(Kind::Folder, mode | 0o700, 0)))?;
                }
                Node::Link(to) => write(&tar::write_header(&entry(Kind::Link(to.into()), 0o777, 0)))?,
                Node::File => {
                    let (mut file, metadata) = open(&path).map_err(named)?;
                    write(&tar::write_header(&entry(Kind::File, metadata.mode(), metadata.len())))?;
                    send_content(&mut file, metadata.len(), write).map_err(named)?;
                    write(tar::padding(metadata.len()))?;
                }
            }
        }
        let result = write(&[0; 2 * BLOCK]);
        // `tar` may end before it has read the end of the archive.
        result.or_else(|error| if error.kind() == io::ErrorKind::BrokenPipe { Ok(()) } else { Err(error) })
    }
}

/// Opens a file. Fails if it is no longer a regular file.
fn open(path: &Path) -> io::Result<(File, fs::Metadata)> {
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
    let flags = i32::try_from(flags.bits()).map_err(io::Error::other)?;
    let file = OpenOptions::new().read(true).custom_flags(flags).open(path)?;
    let metadata = file.metadata()?;
    if metadata.is_file() { Ok((file, metadata)) } else { Err(io::Error::other("it is no longer a regular file")) }
}

fn send_content(file: &mut File, size: u64, send: &mut dyn FnMut(&[u8]) -> io::Result<()>) -> io::Result<()> {
    let mut part = vec![0; PART];
    let mut remaining = size;
    while remaining > 0 {
        let max = usize::try_from(remaining).unwrap_or(PART).min(PART);
        match file.read(&mut part[..max])? {
            0 => return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the file has become shorter")),
            read => {
                send(&part[..read])?;
                remaining -= read as u64;
            }
        }
    }
    Ok(())
}
