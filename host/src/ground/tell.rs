//! Messages on standard error. All of them go through here: names, paths and errors in them come from outside, and none of their characters may
//! control the terminal.

use std::fmt::Arguments;
use std::io::{self, Write as _};

use super::show;

/// Writes a text, in which every control character is visible. A failure has no other place where it could be reported.
pub(crate) fn write(text: Arguments<'_>) {
    let _ = io::stderr().lock().write_all(show::visible(&text.to_string()).as_bytes());
}

/// Writes a line to standard error, like `eprintln!`.
macro_rules! tell {
    () => {
        $crate::ground::tell::write(format_args!("\n"))
    };
    ($($part:tt)+) => {
        $crate::ground::tell::write(format_args!("{}\n", format_args!($($part)+)))
    };
}

/// Writes a part of a line to standard error, like `eprint!`.
macro_rules! tell_part {
    ($($part:tt)+) => {
        $crate::ground::tell::write(format_args!($($part)+))
    };
}

pub(crate) use {tell, tell_part};
