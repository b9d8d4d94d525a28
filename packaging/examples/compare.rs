//! Compares the packages of the compiler with those of two linters that are installed in the same ways: ruff from `PyPI` and buf from
//! npm. Prints a table: sizes, and the time from an empty folder to the first lint of a real project. `cargo xtask package --compare` runs
//! it.
//!
//! All packages are downloaded first, so that the network is not measured. Each time is the least of three.

use std::env;
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use toolc_packaging::{VERSION, install};

const RUFF: &str = "0.17.6";
const BUF: &str = "1.75.0";
/// Real files for buf: the interfaces of Google's services.
const PROTO_FILES: &str = "google-proto-files@6.0.1";

/// How often each way is tried.
const TRIES: usize = 3;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// A package that is installed, and what is linted with it.
struct Subject<'s> {
    name: String,
    /// The files of the package.
    files: Vec<PathBuf>,
    /// The name in the index of Python, or `None` for npm.
    python: Option<&'s str>,
    program: &'s str,
    args: &'s [&'s str],
    /// The working directory.
    project: PathBuf,
    /// The folder in it that is linted, and how the names of its files end.
    linted: (&'s str, &'s str),
}

/// The time of a step: wall-clock, and CPU time, if the system reports it.
#[derive(Clone, Copy)]
struct Time(Duration, Option<Duration>);

fn main() -> ExitCode {
    let Some(packages) = env::args_os().nth(1).map(PathBuf::from) else {
        eprintln!("error: expected the folder of the packages, which `cargo xtask package` writes");
        return ExitCode::from(2);
    };
    match run(&packages) {
        Ok(table) => {
            print!("{table}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

fn run(packages: &Path) -> Result<String> {
    let folder = env::temp_dir().join(format!("toolc-compare-{}", std::process::id()));
    fs::create_dir_all(&folder)?;
    let table = compare(packages, &folder);
    fs::remove_dir_all(&folder)?;
    table
}

fn compare(packages: &Path, folder: &Path) -> Result<String> {
    let mut table =
        "| package | files linted | MB to download | MB installed | installation | first lint |\n|---|---|---|---|---|---|\n".to_owned();
    for subject in subjects(packages, folder)? {
        eprintln!("{} ...", subject.name);
        table += &subject.row(folder)?;
    }
    Ok(table)
}

/// Returns what is compared, with other projects' packages and files downloaded into `folder`.
fn subjects(packages: &Path, folder: &Path) -> Result<Vec<Subject<'static>>> {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize()?;
    let downloads = folder.join("downloads");
    fs::create_dir_all(&downloads)?;
    quiet(
        Command::new("python3")
            .args(["-m", "pip", "download", "--quiet", "--no-deps", "--dest"])
            .arg(&downloads)
            .args([format!("ruff=={RUFF}"), "pip".to_owned()]),
    )?;
    let buf = ["@bufbuild/buf", "@bufbuild/buf-linux-x64"].map(|name| format!("{name}@{BUF}"));
    quiet(Command::new("npm").args(["pack", "--silent"]).args(buf).current_dir(&downloads))?;
    // The source of pip is a real project in Python.
    let pip = folder.join("pip");
    let wheel = find(&downloads, |name| name.starts_with("pip-"))?;
    quiet(Command::new("python3").args(["-m", "zipfile", "--extract"]).args([&wheel[0], &pip]))?;
    let protos = folder.join("protos");
    fs::create_dir_all(&protos)?;
    install::npm(&protos, &[PROTO_FILES], false)?;
    let own = |name: &str, python| Subject {
        name: format!("`cargo-toolc` {VERSION}, {name}"),
        files: Vec::new(),
        python,
        program: "cargo-toolc",
        args: &["lint"],
        project: repository.clone(),
        linted: ("manifests", ".toml"),
    };
    let is_launcher = |name: &str| name == format!("cargo-toolc-{VERSION}.tgz");
    let is_program = |name: &str| name.starts_with("toolc-cargo-toolc-linux-x64-");
    Ok(vec![
        Subject {
            files: find(packages, |name| name.starts_with("cargo_toolc-"))?,
            ..own("wheel", Some("cargo-toolc"))
        },
        Subject {
            name: format!("`ruff` {RUFF}, wheel"),
            files: find(&downloads, |name| name.starts_with("ruff-"))?,
            python: Some("ruff"),
            program: "ruff",
            args: &["check", "--quiet", "--isolated", "--no-cache", "--exit-zero", "."],
            project: pip,
            linted: ("pip", ".py"),
        },
        Subject { files: find(packages, |name| is_launcher(name) || is_program(name))?, ..own("npm", None) },
        Subject {
            name: format!("`@bufbuild/buf` {BUF}, npm"),
            files: find(&downloads, |name| name.starts_with("bufbuild-"))?,
            python: None,
            program: "buf",
            args: &["lint", "--path", "google/api"],
            project: protos.join("node_modules/google-proto-files"),
            linted: ("google/api", ".proto"),
        },
    ])
}

/// Returns the files of a folder with such names.
fn find(folder: &Path, is_wanted: impl Fn(&str) -> bool) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if is_wanted(&entry.file_name().to_string_lossy()) {
            found.push(entry.path());
        }
    }
    if found.is_empty() {
        return Err(format!("{} has no such package: run `cargo xtask package`", folder.display()).into());
    }
    found.sort();
    Ok(found)
}

impl Subject<'_> {
    /// Installs the package and lints with it, some times. Returns the row of the table.
    fn row(&self, folder: &Path) -> Result<String> {
        let mut least: Option<[Time; 2]> = None;
        let mut installed = 0;
        for number in 0..TRIES {
            let place = folder.join(format!("{}-{number}", self.program));
            let (programs, installation) = time(|| self.install(&place))?;
            let ((), lint) = time(|| self.lint(&programs))?;
            least = Some(least.map_or([installation, lint], |[one, other]| [one.min(installation), other.min(lint)]));
            installed = sizes(&place, &|path| !path.ends_with("cache"))?.0;
            if let Some(python) = self.python {
                // Without the environment itself, which has `pip`.
                installed = installed_files(&programs, python)?;
            }
            fs::remove_dir_all(place)?;
        }
        let [installation, lint] = least.ok_or("nothing was tried")?;
        let download: u64 = self.files.iter().map(|file| fs::metadata(file).map_or(0, |about| about.len())).sum();
        let (files, end) = self.linted;
        let files = sizes(&self.project.join(files), &|_| true)?.1;
        let linted = files.iter().filter(|path| path.to_string_lossy().ends_with(end)).count();
        Ok(format!(
            "| {} | {linted} | {:.1} | {:.1} | {installation} | {lint} |\n",
            self.name,
            megabytes(download),
            megabytes(installed),
        ))
    }

    fn install(&self, place: &Path) -> Result<PathBuf> {
        if let Some(name) = self.python {
            let from = self.files[0].parent();
            return Ok(install::pip(place, &[name], from)?);
        }
        fs::create_dir_all(place)?;
        Ok(install::npm(place, &self.files, true)?)
    }

    /// Lints. The status of buf is 100 if it finds something.
    fn lint(&self, programs: &Path) -> Result<()> {
        let mut command = Command::new(programs.join(self.program));
        let output = command.args(self.args).current_dir(&self.project).stdin(Stdio::null()).output()?;
        match output.status.code() {
            Some(0 | 100) => Ok(()),
            _ => Err(format!("failed: {command:?}: {}", String::from_utf8_lossy(&output.stderr).trim()).into()),
        }
    }
}

/// Returns the number of bytes that a package of Python has installed.
fn installed_files(programs: &Path, package: &str) -> Result<u64> {
    let script =
        "import importlib.metadata as m, sys; print(sum(f.locate().stat().st_size for f in m.files(sys.argv[1])))";
    Ok(install::program(programs, "python", &["-c", script, package], programs)?.parse()?)
}

#[expect(clippy::cast_precision_loss, reason = "sizes of files are far smaller")]
fn megabytes(bytes: u64) -> f64 {
    bytes as f64 / 1e6
}

/// Returns the number of bytes in a folder, and its files, without some folders.
fn sizes(folder: &Path, is_wanted: &dyn Fn(&Path) -> bool) -> Result<(u64, Vec<PathBuf>)> {
    let (mut bytes, mut files) = (0, Vec::new());
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let about = fs::symlink_metadata(&path)?;
        if about.is_dir() && is_wanted(&path) {
            let (more, others) = sizes(&path, is_wanted)?;
            bytes += more;
            files.extend(others);
        } else if about.is_file() {
            bytes += about.len();
            files.push(path);
        }
    }
    Ok((bytes, files))
}

fn quiet(command: &mut Command) -> Result<()> {
    let status = command.stdin(Stdio::null()).stdout(Stdio::null()).status()?;
    if status.success() { Ok(()) } else { Err(format!("failed: {command:?}").into()) }
}

impl Time {
    fn min(self, other: Self) -> Self {
        Self(self.0.min(other.0), self.1.zip(other.1).map(|(one, other)| one.min(other)))
    }
}

impl std::fmt::Display for Time {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:.2} s", self.0.as_secs_f64())?;
        self.1.map_or(Ok(()), |processor| write!(f, " ({:.2} s)", processor.as_secs_f64()))
    }
}

fn time<T>(work: impl FnOnce() -> Result<T>) -> Result<(T, Time)> {
    let (began, before) = (Instant::now(), processor_time());
    let result = work()?;
    let processor = processor_time().zip(before).map(|(after, before)| after.saturating_sub(before));
    Ok((result, Time(began.elapsed(), processor)))
}

/// Returns the time of all processors that the processes have taken which this one has started and which have ended, on Linux.
fn processor_time() -> Option<Duration> {
    let text = fs::read_to_string("/proc/self/stat").ok()?;
    // After the name, which is in parentheses, `cutime` and `cstime` are the 14th and 15th field, in hundredths of a second.
    let mut fields = text.rsplit_once(')')?.1.split_whitespace().skip(13).map(|field| field.parse::<u64>().ok());
    let ticks = fields.next()?? + fields.next()??;
    Some(Duration::from_millis(ticks * 10))
}
