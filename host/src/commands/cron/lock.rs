//! The lock of the runner, by which the next one on this machine knows that it has ended, also if it was killed. Without it, the next one
//! would wait until the lease expires.

use std::fs::{self, File, OpenOptions};
use std::io::{Read as _, Seek as _, Write as _};

use toolc_config::Home;

/// The name of the file in the folder of jobs.
const FILE: &str = "runner.lock";
/// What identifies this machine, since its start. A lock holds among the processes of one kernel: on a network file system, another machine
/// may get it as well.
const BOOT_ID: &str = "/proc/sys/kernel/random/boot_id";
/// The maximum length of the file.
const MAX_BYTES: u64 = 1000;

/// A lock that this process holds until its end.
pub(super) struct RunnerLock {
    _file: File,
}

impl RunnerLock {
    /// Takes the lock for the runner with this name, and returns it with the name of the last runner of this machine that had it. That one
    /// has ended. `None` if another process holds it, or there is no such lock here: then only the lease counts.
    pub(super) fn take(home: &Home, name: &str) -> Option<(Self, Option<String>)> {
        let machine = fs::read_to_string(BOOT_ID).ok()?;
        let machine = machine.trim();
        home.create(&home.cron()).ok()?;
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(home.cron().join(FILE)).ok()?;
        file.try_lock().ok()?;
        let mut text = String::new();
        let is_read = (&file).take(MAX_BYTES).read_to_string(&mut text).is_ok();
        let ended = text.trim_end().split_once(' ').filter(|(of, _)| is_read && *of == machine);
        let ended = ended.map(|(_, name)| name.to_owned());
        file.set_len(0).and_then(|()| file.rewind()).ok()?;
        file.write_all(format!("{machine} {name}\n").as_bytes()).ok()?;
        Some((Self { _file: file }, ended))
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::thread;
    use std::time::{Duration, Instant};

    use super::*;

    /// Takes a lock that is free. A process that another test starts can have it for a moment, until its program begins.
    fn take(home: &Home, name: &str) -> (RunnerLock, Option<String>) {
        let started = Instant::now();
        loop {
            if let Some(taken) = RunnerLock::take(home, name) {
                return taken;
            }
            assert!(started.elapsed() < Duration::from_secs(20), "another process holds it");
            thread::sleep(Duration::from_millis(5));
        }
    }

    #[test]
    fn the_next_runner_learns_which_one_has_ended_on_this_machine() {
        let folder = tempfile::tempdir().expect("failed to make a folder");
        let home = Home::at(folder.path());
        let (first, ended) = take(&home, "first");
        assert_eq!(ended, None);
        assert!(RunnerLock::take(&home, "second").is_none());
        drop(first);
        let (second, ended) = take(&home, "second");
        assert_eq!(ended.as_deref(), Some("first"));
        drop(second);
        // Another machine, which shares the home, or one before its last start.
        for text in ["00000000-0000-0000-0000-000000000000 other\n", "damaged", "\n", ""] {
            fs::write(home.cron().join(FILE), text).expect("failed to write");
            assert_eq!(take(&home, "third").1, None, "{text}");
        }
    }
}
