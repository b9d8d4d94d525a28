//! `toolc skills`: lists, inspects and checks skills, finds and installs skills of others, and undoes what was changed. The chat runs the
//! same commands as `/skills ...`.

mod console;
mod history;
mod install;
mod list;
mod origin;
mod scan;
mod search;
mod share;
mod shown;
mod update;

use std::path::{Path, PathBuf};

use clap::{Args, Parser, Subcommand};
use toolc::Registry;
use toolc_config::Home;
use toolc_hub::{Identifier, SkillName};
use toolc_skills::Skills;

use crate::assembly::registry_to_show;
use crate::ground::ask::require_person;
use crate::ground::error::{Error, Result};
use crate::options::ToolOptions;
use crate::profile::Profile;
use crate::sources::{hub, skills};

pub(crate) use console::Console;

use console::Streams;

/// The last part of the help.
const EXIT_STATUS: &str = "\
A skill is a folder with SKILL.md in the format of agentskills.io. Those in TOOLC_HOME/skills belong to you and the model. Those in
.agents/skills of a trusted project, and in ~/.agents/skills, are only read. Skills of others are shown and judged before they are installed;
only a person can search, install, update, publish and remove them. Without a command, the skills are listed.

Exit status:
  0  success
  1  not everything was done: no skill has the name, or no change the number; search found nothing; a source did not answer; the guard
     refused a skill; you answered no; update NAME: the folder of the skill is missing, or its source has removed it; audit: a skill is
     refused or cannot be judged; scan: a skill has errors, or a finding blocks it
  2  the command line is wrong, a file cannot be used, no finding has an id after --accept, the finding cannot be accepted, or the
     command runs inside a tool";

/// The arguments of `skills`.
#[derive(Debug, Args)]
#[command(after_help = EXIT_STATUS)]
pub(crate) struct SkillsArgs {
    /// Without a command, lists the skills.
    #[command(subcommand)]
    command: Option<SkillsCommand>,
}

#[derive(Debug, Subcommand)]
enum SkillsCommand {
    /// Search the sources for skills of others. Does not run inside a tool.
    Search(search::SearchArgs),
    /// Show a skill of a source with its files and the findings of the guard, ask, and install it. Does not run inside a tool.
    Install(install::InstallArgs),
    /// List the skills with where they were installed from, those that cannot be used here, and folders that cannot be read.
    List {
        /// Print one line of JSON.
        #[arg(long)]
        json: bool,
    },
    /// Show a skill: where it is, its files, and what is wrong with it. By its ID at a source, also a skill that is not installed.
    Inspect {
        /// The name of the skill, or its ID at a source, such as OWNER/REPOSITORY/SKILL.
        name: String,
        /// Print one line of JSON.
        #[arg(long)]
        json: bool,
    },
    /// Show what the sources have changed, ask, and take it. Your edits stay. Does not run inside a tool.
    Update(update::UpdateArgs),
    /// Judge the installed skills again, as they are now, and compare them with the lock. With `--accept`, accept findings of edited files.
    Audit(update::AuditArgs),
    /// Remove a skill that was installed from a source. `undo` returns it. Does not run inside a tool.
    Uninstall {
        /// The name of the skill.
        name: SkillName,
    },
    /// Install again, at the same versions, what is in the lock and whose folder is missing. Does not run inside a tool.
    Restore(install::RestoreArgs),
    /// Check a skill of yours as those will who install it, and propose it to a repository or pack it. Does not run inside a tool.
    Publish(share::PublishArgs),
    /// Write what is installed to a file, or install what is in a file. Does not run inside a tool.
    #[command(subcommand)]
    Snapshot(share::SnapshotCommand),
    /// Add, remove and list repositories that are searched.
    #[command(subcommand)]
    Tap(share::TapCommand),
    /// Check folders of skills: the format, as strictly as its validator, and what the skills would do. Changes nothing without `--fix`.
    Scan(scan::ScanArgs),
    /// List the changes of skills by the model, by you and by installations, or show one.
    History {
        /// The number of a change, which is shown with its differences.
        id: Option<u64>,
        /// Print one line of JSON for each change.
        #[arg(long)]
        json: bool,
    },
    /// Undo a change of skills. Does not run inside a tool.
    Undo {
        /// The number of the change, as `history` prints it. Default: the last installation, update or removal that is not undone, so that
        /// each `undo` goes back one more.
        id: Option<u64>,
    },
}

/// A line of the chat after `/skills`.
#[derive(Debug, Parser)]
#[command(name = "/skills", no_binary_name = true)]
pub(crate) struct SkillsLine {
    #[command(flatten)]
    pub(crate) args: SkillsArgs,
}

/// Where a command finds the skills and the tools that their conditions name.
pub(crate) struct Place<'p> {
    pub(crate) home: Home,
    /// The directory to which paths are relative.
    pub(crate) directory: &'p Path,
    pub(crate) registry: &'p dyn Fn(&Profile) -> Result<Registry>,
}

impl Place<'_> {
    /// Returns a path that this process can open.
    fn path(&self, path: &Path) -> PathBuf {
        if self.is_current() { path.to_owned() } else { self.directory.join(path) }
    }

    /// Returns an identifier whose folders this process can open.
    fn identifier(&self, id: &Identifier) -> Identifier {
        if self.is_current() { id.clone() } else { id.in_directory(self.directory) }
    }

    fn is_current(&self) -> bool {
        std::env::current_dir().is_ok_and(|current| current == self.directory)
    }
}

impl SkillsArgs {
    /// Runs the command, and returns the exit status.
    pub(crate) fn run(&self, options: &ToolOptions, home: Home) -> Result<u8> {
        let directory = std::env::current_dir().map_err(|error| Error::failed("find the current directory", error))?;
        let registry = |profile: &Profile| registry_to_show(&profile.home, profile.config(), &options.plugins);
        self.run_in(Place { home, directory: &directory, registry: &registry }, &Streams)
    }

    /// Runs the command, and returns the exit status.
    pub(crate) fn run_in(&self, place: Place<'_>, console: &dyn Console) -> Result<u8> {
        let command = self.command.as_ref().unwrap_or(&SkillsCommand::List { json: false });
        if let Some(action) = command.of_person() {
            require_person(action)?;
        }
        match command {
            SkillsCommand::List { json } => Loaded::new(&place, console)?.list(*json, console),
            SkillsCommand::Inspect { name, json } => inspect(&place, name, *json, console),
            SkillsCommand::Scan(args) => args.run(&place, console),
            SkillsCommand::History { id, json } => history::show(&Profile::read(place.home)?, *id, *json, console),
            SkillsCommand::Undo { id: Some(id) } => history::undo(&Profile::read(place.home)?, *id, console),
            command => command.run_on_hub(&place, &Profile::read(place.home.clone())?, console),
        }
    }
}

impl SkillsCommand {
    /// Returns what only a person can do, if this command does it: changes, and requests to sources.
    fn of_person(&self) -> Option<&'static str> {
        match self {
            Self::Search(_) => Some("search for skills of others"),
            Self::Install(_) => Some("install skills"),
            Self::Update(_) => Some("update skills"),
            Self::Uninstall { .. } => Some("remove skills"),
            Self::Restore(_) => Some("restore skills"),
            Self::Audit(args) if !args.accept.ids.is_empty() => Some("accept findings of skills"),
            Self::Publish(_) => Some("publish skills"),
            Self::Snapshot(_) => Some("use snapshots of skills"),
            Self::Tap(share::TapCommand::Add { .. } | share::TapCommand::Remove { .. }) => {
                Some("choose what is searched for skills")
            }
            Self::Undo { .. } => Some("undo changes of skills"),
            // `scan --fix` changes folders that the person names, and `inspect` fetches only by an identifier.
            Self::Tap(share::TapCommand::List { .. })
            | Self::List { .. }
            | Self::Inspect { .. }
            | Self::Audit(_)
            | Self::Scan(_)
            | Self::History { .. } => None,
        }
    }

    /// Runs a command that needs only the hub.
    fn run_on_hub(&self, place: &Place<'_>, profile: &Profile, console: &dyn Console) -> Result<u8> {
        match self {
            Self::Search(args) => search::run(args, &hub::open(profile)?, console),
            Self::Install(args) => install::run(args, place, &hub::open(profile)?, console),
            Self::Update(args) => update::run(args, &hub::open(profile)?, console),
            Self::Restore(args) => install::restore(args, &hub::open(profile)?, console),
            Self::Publish(args) => share::publish(args, place, &hub::open(profile)?, console),
            Self::Snapshot(command) => command.run(place, &hub::open(profile)?, console),
            Self::Tap(command) => command.run(&hub::open_without_sources(profile)?, console),
            Self::Audit(args) => update::audit(args, &hub::open_without_sources(profile)?, console),
            Self::Uninstall { name } => install::uninstall(name, &hub::open_without_sources(profile)?, console),
            _ => install::undo(&hub::open_without_sources(profile)?, None, console),
        }
    }
}

/// Shows a skill by its name, or by its identifier at a source.
fn inspect(place: &Place<'_>, name: &str, as_json: bool, console: &dyn Console) -> Result<u8> {
    let is_name = name.parse::<SkillName>().is_ok();
    let loaded = Loaded::new(place, console)?;
    // A skill here, with the category under which `list` shows it.
    if let Some((category, own)) = name.rsplit_once('/')
        && loaded.skills.library().get(own).is_some_and(|skill| skill.category.as_deref() == Some(category))
    {
        return loaded.inspect(own, as_json, console);
    }
    match name.parse::<Identifier>() {
        Ok(id) if !is_name && loaded.skills.library().get(name).is_none() => {
            require_person("fetch skills of others")?;
            search::inspect(&place.identifier(&id), &hub::open(&loaded.profile)?, as_json, console)
        }
        Err(error) if name.contains(['/', ':']) => Err(Error::Invalid(error.to_string())),
        _ => loaded.inspect(name, as_json, console),
    }
}

/// The skills of a profile, and what their conditions are compared with.
struct Loaded {
    profile: Profile,
    skills: Skills,
    registry: Registry,
}

impl Loaded {
    fn new(place: &Place<'_>, console: &dyn Console) -> Result<Self> {
        let profile = Profile::read(place.home.clone())?;
        let registry = (place.registry)(&profile)?;
        let warn = |note: &str| console.note(&format!("warning: {note}"));
        let skills = skills::skills(&profile.home, &registry, place.directory, warn)?;
        Ok(Self { profile, skills, registry })
    }

    /// Returns why a skill cannot be used here, or `None` if it can.
    fn unmet(&self, skill: &toolc_skill::Skill) -> Option<String> {
        let conditions = &skill.card.front_matter.conditions;
        self.skills.unmet(conditions, &self.profile.env(), |tool| self.registry.tool(tool).is_some())
    }
}
