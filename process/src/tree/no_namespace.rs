//! Mount namespaces: none on this system.

use std::io;
#[cfg(unix)]
use std::process::{Child, Command};

use crate::hidden::HiddenFolder;

/// A mount namespace in which a folder is hidden.
#[derive(Debug, Clone)]
pub(crate) enum Namespace {}

impl Namespace {
    pub(crate) fn check_available() -> io::Result<()> {
        Err(io::Error::new(io::ErrorKind::Unsupported, "only Linux can hide folders from programs"))
    }

    pub(crate) fn caveat() -> Option<&'static str> {
        None
    }

    pub(crate) fn hiding(_: &HiddenFolder) -> io::Result<Self> {
        Self::check_available().map(|()| unreachable!("this system has no namespaces"))
    }

    #[cfg(unix)]
    pub(super) fn join(&self, _: &mut Command) -> io::Result<()> {
        match *self {}
    }

    #[cfg(unix)]
    pub(super) fn start(&self, _: &mut Command) -> io::Result<Child> {
        match *self {}
    }
}
