//! `init`: creates a project that builds, passes its tests and runs.

use std::path::{Path, PathBuf};

use clap::Args;
use toolc_tables::visible::{is_control, visible};

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
        let mut text = format!("{}: {files} written, and those of gen. Next:\n\n", visible(&dir.to_string_lossy()));
        if let Some(word) = self.dir.as_deref().and_then(shell_word) {
            text += &format!("    cd {word}\n");
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

/// Returns a path as a shell reads it, or `None` if it cannot be printed.
fn shell_word(path: &Path) -> Option<String> {
    let text = path.to_str().filter(|text| !text.contains(is_control))?;
    // Not an option.
    let text = if text.starts_with('-') { format!("./{text}") } else { text.to_owned() };
    let is_plain = |letter: char| letter.is_alphanumeric() || "/._-+:@%,\\".contains(letter);
    let is_quoted = !text.chars().all(|letter| is_plain(letter) && (cfg!(windows) || letter != '\\'));
    Some(if is_quoted { format!("'{}'", text.replace('\'', "'\\''")) } else { text })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shell_reads_the_folder_as_one_word() {
        for (folder, expected) in [
            ("../my-agent", Some("../my-agent")),
            ("/a/b_1.c", Some("/a/b_1.c")),
            ("my agent", Some("'my agent'")),
            ("it's", Some("'it'\\''s'")),
            ("$(rm)", Some("'$(rm)'")),
            ("-x", Some("./-x")),
            ("a\nb", None),
        ] {
            assert_eq!(shell_word(Path::new(folder)).as_deref(), expected, "{folder}");
        }
    }
}
