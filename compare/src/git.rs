//! Reads the manifests of a project at a commit, with the program `git`. Nothing is checked out.

use std::io::{Read as _, Write as _};
use std::path::Path;
use std::process::{Command, Output, Stdio};

use toolc_codegen::Failure;
use toolc_codegen::project::{MANIFESTS, PLUGIN, SETTINGS};

/// The maximum size of all manifests together.
const MAX_BYTES: u64 = 256 << 20;

/// The maximum number of manifests.
const MAX_FILES: usize = 200_000;

/// A file of a commit.
struct Entry {
    id: String,
    path: String,
    size: u64,
}

/// Returns the path and the text of each manifest of the project in the folder `root` at a commit. Paths are relative to the project.
pub(crate) fn manifests(root: &Path, reference: &str) -> Result<Vec<(String, String)>, Failure> {
    if reference.is_empty() || reference.starts_with('-') {
        return Err(Failure::new(format!(
            "`{reference}` is not the name of a commit: write a branch, a tag or a hash"
        )));
    }
    let inside = run(root, &["rev-parse", "--is-inside-work-tree"])?;
    if !inside.status.success() {
        return Err(Failure::new(format!(
            "`{reference}` is not a folder, and {} is not in a git repository, so it cannot be a commit",
            root.display()
        )));
    }
    let commit = run(root, &["rev-parse", "--verify", "--quiet", &format!("{reference}^{{commit}}")])?;
    if !commit.status.success() {
        return Err(unknown_commit(root, reference)?);
    }
    let commit = String::from_utf8_lossy(&commit.stdout).trim().to_owned();
    let entries = list(root, reference, &commit)?;
    if entries.is_empty() {
        return Err(Failure::new(format!(
            "the commit `{reference}` has no `{MANIFESTS}` in {}: choose a commit in which the project exists",
            root.display()
        )));
    }
    read(root, reference, &entries)
}

fn unknown_commit(root: &Path, reference: &str) -> Result<Failure, Failure> {
    let shallow = run(root, &["rev-parse", "--is-shallow-repository"])?;
    let help = if shallow.stdout.starts_with(b"true") {
        format!(
            "this clone is shallow: run `git fetch --depth=1 origin {reference}` and compare with `FETCH_HEAD`, or clone with \
             the whole history (`fetch-depth: 0` in actions/checkout)"
        )
    } else {
        "run `git fetch`, or write the branch of a remote, such as `origin/main`".to_owned()
    };
    Ok(Failure::new(format!(
        "`{reference}` is neither a folder nor a commit of the repository of {}: {help}",
        root.display()
    )))
}

/// Lists the manifests of a commit. Links and submodules cannot be read.
fn list(root: &Path, reference: &str, commit: &str) -> Result<Vec<Entry>, Failure> {
    let listed = run(root, &["ls-tree", "-r", "-l", "-z", commit, "--", MANIFESTS, SETTINGS, PLUGIN])?;
    if !listed.status.success() {
        return Err(failed("list the files", reference, &listed));
    }
    let mut entries = Vec::new();
    let mut total = 0;
    for line in listed.stdout.split(|byte| *byte == 0).filter(|line| !line.is_empty()) {
        let line = std::str::from_utf8(line).map_err(|_| {
            Failure::new(format!("a manifest of `{reference}` has a name that is not UTF-8: rename it"))
        })?;
        let Some((about, path)) = line.split_once('\t') else { continue };
        let is_manifest = Path::new(path).extension().is_some_and(|extension| extension == "toml");
        let about: Vec<&str> = about.split_whitespace().collect();
        let [mode, "blob", id, size] = about[..] else { continue };
        if !is_manifest {
            continue;
        }
        if mode == "120000" {
            return Err(Failure::new(format!(
                "`{path}` of `{reference}` is a link: only files can be read from a commit"
            )));
        }
        let size = size.parse().unwrap_or(0);
        total += size;
        entries.push(Entry { id: id.to_owned(), path: path.to_owned(), size });
    }
    if total > MAX_BYTES || entries.len() > MAX_FILES {
        return Err(Failure::new(format!(
            "`{reference}` has {} manifests with {total} bytes: at most {MAX_FILES} with {MAX_BYTES} bytes are read",
            entries.len()
        )));
    }
    Ok(entries)
}

/// Reads files by their ids.
fn read(root: &Path, reference: &str, entries: &[Entry]) -> Result<Vec<(String, String)>, Failure> {
    let mut child = git(root, &["cat-file", "--batch"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|error| not_run(&error))?;
    let (input, output) = (child.stdin.take(), child.stdout.take());
    let ids: String = entries.iter().flat_map(|entry| [entry.id.as_str(), "\n"]).collect();
    let mut bytes = Vec::new();
    std::thread::scope(|scope| {
        // git answers before it has read all ids.
        scope.spawn(move || input.map(|mut input| input.write_all(ids.as_bytes())));
        let expected = entries.iter().map(|entry| entry.size + 200).sum::<u64>();
        output.map(|output| output.take(expected).read_to_end(&mut bytes))
    });
    let _ = child.kill();
    let _ = child.wait();
    let mut rest = bytes.as_slice();
    let mut files = Vec::with_capacity(entries.len());
    for entry in entries {
        let text = next_blob(&mut rest, &entry.id).ok_or_else(|| {
            Failure::new(format!("git has not returned `{}` of `{reference}`: run `git fsck`", entry.path))
        })?;
        let text = String::from_utf8(text.to_vec())
            .map_err(|_| Failure::new(format!("`{}` of `{reference}` is not UTF-8", entry.path)))?;
        files.push((entry.path.clone(), text));
    }
    Ok(files)
}

/// Takes the next answer of `git cat-file --batch`: `ID blob SIZE`, a line break, the content, and a line break.
fn next_blob<'b>(rest: &mut &'b [u8], id: &str) -> Option<&'b [u8]> {
    let end = rest.iter().position(|byte| *byte == b'\n')?;
    let header = std::str::from_utf8(&rest[..end]).ok()?;
    let size: usize = header.strip_prefix(id)?.strip_prefix(" blob ")?.parse().ok()?;
    let content = rest.get(end + 1..end + 1 + size)?;
    *rest = rest.get(end + 2 + size..)?;
    Some(content)
}

fn git(root: &Path, args: &[&str]) -> Command {
    let mut command = Command::new("git");
    command.arg("-C").arg(root).args(args).env("LC_ALL", "C").env("GIT_OPTIONAL_LOCKS", "0");
    command
}

fn run(root: &Path, args: &[&str]) -> Result<Output, Failure> {
    git(root, args).stdin(Stdio::null()).output().map_err(|error| not_run(&error))
}

fn not_run(error: &std::io::Error) -> Failure {
    Failure::new(format!("failed to run git: {error}. Install it, or compare with a folder or a bundle"))
}

fn failed(what: &str, reference: &str, output: &Output) -> Failure {
    let message = String::from_utf8_lossy(&output.stderr);
    Failure::new(format!("git failed to {what} of `{reference}`: {}", message.trim()))
}
