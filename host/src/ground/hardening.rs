//! Protects the variables and the memory of this process, which contain keys, from other programs of the same user. Otherwise the
//! commands of a model could read `/proc/PID/environ` and `/proc/PID/mem`.
//!
//! Root can still read them. The protection also disables core dumps. It exists only on Linux.

/// Makes the kernel deny other programs of the same user access to this process.
#[cfg(target_os = "linux")]
pub(crate) fn hide_memory() {
    use rustix::process::{DumpableBehavior, set_dumpable_behavior};
    // The call cannot fail with this value.
    let _ = set_dumpable_behavior(DumpableBehavior::NotDumpable);
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn hide_memory() {}
