//! The files of this machine.
//!
//! The folder of a path is opened once, without following links. Later steps use the open folder, so a change of the path in the meantime has
//! no effect.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use super::folder::{Folder, folder_of};
use super::{lines, resolve::resolve, search};
use crate::files::{
    Expected, FileAbilities, FileKind, Files, LineRange, Lines, Metadata, Places, Version, WriteOptions, not_regular,
};
use crate::search::{Found, Search};

/// The files of this machine, as the user of this process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LocalFiles;

impl Files for LocalFiles {
    fn abilities(&self) -> FileAbilities {
        FileAbilities { race_free: cfg!(unix), full_search: true }
    }

    fn places(&self) -> io::Result<Places> {
        static TEMPORARY: OnceLock<PathBuf> = OnceLock::new();
        let resolved = |path: PathBuf| resolve(&path).unwrap_or(path);
        let temporary = TEMPORARY.get_or_init(|| resolved(env::temp_dir())).clone();
        Ok(Places { home: env::home_dir().map(resolved), temporary })
    }

    fn resolve(&self, path: &Path) -> io::Result<PathBuf> {
        resolve(path)
    }

    fn metadata(&self, path: &Path) -> io::Result<Metadata> {
        Ok(Metadata::from_std(&fs::symlink_metadata(path)?))
    }

    fn list(&self, folder: &Path, max: usize) -> io::Result<Vec<OsString>> {
        Folder::open(folder)?.names(max)
    }

    fn read(&self, path: &Path, from: u64, max: usize) -> io::Result<(Vec<u8>, Metadata)> {
        let (folder, name) = folder_of(path)?;
        let (mut file, metadata) = folder.read(name)?;
        if from > 0 {
            file.seek(SeekFrom::Start(from))?;
        }
        let mut content = Vec::new();
        // The file may grow while it is read.
        file.take(max as u64).read_to_end(&mut content)?;
        Ok((content, metadata))
    }

    fn read_lines(&self, path: &Path, range: &LineRange) -> io::Result<Lines> {
        let (folder, name) = folder_of(path)?;
        let (file, metadata) = folder.read(name)?;
        lines::read(file, metadata, range)
    }

    fn check_writable(&self, path: &Path) -> io::Result<Metadata> {
        let (folder, name) = folder_of(path)?;
        folder.check_writable(name)
    }

    fn write(&self, path: &Path, content: &[u8], options: &WriteOptions) -> io::Result<Metadata> {
        let (folder, name) = folder_of(path)?;
        folder.replace(name, content, options)
    }

    fn remove(&self, path: &Path, version: Version) -> io::Result<()> {
        let (folder, name) = folder_of(path)?;
        folder.check(name, Expected::Version(version))?;
        folder.remove(name)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        let (from_folder, from_name) = folder_of(from)?;
        let (to_folder, to_name) = folder_of(to)?;
        if from_folder.metadata(from_name)?.kind != FileKind::Regular {
            return Err(not_regular());
        }
        from_folder.rename_new(from_name, &to_folder, to_name)
    }

    fn create_folders(&self, path: &Path) -> io::Result<Vec<PathBuf>> {
        let mut created: Vec<PathBuf> = Vec::new();
        let missing: Vec<_> = path.ancestors().take_while(|folder| fs::symlink_metadata(folder).is_err()).collect();
        for folder in missing.into_iter().rev() {
            let result = folder_of(folder).and_then(|(parent, name)| parent.create_folder(name));
            match result {
                Ok(()) => created.push(folder.to_owned()),
                // Another program has just created the folder.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => {
                    created.iter().rev().for_each(|folder| drop(self.remove_folder(folder)));
                    return Err(error);
                }
            }
        }
        // The path may be a file, or another program may have replaced one of its folders.
        Folder::open(path)?;
        Ok(created)
    }

    fn remove_folder(&self, path: &Path) -> io::Result<()> {
        let (folder, name) = folder_of(path)?;
        folder.remove_folder(name)
    }

    fn search(&self, search: &Search<'_>) -> io::Result<Found> {
        search::search(search)
    }
}
