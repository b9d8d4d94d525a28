//! How files connect the commands of a line. `sources` fills it in.

use std::collections::HashMap;

use crate::judge::components::PathWord;
use crate::span::Span;
use crate::syntax::CommandId;

/// A command that unpacks an archive into a folder.
#[derive(Debug)]
pub(crate) struct Unpacker {
    pub(crate) command: CommandId,
    /// The path of the folder.
    pub(crate) folder: String,
    /// Whether the command names the folder. Otherwise, it is the working directory, which usually has other files, too.
    pub(crate) is_named: bool,
}

/// How the commands of a line are connected, besides by pipes.
#[derive(Debug, Default)]
pub(crate) struct Flow {
    /// The commands that write each file.
    pub(crate) writers: HashMap<String, Vec<CommandId>>,
    /// The commands that unpack archives.
    pub(crate) unpackers: Vec<Unpacker>,
    /// The commands that write the files which each command names.
    pub(crate) read_from: HashMap<CommandId, Vec<CommandId>>,
    /// The commands that each command runs.
    pub(crate) run: HashMap<CommandId, Vec<CommandId>>,
}

/// A link that the line makes. `links` finds them.
#[derive(Debug)]
pub(crate) struct Link {
    pub(crate) path: PathWord,
    pub(crate) target: PathWord,
    /// The command that makes the link.
    pub(crate) made_by: Span,
}
