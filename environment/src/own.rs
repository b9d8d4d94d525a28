//! A folder of an environment's own, among the temporary files of this machine.

use std::collections::hash_map::RandomState;
use std::env;
use std::fs::{self, DirBuilder};
use std::hash::{BuildHasher as _, Hasher as _};
use std::io;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};

use crate::lease::PREFIX;

/// A folder for this user only. Dropping it removes it.
#[derive(Debug)]
pub(crate) struct OwnFolder(PathBuf);

impl OwnFolder {
    /// Makes the folder of an environment of this kind, after `before` was called with its path.
    pub(crate) fn new(kind: &str, before: impl FnOnce(&Path) -> io::Result<()>) -> io::Result<Self> {
        let random = RandomState::new().build_hasher().finish();
        let path = env::temp_dir().join(format!("{PREFIX}{kind}-{}-{random:016x}", std::process::id()));
        before(&path)?;
        let text = |error: io::Error| {
            io::Error::new(error.kind(), format!("the folder `{}` cannot be made: {error}", path.display()))
        };
        DirBuilder::new().mode(0o700).create(&path).map_err(text)?;
        Ok(Self(path))
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for OwnFolder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
