//! The packages of `npx` and `uvx`: before a package is run, its version is pinned, and OSV is asked whether that version is malicious.
//!
//! The version and the result of the check are kept in a file. The same version is run from then on, until the person asks for another.

mod command;
mod registry;

use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use crate::ask::{Answer, Question, QuestionKind, Questioner};
use crate::error::{ErrorKind, McpError};
use crate::file;
use crate::settings::{Packages, Server, Transport};
use command::{PackageArgument, Runs};

/// The time limit for the registry.
const REGISTRY_TIMEOUT: Duration = Duration::from_secs(15);
/// The time limit for OSV, which is asked at many starts.
const OSV_TIMEOUT: Duration = Duration::from_secs(5);
/// The time limit for the first start of a package, in which it may be downloaded.
const DOWNLOAD: Duration = Duration::from_mins(5);
/// The time for which a check is valid.
const GOOD_FOR: Duration = Duration::from_hours(24);
/// The maximum number of bytes of the file.
const MAX_BYTES: u64 = 64 << 10;

/// A registry of packages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Ecosystem {
    Npm,
    PyPi,
}

impl Ecosystem {
    /// Returns the name that OSV has for it.
    fn word(self) -> &'static str {
        match self {
            Self::Npm => "npm",
            Self::PyPi => "PyPI",
        }
    }
}

/// The package of a server, as the file keeps it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Known {
    ecosystem: Ecosystem,
    name: String,
    /// What the command line said about the version.
    wanted: Option<String>,
    version: String,
    check: Check,
    /// Whether a server of this package has listed its tools.
    #[serde(default)]
    has_run: bool,
}

/// Whether a version was checked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "result")]
enum Check {
    /// The version was checked at this time, in seconds since 1970. OSV knew these advisories.
    Checked { at: u64, advisories: Vec<String> },
    /// The version could not be checked, and the person allowed it to run.
    AcceptedUnchecked,
}

/// The package of a server, ready to be run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Package {
    /// The package with its version, such as `npm:left-pad@1.3.0`.
    pub name: String,
    /// The arguments of the program, with the version.
    pub args: Vec<String>,
    /// Advisories about vulnerabilities of this version.
    pub advisories: Vec<String>,
    /// Why the version could not be checked now, if it could not.
    pub unchecked: Option<String>,
}

/// Why a package is not run.
#[derive(Debug)]
pub(crate) struct Refused {
    pub(crate) error: McpError,
    /// Whether another try would fail, too.
    pub(crate) is_final: bool,
}

impl Refused {
    fn permanent(error: McpError) -> Self {
        Self { error, is_final: true }
    }
}

/// Finds the package of a server, pins its version, and checks it. Returns `None` if the server has no package.
///
/// With `newest`, the recorded version is ignored. A command that adds a server or updates its version sets it, so messages do not assume
/// that the server is in the configuration.
pub(crate) async fn prepare(
    server: &Server,
    questioner: &Questioner,
    newest: bool,
) -> Result<Option<Package>, Refused> {
    let (Transport::Stdio { command, args, .. }, Some(packages)) = (&server.transport, &server.packages) else {
        return Ok(None);
    };
    let named = match command::read(command, args) {
        Runs::Program => return Ok(None),
        Runs::Package(named) => named,
        Runs::Unknown(reason) => {
            return prepare_unknown(packages, args, reason, &Person { questioner, is_adding: newest }).await;
        }
    };
    let person = Person { questioner, is_adding: newest };
    let known = if newest { None } else { read(&packages.file).map_err(Refused::permanent)? };
    // The record still applies if the configuration has since been changed to name the recorded version.
    let is_wanted = |known: &Known| {
        known.wanted == named.wanted || (named.is_exact() && named.wanted.as_deref() == Some(&*known.version))
    };
    let known =
        known.filter(|known| (known.ecosystem, &known.name) == (named.ecosystem, &named.name) && is_wanted(known));
    let version = match &known {
        Some(known) => known.version.clone(),
        None => version(packages, &named).await?,
    };
    let full = format!("{}:{}@{version}", named.ecosystem.word(), named.name);
    let has_run = known.as_ref().is_some_and(|known| known.has_run);
    let (check, unchecked) =
        check_version(packages, &named, &version, known.map(|known| known.check), &full, &person).await?;
    let advisories = match &check {
        Check::Checked { advisories, .. } => advisories.clone(),
        Check::AcceptedUnchecked => Vec::new(),
    };
    let args = named.pinned(args, &version);
    let known = Known { ecosystem: named.ecosystem, name: named.name, wanted: named.wanted, version, check, has_run };
    write(&packages.file, &known).map_err(Refused::permanent)?;
    Ok(Some(Package { name: full, args, advisories, unchecked }))
}

/// Returns the exact version that a command line names, or the one that the registry has for it.
async fn version(packages: &Packages, named: &PackageArgument) -> Result<String, Refused> {
    if named.is_exact() {
        return Ok(named.wanted.clone().unwrap_or_default());
    }
    let resolved = registry::resolve(packages, named.ecosystem, &named.name, named.wanted.as_deref());
    let resolved = tokio::time::timeout(REGISTRY_TIMEOUT, resolved).await;
    let no_answer = |_| Err(McpError::new(ErrorKind::Package, "the registry does not answer"));
    resolved.unwrap_or_else(no_answer).map_err(|error| {
        let advice = "write an exact version, or try again with a network";
        let message = format!("the version of the package `{}` could not be found: {error}; {advice}", named.name);
        Refused { error: McpError::new(ErrorKind::Package, message).caused_by(error), is_final: false }
    })
}

/// Checks a version, unless `before`, the result of the previous check, is recent. Also returns why it could not be checked now.
async fn check_version(
    packages: &Packages,
    named: &PackageArgument,
    version: &str,
    before: Option<Check>,
    full: &str,
    person: &Person<'_>,
) -> Result<(Check, Option<String>), Refused> {
    if let Some(Check::Checked { at, .. }) = &before
        && now().checked_sub(*at).is_some_and(|age| age < GOOD_FOR.as_secs())
    {
        return Ok((before.unwrap_or(Check::AcceptedUnchecked), None));
    }
    let advice = registry::advice(packages, named.ecosystem, &named.name, version);
    let no_answer = |_| Err(McpError::new(ErrorKind::Package, "OSV does not answer"));
    match tokio::time::timeout(OSV_TIMEOUT, advice).await.unwrap_or_else(no_answer) {
        Ok(registry::Advice { malware: Some(id), .. }) => {
            let reason =
                format!("the package {full} is malicious, and is not run: see https://osv.dev/vulnerability/{id}");
            Err(Refused::permanent(McpError::new(ErrorKind::Package, reason)))
        }
        Ok(registry::Advice { malware: None, advisories }) => Ok((Check::Checked { at: now(), advisories }, None)),
        Err(error) => {
            let reason = error.to_string();
            if let Some(check) = before {
                Ok((check, Some(reason)))
            } else {
                person.accepts_unchecked(full, &reason).await?;
                Ok((Check::AcceptedUnchecked, Some(reason)))
            }
        }
    }
}

/// The person who is asked about a package that cannot be checked.
struct Person<'a> {
    questioner: &'a Questioner,
    /// Whether the person is adding the server or pinning its version, as opposed to using it.
    is_adding: bool,
}

impl Person<'_> {
    /// Asks whether to run a package that cannot be checked.
    async fn accepts_unchecked(&self, package: &str, reason: &str) -> Result<(), Refused> {
        let kind = QuestionKind::Unchecked { package: package.to_owned(), reason: reason.to_owned() };
        let server = &self.questioner.server;
        let advice = match self.questioner.ask(&Question::new(server, kind)).await {
            Answer::Accept(_) => return Ok(()),
            Answer::Decline => String::new(),
            Answer::Cancel if self.is_adding => {
                "; in a terminal, this command asks whether to run it anyway".to_owned()
            }
            Answer::Cancel => format!("; in a terminal, `toolc mcp test {server}` asks whether to run it anyway"),
        };
        let reason = format!("{package} could not be checked, and is not run: {reason}{advice}");
        Err(Refused::permanent(McpError::new(ErrorKind::Package, reason)))
    }
}

/// Prepares a package that is in no registry. The person must have allowed it before, or is asked now.
async fn prepare_unknown(
    packages: &Packages,
    args: &[String],
    reason: String,
    person: &Person<'_>,
) -> Result<Option<Package>, Refused> {
    let line = args.join(" ");
    let known = read(&packages.file).map_err(Refused::permanent)?;
    if !known.is_some_and(|known| known.name == line && known.check == Check::AcceptedUnchecked) {
        person.accepts_unchecked(&line, &reason).await?;
        let version = String::new();
        let known = Known {
            ecosystem: Ecosystem::Npm,
            name: line.clone(),
            wanted: None,
            version,
            check: Check::AcceptedUnchecked,
            has_run: false,
        };
        write(&packages.file, &known).map_err(Refused::permanent)?;
    }
    Ok(Some(Package { name: line, args: args.to_vec(), advisories: Vec::new(), unchecked: Some(reason) }))
}

impl Server {
    /// Returns whether `npx` or `uvx` runs the server, and it has never listed its tools: its package may have to be downloaded.
    pub fn is_first_start(&self) -> bool {
        let Some(file) = file_of_package(self) else { return false };
        read(file).is_ok_and(|known| !known.is_some_and(|known| known.has_run))
    }

    /// Returns the time limit for the first start of a package.
    pub fn first_start_limit(&self) -> Duration {
        self.start_timeout.max(DOWNLOAD)
    }
}

/// Remembers that the package of a server has listed its tools. If that fails, the next start has the time limit of the first one.
pub(crate) fn remember_run(server: &Server) {
    let Some(file) = file_of_package(server) else { return };
    if let Ok(Some(known)) = read(file) {
        let _ = write(file, &Known { has_run: true, ..known });
    }
}

/// Returns the file of the package of a server, if it is one.
fn file_of_package(server: &Server) -> Option<&Path> {
    let (Transport::Stdio { command, args, .. }, Some(packages)) = (&server.transport, &server.packages) else {
        return None;
    };
    let is_package = !matches!(command::read(command, args), Runs::Program);
    is_package.then_some(&*packages.file)
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs())
}

fn read(path: &Path) -> Result<Option<Known>, McpError> {
    let failed = |error: Box<dyn std::error::Error + Send + Sync>| {
        let message = format!("the file {} cannot be read: {error}; remove it", path.display());
        McpError::new(ErrorKind::File, message).caused_by(error)
    };
    let Some(bytes) = file::read(path, MAX_BYTES).map_err(|error| failed(error.into()))? else { return Ok(None) };
    serde_json::from_slice(&bytes).map(Some).map_err(|error| failed(error.into()))
}

fn write(path: &Path, known: &Known) -> Result<(), McpError> {
    if read(path).is_ok_and(|before| before.as_ref() == Some(known)) {
        return Ok(());
    }
    file::write(path, known).map_err(|error| {
        McpError::new(ErrorKind::File, format!("failed to write {}: {error}", path.display())).caused_by(error)
    })
}
