//! `toolc skills`: lists, inspects and checks skills, and undoes what was changed in them.

mod history;
mod list;
mod scan;

use clap::{Args, Subcommand};
use toolc_config::Home;
use toolc_skills::Skills;

use crate::assembly::registry_to_show;
use crate::ground::ask::require_person;
use crate::ground::error::{Error, Result};
use crate::ground::tell::tell;
use crate::options::ToolOptions;
use crate::profile::Profile;
use crate::sources::skills;

/// The last part of the help.
const EXIT_STATUS: &str = "\
A skill is a folder with SKILL.md in the format of agentskills.io. Those in TOOLC_HOME/skills belong to you and the model. Those in
.agents/skills of a trusted project, and in ~/.agents/skills, are only read.

Exit status:
  0  success
  1  no skill has the name, or no change the number; scan: a skill has errors, or a finding blocks it
  2  the command line is wrong, a file cannot be used, a finding cannot be accepted, or the command runs inside a tool";

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
    /// List the skills, those that cannot be used here, and folders that cannot be read.
    List {
        /// Print one line of JSON.
        #[arg(long)]
        json: bool,
    },
    /// Show a skill: where it is, its files, and what is wrong with it.
    Inspect {
        /// The name of the skill.
        name: String,
        /// Print one line of JSON.
        #[arg(long)]
        json: bool,
    },
    /// Check folders of skills: the format, as strictly as its validator, and what the skills would do. Changes nothing without `--fix`.
    Scan(scan::ScanArgs),
    /// List the changes of skills by the model and by you, or show one.
    History {
        /// The number of a change, which is shown with its differences.
        id: Option<u64>,
        /// Print one line of JSON for each change.
        #[arg(long)]
        json: bool,
    },
    /// Undo a change of skills. Does not run inside a tool.
    Undo {
        /// The number of the change, as `history` prints it.
        id: u64,
    },
}

impl SkillsArgs {
    /// Runs the command, and returns the exit status.
    pub(crate) fn run(&self, options: &ToolOptions, home: Home) -> Result<u8> {
        match self.command.as_ref().unwrap_or(&SkillsCommand::List { json: false }) {
            SkillsCommand::List { json } => Loaded::new(options, home)?.list(*json),
            SkillsCommand::Inspect { name, json } => Loaded::new(options, home)?.inspect(name, *json),
            SkillsCommand::Scan(args) => args.run(home),
            SkillsCommand::History { id, json } => history::show(&home, *id, *json),
            SkillsCommand::Undo { id } => {
                require_person("undo changes of skills")?;
                history::undo(&home, *id)
            }
        }
    }
}

/// The skills of a profile, and what their conditions are compared with.
struct Loaded {
    profile: Profile,
    skills: Skills,
    registry: toolc::Registry,
}

impl Loaded {
    fn new(options: &ToolOptions, home: Home) -> Result<Self> {
        let directory = std::env::current_dir().map_err(|error| Error::failed("find the current directory", error))?;
        let profile = Profile::read(home)?;
        let registry = registry_to_show(&profile.home, profile.config(), &options.plugins)?;
        let skills = skills::skills(&profile.home, &registry, &directory, |note| tell!("warning: {note}"))?;
        Ok(Self { profile, skills, registry })
    }

    /// Returns why a skill cannot be used here, or `None` if it can.
    fn unmet(&self, skill: &toolc_skill::Skill) -> Option<String> {
        let conditions = &skill.card.front_matter.conditions;
        self.skills.unmet(conditions, &self.profile.env(), |tool| self.registry.tool(tool).is_some())
    }
}
