//! `toolc completion`: completions of the command line for shells.

use std::process::ExitCode;

use clap::Args;
use clap_complete::Shell;

use crate::ground::ask;
use crate::ground::error::Result;

/// The arguments of `completion`.
#[derive(Debug, Args)]
pub(crate) struct CompletionArgs {
    /// The shell.
    shell: Shell,
}

impl CompletionArgs {
    /// Prints the completions of a command line.
    pub(crate) fn run(&self, mut command_line: clap::Command) -> Result<ExitCode> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut command_line, "toolc", &mut script);
        ask::print_bytes(&script).map(|()| ExitCode::SUCCESS)
    }
}
