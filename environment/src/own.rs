//! A private folder of an environment, in the folder for temporary files of this machine.

use std::collections::hash_map::RandomState;
use std::env;
use std::fs::{self, DirBuilder};
use std::hash::{BuildHasher as _, Hasher as _};
use std::io;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::lease::PREFIX;
use crate::{Leases, Resource};

/// A folder that only this user can access. Dropping the value removes the folder.
#[derive(Debug)]
pub(crate) struct OwnFolder(PathBuf);

impl OwnFolder {
    /// Records the folder of an environment of this kind in the leases, and makes it.
    pub(crate) fn new(kind: &str, leases: Option<&Arc<Leases>>) -> io::Result<Self> {
        let random = RandomState::new().build_hasher().finish();
        let path = env::temp_dir().join(format!("{PREFIX}{kind}-{}-{random:016x}", std::process::id()));
        if let Some(leases) = leases {
            leases.add(&Resource::Folder(path.clone()))?;
        }
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
