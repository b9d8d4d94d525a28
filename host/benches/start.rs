//! The time from starting the program to its first prompt in a terminal, in a git repository: the median of 20 starts, with the home folder
//! of a user who has a configuration and recorded conversations, and the memory of the chat then. The first start, which makes the files, is not
//! counted. The last series has ten MCP servers.

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
    /// The number of MCP servers of the last series.
    const SERVERS: usize = 10;
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
        println!("the first start with a new home: {:.1} ms", milliseconds(start(folder.path(), "Hello\r").0));
        measure(folder.path(), "with pauses", PAUSE);
        measure(folder.path(), "one after the other", Duration::ZERO);
        let servers: String = (0..SERVERS).map(server).collect();
        fs::write(folder.path().join("home/config.toml"), servers).expect("failed to write");
        measure(folder.path(), &format!("with {SERVERS} MCP servers"), PAUSE);
    }

    /// Prints the times of starts, and the memory of the chat while it waits.
    fn measure(folder: &Path, name: &str, pause: Duration) {
        let one = |_| {
            thread::sleep(pause);
            start(folder, "")
        };
        let mut all: Vec<(Duration, Memory)> = (0..STARTS).map(one).collect();
        all.sort_by_key(|(time, _)| *time);
        let times: Vec<f64> = all.iter().map(|(time, _)| milliseconds(*time)).collect();
        println!(
            "from the start to the first prompt, {name}: median {:.1} ms of {STARTS} starts (fastest {:.1} ms, slowest {:.1} ms)",
            times[STARTS / 2],
            times[0],
            times[STARTS - 1],
        );
        let most = |memory: fn(&Memory) -> u64| all.iter().map(|(_, used)| memory(used)).max().unwrap_or_default();
        println!(
            "  memory at the prompt: {} KiB, {} KiB of it not from files",
            most(|used| used.all),
            most(|used| used.own)
        );
    }

    fn milliseconds(time: Duration) -> f64 {
        time.as_secs_f64() * 1000.0
    }

    /// Returns the table of an MCP server, which is scripted, and runs in Python.
    fn server(number: usize) -> String {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../mcp/tests/servers/fixture/server.py");
        format!("[mcp.servers.s{number}]\ncommand = \"python3\"\nargs = [\"-u\", \"{}\"]\n", script.display())
    }

    /// Starts the chat, and returns the time until its prompt, and its memory then. Then types a message, and leaves.
    fn start(folder: &Path, message: &str) -> (Duration, Memory) {
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
        let memory = Memory::of(child.id());
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
        (time, memory)
    }

    /// The resident memory of a process, in KiB.
    struct Memory {
        all: u64,
        /// The part that is not read from files, such as the program itself.
        own: u64,
    }

    impl Memory {
        fn of(process: u32) -> Self {
            let status = fs::read_to_string(format!("/proc/{process}/status")).expect("the process runs");
            let kib = |name: &str| {
                let line = status.lines().find_map(|line| line.strip_prefix(name)).expect("Linux reports it");
                line.trim().trim_end_matches(" kB").parse().expect("a number")
            };
            Self { all: kib("VmRSS:"), own: kib("RssAnon:") }
        }
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
