//! `toolc trust`: trusts the files, instructions and git settings of a project, or the files of a plugin of a package.

use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};

use clap::Args;
use toolc_config::{
    ConfigFile, EnvFile, Home, PROJECT_FOLDER, ProjectFiles, Trust, TrustList, revoke, trusted_projects,
};

use crate::ground::ask;
use crate::ground::error::{Error, Result};
use crate::ground::show;
use crate::ground::tell::{tell, tell_part};
use crate::profile::Profile;
use crate::sources::git::{GitTrust, ProjectGit};
use crate::sources::guard::Guard;
use crate::sources::instructions::{self, FileState, InstructionFile};
use crate::sources::skills::{self, ProjectSkills};
use crate::sources::{packages, project};

/// The last part of the help.
const EXIT_STATUS: &str = "\
Trust covers the files in the folder .toolc of the project, or the files of the plugin. Programs run from a copy of the trusted files. If
a file changes, the trust ends until you trust the files again. Trust also covers the hooks of the repository and the git settings that
run programs. Until you trust them, git ignores them in the commands of a model. It also covers the files with instructions for the model,
such as AGENTS.md, and the skills in .agents/skills, from the root of the repository to the directory.

Exit status:
  0  success
  1  the answer was no; or with --revoke, the files were not trusted
  2  the command line is wrong, there are no files, or the command runs inside a tool";

/// The maximum number of files that are listed.
const MAX_LISTED: usize = 100;
/// How much of a file is shown, in bytes.
const MAX_SHOWN: usize = 64 << 10;

/// The arguments of `trust`.
#[derive(Debug, Args)]
#[command(after_help = EXIT_STATUS)]
#[expect(clippy::struct_excessive_bools, reason = "they are independent options")]
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
    /// Print the contents of the files before the question.
    #[arg(long, conflicts_with_all = ["list", "revoke"])]
    show: bool,
    /// Do not ask.
    #[arg(long)]
    yes: bool,
}

/// What is not trusted yet, for the decision of a person.
struct Untrusted {
    files: Option<ProjectFiles>,
    git: Option<ProjectGit>,
    instructions: Vec<InstructionFile>,
    skills: Vec<ProjectSkills>,
}

impl Untrusted {
    fn is_empty(&self) -> bool {
        self.files.is_none() && self.git.is_none() && self.instructions.is_empty() && self.skills.is_empty()
    }

    fn add(&self, home: &Home) -> Result<()> {
        if let Some(files) = &self.files {
            files.add(home)?;
        }
        if let Some(git) = &self.git {
            git.add_trust(home)?;
        }
        self.instructions.iter().try_for_each(|file| file.add_trust(home))?;
        self.skills.iter().try_for_each(|skills| skills.add_trust(home))
    }

    /// Prints the contents of all files. If a file has changed since it was read, [`add`](Self::add) refuses it.
    fn show(&self) {
        if let Some(files) = &self.files {
            for file in files.files() {
                tell_part!("{}", contents(&files.folder().join(&file.path)));
            }
        }
        for file in &self.instructions {
            tell_part!("{}", shown(&file.path, Some(file.text.as_bytes())));
        }
        for skills in &self.skills {
            for (path, content) in skills.contents() {
                tell_part!("{}", shown(&path, content));
            }
        }
    }
}

impl TrustArgs {
    /// Runs the command, and returns the exit status.
    pub(crate) fn run(&self, home: &Home) -> Result<u8> {
        home.check_exists()?;
        if self.list {
            let mut projects = trusted_projects(home)?;
            for list in [TrustList::Repositories, TrustList::Instructions, TrustList::Skills] {
                projects.extend(list.entries(home)?);
            }
            let lines = projects.iter().map(|(project, _)| show::one_line(&project.display().to_string()) + "\n");
            return ask::print(&lines.collect::<String>()).map(|()| 0);
        }
        ask::require_person("trust files")?;
        let folder = match &self.plugin {
            Some(name) => packages::find_plugin(name)?,
            None => self.project(home)?,
        };
        let git = self.plugin.is_none().then(|| ProjectGit::read(&folder));
        let place = self.instructions_place()?;
        if self.revoke {
            return revoke_trust(home, &folder, git.as_ref(), place.as_deref());
        }
        if !folder.is_dir() {
            return Err(Error::Invalid(format!("the folder does not exist: {}", folder.display())));
        }
        let untrusted = self.untrusted(home, &folder, git, place.as_deref())?;
        if untrusted.is_empty() {
            return ask::print("everything is already trusted\n").map(|()| 0);
        }
        tell_part!("{}", untrusted.files.as_ref().map(|files| self.text(files)).unwrap_or_default());
        tell_part!("{}", untrusted.git.as_ref().map(ProjectGit::text).unwrap_or_default());
        tell_part!("{}", instructions_text(&untrusted.instructions));
        tell_part!("{}", skills_text(&untrusted.skills));
        if !untrusted.skills.is_empty() {
            let guard = Guard::of_profile(&Profile::read(home.clone())?, &current_directory()?)?;
            tell_part!("{}", objections_text(&untrusted.skills, &guard));
        }
        if self.show {
            untrusted.show();
        }
        if !self.yes && !confirm(&untrusted)? {
            tell!("the trust was not changed");
            return Ok(1);
        }
        untrusted.add(home)?;
        ask::print(&format!("trusted: {}\n", show::one_line(&folder.display().to_string()))).map(|()| 0)
    }

    /// Returns what is not trusted yet: files and git settings of a folder, and instructions for work in `place`.
    ///
    /// # Errors
    /// If nothing can be trusted, or it cannot be read.
    fn untrusted(
        &self,
        home: &Home,
        folder: &Path,
        git: Option<ProjectGit>,
        place: Option<&Path>,
    ) -> Result<Untrusted> {
        let mut instructions = match place {
            Some(place) => instruction_files(home, place)?,
            None => Vec::new(),
        };
        let mut skills = place.map_or_else(|| Ok(Vec::new()), |place| project_skills(home, place))?;
        let mut files = match &self.plugin {
            Some(_) => Some(ProjectFiles::read_plugin(folder)?),
            None => ProjectFiles::read(folder)?,
        };
        let mut git = git.filter(|git| !git.runs_nothing());
        if let Some(why) = git.as_ref().and_then(ProjectGit::read_error) {
            let message = format!("the git settings cannot be trusted, because they could not be read: {why}");
            if files.is_none() && instructions.is_empty() && skills.is_empty() {
                return Err(Error::Invalid(message));
            }
            tell!("warning: {message}");
            git = None;
        }
        if files.is_none() && git.is_none() && instructions.is_empty() && skills.is_empty() {
            let folder = folder.display();
            return Err(Error::Invalid(format!(
                "{folder} has no folder {PROJECT_FOLDER} to trust, no git settings that run programs, no skills, and no file with instructions"
            )));
        }
        if let Some(Trust::Trusted(_)) = files.as_ref().map(|files| files.trust(home)).transpose()? {
            files = None;
        }
        if let Some(GitTrust::Trusted) = git.as_ref().map(|git| git.trust(home)).transpose()? {
            git = None;
        }
        instructions.retain(|file| file.state != FileState::Used);
        skills.retain(|skills| skills.state != FileState::Used);
        for skills in &mut skills {
            let kept = skills.keep_contents();
            let folder = show::one_line(&skills.folder.display().to_string());
            kept.map_err(|why| Error::Invalid(format!("the skills in {folder} cannot be read: {why}")))?;
        }
        Ok(Untrusted { files, git, instructions, skills })
    }

    /// Returns the directory whose instructions are trusted, or `None` for a plugin.
    fn instructions_place(&self) -> Result<Option<PathBuf>> {
        if self.plugin.is_some() {
            return Ok(None);
        }
        match &self.dir {
            Some(dir) => Ok(Some(dir.clone())),
            None => current_directory().map(Some),
        }
    }

    /// Returns the project that the command line names, or the project of the current directory.
    fn project(&self, home: &Home) -> Result<PathBuf> {
        if let Some(dir) = &self.dir {
            return Ok(dir.clone());
        }
        let current = current_directory()?;
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

fn current_directory() -> Result<PathBuf> {
    std::env::current_dir().map_err(|error| Error::failed("find the current directory", error))
}

/// Returns the files with instructions for work in `place` that need trust and can be trusted. Prints warnings about others.
fn instruction_files(home: &Home, place: &Path) -> Result<Vec<InstructionFile>> {
    let env = EnvFile::read(home)?;
    let file = ConfigFile::read_with(home, &env, std::env::vars_os())?;
    let mut files = instructions::find(home, &file.config().instructions.names(), place)?;
    files.retain(InstructionFile::needs_trust);
    for note in
        files.iter().filter(|file| matches!(file.state, FileState::Refused(_))).filter_map(InstructionFile::note)
    {
        tell!("warning: {note}");
    }
    files.retain(|file| !matches!(file.state, FileState::Refused(_)));
    Ok(files)
}

/// Returns the text about the files with instructions that the user decides about.
fn instructions_text(files: &[InstructionFile]) -> String {
    if files.is_empty() {
        return String::new();
    }
    let line = |file: &InstructionFile| {
        let path = show::one_line(&file.path.display().to_string());
        let changed = if file.state == FileState::Changed { "   changed" } else { "" };
        format!("  {path}   {} bytes{changed}\n", file.bytes)
    };
    let list: String = files.iter().map(line).collect();
    format!("These files have instructions that the model follows. Read them first:\n{list}")
}

/// Returns the folders with skills for work in `place` that can be trusted. Prints warnings about others.
fn project_skills(home: &Home, place: &Path) -> Result<Vec<ProjectSkills>> {
    let mut all = skills::of_project(home, place)?;
    let is_refused = |skills: &ProjectSkills| matches!(skills.state, FileState::Refused(_));
    for note in all.iter().filter(|skills| is_refused(skills)).filter_map(ProjectSkills::note) {
        tell!("warning: {note}");
    }
    all.retain(|skills| !is_refused(skills));
    Ok(all)
}

/// Returns the text about the skills that the user decides about.
fn skills_text(all: &[ProjectSkills]) -> String {
    let mut text = String::new();
    for skills in all {
        let folder = show::one_line(&skills.folder.display().to_string());
        let _ = writeln!(text, "{folder} has skills, which the model follows, and whose scripts it may run:");
        for path in skills.files.iter().take(MAX_LISTED) {
            let _ = writeln!(text, "  {}", show::one_line(path));
        }
        if let Some(further) = skills.files.len().checked_sub(MAX_LISTED).filter(|further| *further > 0) {
            let _ = writeln!(text, "  and {further} more");
        }
    }
    text
}

/// Returns the text about what the guard has found in the skills.
fn objections_text(all: &[ProjectSkills], guard: &Guard) -> String {
    let mut text = String::new();
    for (name, objections) in all.iter().flat_map(|skills| skills.objections(guard)) {
        let _ = writeln!(text, "In the skill {}, this needs a look:", show::one_line(&name));
        for objection in objections.iter().take(MAX_LISTED) {
            let _ = writeln!(text, "  {objection}");
        }
        if let Some(further) = objections.len().checked_sub(MAX_LISTED).filter(|further| *further > 0) {
            let _ = writeln!(text, "  and {further} more");
        }
    }
    text
}

/// Revokes the trust in a folder, in the skills, and in the instructions for work in `place`. Returns the exit status.
fn revoke_trust(home: &Home, folder: &Path, git: Option<&ProjectGit>, place: Option<&Path>) -> Result<u8> {
    let was_trusted = revoke(home, folder)?
        | git.map_or(Ok(false), |git| git.revoke(home))?
        | place.map_or(Ok(false), |place| instructions::revoke(home, place))?
        | place.map_or(Ok(false), |place| skills::revoke(home, place))?;
    if !was_trusted {
        tell!("error: {} was not trusted", folder.display());
    }
    Ok(u8::from(!was_trusted))
}

/// Returns the text of a file below a line with its path, or why it has none.
fn contents(path: &Path) -> String {
    let mut bytes = Vec::new();
    match File::open(path).and_then(|file| file.take(MAX_SHOWN as u64 + 1).read_to_end(&mut bytes)) {
        Ok(_) => shown(path, Some(&bytes)),
        Err(error) => format!("{}failed to read the file: {error}\n\n", heading(path)),
    }
}

/// Returns the content of a file, unless it is a link, below a line with its path.
fn shown(path: &Path, content: Option<&[u8]>) -> String {
    let mut text = heading(path);
    match content {
        None => text += "the file is a link, which is not followed",
        Some(bytes) if bytes.contains(&0) => text += "the file is not text",
        Some(bytes) => {
            text += show::lines(&String::from_utf8_lossy(&bytes[..bytes.len().min(MAX_SHOWN)])).trim_end();
            if bytes.len() > MAX_SHOWN {
                text += &format!("\n[only the first {} KiB are shown]", MAX_SHOWN >> 10);
            }
        }
    }
    text + "\n\n"
}

fn heading(path: &Path) -> String {
    format!("==> {} <==\n", show::one_line(&path.display().to_string()))
}

/// Asks whether the files are trusted. The person can look at them first.
fn confirm(untrusted: &Untrusted) -> Result<bool> {
    ask::require_terminal("the files with `--show`")?;
    loop {
        tell_part!("Trust these files and settings? [y]es, [s]how the files, [N]o: ");
        io::stderr().flush()?;
        match ask::read_line()?.unwrap_or_default().trim().to_lowercase().as_str() {
            "y" | "yes" => return Ok(true),
            "s" | "show" => untrusted.show(),
            _ => return Ok(false),
        }
    }
}
