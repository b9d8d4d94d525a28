//! Names of signals.

use toolc_environment::Exit;

/// Returns the name of the signal that ended a program.
pub(crate) fn signal_of(exit: Exit) -> Option<String> {
    match exit {
        Exit::Signal(number) => Some(name(number)),
        Exit::Code(_) => None,
    }
}

/// Returns the name of a signal.
pub(crate) fn name(number: i32) -> String {
    let name = match number {
        1 => "SIGHUP",
        2 => "SIGINT",
        3 => "SIGQUIT",
        4 => "SIGILL",
        6 => "SIGABRT",
        8 => "SIGFPE",
        9 => "SIGKILL",
        11 => "SIGSEGV",
        13 => "SIGPIPE",
        15 => "SIGTERM",
        _ => return format!("signal {number}"),
    };
    name.to_owned()
}
