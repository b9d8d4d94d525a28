//! Wrappers that are common on Unix: a table for programs without one of their own.

use super::CodeShell::Any;
use super::{Program, ProgramTable, Rest, Runs};

/// Common wrappers, such as `sudo`, `env`, `xargs` and `find`.
pub static USUAL: ProgramTable<'_> = ProgramTable::new(&[
    ("caffeinate", &Program { value_options: &["-t", "-w"], runs: REST, ..Program::EMPTY }),
    ("catchsegv", &Program { value_options: &[], runs: REST, ..Program::EMPTY }),
    ("chronic", &Program { value_options: &[], runs: REST, ..Program::EMPTY }),
    ("chroot", &Program { value_options: &["--groups", "--userspec"], runs: AFTER_ONE, ..Program::EMPTY }),
    ("chrt", &Program { value_options: &["-D", "-P", "-T", "-p"], runs: AFTER_ONE, ..Program::EMPTY }),
    ("dbus-run-session", &Program { value_options: &["--config-file", "--dbus-daemon"], runs: REST, ..Program::EMPTY }),
    ("doas", &Program { value_options: &["-C", "-a", "-u"], runs: REST, ..Program::EMPTY }),
    ("eatmydata", &Program { value_options: &[], runs: REST, ..Program::EMPTY }),
    ("env", &ENV),
    ("fakeroot", &Program { value_options: &["-b", "-f", "-i", "-l", "-s"], runs: REST, ..Program::EMPTY }),
    ("faketime", &Program { value_options: &["-p"], runs: AFTER_ONE, ..Program::EMPTY }),
    ("find", &FIND),
    (
        "flock",
        &Program {
            value_options: &["-E", "-c", "-w", "--command", "--conflict-exit-code", "--timeout", "--wait"],
            runs: &[
                Runs::Rest(Rest { skip: 1, unless: &["-c", "--command"], ..Rest::PLAIN }),
                Runs::Code { options: &["-c", "--command"], shell: Any, first_operand: false },
            ],
            ..Program::EMPTY
        },
    ),
    ("gdb", &Program { value_options: &[], runs: &[Runs::Rest(Rest::PLAIN)], ..Program::EMPTY }),
    ("gfind", &FIND),
    ("gxargs", &XARGS),
    (
        "ionice",
        &Program {
            value_options: &["-c", "-n", "-p", "--class", "--classdata", "--pid"],
            runs: REST,
            ..Program::EMPTY
        },
    ),
    ("linux32", &Program { value_options: &[], runs: REST, ..Program::EMPTY }),
    ("linux64", &Program { value_options: &[], runs: REST, ..Program::EMPTY }),
    ("ltrace", &Program { value_options: &["-e", "-l", "-n", "-o", "-p", "-s", "-u"], runs: REST, ..Program::EMPTY }),
    ("nice", &Program { value_options: &["-n", "--adjustment"], runs: REST, ..Program::EMPTY }),
    ("nohup", &Program { value_options: &[], runs: REST, ..Program::EMPTY }),
    ("nsenter", &Program { value_options: &["-G", "-S", "-t", "--target"], runs: REST, ..Program::EMPTY }),
    ("numactl", &Program { value_options: &["-C", "-N", "-m"], runs: REST, ..Program::EMPTY }),
    ("pkexec", &Program { value_options: &["--user"], runs: REST, ..Program::EMPTY }),
    ("proxychains", &Program { value_options: &["-f"], runs: REST, ..Program::EMPTY }),
    ("rlwrap", &Program { value_options: &["-H", "-f"], runs: REST, ..Program::EMPTY }),
    ("runuser", &SU),
    (
        "script",
        &Program {
            value_options: &["-B", "-E", "-I", "-O", "-T", "-c", "-m", "-o", "--command"],
            runs: &[Runs::Code { options: &["-c", "--command"], shell: Any, first_operand: false }],
            ..Program::EMPTY
        },
    ),
    ("setarch", &Program { value_options: &[], runs: REST, ..Program::EMPTY }),
    ("setpriv", &Program { value_options: SETPRIV_OPTIONS, runs: REST, ..Program::EMPTY }),
    ("setsid", &Program { value_options: &[], runs: REST, ..Program::EMPTY }),
    (
        "ssh",
        &Program {
            value_options: &[
                "-B", "-b", "-c", "-D", "-E", "-e", "-F", "-I", "-i", "-J", "-L", "-l", "-m", "-O", "-o", "-p", "-Q",
                "-R", "-S", "-W", "-w",
            ],
            runs: &[Runs::Joined { skip: 1, shell: Any, unless: &[] }],
            ..Program::EMPTY
        },
    ),
    ("ssh-agent", &Program { value_options: &["-E", "-O", "-P", "-a", "-t"], runs: REST, ..Program::EMPTY }),
    (
        "stdbuf",
        &Program { value_options: &["-e", "-i", "-o", "--error", "--input", "--output"], runs: REST, ..Program::EMPTY },
    ),
    (
        "strace",
        &Program {
            value_options: &["-E", "-I", "-O", "-P", "-S", "-U", "-X", "-a", "-b", "-e", "-o", "-p", "-s", "-u"],
            runs: REST,
            ..Program::EMPTY
        },
    ),
    ("su", &SU),
    (
        "sudo",
        &Program {
            value_options: &[
                "-C",
                "-D",
                "-R",
                "-T",
                "-U",
                "-g",
                "-h",
                "-p",
                "-r",
                "-t",
                "-u",
                "--chdir",
                "--chroot",
                "--close-from",
                "--command-timeout",
                "--group",
                "--host",
                "--other-user",
                "--prompt",
                "--role",
                "--type",
                "--user",
            ],
            runs: &[Runs::Rest(Rest { assignments: true, ..Rest::PLAIN })],
            ..Program::EMPTY
        },
    ),
    ("systemd-run", &Program { value_options: SYSTEMD_RUN_OPTIONS, runs: REST, ..Program::EMPTY }),
    ("taskset", &Program { value_options: &["-p"], runs: AFTER_ONE, ..Program::EMPTY }),
    ("time", &Program { value_options: &["-f", "-o", "--format", "--output"], runs: REST, ..Program::EMPTY }),
    (
        "timeout",
        &Program { value_options: &["-k", "-s", "--kill-after", "--signal"], runs: AFTER_ONE, ..Program::EMPTY },
    ),
    ("torsocks", &Program { value_options: &[], runs: REST, ..Program::EMPTY }),
    ("unbuffer", &Program { value_options: &[], runs: REST, ..Program::EMPTY }),
    ("unshare", &Program { value_options: &["-R", "-S", "-G", "-w"], runs: REST, ..Program::EMPTY }),
    ("valgrind", &Program { value_options: &[], runs: REST, ..Program::EMPTY }),
    (
        "watch",
        &Program {
            value_options: &["-n", "-q", "--interval", "--equexit"],
            runs: &[Runs::Joined { skip: 0, shell: Any, unless: &["-x", "--exec"] }, WATCH_EXEC],
            ..Program::EMPTY
        },
    ),
    ("xargs", &XARGS),
]);

const SETPRIV_OPTIONS: &[&str] = &[
    "--ambient-caps",
    "--apparmor-profile",
    "--bounding-set",
    "--egid",
    "--euid",
    "--groups",
    "--inh-caps",
    "--pdeathsig",
    "--regid",
    "--reuid",
    "--rgid",
    "--ruid",
    "--securebits",
    "--selinux-label",
];
const SYSTEMD_RUN_OPTIONS: &[&str] = &[
    "-E",
    "-H",
    "-M",
    "-d",
    "-p",
    "-u",
    "--description",
    "--gid",
    "--host",
    "--machine",
    "--nice",
    "--on-active",
    "--on-boot",
    "--on-calendar",
    "--on-startup",
    "--property",
    "--service-type",
    "--setenv",
    "--slice",
    "--timer-property",
    "--uid",
    "--unit",
    "--working-directory",
];
const REST: &[Runs<'_>] = &[Runs::Rest(Rest::PLAIN)];
const AFTER_ONE: &[Runs<'_>] = &[Runs::Rest(Rest { skip: 1, ..Rest::PLAIN })];
/// With `-x`, `watch` runs its operands; without, they are code, and the first word is the program all the same.
const WATCH_EXEC: Runs<'_> = Runs::Rest(Rest::PLAIN);

static ENV: Program<'_> = Program {
    value_options: &["-C", "-P", "-S", "-a", "-u", "--argv0", "--chdir", "--split-string", "--unset"],
    runs: &[Runs::Rest(Rest { assignments: true, split: &["-S", "--split-string"], ..Rest::PLAIN })],
    ..Program::EMPTY
};
static FIND: Program<'_> = Program {
    value_options: &[],
    runs: &[Runs::Between { starts: &["-exec", "-execdir", "-ok", "-okdir"], ends: &[";", "+"], placeholder: "{}" }],
    ..Program::EMPTY
};
static SU: Program<'_> = Program {
    value_options: &["-c", "-g", "-G", "-s", "-u", "-w", "--command", "--group", "--shell", "--user"],
    runs: &[Runs::Code { options: &["-c", "--command"], shell: Any, first_operand: false }],
    ..Program::EMPTY
};
static XARGS: Program<'_> = Program {
    value_options: &[
        "-E",
        "-I",
        "-L",
        "-P",
        "-a",
        "-d",
        "-n",
        "-s",
        "-e?",
        "-i?",
        "-l?",
        "--arg-file",
        "--delimiter",
        "--eof?",
        "--max-args",
        "--max-chars",
        "--max-lines?",
        "--max-procs",
        "--process-slot-var",
        "--replace?",
    ],
    runs: &[Runs::Rest(Rest { appends: true, placeholder: &["-I", "--replace", "-i"], ..Rest::PLAIN })],
    ..Program::EMPTY
};
