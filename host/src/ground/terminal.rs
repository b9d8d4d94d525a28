//! The terminal of this process.

#[cfg(unix)]
pub(crate) use unix::columns;

/// The number of columns if the terminal does not report it.
const DEFAULT_COLUMNS: u16 = 80;

#[cfg(unix)]
mod unix {
    use std::os::fd::AsFd;

    use super::DEFAULT_COLUMNS;

    /// Returns the number of columns of a terminal.
    pub(crate) fn columns(terminal: impl AsFd) -> u16 {
        match rustix::termios::tcgetwinsize(terminal) {
            Ok(size) if size.ws_col > 0 => size.ws_col,
            _ => DEFAULT_COLUMNS,
        }
    }
}

/// Returns the default number of columns.
#[cfg(not(unix))]
pub(crate) fn columns<T>(_: T) -> u16 {
    DEFAULT_COLUMNS
}
