//! Pseudo-terminals.

use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::process::Stdio;

use rustix::fs::{Mode, OFlags, open};
use rustix::io::{FdFlags, fcntl_setfd};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{LocalModes, SpecialCodeIndex, Winsize, tcgetattr, tcsetwinsize};

use crate::size::TerminalSize;

/// The side of a pseudo-terminal that shows what the program prints, and types what it reads.
#[derive(Debug)]
pub(crate) struct Terminal(OwnedFd);

/// The side of a pseudo-terminal that is the terminal of the program.
#[derive(Debug)]
pub(crate) struct TerminalOfProgram(OwnedFd);

impl Terminal {
    /// Opens a new pseudo-terminal.
    pub(crate) fn open(size: TerminalSize) -> io::Result<(Self, TerminalOfProgram)> {
        let terminal = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY)?;
        fcntl_setfd(&terminal, FdFlags::CLOEXEC)?;
        grantpt(&terminal)?;
        unlockpt(&terminal)?;
        let path = ptsname(&terminal, Vec::new())?;
        let program = open(path, OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC, Mode::empty())?;
        let terminal = Self(terminal);
        terminal.resize(size)?;
        Ok((terminal, TerminalOfProgram(program)))
    }

    pub(crate) fn resize(&self, size: TerminalSize) -> io::Result<()> {
        let TerminalSize { rows, columns } = size;
        Ok(tcsetwinsize(&self.0, Winsize { ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 })?)
    }

    /// Returns a file that reads what the program prints, and writes what it reads.
    pub(crate) fn file(&self) -> io::Result<File> {
        Ok(File::from(self.0.try_clone()?))
    }

    /// Returns the characters that end the input. `in_line` is whether a line has begun: if the terminal reads lines, the first
    /// Ctrl-D then only passes that line on.
    pub(crate) fn end_of_input(&self, in_line: bool) -> Vec<u8> {
        const CTRL_D: u8 = 4;
        match tcgetattr(&self.0) {
            Ok(settings) if settings.local_modes.contains(LocalModes::ICANON) => {
                vec![settings.special_codes[SpecialCodeIndex::VEOF]; if in_line { 2 } else { 1 }]
            }
            _ => vec![CTRL_D],
        }
    }
}

impl TerminalOfProgram {
    /// Returns a standard stream of the program.
    pub(crate) fn stream(&self) -> io::Result<Stdio> {
        Ok(self.0.try_clone()?.into())
    }

    pub(crate) fn into_descriptor(self) -> OwnedFd {
        self.0
    }
}
