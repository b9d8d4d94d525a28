//! `toolc trust`: trusts the files of a project, so that its plugins are loaded.

use std::fmt::Write as _;
use std::io::{self, IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};

use clap::Args;
use toolc_config::{Home, PROJECT_FOLDER, ProjectFiles, Trust, revoke, trusted_projects};

use crate::{ask, show};

/// The end of the help.
const EXIT_STATUS: &str = "\
The files are those in the folder .toolc of the project. Programs of the project run from a copy that is made now; a later change of
any file ends the trust, until the project is trusted again.

Exit status:
  0  success
  1  the project is not trusted: the answer was no, or --revoke: it was not trusted before
  2  the command line is wrong, the project has no files, or a tool tries to trust it";

/// The maximum number of files that are listed.
const MAX_LISTED: usize = 100;

/// The arguments of `trust`.
#[derive(Debug, Args)]
#[command(after_help = EXIT_STATUS)]
pub(crate) struct TrustArgs {
    /// The project. Default: the project of the current directory.
    dir: Option<PathBuf>,
    /// List the trusted projects.
    #[arg(long, conflicts_with_all = ["dir", "revoke", "yes"])]
    list: bool,
    /// Trust the project no more.
    #[arg(long, conflicts_with = "yes")]
    revoke: bool,
    /// Do not ask.
    #[arg(long)]
    yes: bool,
}

impl TrustArgs {
    /// Runs the command, and returns the exit status.
    pub(crate) fn run(&self, home: &Home) -> Result<u8, String> {
        home.check_exists()?;
        if self.list {
            let projects = trusted_projects(home)?;
            let lines = projects.iter().map(|(project, _)| show::one_line(&project.display().to_string()) + "\n");
            return ask::print(&lines.collect::<String>()).map(|()| 0);
        }
        ask::refuse_tools("trust a project")?;
        let current =
            std::env::current_dir().map_err(|error| format!("failed to find the current directory: {error}"))?;
        let project = match &self.dir {
            Some(dir) => dir.clone(),
            None => project_of(&current, home).unwrap_or(current),
        };
        if self.revoke {
            let was_trusted = revoke(home, &project)?;
            if !was_trusted {
                eprintln!("error: {} was not trusted", project.display());
            }
            return Ok(u8::from(!was_trusted));
        }
        let files = ProjectFiles::read(&project)?;
        let files = files.ok_or_else(|| format!("{} has no folder {PROJECT_FOLDER} to trust", project.display()))?;
        if let Trust::Trusted(_) = files.trust(home)? {
            return ask::print("the project is trusted already\n").map(|()| 0);
        }
        eprint!("{}", text(&files));
        if !self.yes && !confirm()? {
            eprintln!("the project is not trusted");
            return Ok(1);
        }
        files.add(home)?;
        ask::print(&format!("trusted: {}\n", show::one_line(&files.project().display().to_string()))).map(|()| 0)
    }
}

fn text(files: &ProjectFiles) -> String {
    let mut text =
        format!("{} has these files in {PROJECT_FOLDER}:\n", show::one_line(&files.project().display().to_string()));
    for file in files.files().iter().take(MAX_LISTED) {
        let note = if file.is_executable { "   a program" } else { "" };
        let path = show::one_line(&file.path.display().to_string());
        let _ = writeln!(text, "  {path}   {} bytes{note}", file.bytes);
    }
    if let Some(further) = files.files().len().checked_sub(MAX_LISTED).filter(|further| *further > 0) {
        let _ = writeln!(text, "  and {further} more");
    }
    text + "Programs of plugins run with all your rights.\n"
}

fn confirm() -> Result<bool, String> {
    if !io::stdin().is_terminal() {
        return Err("without a terminal, no user can be asked: look at the files, and pass `--yes`".to_owned());
    }
    eprint!("Trust them? [y/N] ");
    io::stderr().flush().map_err(|error| error.to_string())?;
    Ok(ask::line()?.is_some_and(|answer| ["y", "yes"].contains(&answer.trim().to_lowercase().as_str())))
}

/// Returns the folder with a folder `.toolc`: this one, or one above it up to that of the repository.
pub(crate) fn project_of(directory: &Path, home: &Home) -> Option<PathBuf> {
    let root = directory.ancestors().position(|folder| folder.join(".git").exists());
    let mut folders = directory.ancestors().take(root.unwrap_or_default() + 1);
    // The folder of the user's profiles is not that of a project.
    let is_project = |folder: &Path| folder.is_dir() && folder != home.all_profiles() && folder != home.path();
    folders.find(|folder| is_project(&folder.join(PROJECT_FOLDER))).map(Path::to_owned)
}
