//! Accesses the files of any environment that has a shell: [`ShellFiles`].
//!
//! [`script`] runs one script for each operation, with `sh` and `stat`, `readlink`, `head`, `tail`, `cut`, `wc`, `tr`, `find` and `grep`,
//! in the versions of GNU or busybox. [`search`] searches files, and [`expression`] converts patterns for `grep`.
//!
//! Each script changes to the folder of the file, compares its real path with the expected path, and then uses only the name. So the script
//! detects if another program has replaced a folder with a link. It does not detect if another program replaces the *file* with a link
//! between the check and the use, and follows this link. The target is a file of the same environment, with the same permissions.

mod expression;
mod metadata;
mod script;
mod search;

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::Duration;

use crate::Environment;
use crate::files::{
    Expected, FileAbilities, Files, Line, LineEnding, LineRange, Lines, Metadata, Places, SAMPLE, Version, WriteOptions,
};
use crate::search::{Found, Search};
use script::{Script, token};

/// The time limit of an operation whose duration does not depend on a file's length.
const TIMEOUT: Duration = Duration::from_secs(30);
/// The time limit for sending or receiving the content of a file.
const CONTENT_TIMEOUT: Duration = Duration::from_mins(5);
/// The maximum length of a path, and of the metadata of a file.
const MAX_PATH: usize = 64 * 1024;
/// The maximum length of a list of names.
const MAX_NAMES: usize = 4 * 1024 * 1024;

/// The files of an environment, which its shell accesses.
///
/// The limitations, in addition to those of [`FileAbilities`]:
/// - Another program can replace a file with a link or a pipe between a check and the use. Reading a pipe blocks until the time limit.
/// - If another program changes a file between the comparison of its version and the write, this change is lost. This takes milliseconds, and
///   microseconds on this machine.
/// - A written file may be lost after a power failure.
#[derive(Debug, Clone, Copy)]
pub struct ShellFiles<'a> {
    environment: &'a dyn Environment,
    cache: &'a ShellCache,
}

/// The folders of an environment, which [`ShellFiles`] queries only once. The cache belongs to the environment.
#[derive(Debug, Default)]
pub struct ShellCache(OnceLock<Places>);

impl<'a> ShellFiles<'a> {
    /// Returns the files of an environment.
    pub fn new(environment: &'a dyn Environment, cache: &'a ShellCache) -> Self {
        Self { environment, cache }
    }

    fn script(&self, text: &str) -> Script<'a> {
        Script::new(self.environment, text)
    }

    /// Prepares a script about the file at `path`. Its first arguments are the folder and the name.
    fn script_for(&self, text: &str, path: &Path) -> io::Result<Script<'a>> {
        let (folder, name) = split(path)?;
        Ok(self.script(text).argument(folder).argument(name))
    }
}

/// Returns the folder and the name of a file. The name of the root folder is `.`.
fn split(path: &Path) -> io::Result<(&Path, &OsStr)> {
    if !path.is_absolute() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "the path is not absolute"));
    }
    if path.as_os_str().as_bytes().contains(&0) {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "the path contains a NUL character"));
    }
    match (path.parent(), path.file_name()) {
        (Some(parent), Some(name)) => Ok((parent, name)),
        _ => Ok((Path::new("/"), OsStr::new("."))),
    }
}

impl Files for ShellFiles<'_> {
    fn abilities(&self) -> FileAbilities {
        FileAbilities { race_free: false, full_search: false }
    }

    fn places(&self) -> io::Result<Places> {
        if let Some(places) = self.cache.0.get() {
            return Ok(places.clone());
        }
        let reply = self.script("printf '%s\\0%s' \"${HOME-}\" \"${TMPDIR:-/tmp}\"").output(MAX_PATH).run()?;
        let (home, temporary) = reply.split_at(reply.iter().position(|byte| *byte == 0).unwrap_or(reply.len()));
        let resolved = |bytes: &[u8]| {
            let path = Path::new(OsStr::from_bytes(bytes));
            if path.is_absolute() { self.resolve(path).map(Some) } else { Ok(None) }
        };
        let temporary = resolved(temporary.get(1..).unwrap_or_default())?.unwrap_or_else(|| "/tmp".into());
        let places = Places { home: resolved(home)?, temporary };
        Ok(self.cache.0.get_or_init(|| places).clone())
    }

    fn resolve(&self, path: &Path) -> io::Result<PathBuf> {
        split(path)?;
        let reply = self.script(script::RESOLVE).argument(path).output(MAX_PATH).run()?;
        Ok(PathBuf::from(OsString::from_vec(reply)))
    }

    fn metadata(&self, path: &Path) -> io::Result<Metadata> {
        metadata::parse(&self.script_for(script::METADATA, path)?.output(MAX_PATH).run()?)
    }

    fn list(&self, folder: &Path, max: usize) -> io::Result<Vec<OsString>> {
        split(folder)?;
        let reply = self.script(script::LIST).argument(folder).argument(max.to_string()).output(MAX_NAMES).run()?;
        Ok(paths(&reply).map(OsStr::to_owned).collect())
    }

    fn read(&self, path: &Path, from: u64, max: usize) -> io::Result<(Vec<u8>, Metadata)> {
        let script =
            self.script_for(script::READ, path)?.argument((u128::from(from) + 1).to_string()).argument(max.to_string());
        let mut reply = script.output(max.saturating_add(MAX_PATH)).timeout(CONTENT_TIMEOUT).run()?;
        let end = reply.iter().position(|byte| *byte == b'\n').map_or(reply.len(), |at| at + 1);
        let content = reply.split_off(end);
        Ok((content, metadata::parse(&reply)?))
    }

    fn read_lines(&self, path: &Path, range: &LineRange) -> io::Result<Lines> {
        let token = token();
        let max_bytes = range.max_bytes.saturating_add(range.max_line_bytes).saturating_add(2);
        let script = self
            .script_for(script::READ_LINES, path)?
            .argument(&token)
            .argument(range.first.max(1).to_string())
            .argument(range.limit.to_string())
            .argument((range.max_line_bytes + 2).to_string())
            .argument(max_bytes.to_string())
            .output(max_bytes.saturating_add(SAMPLE + 2 * MAX_PATH))
            .timeout(range.timeout);
        let reply = script.run_in_parts(&token, 2, range.count_timeout)?;
        parse_lines(&reply, range)
    }

    fn check_writable(&self, path: &Path) -> io::Result<Metadata> {
        metadata::parse(&self.script_for(script::CHECK_WRITABLE, path)?.output(MAX_PATH).run()?)
    }

    fn write(&self, path: &Path, content: &[u8], options: &WriteOptions) -> io::Result<Metadata> {
        let expected = match options.expected {
            Expected::Nothing => "nothing".to_owned(),
            Expected::Version(version) => metadata::text(version),
        };
        let permissions = options.permissions;
        let mode = permissions.map_or_else(String::new, |permissions| format!("{:o}", permissions.mode & 0o777));
        let owner = permissions.map_or_else(String::new, |owner| format!("{}:{}", owner.user, owner.group));
        let script = self
            .script_for(script::WRITE, path)?
            .argument(expected)
            .argument(format!(".toolc-{}", token()))
            .argument(content.len().to_string())
            .argument(mode)
            .argument(owner);
        metadata::parse(&script.input(content.to_vec()).output(MAX_PATH).timeout(CONTENT_TIMEOUT).run()?)
    }

    fn remove(&self, path: &Path, version: Version) -> io::Result<()> {
        self.script_for(script::REMOVE, path)?.argument(metadata::text(version)).run().map(drop)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        let (folder, name) = split(to)?;
        self.script_for(script::RENAME, from)?.argument(folder).argument(name).run().map(drop)
    }

    fn create_folders(&self, path: &Path) -> io::Result<Vec<PathBuf>> {
        split(path)?;
        let reply = self.script(script::CREATE_FOLDERS).argument(path).output(MAX_NAMES).run()?;
        Ok(paths(&reply).map(PathBuf::from).collect())
    }

    fn remove_folder(&self, path: &Path) -> io::Result<()> {
        self.script_for(script::REMOVE_FOLDER, path)?.run().map(drop)
    }

    fn search(&self, search: &Search<'_>) -> io::Result<Found> {
        search::search(self, search)
    }
}

/// Splits a text into paths, each of which ends in a NUL.
fn paths(text: &[u8]) -> impl Iterator<Item = &OsStr> {
    text.split_inclusive(|byte| *byte == 0).filter_map(|path| path.strip_suffix(b"\0")).map(OsStr::from_bytes)
}

/// Parses the parts that the script `READ_LINES` has written: metadata and sample, lines, and the number of line breaks with the last byte.
fn parse_lines(parts: &[Vec<u8>], range: &LineRange) -> io::Result<Lines> {
    let [head, rest @ ..] = parts else { return Err(script::unexpected()) };
    let (metadata, sample) = head.split_at(head.iter().position(|byte| *byte == b'\n').map_or(head.len(), |at| at + 1));
    let metadata = metadata::parse(metadata)?;
    let mut result = Lines { metadata, sample: sample.to_vec(), lines: Vec::new(), total: None };
    let [text, rest @ ..] = rest else { return Ok(result) };
    let mut bytes = 0;
    // `cut` ends every line with a line break. Only a line that `head` has cut at the limit of bytes has no line break.
    for line in text.split_inclusive(|byte| *byte == b'\n').filter(|line| line.ends_with(b"\n")) {
        if bytes > range.max_bytes {
            break;
        }
        let line = Line::new(line.to_vec(), range.max_line_bytes);
        bytes += line.bytes.len();
        result.lines.push(line);
    }
    if let [count, ..] = rest {
        // The last byte is `x` if it is not a line break, and missing if the file is empty.
        let text = String::from_utf8_lossy(count);
        let mut words = text.split_whitespace();
        let breaks: u64 = words.next().and_then(|word| word.parse().ok()).ok_or_else(script::unexpected)?;
        let is_unterminated = words.next() == Some("x");
        let total = breaks + u64::from(is_unterminated);
        result.total = Some(total);
        let is_last = range.first.saturating_add(result.lines.len() as u64) == total + 1;
        if let Some(last) = result.lines.last_mut().filter(|_| is_unterminated && is_last) {
            last.ending = LineEnding::None;
        }
    }
    Ok(result)
}
