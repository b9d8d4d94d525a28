//! What programs need that a host can keep from commands.

use crate::words::words;

/// What some programs need, and commands do not have where the host hides files from them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Access<'t> {
    /// The names of the programs. For `reads`, a subcommand can follow: `npm publish`.
    pub programs: &'t [&'t str],
    /// The rights that the programs need.
    pub rights: Option<Rights>,
    /// Whether the commands that the programs run have another user, another root folder or another machine, as those of `sudo`, `podman` and
    /// `ssh` do.
    pub runs_apart: bool,
    /// Files and folders that the programs may read where they are hidden from others: `~/.ssh`.
    pub reads: &'t [&'t str],
}

/// Rights that a program does not have in a namespace in which files are hidden from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Rights {
    /// Those of set-user-ID files and file capabilities. Root has them in any case.
    User,
    /// Those to mount and to make namespaces, which root does not have there, either.
    Mounts,
}

words! {
    Rights {
        User "user" "The rights of set-user-ID files. Root has them in any case."
        Mounts "mounts" "The rights to mount and to make namespaces. Root does not have them where files are hidden, either."
    }
}
