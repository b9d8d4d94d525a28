//! From scripts to a [`Reading`]: opens wrappers and code.

use crate::programs::{ProgramTable, SHELL};
use crate::reading::{Reading, Surroundings};

/// Lists every command that could run when a shell runs `line`.
pub(crate) fn unfold(_line: &str, _programs: &ProgramTable<'_>, _surroundings: &Surroundings<'_>) -> Reading {
    let _ = SHELL.get("eval");
    Reading::default()
}
