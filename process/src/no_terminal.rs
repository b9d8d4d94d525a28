//! Replaces `terminal.rs` on systems other than Unix, where a program cannot run on a pseudo-terminal.

use std::convert::Infallible;
use std::fs::File;
use std::io;
use std::process::Stdio;

use crate::size::TerminalSize;

/// Has no value.
#[derive(Debug)]
pub(crate) struct Terminal(Infallible);

/// Has no value.
#[derive(Debug)]
pub(crate) struct TerminalOfProgram(Infallible);

impl Terminal {
    pub(crate) fn open(_: TerminalSize) -> io::Result<(Self, TerminalOfProgram)> {
        Err(io::Error::new(io::ErrorKind::Unsupported, "programs cannot run on a terminal on this system"))
    }

    pub(crate) fn resize(&self, _: TerminalSize) -> io::Result<()> {
        match self.0 {}
    }

    pub(crate) fn file(&self) -> io::Result<File> {
        match self.0 {}
    }

    pub(crate) fn end_of_input(&self, _: bool) -> Vec<u8> {
        match self.0 {}
    }
}

impl TerminalOfProgram {
    pub(crate) fn stream(&self) -> io::Result<Stdio> {
        match self.0 {}
    }
}
