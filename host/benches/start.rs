//! The time from starting the program to its first prompt in a terminal, in a git repository: the median of 20 starts, with the home folder
//! of a user who has a configuration and recorded conversations. The first start, which makes the files, is not counted.

#[cfg(target_os = "linux")]
fn main() {
    linux::main();
}

#[cfg(not(target_os = "linux"))]
fn main() {
    println!("skipped: it opens a terminal as Linux does");
}

#[cfg(target_os = "linux")]
mod linux {
    use std::fs::{self, File};
    use std::io::{Read as _, Write as _};
    use std::path::Path;
    use std::process::{Command, Stdio};
    use std::thread;
    use std::time::{Duration, Instant};

    use rustix::fs::{Mode, OFlags};
    use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

    const STARTS: usize = 20;
    /// The time between two starts. The guardian of a host that has ended looks through all processes of the machine, at the same time as
    /// the next start if there is no pause.
    const PAUSE: Duration = Duration::from_secs(1);
    /// What the program writes when it waits for the first message.
    const PROMPT: &[u8] = b"> ";
    /// The end of what it writes before.
    const GREETING: &[u8] = b"`/help`";

    pub(super) fn main() {
        let folder = tempfile::tempdir().expect("failed to make a folder");
        fs::write(folder.path().join("model"), "{\"text\":\"Hello.\"}\n").expect("failed to write");
        fs::create_dir(folder.path().join("home")).expect("failed to make a folder");
        fs::write(folder.path().join("home/config.toml"), "[agent]\nmax_iterations = 50\n").expect("failed to write");
        // Without git, its settings are not read.
        let _ = Command::new("git").args(["init", "-q"]).current_dir(folder.path()).status();
        let milliseconds = |time: Duration| time.as_secs_f64() * 1000.0;
        println!("the first start with a new home: {:.1} ms", milliseconds(start(folder.path(), "Hello\r")));
        for (name, pause) in [("with pauses", PAUSE), ("one after the other", Duration::ZERO)] {
            let one = |_| {
                thread::sleep(pause);
                start(folder.path(), "")
            };
            let mut times: Vec<Duration> = (0..STARTS).map(one).collect();
            times.sort();
            println!(
                "from the start to the first prompt, {name}: median {:.1} ms of {STARTS} starts (fastest {:.1} ms, slowest {:.1} ms)",
                milliseconds(times[STARTS / 2]),
                milliseconds(times[0]),
                milliseconds(times[STARTS - 1]),
            );
        }
    }

    /// Starts the chat, and returns the time until its prompt. Then types a message, and leaves.
    fn start(folder: &Path, message: &str) -> Duration {
        let person =
            openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).expect("failed to open a terminal");
        grantpt(&person).and_then(|()| unlockpt(&person)).expect("failed to unlock the terminal");
        let path = ptsname(&person, Vec::new()).expect("the terminal has a name");
        let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC;
        let terminal = rustix::fs::open(path, flags, Mode::empty()).expect("failed to open the terminal");
        let stream = || Stdio::from(terminal.try_clone().expect("failed to duplicate"));
        let mut command = Command::new(env!("CARGO_BIN_EXE_toolc"));
        command.args(["--model", "script:model"]).current_dir(folder).env("TERM", "xterm");
        command.env("TOOLC_HOME", folder.join("home")).stdin(stream()).stdout(stream()).stderr(stream());
        let mut person = File::from(person);

        let started = Instant::now();
        let mut child = command.spawn().expect("failed to start toolc");
        wait_for_prompt(&mut person, GREETING);
        let time = started.elapsed();
        if !message.is_empty() {
            person.write_all(message.as_bytes()).expect("failed to type");
            wait_for_prompt(&mut person, b"Hello.");
        }
        // Ctrl-D leaves.
        person.write_all(&[4]).expect("failed to type");
        drop(command);
        drop(terminal);
        // Until the program has closed the terminal.
        while let Ok(1..) = person.read(&mut [0; 4096]) {}
        assert!(child.wait().expect("failed to wait").success(), "the chat fails");
        time
    }

    /// Reads until the prompt that follows a text.
    fn wait_for_prompt(person: &mut File, text: &[u8]) {
        let (mut shown, mut bytes) = (Vec::<u8>::new(), [0; 4096]);
        loop {
            let length = person.read(&mut bytes).expect("the program runs");
            shown.extend(&bytes[..length]);
            let after = shown.windows(text.len()).position(|part| part == text);
            if after.is_some_and(|at| shown[at..].windows(PROMPT.len()).any(|part| part == PROMPT)) {
                return;
            }
        }
    }
}
