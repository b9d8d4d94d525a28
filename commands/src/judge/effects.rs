//! What scripts do, as rules see it.

use crate::syntax::Word;

/// What the script of a command does, with its files as words.
#[derive(Debug, Default)]
pub(crate) struct ScriptEffects {
    /// Whether it runs commands.
    pub(crate) runs: bool,
    /// Whether a statement or a command of the script is unknown, or it writes more files than are listed.
    pub(crate) unknown: bool,
    /// The files that it writes.
    pub(crate) writes: Vec<Word>,
    /// The files that it reads.
    pub(crate) reads: Vec<Word>,
}
