//! Wrappers that are common on Unix: a table for programs without one of their own.

use super::CodeShell::Any;
use super::{Program, ProgramTable, Rest, Runs};

/// Common wrappers, such as `sudo`, `env`, `xargs` and `find`.
pub static USUAL: ProgramTable<'_> = ProgramTable::new(&[
    ("caffeinate", &Program { name: "", writes: &[], value_options: &["-t", "-w"], runs: REST }),
    ("catchsegv", &Program { name: "", writes: &[], value_options: &[], runs: REST }),
    ("chroot", &Program { name: "", writes: &[], value_options: &["--groups", "--userspec"], runs: AFTER_ONE }),
    ("chrt", &Program { name: "", writes: &[], value_options: &["-D", "-P", "-T", "-p"], runs: AFTER_ONE }),
    ("doas", &Program { name: "", writes: &[], value_options: &["-C", "-a", "-u"], runs: REST }),
    ("env", &ENV),
    ("fakeroot", &Program { name: "", writes: &[], value_options: &["-b", "-f", "-i", "-l", "-s"], runs: REST }),
    ("find", &FIND),
    (
        "flock",
        &Program {
            name: "",
            writes: &[],
            value_options: &["-E", "-c", "-w", "--command", "--conflict-exit-code", "--timeout", "--wait"],
            runs: &[
                Runs::Rest(Rest { skip: 1, unless: &["-c", "--command"], ..Rest::PLAIN }),
                Runs::Code { options: &["-c", "--command"], shell: Any, first_operand: false },
            ],
        },
    ),
    ("gdb", &Program { name: "", writes: &[], value_options: &[], runs: &[Runs::Rest(Rest::PLAIN)] }),
    ("gfind", &FIND),
    ("gxargs", &XARGS),
    (
        "ionice",
        &Program {
            name: "",
            writes: &[],
            value_options: &["-c", "-n", "-p", "--class", "--classdata", "--pid"],
            runs: REST,
        },
    ),
    ("linux32", &Program { name: "", writes: &[], value_options: &[], runs: REST }),
    ("linux64", &Program { name: "", writes: &[], value_options: &[], runs: REST }),
    (
        "ltrace",
        &Program { name: "", writes: &[], value_options: &["-e", "-l", "-n", "-o", "-p", "-s", "-u"], runs: REST },
    ),
    ("nice", &Program { name: "", writes: &[], value_options: &["-n", "--adjustment"], runs: REST }),
    ("nohup", &Program { name: "", writes: &[], value_options: &[], runs: REST }),
    ("nsenter", &Program { name: "", writes: &[], value_options: &["-G", "-S", "-t", "--target"], runs: REST }),
    ("numactl", &Program { name: "", writes: &[], value_options: &["-C", "-N", "-m"], runs: REST }),
    ("pkexec", &Program { name: "", writes: &[], value_options: &["--user"], runs: REST }),
    ("proxychains", &Program { name: "", writes: &[], value_options: &["-f"], runs: REST }),
    ("rlwrap", &Program { name: "", writes: &[], value_options: &["-H", "-f"], runs: REST }),
    ("runuser", &SU),
    (
        "script",
        &Program {
            name: "",
            writes: &[],
            value_options: &["-B", "-E", "-I", "-O", "-T", "-c", "-m", "-o", "--command"],
            runs: &[Runs::Code { options: &["-c", "--command"], shell: Any, first_operand: false }],
        },
    ),
    ("setarch", &Program { name: "", writes: &[], value_options: &[], runs: REST }),
    ("setpriv", &Program { name: "", writes: &[], value_options: &["--reuid", "--regid", "--groups"], runs: REST }),
    ("setsid", &Program { name: "", writes: &[], value_options: &[], runs: REST }),
    (
        "ssh",
        &Program {
            name: "",
            writes: &[],
            value_options: &[
                "-B", "-b", "-c", "-D", "-E", "-e", "-F", "-I", "-i", "-J", "-L", "-l", "-m", "-O", "-o", "-p", "-Q",
                "-R", "-S", "-W", "-w",
            ],
            runs: &[Runs::Joined { skip: 1, shell: Any, unless: &[] }],
        },
    ),
    (
        "stdbuf",
        &Program {
            name: "",
            writes: &[],
            value_options: &["-e", "-i", "-o", "--error", "--input", "--output"],
            runs: REST,
        },
    ),
    (
        "strace",
        &Program {
            name: "",
            writes: &[],
            value_options: &["-E", "-P", "-S", "-a", "-b", "-e", "-o", "-p", "-s", "-u"],
            runs: REST,
        },
    ),
    ("su", &SU),
    (
        "sudo",
        &Program {
            name: "",
            writes: &[],
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
        },
    ),
    (
        "systemd-run",
        &Program {
            name: "",
            writes: &[],
            value_options: &["-E", "-H", "-M", "-p", "-u", "--unit", "--property"],
            runs: REST,
        },
    ),
    ("taskset", &Program { name: "", writes: &[], value_options: &["-p"], runs: AFTER_ONE }),
    ("time", &Program { name: "", writes: &[], value_options: &["-f", "-o", "--format", "--output"], runs: REST }),
    (
        "timeout",
        &Program { name: "", writes: &[], value_options: &["-k", "-s", "--kill-after", "--signal"], runs: AFTER_ONE },
    ),
    ("torsocks", &Program { name: "", writes: &[], value_options: &[], runs: REST }),
    ("unbuffer", &Program { name: "", writes: &[], value_options: &[], runs: REST }),
    ("unshare", &Program { name: "", writes: &[], value_options: &["-R", "-S", "-G", "-w"], runs: REST }),
    ("valgrind", &Program { name: "", writes: &[], value_options: &[], runs: REST }),
    (
        "watch",
        &Program {
            name: "",
            writes: &[],
            value_options: &["-n", "-q", "--interval", "--equexit"],
            runs: &[Runs::Joined { skip: 0, shell: Any, unless: &["-x", "--exec"] }, WATCH_EXEC],
        },
    ),
    ("xargs", &XARGS),
]);

const REST: &[Runs<'_>] = &[Runs::Rest(Rest::PLAIN)];
const AFTER_ONE: &[Runs<'_>] = &[Runs::Rest(Rest { skip: 1, ..Rest::PLAIN })];
/// With `-x`, `watch` runs its operands; without, they are code, and the first word is the program all the same.
const WATCH_EXEC: Runs<'_> = Runs::Rest(Rest::PLAIN);

static ENV: Program<'_> = Program {
    name: "",
    writes: &[],
    value_options: &["-C", "-P", "-S", "-u", "--chdir", "--split-string", "--unset"],
    runs: &[Runs::Rest(Rest { assignments: true, split: &["-S", "--split-string"], ..Rest::PLAIN })],
};
static FIND: Program<'_> = Program {
    name: "",
    writes: &[],
    value_options: &[],
    runs: &[Runs::Between { starts: &["-exec", "-execdir", "-ok", "-okdir"], ends: &[";", "+"], placeholder: "{}" }],
};
static SU: Program<'_> = Program {
    name: "",
    writes: &[],
    value_options: &["-c", "-g", "-G", "-s", "-u", "-w", "--command", "--group", "--shell", "--user"],
    runs: &[Runs::Code { options: &["-c", "--command"], shell: Any, first_operand: false }],
};
static XARGS: Program<'_> = Program {
    name: "",
    writes: &[],
    value_options: &[
        "-E",
        "-I",
        "-L",
        "-P",
        "-a",
        "-d",
        "-n",
        "-s",
        "--arg-file",
        "--delimiter",
        "--max-args",
        "--max-chars",
        "--max-lines",
        "--max-procs",
        "--replace",
    ],
    runs: &[Runs::Rest(Rest { appends: true, placeholder: &["-I", "--replace", "-i"], ..Rest::PLAIN })],
};
