//! Parses the output of `stat`: the mode in hexadecimal digits, the length, the time in seconds, the user, the group, the device, the
//! inode, and the time as text, which contains the fraction of the second.

use std::io;

use super::script::unexpected;
use crate::files::{FileIdentity, FileKind, Metadata, Permissions, Version};

const NANOSECONDS: i128 = 1_000_000_000;

/// Parses a line of `stat`.
pub(super) fn parse(line: &[u8]) -> io::Result<Metadata> {
    let text = String::from_utf8_lossy(line);
    let words: Vec<&str> = text.split_whitespace().collect();
    let [mode, len, seconds, user, group, device, inode, _date, time, ..] = *words else { return Err(unexpected()) };
    let failed = |_| unexpected();
    let mode = u32::from_str_radix(mode, 16).map_err(failed)?;
    let seconds: i128 = seconds.parse().map_err(failed)?;
    let fraction: u32 = time.split_once('.').map_or(Ok(0), |(_, digits)| digits.parse()).map_err(failed)?;
    let modified = seconds * NANOSECONDS + i128::from(fraction);
    let version = Version { len: len.parse().map_err(failed)?, modified: Some(modified) };
    let permissions =
        Permissions { mode: mode & 0o7777, user: user.parse().map_err(failed)?, group: group.parse().map_err(failed)? };
    let identity = FileIdentity { device: device.parse().map_err(failed)?, inode: inode.parse().map_err(failed)? };
    Ok(Metadata { kind: kind(mode), version, permissions, identity: Some(identity) })
}

/// Returns a version in the form that the function `version` of the scripts writes.
pub(super) fn text(version: Version) -> String {
    let modified = version.modified.unwrap_or_default();
    format!("{} {} {:09}", version.len, modified.div_euclid(NANOSECONDS), modified.rem_euclid(NANOSECONDS))
}

/// Returns the kind of a file by its mode. All systems use the same bits.
fn kind(mode: u32) -> FileKind {
    match mode >> 12 {
        0o10 => FileKind::Regular,
        0o4 => FileKind::Folder,
        0o12 => FileKind::Link,
        0o1 => FileKind::Pipe,
        0o14 => FileKind::Socket,
        0o2 | 0o6 => FileKind::Device,
        _ => FileKind::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_stat_is_read() {
        let found = parse(b"81ed 12 1700000000 0 5 42 77 2023-11-14 22:13:20.000000789 +0000\n").unwrap();
        assert_eq!(found.kind, FileKind::Regular);
        assert_eq!(found.permissions, Permissions { mode: 0o755, user: 0, group: 5 });
        assert_eq!(found.identity, Some(FileIdentity { device: 42, inode: 77 }));
        assert_eq!(text(found.version), "12 1700000000 000000789");
        let without_fraction = parse(b"41ed 0 5 0 0 1 2 1970-01-01 00:00:05 +0000").unwrap();
        assert_eq!((without_fraction.kind, text(without_fraction.version)), (FileKind::Folder, "0 5 000000000".into()));
        for damaged in ["", "81ed 12", "xyz 1 1 1 1 1 1 a b", "81ed -1 1 1 1 1 1 a b", "81ed 1 1 1 1 1 x a b"] {
            assert!(parse(damaged.as_bytes()).is_err(), "{damaged}");
        }
    }
}
