//! Keeps the variables and the memory of this process, in which keys are, from other programs of the same user: above all from the
//! commands of a model, which could otherwise read `/proc/PID/environ` and `/proc/PID/mem`.
//!
//! Root can read them nevertheless. On other systems than Linux, nothing is done here.
//!
//! This also ends core dumps.

/// Makes the kernel refuse to open this process to programs of the same user.
#[cfg(target_os = "linux")]
pub(crate) fn hide_memory() {
    use rustix::process::{DumpableBehavior, set_dumpable_behavior};
    // The call fails for no process.
    let _ = set_dumpable_behavior(DumpableBehavior::NotDumpable);
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn hide_memory() {}
