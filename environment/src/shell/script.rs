//! The scripts for the shell of an environment, and the code that runs them.
//!
//! Arguments are passed separately, and never become a part of a script. Each kind of failure has its exit code, so that the messages of the
//! system need not be parsed.

use std::collections::hash_map::RandomState;
use std::ffi::{OsStr, OsString};
use std::hash::{BuildHasher as _, Hasher as _};
use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use toolc_process::{EndReason, Sink};

use super::TIMEOUT;
use crate::files::{VersionMismatch, not_regular};
use crate::{Environment, Exit, Input, Launch, Output, Program};

/// The beginning of all scripts.
const FUNCTIONS: &str = r#"
exists() { [ -e "$1" ] || [ -L "$1" ]; }
# Changes the directory to "$1", which must be a real path.
enter() {
    if cd -P -- "$1" 2>/dev/null; then
        [ "$(pwd -P; echo x)" = "$1
x" ] || exit 86
        return
    fi
    [ -d "$1" ] && exit 82
    way=$1
    while [ -n "$way" ] && ! exists "$way"; do way=${way%/*}; done
    [ -z "$way" ] || [ -d "$way" ] || exit 81
    exit 80
}
look() {
    exists "$1" || exit 80
    stat -c '%f %s %Y %u %g %d %i %y' -- "$1" && return
    exit 82
}
regular() {
    exists "$1" || exit 80
    [ -f "$1" ] && ! [ -L "$1" ] || exit 85
}
version() (
    set -- $(stat -c '%s %Y %y' -- "$1")
    case $4 in
        *.*) printf '%s %s %s' "$1" "$2" "${4#*.}" ;;
        *) printf '%s %s 000000000' "$1" "$2" ;;
    esac
)
same() {
    exists "$1" || exit 84
    regular "$1"
    [ "$(version "$1")" = "$2" ] || exit 84
}
"#;

/// Arguments: `PATH`
pub(super) const RESOLVE: &str = r#"
rest=$1 real= links=0
while [ -n "$rest" ]; do
    part=${rest%%/*}
    case $rest in
        */*) rest=${rest#*/} ;;
        *) rest= ;;
    esac
    case $part in
        '' | .) continue ;;
        ..) real=${real%/*}; continue ;;
    esac
    real=$real/$part
    [ -L "$real" ] || continue
    target=$(readlink -- "$real" && echo x) || continue
    target=${target%?x}
    case $target in
        /*) real= ;;
        *)
            case $real in /proc/*) continue ;; esac
            real=${real%/*} ;;
    esac
    links=$((links + 1))
    [ "$links" -le 40 ] || exit 87
    rest=$target/$rest
done
printf '%s' "${real:-/}"
"#;

/// Arguments: `FOLDER NAME`
pub(super) const METADATA: &str = r#"enter "$1"; look "./$2""#;

/// Arguments: `FOLDER MAX`
pub(super) const LIST: &str = r#"
enter "$1"
left=$2
for name in * .[!.]* ..?*; do
    [ "$left" -gt 0 ] || break
    exists "./$name" || continue
    printf '%s\0' "$name"
    left=$((left - 1))
done
"#;

/// Arguments: `FOLDER NAME FIRST-BYTE MAX`
pub(super) const READ: &str = r#"
enter "$1"; file=./$2
regular "$file"
[ -r "$file" ] || exit 82
look "$file"
tail -c "+$3" -- "$file" | head -c "$4"
"#;

/// Arguments: `FOLDER NAME TOKEN FIRST LIMIT MAX-LINE-BYTES MAX-BYTES`. Parts are separated by lines with the token.
pub(super) const READ_LINES: &str = r#"
enter "$1"; file=./$2
regular "$file"
[ -r "$file" ] || exit 82
look "$file"
head -c 8192 -- "$file"
with=$(head -c 8192 -- "$file" | wc -c)
without=$(head -c 8192 -- "$file" | tr -d '\000' | wc -c)
[ "$with" -eq "$without" ] || exit 0
printf '\n%s\n' "$3"
tail -n "+$4" -- "$file" | head -n "$5" | cut -b "1-$6" | head -c "$7"
printf '\n%s\n' "$3"
breaks=$(wc -l <"$file")
last=$(tail -c 1 -- "$file" | tr '\n' 'n' | tr -c 'n' 'x')
printf '%s %s' "$breaks" "$last"
"#;

/// Arguments: `FOLDER NAME`
pub(super) const CHECK_WRITABLE: &str = r#"
enter "$1"; file=./$2
regular "$file"
[ -w "$file" ] || exit 82
look "$file"
"#;

/// Arguments: `FOLDER NAME EXPECTED TEMPORARY-NAME LENGTH MODE OWNER`, and the content as input.
pub(super) const WRITE: &str = r#"
enter "$1"; file=./$2 new=./$4
check() {
    case $1 in
        nothing) exists "$file" && exit 83 ;;
        *) same "$file" "$1" ;;
    esac
}
check "$3"
[ -w . ] || exit 82
trap 'rm -f -- "$new"' EXIT
trap 'exit 1' HUP INT TERM
# Do not overwrite an existing file.
(set -C; cat >"$new") || exit 1
[ "$(wc -c <"$new")" -eq "$5" ] || { echo 'the content arrived in part' >&2; exit 1; }
if [ -n "$6" ]; then
    chown "$7" "$new" 2>/dev/null
    chmod "$6" "$new" || exit 1
fi
check "$3"
if [ "$3" = nothing ]; then
    if ! ln -T -- "$new" "$file" 2>/dev/null; then
        exists "$file" && exit 83
        # The file system has no hard links.
        mv -n -- "$new" "$file" || exit 1
        exists "$new" && exit 83
    fi
else
    mv -f -- "$new" "$file" || exit 1
fi
look "$file"
"#;

/// Arguments: `FOLDER NAME VERSION`
pub(super) const REMOVE: &str = r#"
enter "$1"; file=./$2
same "$file" "$3"
[ -w . ] || exit 82
rm -f -- "$file"
"#;

/// Arguments: `FOLDER NAME NEW-FOLDER NEW-NAME`
pub(super) const RENAME: &str = r#"
(enter "$3") || exit
enter "$1"; file=./$2 new=${3%/}/$4
regular "$file"
exists "$new" && exit 83
if ln -T -- "$file" "$new" 2>/dev/null; then
    rm -f -- "$file"
else
    exists "$new" && exit 83
    # The file system has no hard links, or the new name is on another file system.
    mv -n -- "$file" "$new" || exit 1
    exists "$file" && exit 83
    exit 0
fi
"#;

/// Arguments: `FOLDER`
pub(super) const CREATE_FOLDERS: &str = r#"
all=$1 way=$1
set --
while [ -n "$way" ] && ! exists "$way"; do
    set -- "${way##*/}" "$@"
    way=${way%/*}
done
way=${way:-/}
enter "$way"
way=${way%/}
made=0
undo() {
    while [ "$made" -gt 0 ]; do
        name=$(pwd -P; echo x)
        name=${name%?x}
        cd .. && rmdir -- "./${name##*/}"
        made=$((made - 1))
    done
    exit "$1"
}
for name in "$@"; do
    if mkdir -- "./$name" 2>/dev/null; then
        cd -P -- "./$name" || exit 86
        made=$((made + 1))
    else
        exists "./$name" || undo 82
        # Another program has just made it.
        [ -d "./$name" ] && ! [ -L "./$name" ] || undo 81
        cd -P -- "./$name" || undo 82
    fi
done
[ "$(pwd -P; echo x)" = "$all
x" ] || undo 86
left=$#
for name in "$@"; do
    way=$way/$name
    [ "$left" -gt "$made" ] || printf '%s\0' "$way"
    left=$((left - 1))
done
"#;

/// Arguments: `FOLDER NAME`
pub(super) const REMOVE_FOLDER: &str = r#"
enter "$1"
exists "./$2" || exit 80
rmdir -- "./$2"
"#;

/// A script with its arguments.
pub(super) struct Script<'a> {
    environment: &'a dyn Environment,
    arguments: Vec<OsString>,
    input: Input,
    max_output: usize,
    timeout: Duration,
}

/// The output of a script.
pub(super) struct Reply {
    pub(super) output: Vec<u8>,
    /// Whether a limit ended the script, so that the output is not complete.
    pub(super) partial: bool,
}

impl<'a> Script<'a> {
    pub(super) fn new(environment: &'a dyn Environment, text: &str) -> Self {
        let arguments = vec!["-c".into(), format!("{FUNCTIONS}{text}").into(), "sh".into()];
        Self { environment, arguments, input: Input::Empty, max_output: 0, timeout: TIMEOUT }
    }

    pub(super) fn argument(mut self, argument: impl AsRef<OsStr>) -> Self {
        self.arguments.push(argument.as_ref().to_owned());
        self
    }

    pub(super) fn input(mut self, input: Vec<u8>) -> Self {
        self.input = Input::Bytes(input);
        self
    }

    /// Sets the maximum length of the output. By default, the script writes nothing.
    pub(super) fn output(mut self, max: usize) -> Self {
        self.max_output = max;
        self
    }

    pub(super) fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// Runs the script to its end, and returns its output.
    pub(super) fn run(self) -> io::Result<Vec<u8>> {
        let timeout = self.timeout;
        let started = Instant::now();
        let reply = self.run_until(&|_| started.elapsed() >= timeout)?;
        if reply.partial { Err(io::ErrorKind::TimedOut.into()) } else { Ok(reply.output) }
    }

    /// Runs a script that writes parts, with lines with the token between them. After it has written `required` parts, the time limit for the
    /// rest is `last_timeout`. Returns the complete parts.
    pub(super) fn run_in_parts(self, token: &str, required: usize, last_timeout: Duration) -> io::Result<Vec<Vec<u8>>> {
        let separator = format!("\n{token}\n");
        let (started, timeout) = (Instant::now(), self.timeout);
        let arrived: Mutex<Option<Instant>> = Mutex::new(None);
        let reply = self.run_until(&|output| {
            let mut arrived = arrived.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(arrived) = *arrived {
                return arrived.elapsed() >= last_timeout;
            }
            *arrived = (separators(output, &separator) >= required).then(Instant::now);
            started.elapsed() >= timeout
        })?;
        let mut parts = split(&reply.output, &separator);
        if reply.partial {
            // The last part is not complete.
            parts.pop();
            if parts.len() < required {
                return Err(io::ErrorKind::TimedOut.into());
            }
        }
        Ok(parts)
    }

    /// Runs the script until it ends, `should_stop` returns true for the output so far, or the output is too long.
    pub(super) fn run_until(self, should_stop: &dyn Fn(&[u8]) -> bool) -> io::Result<Reply> {
        /// The maximum length of the system's messages.
        const MAX_MESSAGES: usize = 4 * 1024;
        let (output, messages) = (Collector::new(self.max_output), Collector::new(MAX_MESSAGES));
        let streams = Output::Apart { stdout: Box::new(output.clone()), stderr: Box::new(messages.clone()) };
        let mut launch = Launch::new(Program::Command("sh".into(), self.arguments), streams);
        // The directory of the environment may have been removed.
        launch.directory = Some("/".into());
        launch.variables = vec![("LC_ALL".into(), Some("C".into())), ("TZ".into(), Some("UTC".into()))];
        launch.input = self.input;
        let running = self.environment.start(launch)?;
        let outcome = running.wait(&|| should_stop(&output.bytes()))?;
        let Some(outcome) = outcome else {
            running.end()?;
            return Ok(Reply { output: output.take(), partial: true });
        };
        let partial = outcome.reason == EndReason::OutputLimit;
        match outcome.exit {
            Exit::Code(0) => {}
            _ if partial => {}
            Exit::Code(code) => return Err(error(code, &messages.take())),
            Exit::Signal(signal) => return Err(io::Error::other(format!("the shell was ended by signal {signal}"))),
        }
        Ok(Reply { output: output.take(), partial })
    }
}

/// A sink that collects output up to a limit.
#[derive(Debug, Clone)]
struct Collector {
    bytes: Arc<Mutex<Vec<u8>>>,
    max: usize,
}

impl Collector {
    fn new(max: usize) -> Self {
        Self { bytes: Arc::default(), max }
    }

    fn bytes(&self) -> std::sync::MutexGuard<'_, Vec<u8>> {
        self.bytes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn take(&self) -> Vec<u8> {
        std::mem::take(&mut self.bytes())
    }
}

impl Sink for Collector {
    fn push(&mut self, bytes: &[u8]) -> bool {
        let max = self.max;
        let mut collected = self.bytes();
        let space = max.saturating_sub(collected.len());
        collected.extend_from_slice(&bytes[..bytes.len().min(space)]);
        bytes.len() <= space
    }
}

/// Returns the error for an exit code of a script.
fn error(code: i32, messages: &[u8]) -> io::Error {
    use io::ErrorKind::{AlreadyExists, NotADirectory, NotFound, PermissionDenied};
    match code {
        80 => NotFound.into(),
        81 => NotADirectory.into(),
        82 => PermissionDenied.into(),
        83 => AlreadyExists.into(),
        84 => VersionMismatch.into(),
        85 => not_regular(),
        86 => io::Error::other("a part of the path is a link"),
        87 => crate::local::too_many_links(),
        _ => {
            let messages = String::from_utf8_lossy(messages);
            match messages.lines().find(|line| !line.trim().is_empty()) {
                Some(message) => io::Error::other(message.trim().to_owned()),
                None => io::Error::other(format!("the shell ended with exit code {code}")),
            }
        }
    }
}

/// Returns the error about output that a script cannot have written.
pub(super) fn unexpected() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "a program of the environment wrote unexpected output")
}

/// Returns a text that no file contains.
pub(super) fn token() -> String {
    // Each `RandomState` has new random keys.
    let random = || RandomState::new().build_hasher().finish();
    format!("{:016x}{:016x}", random(), random())
}

fn separators(output: &[u8], separator: &str) -> usize {
    split(output, separator).len() - 1
}

/// Splits output into parts.
fn split(output: &[u8], separator: &str) -> Vec<Vec<u8>> {
    let mut parts = Vec::new();
    let mut start = 0;
    for at in memchr::memmem::find_iter(output, separator.as_bytes()) {
        parts.push(output[start..at].to_vec());
        start = at + separator.len();
    }
    parts.push(output[start..].to_vec());
    parts
}
