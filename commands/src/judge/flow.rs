//! How files connect the commands of a line. `sources` fills it in.

use std::collections::HashMap;

use crate::syntax::CommandId;

/// How the commands of a line are connected, besides by pipes.
#[derive(Debug, Default)]
pub(crate) struct Flow {
    /// The commands that write each file.
    pub(crate) writers: HashMap<String, Vec<CommandId>>,
    /// The commands that write the files which each command names.
    pub(crate) read_from: HashMap<CommandId, Vec<CommandId>>,
    /// The commands that each command runs.
    pub(crate) run: HashMap<CommandId, Vec<CommandId>>,
}
