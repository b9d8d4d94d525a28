//! An environment like one on another machine, for tests and benchmarks.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use toolc_environment::{
    Abilities, Environment, Files, Input, Kind, Launch, Local, Promises, Running, ShellCache, ShellFiles, Site,
};

/// An environment in which a program has neither a channel nor the file system calls of this process. Its folder for temporary files
/// is `tmp` in its directory.
#[derive(Debug)]
struct Remote {
    local: Local,
    cache: ShellCache,
}

/// The kind `remote`.
#[derive(Debug)]
pub(crate) struct RemoteKind;

impl Kind for RemoteKind {
    fn name(&self) -> &'static str {
        "remote"
    }

    fn promises(&self) -> Promises {
        Promises::default()
    }

    fn make(&self, site: &Site<'_>) -> std::io::Result<Arc<dyn Environment>> {
        Ok(Arc::new(Remote { local: Local::new(site.directory), cache: ShellCache::default() }))
    }
}

impl Environment for Remote {
    fn name(&self) -> &'static str {
        "remote"
    }

    fn abilities(&self) -> Abilities {
        Abilities { channel: false, ..self.local.abilities() }
    }

    fn promises(&self) -> Promises {
        Promises::default()
    }

    fn directory(&self) -> &Path {
        self.local.directory()
    }

    fn variables(&self) -> std::io::Result<Vec<(OsString, OsString)>> {
        self.local.variables()
    }

    fn temporary_folder(&self) -> Option<PathBuf> {
        None
    }

    fn files(&self) -> Box<dyn Files + '_> {
        Box::new(ShellFiles::new(self, &self.cache))
    }

    fn start(&self, mut launch: Launch) -> std::io::Result<Box<dyn Running>> {
        assert_ne!(launch.input, Input::Channel, "there are no channels");
        launch.variables.push(("TMPDIR".into(), Some(self.local.directory().join("tmp").into())));
        self.local.start(launch)
    }

    fn end_released(&self) {
        self.local.end_released();
    }

    fn clean_up(&self) {
        self.local.clean_up();
    }
}
