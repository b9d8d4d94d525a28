//! `init`: creates a project that builds, passes its tests and runs.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{self, Stdio};

use clap::Args;
use toolc_tables::visible::{is_control, visible};

use super::{CatalogCommand, Command, GenArgs, Project, Streams, attempt, print};
use crate::failure::Failure;
use crate::report::plural;
use crate::scaffold::FileChanges;
use crate::scaffold::project::NewProject;
use crate::scaffold::toolc_source::{COPY, ToolcSource, copy_crates, origin, own_repository};

/// The arguments of `init`.
#[derive(Debug, Args)]
pub struct Init {
    /// The folder of the project, created if it is missing. Files that are there stay as they are [default: the current folder, if it is
    /// empty].
    dir: Option<PathBuf>,
    /// The name of the package [default: the name of the folder].
    #[arg(long)]
    name: Option<String>,
    #[command(flatten)]
    source: SourceArgs,
}

/// Where the project gets toolc's crates from. Without any of these, a terminal is asked.
#[derive(Debug, Args)]
#[group(multiple = false)]
struct SourceArgs {
    /// Copy toolc's crates into the folder `toolc/` of the project, which then builds on any machine.
    #[arg(long = "toolc-copy")]
    copy: bool,
    /// Depend on toolc's crates in this Git repository.
    #[arg(long = "toolc-git", value_name = "URL")]
    git: Option<String>,
    /// Depend on toolc's crates in this copy of its repository: inside of the project, or on this machine only.
    #[arg(long = "toolc-path", value_name = "DIR")]
    path: Option<PathBuf>,
    /// Depend on this version of the published crates.
    #[arg(long = "toolc-version", value_name = "VERSION")]
    published: Option<String>,
}

/// What `init` does about toolc's crates.
#[derive(Debug, Clone)]
enum Choice {
    /// Copies them from this repository into the project.
    Copy(PathBuf),
    DependOn(ToolcSource),
}

impl Init {
    /// Creates the project, and runs gen in it. Returns whether gen succeeded.
    pub(super) fn run(&self, streams: &mut Streams<'_>) -> Result<bool, Failure> {
        let dir = self.dir.as_deref().unwrap_or(Path::new("."));
        check_folder(dir, self.dir.is_some())?;
        let mut changes = FileChanges::default();
        let toolc = match self.source.choose(dir, streams)? {
            Choice::DependOn(toolc) => toolc,
            Choice::Copy(repository) => {
                copy_crates(&repository, &dir.join(COPY), &mut changes)?;
                ToolcSource::Inside(COPY.to_owned())
            }
        };
        let name = self.name()?;
        let project = NewProject::new(&name, toolc.clone())?;
        for (path, text) in project.files() {
            changes.create(dir.join(path), text);
        }
        changes.apply()?;
        let gen_command = Command::Catalog(CatalogCommand::Gen(GenArgs::default()));
        if !attempt(Project { root: Some(dir.to_owned()) }, gen_command, streams)? {
            return Ok(false);
        }
        let files = plural(changes.paths().count(), "file");
        let repository = if create_repository(dir) { ", in a new Git repository" } else { "" };
        let folder = shown_folder(dir);
        let mut text =
            format!("created the package `{name}` in {folder}: {files}, and those of gen{repository}. Next:\n\n");
        if let Some(word) = self.dir.as_deref().and_then(shell_word) {
            text += &format!("    cd {word}\n");
        }
        text += "    cargo run -- call add_note text=\"Buy tea\"\n    cargo test\n    cargo xtask new tool NAME\n";
        if let ToolcSource::Outside(folder) = &toolc {
            text += &format!(
                "\nThe project builds only on this machine, because it depends on toolc in {}. For others, create it with \
                 `--toolc-copy` or `--toolc-git URL`.\n",
                visible(&folder.to_string_lossy())
            );
        }
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

/// Fails if the folder is a package already, or if it has other files and was not named.
fn check_folder(dir: &Path, is_named: bool) -> Result<(), Failure> {
    const SHOWN: usize = 3;
    if dir.join("Cargo.toml").exists() {
        return Err(Failure::new(format!(
            "nothing was written: {} is a cargo package already. To add toolc to it, write `toolc.toml` and manifests, and run gen: see \
             \"Add toolc to an existing project\" in docs/projects.md; to create another package, run `init DIR`",
            shown_folder(dir)
        )));
    }
    let entries = dir.read_dir().into_iter().flatten().flatten();
    let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).filter(|name| name != ".git");
    let names: BTreeSet<String> = names.collect();
    if is_named || names.is_empty() {
        return Ok(());
    }
    let shown: Vec<String> = names.iter().take(SHOWN).map(|name| format!("`{}`", visible(name))).collect();
    let more = if names.len() > SHOWN { format!(" and {} more", names.len() - SHOWN) } else { String::new() };
    Err(Failure::new(format!(
        "nothing was written: the current folder, {}, is not empty: it has {}{more}. Run `init DIR` to create the project in a folder of \
         its own, or `init .` to create it here",
        shown_folder(dir),
        shown.join(", ")
    )))
}

/// Returns the whole path of a folder, as it can be printed.
fn shown_folder(dir: &Path) -> String {
    let absolute = std::path::absolute(dir).unwrap_or_else(|_| dir.to_owned());
    visible(&absolute.to_string_lossy()).into_owned()
}

impl SourceArgs {
    /// Returns what the options say, or what the user answers, or else the repository from which this program was built.
    fn choose(&self, dir: &Path, streams: &mut Streams<'_>) -> Result<Choice, Failure> {
        let repository = own_repository();
        if let Some(folder) = &self.path {
            return Ok(Choice::DependOn(ToolcSource::path(folder, dir)?));
        }
        if let Some(url) = &self.git {
            return Ok(Choice::DependOn(ToolcSource::Git(url.clone())));
        }
        if let Some(version) = &self.published {
            return Ok(Choice::DependOn(ToolcSource::Version(version.clone())));
        }
        let Some(repository) = repository else {
            if self.copy {
                return Err(Failure::new(
                    "the repository from which this program was built is gone: pass --toolc-git URL",
                ));
            }
            return Ok(Choice::DependOn(ToolcSource::Version(env!("CARGO_PKG_VERSION").to_owned())));
        };
        if self.copy {
            return Ok(Choice::Copy(repository));
        }
        if !streams.can_ask {
            return Ok(Choice::DependOn(ToolcSource::Outside(repository)));
        }
        let choices = choices(repository);
        print(streams.err, &question(&choices))?;
        let answer = io::stdin().lines().next().transpose();
        let answer = answer.map_err(|error| Failure::new(format!("failed to read the answer: {error}")))?;
        answered(&answer.unwrap_or_default(), choices)
    }
}

/// Returns the choices with what they mean, the usual one first.
fn choices(repository: PathBuf) -> Vec<(Choice, String)> {
    let git = origin(&repository).map(|url| {
        let meaning = format!("the Git repository {url}: builds on any machine");
        (Choice::DependOn(ToolcSource::Git(url)), meaning)
    });
    let copy = format!("a copy in the folder `{COPY}/` of the project, about 6 MB: builds on any machine");
    let outside = format!("the folder {}: builds only on this machine", repository.display());
    let rest =
        [(Choice::Copy(repository.clone()), copy), (Choice::DependOn(ToolcSource::Outside(repository)), outside)];
    git.into_iter().chain(rest).collect()
}

fn question(choices: &[(Choice, String)]) -> String {
    let lines = choices.iter().zip(1..).map(|((_, meaning), number)| format!("  {number}  {}\n", visible(meaning)));
    format!("Where does the project get toolc's crates from?\n{}[1] ", lines.collect::<String>())
}

/// Returns the choice with the number in an answer. An empty answer is the first.
fn answered(answer: &str, mut choices: Vec<(Choice, String)>) -> Result<Choice, Failure> {
    let answer = answer.trim();
    let number = if answer.is_empty() { Ok(1) } else { answer.parse::<usize>() };
    match number {
        Ok(number) if (1..=choices.len()).contains(&number) => Ok(choices.swap_remove(number - 1).0),
        _ => Err(Failure::new(format!("expected a number from 1 to {}, got `{answer}`", choices.len()))),
    }
}

/// Makes the folder a Git repository, as `cargo new` does, unless it is in one already. Returns whether it did.
fn create_repository(dir: &Path) -> bool {
    let git = |args: &[&str]| {
        let mut git = process::Command::new("git");
        git.arg("-C").arg(dir).args(args).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        git.status().map(|status| status.success())
    };
    matches!(git(&["rev-parse", "--git-dir"]), Ok(false)) && matches!(git(&["init", "--quiet"]), Ok(true))
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
    use std::fs;

    use super::*;

    #[test]
    fn a_new_project_is_a_git_repository_unless_it_is_in_one() {
        let folder = tempfile::tempdir().unwrap();
        let outer = folder.path().join("outer");
        fs::create_dir(&outer).unwrap();
        let has_git = create_repository(&outer);
        assert_eq!(outer.join(".git").is_dir(), has_git);
        let inner = outer.join("inner");
        fs::create_dir(&inner).unwrap();
        if has_git {
            assert!(!create_repository(&inner) && !inner.join(".git").exists());
        }
    }

    #[test]
    fn a_folder_with_other_files_must_be_named_and_a_package_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let dir = folder.path();
        let problem = |is_named| check_folder(dir, is_named).err().map(|error| error.to_string());
        fs::create_dir(dir.join(".git")).unwrap();
        assert_eq!((problem(false), problem(true)), (None, None), "a new repository is empty");
        assert!(check_folder(&dir.join("missing"), false).is_ok());
        for name in ["a", "b", "c", "d", "e"] {
            fs::write(dir.join(name), "").unwrap();
        }
        let unnamed = problem(false).unwrap();
        assert!(unnamed.contains("is not empty: it has `a`, `b`, `c` and 2 more. Run `init DIR`"), "{unnamed}");
        assert_eq!(problem(true), None);
        fs::write(dir.join("Cargo.toml"), "").unwrap();
        for problem in [problem(false).unwrap(), problem(true).unwrap()] {
            assert!(problem.contains("is a cargo package already. To add toolc to it,"), "{problem}");
        }
    }

    #[test]
    fn a_project_that_builds_only_here_says_so() {
        let folder = tempfile::tempdir().unwrap();
        let init = |name: &str, args: &[&str]| {
            let dir = folder.path().join(name);
            let (status, out, err) = super::super::capture([&["init", dir.to_str().unwrap()], args].concat());
            assert_eq!(status, 0, "{out}{err}");
            (out, fs::read_to_string(dir.join("Cargo.toml")).unwrap())
        };
        let (out, manifest) = init("here", &[]);
        assert!(
            out.contains("builds only on this machine") && manifest.contains("exists only on this machine"),
            "{out}"
        );
        for (name, args) in [
            ("git", &["--toolc-git", "https://example.org/toolc"][..]),
            ("version", &["--toolc-version", "0.1.0"]),
            ("copy", &["--toolc-copy"]),
        ] {
            let (out, manifest) = init(name, args);
            assert!(!out.contains("only on this machine"), "{out}");
            assert!(!manifest.contains(env!("CARGO_MANIFEST_DIR").trim_end_matches("codegen")), "{manifest}");
        }
        assert!(folder.path().join("copy/toolc/runtime/src/lib.rs").is_file());
    }

    #[test]
    fn the_first_choice_builds_on_any_machine() {
        let choices = || choices(PathBuf::from("/toolc"));
        let question = question(&choices());
        assert!(question.ends_with("  2  the folder /toolc: builds only on this machine\n[1] "), "{question}");
        assert!(matches!(answered("", choices()), Ok(Choice::Copy(_))));
        assert!(matches!(answered(" 2 ", choices()), Ok(Choice::DependOn(ToolcSource::Outside(_)))));
        for wrong in ["0", "3", "copy"] {
            let error = answered(wrong, choices()).unwrap_err().to_string();
            assert_eq!(error, format!("expected a number from 1 to 2, got `{wrong}`"));
        }
    }

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
