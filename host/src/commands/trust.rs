//! `toolc trust`: trusts the files and git settings of a project, or the files of a plugin of a package.

use std::fmt::Write as _;
use std::io::{self, IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};

use clap::Args;
use toolc_config::{Home, PROJECT_FOLDER, ProjectFiles, Trust, revoke, trusted_projects, trusted_repositories};

use crate::ground::ask;
use crate::ground::error::{Error, Result};
use crate::ground::show;
use crate::ground::tell::{tell, tell_part};
use crate::sources::git::{GitTrust, ProjectGit};
use crate::sources::{packages, project};

/// The last part of the help.
const EXIT_STATUS: &str = "\
Trust covers the files in the folder .toolc of the project, or the files of the plugin. Programs run from a copy of the trusted files. If
a file changes, the trust ends until you trust the files again. Trust also covers the hooks of the repository and the git settings that
run programs. Until you trust them, git ignores them in the commands of a model.

Exit status:
  0  success
  1  the answer was no; or with --revoke, the files were not trusted
  2  the command line is wrong, there are no files, or the command runs inside a tool";

/// The maximum number of files that are listed.
const MAX_LISTED: usize = 100;

/// The arguments of `trust`.
#[derive(Debug, Args)]
#[command(after_help = EXIT_STATUS)]
pub(crate) struct TrustArgs {
    /// The project. Default: the project of the current directory.
    dir: Option<PathBuf>,
    /// Trust a plugin that a package has installed, given by its name, instead of a project.
    #[arg(long, value_name = "NAME", conflicts_with = "dir")]
    plugin: Option<String>,
    /// List the trusted projects and plugins.
    #[arg(long, conflicts_with_all = ["dir", "plugin", "revoke", "yes"])]
    list: bool,
    /// Remove the trust.
    #[arg(long, conflicts_with = "yes")]
    revoke: bool,
    /// Do not ask.
    #[arg(long)]
    yes: bool,
}

/// The untrusted files and git settings that a person decides about.
struct Untrusted {
    files: Option<ProjectFiles>,
    git: Option<ProjectGit>,
}

impl TrustArgs {
    /// Runs the command, and returns the exit status.
    pub(crate) fn run(&self, home: &Home) -> Result<u8> {
        home.check_exists()?;
        if self.list {
            let mut projects = trusted_projects(home)?;
            projects.extend(trusted_repositories(home)?);
            let lines = projects.iter().map(|(project, _)| show::one_line(&project.display().to_string()) + "\n");
            return ask::print(&lines.collect::<String>()).map(|()| 0);
        }
        ask::require_person("trust files")?;
        let folder = match &self.plugin {
            Some(name) => packages::find_plugin(name)?,
            None => self.project(home)?,
        };
        let git = self.plugin.is_none().then(|| ProjectGit::read(&folder));
        if self.revoke {
            return revoke_trust(home, &folder, git.as_ref());
        }
        if !folder.is_dir() {
            return Err(Error::Invalid(format!("the folder does not exist: {}", folder.display())));
        }
        let Untrusted { files, git } = self.untrusted(home, &folder, git)?;
        if files.is_none() && git.is_none() {
            return ask::print("everything is already trusted\n").map(|()| 0);
        }
        tell_part!("{}", files.as_ref().map(|files| self.text(files)).unwrap_or_default());
        tell_part!("{}", git.as_ref().map(ProjectGit::text).unwrap_or_default());
        if !self.yes && !confirm()? {
            tell!("the trust was not changed");
            return Ok(1);
        }
        if let Some(files) = files {
            files.add(home)?;
        }
        if let Some(git) = git {
            git.add_trust(home)?;
        }
        ask::print(&format!("trusted: {}\n", show::one_line(&folder.display().to_string()))).map(|()| 0)
    }

    /// Returns the files and git settings of a folder that are not trusted.
    ///
    /// # Errors
    /// If the folder has neither files nor git settings to trust, or they cannot be read.
    fn untrusted(&self, home: &Home, folder: &Path, git: Option<ProjectGit>) -> Result<Untrusted> {
        let mut files = match &self.plugin {
            Some(_) => Some(ProjectFiles::read_plugin(folder)?),
            None => ProjectFiles::read(folder)?,
        };
        let mut git = git.filter(|git| !git.runs_nothing());
        if let Some(why) = git.as_ref().and_then(ProjectGit::read_error) {
            let message = format!("the git settings cannot be trusted, because they could not be read: {why}");
            if files.is_none() {
                return Err(Error::Invalid(message));
            }
            tell!("warning: {message}");
            git = None;
        }
        if files.is_none() && git.is_none() {
            let folder = folder.display();
            return Err(Error::Invalid(format!(
                "{folder} has no folder {PROJECT_FOLDER} to trust, and no git settings that run programs"
            )));
        }
        if let Some(Trust::Trusted(_)) = files.as_ref().map(|files| files.trust(home)).transpose()? {
            files = None;
        }
        if let Some(GitTrust::Trusted) = git.as_ref().map(|git| git.trust(home)).transpose()? {
            git = None;
        }
        Ok(Untrusted { files, git })
    }

    /// Returns the project that the command line names, or the project of the current directory.
    fn project(&self, home: &Home) -> Result<PathBuf> {
        if let Some(dir) = &self.dir {
            return Ok(dir.clone());
        }
        let current = std::env::current_dir().map_err(|error| Error::failed("find the current directory", error))?;
        Ok(project::find_project(&current, home).unwrap_or(current))
    }

    /// Returns the text about the files that the user decides about, and about their manifests.
    fn text(&self, files: &ProjectFiles) -> String {
        let mut text = format!("{} contains these files:\n", show::one_line(&files.folder().display().to_string()));
        for file in files.files().iter().take(MAX_LISTED) {
            let note = if file.is_executable { "   a program" } else { "" };
            let path = show::one_line(&file.path.display().to_string());
            let _ = writeln!(text, "  {path}   {} bytes{note}", file.bytes);
        }
        if let Some(further) = files.files().len().checked_sub(MAX_LISTED).filter(|further| *further > 0) {
            let _ = writeln!(text, "  and {further} more");
        }
        let outlines = match &self.plugin {
            Some(_) => vec![toolc_plugins::outline(files.folder())],
            None => toolc_plugins::outlines(&files.folder().join("plugins")),
        };
        for outline in outlines {
            let _ = writeln!(text, "{}", show::lines(&outline.to_string()));
        }
        text + "Programs of plugins run with all your rights. A hook sees the calls that its manifest names.\n"
    }
}

/// Revokes the trust in a folder. Returns the exit status.
fn revoke_trust(home: &Home, folder: &Path, git: Option<&ProjectGit>) -> Result<u8> {
    let was_trusted = revoke(home, folder)? | git.map_or(Ok(false), |git| git.revoke(home))?;
    if !was_trusted {
        tell!("error: {} was not trusted", folder.display());
    }
    Ok(u8::from(!was_trusted))
}

fn confirm() -> Result<bool> {
    if !io::stdin().is_terminal() {
        return Err(Error::Invalid("the confirmation needs a terminal: check the files, and pass `--yes`".to_owned()));
    }
    tell_part!("Trust these files and settings? [y/N] ");
    io::stderr().flush()?;
    Ok(ask::read_line()?.is_some_and(|answer| ["y", "yes"].contains(&answer.trim().to_lowercase().as_str())))
}
