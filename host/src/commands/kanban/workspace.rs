//! The folder in which a worker works on a task.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use toolc_agent::card_name;
use toolc_config::Home;
use toolc_store::{Card, Workspace};

use crate::ground::error::{Error, Result};
use crate::sources::git::ProjectGit;

/// Returns the folder of a task, and makes it if needed. A folder that the task names must be below one of the allowed roots: the author
/// of a task must not decide where a worker may write.
///
/// # Errors
/// Returns an error if the folder is not allowed or cannot be made.
pub(super) fn prepare(card: &Card, allowed_roots: &[PathBuf], home: &Home) -> Result<PathBuf> {
    match &card.workspace {
        Workspace::Scratch => {
            let folder = task_folder(card, home)?;
            create_folder(&folder)?;
            resolve_private_folder(&folder)
        }
        Workspace::Dir { path } => resolve_allowed(path, allowed_roots),
        Workspace::Worktree { path } => create_worktree(card, &resolve_allowed(path, allowed_roots)?, home),
    }
}

/// Returns the path of the private folder of a task. The folder outlives its workers, so that the next worker and the reviewer find it.
fn task_folder(card: &Card, home: &Home) -> Result<PathBuf> {
    let cache = crate::ground::folders::cache().ok_or("the user has no cache folder")?;
    let board = cache.join("toolc").join("boards").join(home.profile().to_string()).join(&card.board);
    Ok(board.join(card_name(card.id)))
}

fn create_folder(folder: &Path) -> Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder).map_err(|error| Error::failed(format!("make {}", folder.display()), error))
}

/// Returns the private folder of a task, without links in its path. A worker could have put a link in its place.
fn resolve_private_folder(folder: &Path) -> Result<PathBuf> {
    let failed = |error| Error::failed(format!("use {}", folder.display()), error);
    if fs::symlink_metadata(folder).map_err(failed)?.is_symlink() {
        return Err(Error::Invalid(format!("the folder {} of the task is a link now: remove it", folder.display())));
    }
    folder.canonicalize().map_err(failed)
}

/// Returns a folder that a task names if it is below an allowed root. The path had no links when the task was added. A link that
/// is there now leads to a folder that was not approved for this task.
fn resolve_allowed(path: &str, allowed_roots: &[PathBuf]) -> Result<PathBuf> {
    let folder = Path::new(path).canonicalize().ok().filter(|folder| folder.is_dir());
    let folder = folder.ok_or_else(|| format!("the folder {path} does not exist"))?;
    if folder != Path::new(path) {
        let folder = folder.display();
        let text = format!(
            "the folder {path} now leads to {folder}, for which the task was not accepted: undo that, or add the task again"
        );
        return Err(Error::Invalid(text));
    }
    if allowed_roots.iter().any(|root| folder.starts_with(root)) {
        return Ok(folder);
    }
    let roots: Vec<String> = allowed_roots.iter().map(|root| root.display().to_string()).collect();
    Err(Error::Invalid(format!(
        "the folder {path} is not below {}: a person can start the worker with `--below {path}`",
        roots.join(" or ")
    )))
}

/// Makes a working tree of a repository, on the branch `toolc/TASK`. Hooks and programs of the repository's settings run only if the user
/// trusts the project.
fn create_worktree(card: &Card, repository: &Path, home: &Home) -> Result<PathBuf> {
    let folder = task_folder(card, home)?;
    if folder.join(".git").exists() {
        return resolve_private_folder(&folder);
    }
    create_folder(folder.parent().unwrap_or(&folder))?;
    let branch = format!("toolc/{}", card_name(card.id));
    let variables = ProjectGit::read(repository).child_variables(home)?;
    let git = |args: &[&str]| -> Result<bool> {
        let mut command = Command::new("git");
        command.arg("-C").arg(repository).args(args).envs(variables.all_set());
        let output = command.stdin(Stdio::null()).output().map_err(|error| Error::failed("run git", error))?;
        if output.status.success() || args[0] == "show-ref" {
            return Ok(output.status.success());
        }
        let message = String::from_utf8_lossy(&output.stderr);
        Err(Error::Invalid(format!("git cannot make a working tree of {}: {}", repository.display(), message.trim())))
    };
    let path = folder.to_str().ok_or("the path of the cache folder is not UTF-8")?;
    // If the cache was emptied, the branch still exists without its working tree.
    git(&["worktree", "prune"])?;
    let has_branch = git(&["show-ref", "--verify", "--quiet", &format!("refs/heads/{branch}")])?;
    if has_branch {
        git(&["worktree", "add", "--quiet", path, &branch])?;
    } else {
        git(&["worktree", "add", "--quiet", "-b", &branch, path])?;
    }
    resolve_private_folder(&folder)
}
