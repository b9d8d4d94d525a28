//! Remembers servers that began only with the handshake after `server/discover` had cost time: they did not answer it, or ended. The next
//! start begins with the handshake.

use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::file;
use crate::pins::identity;
use crate::settings::Server;

/// The maximum number of bytes of a file.
const MAX_BYTES: u64 = 1 << 20;
/// The time after which a server is asked again, because it may have learned the stateless protocol.
const AGE: Duration = Duration::from_hours(7 * 24);

/// What a file contains.
#[derive(Debug, Serialize, Deserialize)]
struct Known {
    /// What the server was started with.
    server: Value,
    /// When it was asked, in seconds since 1970.
    asked: u64,
}

/// Returns whether the server is known to begin only with the handshake.
pub(crate) fn needs_handshake(server: &Server) -> bool {
    let Some(path) = path(server) else { return false };
    let Ok(Some(bytes)) = file::read(path, MAX_BYTES) else { return false };
    let known = serde_json::from_slice::<Known>(&bytes);
    known.is_ok_and(|known| {
        let age = now().checked_sub(Duration::from_secs(known.asked));
        known.server == identity(server) && age.is_some_and(|age| age < AGE)
    })
}

/// Remembers that the server begins only with the handshake. If that fails, the next start costs time again.
pub(crate) fn remember(server: &Server) {
    if let Some(path) = path(server) {
        let _ = file::write(path, &Known { server: identity(server), asked: now().as_secs() });
    }
}

/// Forgets what is known about a server.
pub(crate) fn forget(server: &Server) {
    if let Some(path) = path(server) {
        let _ = std::fs::remove_file(path);
    }
}

fn path(server: &Server) -> Option<&Path> {
    Some(server.protocol_file.as_path()).filter(|path| !path.as_os_str().is_empty())
}

fn now() -> Duration {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::tests::program;

    fn server(folder: &Path, command: &str) -> Server {
        Server { protocol_file: folder.join("protocol.json"), ..program(command) }
    }

    #[test]
    fn what_is_known_is_of_the_same_server_and_not_old() {
        let folder = tempfile::tempdir().expect("failed to make a folder");
        let (same, other) = (server(folder.path(), "a"), server(folder.path(), "b"));
        assert!(!needs_handshake(&same));
        remember(&same);
        assert!(needs_handshake(&same) && !needs_handshake(&other));
        forget(&same);
        assert!(!needs_handshake(&same));
        let day = 24 * 60 * 60;
        for (asked, is_known) in
            [(now().as_secs() - 6 * day, true), (now().as_secs() - 8 * day, false), (u64::MAX, false)]
        {
            let known = Known { server: identity(&same), asked };
            file::write(&same.protocol_file, &known).expect("failed to write");
            assert_eq!(needs_handshake(&same), is_known, "{asked}");
        }
        std::fs::write(&same.protocol_file, "{").expect("failed to write");
        assert!(!needs_handshake(&same), "a file that cannot be read says nothing");
        let nowhere = Server { protocol_file: std::path::PathBuf::new(), ..same };
        remember(&nowhere);
        assert!(!needs_handshake(&nowhere));
    }
}
