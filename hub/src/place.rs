//! Where the hub keeps its state, and how files there are read and written.
//!
//! | path below the folder of all skills | content |
//! |---|---|
//! | `.hub/lock.json` | what is installed |
//! | `.hub/taps.json` | the repositories that are searched |
//! | `.hub/base/NAME/` | the files of a skill as the source has them, for updates |
//! | `.hub/removed/TIME/` | what a change has replaced, with `undo.json` |
//! | `.hub/staging/` | files of a change that has not begun |
//! | `.hub/journal.json` | the change that is running |
//! | `.hub/busy` | locked by the process that changes something |

use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::bundle::{join, sync_folder};
use crate::error::HubError;
use crate::name::SkillName;

/// The folder of the hub, below the folder of all skills.
pub(crate) const HUB: &str = ".hub";
/// The maximum size of a file of the hub, in bytes. A skill in the lock has about one kilobyte.
const MAX_BYTES: u64 = 16 << 20;
/// How long to wait while another process changes something.
const BUSY_TIMEOUT: Duration = Duration::from_secs(10);

/// The folder of all skills, with the folder of the hub.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    skills: PathBuf,
}

/// Keeps other processes and threads from changing skills, until it is dropped or the process ends.
#[derive(Debug)]
pub(crate) struct Exclusive {
    _file: File,
}

impl Place {
    pub(crate) fn new(skills: PathBuf) -> Self {
        Self { skills }
    }

    pub(crate) fn skills(&self) -> &Path {
        &self.skills
    }

    /// Returns a path below the folder of all skills, which is written with `/`.
    pub(crate) fn at(&self, path: &str) -> PathBuf {
        join(&self.skills, path)
    }

    pub(crate) fn lock_file(&self) -> PathBuf {
        self.at(".hub/lock.json")
    }

    pub(crate) fn taps_file(&self) -> PathBuf {
        self.at(".hub/taps.json")
    }

    pub(crate) fn journal_file(&self) -> PathBuf {
        self.at(".hub/journal.json")
    }

    /// Returns the folder with the files of a skill as the source has them, below the folder of all skills.
    pub(crate) fn base(name: &SkillName) -> String {
        format!("{HUB}/base/{name}")
    }

    /// Waits until no other process or thread changes skills.
    pub(crate) fn exclusive(&self) -> Result<Exclusive, HubError> {
        let path = self.at(".hub/busy");
        for folder in ["base", "removed", "staging"] {
            let folder = self.at(&format!("{HUB}/{folder}"));
            create_folder(&folder).map_err(HubError::io("make the folder", &folder))?;
        }
        let mut options = OpenOptions::new();
        let opened = options.write(true).create(true).truncate(false).open(&path);
        let file = opened.map_err(HubError::io("open", &path))?;
        let started = Instant::now();
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(Exclusive { _file: file }),
                Err(TryLockError::Error(error)) => return Err(HubError::io("lock", &path)(error)),
                Err(TryLockError::WouldBlock) if started.elapsed() > BUSY_TIMEOUT => return Err(HubError::Busy),
                Err(TryLockError::WouldBlock) => thread::sleep(Duration::from_millis(5)),
            }
        }
    }

    /// Replaces a file of the hub in one step.
    pub(crate) fn write(&self, path: &Path, text: &str) -> Result<(), HubError> {
        let write = || -> io::Result<()> {
            // What a killed process leaves is in `staging`, which the next one empties.
            let mut file = tempfile::NamedTempFile::new_in(self.at(".hub/staging"))?;
            file.write_all(text.as_bytes())?;
            file.as_file().sync_all()?;
            file.persist(path).map_err(|error| error.error)?;
            path.parent().into_iter().for_each(sync_folder);
            Ok(())
        };
        write().map_err(HubError::io("write", path))
    }

    /// Fails if a folder on the way to a path is a link, or something else than a folder, unless it is one of those that are taken away.
    pub(crate) fn check_parents(&self, path: &str, taken: &[&str]) -> Result<(), HubError> {
        let ends = path.match_indices('/').map(|(at, _)| at).filter(|at| !taken.contains(&&path[..*at]));
        for end in ends {
            let folder = self.at(&path[..end]);
            match fs::symlink_metadata(&folder) {
                Ok(meta) if meta.is_symlink() => return Err(HubError::Link(folder)),
                Ok(meta) if !meta.is_dir() => return Err(HubError::Occupied(folder, None)),
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
                Err(error) => return Err(HubError::io("read", &folder)(error)),
            }
        }
        Ok(())
    }
}

/// Returns whether something is at a path, even a link that leads nowhere.
pub(crate) fn exists(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok()
}

fn create_folder(folder: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// Reads a text file. `None` if it does not exist.
pub(crate) fn read_text(path: &Path) -> Result<Option<String>, HubError> {
    let meta = match fs::metadata(path) {
        Ok(meta) => meta,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(HubError::io("read", path)(error)),
    };
    let mut bytes = Vec::new();
    let read = if !meta.is_file() {
        Err(io::Error::other("it is not a file"))
    } else if meta.len() > MAX_BYTES {
        Err(io::Error::other(format!("it has more than {MAX_BYTES} bytes")))
    } else {
        File::open(path).and_then(|file| file.take(MAX_BYTES).read_to_end(&mut bytes))
    };
    read.map_err(HubError::io("read", path))?;
    String::from_utf8(bytes).map(Some).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let line = error.as_bytes()[..at].split(|byte| *byte == b'\n').count();
        HubError::Damaged { path: path.to_owned(), line, reason: "it is not UTF-8".to_owned() }
    })
}

/// Reads JSON of the hub. `None` if the file does not exist.
pub(crate) fn read_json<T: DeserializeOwned>(path: &Path) -> Result<Option<T>, HubError> {
    let Some(text) = read_text(path)? else { return Ok(None) };
    serde_json::from_str(&text).map(Some).map_err(|error| damaged(path, &error))
}

/// Returns the text of a file of the hub.
pub(crate) fn json_text<T: Serialize>(value: &T) -> String {
    serde_json::to_string_pretty(value).expect("it has only texts, numbers, lists and maps with text keys") + "\n"
}

/// Returns the error of JSON that cannot be read.
pub(crate) fn damaged(path: &Path, error: &serde_json::Error) -> HubError {
    HubError::Damaged { path: path.to_owned(), line: error.line().max(1), reason: error.to_string() }
}
