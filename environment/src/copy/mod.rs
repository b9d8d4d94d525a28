//! Copies files and folders between this machine and an environment, as tar archives.
//!
//! Over there, the shell and `tar` are needed. What is copied appears at its place as a whole, or not at all: it is unpacked next to it
//! first. It never replaces something.

mod of_task;
mod pack;
mod tar;
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
pub use of_task::Copies;
use pack::Source;
use unpack::Unpacker;

/// How long nothing may be copied before the copy fails.
const LIMIT: Duration = Duration::from_mins(2);
/// The pause before new bytes are offered to a program that does not read.
const PAUSE: Duration = Duration::from_millis(5);
/// The maximum length of an error message.
const MAX_TEXT: usize = 4096;

/// Begins both scripts.
const NEEDS: &str = r"
command -v tar > /dev/null 2>&1 || { echo 'there is no `tar` in the environment, which copying needs' >&2; exit 1; }
";
/// Archives the entry $2 of the folder $1.
const ARCHIVE: &str = r#"cd -- "$1" && exec tar -cf - "./$2""#;
/// Unpacks the entry $3 of an archive to $1, by the folder $2 next to it.
const UNPACK: &str = r#"
is_free() { [ ! -e "$1" ] && [ ! -h "$1" ] && return; echo "\`$1\` exists already" >&2; return 1; }
is_free "$1" && mkdir -p -- "${1%/*}/" && mkdir -m 700 -- "$2" || exit 1
trap 'rm -rf -- "$2"' EXIT
trap 'exit 1' HUP INT TERM
tar -xof - -C "$2" && [ -e "$2/$3" ] && is_free "$1" && mv -- "$2/$3" "$1"
"#;

/// What may be copied at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The maximum number of files, folders and links.
    pub max_entries: usize,
    /// The maximum size of all files together, in bytes.
    pub max_bytes: u64,
    /// How many folders may be in each other.
    pub max_depth: usize,
}

/// 100,000 files, 2 GiB and 100 folders in each other.
impl Default for Limits {
    fn default() -> Self {
        Self { max_entries: 100_000, max_bytes: 2 << 30, max_depth: 100 }
    }
}

impl Limits {
    fn too_many(&self) -> io::Error {
        exceeded(format!("there are more than {} files, folders and links", self.max_entries))
    }

    fn too_large(&self) -> io::Error {
        exceeded(format!("the files have more than {} bytes", self.max_bytes))
    }
}

fn exceeded(text: String) -> io::Error {
    io::Error::new(io::ErrorKind::QuotaExceeded, text)
}

/// What was copied.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Copied {
    /// The number of files.
    pub files: usize,
    /// The size of all files together, in bytes.
    pub bytes: u64,
    /// What was left out, by its path below the copied folder: links that lead out of it, devices, pipes and sockets.
    pub skipped: Vec<PathBuf>,
}

/// Copies a file or folder of this machine into an environment.
///
/// `target` is an absolute path there, at which nothing may exist. Missing folders above it are made. The right to execute files is kept,
/// owners and times are not.
///
/// # Errors
/// If the source cannot be read, something exists at the target, or the environment lacks `tar`. Then nothing is at the target.
pub fn put(environment: &dyn Environment, source: &Path, target: &Path, limits: &Limits) -> io::Result<Copied> {
    let source = Source::find(source, limits)?;
    let (folder, name) = split(target)?;
    let temporary = folder.join(format!(".{}", resource_name()));
    let arguments = [target.as_os_str(), temporary.as_os_str(), name];
    let said = Said::default();
    let output = Output::Merged(Box::new(said.clone()));
    let program = Copying::start(environment, UNPACK, &arguments, Input::Open, output)?;
    let sent = source.send(name, &mut |bytes| program.write(bytes));
    match sent {
        Ok(()) => program.finish(&said, &|| 0)?,
        Err(error) => {
            if error.kind() == io::ErrorKind::BrokenPipe {
                // It says why it does not read on.
                program.finish(&said, &|| 0)?;
            }
            return Err(error);
        }
    }
    Ok(source.copied)
}

/// Copies a file or folder of an environment to this machine.
///
/// `source` is an absolute path there. Nothing may exist at `target`. Missing folders above it are made. The right to execute files is
/// kept, owners and times are not.
///
/// # Errors
/// If the source cannot be read, something exists at the target, the environment lacks `tar`, or what it sends is not an archive of the
/// source. Then nothing is at the target.
pub fn get(environment: &dyn Environment, source: &Path, target: &Path, limits: &Limits) -> io::Result<Copied> {
    let source = environment.files().resolve(source)?;
    let (folder, name) = split(&source)?;
    let target = std::path::absolute(target)?;
    let (parent, _) = split(&target)?;
    check_free(&target)?;
    fs::create_dir_all(parent)?;
    let temporary = Temporary(parent.join(format!(".{}", resource_name())));
    DirBuilder::new().mode(0o700).create(&temporary.0)?;
    let new = temporary.0.join("new");
    let archive = Archive::new(Unpacker::new(new.clone(), name.to_owned(), *limits));
    let said = Said::default();
    let output = Output::Apart { stdout: Box::new(archive.clone()), stderr: Box::new(said.clone()) };
    let program = Copying::start(environment, ARCHIVE, &[folder.as_os_str(), name], Input::Empty, output)?;
    let finished = program.finish(&said, &|| archive.lock().received);
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

fn check_free(target: &Path) -> io::Result<()> {
    match fs::symlink_metadata(target) {
        Ok(_) => Err(taken(target)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
    }
}

fn taken(target: &Path) -> io::Error {
    io::Error::new(io::ErrorKind::AlreadyExists, format!("`{}` exists already", target.display()))
}

/// Renames a file or folder unless the new name is taken.
fn rename_new(from: &Path, to: &Path) -> io::Result<()> {
    #[cfg(target_os = "linux")]
    {
        use rustix::fs::{CWD, RenameFlags, renameat_with};
        use rustix::io::Errno;
        match renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE) {
            // The file system, or the kernel, does not have it.
            Err(Errno::INVAL | Errno::NOSYS) => {}
            Err(Errno::EXIST) => return Err(taken(to)),
            renamed => return Ok(renamed?),
        }
    }
    check_free(to)?;
    fs::rename(from, to)
}

/// A folder of this machine. Dropping it removes it.
struct Temporary(PathBuf);

impl Drop for Temporary {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// A program of the environment that reads or writes an archive. Dropping it ends it.
struct Copying(Box<dyn Running>);

impl Copying {
    fn start(
        environment: &dyn Environment,
        script: &str,
        arguments: &[&OsStr],
        input: Input,
        output: Output,
    ) -> io::Result<Self> {
        let words = ["-c".into(), format!("{NEEDS}{script}").into(), "toolc".into()];
        let words = words.into_iter().chain(arguments.iter().map(|argument| (*argument).to_owned()));
        let program = Program::Command("sh".into(), words.collect());
        environment.start(Launch { input, ..Launch::new(program, output) }).map(Self)
    }

    /// Sends bytes, and waits until they are taken.
    fn write(&self, bytes: &[u8]) -> io::Result<()> {
        let begun = Instant::now();
        loop {
            match self.0.write(bytes) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock && begun.elapsed() < LIMIT => {
                    if self.0.outcome()?.is_some() {
                        return Err(io::ErrorKind::BrokenPipe.into());
                    }
                    thread::sleep(PAUSE);
                }
                written => return written,
            }
        }
    }

    /// Waits until the program has ended, or until `received` does not change for a while.
    fn finish(self, said: &Said, received: &dyn Fn() -> u64) -> io::Result<()> {
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
            Some(_) => Err(io::Error::other(said.text())),
            None => Err(io::Error::new(io::ErrorKind::TimedOut, format!("nothing was copied for {LIMIT:?}"))),
        }
    }
}

/// The beginning of what a program says.
#[derive(Debug, Clone, Default)]
struct Said(Arc<Mutex<Vec<u8>>>);

impl Said {
    fn text(&self) -> String {
        let said = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // It comes from the environment, and is shown on a terminal.
        let text = String::from_utf8_lossy(&said).replace(|letter: char| letter.is_control() && letter != '\n', " ");
        let text = text.trim().to_owned();
        if text.is_empty() { "`tar` fails in the environment".to_owned() } else { text }
    }
}

impl Sink for Said {
    fn push(&mut self, bytes: &[u8]) -> bool {
        let mut said = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let space = MAX_TEXT.saturating_sub(said.len()).min(bytes.len());
        said.extend_from_slice(&bytes[..space]);
        true
    }
}

/// An archive that arrives.
#[derive(Debug, Clone)]
struct Archive(Arc<Mutex<Arriving>>);

#[derive(Debug)]
struct Arriving {
    /// `None` after a failure.
    unpacker: Option<Unpacker>,
    failure: Option<io::Error>,
    received: u64,
}

impl Archive {
    fn new(unpacker: Unpacker) -> Self {
        Self(Arc::new(Mutex::new(Arriving { unpacker: Some(unpacker), failure: None, received: 0 })))
    }

    fn lock(&self) -> MutexGuard<'_, Arriving> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the unpacker, which gets nothing more, or its error.
    fn take(&self) -> io::Result<Unpacker> {
        let mut arriving = self.lock();
        let failure = arriving.failure.take().unwrap_or_else(|| io::ErrorKind::UnexpectedEof.into());
        arriving.unpacker.take().ok_or(failure)
    }
}

impl Sink for Archive {
    fn push(&mut self, bytes: &[u8]) -> bool {
        let mut arriving = self.lock();
        arriving.received += bytes.len() as u64;
        let Some(unpacker) = &mut arriving.unpacker else { return false };
        match unpacker.push(bytes) {
            Ok(()) => true,
            Err(error) => {
                arriving.unpacker = None;
                arriving.failure = Some(error);
                false
            }
        }
    }
}
