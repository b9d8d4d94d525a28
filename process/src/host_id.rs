//! The identity of a host of commands, by which another process can end what the host has left after its end.

use std::fmt;
use std::str::FromStr;

use crate::tree::HostMark;

/// Identifies a process as the host of commands: each of its commands, and every process that these start, carries this identity. A
/// host stores it as text, so that a later one can [end](Self::end_processes) what is left if the host and its guardian are killed.
///
/// Only 64-bit Linux has identities.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HostId(HostMark);

impl HostId {
    /// Returns the identity of this process, or `None` if the system has none.
    pub fn of_this_process() -> Option<Self> {
        HostMark::of_this_process().map(Self)
    }

    /// Ends the processes of a host that has ended: with SIGTERM, and those that are left a second later with SIGKILL. Returns whether
    /// there were any. The identity is a random number, so a process that happens to have the id of another one is safe.
    pub fn end_processes(self) -> bool {
        self.0.end_all()
    }
}

impl fmt::Display for HostId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.text())
    }
}

impl FromStr for HostId {
    type Err = InvalidHostId;

    fn from_str(text: &str) -> Result<Self, InvalidHostId> {
        HostMark::from_text(text).map(Self).ok_or(InvalidHostId)
    }
}

/// The error about a text that is no [`HostId`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InvalidHostId;

impl fmt::Display for InvalidHostId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("it is not the identity of a host of commands on this system")
    }
}

impl std::error::Error for InvalidHostId {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_identity_is_read_again_from_its_text() {
        let Some(id) = HostId::of_this_process() else {
            return toolc_test_support::skip("this system has no identities of hosts", "64-bit Linux");
        };
        assert_eq!(id.to_string().parse(), Ok(id));
        assert_eq!(HostId::of_this_process(), Some(id));
        for text in ["", "0", "x", "-1", "99999999999999999999999", "4096", "unlimited"] {
            assert_eq!(text.parse::<HostId>(), Err(InvalidHostId), "{text}");
        }
    }
}
