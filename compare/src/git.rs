//! Reads the manifests of a project at a git ref, with the program `git`. Nothing is checked out: the files stay in memory.

use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::thread;

use toolc::suggest::{did_you_mean, nearest};
use toolc_codegen::{Failure, project};

/// The maximum size of a manifest, as on disk.
const MAX_BYTES: u64 = 4 << 20;
/// The maximum size of all manifests together.
const MAX_TOTAL: u64 = 1 << 30;
/// The maximum number of files.
const MAX_FILES: usize = 200_000;
/// The maximum size of the list of files.
const MAX_LIST: u64 = 64 << 20;

/// The path and the text of a manifest.
pub(crate) type File = (String, String);

/// Returns the manifests of the project in the folder `root`, as they are at a ref. Paths are relative to the project.
///
/// # Errors
/// If the project is not in a repository, or git does not have the ref.
pub(crate) fn read(root: &Path, reference: &str) -> Result<Vec<File>, Failure> {
    let git = Git { root, reference };
    let tree = git.resolve()?;
    let entries = git.list(&tree)?;
    if entries.is_empty() {
        return Err(Failure::new(format!(
            "`{reference}` has no `{}` folder in {}: pass a ref in which the project has manifests",
            project::MANIFESTS,
            root.display()
        )));
    }
    git.contents(&tree, entries)
}

struct Git<'g> {
    root: &'g Path,
    reference: &'g str,
}

/// A file of a tree.
struct Entry {
    path: String,
    /// The name of the object, or of the path for a link, which git follows.
    object: String,
}

impl Git<'_> {
    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new("git");
        command.arg("-C").arg(self.root).args(args).env("LC_ALL", "C").env("GIT_TERMINAL_PROMPT", "0");
        // Git sets them for hooks, where they are relative to another folder.
        for variable in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX"] {
            command.env_remove(variable);
        }
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    fn output(&self, args: &[&str]) -> Result<Output, Failure> {
        self.command(args).output().map_err(|error| not_run(&error))
    }

    /// Runs git, and returns the first line of its output, or `None` if it failed.
    fn line(&self, args: &[&str]) -> Result<Option<String>, Failure> {
        let output = self.output(args)?;
        let text = String::from_utf8_lossy(&output.stdout);
        Ok(output.status.success().then(|| text.lines().next().unwrap_or_default().to_owned()))
    }

    /// Returns the name of the tree of the ref.
    fn resolve(&self) -> Result<String, Failure> {
        let Self { root, reference } = self;
        let inside = self.output(&["rev-parse", "--git-dir"])?;
        if !inside.status.success() {
            return Err(Failure::new(format!(
                "`{reference}` is not a project or a bundle, and git finds no repository at {}: pass the folder of a project or of a \
                 bundle ({})",
                root.display(),
                String::from_utf8_lossy(&inside.stderr).lines().next().unwrap_or_default()
            )));
        }
        // Otherwise git would take it for an option.
        let tree = if reference.starts_with('-') || reference.is_empty() {
            None
        } else {
            self.line(&["rev-parse", "--verify", "--quiet", &format!("{reference}^{{tree}}")])?
        };
        match tree {
            Some(tree) => Ok(tree),
            None => Err(self.unknown()?),
        }
    }

    /// Returns the failure for a ref that git does not have.
    fn unknown(&self) -> Result<Failure, Failure> {
        let reference = self.reference;
        let is_shallow = self.line(&["rev-parse", "--is-shallow-repository"])?.as_deref() == Some("true");
        if is_shallow && !reference.starts_with('-') {
            let advice = match reference.strip_prefix("origin/") {
                _ if reference.contains(['~', '^', '@']) => "run `git fetch --unshallow`".to_owned(),
                Some(branch) => format!("run `git fetch --depth=1 origin {branch}:refs/remotes/origin/{branch}`"),
                None => format!("run `git fetch --depth=1 origin {reference}`, and pass `--against FETCH_HEAD`"),
            };
            return Ok(Failure::new(format!("this clone is shallow, and lacks `{reference}`: {advice}")));
        }
        let refs = self.output(&["for-each-ref", "--format=%(refname:short)", "--count=10000"])?;
        let refs = String::from_utf8_lossy(&refs.stdout).into_owned();
        let hint = did_you_mean(&nearest(reference, refs.lines()));
        let hint = hint
            .unwrap_or_else(|| "pass a branch, a tag, a commit, or the folder of a project or of a bundle".to_owned());
        Ok(Failure::new(format!("`{reference}` is neither a project, nor a bundle, nor a ref that git has: {hint}")))
    }

    /// Returns the files of the project in a tree.
    fn list(&self, tree: &str) -> Result<Vec<Entry>, Failure> {
        let paths = [project::MANIFESTS, project::SETTINGS, project::PLUGIN];
        let prefix = self.line(&["rev-parse", "--show-prefix"])?.unwrap_or_default();
        let options = ["--literal-pathspecs", "ls-tree", "-r", "-z", "-l", "--full-tree", tree, "--"];
        let mut command = self.command(&options);
        command.args(paths.iter().map(|path| format!("{prefix}{path}")));
        let mut child = command.stderr(Stdio::null()).spawn().map_err(|error| not_run(&error))?;
        let mut text = Vec::new();
        let stdout = child.stdout.take();
        stdout
            .into_iter()
            .try_for_each(|out| out.take(MAX_LIST).read_to_end(&mut text).map(drop))
            .map_err(|error| not_run(&error))?;
        drop(child.wait());
        let mut entries = Vec::new();
        for record in text.split(|byte| *byte == 0).filter(|record| !record.is_empty()) {
            entries.extend(self.entry(&String::from_utf8_lossy(record), &prefix)?);
        }
        if entries.len() > MAX_FILES {
            return Err(Failure::new(format!("`{}` has more than {MAX_FILES} manifests", self.reference)));
        }
        Ok(entries)
    }

    /// Reads `MODE TYPE OBJECT SIZE\tPATH`. Returns `None` for what is not a manifest.
    fn entry(&self, record: &str, prefix: &str) -> Result<Option<Entry>, Failure> {
        let Some((about, full)) = record.split_once('\t') else { return Ok(None) };
        let Some(path) = full.strip_prefix(prefix) else { return Ok(None) };
        let mut about = about.split_whitespace();
        let (mode, kind, object, size) = (about.next(), about.next(), about.next(), about.next());
        let is_hidden = path.split('/').any(|part| part.starts_with('.'));
        let has_extension = path.rsplit('/').next().is_some_and(|name| name.contains('.'));
        let is_link = mode == Some("120000");
        if kind != Some("blob") || is_hidden || !(has_extension || is_link) {
            return Ok(None);
        }
        if size.and_then(|size| size.parse().ok()).is_some_and(|size: u64| size > MAX_BYTES) {
            return match path.ends_with(".toml") {
                true => Err(Failure::new(format!("{path} at `{}` is larger than {MAX_BYTES} bytes", self.reference))),
                false => Ok(None),
            };
        }
        let object = if is_link { full.to_owned() } else { object.unwrap_or_default().to_owned() };
        Ok(Some(Entry { path: path.to_owned(), object }))
    }

    /// Returns the contents of files, in one run of git.
    fn contents(&self, tree: &str, entries: Vec<Entry>) -> Result<Vec<File>, Failure> {
        let mut child = self
            .command(&["cat-file", "--batch", "--follow-symlinks"])
            .stdin(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| not_run(&error))?;
        let (Some(mut stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
            unreachable!("both are piped")
        };
        let mut names = String::new();
        for Entry { path, object } in &entries {
            if object.contains('\n') {
                return Err(Failure::new(format!("the name of {path:?} has a line break: rename the file")));
            }
            let is_name = object.bytes().all(|byte| byte.is_ascii_hexdigit());
            names += &if is_name { format!("{object}\n") } else { format!("{tree}:{object}\n") };
        }
        // Git writes while it reads, so that one thread would wait for the other end forever.
        let writer = thread::spawn(move || stdin.write_all(names.as_bytes()));
        let mut reader = BufReader::new(stdout.take(MAX_TOTAL));
        let files: Result<Vec<File>, Failure> =
            entries.into_iter().map(|Entry { path, .. }| self.content(&mut reader, path)).collect();
        drop(reader);
        drop(writer.join());
        drop(child.wait());
        files
    }

    /// Reads `OBJECT TYPE SIZE`, a line break, the content, and a line break.
    fn content(&self, reader: &mut impl io::BufRead, path: String) -> Result<File, Failure> {
        let mut header = String::new();
        let broken = |error: io::Error| Failure::new(format!("failed to read {path} from git: {error}"));
        reader.by_ref().take(4096).read_line(&mut header).map_err(broken)?;
        let mut words = header.split_whitespace().rev();
        let size: Option<u64> = words.next().and_then(|size| size.parse().ok());
        let (Some(size), Some("blob")) = (size, words.next()) else {
            return Err(Failure::new(format!(
                "{path} at `{}` is a link that cannot be followed in git: run `git worktree add DIR {}`, and pass DIR",
                self.reference, self.reference
            )));
        };
        if size > MAX_BYTES {
            return Err(Failure::new(format!("{path} at `{}` is larger than {MAX_BYTES} bytes", self.reference)));
        }
        let mut bytes = vec![0; usize::try_from(size).unwrap_or_default() + 1];
        reader.read_exact(&mut bytes).map_err(broken)?;
        bytes.pop();
        match String::from_utf8(bytes) {
            Ok(text) => Ok((path, text.strip_prefix('\u{feff}').map_or(text.clone(), str::to_owned))),
            Err(_) => Err(Failure::new(format!("{path} at `{}` is not UTF-8", self.reference))),
        }
    }
}

fn not_run(error: &io::Error) -> Failure {
    Failure::new(format!("failed to run git: {error}: install git, or pass the folder of a project or of a bundle"))
}
