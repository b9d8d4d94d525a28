//! The server of OpenSSH for tests, which they start themselves.

use crate::debian::{self, Variables};

const PACKAGES: &[&str] = &["libwrap0", "openssh-server"];

/// Returns the environment variables of tests that use the server.
pub(crate) fn variables() -> Result<Variables, String> {
    let packages = debian::unpack("ssh-server", PACKAGES, "usr/sbin/sshd")?;
    let path = |path: std::path::PathBuf| path.display().to_string();
    Ok(vec![
        ("TOOLC_TEST_SSHD", path(packages.root.join("usr/sbin/sshd"))),
        ("LD_LIBRARY_PATH", path(packages.libraries())),
    ])
}
