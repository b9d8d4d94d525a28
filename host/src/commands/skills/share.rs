//! `toolc skills publish`, `snapshot` and `tap`: what leaves this machine, and which repositories are searched.

use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use serde_json::json;
use toolc_hub::{Hub, Package, Repository, Snapshot, Tap};
use toolc_skill::{Folder, Severity, Strictness};

use super::Place;
use super::console::Console;
use super::install::apply;
use super::shown::{self, Answers, REFUSED};
use crate::ground::error::{Error, Result};
use crate::ground::show;
use crate::sources::skills::MAIN;

/// The maximum size of a snapshot, in bytes.
const MAX_SNAPSHOT: u64 = 16 << 20;

/// The arguments of `skills publish`.
#[derive(Debug, Args)]
pub(super) struct PublishArgs {
    /// The folder of the skill.
    folder: PathBuf,
    /// Propose the skill to this repository of GitHub, by a pull request. Needs a token that may write to it: name a fork of your own for
    /// a repository of others.
    #[arg(long, value_name = "OWNER/REPOSITORY")]
    to: Option<Repository>,
    /// The folder of the repository in which its skills are.
    #[arg(long, value_name = "FOLDER", default_value = "skills", requires = "to")]
    below: String,
    /// Write a zip with the skill to a new file, for other sites.
    #[arg(long, value_name = "FILE")]
    archive: Option<PathBuf>,
    /// Do not ask.
    #[arg(long)]
    yes: bool,
    /// Print one line of JSON.
    #[arg(long)]
    json: bool,
}

/// Checks a skill, and publishes it. Returns the exit status.
pub(super) fn publish(args: &PublishArgs, place: &Place<'_>, hub: &Hub, console: &dyn Console) -> Result<u8> {
    let package = match hub.package(&place.path(&args.folder)) {
        Ok(Ok(package)) => package,
        Ok(Err(problems)) => {
            for problem in &problems {
                console.note(&format!("error: {}", show::lines(&problem.to_string())));
            }
            if args.json {
                let problems: Vec<String> = problems.iter().map(ToString::to_string).collect();
                console.print(&format!("{}\n", json!({ "problems": problems })))?;
            }
            return Ok(REFUSED);
        }
        Err(error) => return shown::refused(error, console),
    };
    if let Some(refused) = unreadable(args, place, console)? {
        return Ok(refused);
    }
    let mut object =
        json!({ "name": package.name, "digest": package.bundle.digest(), "files": package.bundle.files().len() });
    let mut text =
        format!("{}: {} can be published\n", package.name, show::counted(package.bundle.files().len(), "file"));
    if let Some(path) = &args.archive {
        console.check_open()?;
        write_new(&place.path(path), &package.archive().map_err(|error| Error::failed("pack the skill", error))?)?;
        object["archive"] = json!(path);
        text += &format!("written: {}\n", path.display());
    }
    let mut status = 0;
    if let Some(repository) = &args.to {
        match propose(args, &package, repository, hub, console)? {
            Some(page) => {
                text += &format!("proposed: {}\n", show::one_line(&page));
                object["pull_request"] = json!(page);
            }
            None => status = REFUSED,
        }
    }
    console.print(&if args.json { format!("{object}\n") } else { text })?;
    Ok(status)
}

/// Checks the front matter as `scan` does, and returns the exit status if it has errors.
fn unreadable(args: &PublishArgs, place: &Place<'_>, console: &dyn Console) -> Result<Option<u8>> {
    let Ok(folder) = Folder::open(place.path(&args.folder)) else { return Ok(None) };
    let notes = match folder.read_skill(Strictness::Check) {
        Ok(reading) => reading.notes,
        Err(unreadable) => unreadable.notes,
    };
    let errors: Vec<String> =
        notes.iter().filter(|note| note.severity == Severity::Error).map(ToString::to_string).collect();
    if errors.is_empty() {
        return Ok(None);
    }
    for error in &errors {
        console.note(&format!("{MAIN}:{}", show::one_line(error)));
    }
    if args.json {
        console.print(&format!("{}\n", json!({ "problems": errors })))?;
    }
    Ok(Some(REFUSED))
}

/// Asks, and proposes a skill to a repository. Returns the page of the proposal.
fn propose(
    args: &PublishArgs,
    package: &Package,
    repository: &Repository,
    hub: &Hub,
    console: &dyn Console,
) -> Result<Option<String>> {
    let files: Vec<String> = package.bundle.files().iter().map(|file| show::one_line(&file.path)).collect();
    console.note(&format!("the files of {} that others will see: {}", package.name, files.join(", ")));
    if !console.confirm(&format!("Propose {} to {repository}?", package.name), args.yes)? {
        console.note("nothing was proposed");
        return Ok(None);
    }
    match hub.publish(package, repository, &args.below) {
        Ok(request) => Ok(Some(request.page)),
        Err(error) => shown::refused(error, console).map(|_| None),
    }
}

/// Writes a file that does not exist yet.
fn write_new(path: &Path, bytes: &[u8]) -> Result<()> {
    let failed = |error: io::Error| Error::failed(format!("write {}", path.display()), error);
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut file = tempfile::NamedTempFile::new_in(folder).map_err(failed)?;
    io::Write::write_all(&mut file, bytes).map_err(failed)?;
    file.persist_noclobber(path).map_err(|error| match error.error.kind() {
        io::ErrorKind::AlreadyExists => {
            Error::Invalid(format!("{} exists: remove it, or choose another name", path.display()))
        }
        _ => failed(error.error),
    })?;
    Ok(())
}

#[derive(Debug, Subcommand)]
pub(super) enum SnapshotCommand {
    /// Write what is installed, and the taps, to a new file.
    Export {
        /// The file.
        file: PathBuf,
    },
    /// Add the taps of a file, and install its skills at the same versions, as one change, which one `undo` undoes. What another machine has
    /// accepted must be accepted again.
    Import {
        /// The file.
        file: PathBuf,
        #[command(flatten)]
        answers: Answers,
        /// Print one line of JSON.
        #[arg(long)]
        json: bool,
    },
}

impl SnapshotCommand {
    /// Runs the command, and returns the exit status.
    pub(super) fn run(&self, place: &Place<'_>, hub: &Hub, console: &dyn Console) -> Result<u8> {
        match self {
            Self::Export { file } => {
                let snapshot = hub.export()?;
                write_new(&place.path(file), snapshot.text().as_bytes())?;
                let skills = show::counted(snapshot.lock.skills.len(), "skill");
                console.print(&format!("written: {}, with {skills}\n", file.display()))?;
                Ok(0)
            }
            Self::Import { file, answers, json } => {
                let snapshot = read(&place.path(file))?;
                let text = contents(&snapshot);
                if *json {
                    console.note(text.trim_end());
                } else {
                    console.print(&text)?;
                }
                let plan = hub.plan_import(&snapshot)?;
                answers.accept.check(plan.findings())?;
                let question = "Add all of this? The guard has judged the files, which are not shown.";
                if !console.confirm(question, answers.yes)? {
                    console.note("nothing was added");
                    return Ok(REFUSED);
                }
                let command = format!("toolc skills snapshot import {}", show::one_line(&file.display().to_string()));
                apply(plan, &answers.accept, &command, *json, hub, console)
            }
        }
    }
}

fn read(path: &Path) -> Result<Snapshot> {
    let failed = |error: io::Error| Error::failed(format!("read {}", path.display()), error);
    let mut text = String::new();
    File::open(path).and_then(|file| file.take(MAX_SNAPSHOT + 1).read_to_string(&mut text)).map_err(failed)?;
    if text.len() as u64 > MAX_SNAPSHOT {
        return Err(Error::Invalid(format!("{} has more than {MAX_SNAPSHOT} bytes", path.display())));
    }
    Snapshot::parse(&text)
        .map_err(|error| Error::Invalid(format!("{} is not a snapshot of skills: {error}", path.display())))
}

/// Returns what a snapshot would add.
fn contents(snapshot: &Snapshot) -> String {
    let mut text = String::new();
    for (name, skill) in &snapshot.lock.skills {
        let (id, version) = (show::one_line(&skill.identifier.to_string()), shown::short(&skill.version));
        let _ = writeln!(text, "{name}: {id} at {version}");
    }
    for tap in &snapshot.taps {
        let _ = writeln!(text, "tap: {tap}");
    }
    if text.is_empty() { "the snapshot has no skills and no taps\n".to_owned() } else { text }
}

#[derive(Debug, Subcommand)]
pub(super) enum TapCommand {
    /// Search a repository of GitHub, too: OWNER/REPOSITORY, or market:OWNER/REPOSITORY for a Claude marketplace.
    Add {
        /// The repository.
        #[arg(value_name = "TAP")]
        tap: Tap,
    },
    /// Do not search a repository any more. What is installed from it stays.
    Remove {
        /// The repository, as `list` prints it.
        #[arg(value_name = "TAP")]
        tap: Tap,
    },
    /// List the repositories that are searched in addition to openai/skills and anthropics/skills.
    List {
        /// Print one line of JSON.
        #[arg(long)]
        json: bool,
    },
}

impl TapCommand {
    /// Runs the command, and returns the exit status.
    pub(super) fn run(&self, hub: &Hub, console: &dyn Console) -> Result<u8> {
        match self {
            Self::Add { tap } => {
                let is_new = hub.add_tap(tap)?;
                console.print(&format!(
                    "{tap} {}\n",
                    if is_new { "is searched from now on" } else { "is searched already" }
                ))?;
            }
            Self::Remove { tap } => {
                if !hub.remove_tap(tap)? {
                    let taps = hub.taps()?.iter().map(ToString::to_string).collect::<Vec<_>>();
                    let similar = toolc::suggest::suggestion(&tap.to_string(), taps.iter().map(String::as_str));
                    console.note(&format!("error: {tap} is not a tap{similar}"));
                    return Ok(REFUSED);
                }
                console.print(&format!("{tap} is not searched any more\n"))?;
            }
            Self::List { json: true } => console.print(&format!("{}\n", json!({ "taps": hub.taps()? })))?,
            Self::List { json: false } => {
                let taps: Vec<String> = hub.taps()?.iter().map(ToString::to_string).collect();
                let none = "there are no taps: openai/skills and anthropics/skills are searched\n".to_owned();
                console.print(&if taps.is_empty() { none } else { taps.join("\n") + "\n" })?;
            }
        }
        Ok(0)
    }
}
