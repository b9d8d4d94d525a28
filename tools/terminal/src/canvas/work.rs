//! Counts the steps of a canvas in tests: characters, lines and pieces of lines that are written, moved or dropped.

#[cfg(test)]
thread_local! {
    static STEPS: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

#[cfg(test)]
pub(super) fn add(steps: usize) {
    STEPS.set(STEPS.get() + steps);
}

#[cfg(not(test))]
pub(super) fn add(_: usize) {}

/// Returns the steps since the last call.
#[cfg(test)]
pub(super) fn take() -> usize {
    STEPS.replace(0)
}
