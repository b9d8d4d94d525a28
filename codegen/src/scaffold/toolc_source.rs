//! Where a new project gets the crates of toolc from.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use ignore::WalkBuilder;
use toml_edit::{Array, DocumentMut, Item, TableLike, Value};

use super::FileChanges;
use crate::failure::Failure;

/// The folder of a project with a copy of toolc's crates.
pub(crate) const COPY: &str = "toolc";

/// The crates on which a project depends, and their folders in the repository.
const CRATES: [(&str, &str); 4] =
    [("toolc", "runtime"), ("toolc-build", "build"), ("toolc-cli", "cli"), ("toolc-codegen", "codegen")];

/// Crates that a copy has besides, for projects that need them later.
const FURTHER: [&str; 1] = ["program"];

/// Where the crates of toolc come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ToolcSource {
    /// A folder inside the project, relative to it. The project builds on any machine.
    Inside(String),
    /// A copy of toolc's repository on this machine.
    Outside(PathBuf),
    /// A Git repository.
    Git(String),
    /// The registry.
    Version(String),
}

impl ToolcSource {
    /// Returns a copy of toolc's repository in `folder`, for the project in `project`.
    ///
    /// # Errors
    /// If the folder does not contain toolc's crates.
    pub(crate) fn path(folder: &Path, project: &Path) -> Result<Self, Failure> {
        let absolute = folder.canonicalize().map_err(|error| Failure::io("find", folder, &error))?;
        if !is_repository(&absolute) {
            let message = format!("{} is not toolc's repository: it has no runtime/Cargo.toml", folder.display());
            return Err(Failure::new(message));
        }
        let project = project.canonicalize().ok();
        let inside =
            project.and_then(|project| Some(absolute.strip_prefix(project).ok()?.to_str()?.replace('\\', "/")));
        Ok(inside.filter(|inside| !inside.is_empty()).map_or(Self::Outside(absolute), Self::Inside))
    }

    /// Returns the dependencies on toolc's crates, a line for each.
    pub(crate) fn dependencies(&self) -> String {
        let text = |value: &str| Value::from(value).to_string();
        let source = |folder: &str| match self {
            Self::Inside(copy) => format!("path = {}", text(&format!("{copy}/{folder}"))),
            Self::Outside(repository) => format!("path = {}", text(&repository.join(folder).to_string_lossy())),
            Self::Git(url) => format!("git = {}", text(url)),
            Self::Version(version) => format!("version = {}", text(version)),
        };
        CRATES.map(|(name, folder)| format!("{name} = {{ {} }}\n", source(folder))).concat()
    }
}

/// Returns the repository from which this compiler was built, if it still exists.
pub(crate) fn own_repository() -> Option<PathBuf> {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).parent();
    repository.filter(|folder| is_repository(folder)).map(Path::to_owned)
}

/// Returns whether a folder is toolc's repository, or a copy of its crates.
pub(crate) fn is_repository(folder: &Path) -> bool {
    CRATES.iter().all(|(_, krate)| folder.join(krate).join("Cargo.toml").is_file())
}

/// Returns the address from which a repository was cloned, if other machines can reach it.
pub(crate) fn origin(repository: &Path) -> Option<String> {
    let mut git = Command::new("git");
    git.arg("-C").arg(repository).args(["remote", "get-url", "origin"]).stdin(Stdio::null()).stderr(Stdio::null());
    let output = git.output().ok().filter(|output| output.status.success())?;
    let url = String::from_utf8(output.stdout).ok()?.trim().to_owned();
    ["https://", "http://", "ssh://", "git://"].iter().any(|scheme| url.starts_with(scheme)).then_some(url)
}

/// Copies the crates of toolc that a project needs to `to`, as a workspace of their own.
///
/// # Errors
/// If a file cannot be read.
pub(crate) fn copy_crates(repository: &Path, to: &Path, changes: &mut FileChanges) -> Result<(), Failure> {
    let mut workspace = manifest(repository)?;
    let folders = needed_crates(repository, &workspace)?;
    workspace["workspace"]["members"] = folders.iter().collect::<Array>().into();
    changes.create(to.join("Cargo.toml"), workspace.to_string());
    let licenses = ["LICENSE-APACHE", "LICENSE-MIT"].map(|name| repository.join(name));
    let files = folders.iter().flat_map(|folder| WalkBuilder::new(repository.join(folder)).build());
    let files = files.filter_map(Result::ok).filter(|entry| entry.file_type().is_some_and(|kind| kind.is_file()));
    for path in licenses.into_iter().chain(files.map(ignore::DirEntry::into_path)) {
        let text = fs::read_to_string(&path).map_err(|error| Failure::io("read", &path, &error))?;
        changes.create(to.join(path.strip_prefix(repository).unwrap_or(&path)), text);
    }
    Ok(())
}

/// Returns the folders of the crates that a project needs, with those on which they depend.
fn needed_crates(repository: &Path, workspace: &DocumentMut) -> Result<BTreeSet<String>, Failure> {
    let folder_of = |name: &str| workspace["workspace"]["dependencies"].get(name)?.get("path")?.as_str();
    let mut found = BTreeSet::new();
    let mut left: Vec<String> =
        CRATES.map(|(_, folder)| folder).into_iter().chain(FURTHER).map(str::to_owned).collect();
    while let Some(folder) = left.pop() {
        let manifest = manifest(&repository.join(&folder))?;
        let tables =
            ["dependencies", "build-dependencies"].into_iter().filter_map(|key| manifest.get(key)?.as_table_like());
        let names = tables.flat_map(TableLike::iter).map(|(name, _): (&str, &Item)| name);
        let new = names.filter_map(folder_of).filter(|other| !found.contains(*other));
        left.extend(new.map(str::to_owned));
        found.insert(folder);
    }
    Ok(found)
}

/// Reads the `Cargo.toml` of a folder.
fn manifest(folder: &Path) -> Result<DocumentMut, Failure> {
    let path = folder.join("Cargo.toml");
    let text = fs::read_to_string(&path).map_err(|error| Failure::io("read", &path, &error))?;
    text.parse().map_err(|error| Failure::new(format!("failed to read {}: {error}", path.display())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_in_the_project_has_a_relative_path() {
        let project = tempfile::tempdir().unwrap();
        let copy = project.path().join("libraries/toolc");
        for (_, folder) in CRATES {
            fs::create_dir_all(copy.join(folder)).unwrap();
            fs::write(copy.join(folder).join("Cargo.toml"), "").unwrap();
        }
        let inside = ToolcSource::path(&copy, project.path()).unwrap();
        assert_eq!(inside, ToolcSource::Inside("libraries/toolc".to_owned()));
        assert!(inside.dependencies().contains("toolc-cli = { path = \"libraries/toolc/cli\" }\n"));
        let outside = ToolcSource::path(&copy, &project.path().join("other")).unwrap();
        assert_eq!(outside, ToolcSource::Outside(copy.canonicalize().unwrap()));
        let error = ToolcSource::path(project.path(), project.path()).unwrap_err().to_string();
        assert!(error.ends_with("is not toolc's repository: it has no runtime/Cargo.toml"), "{error}");
    }

    #[test]
    fn a_copy_has_all_crates_on_which_its_crates_depend() {
        let repository = own_repository().expect("tests run in the repository");
        let mut changes = FileChanges::default();
        copy_crates(&repository, Path::new("toolc"), &mut changes).unwrap();
        let paths: Vec<&Path> = changes.paths().collect();
        for file in ["Cargo.toml", "LICENSE-MIT", "codegen/src/lib.rs", "commands/src/lib.rs", "tables/Cargo.toml"] {
            assert!(paths.contains(&Path::new("toolc").join(file).as_path()), "{file}");
        }
        assert!(!paths.iter().any(|path| path.starts_with("toolc/host") || path.starts_with("toolc/target")));
    }
}
