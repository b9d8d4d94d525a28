//! The shell state that is kept between commands: the directory and the exported variables.
//!
//! No shell is kept running. When the shell of a command exits, a trap on `EXIT` writes its state to a private file of the environment,
//! and the next shell starts with this state. A shell that ends in another way, such as by `exec` or a signal, does not change the state.

use std::collections::BTreeMap;
use std::env;
use std::ffi::OsString;
use std::fs::{self, File};
use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::io::{self, Read as _, Seek as _};
use std::mem;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, Once, PoisonError};
use std::time::{Duration, Instant};

use tempfile::NamedTempFile;
use toolc::approval::ShellState;
use toolc_environment::{Environment, Exit, Launch, Output, Program, Sink};

/// The maximum size of a recorded state. Larger environments of processes are possible, but not kept.
const MAX_RECORD: usize = 4 << 20;
/// The prefix of the names of the files.
const PREFIX: &str = "toolc-shell-";
/// The age after which a file was left by a killed process: the time limit of commands is shorter.
const STALE: Duration = Duration::from_hours(1);
/// The maximum number of kept variables.
const MAX_VARIABLES: usize = 200;
/// The maximum size of all kept variables.
const MAX_BYTES: usize = 64 * 1024;

/// Variables that are not kept, because they make programs load code or run other programs, or because the shell or the host sets them.
/// A star matches any part of the name.
const NEVER_KEPT: &[&str] = &[
    "AWS_PAGER",
    "BASHOPTS",
    "BASH_*",
    "BROWSER",
    "CARGO_BUILD_RUSTC*",
    "CARGO_TARGET_*_LINKER",
    "CARGO_TARGET_*_RUNNER",
    "CC",
    "CDPATH",
    "CLASSPATH",
    "CURL_HOME",
    "CVS_RSH",
    "CXX",
    "DYLD_*",
    "EDITOR",
    "ENV",
    "FPATH",
    "GCONV_PATH",
    "GIT_*",
    "GLOBIGNORE",
    "GRADLE_OPTS",
    "HISTFILE",
    "HOME",
    "IFS",
    "JAVA_*",
    "JDK_JAVA_OPTIONS",
    "LD",
    "LD_*",
    "LESS",
    "LESSCLOSE",
    "LESSKEY*",
    "LESSOPEN",
    "LESSSECURE*",
    "LOCPATH",
    "LUA_*",
    "MAKEFILES",
    "MAKEFLAGS",
    "MANOPT",
    "MANPAGER",
    "MAVEN_OPTS",
    "NIX_*",
    "NLSPATH",
    "NODE_*",
    "NPM_CONFIG_*",
    "OLDPWD",
    "OPENSSL_*",
    "PAGER",
    "PATH",
    "PERL*",
    "PHPRC",
    "PHP_INI_*",
    "PIP_*",
    "POSIXLY_CORRECT",
    "PROMPT_COMMAND",
    "PS1",
    "PS2",
    "PS3",
    "PS4",
    "PWD",
    "PYTHON*",
    "R_*",
    "RSYNC_*",
    "RUBY*",
    "RUSTC*",
    "RUSTDOC*",
    "RUSTFLAGS",
    "SHELL",
    "SHELLOPTS",
    "SHLVL",
    "SSH_*",
    "SUDO_*",
    "SYSTEMD_EDITOR",
    "SYSTEMD_PAGER*",
    "TAR_OPTIONS",
    "TERM",
    "TERMCMD",
    "TERMINFO*",
    "TOOLC_*",
    "VISUAL",
    "WGETRC",
    "ZDOTDIR",
    "_",
    "_JAVA_OPTIONS",
    "npm_config_*",
];

/// The time limit for reading a state that was recorded on another machine.
const READ_LIMIT: Duration = Duration::from_secs(30);
/// A script that prints a file and removes it.
const TAKE: &str = r#"[ -f "$1" ] && cat -- "$1" && rm -f -- "$1""#;

/// The file in which a shell records its state.
#[derive(Debug)]
pub(crate) enum RecordFile<'e> {
    /// A file on this machine.
    Local(NamedTempFile),
    /// A file in an environment that shares no folder with this machine. The shell creates the file.
    Remote(&'e dyn Environment, PathBuf),
}

/// The state that a shell has recorded.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct RecordedState {
    pub(crate) directory: PathBuf,
    /// All exported variables, or `None` if they are unknown or too many.
    pub(crate) variables: Option<BTreeMap<OsString, OsString>>,
}

impl<'e> RecordFile<'e> {
    /// Creates a temporary file in an environment that only its user can read, or chooses its name.
    pub(crate) fn new(environment: &'e dyn Environment) -> io::Result<Self> {
        static REMOVED: Once = Once::new();
        let Some(folder) = environment.temporary_folder() else {
            let random = || RandomState::new().build_hasher().finish();
            let name = format!("{PREFIX}{:016x}{:016x}", random(), random());
            return Ok(Self::Remote(environment, environment.files().places()?.temporary.join(name)));
        };
        REMOVED.call_once(|| remove_stale(&env::temp_dir()));
        tempfile::Builder::new().prefix(PREFIX).tempfile_in(folder).map(Self::Local)
    }

    /// Returns the prefix of a command line that makes the shell record its state.
    pub(crate) fn prefix(&self) -> String {
        let path = match self {
            Self::Local(file) => file.path(),
            Self::Remote(_, path) => path,
        };
        let path = quote(&path.to_string_lossy());
        let before = match self {
            // A shell that outlives its call does not make a new file, which nothing would remove.
            Self::Local(_) => format!("command test -e {path} && "),
            Self::Remote(..) => "umask 077; ".to_owned(),
        };
        // `command` ignores functions that the line defines, and `-p` ignores its search path. `set +x` comes first, so that the rest is not traced.
        let record = format!(
            "{{ set +x; }} 2> /dev/null; {before}{{ command pwd -P && command printf '\\0' && command -p env -0; }} >> {path} 2> /dev/null"
        );
        // The prefix has no line break, so that line numbers in errors of the shell are correct.
        format!("trap {} EXIT; ", quote(&record))
    }

    /// Reads the recorded state. Returns `None` if the shell has not exited by itself.
    pub(crate) fn read(self) -> Option<RecordedState> {
        let bytes = match self {
            Self::Local(file) => {
                // Reads the open file, because the command may have replaced the path.
                let mut file: File = file.as_file().try_clone().ok()?;
                file.rewind().ok()?;
                let mut bytes = Vec::new();
                file.take(MAX_RECORD as u64).read_to_end(&mut bytes).ok()?;
                bytes
            }
            Self::Remote(environment, path) => take(environment, path)?,
        };
        RecordedState::parse(&bytes)
    }
}

/// Reads a file of an environment, and removes it.
fn take(environment: &dyn Environment, path: PathBuf) -> Option<Vec<u8>> {
    let bytes = Bytes::default();
    let words = ["-c", TAKE, "sh"].map(OsString::from).into_iter().chain([path.into_os_string()]);
    let output = Output::Apart { stdout: Box::new(bytes.clone()), stderr: Box::new(Bytes::default()) };
    let mut launch = Launch::new(Program::Command("sh".into(), words.collect()), output);
    // The directory of the environment may have been removed.
    launch.directory = Some("/".into());
    let running = environment.start(launch).ok()?;
    let started = Instant::now();
    let outcome = running.wait(&|| started.elapsed() > READ_LIMIT).ok()??;
    let bytes = mem::take(&mut *bytes.0.lock().unwrap_or_else(PoisonError::into_inner));
    (outcome.exit == Exit::Code(0)).then_some(bytes)
}

/// Collects bytes up to a limit.
#[derive(Debug, Default, Clone)]
struct Bytes(Arc<Mutex<Vec<u8>>>);

impl Sink for Bytes {
    fn push(&mut self, bytes: &[u8]) -> bool {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.extend_from_slice(bytes);
        all.len() < MAX_RECORD
    }
}

impl RecordedState {
    fn parse(bytes: &[u8]) -> Option<Self> {
        let mut entries = bytes.split(|byte| *byte == 0);
        let directory = entries.next()?.strip_suffix(b"\n")?;
        let directory = PathBuf::from(os_string(directory));
        if !directory.is_absolute() {
            return None;
        }
        let mut rest: Vec<&[u8]> = entries.collect();
        // Each entry ends with a zero byte. If the last one is missing, the record is incomplete.
        let is_complete = rest.pop().is_some_and(<[u8]>::is_empty) && !rest.is_empty();
        let variable = |entry: &&[u8]| {
            let equals = entry.iter().position(|byte| *byte == b'=')?;
            Some((os_string(&entry[..equals]), os_string(&entry[equals + 1..])))
        };
        let variables = (is_complete && bytes.len() < MAX_RECORD).then(|| rest.iter().filter_map(variable).collect());
        Some(Self { directory, variables })
    }

    /// Returns the state for the next command, and a note if variables cannot be kept. `environment` has the variables of a command with an
    /// empty state, and `may_keep` decides about single variables.
    pub(crate) fn state(
        self,
        before: &ShellState,
        environment: impl Iterator<Item = (OsString, OsString)>,
        may_keep: impl Fn(&str, &str) -> bool,
    ) -> (ShellState, Option<String>) {
        let directory = Some(self.directory);
        let Some(recorded) = self.variables else {
            return (ShellState { directory, variables: before.variables.clone() }, None);
        };
        let environment: BTreeMap<OsString, OsString> = environment.collect();
        let is_kept = |name: &str| is_name(name) && !is_never_kept(name);
        let mut variables = Vec::new();
        for (name, value) in &recorded {
            if environment.get(name) == Some(value) {
                continue;
            }
            if let (Some(name), Some(value)) = (name.to_str(), value.to_str())
                && is_kept(name)
                && may_keep(name, value)
            {
                variables.push((name.to_owned(), Some(value.to_owned())));
            }
        }
        let removed = environment.keys().filter(|name| !recorded.contains_key(*name)).filter_map(|name| name.to_str());
        variables.extend(removed.filter(|name| is_kept(name)).map(|name| (name.to_owned(), None)));
        let bytes: usize =
            variables.iter().map(|(name, value)| name.len() + value.as_ref().map_or(0, String::len)).sum();
        if variables.len() > MAX_VARIABLES || bytes > MAX_BYTES {
            let note = format!(
                "the exported variables are not kept for the next command: they exceed {MAX_VARIABLES} variables or {} kB",
                MAX_BYTES / 1024
            );
            return (ShellState { directory, variables: before.variables.clone() }, Some(note));
        }
        (ShellState { directory, variables }, None)
    }
}

/// Removes files that killed processes have left. Files of other users cannot be removed.
fn remove_stale(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let is_stale = || entry.metadata().ok()?.modified().ok()?.elapsed().ok().map(|age| age > STALE);
        if entry.file_name().to_string_lossy().starts_with(PREFIX) && is_stale() == Some(true) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Returns whether a variable is never kept: it is listed, or the command rules that always apply ask about it.
pub(crate) fn is_never_kept(name: &str) -> bool {
    let matches = |pattern: &&str| match pattern.split_once('*') {
        Some((start, end)) => name.strip_prefix(start).is_some_and(|rest| rest.ends_with(end)),
        None => name == *pattern,
    };
    let rules = toolc_catalog::commands::rules();
    let active = rules.rules().iter().filter(|rule| rules.is_active(rule));
    NEVER_KEPT.iter().any(matches) || active.flat_map(|rule| rule.conditions.variables).any(matches)
}

/// Returns whether this is a valid name of a shell variable.
fn is_name(name: &str) -> bool {
    let mut letters = name.bytes();
    letters.next().is_some_and(|first| first.is_ascii_alphabetic() || first == b'_')
        && letters.all(|letter| letter.is_ascii_alphanumeric() || letter == b'_')
}

/// Quotes a text as one word of a shell.
fn quote(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(unix)]
fn os_string(bytes: &[u8]) -> OsString {
    use std::os::unix::ffi::OsStrExt as _;
    std::ffi::OsStr::from_bytes(bytes).to_owned()
}

/// Unused on this system, because nothing is recorded.
#[cfg(not(unix))]
fn os_string(bytes: &[u8]) -> OsString {
    String::from_utf8_lossy(bytes).into_owned().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Option<RecordedState> {
        RecordedState::parse(text.as_bytes())
    }

    fn state(recorded: &str, environment: &[(&str, &str)]) -> (Vec<(String, Option<String>)>, Option<String>) {
        let environment = environment.iter().map(|(name, value)| ((*name).into(), (*value).into()));
        let before = ShellState { directory: None, variables: vec![("BEFORE".to_owned(), Some("b".to_owned()))] };
        let (state, note) =
            parse(recorded).expect("a record").state(&before, environment, |name, _| !name.starts_with("SECRET"));
        assert_eq!(state.directory.as_deref(), Some(Path::new("/w")));
        (state.variables, note)
    }

    #[test]
    fn an_incomplete_record_has_no_variables() {
        for text in ["", "/w", "w\n\0", "\n\0A=b\0"] {
            assert_eq!(parse(text), None, "{text:?}");
        }
        for text in ["/w\n", "/w\n\0", "/w\n\0A=b", "/w\n\0A=b\0B="] {
            assert_eq!(parse(text).map(|record| (record.directory, record.variables)), Some(("/w".into(), None)));
        }
        let odd = parse("/w\nx\n\0A=b\nC=d\0no\0E==\0").expect("complete");
        assert_eq!(odd.directory, Path::new("/w\nx"));
        let variables: Vec<_> = odd.variables.expect("complete").into_iter().collect();
        assert_eq!(variables, [("A".into(), "b\nC=d".into()), ("E".into(), "=".into())]);
    }

    #[test]
    fn changed_and_removed_variables_are_kept() {
        let set = |name: &str, value: Option<&str>| (name.to_owned(), value.map(str::to_owned));
        let (variables, note) =
            state("/w\n\0SAME=1\0NEW=n\0CHANGED=2\0", &[("SAME", "1"), ("CHANGED", "1"), ("GONE", "x"), ("PWD", "/")]);
        assert_eq!(variables, [set("CHANGED", Some("2")), set("NEW", Some("n")), set("GONE", None)]);
        assert_eq!(note, None);
        assert_eq!(state("/w\n\0A=b", &[]).0, [set("BEFORE", Some("b"))], "an incomplete record");
    }

    #[test]
    fn some_variables_are_never_kept() {
        let (variables, _) = state(
            "/w\n\0PATH=/x\0LD_PRELOAD=/x\0BASH_FUNC_f%%=() {\0ENV=x\0IFS=x\0GIT_SSH=x\0PYTHONPATH=x\0NODE_OPTIONS=x\0SECRET_X=x\0\
             1A=x\0A-B=x\0=x\0HOME=/x\0OLDPWD=/\0TOOLC_HOME=/x\0FINE=1\0",
            &[("EDITOR", "vi")],
        );
        assert_eq!(variables, [("FINE".to_owned(), Some("1".to_owned()))]);
    }

    #[test]
    fn variables_that_a_rule_asks_about_are_never_kept() {
        let rules = toolc_catalog::commands::rules().rules();
        let rule = rules.iter().find(|rule| rule.name == "variable-that-loads-code").expect("a shipped rule");
        assert!(rule.conditions.variables.len() > 30);
        for pattern in rule.conditions.variables.iter().filter(|pattern| !pattern.contains('=')) {
            assert!(is_never_kept(&pattern.replace('*', "X")), "{pattern}");
        }
    }

    #[test]
    #[cfg(unix)]
    fn a_shell_that_outlives_its_call_leaves_no_file() {
        let folder = tempfile::TempDir::new().expect("failed to make a folder");
        let record = RecordFile::Local(NamedTempFile::new_in(folder.path()).expect("failed to make a file"));
        let end = |prefix: &str| {
            let status = std::process::Command::new("sh").args(["-c", &format!("{prefix}exit 3")]).status();
            assert_eq!(status.expect("failed to start a shell").code(), Some(3));
        };
        let prefix = record.prefix();
        end(&prefix);
        assert!(record.read().is_some_and(|state| state.variables.is_some()), "it is recorded");
        end(&prefix);
        assert!(fs::read_dir(folder.path()).expect("it exists").next().is_none());
    }

    #[test]
    fn stale_files_are_removed() {
        let folder = tempfile::TempDir::new().expect("failed to make a folder");
        let file = |name: &str, age: Duration| {
            let path = folder.path().join(name);
            let file = File::create(&path).expect("failed to make a file");
            file.set_modified(std::time::SystemTime::now() - age).expect("failed to set the time");
            path
        };
        let left = file("toolc-shell-left", STALE * 2);
        let others = [file("toolc-shell-new", Duration::ZERO), file("other", STALE * 2)];
        remove_stale(folder.path());
        assert!(!left.exists() && others.iter().all(|path| path.exists()));
    }

    #[test]
    fn too_many_variables_are_not_kept() {
        let many = (0..=MAX_VARIABLES).map(|n| format!("V{n}=x\0")).collect::<Vec<_>>().concat();
        let large = format!("A={}\0", "x".repeat(MAX_BYTES));
        for text in [many, large] {
            let (variables, note) = state(&format!("/w\n\0{text}"), &[]);
            assert_eq!(variables.len(), 1, "those before are kept");
            assert!(note.expect("a note").contains("64 kB"));
        }
    }
}
