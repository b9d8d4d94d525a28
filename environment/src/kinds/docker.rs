//! Containers of docker.

use toolc_tables::kinds::{Count, Flag, Text};
use toolc_tables::table;

#[cfg(unix)]
use super::{Context, KindResult, boxed::boxed};
use super::{FilesOf, KindSettings, Record, RequiredSetting, text};

pub(super) const KIND: Record = Record {
    name: "docker",
    about: "A container of docker, which has only the files of its image and the current directory.",
    files: FilesOf::Task,
    secrets: &[],
};

table! {
    /// Containers.
    #[derive(Debug, Clone, PartialEq)]
    pub struct Settings {
        /// The image, such as `docker.io/library/python:3.13`. It must have a POSIX shell with the usual programs, and must already be
        /// on this machine. Needed for the kind `docker`.
        image: Text,
        /// Whether programs have a network, through which they also reach services of this machine.
        network: Flag = false,
        /// Whether programs can write only to the directory of the task and to `/tmp`.
        read_only: Flag = false,
        /// The maximum number of processes and threads.
        max_processes: Count = 2048,
        /// The maximum memory, in MiB.
        max_memory_mib: Count = 2048,
        /// The maximum number of processors. Default: all.
        max_processors: Count,
    }
}

impl KindSettings for Settings {
    fn required(&self) -> Option<RequiredSetting<'_>> {
        let value = text(self.image.as_ref());
        Some(RequiredSetting { what: "an image", key: "environment.container.image", value })
    }

    #[cfg(unix)]
    fn kind(&self, _: &Context<'_>) -> KindResult {
        let kind = crate::ContainerKind::new(text(self.image.as_ref()).unwrap_or_default())
            .network(self.network.value)
            .read_only(self.read_only.value)
            .max_processes(self.max_processes.value)
            .max_memory(u64::from(self.max_memory_mib.value) << 20);
        match &self.max_processors {
            Some(max) => Ok(boxed(kind.max_processors(max.value))),
            None => Ok(boxed(kind)),
        }
    }
}
