//! Scratch file systems with links and hard links, in which random lines are judged and run.

use std::io::{self, Read as _};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use toolc_commands::rules::Verdict;
use toolc_commands::{Surroundings, judge};

use super::*;

/// What files with secrets contain.
const SECRET: &str = "SECRET-7f3a91";
/// The maximum number of bytes that are kept of what a line prints.
const MAX_PRINTED: u64 = 4 << 20;

/// The files that no line may change, each with whether no line may copy it. `PROJECT` stands for the project.
const PROTECTED: &[(&str, bool)] = &[
    ("x/own/config.toml", false),
    ("x/own/rules/a.toml", false),
    ("x/own/.env", true),
    ("x/own/state.db", true),
    ("x/own/mcp/a.tokens.json", true),
    ("home/me/.ssh/id_rsa", true),
    ("home/me/.config/gh/hosts.yml", true),
    ("home/me/.bashrc", false),
];
const PROJECT: &str = "home/me/src/app";
/// Targets of links in the project. `ROOT` stands for the folder of the world.
const TARGETS: &[&str] = &[
    "ROOT/x/own",
    "ROOT/x/own/.",
    "ROOT/x",
    "ROOT",
    "/",
    "/proc/self/root",
    "..",
    "../..",
    "../../.ssh",
    "ROOT/home/me/.ssh/id_rsa",
    "ROOT/x/own/config.toml",
    "ROOT/x/own/.env",
    "ROOT/home/me",
    "../../.bashrc",
    "src",
    "src/a.txt",
    "missing",
    "l1",
    "l2/..",
    ".",
];
/// Names of links.
const LINKS: &[&str] = &["l1", "l2", "l3", "src/l4", "sub/l5", "l6"];
/// The files that lines read and write, below the project.
const ORDINARY: &[&str] = &["o", "a.txt", "b.txt", "src/a.txt", "sub/b.txt"];
/// The files of which the project can have a hard link.
const LINKED: &[&str] = &["x/own/config.toml", "home/me/.bashrc", "home/me/src/app/o"];

/// Random numbers.
pub(super) struct Random(u64);

impl Random {
    /// Returns the numbers of one of the worlds that a seed stands for.
    pub(super) fn new(seed: u64, world: usize) -> Self {
        // Neighbouring numbers differ in all of their bits after this (SplitMix64).
        let mut state = seed.wrapping_add((world as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        state = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        state = (state ^ (state >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        Self((state ^ (state >> 31)) | 1)
    }

    pub(super) fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % end as u64).unwrap_or_default()
    }

    pub(super) fn pick<'t>(&mut self, list: &[&'t str]) -> &'t str {
        list[self.below(list.len())]
    }
}

/// A file system with protected files, and a project with links. It is written anew before each line that runs.
pub(super) struct World {
    root: PathBuf,
    /// The targets of [`LINKS`].
    targets: Vec<String>,
    /// The file of which the project has a hard link.
    linked: &'static str,
}

impl World {
    /// Returns a random world, whose files are below `root`.
    pub(super) fn new(root: &Path, random: &mut Random) -> Self {
        let text = root.to_str().expect("UTF-8");
        let targets = LINKS.iter().map(|_| random.pick(TARGETS).replace("ROOT", text)).collect();
        Self { root: root.to_owned(), targets, linked: random.pick(LINKED) }
    }

    /// Writes the files into an empty folder.
    pub(super) fn write(&self) -> io::Result<()> {
        let project = self.root.join(PROJECT);
        for folder in ["src", "sub", "home"] {
            fs::create_dir_all(project.join(folder))?;
        }
        for (file, is_secret) in PROTECTED {
            let file = self.root.join(file);
            file.parent().map_or(Ok(()), fs::create_dir_all)?;
            fs::write(file, content(*is_secret))?;
        }
        for file in ORDINARY {
            fs::write(project.join(file), "text\n")?;
        }
        for (link, target) in LINKS.iter().zip(&self.targets) {
            symlink(target, project.join(link))?;
        }
        fs::hard_link(self.root.join(self.linked), project.join("hard"))
    }

    /// Removes all files.
    fn clear(&self) -> io::Result<()> {
        for entry in fs::read_dir(&self.root)? {
            let entry = entry?;
            if entry.file_type()?.is_dir() { fs::remove_dir_all(entry.path()) } else { fs::remove_file(entry.path()) }?;
        }
        Ok(())
    }

    /// Judges a line.
    pub(super) fn judge(&self, line: &str) -> Verdict {
        let surroundings = Surroundings {
            directory: Some(&self.root.join(PROJECT)),
            home: Some(&self.root.join("home/me")),
            own_folder: Some(&self.root.join("x/own")),
            files: Some(&ThisMachine),
            ..Surroundings::default()
        };
        judge(line, toolc_catalog::commands::rules(), &surroundings).verdict
    }

    /// Runs a line in a new copy of this world, by the shell with this name. Returns what went wrong.
    pub(super) fn run(&self, shell: &str, line: &str) -> io::Result<Vec<&'static str>> {
        self.clear()?;
        self.write()?;
        let (printed, end) = io::pipe()?;
        let mut command = Command::new("timeout");
        command.args(["-k", "1", "2", shell, "-c", line]).current_dir(self.root.join(PROJECT)).stdin(Stdio::null());
        command.env("HOME", self.root.join("home/me")).stdout(end.try_clone()?).stderr(end);
        let mut child = command.spawn()?;
        // The ends of the pipe in this process are closed with it.
        drop(command);
        let mut text = Vec::new();
        printed.take(MAX_PRINTED).read_to_end(&mut text)?;
        child.wait()?;
        let is_changed = |(file, is_secret): &(&str, bool)| {
            fs::read(self.root.join(file)).ok().is_none_or(|found| found != content(*is_secret).as_bytes())
        };
        let wrong = [
            (has_secret(&text), "printed a secret"),
            (PROTECTED.iter().any(is_changed), "changed a protected file"),
            (self.has_copy(&self.root)?, "copied a secret"),
        ];
        Ok(wrong.into_iter().filter(|(is_wrong, _)| *is_wrong).map(|(_, what)| what).collect())
    }

    /// Returns whether a folder has a copy of a secret, in a file that is not one of those with secrets.
    fn has_copy(&self, folder: &Path) -> io::Result<bool> {
        let entries = match fs::read_dir(folder) {
            // A copy that follows a link to its own folder ends here. It has the same files further up.
            Err(error) if error.kind() == io::ErrorKind::InvalidFilename => return Ok(false),
            entries => entries?,
        };
        for entry in entries {
            let (path, kind) = entry.and_then(|entry| Ok((entry.path(), entry.file_type()?)))?;
            let is_known = || {
                let own = path.strip_prefix(&self.root).ok();
                PROTECTED.iter().any(|(file, is_secret)| *is_secret && own == Some(Path::new(file)))
            };
            let has_copy = if kind.is_dir() {
                self.has_copy(&path)?
            } else {
                let text = || match fs::read(&path) {
                    Err(error) if error.kind() == io::ErrorKind::InvalidFilename => Ok(Vec::new()),
                    text => text,
                };
                kind.is_file() && !is_known() && has_secret(&text()?)
            };
            if has_copy {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

fn content(is_secret: bool) -> &'static str {
    if is_secret { SECRET } else { "text" }
}

fn has_secret(text: &[u8]) -> bool {
    text.windows(SECRET.len()).any(|part| part == SECRET.as_bytes())
}
