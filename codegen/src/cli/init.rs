//! `init`: creates a project that builds, passes its tests and runs.

use std::path::{Path, PathBuf};

use clap::Args;

use super::{CatalogCommand, Command, GenArgs, Project, Streams, attempt, print};
use crate::failure::Failure;
use crate::report::plural;
use crate::scaffold::FileChanges;
use crate::scaffold::project::{NewProject, ToolcSource};

/// The arguments of `init`.
#[derive(Debug, Args)]
pub struct Init {
    /// The folder of the project, created if it is missing [default: the current folder].
    dir: Option<PathBuf>,
    /// The name of the package [default: the name of the folder].
    #[arg(long)]
    name: Option<String>,
    /// Depend on toolc's crates in this copy of its repository [default: the one from which this program was built, or else the
    /// published crates].
    #[arg(long, value_name = "DIR", conflicts_with = "toolc_git")]
    toolc_path: Option<PathBuf>,
    /// Depend on toolc's crates in this Git repository.
    #[arg(long, value_name = "URL")]
    toolc_git: Option<String>,
}

impl Init {
    /// Creates the project, and runs gen in it. Returns whether gen succeeded.
    pub(super) fn run(&self, streams: &mut Streams<'_>) -> Result<bool, Failure> {
        let dir = self.dir.as_deref().unwrap_or(Path::new("."));
        let toolc = match (&self.toolc_path, &self.toolc_git) {
            (Some(folder), _) => ToolcSource::path(folder)?,
            (None, Some(url)) => ToolcSource::Git(url.clone()),
            (None, None) => ToolcSource::of_this_compiler(),
        };
        let project = NewProject::new(&self.name()?, toolc)?;
        let mut changes = FileChanges::default();
        for (path, text) in project.files() {
            changes.create(dir.join(path), text);
        }
        changes.apply()?;
        let gen_command = Command::Catalog(CatalogCommand::Gen(GenArgs::default()));
        if !attempt(Project { root: Some(dir.to_owned()) }, gen_command, streams)? {
            return Ok(false);
        }
        let files = plural(changes.paths().count(), "file");
        let mut text = format!("{}: {files} written, and those of gen. Next:\n\n", dir.display());
        if self.dir.is_some() {
            text += &format!("    cd {}\n", dir.display());
        }
        if !dir.ancestors().any(|folder| folder.join(".git").exists()) {
            text += "    git init\n";
        }
        text += "    cargo run -- call add_note text=\"Buy tea\"\n    cargo test\n    cargo xtask new tool NAME\n";
        print(streams.out, &text)?;
        Ok(true)
    }

    /// Returns the name of the package.
    fn name(&self) -> Result<String, Failure> {
        if let Some(name) = &self.name {
            return Ok(name.clone());
        }
        let dir = self.dir.as_deref().unwrap_or(Path::new("."));
        // The folder may not exist yet, and `.` has no name.
        let absolute = std::path::absolute(dir).map_err(|error| Failure::io("find", dir, &error))?;
        let name = absolute.file_name().map(|name| name.to_string_lossy().into_owned());
        name.ok_or_else(|| Failure::new(format!("{} has no name: pass --name NAME", dir.display())))
    }
}
