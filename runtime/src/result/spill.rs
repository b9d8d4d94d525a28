//! Spilling: where results are kept that are too long for a model to be told whole.

use std::fs::{self, DirBuilder, File, Metadata, OpenOptions};
use std::hash::{BuildHasher, RandomState};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::text::display::short_name;

/// Keeps results that are too long: see [`SessionBuilder::spill`](crate::SessionBuilder::spill).
pub trait SpillStore: Send + Sync {
    /// Keeps all of `text`, a result of `tool`, and returns the name under which the model's tools can read it. The
    /// extension says what it is: `txt`, or `json`.
    ///
    /// # Errors
    /// When it cannot be kept. The model is then told how much it misses.
    fn keep(&self, tool: &str, extension: &str, text: &str) -> io::Result<String>;
}

/// A folder of results, a file for each: readable by this user alone, under a name that nobody can guess and that was
/// never there before. Nobody is told that name before the file is whole. What is in it is the host's to
/// [delete](Self::delete_older_than).
///
/// A folder in which others could put something else in a result's place is refused, whenever it is used: on Unix, one
/// that is a symbolic link, belongs to somebody else, or can be written by others.
#[derive(Debug, Clone)]
pub struct SpillFolder {
    path: PathBuf,
}

impl SpillFolder {
    /// Keeps results in this folder, which is made if it is not there, for this user alone.
    ///
    /// # Errors
    /// When it cannot be made, is no folder, or is not this user's alone to write.
    pub fn new(path: impl AsRef<Path>) -> io::Result<Self> {
        let mut builder = DirBuilder::new();
        private_folder(builder.recursive(true));
        builder.create(&path)?;
        // Without a slash in the end, which would mean what a link points to.
        let folder = Self { path: std::path::absolute(path)?.components().collect() };
        folder.metadata()?;
        Ok(folder)
    }

    /// What the folder itself is, if it can be trusted.
    fn metadata(&self) -> io::Result<Metadata> {
        let metadata = fs::symlink_metadata(&self.path)?;
        if metadata.is_symlink() {
            return Err(self.refused(io::ErrorKind::NotADirectory, "it is a symbolic link"));
        }
        if !metadata.is_dir() {
            return Err(self.refused(io::ErrorKind::NotADirectory, "it is no folder"));
        }
        if others_write(&metadata) {
            return Err(self.refused(io::ErrorKind::PermissionDenied, "others can write to it"));
        }
        Ok(metadata)
    }

    fn refused(&self, kind: io::ErrorKind, why: &str) -> io::Error {
        let path = self.path.display();
        io::Error::new(kind, format!("`{path}` cannot keep results: {why}; name a folder of this user's own"))
    }

    /// Deletes the results in it that were kept longer than `age` ago, by whatever process, and returns how many. Files
    /// that are no results stay, and so do those that cannot be deleted now.
    ///
    /// # Errors
    /// When the folder cannot be read, or is not this user's alone to write any more.
    pub fn delete_older_than(&self, age: Duration) -> io::Result<usize> {
        self.metadata()?;
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

impl SpillStore for SpillFolder {
    fn keep(&self, tool: &str, extension: &str, text: &str) -> io::Result<String> {
        let tool: String =
            short_name(tool).chars().map(|c| if c.is_ascii_alphanumeric() || c == '_' { c } else { '-' }).collect();
        // Each has random keys of its own, so that a name says nothing of the next.
        let [high, low] = [(); 2].map(|()| RandomState::new().hash_one(&tool));
        let path = self.path.join(format!("{tool}-{high:016x}{low:016x}.{extension}"));
        let folder = self.metadata()?;
        let mut file = create(&path)?;
        let written = file.metadata().and_then(|made| {
            if is_of_another(&folder, &made) {
                return Err(self.refused(io::ErrorKind::PermissionDenied, "it belongs to another user"));
            }
            file.write_all(text.as_bytes())
        });
        if let Err(error) = written {
            let _ = fs::remove_file(&path);
            return Err(error);
        }
        path.into_os_string().into_string().map_err(|path| {
            let path = Path::new(&path).display();
            io::Error::new(io::ErrorKind::InvalidFilename, format!("`{path}` is no name that a model could be told"))
        })
    }
}

/// Whether a file of this name is a result, or the beginning of one.
fn is_result(name: &str) -> bool {
    let stem = ["txt", "json"].into_iter().find_map(|extension| name.strip_suffix(extension)?.strip_suffix('.'));
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

#[cfg(unix)]
fn others_write(folder: &Metadata) -> bool {
    std::os::unix::fs::PermissionsExt::mode(&folder.permissions()) & 0o022 != 0
}

/// Whether the folder belongs to somebody else than this user, who has `made` a file in it.
#[cfg(unix)]
fn is_of_another(folder: &Metadata, made: &Metadata) -> bool {
    std::os::unix::fs::MetadataExt::uid(folder) != std::os::unix::fs::MetadataExt::uid(made)
}

#[cfg(not(unix))]
fn others_write(_: &Metadata) -> bool {
    false
}

#[cfg(not(unix))]
fn is_of_another(_: &Metadata, _: &Metadata) -> bool {
    false
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
        assert_eq!(fs::read_dir(folder.0.join("made")).unwrap().count(), 2, "nothing else is there");
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
        let others =
            ["notes.txt", "say-0123.txt", "0123456789abcdef0123456789abcdef.txt"].map(|name| folder.0.join(name));
        for path in &others {
            fs::write(path, "").unwrap();
            aged(path);
        }
        aged(Path::new(&old));
        assert_eq!(spill.delete_older_than(day).unwrap(), 1);
        assert_eq!(spill.delete_older_than(day).unwrap(), 0);
        assert!(!Path::new(&old).exists());
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
    fn a_file_that_is_there_is_never_overwritten() {
        let folder = Folder::new("there");
        fs::create_dir_all(&folder.0).unwrap();
        let path = folder.0.join("say.txt");
        fs::write(&path, "mine").unwrap();
        assert_eq!(create(&path).unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        #[cfg(unix)]
        {
            let link = folder.0.join("link.txt");
            std::os::unix::fs::symlink("nowhere.txt", &link).unwrap();
            assert_eq!(create(&link).unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        }
        assert_eq!(fs::read_to_string(&path).unwrap(), "mine");
    }

    #[cfg(unix)]
    #[test]
    fn a_folder_that_is_not_this_users_alone_is_refused_at_any_time() {
        use std::os::unix::fs::{PermissionsExt as _, symlink};
        let folder = Folder::new("trust");
        let [real, link] = ["real", "link"].map(|name| folder.0.join(name));
        let spill = SpillFolder::new(&real).unwrap();
        let refusals = |spill: &SpillFolder, why: &str| {
            let new = SpillFolder::new(&spill.path).map(|_| ()).unwrap_err();
            let kept = spill.keep("say", "txt", "one").map(|_| ()).unwrap_err();
            let deleted = spill.delete_older_than(Duration::ZERO).map(|_| ()).unwrap_err();
            for error in [new, kept, deleted] {
                let text = error.to_string();
                assert!(text.contains(why) && text.contains("a folder of this user's own"), "{text}");
            }
        };
        for mode in [0o770, 0o1777, 0o702] {
            fs::set_permissions(&real, fs::Permissions::from_mode(mode)).unwrap();
            refusals(&spill, "others can write to it");
        }
        fs::set_permissions(&real, fs::Permissions::from_mode(0o755)).unwrap();
        assert!(spill.keep("say", "txt", "one").is_ok(), "others may see that there are results");
        // Somebody puts a link in its place.
        fs::rename(&real, folder.0.join("elsewhere")).unwrap();
        symlink("elsewhere", &real).unwrap();
        refusals(&spill, "it is a symbolic link");
        let slash = SpillFolder::new(folder.0.join("real/")).unwrap_err().to_string();
        assert!(slash.contains("it is a symbolic link"), "{slash}");
        symlink("nowhere", &link).unwrap();
        assert!(SpillFolder::new(&link).is_err());
        assert_eq!(fs::read_dir(folder.0.join("elsewhere")).unwrap().count(), 1, "nothing was kept, nothing deleted");
    }

    #[cfg(unix)]
    #[test]
    fn a_folder_of_somebody_else_is_refused() {
        use std::os::unix::fs::{MetadataExt as _, chown};
        let folder = Folder::new("owner");
        let spill = SpillFolder::new(&folder.0).unwrap();
        let made = folder.0.metadata().unwrap();
        let root = Path::new("/").metadata().unwrap();
        assert_eq!(is_of_another(&root, &made), made.uid() != root.uid());
        // Only root can give a folder away.
        if chown(&folder.0, Some(made.uid() ^ 1), None).is_ok() {
            let error = spill.keep("say", "txt", "one").unwrap_err().to_string();
            assert!(error.contains("it belongs to another user"), "{error}");
            assert_eq!(fs::read_dir(&folder.0).unwrap().count(), 0, "nothing is left");
        }
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
