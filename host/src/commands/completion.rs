//! `toolc completion`: completions of the command line for shells.

use std::fmt::Write as _;
use std::process::ExitCode;

use clap::{Arg, Args, Command};
use clap_complete::Shell;

use crate::ground::ask;
use crate::ground::error::Result;

/// The name of the program.
const PROGRAM: &str = "toolc";

/// The arguments of `completion`.
#[derive(Debug, Args)]
pub(crate) struct CompletionArgs {
    /// The shell.
    shell: Shell,
}

impl CompletionArgs {
    /// Prints the completions of a command line.
    pub(crate) fn run(&self, mut command_line: Command) -> Result<ExitCode> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut command_line, PROGRAM, &mut script);
        if self.shell == Shell::Fish {
            script.extend(fish_values(&command_line).into_bytes());
        }
        ask::print_bytes(&script).map(|()| ExitCode::SUCCESS)
    }
}

/// Returns completions for the values of positional arguments, such as the shells of `toolc completion`, which `clap_complete` leaves out
/// for fish.
fn fish_values(program: &Command) -> String {
    let mut lines = String::new();
    for command in program.get_subcommands() {
        for name in command.get_name_and_visible_aliases() {
            let is_used = format!("__fish_{PROGRAM}_using_subcommand {name}");
            add_values(&mut lines, &is_used, command);
            for below in command.get_subcommands() {
                add_values(
                    &mut lines,
                    &format!("{is_used}; and __fish_seen_subcommand_from {}", below.get_name()),
                    below,
                );
            }
        }
    }
    lines
}

/// Adds completions for the positional values of a command. `condition` is a fish condition that holds after the command was typed.
fn add_values(lines: &mut String, condition: &str, command: &Command) {
    let possible = command.get_positionals().flat_map(Arg::get_possible_values);
    let values: Vec<String> =
        possible.filter(|value| !value.is_hide_set()).map(|value| value.get_name().to_owned()).collect();
    if !values.is_empty() {
        let _ = writeln!(lines, "complete -c {PROGRAM} -n \"{condition}\" -f -a \"{}\"", values.join(" "));
    }
}
