//! The terminal of this process.

#[cfg(unix)]
pub(crate) use unix::size;

/// The numbers of columns and rows if the terminal does not report them.
const DEFAULT_SIZE: (u16, u16) = (80, 24);

#[cfg(unix)]
mod unix {
    use std::os::fd::AsFd;

    use super::DEFAULT_SIZE;

    /// Returns the numbers of columns and rows of a terminal.
    pub(crate) fn size(terminal: impl AsFd) -> (u16, u16) {
        match rustix::termios::tcgetwinsize(terminal) {
            Ok(size) if size.ws_col > 0 && size.ws_row > 0 => (size.ws_col, size.ws_row),
            _ => DEFAULT_SIZE,
        }
    }
}

/// Returns the number of columns of a terminal.
#[cfg(unix)]
pub(crate) fn columns(terminal: impl std::os::fd::AsFd) -> u16 {
    size(terminal).0
}

/// Returns the default numbers of columns and rows.
#[cfg(not(unix))]
pub(crate) fn size<T>(_: T) -> (u16, u16) {
    DEFAULT_SIZE
}

/// Returns the default number of columns.
#[cfg(not(unix))]
pub(crate) fn columns<T>(_: T) -> u16 {
    DEFAULT_SIZE.0
}
