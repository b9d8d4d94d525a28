//! Copies files and folders between this machine and an environment, as tar archives.
//!
//! The environment needs a shell and `tar`. A copy appears at its target as a whole or not at all, because it is first unpacked next to the
//! target. It never replaces an existing file.

mod pack;
mod tar;
mod task_copies;
mod tree;
mod unpack;

use std::ffi::OsStr;
use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use toolc_process::Sink;

use crate::lease::resource_name;
use crate::{Environment, Exit, Input, Launch, Output, Program, Running};
use pack::Source;
pub use task_copies::Copies;
use unpack::Unpacker;

/// A copy fails if no bytes are copied for this time.
const LIMIT: Duration = Duration::from_mins(2);
/// The pause before new bytes are offered to a program that does not read.
const PAUSE: Duration = Duration::from_millis(5);
/// The maximum length of an error message.
const MAX_TEXT: usize = 4096;

/// The beginning of both scripts, which checks that `tar` is installed.
const CHECK_TAR: &str = r"
command -v tar > /dev/null 2>&1 || { echo 'copying needs `tar`, which is not installed in the environment' >&2; exit 1; }
";
/// Archives the entry $2 of the folder $1.
const ARCHIVE: &str = r#"cd -- "$1" && exec tar -cf - "./$2""#;
/// Unpacks the entry $3 of an archive into the new folder $2, and renames it to $1.
const UNPACK: &str = r#"
does_not_exist() { [ ! -e "$1" ] && [ ! -h "$1" ] && return; echo "\`$1\` exists already" >&2; return 1; }
does_not_exist "$1" && mkdir -p -- "${1%/*}/" && mkdir -m 700 -- "$2" || exit 1
trap 'rm -rf -- "$2"' EXIT
trap 'exit 1' HUP INT TERM
tar -xof - -C "$2" && [ -e "$2/$3" ] && does_not_exist "$1" && mv -- "$2/$3" "$1"
"#;

/// The limits of a copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The maximum number of files, folders and links.
    pub max_entries: usize,
    /// The maximum size of all files together, in bytes.
    pub max_bytes: u64,
    /// The maximum depth of nested folders.
    pub max_depth: usize,
}

/// 100,000 entries, 2 GiB, and 100 levels of folders.
impl Default for Limits {
    fn default() -> Self {
        Self { max_entries: 100_000, max_bytes: 2 << 30, max_depth: 100 }
    }
}

impl Limits {
    fn too_many(&self) -> io::Error {
        exceeded(format!("the limit of {} files, folders and links is exceeded", self.max_entries))
    }

    fn too_large(&self) -> io::Error {
        exceeded(format!("the limit of {} bytes is exceeded", self.max_bytes))
    }
}

fn exceeded(text: String) -> io::Error {
    io::Error::new(io::ErrorKind::QuotaExceeded, text)
}

/// The result of a copy.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Copied {
    /// The number of files.
    pub files: usize,
    /// The size of all files together, in bytes.
    pub bytes: u64,
    /// The paths, relative to the copied folder, that were left out: links that lead out of the folder, devices, pipes and sockets.
    pub skipped: Vec<PathBuf>,
}

/// Copies a file or folder of this machine into an environment.
///
/// `target` is an absolute path in the environment, which must not exist. Missing parent folders are made. The execute permission of files
/// is kept; owners and times are not.
///
/// # Errors
/// If the source cannot be read, the target exists, or the environment lacks `tar`. In these cases, nothing is created at the target.
pub fn put(environment: &dyn Environment, source: &Path, target: &Path, limits: &Limits) -> io::Result<Copied> {
    let source = Source::find(source, limits)?;
    let (folder, name) = split(target)?;
    let temporary = folder.join(format!(".{}", resource_name()));
    let arguments = [target.as_os_str(), temporary.as_os_str(), name];
    let messages = Messages::default();
    let output = Output::Merged(Box::new(messages.clone()));
    let program = CopyProgram::start(environment, UNPACK, &arguments, Input::Open, output)?;
    let sent = source.send(name, &mut |bytes| program.write(bytes));
    match sent {
        Ok(()) => program.finish(&messages, &|| 0)?,
        Err(error) => {
            if error.kind() == io::ErrorKind::BrokenPipe {
                // The messages of the program say why it no longer reads.
                program.finish(&messages, &|| 0)?;
            }
            return Err(error);
        }
    }
    Ok(source.copied)
}

/// Copies a file or folder of an environment to this machine.
///
/// `source` is an absolute path in the environment. `target` must not exist. Missing parent folders are made. The execute permission of
/// files is kept; owners and times are not.
///
/// # Errors
/// If the source cannot be read, the target exists, the environment lacks `tar`, or the environment does not send an archive of the source.
/// In these cases, nothing is created at the target.
pub fn get(environment: &dyn Environment, source: &Path, target: &Path, limits: &Limits) -> io::Result<Copied> {
    let source = environment.files().resolve(source)?;
    let (folder, name) = split(&source)?;
    let target = std::path::absolute(target)?;
    let (parent, _) = split(&target)?;
    check_missing(&target)?;
    fs::create_dir_all(parent)?;
    let temporary = Temporary(parent.join(format!(".{}", resource_name())));
    DirBuilder::new().mode(0o700).create(&temporary.0)?;
    let new = temporary.0.join("new");
    let archive = ArchiveSink::new(Unpacker::new(new.clone(), name.to_owned(), *limits));
    let messages = Messages::default();
    let output = Output::Apart { stdout: Box::new(archive.clone()), stderr: Box::new(messages.clone()) };
    let program = CopyProgram::start(environment, ARCHIVE, &[folder.as_os_str(), name], Input::Empty, output)?;
    let finished = program.finish(&messages, &|| archive.lock().received);
    let unpacker = archive.take()?;
    finished?;
    let copied = unpacker.finish()?;
    rename_new(&new, &target)?;
    Ok(copied)
}

/// Returns the folder and the name of a path.
fn split(path: &Path) -> io::Result<(&Path, &OsStr)> {
    let parts = path.parent().zip(path.file_name()).filter(|_| path.is_absolute());
    parts.ok_or_else(|| {
        let text = format!("`{}` is not the absolute path of a file or folder that can be copied", path.display());
        io::Error::new(io::ErrorKind::InvalidInput, text)
    })
}

fn check_missing(target: &Path) -> io::Result<()> {
    match fs::symlink_metadata(target) {
        Ok(_) => Err(exists_error(target)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
    }
}

fn exists_error(target: &Path) -> io::Error {
    io::Error::new(io::ErrorKind::AlreadyExists, format!("`{}` exists already", target.display()))
}

/// Renames a file or folder, unless the new name exists.
fn rename_new(from: &Path, to: &Path) -> io::Result<()> {
    #[cfg(target_os = "linux")]
    {
        use rustix::fs::{CWD, RenameFlags, renameat_with};
        use rustix::io::Errno;
        match renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE) {
            // The file system or the kernel does not support the flag.
            Err(Errno::INVAL | Errno::NOSYS) => {}
            Err(Errno::EXIST) => return Err(exists_error(to)),
            renamed => return Ok(renamed?),
        }
    }
    check_missing(to)?;
    fs::rename(from, to)
}

/// A folder of this machine. Dropping the value removes the folder.
struct Temporary(PathBuf);

impl Drop for Temporary {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// A program of the environment that reads or writes an archive. Dropping the value ends the program.
struct CopyProgram(Box<dyn Running>);

impl CopyProgram {
    fn start(
        environment: &dyn Environment,
        script: &str,
        arguments: &[&OsStr],
        input: Input,
        output: Output,
    ) -> io::Result<Self> {
        let words = ["-c".into(), format!("{CHECK_TAR}{script}").into(), "toolc".into()];
        let words = words.into_iter().chain(arguments.iter().map(|argument| (*argument).to_owned()));
        let program = Program::Command("sh".into(), words.collect());
        environment.start(Launch { input, ..Launch::new(program, output) }).map(Self)
    }

    /// Sends bytes, and waits until the program accepts them.
    fn write(&self, bytes: &[u8]) -> io::Result<()> {
        let started = Instant::now();
        loop {
            match self.0.write(bytes) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock && started.elapsed() < LIMIT => {
                    if self.0.outcome()?.is_some() {
                        return Err(io::ErrorKind::BrokenPipe.into());
                    }
                    thread::sleep(PAUSE);
                }
                result => return result,
            }
        }
    }

    /// Waits until the program has ended, or until `received` does not change for a while.
    fn finish(self, messages: &Messages, received: &dyn Fn() -> u64) -> io::Result<()> {
        let _ = self.0.close_input();
        let last = std::cell::Cell::new((received(), Instant::now()));
        let is_stuck = || {
            let (count, since) = last.get();
            let now = received();
            if now != count {
                last.set((now, Instant::now()));
            }
            now == count && since.elapsed() > LIMIT
        };
        match self.0.wait(&is_stuck)? {
            Some(outcome) if outcome.exit == Exit::Code(0) => Ok(()),
            Some(_) => Err(io::Error::other(messages.text())),
            None => Err(io::Error::new(io::ErrorKind::TimedOut, format!("nothing was copied for {LIMIT:?}"))),
        }
    }
}

/// The beginning of the error messages of a program.
#[derive(Debug, Clone, Default)]
struct Messages(Arc<Mutex<Vec<u8>>>);

impl Messages {
    fn text(&self) -> String {
        let bytes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // The text comes from the environment, and is shown on a terminal.
        let text = String::from_utf8_lossy(&bytes).replace(|letter: char| letter.is_control() && letter != '\n', " ");
        let text = text.trim().to_owned();
        if text.is_empty() { "`tar` failed in the environment without an error message".to_owned() } else { text }
    }
}

impl Sink for Messages {
    fn push(&mut self, bytes: &[u8]) -> bool {
        let mut text = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let space = MAX_TEXT.saturating_sub(text.len()).min(bytes.len());
        text.extend_from_slice(&bytes[..space]);
        true
    }
}

/// A sink that unpacks an archive as it is received.
#[derive(Debug, Clone)]
struct ArchiveSink(Arc<Mutex<ArchiveState>>);

#[derive(Debug)]
struct ArchiveState {
    /// The unpacker, or `None` after a failure.
    unpacker: Option<Unpacker>,
    failure: Option<io::Error>,
    received: u64,
}

impl ArchiveSink {
    fn new(unpacker: Unpacker) -> Self {
        Self(Arc::new(Mutex::new(ArchiveState { unpacker: Some(unpacker), failure: None, received: 0 })))
    }

    fn lock(&self) -> MutexGuard<'_, ArchiveState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the unpacker, or its error. The sink accepts no more bytes.
    fn take(&self) -> io::Result<Unpacker> {
        let mut state = self.lock();
        let failure = state.failure.take().unwrap_or_else(|| io::ErrorKind::UnexpectedEof.into());
        state.unpacker.take().ok_or(failure)
    }
}

impl Sink for ArchiveSink {
    fn push(&mut self, bytes: &[u8]) -> bool {
        let mut state = self.lock();
        state.received += bytes.len() as u64;
        let Some(unpacker) = &mut state.unpacker else { return false };
        match unpacker.push(bytes) {
            Ok(()) => true,
            Err(error) => {
                state.unpacker = None;
                state.failure = Some(error);
                false
            }
        }
    }
}
