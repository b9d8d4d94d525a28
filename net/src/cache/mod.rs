//! Keeps answers in a folder, which several processes may share.
//!
//! A file that cannot be read or written is never an error: the server is asked, as it would be without a cache.

mod entry;
mod freshness;

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use sha2::{Digest as _, Sha256};

pub(crate) use entry::Entry;

use crate::fetch::Hop;

/// The end of the names of the files with answers.
const ANSWER: &str = ".answer";
/// The end of the names of files that are being written.
const UNFINISHED: &str = ".unfinished";
/// The age at which the writer of an unfinished file has certainly ended.
const ABANDONED: Duration = Duration::from_hours(1);
/// A file needs at least this number of bytes on the disk.
const BLOCK: u64 = 4 << 10;

/// Answers in a folder, up to a total size. Those that were not used for the longest time are removed first.
///
/// Only answers are kept that the server allows to be kept. They are used for as long as it says, and after that only if it says that they
/// have not changed. Nothing is kept from a request with a header other than `Accept` and `Accept-Language`, such as one with a key.
#[derive(Debug, Clone)]
pub struct Cache {
    folder: Arc<Path>,
    max_bytes: u64,
    /// The number of bytes that may be written before the files are counted again.
    uncounted: Arc<AtomicU64>,
}

impl Cache {
    /// Opens the cache in a folder. If it is missing, it is made, for its owner only, as its files are. `max_bytes` is the size of all files;
    /// an answer of more than an eighth of it is not kept. Each further process that writes at the same time may add a sixteenth.
    ///
    /// # Errors
    /// If the folder cannot be made.
    pub fn open(folder: &Path, max_bytes: u64) -> io::Result<Self> {
        let mut builder = DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(folder)?;
        Ok(Self { folder: folder.into(), max_bytes, uncounted: Arc::default() })
    }

    /// Returns the place of the answer to a request: to an address, with everything else on which the answer may depend.
    pub(crate) fn place(&self, address: &str, others: &[&[u8]]) -> Place<'_> {
        let mut key = Sha256::new();
        for part in [address.as_bytes()].iter().chain(others) {
            key.update(part.len().to_le_bytes());
            key.update(part);
        }
        let name = key.finalize().iter().fold(String::new(), |name, byte| name + &format!("{byte:02x}"));
        Place { cache: self, path: self.folder.join(name + ANSWER), address: address.to_owned() }
    }

    fn max_file(&self) -> u64 {
        self.max_bytes / 8
    }

    /// Makes room for a new file. Counting all files for each new one would take most of the time of a fetch.
    fn make_room(&self, bytes: u64) -> io::Result<()> {
        let (size, order) = (size_on_disk(bytes), Ordering::Relaxed);
        let is_counted = self.uncounted.fetch_update(order, order, |left| left.checked_sub(size)).is_ok();
        if !is_counted {
            let total = self.trim(size)?;
            let left = self.max_bytes.saturating_sub(total + size).min(self.max_bytes / 16);
            self.uncounted.store(left, order);
        }
        Ok(())
    }

    /// Removes the files that were not used for the longest time, if the others and a new one would be too large. Returns their size.
    fn trim(&self, new: u64) -> io::Result<u64> {
        let (mut files, mut total) = (Vec::new(), 0_u64);
        for file in fs::read_dir(&self.folder)?.flatten() {
            let name = file.file_name();
            let is = |end: &str| name.to_str().is_some_and(|name| name.ends_with(end));
            let Ok(metadata) = file.metadata() else { continue };
            if !metadata.is_file() || !(is(ANSWER) || is(UNFINISHED)) {
                continue;
            }
            let used = metadata.modified().unwrap_or(UNIX_EPOCH);
            if is(UNFINISHED) && used.elapsed().is_ok_and(|age| age > ABANDONED) {
                let _ = fs::remove_file(file.path());
                continue;
            }
            total += size_on_disk(metadata.len());
            if is(ANSWER) {
                files.push((used, size_on_disk(metadata.len()), file.path()));
            }
        }
        if total + new > self.max_bytes {
            files.sort();
            // Some more, so that this is not necessary for each file.
            let enough = self.max_bytes - self.max_bytes / 8;
            for (_, size, path) in files {
                if total + new <= enough {
                    break;
                }
                let _ = fs::remove_file(path);
                total -= size;
            }
        }
        Ok(total)
    }
}

fn size_on_disk(bytes: u64) -> u64 {
    bytes.next_multiple_of(BLOCK).max(BLOCK)
}

/// The place of an answer in a cache.
#[derive(Debug)]
pub(crate) struct Place<'c> {
    cache: &'c Cache,
    path: PathBuf,
    address: String,
}

impl Place<'_> {
    /// Returns the answer that is kept, and notes that it is used.
    pub(crate) fn read(&self) -> Option<Entry> {
        // To open a pipe could take forever.
        let is_file = fs::symlink_metadata(&self.path).ok()?.is_file();
        let file = is_file.then(|| OpenOptions::new().read(true).write(true).open(&self.path).ok())??;
        let mut bytes = Vec::new();
        let read = (&file).take(self.cache.max_file() + 1).read_to_end(&mut bytes).ok()?;
        let entry = Entry::from_bytes(&bytes, &self.address).filter(|_| read as u64 <= self.cache.max_file())?;
        let _ = file.set_modified(SystemTime::now());
        Some(entry)
    }

    /// Keeps an answer, or removes the one before it if it is not kept.
    pub(crate) fn keep(&self, hop: &Hop, requested: u64, received: u64) {
        // The answer before it may still be right.
        if !hop.status.is_server_error() {
            self.write(Entry::new(&self.address, hop, requested, received).as_ref());
        }
    }

    /// Keeps an answer of which the server has said that it has not changed, and returns it with the new headers.
    pub(crate) fn renew(&self, entry: Entry, hop: &Hop, requested: u64, received: u64) -> Entry {
        let renewed = entry.renewed(&hop.headers, requested, received);
        // If the server must be asked again anyway, the file is as good as a new one.
        if !renewed.may_be_kept() {
            self.write(None);
        } else if renewed.is_fresh(received) {
            self.write(Some(&renewed));
        }
        renewed
    }

    fn write(&self, entry: Option<&Entry>) {
        let bytes = entry.and_then(Entry::to_bytes).filter(|bytes| bytes.len() as u64 <= self.cache.max_file());
        // If this fails, the next fetch asks the server.
        let _ = match bytes {
            Some(bytes) => self.cache.make_room(bytes.len() as u64).and_then(|()| self.write_file(&bytes)),
            None => fs::remove_file(&self.path),
        };
    }

    /// Writes a file in one step, so that no other process reads a part of it.
    fn write_file(&self, bytes: &[u8]) -> io::Result<()> {
        let mut file = tempfile::Builder::new().suffix(UNFINISHED).tempfile_in(&self.cache.folder)?;
        File::write_all(file.as_file_mut(), bytes)?;
        // To rename over a file makes ext4 write to the disk first, which takes milliseconds.
        let _ = fs::remove_file(&self.path);
        file.persist(&self.path)?;
        Ok(())
    }
}

/// Returns the time in seconds since 1970.
pub(crate) fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs())
}
