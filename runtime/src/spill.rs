//! Spilling: where results are kept that are too long for a model to be told whole.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::hash::{BuildHasher, RandomState};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Keeps results that are too long: see [`SessionBuilder::spill`](crate::SessionBuilder::spill).
pub trait Spill: Send + Sync {
    /// Keeps all of `text`, a result of `tool`, and returns the name under which the model's tools can read it. The
    /// extension says what it is: `txt`, or `json`.
    ///
    /// # Errors
    /// When it cannot be kept. The model is then told how much it misses.
    fn keep(&self, tool: &str, extension: &str, text: &str) -> io::Result<String>;
}

/// A folder of results, a file for each: readable by this user alone, under a name that nobody can guess, there whole
/// or not at all. What is in it is the host's to [delete](Self::delete_older_than).
#[derive(Debug, Clone)]
pub struct SpillFolder {
    path: PathBuf,
}

impl SpillFolder {
    /// Keeps results in this folder, which is made if it is not there.
    ///
    /// # Errors
    /// When it cannot be made, or is no folder.
    pub fn new(path: impl AsRef<Path>) -> io::Result<Self> {
        let mut builder = DirBuilder::new();
        private_folder(builder.recursive(true));
        builder.create(&path)?;
        Ok(Self { path: std::path::absolute(path)? })
    }

    /// Deletes the results in it that were kept longer than `age` ago, by whatever process, and returns how many. Files
    /// that are no results stay, and so do those that cannot be deleted now.
    ///
    /// # Errors
    /// When the folder cannot be read.
    pub fn delete_older_than(&self, age: Duration) -> io::Result<usize> {
        let mut deleted = 0;
        for entry in fs::read_dir(&self.path)? {
            let entry = entry?;
            let is_old = || entry.metadata()?.modified()?.elapsed().map(|since| since > age).map_err(io::Error::other);
            if entry.file_name().to_str().is_some_and(is_result) && is_old().unwrap_or(false) {
                deleted += usize::from(fs::remove_file(entry.path()).is_ok());
            }
        }
        Ok(deleted)
    }
}

impl Spill for SpillFolder {
    fn keep(&self, tool: &str, extension: &str, text: &str) -> io::Result<String> {
        let tool: String =
            tool.chars().take(64).map(|c| if c.is_ascii_alphanumeric() || c == '_' { c } else { '-' }).collect();
        // Each has random keys of its own, so that a name says nothing of the next.
        let [high, low] = [(); 2].map(|()| RandomState::new().hash_one(&tool));
        let path = self.path.join(format!("{tool}-{high:016x}{low:016x}.{extension}"));
        let unfinished = path.with_extension("tmp");
        let written = create(&unfinished).and_then(|mut file| {
            file.write_all(text.as_bytes())?;
            fs::rename(&unfinished, &path)
        });
        if let Err(error) = written {
            // It may not be there.
            let _ = fs::remove_file(&unfinished);
            return Err(error);
        }
        path.into_os_string().into_string().map_err(|path| {
            let path = Path::new(&path).display();
            io::Error::new(io::ErrorKind::InvalidFilename, format!("`{path}` is no name that a model could be told"))
        })
    }
}

/// Whether a file of this name is a result, or was to become one.
fn is_result(name: &str) -> bool {
    let stem = ["txt", "json", "tmp"].into_iter().find_map(|extension| name.strip_suffix(extension)?.strip_suffix('.'));
    let number = stem.and_then(|stem| stem.rsplit_once('-')).map(|(_, number)| number);
    number.is_some_and(|number| number.len() == 32 && number.bytes().all(|digit| digit.is_ascii_hexdigit()))
}

fn create(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    private_file(options.write(true).create_new(true));
    options.open(path)
}

#[cfg(unix)]
fn private_file(options: &mut OpenOptions) {
    std::os::unix::fs::OpenOptionsExt::mode(options, 0o600);
}

#[cfg(unix)]
fn private_folder(builder: &mut DirBuilder) {
    std::os::unix::fs::DirBuilderExt::mode(builder, 0o700);
}

#[cfg(not(unix))]
fn private_file(_: &mut OpenOptions) {}

#[cfg(not(unix))]
fn private_folder(_: &mut DirBuilder) {}

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder of this test's own, deleted in the end.
    struct Folder(PathBuf);

    impl Folder {
        fn new(test: &str) -> Self {
            let path = std::env::temp_dir().join(format!("toolc-spill-{test}-{}", std::process::id()));
            let _ = fs::remove_dir_all(&path);
            Self(path)
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn each_result_has_a_file_of_its_own() {
        let folder = Folder::new("own");
        let spill = SpillFolder::new(folder.0.join("made")).unwrap();
        let names = ["one", "two"].map(|text| spill.keep("../say it", "txt", text).unwrap());
        assert_ne!(names[0], names[1]);
        for (name, text) in names.iter().zip(["one", "two"]) {
            assert_eq!(fs::read_to_string(name).unwrap(), text);
            let file = Path::new(name).file_name().unwrap().to_str().unwrap();
            assert!(file.starts_with("---say-it-") && file.len() == "---say-it-.txt".len() + 32, "{file}");
            assert_eq!(Path::new(name).parent().unwrap(), folder.0.join("made"));
        }
        assert_eq!(fs::read_dir(folder.0.join("made")).unwrap().count(), 2, "nothing unfinished is left");
    }

    #[test]
    fn old_results_are_deleted_and_nothing_else() {
        let folder = Folder::new("old");
        let spill = SpillFolder::new(&folder.0).unwrap();
        let day = Duration::from_hours(24);
        let aged = |path: &Path| {
            let file = File::options().write(true).open(path).unwrap();
            file.set_modified(std::time::SystemTime::now() - 2 * day).unwrap();
        };
        let [old, new] = ["txt", "json"].map(|extension| spill.keep("say", extension, "text").unwrap());
        let unfinished = Path::new(&old).with_extension("tmp");
        let others =
            ["notes.txt", "say-0123.txt", "0123456789abcdef0123456789abcdef.txt"].map(|name| folder.0.join(name));
        for path in others.iter().chain([&unfinished]) {
            fs::write(path, "").unwrap();
            aged(path);
        }
        aged(Path::new(&old));
        assert_eq!(spill.delete_older_than(day).unwrap(), 2);
        assert_eq!(spill.delete_older_than(day).unwrap(), 0);
        assert!(!Path::new(&old).exists() && !unfinished.exists());
        assert!(Path::new(&new).exists() && others.iter().all(|path| path.exists()));
        fs::remove_dir_all(&folder.0).unwrap();
        assert!(spill.delete_older_than(day).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn nobody_else_reads_them() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = Folder::new("mode");
        let name = SpillFolder::new(&folder.0).unwrap().keep("say", "json", "{}").unwrap();
        let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!([mode(Path::new(&name)), mode(&folder.0)], [0o600, 0o700]);
    }

    #[test]
    fn what_cannot_be_kept_is_an_error() {
        let folder = Folder::new("gone");
        let spill = SpillFolder::new(&folder.0).unwrap();
        fs::remove_dir(&folder.0).unwrap();
        assert_eq!(spill.keep("say", "txt", "one").unwrap_err().kind(), io::ErrorKind::NotFound);
        fs::write(&folder.0, "").unwrap();
        assert!(SpillFolder::new(&folder.0).is_err());
        fs::remove_file(&folder.0).unwrap();
    }
}
