//! Detects that a disk is almost full.

use std::path::Path;

/// Less free space than this percentage of the file system is reported.
const MIN_PERCENT: u64 = 5;
/// Less free space than this number of bytes is reported.
const MIN_BYTES: u64 = 1_000_000_000;

/// The space of a file system in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct DiskSpace {
    pub(crate) total: u64,
    /// The space that the user can use.
    pub(crate) free: u64,
}

/// Returns the space of the file system of a directory, or `None` if it is unknown.
#[cfg(unix)]
pub(crate) fn space(directory: &Path) -> Option<DiskSpace> {
    let stat = rustix::fs::statvfs(directory).ok()?;
    let bytes = |blocks: u64| blocks.saturating_mul(stat.f_frsize);
    Some(DiskSpace { total: bytes(stat.f_blocks), free: bytes(stat.f_bavail) })
}

/// Returns the space of the file system of a directory: unknown on this system.
#[cfg(not(unix))]
pub(crate) fn space(_: &Path) -> Option<DiskSpace> {
    None
}

impl DiskSpace {
    /// Returns a note if little space is left.
    pub(crate) fn note(self) -> Option<String> {
        // A file system without blocks is not on a disk.
        let is_low = self.total > 0 && (self.free < MIN_BYTES || self.free < self.total / 100 * MIN_PERCENT);
        is_low.then(|| {
            let percent = self.free.saturating_mul(100) / self.total;
            format!(
                "the disk of the working directory is almost full: {} MB ({percent} %) are free",
                self.free / 1_000_000
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn little_space_is_noted() {
        const GB: u64 = 1_000_000_000;
        let note = |total, free| DiskSpace { total, free }.note();
        assert_eq!(note(100 * GB, 5 * GB), None);
        assert!(note(100 * GB, 5 * GB - 1).is_some());
        assert_eq!(note(10 * GB, GB), None);
        let low = note(10 * GB, GB - 1).expect("less than a gigabyte");
        assert!(low.ends_with("almost full: 999 MB (9 %) are free"), "{low}");
        assert_eq!(note(0, 0), None);
    }

    #[cfg(unix)]
    #[test]
    fn the_space_of_a_directory_is_known() {
        let space = space(Path::new("/")).expect("the root has a file system");
        assert!(space.total >= space.free && space.total > 0);
    }
}
