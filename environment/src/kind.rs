//! Kinds of environments: a host offers kinds, and each task uses an environment of one of them.

use std::fmt;
use std::io;
use std::path::Path;
use std::sync::Arc;

#[cfg(unix)]
use crate::Resource;
use crate::{Environment, Leases};

/// A kind of environment, which makes an environment for each task.
pub trait Kind: fmt::Debug + Send + Sync {
    /// Returns the name, such as `local`, which is also the name of its [environments](Environment::name).
    fn name(&self) -> &str;

    /// Returns what the environments promise.
    fn promises(&self) -> Promises;

    /// Checks that environments of this kind can be made, which can take a while. Returns what they promise.
    ///
    /// # Errors
    /// If no environment can be made. The text says what is missing and how to get it.
    fn check(&self) -> io::Result<Promises> {
        Ok(self.promises())
    }

    /// Makes an environment, which can take a while.
    ///
    /// # Errors
    /// If the environment cannot be made. The text says what is missing and how to get it.
    fn make(&self, site: &Site<'_>) -> io::Result<Arc<dyn Environment>>;
}

impl<K: Kind + ?Sized> Kind for Arc<K> {
    fn name(&self) -> &str {
        (**self).name()
    }

    fn promises(&self) -> Promises {
        (**self).promises()
    }

    fn check(&self) -> io::Result<Promises> {
        (**self).check()
    }

    fn make(&self, site: &Site<'_>) -> io::Result<Arc<dyn Environment>> {
        (**self).make(site)
    }
}

/// The task and the host for which an environment is made.
#[derive(Debug, Clone, Copy)]
pub struct Site<'a> {
    /// The directory in which the task begins: an absolute path on this machine.
    pub directory: &'a Path,
    /// The folder in which the host keeps the user's data, if it has one.
    pub host_home: Option<&'a Path>,
    /// The leases of the host, if it has any. The environment records the resources that it makes in them, so that these can be cleaned up.
    pub leases: Option<&'a Arc<Leases>>,
}

#[cfg(unix)]
impl Site<'_> {
    /// Records a resource in the lease of the host, before the resource is made.
    pub(crate) fn add(&self, resource: &Resource) -> io::Result<()> {
        self.leases.map_or(Ok(()), |leases| leases.add(resource))
    }
}

/// What an environment promises about programs that try to do harm.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Promises {
    /// On this machine, programs can access only the directory of the task, the installed programs and their settings. They cannot see
    /// other processes, and cannot use the network of this machine.
    pub isolated: bool,
    /// The number of processes is limited.
    pub limited_processes: bool,
}
