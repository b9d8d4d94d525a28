//! The lock of the runner. It shows the next runner on this machine that this one has ended, even if it was killed. Without the lock, the
//! next runner would wait until the lease expires.

use std::fs::{self, File, OpenOptions};
use std::io::{Read as _, Seek as _, Write as _};

use toolc_config::Home;

/// The name of the file in the folder of jobs.
const FILE: &str = "runner.lock";
/// The id of this machine since its last boot. A lock only excludes processes of the same kernel: on a network file system, another
/// machine may take the lock as well.
const BOOT_ID: &str = "/proc/sys/kernel/random/boot_id";
/// The maximum size of the file, in bytes.
const MAX_BYTES: u64 = 1000;

/// The lock, which this process holds until its end.
pub(super) struct RunnerLock {
    _file: File,
}

impl RunnerLock {
    /// Takes the lock for the runner with this name. Also returns the name of the previous runner of this machine, which has ended. Returns
    /// `None` if another process holds the lock, or this system does not support it. In the second case, only the lease excludes other runners.
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
        let previous = text.trim_end().split_once(' ').filter(|(id, _)| is_read && *id == machine);
        let previous = previous.map(|(_, name)| name.to_owned());
        file.set_len(0).and_then(|()| file.rewind()).ok()?;
        file.write_all(format!("{machine} {name}\n").as_bytes()).ok()?;
        Some((Self { _file: file }, previous))
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::thread;
    use std::time::{Duration, Instant};

    use super::*;

    /// Takes a free lock, and tries again for a while: a process that another test starts inherits the file until its program begins.
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
    fn the_next_runner_gets_the_name_of_the_previous_one_on_this_machine() {
        let folder = tempfile::tempdir().expect("failed to make a folder");
        let home = Home::at(folder.path());
        let (first, previous) = take(&home, "first");
        assert_eq!(previous, None);
        assert!(RunnerLock::take(&home, "second").is_none());
        drop(first);
        let (second, previous) = take(&home, "second");
        assert_eq!(previous.as_deref(), Some("first"));
        drop(second);
        // The id of another machine that shares the home, and damaged files.
        for text in ["00000000-0000-0000-0000-000000000000 other\n", "damaged", "\n", ""] {
            fs::write(home.cron().join(FILE), text).expect("failed to write");
            assert_eq!(take(&home, "third").1, None, "{text}");
        }
    }
}
