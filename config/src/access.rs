//! Checks by owner and mode that no other user can change or read a file of this user.

use std::io;
use std::path::Path;

/// Fails if another user can change a file, or the entries of a folder. A path that does not exist is accepted.
///
/// Root is accepted as the owner, and so is a group that has only the owner: by convention, its id is the id of the owner.
///
/// # Errors
/// If another user can change it, or its metadata cannot be read. The message says what to do.
#[cfg(unix)]
pub fn check_writers(path: &Path) -> io::Result<()> {
    check(path, 0o022, 0o020, "change it", "chmod go-w")
}

/// Fails if another user can read or change a file with secrets. A path that does not exist is accepted.
///
/// # Errors
/// If another user can read or change it, or its metadata cannot be read. The message says what to do.
#[cfg(unix)]
pub fn check_readers(path: &Path) -> io::Result<()> {
    check(path, 0o077, 0, "read or change it", "chmod 600")
}

/// Fails if the mode has one of the bits `refused`, of which `own_group` are accepted if the group has only the owner. `could` says what
/// other users could do, and `command` prevents it.
#[cfg(unix)]
fn check(path: &Path, refused: u32, own_group: u32, could: &str, command: &str) -> io::Result<()> {
    use std::os::unix::fs::MetadataExt as _;

    let meta = match path.metadata() {
        Ok(meta) => meta,
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => return Ok(()),
        Err(error) => return Err(error),
    };
    let (path, owner, mode) = (path.display(), meta.uid(), meta.mode() & 0o777);
    let failed = |reason: String| Err(io::Error::new(io::ErrorKind::PermissionDenied, reason));
    if owner != 0 && owner != rustix::process::geteuid().as_raw() {
        return failed(format!(
            "it belongs to another user (id {owner}): if you trust its content, run `sudo chown \"$(id -u)\" '{path}'`"
        ));
    }
    let accepted = if meta.gid() == owner { own_group } else { 0 };
    if mode & refused & !accepted != 0 {
        return failed(format!("other users can {could} (its mode is {mode:04o}): run `{command} '{path}'`"));
    }
    Ok(())
}

/// Files have no such mode here.
///
/// # Errors
/// Never.
#[cfg(not(unix))]
pub fn check_writers(_: &Path) -> io::Result<()> {
    Ok(())
}

/// Files have no such mode here.
///
/// # Errors
/// Never.
#[cfg(not(unix))]
pub fn check_readers(_: &Path) -> io::Result<()> {
    Ok(())
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs;
    use std::os::unix::fs::{PermissionsExt as _, chown};

    use super::*;

    #[test]
    fn a_file_that_others_can_change_or_read_is_refused() {
        let folder = tempfile::tempdir().expect("failed to create a folder");
        let file = folder.path().join("file");
        fs::write(&file, "").expect("failed to write");
        let own_group = fs::metadata(&file).is_ok_and(|meta| {
            use std::os::unix::fs::MetadataExt as _;
            meta.gid() == meta.uid()
        });
        // A mode, whether others can change the file, and whether they can read it. The bits of the group are in the middle.
        let cases = [
            (0o600, false, false),
            (0o640, false, true),
            (0o606, true, true),
            (0o602, true, true),
            (0o601, false, true),
        ];
        for (mode, can_change, can_read) in cases {
            fs::set_permissions(&file, fs::Permissions::from_mode(mode)).expect("failed to set the mode");
            assert_eq!(check_writers(&file).is_err(), can_change, "{mode:o}");
            assert_eq!(check_readers(&file).is_err(), can_read, "{mode:o}");
        }
        fs::set_permissions(&file, fs::Permissions::from_mode(0o660)).expect("failed to set the mode");
        assert_eq!(check_writers(&file).is_ok(), own_group, "a group with only the owner");
        assert!(check_writers(&folder.path().join("missing")).is_ok());
    }

    #[test]
    fn a_file_of_another_user_is_refused() {
        let file = tempfile::NamedTempFile::new().expect("failed to create a file");
        // Only root can give a file away.
        if chown(file.path(), Some(12_345), None).is_ok() {
            let error = check_writers(file.path()).expect_err("it belongs to another user").to_string();
            assert!(error.contains("belongs to another user (id 12345)") && error.contains("chown"), "{error}");
        }
    }
}
