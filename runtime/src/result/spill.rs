//! Spilling: storage for results that are too long for a model.

use std::fs::{self, DirBuilder, File, Metadata, OpenOptions};
use std::hash::{BuildHasher, RandomState};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::text::display::short_name;

/// A store for results that are too long: see [`SessionBuilder::spill_store`](crate::SessionBuilder::spill_store).
pub trait SpillStore: Send + Sync {
    /// Stores `text`, a result of `tool`, and returns the name, such as a path, by which the model's tools can read it.
    /// `extension` is the format of the text: `txt` or `json`.
    ///
    /// # Errors
    /// Returns an error if the text cannot be stored. The model then gets the beginning of the result and the number of
    /// missing characters.
    fn store(&self, tool: &str, extension: &str, text: &str) -> io::Result<String>;
}

/// A text that a handler has [stored](crate::Call::store_text).
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct StoredText {
    /// The name in the store, such as the path of a file.
    pub name: String,
    /// The tool that reads it, by its name in the model's dialect.
    pub reader: String,
}

/// A folder of results, with one file for each. Each file is readable by this user only, and has a new, unguessable
/// name, which is only returned when the file is complete. The host decides when to [delete](Self::delete_older_than)
/// files.
///
/// A folder in which other users could replace a result is refused whenever it is used: on Unix, one that is a symbolic
/// link, belongs to another user, or is writable by others.
#[derive(Debug, Clone)]
pub struct SpillFolder {
    path: PathBuf,
}

impl SpillFolder {
    /// Returns a store in the folder `path`. A missing folder is created, for this user only.
    ///
    /// # Errors
    /// Returns an error if the folder cannot be created, or other users could replace a result in it.
    pub fn new(path: impl AsRef<Path>) -> io::Result<Self> {
        let mut builder = DirBuilder::new();
        private_folder(builder.recursive(true));
        builder.create(&path)?;
        // `components` removes a trailing slash, with which `symlink_metadata` would follow a link.
        let folder = Self { path: std::path::absolute(path)?.components().collect() };
        folder.metadata()?;
        Ok(folder)
    }

    /// Returns the metadata of the folder. Fails if other users could change its files.
    fn metadata(&self) -> io::Result<Metadata> {
        let metadata = fs::symlink_metadata(&self.path)?;
        if metadata.is_symlink() {
            return Err(self.refused(io::ErrorKind::NotADirectory, "it is a symbolic link"));
        }
        if !metadata.is_dir() {
            return Err(self.refused(io::ErrorKind::NotADirectory, "it is not a folder"));
        }
        if others_can_write(&metadata) {
            return Err(self.refused(io::ErrorKind::PermissionDenied, "others can write to it"));
        }
        Ok(metadata)
    }

    fn refused(&self, kind: io::ErrorKind, reason: &str) -> io::Error {
        let path = self.path.display();
        io::Error::new(kind, format!("`{path}` cannot store results: {reason}; use a folder of the current user"))
    }

    /// Deletes the results that were stored longer than `age` ago, by any process, and returns their number. Other
    /// files are kept, and so are files that cannot be deleted.
    ///
    /// # Errors
    /// Returns an error if the folder cannot be read, or other users could replace a result in it.
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
    fn store(&self, tool: &str, extension: &str, text: &str) -> io::Result<String> {
        let tool: String =
            short_name(tool).chars().map(|c| if c.is_ascii_alphanumeric() || c == '_' { c } else { '-' }).collect();
        // Each `RandomState` has new random keys, so that no name can be derived from another.
        let [high, low] = [(); 2].map(|()| RandomState::new().hash_one(&tool));
        let path = self.path.join(format!("{tool}-{high:016x}{low:016x}.{extension}"));
        let folder = self.metadata()?;
        let mut file = create(&path)?;
        let written = file.metadata().and_then(|created| {
            if owners_differ(&folder, &created) {
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
            io::Error::new(io::ErrorKind::InvalidFilename, format!("the path `{path}` is not valid UTF-8"))
        })
    }
}

/// The extensions of results. A crawl has rows and, next to them, a state.
const EXTENSIONS: [&str; 5] = ["txt", "json", "jsonl", "state.json", "state.new"];

/// Returns whether a file of this name is a result, complete or partial.
fn is_result(name: &str) -> bool {
    // `TOOL-NUMBER.EXTENSION`, with a number of 32 hexadecimal digits.
    let Some((stem, extension)) = name.split_once('.') else { return false };
    let number = stem.rsplit_once('-').map(|(_, number)| number);
    EXTENSIONS.contains(&extension)
        && number.is_some_and(|number| number.len() == 32 && number.bytes().all(|digit| digit.is_ascii_hexdigit()))
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
fn others_can_write(folder: &Metadata) -> bool {
    std::os::unix::fs::PermissionsExt::mode(&folder.permissions()) & 0o022 != 0
}

/// Returns whether the folder belongs to another user than `file`, which this process has created.
#[cfg(unix)]
fn owners_differ(folder: &Metadata, file: &Metadata) -> bool {
    std::os::unix::fs::MetadataExt::uid(folder) != std::os::unix::fs::MetadataExt::uid(file)
}

#[cfg(not(unix))]
fn others_can_write(_: &Metadata) -> bool {
    false
}

#[cfg(not(unix))]
fn owners_differ(_: &Metadata, _: &Metadata) -> bool {
    false
}

#[cfg(not(unix))]
fn private_file(_: &mut OpenOptions) {}

#[cfg(not(unix))]
fn private_folder(_: &mut DirBuilder) {}

#[cfg(test)]
mod tests {
    use super::*;

    /// A temporary folder of one test, deleted at its end.
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
        let store = SpillFolder::new(folder.0.join("made")).unwrap();
        let names = ["one", "two"].map(|text| store.store("../say it", "txt", text).unwrap());
        assert_ne!(names[0], names[1]);
        for (name, text) in names.iter().zip(["one", "two"]) {
            assert_eq!(fs::read_to_string(name).unwrap(), text);
            let file = Path::new(name).file_name().unwrap().to_str().unwrap();
            assert!(file.starts_with("---say-it-") && file.len() == "---say-it-.txt".len() + 32, "{file}");
            assert_eq!(Path::new(name).parent().unwrap(), folder.0.join("made"));
        }
        assert_eq!(fs::read_dir(folder.0.join("made")).unwrap().count(), 2, "there are no other files");
    }

    #[test]
    fn old_results_are_deleted_and_nothing_else() {
        let folder = Folder::new("old");
        let store = SpillFolder::new(&folder.0).unwrap();
        let day = Duration::from_hours(24);
        let aged = |path: &Path| {
            let file = File::options().write(true).open(path).unwrap();
            file.set_modified(std::time::SystemTime::now() - 2 * day).unwrap();
        };
        let [old, new] = ["txt", "json"].map(|extension| store.store("say", extension, "text").unwrap());
        let others =
            ["notes.txt", "say-0123.txt", "0123456789abcdef0123456789abcdef.txt"].map(|name| folder.0.join(name));
        for path in &others {
            fs::write(path, "").unwrap();
            aged(path);
        }
        // The files of a crawl, and names that are almost theirs.
        let number = "0123456789abcdef0123456789abcdef";
        let of_crawl =
            ["jsonl", "state.json", "state.new"].map(|end| folder.0.join(format!("web_crawl-{number}.{end}")));
        let similar = ["new", "jsonl.gz", "other.json", "state.json.json"]
            .map(|end| folder.0.join(format!("web_crawl-{number}.{end}")));
        for path in of_crawl.iter().chain(&similar) {
            fs::write(path, "").unwrap();
            aged(path);
        }
        aged(Path::new(&old));
        assert_eq!(store.delete_older_than(day).unwrap(), 4);
        assert_eq!(store.delete_older_than(day).unwrap(), 0);
        assert!(!Path::new(&old).exists() && !of_crawl.iter().any(|path| path.exists()));
        assert!(similar.iter().all(|path| path.exists()));
        assert!(Path::new(&new).exists() && others.iter().all(|path| path.exists()));
        fs::remove_dir_all(&folder.0).unwrap();
        assert!(store.delete_older_than(day).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn only_the_current_user_can_read_results() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = Folder::new("mode");
        let name = SpillFolder::new(&folder.0).unwrap().store("say", "json", "{}").unwrap();
        let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!([mode(Path::new(&name)), mode(&folder.0)], [0o600, 0o700]);
    }

    #[test]
    fn an_existing_file_is_never_overwritten() {
        let folder = Folder::new("existing");
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
    fn a_folder_that_other_users_can_change_is_refused_at_each_use() {
        use std::os::unix::fs::{PermissionsExt as _, symlink};
        let folder = Folder::new("trust");
        let [real, link] = ["real", "link"].map(|name| folder.0.join(name));
        let store = SpillFolder::new(&real).unwrap();
        let assert_refused = |store: &SpillFolder, reason: &str| {
            let new = SpillFolder::new(&store.path).map(|_| ()).unwrap_err();
            let stored = store.store("say", "txt", "one").map(|_| ()).unwrap_err();
            let deleted = store.delete_older_than(Duration::ZERO).map(|_| ()).unwrap_err();
            for error in [new, stored, deleted] {
                let text = error.to_string();
                assert!(text.contains(reason) && text.contains("a folder of the current user"), "{text}");
            }
        };
        for mode in [0o770, 0o1777, 0o702] {
            fs::set_permissions(&real, fs::Permissions::from_mode(mode)).unwrap();
            assert_refused(&store, "others can write to it");
        }
        fs::set_permissions(&real, fs::Permissions::from_mode(0o755)).unwrap();
        assert!(store.store("say", "txt", "one").is_ok(), "others may list the folder");
        // Another program replaces the folder with a link.
        fs::rename(&real, folder.0.join("elsewhere")).unwrap();
        symlink("elsewhere", &real).unwrap();
        assert_refused(&store, "it is a symbolic link");
        let slash = SpillFolder::new(folder.0.join("real/")).unwrap_err().to_string();
        assert!(slash.contains("it is a symbolic link"), "{slash}");
        symlink("nowhere", &link).unwrap();
        assert!(SpillFolder::new(&link).is_err());
        assert_eq!(fs::read_dir(folder.0.join("elsewhere")).unwrap().count(), 1, "nothing was stored or deleted");
    }

    #[cfg(unix)]
    #[test]
    fn a_folder_of_another_user_is_refused() {
        use std::os::unix::fs::{MetadataExt as _, chown};
        let folder = Folder::new("owner");
        let store = SpillFolder::new(&folder.0).unwrap();
        let metadata = folder.0.metadata().unwrap();
        let root = Path::new("/").metadata().unwrap();
        assert_eq!(owners_differ(&root, &metadata), metadata.uid() != root.uid());
        // Only root can change the owner of a folder.
        if chown(&folder.0, Some(metadata.uid() ^ 1), None).is_ok() {
            let error = store.store("say", "txt", "one").unwrap_err().to_string();
            assert!(error.contains("it belongs to another user"), "{error}");
            assert_eq!(fs::read_dir(&folder.0).unwrap().count(), 0, "the file was removed");
        }
    }

    #[test]
    fn a_missing_folder_is_an_error() {
        let folder = Folder::new("gone");
        let store = SpillFolder::new(&folder.0).unwrap();
        fs::remove_dir(&folder.0).unwrap();
        assert_eq!(store.store("say", "txt", "one").unwrap_err().kind(), io::ErrorKind::NotFound);
        fs::write(&folder.0, "").unwrap();
        assert!(SpillFolder::new(&folder.0).is_err());
        fs::remove_file(&folder.0).unwrap();
    }
}
