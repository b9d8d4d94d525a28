//! Checks Python and Rust with `python3` and `rustfmt`. The programs only parse the text: they do not read the project's configuration,
//! and write nothing.

use std::env;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

use toolc_process::{EndReason, Process, Sink};

use super::{SyntaxChecker, SyntaxError};
use crate::task_files::TaskFiles;

/// The maximum number of bytes that are read from a program.
const MAX_OUTPUT: usize = 64 * 1024;

#[derive(Debug, Default)]
struct Output(Vec<u8>);

impl Sink for Output {
    fn push(&mut self, bytes: &[u8]) -> bool {
        self.0.extend_from_slice(bytes);
        self.0.len() <= MAX_OUTPUT
    }
}

pub(super) fn python(checker: &SyntaxChecker<'_>, text: &str) -> Option<SyntaxError> {
    // Limits of the parser (`RecursionError`, `MemoryError`) are not mistakes.
    const SCRIPT: &str = "\
import ast, sys
try:
    ast.parse(sys.stdin.buffer.read())
except SyntaxError as e:
    text = '%d %d %s (Python %d.%d)' % (e.lineno or 1, e.offset or 1, e.msg, *sys.version_info[:2])
    sys.stdout.buffer.write(text.encode('utf-8', 'replace'))
except Exception:
    pass
";
    let mut command = Command::new(find_program(checker.task.directory(), "python3")?);
    // Ignore `PYTHON*` variables and installed packages, and write no bytecode.
    command.args(["-I", "-S", "-B", "-W", "ignore", "-c", SCRIPT]);
    let output = run(checker, command, text, Stream::Stdout)?;
    let mut parts = output.splitn(3, ' ');
    let (line, column) = (parts.next()?.parse::<usize>().ok()?, parts.next()?.parse::<usize>().ok()?);
    let message = parts.next()?.trim().to_owned();
    Some(SyntaxError { language: "python", line: line.max(1), column: column.max(1), message })
}

pub(super) fn rust(checker: &SyntaxChecker<'_>, path: &Path, text: &str) -> Option<SyntaxError> {
    let mut command = Command::new(find_program(checker.task.directory(), "rustfmt")?);
    command.args(["--edition", edition(checker, path), "--color", "never"]);
    let output = run(checker, command, text, Stream::Stderr)?;
    let mut lines = output.lines().peekable();
    while let Some(line) = lines.next() {
        // Other errors of the program, such as `error[internal]` about a line that is too long, are not about the syntax.
        let Some(message) = line.strip_prefix("error: ") else { continue };
        let Some(location) = lines.peek().and_then(|line| line.trim().strip_prefix("--> <stdin>:")) else { continue };
        let (line, column) = location.split_once(':')?;
        let (line, column) = (line.parse::<usize>().ok()?, column.parse::<usize>().ok()?);
        return Some(SyntaxError {
            language: "rust",
            line: line.max(1),
            column: column.max(1),
            message: message.to_owned(),
        });
    }
    None
}

#[derive(Debug, Clone, Copy)]
enum Stream {
    Stdout,
    Stderr,
}

/// Returns what a program writes to one of its streams, or `None` if it cannot be run or takes too long.
fn run(checker: &SyntaxChecker<'_>, mut command: Command, input: &str, stream: Stream) -> Option<String> {
    // Programs may look for the project's settings in the current directory.
    command.current_dir(env::current_dir().ok()?.ancestors().last()?);
    let mut process = Process::new(command);
    let output = match stream {
        Stream::Stdout => process.stdout(Output::default()),
        Stream::Stderr => process.stderr(Output::default()),
    };
    let output = output.ok()?;
    let outcome = process.run(Some(input.as_bytes().to_vec()), || checker.should_stop()).ok()?;
    (outcome.reason == EndReason::Exited).then(|| String::from_utf8_lossy(&output.take().0).into_owned())
}

/// Returns the path of an installed program. Ignores programs in `dir`, because a model could have written them.
fn find_program(dir: &Path, name: &str) -> Option<PathBuf> {
    find_in(&env::var_os("PATH")?, dir, name)
}

fn find_in(path: &OsStr, dir: &Path, name: &str) -> Option<PathBuf> {
    let name = format!("{name}{}", env::consts::EXE_SUFFIX);
    let dirs = env::split_paths(path).filter(|entry| {
        entry.is_absolute() && !toolc_environment::resolve(entry).is_ok_and(|entry| entry.starts_with(dir))
    });
    dirs.map(|entry| entry.join(&name)).find(|program| is_program(program))
}

#[cfg(unix)]
fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata().is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_program(path: &Path) -> bool {
    path.is_file()
}

/// Returns the edition of Rust that the nearest `Cargo.toml` or its workspace sets.
fn edition(checker: &SyntaxChecker<'_>, path: &Path) -> &'static str {
    const EDITIONS: [&str; 4] = ["2015", "2018", "2021", "2024"];
    /// The edition for a file outside a package: the one in which code of other editions has the fewest errors.
    const DEFAULT: &str = "2021";
    let supported = |edition: &toml::Value| EDITIONS.into_iter().find(|name| edition.as_str() == Some(name));
    let mut has_package = false;
    let dirs = path.ancestors().skip(1).take_while(|_| !checker.should_stop());
    for manifest in dirs.filter_map(|dir| manifest(checker.task, &dir.join("Cargo.toml"))) {
        if !has_package && let Some(package) = manifest.get("package") {
            match package.get("edition") {
                None => return "2015",
                Some(edition) if edition.is_str() => return supported(edition).unwrap_or(DEFAULT),
                // The package inherits the edition of the workspace.
                Some(_) => has_package = true,
            }
        }
        if has_package
            && let Some(edition) =
                manifest.get("workspace").and_then(|workspace| workspace.get("package")?.get("edition"))
        {
            return supported(edition).unwrap_or(DEFAULT);
        }
    }
    DEFAULT
}

fn manifest(task: &TaskFiles, path: &Path) -> Option<toml::Table> {
    const MAX_BYTES: usize = 1024 * 1024;
    let (content, _) = task.files().read(path, 0, MAX_BYTES).ok()?;
    toml::from_str(&String::from_utf8(content).ok()?).ok()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use tempfile::TempDir;
    use toolc_test_support::skip;

    use super::*;
    use crate::fixture::fixture;

    fn check(name: &str, text: &str) -> Option<SyntaxError> {
        let f = fixture();
        let call = f.call();
        SyntaxChecker::new(&call, &f.task()).check(&f.dir.path().join(name), text)
    }

    fn has(program: &str) -> bool {
        let found = find_program(Path::new("/nowhere"), program).is_some();
        if !found {
            let remedy = if program == "rustfmt" { "`rustup component add rustfmt`" } else { "the program" };
            skip(format!("`{program}` is missing"), remedy);
        }
        found
    }

    #[test]
    fn python_is_parsed_and_not_run() {
        if !has("python3") {
            return;
        }
        let dir = TempDir::new().unwrap();
        let mark = dir.path().join("mark");
        let effect = format!("open({:?}, 'w').write('x')\n", mark.to_str().unwrap());
        assert_eq!(check("a.py", &effect), None);
        assert!(!mark.exists());
        let error = check("a.py", "x = 1\ndef f(:\n    pass\n").unwrap();
        assert_eq!((error.language, error.line, error.column), ("python", 2, 7));
        assert!(error.message.starts_with("invalid syntax (Python 3."), "{error:?}");
        assert_eq!(check("a.py", "def f():\nreturn 1\n").unwrap().line, 2);
    }

    #[test]
    fn rust_is_parsed_and_other_files_are_not_read() {
        if !has("rustfmt") {
            return;
        }
        assert_eq!(check("a.rs", "mod absent;\nfn   f( ) { let s = 1 ; }\n"), None);
        let error = check("a.rs", "fn f() {}\nfn g( {}\n").unwrap();
        assert_eq!((error.language, error.line), ("rust", 2));
        assert_eq!(check("a.rs", "fn f() {\n").unwrap().message, "this file contains an unclosed delimiter");
        let long = format!("fn f() {{ let s = \"{}\"; }}\n", "x".repeat(500));
        assert_eq!(check("a.rs", &long), None);
    }

    #[test]
    fn the_edition_is_that_of_the_package() {
        let f = fixture();
        let (call, task) = (f.call(), f.task());
        let put = |path: &str, text: &str| f.put(path, text);
        let edition = |path: &str| edition(&SyntaxChecker::new(&call, &task), &f.locate(path).unwrap());
        assert_eq!(edition("x.rs"), "2021");
        put("Cargo.toml", "[workspace.package]\nedition = \"2024\"\n");
        put("a/Cargo.toml", "[package]\nedition.workspace = true\n");
        put("b/Cargo.toml", "[package]\nedition = \"2018\"\n");
        put("c/Cargo.toml", "[package]\n");
        put("d/Cargo.toml", "[package]\nedition = \"--help\"\n");
        assert_eq!(
            [edition("a/src/x.rs"), edition("b/x.rs"), edition("c/x.rs"), edition("d/x.rs"), edition("x.rs")],
            ["2024", "2018", "2015", "2021", "2021"]
        );
    }

    #[cfg(unix)]
    #[test]
    fn programs_of_the_project_are_not_run() {
        use std::os::unix::fs::PermissionsExt;
        let dir = TempDir::new().unwrap();
        let root = dir.path().canonicalize().unwrap();
        let bin = |name: &str| {
            fs::create_dir_all(root.join(name)).unwrap();
            fs::write(root.join(name).join("python3"), "").unwrap();
            fs::set_permissions(root.join(name).join("python3"), PermissionsExt::from_mode(0o755)).unwrap();
            root.join(name)
        };
        let (inside, outside) = (bin("project/bin"), bin("system"));
        std::os::unix::fs::symlink(&inside, root.join("link")).unwrap();
        let find = |dirs: &[&Path]| find_in(&env::join_paths(dirs).unwrap(), &root.join("project"), "python3");
        assert_eq!(find(&[&inside, Path::new("bin"), &root.join("link"), &outside]), Some(outside.join("python3")));
        assert_eq!(find(&[&inside]), None);
        fs::set_permissions(outside.join("python3"), PermissionsExt::from_mode(0o644)).unwrap();
        assert_eq!(find(&[&outside]), None);
    }
}
