//! The lock of a recorded conversation: one process at a time writes to it.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use toolc_config::Home;

use crate::ground::error::{Error, Result};

/// The time to wait for the lock. A process that the holder starts keeps it until its program begins.
const WAIT: Duration = Duration::from_millis(300);
/// The time between two tries.
const PAUSE: Duration = Duration::from_millis(20);
/// The maximum length of the number of a process.
const MAX_DIGITS: u64 = 20;

/// The lock of a conversation, which this process holds until the value is dropped. It does not exclude other machines that share the
/// home: these are noticed when a message is added.
#[derive(Debug)]
pub(crate) struct Writer {
    path: PathBuf,
    /// The locked file, or `None` if the file system has no locks.
    file: Option<File>,
}

impl Writer {
    /// Locks the conversation. `advice` says what to do if another process holds the lock.
    ///
    /// # Errors
    /// If another process holds the lock, or the file cannot be written.
    pub(crate) fn lock(home: &Home, session: &str, advice: &str) -> Result<Self> {
        let path = home.session_lock(session);
        let until = Instant::now() + WAIT;
        loop {
            match try_lock(home, &path) {
                Ok(Attempt::Locked(file)) => return Ok(Self { path, file: Some(file) }),
                Ok(Attempt::Unsupported) => return Ok(Self { path, file: None }),
                Err(error) => {
                    return Err(Error::failed(
                        format!("lock the conversation {session} with {}", path.display()),
                        error,
                    ));
                }
                Ok(Attempt::Held) if Instant::now() < until => thread::sleep(PAUSE),
                Ok(Attempt::Held) => {
                    let process = holder(&path).map(|id| format!(" {id}")).unwrap_or_default();
                    return Err(Error::Invalid(format!(
                        "the process{process} works on the conversation {session}: wait until it ends{advice}"
                    )));
                }
            }
        }
    }
}

impl Drop for Writer {
    /// Removes the file while it is locked. A process that waits for it notices that it is gone.
    fn drop(&mut self) {
        if self.file.is_some() {
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// The outcome of one try to take a lock.
enum Attempt {
    Locked(File),
    /// Another process holds the lock.
    Held,
    /// The file system has no locks.
    Unsupported,
}

/// Opens and locks the file, and writes the number of this process into it.
fn try_lock(home: &Home, path: &Path) -> io::Result<Attempt> {
    loop {
        let folder = path.parent().unwrap_or(path);
        home.create(folder)?;
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(path)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Ok(Attempt::Held),
            Err(TryLockError::Error(_)) => return Ok(Attempt::Unsupported),
        }
        // The process before may have removed the file after this one had opened it.
        if is_at(&file, path) {
            file.set_len(0)?;
            file.write_all(std::process::id().to_string().as_bytes())?;
            return Ok(Attempt::Locked(file));
        }
    }
}

/// Returns whether an open file is the one at a path.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let id = |metadata: io::Result<fs::Metadata>| metadata.ok().map(|metadata| (metadata.dev(), metadata.ino()));
    id(file.metadata()).is_some_and(|open| id(fs::metadata(path)) == Some(open))
}

/// Returns whether an open file is the one at a path. Here, an open file cannot be removed.
#[cfg(not(unix))]
fn is_at(_: &File, path: &Path) -> bool {
    path.exists()
}

/// Returns the number of the process that has locked the file.
fn holder(path: &Path) -> Option<u32> {
    let mut text = String::new();
    File::open(path).ok()?.take(MAX_DIGITS).read_to_string(&mut text).ok()?;
    text.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_conversation_has_one_writer_at_a_time() {
        let folder = tempfile::tempdir().expect("failed to make a folder");
        let home = Home::at(folder.path());
        let first = Writer::lock(&home, "20260301-a", "").expect("the lock is free");
        let error = Writer::lock(&home, "20260301-a", ", or copy it").expect_err("the lock is held").to_string();
        let expected = format!("the process {} works on the conversation 20260301-a: ", std::process::id());
        assert!(error.starts_with(&expected) && error.ends_with(": wait until it ends, or copy it"), "{error}");
        let other = Writer::lock(&home, "20260301-b", "").expect("another conversation has another lock");
        drop((first, other));
        assert_eq!(fs::read_dir(folder.path().join("sessions")).expect("the folder exists").count(), 0);
        // A file that a killed process has left is not locked.
        fs::write(home.session_lock("20260301-a"), "1").expect("failed to write");
        drop(Writer::lock(&home, "20260301-a", "").expect("the lock is free"));
        // Without the file, nothing would exclude another process.
        fs::remove_dir_all(folder.path().join("sessions")).expect("failed to remove");
        fs::write(folder.path().join("sessions"), "").expect("failed to write");
        let error =
            Writer::lock(&home, "20260301-a", "").expect_err("a file is in the place of the folder").to_string();
        assert!(error.contains("lock the conversation 20260301-a with "), "{error}");
    }

    #[test]
    fn writers_that_begin_at_once_follow_one_another() {
        let folder = tempfile::tempdir().expect("failed to make a folder");
        let home = Home::at(folder.path());
        let writing = std::sync::Mutex::new(());
        thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for _ in 0..50 {
                        if let Ok(writer) = Writer::lock(&home, "a", "") {
                            let alone = writing.try_lock().expect("another writer holds the lock, too");
                            drop(alone);
                            drop(writer);
                        }
                    }
                });
            }
        });
    }
}
