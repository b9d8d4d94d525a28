//! Wrappers that are common on Unix: a table for programs without one of their own. It has the programs of
//! `manifests/commands/programs.toml` that run others; a test compares them, and writes this file anew.

use super::CodeShell::{Any, Bash, Foreign};
use super::{Program, ProgramTable, Rest, Runs, Session, Writes};

/// Common wrappers, such as `sudo`, `env`, `xargs` and `find`.
#[rustfmt::skip]
pub static USUAL: ProgramTable<'_> = ProgramTable::new(&[
    ("R", &Program {
        value_options: &["-e", "-f", "--file"],
        runs: &[Runs::File { after: &[], options: &["-f", "--file"], unless: &[] }],
        ..Program::EMPTY
    }),
    ("Rscript", &Program {
        value_options: &["-e", "--default-packages"],
        runs: &[Runs::File { after: &[], options: &[], unless: &["-e"] }],
        ..Program::EMPTY
    }),
    ("aa-exec", &Program {
        value_options: &["-n", "-p", "--namespace", "--profile"],
        runs: &[
            Runs::Rest(Rest::PLAIN),
            Runs::Session(Session { after: &[], skip: 0, with: &[], unless: &[], shell: Any }),
        ],
        ..Program::EMPTY
    }),
    ("abduco", &Program {
        value_options: &["-e"],
        runs: &[Runs::Rest(Rest { skip: 1, ..Rest::PLAIN })],
        ..Program::EMPTY
    }),
    ("adb", &Program {
        value_options: &["-H", "-L", "-P", "-s", "-t"],
        runs: &[
            Runs::Joined { after: &[], skip: 1, shell: Any, unless: &[] },
            Runs::Session(Session { after: &["shell"], skip: 0, with: &[], unless: &[], shell: Any }),
        ],
        ..Program::EMPTY
    }),
    ("ansible", &Program {
        value_options: &[
            "-B", "-M", "-P", "-a", "-e", "-f", "-i", "-l", "-m", "-t", "-u", "--args", "--become-user",
            "--extra-vars", "--inventory", "--limit", "--module-name", "--private-key", "--user",
        ],
        runs: &[Runs::Code { options: &["-a", "--args"], shell: Any, first_operand: false }],
        ..Program::EMPTY
    }),
    ("ansible-playbook", &Program {
        value_options: &[
            "-C?", "-e", "-f", "-i", "-l", "-t", "-u", "--extra-vars", "--inventory", "--limit", "--tags", "--user",
        ],
        runs: &[Runs::File { after: &[], options: &[], unless: &[] }],
        ..Program::EMPTY
    }),
    ("apptainer", &APPTAINER),
    ("aprun", &MPIRUN),
    ("arch", &Program {
        value_options: &["-arch", "-d"],
        runs: &[Runs::Rest(Rest { assignments: true, ..Rest::PLAIN })],
        ..Program::EMPTY
    }),
    ("asciinema", &Program {
        value_options: &[
            "-c", "-i", "-t", "--cols", "--command", "--env", "--idle-time-limit", "--rows", "--title",
        ],
        runs: &[Runs::Code { options: &["-c", "--command"], shell: Any, first_operand: false }],
        ..Program::EMPTY
    }),
    ("asdf", &ASDF),
    ("autoexpect", &Program {
        value_options: &["-f"],
        runs: &[Runs::Rest(Rest::PLAIN)],
        ..Program::EMPTY
    }),
    ("autossh", &Program {
        value_options: &[
            "-B", "-b", "-c", "-D", "-E", "-e", "-F", "-I", "-i", "-J", "-L", "-l", "-m", "-O", "-o", "-p", "-Q", "-R",
            "-S", "-W", "-w", "-M",
        ],
        runs: &[
            Runs::Joined { after: &[], skip: 1, shell: Any, unless: &[] },
            Runs::Session(Session { after: &[], skip: 1, with: &[], unless: &["-G", "-N", "-O", "-Q", "-V", "-W", "-f", "-n"], shell: Any }),
        ],
        ..Program::EMPTY
    }),
    ("aws-vault", &Program {
        value_options: &["-d", "-n", "-t", "--backend", "--duration", "--mfa-token", "--prompt", "--region"],
        runs: &[
            Runs::Rest(Rest { after: &["exec"], skip: 1, ..Rest::PLAIN }),
            Runs::Session(Session { after: &["exec"], skip: 1, with: &[], unless: &[], shell: Any }),
        ],
        ..Program::EMPTY
    }),
    ("az", &Program {
        value_options: &[
            "-g", "-n", "-o", "--name", "--output", "--query", "--resource-group", "--scripts", "--subscription",
            "--script",
        ],
        runs: &[Runs::Code { options: &["--script", "--scripts"], shell: Any, first_operand: false }],
        ..Program::EMPTY
    }),
    ("bear", &VALGRIND),
    ("berks", &ASDF),
    ("bpftrace", &Program {
        value_options: &["-I", "-c", "-e", "-f", "-o", "-p", "--include"],
        runs: &[Runs::Code { options: &["-c"], shell: Any, first_operand: false }],
        writes: &[Writes::Values(&["-o"])],
        ..Program::EMPTY
    }),
    ("bsub", &QSUB),
    ("buildah", &Program {
        value_options: &[
            "-e", "-u", "-v", "--cap-add", "--env", "--mount", "--network", "--user", "--volume", "--workingdir",
        ],
        runs: &[Runs::Rest(Rest { after: &["run"], skip: 1, ..Rest::PLAIN })],
        ..Program::EMPTY
    }),
    ("bun", &Program {
        value_options: &["--cwd"],
        directory_options: &["--cwd"],
        runs: &[
            Runs::Joined { after: &["cross-env-shell"], skip: 0, shell: Any, unless: &[] },
            Runs::Rest(Rest { after: &["shx"], ..Rest::PLAIN }),
            Runs::Rest(Rest { after: &["cross-env"], assignments: true, ..Rest::PLAIN }),
            Runs::Rest(Rest { after: &["x"], ..Rest::PLAIN }),
            Runs::File { after: &[], options: &[], unless: &["-e", "-p", "--eval", "--print"] },
            Runs::File { after: &["run"], options: &[], unless: &[] },
        ],
        ..Program::EMPTY
    }),
    ("bundle", &Program {
        value_options: &["--gemfile"],
        runs: &[Runs::Rest(Rest { after: &["exec"], ..Rest::PLAIN })],
        ..Program::EMPTY
    }),
    ("bunx", &BUNX),
    ("cabal", &Program {
        value_options: &["-w", "--builddir", "--config-file", "--project-file", "--with-compiler"],
        runs: &[Runs::Rest(Rest { after: &["exec"], ..Rest::PLAIN })],
        ..Program::EMPTY
    }),
    ("caffeinate", &Program {
        value_options: &["-t", "-w"],
        runs: &[Runs::Rest(Rest::PLAIN)],
        ..Program::EMPTY
    }),
    ("capsh", &Program {
        value_options: &["-c"],
        runs: &[Runs::Code { options: &["-c"], shell: Bash, first_operand: false }],
        ..Program::EMPTY
    }),
    ("cargo", &Program {
        value_options: &["-s", "--shell"],
        runs: &[
            Runs::Code { options: &["-s", "--shell"], shell: Any, first_operand: false },
            Runs::Rest(Rest { after: &["watch"], ..Rest::PLAIN }),
        ],
        ..Program::EMPTY
    }),
    ("catatonit", &CATATONIT),
    ("catchsegv", &CHRONIC),
    ("ccache", &VALGRIND),
    ("cgexec", &Program {
        value_options: &["-g"],
        runs: &[Runs::Rest(Rest::PLAIN)],
        ..Program::EMPTY
    }),
    ("chamber", &Program {
        value_options: &["-b", "--backend"],
        runs: &[
            Runs::Rest(Rest { after: &["exec"], skip: 1, ..Rest::PLAIN }),
            Runs::Rest(Rest { after: &["exec"], skip: 2, ..Rest::PLAIN }),
        ],
        ..Program::EMPTY
    }),
    ("chef", &ASDF),
    ("chokidar", &Program {
        value_options: &["-c", "-d", "-i", "-t", "--command", "--debounce", "--ignore", "--throttle"],
        runs: &[Runs::Code { options: &["-c", "--command"], shell: Any, first_operand: false }],
        ..Program::EMPTY
    }),
    ("choom", &Program {
        value_options: &["-n", "-p", "--adjust", "--pid"],
        runs: &[Runs::Rest(Rest::PLAIN)],
        ..Program::EMPTY
    }),
    ("chpst", &Program {
        value_options: &[
            "-/", "-L", "-U", "-b", "-c", "-d", "-e", "-f", "-l", "-m", "-n", "-o", "-p", "-t", "-u",
        ],
        runs: &[Runs::Rest(Rest::PLAIN)],
        ..Program::EMPTY
    }),
    ("chronic", &CHRONIC),
    ("chroot", &Program {
        value_options: &["--groups", "--userspec"],
        runs: &[
            Runs::Rest(Rest { skip: 1, ..Rest::PLAIN }),
            Runs::Session(Session { after: &[], skip: 1, with: &[], unless: &[], shell: Any }),
        ],
        ..Program::EMPTY
    }),
    ("chrt", &Program {
        value_options: &[
            "-D", "-P", "-T", "-U", "-X", "--clamp-max", "--clamp-min", "--sched-deadline", "--sched-period",
            "--sched-runtime",
        ],
        runs: &[
            Runs::Rest(Rest { unless: &["-p", "--pid"], ..Rest::PLAIN }),
            Runs::Rest(Rest { unless: &["-p", "--pid"], skip: 1, ..Rest::PLAIN }),
        ],
        ..Program::EMPTY
    }),
    ("chruby-exec", &Program {
        runs: &[Runs::Rest(Rest { skip: 1, ..Rest::PLAIN })],
        ..Program::EMPTY
    }),
    ("clush", &PDSH),
    ("cmake", &Program {
        value_options: &["-A", "-B", "-C", "-D", "-G", "-P", "-S", "-T", "-U"],
        runs: &[
            Runs::Rest(Rest { after: &["env"], assignments: true, ..Rest::PLAIN }),
            Runs::Rest(Rest { after: &["time"], ..Rest::PLAIN }),
            Runs::Rest(Rest { after: &["chdir"], skip: 1, ..Rest::PLAIN }),
            Runs::File { after: &[], options: &["-P"], unless: &[] },
        ],
        writes: &[Writes::LastOperandOf(&[&["copy", "*"], &["copy_directory", "*"], &["copy_directory_if_different", "*"], &["copy_if_different", "*"], &["create_hardlink", "*"], &["create_symlink", "*"], &["make_directory"], &["rename", "*"], &["touch"], &["touch_nocreate"]])],
        ..Program::EMPTY
    }),
    ("colima", &Program {
        value_options: &["-p", "--profile"],
        runs: &[
            Runs::Joined { after: &["ssh"], skip: 0, shell: Any, unless: &[] },
            Runs::Session(Session { after: &["ssh"], skip: 0, with: &[], unless: &[], shell: Any }),
        ],
        ..Program::EMPTY
    }),
    ("concurrently", &Program {
        value_options: &[
            "-c", "-l", "-m", "-n", "-p", "-s", "-t", "--default-input-target", "--hide", "--kill-signal",
            "--max-processes", "--name-separator", "--names", "--prefix", "--prefix-colors", "--prefix-length",
            "--restart-after", "--restart-tries", "--success", "--teardown", "--timestamp-format",
        ],
        runs: &[
            Runs::Code { options: &["--teardown"], shell: Any, first_operand: false },
            Runs::Operand { skip: 0, shell: Any },
            Runs::Operand { skip: 1, shell: Any },
            Runs::Operand { skip: 2, shell: Any },
            Runs::Operand { skip: 3, shell: Any },
            Runs::Operand { skip: 4, shell: Any },
            Runs::Operand { skip: 5, shell: Any },
        ],
        ..Program::EMPTY
    }),
    ("conda", &CONDA),
    ("condor_run", &Program {
        runs: &[Runs::Joined { after: &[], skip: 0, shell: Any, unless: &[] }],
        ..Program::EMPTY
    }),
    ("consul", &Program {
        value_options: &[
            "-ca-file", "-client-cert", "-client-key", "-datacenter", "-http-addr", "-key", "-monitor-retry", "-n",
            "-name", "-namespace", "-node", "-partition", "-passingonly?", "-prefix", "-service", "-shell", "-state",
            "-tag", "-timeout", "-token", "-type", "-wait",
        ],
        runs: &[
            Runs::Rest(Rest { after: &["lock"], skip: 1, ..Rest::PLAIN }),
            Runs::Rest(Rest { after: &["watch"], ..Rest::PLAIN }),
            Runs::Operand { skip: 1, shell: Any },
            Runs::Operand { skip: 2, shell: Any },
            Runs::Joined { after: &["exec"], skip: 0, shell: Any, unless: &[] },
        ],
        ..Program::EMPTY
    }),
    ("coresched", &Program {
        value_options: &["-d", "-s", "-t", "--dest", "--dest-type", "--source"],
        runs: &[Runs::Rest(Rest { after: &["copy", "new"], ..Rest::PLAIN })],
        ..Program::EMPTY
    }),
    ("cpulimit", &Program {
        value_options: &["-P", "-c", "-e", "-l", "-p", "--cpu", "--exe", "--limit", "--path", "--pid"],
        runs: &[Runs::Rest(Rest::PLAIN)],
        ..Program::EMPTY
    }),
    ("crictl", &CRICTL),
    ("cronic", &CHRONIC),
    ("cross-env", &Program {
        runs: &[Runs::Rest(Rest { assignments: true, ..Rest::PLAIN })],
        ..Program::EMPTY
    }),
    ("cross-env-shell", &Program {
        runs: &[Runs::Joined { after: &[], skip: 0, shell: Any, unless: &[] }],
        ..Program::EMPTY
    }),
    ("ctr", &CRICTL),
    ("daemonize", &Program {
        value_options: &["-E", "-c", "-e", "-l", "-o", "-p", "-u"],
        directory_options: &["-c"],
        runs: &[Runs::Rest(Rest::PLAIN)],
        ..Program::EMPTY
    }),
    ("datefudge", &Program {
        runs: &[Runs::Rest(Rest { skip: 1, ..Rest::PLAIN })],
        ..Program::EMPTY
    }),
    ("dbus-launch", &Program {
        value_options: &["--autolaunch", "--config-file"],
        runs: &[Runs::Rest(Rest::PLAIN)],
        ..Program::EMPTY
    }),
    ("dbus-run-session", &Program {
        value_options: &["--config-file", "--dbus-daemon"],
        runs: &[
            Runs::Rest(Rest::PLAIN),
            Runs::Session(Session { after: &[], skip: 0, with: &[], unless: &[], shell: Any }),
        ],
        ..Program::EMPTY
    }),
    ("dchroot", &SCHROOT),
    ("deno", &Program {
        value_options: &[
            "-L", "-c", "--cert", "--config", "--ext", "--import-map", "--location", "--lock", "--log-level", "--seed",
        ],
        runs: &[Runs::File { after: &["bench", "run", "serve", "test"], options: &[], unless: &[] }],
        ..Program::EMPTY
    }),
    ("devbox", &LERNA),
    ("devenv", &Program {
        runs: &[
            Runs::Rest(Rest { after: &["shell"], ..Rest::PLAIN }),
            Runs::Session(Session { after: &["shell"], skip: 1, with: &[], unless: &[], shell: Any }),
        ],
        ..Program::EMPTY
    }),
    ("direnv", &Program {
        runs: &[Runs::Rest(Rest { after: &["exec"], skip: 1, ..Rest::PLAIN })],
        ..Program::EMPTY
    }),
    ("distcc", &VALGRIND),
    ("distrobox", &Program {
        value_options: &["-a", "-n", "--additional-flags", "--name"],
        runs: &[
            Runs::Rest(Rest { after: &["enter"], ..Rest::PLAIN }),
            Runs::Rest(Rest { after: &["enter"], skip: 1, ..Rest::PLAIN }),
            Runs::Session(Session { after: &["enter"], skip: 1, with: &[], unless: &[], shell: Any }),
        ],
        ..Program::EMPTY
    }),
    ("distrobox-host-exec", &FLATPAK_SPAWN),
    ("doas", &Program {
        value_options: &["-C", "-a", "-u"],
        runs: &[
            Runs::Rest(Rest::PLAIN),
            Runs::Session(Session { after: &[], skip: 0, with: &["-s"], unless: &[], shell: Any }),
        ],
        ..Program::EMPTY
    }),
    ("docker", &DOCKER),
    ("docker-compose", &Program {
        value_options: &[
            "-c", "-e", "-f", "-p", "-u", "-w", "--ansi", "--env", "--env-file", "--file", "--index", "--parallel",
            "--profile", "--progress", "--project-directory", "--project-name", "--user", "--workdir",
        ],
        runs: &[Runs::Rest(Rest { after: &["exec", "run"], skip: 1, ..Rest::PLAIN })],
        writes: &[Writes::LastOperandOf(&[&["cp", "*"]])],
        ..Program::EMPTY
    }),
    ("docker-machine", &Program {
        value_options: &["-s", "--storage-path"],
        runs: &[
            Runs::Rest(Rest { after: &["ssh"], skip: 1, ..Rest::PLAIN }),
            Runs::Session(Session { after: &["ssh"], skip: 1, with: &[], unless: &[], shell: Any }),
        ],
        ..Program::EMPTY
    }),
    ("dockerize", &Program {
        value_options: &["-stderr", "-stdout", "-template", "-timeout", "-wait", "-wait-retry-interval"],
        runs: &[Runs::Rest(Rest::PLAIN)],
        ..Program::EMPTY
    }),
    ("doppler", &Program {
        value_options: &["-c", "-p", "-t", "--command", "--config", "--project", "--token"],
        runs: &[
            Runs::Rest(Rest { after: &["run"], ..Rest::PLAIN }),
            Runs::Code { options: &["--command"], shell: Any, first_operand: false },
        ],
        ..Program::EMPTY
    }),
    ("dotenv", &Program {
        value_options: &["-c?", "-e", "-f", "-p", "-v"],
        runs: &[
            Runs::Rest(Rest::PLAIN),
            Runs::Rest(Rest { after: &["run"], ..Rest::PLAIN }),
        ],
        ..Program::EMPTY
    }),
    ("dotenvx", &Program {
        value_options: &["-e", "-f", "-fk", "-fv", "--env", "--env-file", "--env-vault-file"],
        runs: &[Runs::Rest(Rest { after: &["run"], ..Rest::PLAIN })],
        ..Program::EMPTY
    }),
    ("dsh", &PDSH),
    ("dtach", &Program {
        value_options: &["-A", "-N", "-a", "-c", "-e", "-n", "-p", "-r"],
        runs: &[Runs::Rest(Rest::PLAIN)],
        ..Program::EMPTY
    }),
    ("dumb-init", &CHRONIC),
    ("eatmydata", &CHRONIC),
    ("elixir", &Program {
        value_options: &["-S", "-e", "-pa", "-pr", "-pz", "-r", "--eval"],
        runs: &[Runs::File { after: &[], options: &[], unless: &["-S", "-e", "--eval"] }],
        ..Program::EMPTY
    }),
    ("elvish", &Program {
        value_options: &["-c", "-rc"],
        runs: &[Runs::File { after: &[], options: &[], unless: &["-c"] }],
        ..Program::EMPTY
    }),
    ("enosys", &Program {
        value_options: &["-i", "-s", "--ioctl", "--syscall"],
        runs: &[Runs::Rest(Rest::PLAIN)],
        ..Program::EMPTY
    }),
    ("entr", &Program {
        runs: &[
            Runs::Rest(Rest::PLAIN),
            Runs::Operand { skip: 0, shell: Any },
        ],
        ..Program::EMPTY
    }),
    ("env", &ENV),
    ("env-cmd", &Program {
        value_options: &["-e", "-f", "-r", "--environments", "--file", "--rc-file"],
        runs: &[Runs::Rest(Rest::PLAIN)],
        ..Program::EMPTY
    }),
    ("envchain", &Program {
        runs: &[Runs::Rest(Rest { unless: &["-l", "-s", "--list", "--set", "--unset"], skip: 1, ..Rest::PLAIN })],
        ..Program::EMPTY
    }),
    ("envconsul", &Program {
        value_options: &["-config", "-consul-addr", "-prefix", "-secret", "-upcase?", "-vault-addr"],
        runs: &[Runs::Rest(Rest::PLAIN)],
        ..Program::EMPTY
    }),
    ("envdir", &ENVDIR),
    ("envuidgid", &ENVDIR),
    ("et", &Program {
        value_options: &[
            "-c", "-l", "-p", "-t", "-x", "--command", "--host", "--jport", "--port", "--username",
        ],
        runs: &[
            Runs::Code { options: &["-c", "--command"], shell: Any, first_operand: false },
            Runs::Session(Session { after: &[], skip: 1, with: &[], unless: &["-c", "--command"], shell: Any }),
        ],
        ..Program::EMPTY
    }),
    ("etcdctl", &Program {
        value_options: &[
            "--cacert", "--cert", "--command-timeout", "--endpoints", "--key", "--password", "--ttl", "--user", "-w",
            "--write-out", "--rev",
        ],
        runs: &[Runs::Rest(Rest { after: &["exec-watch", "lock", "watch"], skip: 1, ..Rest::PLAIN })],
        ..Program::EMPTY
    }),
    ("execlineb", &Program {
        value_options: &["-c"],
        runs: &[Runs::Code { options: &["-c"], shell: Foreign, first_operand: false }],
        ..Program::EMPTY
    }),
    ("expect", &Program {
        value_options: &["-c", "-f"],
        runs: &[
            Runs::File { after: &[], options: &[], unless: &["-c"] },
            Runs::File { after: &[], options: &["-f"], unless: &[] },
        ],
        ..Program::EMPTY
    }),
    ("fab", &FAB),
    ("fabric", &FAB),
    ("fakechroot", &Program {
        value_options: &[
            "-b", "-c", "-d", "-e", "-l", "--bindir", "--config-dir", "--elfloader", "--environment", "--lib",
        ],
        runs: &[
            Runs::Rest(Rest::PLAIN),
            Runs::Session(Session { after: &[], skip: 0, with: &[], unless: &[], shell: Any }),
        ],
        ..Program::EMPTY
    }),
    ("fakeroot", &Program {
        value_options: &["-b", "-f", "-i", "-l", "-s", "--faked", "--lib"],
        runs: &[
            Runs::Rest(Rest::PLAIN),
            Runs::Session(Session { after: &[], skip: 0, with: &[], unless: &[], shell: Any }),
        ],
        ..Program::EMPTY
    }),
    ("faketime", &Program {
        value_options: &["-p", "--date-prog"],
        runs: &[Runs::Rest(Rest { skip: 1, ..Rest::PLAIN })],
        ..Program::EMPTY
    }),
    ("fd", &FD),
    ("fdfind", &FD),
    ("fghack", &CHRONIC),
    ("finch", &DOCKER),
    ("find", &FIND),
    ("firejail", &Program {
        runs: &[Runs::Rest(Rest::PLAIN)],
        ..Program::EMPTY
    }),
    ("flamegraph", &CHRONIC),
    ("flatpak-spawn", &FLATPAK_SPAWN),
    ("flock", &Program {
        value_options: &[
            "-E", "-c", "-w", "--command", "--conflict-exit-code", "--fd", "--length", "--start", "--timeout",
            "--wait",
        ],
        runs: &[
            Runs::Rest(Rest { unless: &["-c", "--command"], skip: 1, ..Rest::PLAIN }),
            Runs::Code { options: &["-c", "--command"], shell: Any, first_operand: false },
        ],
        ..Program::EMPTY
    }),
    ("fly", &FLY),
    ("flyctl", &FLY),
    ("fnm", &Program {
        value_options: &[
            "--arch", "--fnm-dir", "--log-level", "--node-dist-mirror", "--using", "--version-file-strategy",
        ],
        runs: &[Runs::Rest(Rest { after: &["exec"], ..Rest::PLAIN })],
        ..Program::EMPTY
    }),
    ("foot", &GNOME_TERMINAL),
    ("foreman", &Program {
        value_options: &[
            "-c", "-d", "-e", "-f", "-m", "-p", "-r", "-t", "--env", "--formation", "--procfile", "--root",
        ],
        directory_options: &["-d", "--root"],
        runs: &[Runs::Rest(Rest { after: &["run"], ..Rest::PLAIN })],
        ..Program::EMPTY
    }),
    ("gamemoderun", &CHRONIC),
    ("gamescope", &CHRONIC),
    ("gcloud", &Program {
        value_options: &[
            "--account", "--command", "--configuration", "--container", "--format", "--project", "--region",
            "--ssh-flag", "--zone",
        ],
        runs: &[
            Runs::Joined { after: &["ssh"], skip: 1, shell: Any, unless: &[] },
            Runs::Code { options: &["--command"], shell: Any, first_operand: false },
            Runs::Session(Session { after: &["ssh"], skip: 1, with: &[], unless: &["--command"], shell: Any }),
        ],
        ..Program::EMPTY
    }),
    ("gdb", &Program {
        value_options: &[
            "-batch?", "-command", "-core", "-ex", "-iex", "-ix", "-nh?", "-nx?", "-p", "-pid", "-quiet?", "-se",
            "-silent?", "-symbols", "-tty", "-x", "--command", "--core", "--directory", "--eval-command", "--exec",
            "--init-command", "--init-eval-command", "--pid", "--se", "--symbols", "--tty",
        ],
        runs: &[
            Runs::Rest(Rest::PLAIN),
            Runs::File { after: &[], options: &["-command", "-ix", "-x", "--command", "--init-command"], unless: &[] },
        ],
        ..Program::EMPTY
    }),
    ("gdbserver", &Program {
        runs: &[Runs::Rest(Rest { skip: 1, ..Rest::PLAIN })],
        ..Program::EMPTY
    }),
    ("genv", &ENV),
    ("gfind", &FIND),
    ("gh", &Program {
        value_options: &[
            "-O", "-R", "-X", "--hostname", "--method", "--output", "--pattern", "--repo", "-c", "--codespace",
            "--profile", "--server-port",
        ],
        runs: &[Runs::Joined { after: &["ssh"], skip: 0, shell: Any, unless: &[] }],
        writes: &[Writes::Values(&["-O", "-p", "--output", "--pattern"])],
        ..Program::EMPTY
    }),
    ("gmake", &MAKE),
    ("gnome-terminal", &GNOME_TERMINAL),
    ("go", &Program {
        value_options: &["-C", "-exec", "-ldflags", "-mod", "-modfile", "-o", "-tags"],
        runs: &[Runs::File { after: &["run"], options: &[], unless: &[] }],
        ..Program::EMPTY
    }),
    ("gosu", &GOSU),
    ("grc", &Program {
        value_options: &["-c"],
        runs: &[Runs::Rest(Rest::PLAIN)],
        ..Program::EMPTY
    }),
    ("groovy", &Program {
        value_options: &["-cp", "-e", "-classpath", "--classpath"],
        runs: &[Runs::File { after: &[], options: &[], unless: &["-e"] }],
        ..Program::EMPTY
    }),
    ("gtime", &TIME),
    ("gtimeout", &TIMEOUT),
    ("guile", &Program {
        value_options: &["-C", "-L", "-c", "-e", "-l", "-s"],
        runs: &[
            Runs::File { after: &[], options: &[], unless: &["-c"] },
            Runs::File { after: &[], options: &["-l", "-s"], unless: &[] },
        ],
        ..Program::EMPTY
    }),
    ("guix", &Program {
        value_options: &[
            "-L", "-e", "-f", "-m", "-p", "-s", "--expression", "--file", "--load-path", "--manifest", "--profile",
            "--system",
        ],
        runs: &[
            Runs::Rest(Rest { after: &["environment", "shell"], ..Rest::PLAIN }),
            Runs::Rest(Rest { after: &["environment", "shell"], skip: 1, ..Rest::PLAIN }),
            Runs::Rest(Rest { after: &["environment", "shell"], skip: 2, ..Rest::PLAIN }),
            Runs::Rest(Rest { after: &["environment", "shell"], skip: 3, ..Rest::PLAIN }),
        ],
        ..Program::EMPTY
    }),
    ("gxargs", &XARGS),
    ("hatch", &Program {
        value_options: &["-e", "-p", "--cache-dir", "--config", "--data-dir", "--env", "--project"],
        runs: &[Runs::Rest(Rest { after: &["run"], ..Rest::PLAIN })],
        ..Program::EMPTY
    }),
    ("heaptrack", &VALGRIND),
    ("heroku", &Program {
        value_options: &["-a", "-r", "-s", "--app", "--remote", "--size"],
        runs: &[Runs::Joined { after: &["run", "run:detached"], skip: 0, shell: Any, unless: &[] }],
        ..Program::EMPTY
    }),
    ("host-spawn", &FLATPAK_SPAWN),
    ("hyperfine", &Program {
        value_options: &[
            "-D", "-L", "-M", "-P", "-S", "-c", "-m", "-n", "-p", "-r", "-s", "-u", "-w", "--cleanup",
            "--command-name", "--conclude", "--export-asciidoc", "--export-csv", "--export-json", "--export-markdown",
            "--export-orgmode", "--input", "--max-runs", "--min-runs", "--output", "--parameter-list",
            "--parameter-scan", "--parameter-step-size", "--prepare", "--reference", "--reference-name", "--runs",
            "--setup", "--shell", "--sort", "--style", "--time-unit", "--warmup",
        ],
        runs: &[
            Runs::Code { options: &["-c", "-p", "-s", "--cleanup", "--conclude", "--prepare", "--reference", "--setup"], shell: Any, first_operand: false },
            Runs::Operand { skip: 0, shell: Any },
            Runs::Operand { skip: 1, shell: Any },
            Runs::Operand { skip: 2, shell: Any },
            Runs::Operand { skip: 3, shell: Any },
            Runs::Operand { skip: 4, shell: Any },
            Runs::Operand { skip: 5, shell: Any },
        ],
        ..Program::EMPTY
    }),
    ("hyprctl", &Program {
        value_options: &["-i", "--batch", "--instance"],
        runs: &[Runs::Joined { after: &["exec"], skip: 0, shell: Any, unless: &[] }],
        ..Program::EMPTY
    }),
    ("i3-msg", &I3_MSG),
    ("i386", &LINUX64),
    ("i486", &LINUX64),
    ("i586", &LINUX64),
    ("i686", &LINUX64),
    ("icecc", &VALGRIND),
    ("ifne", &CHRONIC),
    ("incus", &LXC),
    ("infisical", &Program {
        value_options: &["--command", "--env", "--path", "--projectId", "--token"],
        runs: &[
            Runs::Rest(Rest { after: &["run"], ..Rest::PLAIN }),
            Runs::Code { options: &["--command"], shell: Any, first_operand: false },
        ],
        ..Program::EMPTY
    }),
    ("ionice", &Program {
        value_options: &["-P", "-c", "-n", "-p", "-u", "--class", "--classdata", "--pgid", "--pid", "--uid"],
        runs: &[Runs::Rest(Rest::PLAIN)],
        ..Program::EMPTY
    }),
    ("ip", &Program {
        value_options: &["-b", "-f", "-n", "-batch", "-family", "-netns", "-rcvbuf"],
        runs: &[Runs::Rest(Rest { after: &["exec"], skip: 1, ..Rest::PLAIN })],
        ..Program::EMPTY
    }),
    ("ipython", &Program {
        value_options: &["-c", "-m", "--profile"],
        runs: &[Runs::File { after: &[], options: &[], unless: &["-c", "-m"] }],
        ..Program::EMPTY
    }),
    ("java", &Program {
        value_options: &[
            "-cp", "-classpath", "-p", "--add-exports", "--add-modules", "--add-opens", "--class-path",
            "--module-path", "--source",
        ],
        runs: &[Runs::File { after: &[], options: &[], unless: &["-jar", "-m", "--module"] }],
        ..Program::EMPTY
    }),
    ("jenv", &ASDF),
    ("jsrun", &MPIRUN),
    ("julia", &Program {
        value_options: &[
            "-E", "-L", "-e", "-m", "-p", "-t", "--eval", "--load", "--print", "--procs", "--project?", "--threads",
        ],
        runs: &[
            Runs::File { after: &[], options: &[], unless: &["-E", "-e", "-m", "--eval", "--print"] },
            Runs::File { after: &[], options: &["-L", "--load"], unless: &[] },
        ],
        ..Program::EMPTY
    }),
    ("just", &Program {
        value_options: &[
            "-d", "-f", "-s", "--color", "--dotenv-path", "--justfile", "--shell", "--shell-arg", "--show",
            "--working-directory",
        ],
        directory_options: &["-d", "--working-directory"],
        runs: &[
            Runs::Between { starts: &["-c", "--command"], ends: &[], placeholder: "" },
            Runs::File { after: &[], options: &["-f", "--justfile"], unless: &[] },
        ],
        ..Program::EMPTY
    }),
    ("k0s", &K3S),
    ("k3s", &K3S),
    ("kgx", &GNOME_TERMINAL),
    ("kitty", &GNOME_TERMINAL),
    ("knife", &Program {
        value_options: &[
            "-C", "-G", "-P?", "-a", "-c", "-i", "-p", "-x", "--attribute", "--concurrency", "--config",
            "--ssh-identity-file", "--ssh-port", "--ssh-user",
        ],
        runs: &[Runs::Joined { after: &["ssh", "winrm"], skip: 1, shell: Any, unless: &[] }],
        ..Program::EMPTY
    }),
    ("kubectl", &KUBECTL),
    ("lckdo", &Program {
        value_options: &["-E", "-W"],
        runs: &[Runs::Rest(Rest { skip: 1, ..Rest::PLAIN })],
        ..Program::EMPTY
    }),
    ("lerna", &LERNA),
    ("lima", &Program {
        runs: &[
            Runs::Rest(Rest::PLAIN),
            Runs::Session(Session { after: &[], skip: 0, with: &[], unless: &[], shell: Any }),
        ],
        ..Program::EMPTY
    }),
    ("limactl", &Program {
        value_options: &["--log-level", "--shell", "--workdir"],
        runs: &[
            Runs::Rest(Rest { after: &["shell"], skip: 1, ..Rest::PLAIN }),
            Runs::Session(Session { after: &["shell"], skip: 1, with: &[], unless: &[], shell: Any }),
        ],
        ..Program::EMPTY
    }),
    ("linux32", &LINUX64),
    ("linux64", &LINUX64),
    ("lldb", &Program {
        value_options: &[
            "-k", "-o", "-s", "-S", "-p", "-n", "-a", "-c", "-l", "-O", "--arch", "--attach-name", "--attach-pid",
            "--core", "--file", "--one-line", "--one-line-before-file", "--source", "--source-before-file",
        ],
        runs: &[
            Runs::Rest(Rest::PLAIN),
            Runs::File { after: &[], options: &["-S", "-s", "--source", "--source-before-file"], unless: &[] },
        ],
        ..Program::EMPTY
    }),
    ("logsave", &Program {
        runs: &[Runs::Rest(Rest { skip: 1, ..Rest::PLAIN })],
        ..Program::EMPTY
    }),
    ("ltrace", &Program {
        value_options: &[
            "-A", "-D", "-F", "-a", "-e", "-l", "-n", "-o", "-p", "-s", "-u", "-w", "-x", "--align", "--config",
            "--debug", "--indent", "--library", "--output", "--where",
        ],
        runs: &[Runs::Rest(Rest::PLAIN)],
        writes: &[Writes::Values(&["-o", "--output"])],
        ..Program::EMPTY
    }),
    ("lua", &LUA),
    ("luajit", &LUA),
    ("lxc", &LXC),
    ("m4", &Program {
        value_options: &["-D", "-I", "-U", "-s"],
        runs: &[Runs::File { after: &[], options: &[], unless: &[] }],
        ..Program::EMPTY
    }),
    ("make", &MAKE),
    ("mamba", &CONDA),
    ("mangohud", &CHRONIC),
    ("microk8s", &K3S),
    ("microk8s.kubectl", &KUBECTL),
    ("micromamba", &CONDA),
    ("minikube", &Program {
        value_options: &["-n", "-p", "--node", "--profile"],
        runs: &[
            Runs::Joined { after: &["ssh"], skip: 0, shell: Any, unless: &[] },
            Runs::Session(Session { after: &["ssh"], skip: 0, with: &[], unless: &[], shell: Any }),
        ],
        ..Program::EMPTY
    }),
    ("mise", &MISE),
    ("mispipe", &Program {
        runs: &[
            Runs::Operand { skip: 0, shell: Any },
            Runs::Operand { skip: 1, shell: Any },
        ],
        ..Program::EMPTY
    }),
    ("mosh", &Program {
        value_options: &["-p", "--client", "--port", "--predict", "--server", "--ssh"],
        runs: &[
            Runs::Joined { after: &[], skip: 1, shell: Any, unless: &[] },
            Runs::Code { options: &["--ssh"], shell: Any, first_operand: false },
            Runs::Session(Session { after: &[], skip: 1, with: &[], unless: &[], shell: Any }),
        ],
        ..Program::EMPTY
    }),
    ("mpiexec", &MPIRUN),
    ("mpiexec.hydra", &MPIRUN),
    ("mpirun", &MPIRUN),
    ("multipass", &Program {
        value_options: &["-d", "--working-directory"],
        runs: &[
            Runs::Rest(Rest { after: &["exec"], skip: 1, ..Rest::PLAIN }),
            Runs::Session(Session { after: &["shell"], skip: 1, with: &[], unless: &[], shell: Any }),
        ],
        ..Program::EMPTY
    }),
    ("multitime", &Program {
        value_options: &["-I", "-f", "-i", "-n", "-o", "-r", "-s"],
        runs: &[Runs::Rest(Rest::PLAIN)],
        ..Program::EMPTY
    }),
    ("ncu", &CHRONIC),
    ("nerdctl", &DOCKER),
    ("nerdctl.lima", &DOCKER),
    ("nice", &Program {
        value_options: &["-n", "--adjustment"],
        runs: &[Runs::Rest(Rest::PLAIN)],
        ..Program::EMPTY
    }),
    ("ninja", &Program {
        value_options: &["-C", "-d", "-f", "-j", "-k", "-l", "-t", "-w"],
        runs: &[Runs::File { after: &[], options: &["-f"], unless: &[] }],
        ..Program::EMPTY
    }),
    ("niri", &NIRI),
    ("nix", &Program {
        value_options: &["-I", "-f", "--expr", "--file", "--include", "--inputs-from"],
        runs: &[
            Runs::Rest(Rest { after: &["develop", "env", "shell"], ..Rest::PLAIN }),
            Runs::Rest(Rest { after: &["develop", "env", "shell"], skip: 1, ..Rest::PLAIN }),
            Runs::Rest(Rest { after: &["develop", "env", "shell"], skip: 2, ..Rest::PLAIN }),
            Runs::Session(Session { after: &["develop", "shell"], skip: 9, with: &[], unless: &["-c", "--command"], shell: Any }),
        ],
        ..Program::EMPTY
    }),
    ("nix-shell", &Program {
        value_options: &[
            "-A", "-E", "-I", "-p", "--argstr", "--attr", "--command", "--expr", "--include", "--option", "--run",
        ],
        runs: &[
            Runs::Code { options: &["--command", "--run"], shell: Any, first_operand: false },
            Runs::Session(Session { after: &[], skip: 9, with: &[], unless: &["--command", "--run"], shell: Any }),
        ],
        ..Program::EMPTY
    }),
    ("node", &NODE),
    ("nodejs", &NODE),
    ("nodemon", &Program {
        value_options: &[
            "-e", "-i", "-w", "-x", "--config", "--cwd", "--delay", "--exec", "--ext", "--ignore", "--signal",
            "--watch",
        ],
        directory_options: &["--cwd"],
        runs: &[Runs::Code { options: &["-x", "--exec"], shell: Any, first_operand: false }],
        ..Program::EMPTY
    }),
    ("nodenv", &ASDF),
    ("nohup", &Program {
        runs: &[Runs::Rest(Rest::PLAIN)],
        ..Program::EMPTY
    }),
    ("npm", &Program {
        value_options: &[
            "-C", "-c", "-w", "--cache", "--call", "--loglevel", "--package", "--prefix", "--registry",
            "--script-shell", "--userconfig", "--workspace",
        ],
        runs: &[
            Runs::Joined { after: &["cross-env-shell"], skip: 0, shell: Any, unless: &[] },
            Runs::Rest(Rest { after: &["shx"], ..Rest::PLAIN }),
            Runs::Rest(Rest { after: &["cross-env"], assignments: true, ..Rest::PLAIN }),
            Runs::Rest(Rest { after: &["exec", "x"], ..Rest::PLAIN }),
            Runs::Code { options: &["-c", "--call"], shell: Any, first_operand: false },
        ],
        ..Program::EMPTY
    }),
    ("npx", &Program {
        value_options: &[
            "-c", "-p", "-w", "--cache", "--call", "--package", "--registry", "--script-shell", "--userconfig",
            "--workspace",
        ],
        runs: &[
            Runs::Rest(Rest::PLAIN),
            Runs::Code { options: &["-c", "--call"], shell: Any, first_operand: false },
        ],
        ..Program::EMPTY
    }),
    ("nq", &CHRONIC),
    ("nsenter", &Program {
        value_options: &["-G", "-N", "-S", "-t", "--net?", "--net-socket", "--setgid", "--setuid", "--target"],
        runs: &[
            Runs::Rest(Rest::PLAIN),
            Runs::Session(Session { after: &[], skip: 0, with: &[], unless: &[], shell: Any }),
        ],
        ..Program::EMPTY
    }),
    ("nsys", &Program {
        value_options: &["-c", "-e", "-o", "-s", "-t", "--output", "--trace"],
        runs: &[Runs::Rest(Rest { after: &["launch", "profile", "start"], ..Rest::PLAIN })],
        writes: &[Writes::Values(&["-o", "--output"])],
        ..Program::EMPTY
    }),
    ("nu", &Program {
        value_options: &["-c", "-e", "--commands", "--config", "--execute"],
        runs: &[Runs::File { after: &[], options: &[], unless: &["-c", "--commands"] }],
        ..Program::EMPTY
    }),
    ("numactl", &Program {
        value_options: &[
            "-C", "-I", "-L", "-M", "-N", "-P", "-S", "-f", "-i", "-m", "-o", "-p", "-w", "--cpunodebind", "--cpubind",
            "--file", "--interleave", "--length", "--membind", "--offset", "--physcpubind", "--preferred",
            "--preferred-many", "--shm", "--shmid", "--shmmode", "--weighted-interleave",
        ],
        runs: &[Runs::Rest(Rest::PLAIN)],
        ..Program::EMPTY
    }),
    ("nvm", &Program {
        runs: &[
            Runs::Rest(Rest { after: &["exec"], ..Rest::PLAIN }),
            Runs::Rest(Rest { after: &["exec"], skip: 1, ..Rest::PLAIN }),
        ],
        ..Program::EMPTY
    }),
    ("nvprof", &CHRONIC),
    ("nx", &LERNA),
    ("oarsub", &QSUB),
    ("oc", &KUBECTL),
    ("ocaml", &Program {
        value_options: &["-I", "-e", "-init"],
        runs: &[Runs::File { after: &[], options: &[], unless: &["-e"] }],
        ..Program::EMPTY
    }),
    ("octave", &Program {
        value_options: &["--eval", "--path"],
        runs: &[Runs::File { after: &[], options: &[], unless: &["--eval"] }],
        ..Program::EMPTY
    }),
    ("onchange", &ONCHANGE),
    ("op", &Program {
        value_options: &["--account", "--env-file", "--environment", "--session"],
        runs: &[Runs::Rest(Rest { after: &["run"], ..Rest::PLAIN })],
        ..Program::EMPTY
    }),
    ("opam", &ASDF),
    ("optirun", &CHRONIC),
    ("orb", &Program {
        runs: &[
            Runs::Rest(Rest::PLAIN),
            Runs::Session(Session { after: &[], skip: 0, with: &[], unless: &[], shell: Any }),
        ],
        ..Program::EMPTY
    }),
    ("orbctl", &Program {
        runs: &[Runs::Rest(Rest { after: &["run"], ..Rest::PLAIN })],
        ..Program::EMPTY
    }),
    ("orterun", &MPIRUN),
    ("osascript", &Program {
        value_options: &["-e", "-l", "-s"],
        runs: &[Runs::File { after: &[], options: &[], unless: &["-e"] }],
        ..Program::EMPTY
    }),
    ("parallel", &PARALLEL),
    ("parallel-ssh", &PDSH),
    ("pdm", &Program {
        value_options: &[
            "-c", "-k", "-p", "--config", "--env", "--env-file", "--project", "--skip", "--working-dir",
        ],
        runs: &[Runs::Rest(Rest { after: &["run"], ..Rest::PLAIN })],
        ..Program::EMPTY
    }),
    ("pdsh", &PDSH),
    ("pee", &Program {
        runs: &[
            Runs::Operand { skip: 0, shell: Any },
            Runs::Operand { skip: 1, shell: Any },
            Runs::Operand { skip: 2, shell: Any },
            Runs::Operand { skip: 3, shell: Any },
            Runs::Operand { skip: 4, shell: Any },
            Runs::Operand { skip: 5, shell: Any },
        ],
        ..Program::EMPTY
    }),
    ("perf", &Program {
        value_options: &[
            "-C", "-D", "-F", "-G", "-c", "-e", "-j", "-m", "-o", "-p", "-r", "-t", "-u", "--buildid-dir",
            "--call-graph", "--cgroup", "--clockid", "--count", "--cpu", "--debug", "--delay", "--duration", "--event",
            "--filter", "--freq", "--interval-print", "--mmap-pages", "--output", "--pid", "--proc-map-timeout",
            "--repeat", "--tid", "--timeout", "--uid",
        ],
        runs: &[
            Runs::Rest(Rest { after: &["ftrace", "record", "stat", "trace"], ..Rest::PLAIN }),
            Runs::Rest(Rest { after: &["ftrace", "record", "stat", "trace"], skip: 1, ..Rest::PLAIN }),
        ],
        ..Program::EMPTY
    }),
    ("perl", &Program {
        value_options: &["-e", "-E", "-I", "-F?", "-M?", "-m?", "-x?"],
        options_first: true,
        runs: &[Runs::File { after: &[], options: &[], unless: &["-e", "-E"] }],
        writes: &[Writes::OperandsWith(&["-i"])],
        ..Program::EMPTY
    }),
    ("pgrphack", &CHRONIC),
    ("php", &Program {
        value_options: &[
            "-B", "-E", "-F", "-R", "-S", "-c", "-d", "-f", "-r", "-t", "-z", "--define", "--docroot", "--file",
            "--php-ini", "--process-begin", "--process-code", "--process-end", "--process-file", "--run", "--server",
            "--zend-extension",
        ],
        options_first: true,
        runs: &[
            Runs::File { after: &[], options: &[], unless: &["-B", "-E", "-F", "-R", "-f", "-r", "--file", "--run"] },
            Runs::File { after: &[], options: &["-F", "-f", "--file", "--process-file"], unless: &[] },
        ],
        ..Program::EMPTY
    }),
    ("pipenv", &Program {
        value_options: &["--pypi-mirror", "--python"],
        runs: &[
            Runs::Rest(Rest { after: &["run"], ..Rest::PLAIN }),
            Runs::Session(Session { after: &["shell"], skip: 0, with: &[], unless: &[], shell: Any }),
        ],
        ..Program::EMPTY
    }),
    ("pipesz", &Program {
        value_options: &["-f", "-n", "-s", "--fd", "--file", "--set"],
        runs: &[Runs::Rest(Rest::PLAIN)],
        ..Program::EMPTY
    }),
    ("pipx", &Program {
        value_options: &[
            "-i", "--backend", "--cooldown", "--fetch-python", "--index-url", "--pip-args", "--python",
            "--python-args", "--spec", "--with",
        ],
        runs: &[Runs::Rest(Rest { after: &["run"], ..Rest::PLAIN })],
        ..Program::EMPTY
    }),
    ("pixi", &Program {
        value_options: &["-e", "-m", "-s", "--color", "--environment", "--manifest-path", "--spec"],
        runs: &[Runs::Rest(Rest { after: &["exec", "run", "x"], ..Rest::PLAIN })],
        ..Program::EMPTY
    }),
    ("pkexec", &Program {
        value_options: &["--process", "--user"],
        runs: &[Runs::Rest(Rest::PLAIN)],
        ..Program::EMPTY
    }),
    ("pkgx", &CHRONIC),
    ("pnpm", &Program {
        value_options: &[
            "-C", "-F", "--allow-build", "--changed-files-ignore-pattern", "--cpu", "--dir", "--env-file", "--filter",
            "--filter-prod", "--http-proxy", "--https-proxy", "--libc", "--loglevel", "--npmrc-auth-file", "--os",
            "--package", "--registry", "--reporter", "--resume-from", "--state-dir", "--store-dir", "--test-pattern",
            "--userconfig", "--workspace-concurrency", "--workspace-packages",
        ],
        directory_options: &["-C", "--dir"],
        runs: &[
            Runs::Joined { after: &["cross-env-shell"], skip: 0, shell: Any, unless: &[] },
            Runs::Rest(Rest { after: &["shx"], ..Rest::PLAIN }),
            Runs::Rest(Rest { after: &["cross-env"], assignments: true, ..Rest::PLAIN }),
            Runs::Rest(Rest { after: &["dlx", "exec", "x"], ..Rest::PLAIN }),
        ],
        ..Program::EMPTY
    }),
    ("pnpx", &BUNX),
    ("podman", &DOCKER),
    ("podman-remote", &DOCKER),
    ("poetry", &Program {
        value_options: &["-C", "-P", "--directory", "--project"],
        directory_options: &["-C", "--directory"],
        runs: &[
            Runs::Rest(Rest { after: &["run"], ..Rest::PLAIN }),
            Runs::Session(Session { after: &["shell"], skip: 0, with: &[], unless: &[], shell: Any }),
        ],
        ..Program::EMPTY
    }),
    ("prime-run", &CHRONIC),
    ("primusrun", &CHRONIC),
    ("prlimit", &Program {
        value_options: &["-o", "-p", "--output", "--pid"],
        runs: &[Runs::Rest(Rest::PLAIN)],
        ..Program::EMPTY
    }),
    ("proot", &Program {
        value_options: &[
            "-R", "-S", "-b", "-i", "-k", "-m", "-q", "-r", "-v", "-w", "--bind", "--change-id", "--cwd",
            "--kernel-release", "--mount", "--pwd", "--qemu", "--rootfs", "--verbose",
        ],
        directory_options: &["-w", "--cwd", "--pwd"],
        runs: &[
            Runs::Rest(Rest::PLAIN),
            Runs::Session(Session { after: &[], skip: 0, with: &[], unless: &[], shell: Any }),
        ],
        ..Program::EMPTY
    }),
    ("proxychains", &PROXYCHAINS),
    ("proxychains4", &PROXYCHAINS),
    ("prun", &MPIRUN),
    ("pssh", &PDSH),
    ("ptyxis", &GNOME_TERMINAL),
    ("py-spy", &PY_SPY),
    ("pyenv", &ASDF),
    ("pypy", &PYTHON),
    ("pypy3", &PYTHON),
    ("python", &PYTHON),
    ("python2", &PYTHON),
    ("python3", &PYTHON),
    ("qemu-aarch64", &QEMU_X86_64),
    ("qemu-aarch64-static", &QEMU_X86_64),
    ("qemu-arm", &QEMU_X86_64),
    ("qemu-arm-static", &QEMU_X86_64),
    ("qemu-i386", &QEMU_X86_64),
    ("qemu-i386-static", &QEMU_X86_64),
    ("qemu-x86_64", &QEMU_X86_64),
    ("qemu-x86_64-static", &QEMU_X86_64),
    ("qrsh", &QSUB),
    ("qsub", &QSUB),
    ("racket", &Program {
        value_options: &["-e", "-f", "-l", "-p", "-r", "-t", "-u", "--eval", "--load", "--require"],
        runs: &[
            Runs::File { after: &[], options: &[], unless: &["-e", "-l", "-p", "--eval"] },
            Runs::File { after: &[], options: &["-f", "-r", "-t", "-u", "--load", "--require"], unless: &[] },
        ],
        ..Program::EMPTY
    }),
    ("raku", &Program {
        value_options: &["-I", "-M", "-e"],
        runs: &[Runs::File { after: &[], options: &[], unless: &["-e"] }],
        ..Program::EMPTY
    }),
    ("rbenv", &ASDF),
    ("repo", &Program {
        value_options: &["-g", "-j", "-r", "-i", "--groups", "--jobs", "--regex", "-c", "--command"],
        runs: &[
            Runs::Between { starts: &["-c", "--command"], ends: &[], placeholder: "" },
            Runs::Code { options: &["-c", "--command"], shell: Any, first_operand: false },
        ],
        ..Program::EMPTY
    }),
    ("retry", &Program {
        value_options: &["-d", "-m", "-t", "-u", "-w", "--delay", "--max", "--times", "--until", "--while"],
        runs: &[Runs::Rest(Rest::PLAIN)],
        ..Program::EMPTY
    }),
    ("riverctl", &NIRI),
    ("rlwrap", &Program {
        value_options: &[
            "-C", "-D", "-H", "-M", "-O", "-P", "-S", "-b", "-e", "-f", "-g", "-l", "-q", "-s", "-t", "-w", "-z",
            "--break-chars", "--command-name", "--extra-char-after-completion", "--file", "--filter",
            "--forget-matching", "--histsize", "--history-filename", "--history-no-dupes", "--logfile",
            "--multi-line?", "--multi-line-ext", "--only-cook", "--pre-given", "--prompt-colour?",
            "--quote-characters", "--set-term-name", "--substitute-prompt", "--wait-before-prompt",
        ],
        runs: &[Runs::Rest(Rest::PLAIN)],
        ..Program::EMPTY
    }),
    ("rr", &Program {
        value_options: &["-n", "-o", "-v", "--env", "--num-cores", "--output-trace-dir"],
        runs: &[
            Runs::Rest(Rest::PLAIN),
            Runs::Rest(Rest { after: &["record"], ..Rest::PLAIN }),
        ],
        ..Program::EMPTY
    }),
    ("rtx", &MISE),
    ("ruby", &Program {
        value_options: &[
            "-C", "-E", "-I", "-e", "-r", "-F?", "-K?", "-X", "--backtrace-limit", "--disable", "--dump", "--enable",
            "--encoding", "--external-encoding", "--internal-encoding",
        ],
        options_first: true,
        runs: &[Runs::File { after: &[], options: &[], unless: &["-e"] }],
        ..Program::EMPTY
    }),
    ("run0", &Program {
        value_options: &[
            "-D", "-a", "-g", "-u", "--area", "--background", "--chdir", "--description", "--group", "--lightweight",
            "--machine", "--nice", "--property", "--setenv", "--shell-prompt-prefix", "--slice", "--unit", "--user",
        ],
        directory_options: &["-D", "--chdir"],
        runs: &[
            Runs::Rest(Rest::PLAIN),
            Runs::Session(Session { after: &[], skip: 0, with: &[], unless: &[], shell: Any }),
        ],
        ..Program::EMPTY
    }),
    ("runcon", &Program {
        value_options: &["-l", "-r", "-t", "-u", "--range", "--role", "--type", "--user"],
        runs: &[
            Runs::Rest(Rest::PLAIN),
            Runs::Rest(Rest { skip: 1, ..Rest::PLAIN }),
        ],
        ..Program::EMPTY
    }),
    ("runuser", &Program {
        value_options: &[
            "-c", "-g", "-G", "-s", "-u", "-w", "--command", "--group", "--session-command", "--shell", "--supp-group",
            "--user", "--whitelist-environment",
        ],
        runs: &[
            Runs::Code { options: &["-c", "--command", "--session-command"], shell: Any, first_operand: false },
            Runs::Rest(Rest::PLAIN),
            Runs::Session(Session { after: &[], skip: 2, with: &[], unless: &["-c", "--command", "--session-command"], shell: Any }),
        ],
        ..Program::EMPTY
    }),
    ("rush", &Program {
        value_options: &["-D", "-T", "-d", "-f", "-i", "-j", "-n", "-r", "-t", "-v"],
        runs: &[Runs::Operand { skip: 0, shell: Any }],
        ..Program::EMPTY
    }),
    ("rustup", &Program {
        runs: &[Runs::Rest(Rest { after: &["run"], skip: 1, ..Rest::PLAIN })],
        ..Program::EMPTY
    }),
    ("rvm", &Program {
        runs: &[Runs::Rest(Rest { after: &["do", "exec"], ..Rest::PLAIN })],
        ..Program::EMPTY
    }),
    ("rye", &Program {
        runs: &[Runs::Rest(Rest { after: &["run"], ..Rest::PLAIN })],
        ..Program::EMPTY
    }),
    ("s6-envdir", &ENVDIR),
    ("s6-envuidgid", &ENVDIR),
    ("s6-setsid", &CATATONIT),
    ("s6-setuidgid", &GOSU),
    ("salloc", &SRUN),
    ("salt", &SALT),
    ("salt-call", &Program {
        value_options: &["-c", "-l", "--config-dir", "--log-level", "--out"],
        runs: &[Runs::Joined { after: &[], skip: 1, shell: Any, unless: &[] }],
        ..Program::EMPTY
    }),
    ("salt-ssh", &SALT),
    ("samply", &PY_SPY),
    ("sandbox-exec", &Program {
        value_options: &["-D", "-f", "-n", "-p"],
        runs: &[Runs::Rest(Rest::PLAIN)],
        ..Program::EMPTY
    }),
    ("sbatch", &Program {
        value_options: &[
            "-A", "-C", "-D", "-G", "-J", "-N", "-c", "-d", "-e", "-i", "-n", "-o", "-p", "-q", "-t", "-w", "--chdir",
            "--error", "--job-name", "--mem", "--nodes", "--ntasks", "--output", "--partition", "--time", "--wrap",
        ],
        runs: &[Runs::Code { options: &["--wrap"], shell: Any, first_operand: false }],
        writes: &[Writes::Values(&["-e", "-o", "--error", "--output"])],
        ..Program::EMPTY
    }),
    ("scan-build", &Program {
        value_options: &["-o", "--use-analyzer", "--use-c++", "--use-cc"],
        runs: &[Runs::Rest(Rest::PLAIN)],
        ..Program::EMPTY
    }),
    ("sccache", &VALGRIND),
    ("schroot", &SCHROOT),
    ("scl", &Program {
        runs: &[
            Runs::Rest(Rest { after: &["enable"], skip: 1, ..Rest::PLAIN }),
            Runs::Rest(Rest { after: &["enable"], skip: 2, ..Rest::PLAIN }),
            Runs::Operand { skip: 2, shell: Any },
            Runs::Operand { skip: 3, shell: Any },
            Runs::Operand { skip: 4, shell: Any },
        ],
        ..Program::EMPTY
    }),
    ("screen", &Program {
        value_options: &["-Logfile", "-S", "-T", "-c", "-e", "-h", "-p", "-s", "-t"],
        runs: &[Runs::Rest(Rest::PLAIN)],
        ..Program::EMPTY
    }),
    ("script", &Program {
        value_options: &[
            "-B", "-E", "-I", "-O", "-T", "-c", "-m", "-o", "-t?", "--command", "--echo", "--log-in", "--log-io",
            "--log-out", "--log-timing", "--logging-format", "--output-limit", "--timing?",
        ],
        runs: &[
            Runs::Code { options: &["-c", "--command"], shell: Any, first_operand: false },
            Runs::Rest(Rest::PLAIN),
            Runs::Rest(Rest { skip: 1, ..Rest::PLAIN }),
            Runs::Session(Session { after: &[], skip: 1, with: &[], unless: &["-c", "--command"], shell: Any }),
        ],
        writes: &[
            Writes::Operands,
            Writes::Values(&["-B", "-I", "-O", "-T", "--log-in", "--log-io", "--log-out", "--log-timing"]),
        ],
        ..Program::EMPTY
    }),
    ("scriptlive", &Program {
        value_options: &[
            "-B", "-E", "-I", "-T", "-c", "-d", "-m", "-t", "--command", "--divisor", "--echo", "--log-in", "--log-io",
            "--log-timing", "--maxdelay", "--timing",
        ],
        runs: &[Runs::Code { options: &["-c", "--command"], shell: Any, first_operand: false }],
        ..Program::EMPTY
    }),
    ("sem", &PARALLEL),
    ("server-test", &START_SERVER_AND_TEST),
    ("setarch", &Program {
        value_options: &["-p"],
        runs: &[
            Runs::Rest(Rest::PLAIN),
            Runs::Rest(Rest { skip: 1, ..Rest::PLAIN }),
            Runs::Session(Session { after: &[], skip: 1, with: &[], unless: &[], shell: Any }),
        ],
        ..Program::EMPTY
    }),
    ("setlock", &Program {
        runs: &[Runs::Rest(Rest { skip: 1, ..Rest::PLAIN })],
        ..Program::EMPTY
    }),
    ("setpgid", &Program {
        runs: &[Runs::Rest(Rest::PLAIN)],
        ..Program::EMPTY
    }),
    ("setpriv", &Program {
        value_options: &[
            "--ambient-caps", "--apparmor-profile", "--bounding-set", "--egid", "--euid", "--groups", "--inh-caps",
            "--landlock-access", "--landlock-rule", "--list-landlock-rights", "--pdeathsig", "--ptracer", "--regid",
            "--reuid", "--rgid", "--ruid", "--seccomp-filter", "--securebits", "--selinux-label",
        ],
        runs: &[Runs::Rest(Rest::PLAIN)],
        ..Program::EMPTY
    }),
    ("setsid", &Program {
        runs: &[Runs::Rest(Rest::PLAIN)],
        ..Program::EMPTY
    }),
    ("setuidgid", &GOSU),
    ("sftp", &Program {
        value_options: &["-B", "-D", "-F", "-J", "-P", "-R", "-S", "-X", "-b", "-c", "-i", "-l", "-o", "-s"],
        runs: &[Runs::Session(Session { after: &[], skip: 2, with: &[], unless: &["-b"], shell: Foreign })],
        writes: &[Writes::LastOperand],
        ..Program::EMPTY
    }),
    ("sg", &Program {
        value_options: &["-c"],
        runs: &[
            Runs::Code { options: &["-c"], shell: Any, first_operand: false },
            Runs::Operand { skip: 1, shell: Any },
            Runs::Session(Session { after: &[], skip: 1, with: &[], unless: &["-c"], shell: Any }),
        ],
        ..Program::EMPTY
    }),
    ("shx", &Program {
        runs: &[Runs::Rest(Rest::PLAIN)],
        ..Program::EMPTY
    }),
    ("singularity", &APPTAINER),
    ("softlimit", &Program {
        value_options: &["-a", "-c", "-d", "-f", "-l", "-m", "-o", "-p", "-r", "-s", "-t"],
        runs: &[Runs::Rest(Rest::PLAIN)],
        ..Program::EMPTY
    }),
    ("sops", &Program {
        value_options: &["-a", "-i", "-k", "-o", "--config", "--output"],
        runs: &[Runs::Operand { skip: 2, shell: Any }],
        writes: &[Writes::Values(&["-o", "--output"])],
        ..Program::EMPTY
    }),
    ("spack", &Program {
        runs: &[Runs::Rest(Rest { after: &["build-env", "test-env"], skip: 1, ..Rest::PLAIN })],
        ..Program::EMPTY
    }),
    ("srun", &SRUN),
    ("ssh", &Program {
        value_options: &[
            "-B", "-b", "-c", "-D", "-E", "-e", "-F", "-I", "-i", "-J", "-L", "-l", "-m", "-O", "-o", "-p", "-Q", "-R",
            "-S", "-W", "-w",
        ],
        runs: &[
            Runs::Joined { after: &[], skip: 1, shell: Any, unless: &[] },
            Runs::Session(Session { after: &[], skip: 1, with: &[], unless: &["-G", "-N", "-O", "-Q", "-V", "-W", "-f", "-n"], shell: Any }),
        ],
        writes: &[Writes::Values(&["-E"])],
        ..Program::EMPTY
    }),
    ("ssh-agent", &Program {
        value_options: &["-E", "-O", "-P", "-a", "-t"],
        runs: &[Runs::Rest(Rest::PLAIN)],
        ..Program::EMPTY
    }),
    ("sshpass", &Program {
        value_options: &["-P", "-d", "-f", "-p"],
        runs: &[Runs::Rest(Rest::PLAIN)],
        ..Program::EMPTY
    }),
    ("stack", &Program {
        value_options: &[
            "-C", "--compiler", "--cwd", "--package", "--resolver", "--rts-options", "--snapshot", "--stack-root",
            "--stack-yaml", "--work-dir",
        ],
        directory_options: &["-C", "--cwd"],
        runs: &[Runs::Rest(Rest { after: &["exec"], ..Rest::PLAIN })],
        ..Program::EMPTY
    }),
    ("start-server-and-test", &START_SERVER_AND_TEST),
    ("start-test", &START_SERVER_AND_TEST),
    ("stdbuf", &Program {
        value_options: &["-e", "-i", "-o", "--error", "--input", "--output"],
        runs: &[Runs::Rest(Rest::PLAIN)],
        ..Program::EMPTY
    }),
    ("strace", &Program {
        value_options: &[
            "-E", "-I", "-O", "-P", "-S", "-U", "-X", "-a", "-b", "-e", "-o", "-p", "-s", "-u", "--abbrev", "--argv0",
            "--attach", "--columns", "--const-print-style", "--decode-pids", "--detach-on", "--env", "--fault",
            "--inject", "--interruptible", "--kvm", "--output", "--raw", "--read", "--signals",
            "--stack-trace-frame-limit", "--status", "--string-limit", "--summary?", "--summary-columns",
            "--summary-sort-by", "--summary-syscall-overhead", "--syscall-limit", "--trace", "--trace-fds",
            "--trace-path", "--user", "--verbose", "--write",
        ],
        runs: &[Runs::Rest(Rest::PLAIN)],
        writes: &[Writes::Values(&["-o", "--output"])],
        ..Program::EMPTY
    }),
    ("su", &SU),
    ("su-exec", &GOSU),
    ("su-rs", &SU),
    ("sudo", &SUDO),
    ("sudo-rs", &SUDO),
    ("swaymsg", &I3_MSG),
    ("systemd-cat", &Program {
        value_options: &[
            "-p", "-t", "--identifier", "--level-prefix", "--namespace", "--priority", "--stderr-priority",
        ],
        runs: &[Runs::Rest(Rest::PLAIN)],
        ..Program::EMPTY
    }),
    ("systemd-inhibit", &Program {
        value_options: &["--mode", "--what", "--who", "--why"],
        runs: &[Runs::Rest(Rest::PLAIN)],
        ..Program::EMPTY
    }),
    ("systemd-run", &Program {
        value_options: &[
            "-C", "-E", "-H", "-M", "-p", "-u", "--background", "--capsule", "--description", "--expand-environment",
            "--gid", "--host", "--job-mode", "--json", "--machine", "--nice", "--on-active", "--on-boot",
            "--on-calendar", "--on-startup", "--on-unit-active", "--on-unit-inactive", "--path-property", "--property",
            "--root-directory", "--service-type", "--setenv", "--shell-prompt-prefix", "--slice", "--socket-property",
            "--timer-property", "--uid", "--unit", "--working-directory",
        ],
        directory_options: &["--working-directory"],
        runs: &[
            Runs::Rest(Rest::PLAIN),
            Runs::Session(Session { after: &[], skip: 0, with: &["-S", "--shell"], unless: &[], shell: Any }),
        ],
        ..Program::EMPTY
    }),
    ("systemd-socket-activate", &Program {
        value_options: &["-E", "-l", "--fdname", "--listen", "--setenv"],
        runs: &[Runs::Rest(Rest::PLAIN)],
        ..Program::EMPTY
    }),
    ("taskset", &Program {
        runs: &[Runs::Rest(Rest { unless: &["-p", "--pid"], skip: 1, ..Rest::PLAIN })],
        ..Program::EMPTY
    }),
    ("tclsh", &Program {
        value_options: &["-encoding"],
        runs: &[Runs::File { after: &[], options: &[], unless: &[] }],
        ..Program::EMPTY
    }),
    ("tcpserver", &TCPSVD),
    ("tcpsvd", &TCPSVD),
    ("teller", &Program {
        value_options: &["-c", "--config"],
        runs: &[Runs::Rest(Rest { after: &["run"], ..Rest::PLAIN })],
        ..Program::EMPTY
    }),
    ("time", &TIME),
    ("timeout", &TIMEOUT),
    ("tini", &Program {
        value_options: &["-e", "-p"],
        runs: &[Runs::Rest(Rest::PLAIN)],
        ..Program::EMPTY
    }),
    ("tmux", &Program {
        value_options: &["-F", "-L", "-S", "-T", "-c", "-e", "-f", "-l", "-n", "-s", "-t", "-x", "-y"],
        runs: &[Runs::Joined { after: &[], skip: 1, shell: Any, unless: &[] }],
        ..Program::EMPTY
    }),
    ("toolbox", &Program {
        value_options: &["-c", "-d", "-r", "--container", "--distro", "--release"],
        runs: &[
            Runs::Rest(Rest { after: &["run"], ..Rest::PLAIN }),
            Runs::Session(Session { after: &["enter"], skip: 1, with: &[], unless: &[], shell: Any }),
        ],
        ..Program::EMPTY
    }),
    ("torify", &TORSOCKS),
    ("torsocks", &TORSOCKS),
    ("tox", &LERNA),
    ("trickle", &Program {
        value_options: &["-L", "-P", "-d", "-l", "-n", "-t", "-u", "-w"],
        runs: &[Runs::Rest(Rest::PLAIN)],
        ..Program::EMPTY
    }),
    ("ts-node", &Program {
        value_options: &[
            "-C", "-D", "-I", "-O", "-P", "-e", "-p", "-r", "--compiler", "--compiler-options", "--cwd", "--eval",
            "--ignore", "--print", "--project", "--require",
        ],
        runs: &[Runs::File { after: &[], options: &[], unless: &["-e", "-p", "--eval", "--print"] }],
        ..Program::EMPTY
    }),
    ("tsh", &Program {
        value_options: &[
            "-J", "-L", "-N", "-R", "-i", "-l", "-o", "-p", "--cluster", "--identity", "--login", "--proxy", "--user",
        ],
        runs: &[
            Runs::Joined { after: &["ssh"], skip: 1, shell: Any, unless: &[] },
            Runs::Session(Session { after: &["ssh"], skip: 1, with: &[], unless: &[], shell: Any }),
        ],
        ..Program::EMPTY
    }),
    ("tsocks", &TORSOCKS),
    ("tsp", &Program {
        value_options: &["-D", "-L"],
        runs: &[Runs::Rest(Rest::PLAIN)],
        ..Program::EMPTY
    }),
    ("tsx", &Program {
        value_options: &["-e", "-p", "-r", "--eval", "--import", "--print", "--require", "--tsconfig"],
        runs: &[Runs::File { after: &[], options: &[], unless: &["-e", "-p", "--eval", "--print"] }],
        ..Program::EMPTY
    }),
    ("uclampset", &Program {
        value_options: &["-M", "-m", "-p", "--pid"],
        runs: &[Runs::Rest(Rest::PLAIN)],
        ..Program::EMPTY
    }),
    ("udpsvd", &TCPSVD),
    ("uftrace", &Program {
        value_options: &["-A", "-D", "-F", "-L", "-N", "-P", "-b", "-d", "-t"],
        runs: &[
            Runs::Rest(Rest::PLAIN),
            Runs::Rest(Rest { after: &["live", "record"], ..Rest::PLAIN }),
        ],
        ..Program::EMPTY
    }),
    ("uname26", &LINUX64),
    ("unbuffer", &Program {
        runs: &[Runs::Rest(Rest::PLAIN)],
        ..Program::EMPTY
    }),
    ("unshare", &Program {
        value_options: &[
            "-G", "-R", "-S", "-l", "-w", "--boottime", "--load-interp", "--map-group", "--map-groups", "--map-user",
            "--map-users", "--monotonic", "--owner", "--propagation", "--root", "--setgid", "--setgroups", "--setuid",
            "--wd", "--whitelist-env",
        ],
        directory_options: &["-w", "--wd"],
        runs: &[
            Runs::Rest(Rest::PLAIN),
            Runs::Session(Session { after: &[], skip: 0, with: &[], unless: &[], shell: Any }),
        ],
        ..Program::EMPTY
    }),
    ("uv", &Program {
        value_options: &[
            "-C", "-P", "-f", "-i", "-p", "-w", "--allow-insecure-host", "--cache-dir", "--color", "--config-file",
            "--config-setting", "--config-settings-package", "--default-index", "--directory", "--env-file",
            "--exclude-newer", "--exclude-newer-package", "--extra", "--extra-index-url", "--find-links",
            "--fork-strategy", "--from", "--group", "--index", "--index-strategy", "--index-url", "--keyring-provider",
            "--link-mode", "--no-binary?", "--no-binary-package", "--no-build?", "--no-build-isolation?",
            "--no-build-isolation-package", "--no-build-package", "--no-editable?", "--no-editable-package",
            "--no-extra", "--no-group", "--no-sources?", "--no-sources-package", "--only-group", "--package",
            "--prerelease", "--prerelease-package", "--project", "--python", "--python-platform", "--refresh?",
            "--refresh-package", "--reinstall?", "--reinstall-package", "--resolution", "--upgrade?",
            "--upgrade-group", "--upgrade-package", "--with", "--with-editable", "--with-requirements", "--clear?",
        ],
        directory_options: &["--directory"],
        runs: &[
            Runs::Rest(Rest { after: &["run"], ..Rest::PLAIN }),
            Runs::File { after: &["run"], options: &[], unless: &[] },
        ],
        ..Program::EMPTY
    }),
    ("uvx", &Program {
        value_options: &[
            "-C", "-P", "-b", "-c", "-f", "-i", "-p", "-w", "--allow-insecure-host", "--build-constraints",
            "--cache-dir", "--color", "--config-file", "--config-setting", "--config-settings-package",
            "--constraints", "--default-index", "--directory", "--env-file", "--exclude-newer",
            "--exclude-newer-package", "--extra-index-url", "--find-links", "--fork-strategy", "--from", "--index",
            "--index-strategy", "--index-url", "--keyring-provider", "--link-mode", "--no-binary?",
            "--no-binary-package", "--no-build?", "--no-build-isolation?", "--no-build-isolation-package",
            "--no-build-package", "--no-sources?", "--no-sources-package", "--overrides", "--prerelease",
            "--prerelease-package", "--project", "--python", "--python-platform", "--refresh?", "--refresh-package",
            "--reinstall?", "--reinstall-package", "--resolution", "--torch-backend", "--upgrade?",
            "--upgrade-package", "--with", "--with-editable", "--with-requirements",
        ],
        directory_options: &["--directory"],
        runs: &[Runs::Rest(Rest::PLAIN)],
        ..Program::EMPTY
    }),
    ("uwsm", &Program {
        runs: &[Runs::Rest(Rest { after: &["app", "start"], ..Rest::PLAIN })],
        ..Program::EMPTY
    }),
    ("vagrant", &Program {
        value_options: &["-c", "--command"],
        runs: &[
            Runs::Code { options: &["-c", "--command"], shell: Any, first_operand: false },
            Runs::Session(Session { after: &["ssh"], skip: 1, with: &[], unless: &["-c", "--command"], shell: Any }),
        ],
        ..Program::EMPTY
    }),
    ("valgrind", &VALGRIND),
    ("vglrun", &CHRONIC),
    ("volta", &Program {
        value_options: &["--node", "--npm", "--pnpm", "--yarn"],
        runs: &[Runs::Rest(Rest { after: &["run"], ..Rest::PLAIN })],
        ..Program::EMPTY
    }),
    ("vtune", &Program {
        value_options: &[
            "-c", "-collect", "-d", "-duration", "-knob", "-k", "-r", "-result-dir", "--collect", "--result-dir",
        ],
        runs: &[Runs::Rest(Rest::PLAIN)],
        ..Program::EMPTY
    }),
    ("wait-for-it", &WAIT_FOR_IT),
    ("wait-for-it.sh", &WAIT_FOR_IT),
    ("watch", &Program {
        value_options: &["-d?", "-n", "-q", "-s", "--differences?", "--equexit", "--interval", "--shotsdir"],
        runs: &[
            Runs::Joined { after: &[], skip: 0, shell: Any, unless: &["-x", "--exec"] },
            Runs::Rest(Rest::PLAIN),
        ],
        ..Program::EMPTY
    }),
    ("watchexec", &Program {
        value_options: &[
            "-E", "-F", "-W", "-d", "-e", "-f", "-i", "-j", "-o", "-s", "-w", "--color", "--debounce", "--delay-run",
            "--emit-events-to", "--env", "--exts", "--filter", "--filter-file", "--filter-prog", "--fs-events",
            "--ignore", "--ignore-file", "--log-file", "--map-signal", "--on-busy-update", "--project-origin",
            "--shell", "--signal", "--socket", "--stop-signal", "--stop-timeout", "--timeout", "--watch",
            "--watch-file", "--watch-non-recursive", "--workdir", "--wrap-process",
        ],
        directory_options: &["--workdir"],
        runs: &[
            Runs::Joined { after: &[], skip: 0, shell: Any, unless: &[] },
            Runs::Rest(Rest::PLAIN),
        ],
        ..Program::EMPTY
    }),
    ("websocketd", &Program {
        value_options: &["--address", "--cgidir", "--dir", "--port", "--staticdir"],
        runs: &[Runs::Rest(Rest::PLAIN)],
        ..Program::EMPTY
    }),
    ("wezterm", &Program {
        value_options: &["--class", "--config", "--config-file", "--cwd", "--workspace"],
        directory_options: &["--cwd"],
        runs: &[Runs::Rest(Rest { after: &["spawn", "start"], ..Rest::PLAIN })],
        ..Program::EMPTY
    }),
    ("when-changed", &ONCHANGE),
    ("wish", &Program {
        runs: &[Runs::File { after: &[], options: &[], unless: &[] }],
        ..Program::EMPTY
    }),
    ("with-contenv", &CATATONIT),
    ("wsl", &Program {
        value_options: &["-d", "-u", "--cd", "--distribution", "--shell-type", "--user"],
        directory_options: &["--cd"],
        runs: &[
            Runs::Rest(Rest::PLAIN),
            Runs::Session(Session { after: &[], skip: 0, with: &[], unless: &["-l", "--export", "--import", "--list", "--set-default", "--shutdown", "--status", "--terminate", "--unregister", "--update"], shell: Any }),
        ],
        ..Program::EMPTY
    }),
    ("x86_64", &LINUX64),
    ("xargs", &XARGS),
    ("xcrun", &Program {
        value_options: &["-sdk", "-toolchain", "--sdk", "--toolchain"],
        runs: &[Runs::Rest(Rest::PLAIN)],
        ..Program::EMPTY
    }),
    ("xonsh", &Program {
        value_options: &["-c", "--rc"],
        runs: &[Runs::File { after: &[], options: &[], unless: &["-c"] }],
        ..Program::EMPTY
    }),
    ("xvfb-run", &Program {
        value_options: &[
            "-e", "-f", "-n", "-p", "-s", "-w", "--auth-file", "--error-file", "--server-args", "--server-num",
            "--wait", "--xauth-protocol",
        ],
        runs: &[Runs::Rest(Rest::PLAIN)],
        ..Program::EMPTY
    }),
    ("yarn", &Program {
        value_options: &["-p", "--cwd", "--package", "-T?", "--top-level?"],
        directory_options: &["--cwd"],
        runs: &[
            Runs::Joined { after: &["cross-env-shell"], skip: 0, shell: Any, unless: &[] },
            Runs::Rest(Rest { after: &["shx", "run"], ..Rest::PLAIN }),
            Runs::Rest(Rest { after: &["cross-env"], assignments: true, ..Rest::PLAIN }),
            Runs::Rest(Rest { after: &["dlx", "exec"], ..Rest::PLAIN }),
        ],
        ..Program::EMPTY
    }),
    ("zellij", &Program {
        value_options: &[
            "-c", "-d", "-l", "-n", "-s", "--config", "--cwd", "--direction", "--layout", "--name", "--session",
        ],
        runs: &[Runs::Rest(Rest { after: &["run"], ..Rest::PLAIN })],
        ..Program::EMPTY
    }),
    ("zrun", &CHRONIC),
]);

#[rustfmt::skip]
static APPTAINER: Program<'_> = Program {
    name: "apptainer",
    value_options: &[
        "-B", "-H", "-S", "-W", "-o", "--add-caps", "--app", "--bind", "--cwd", "--drop-caps", "--env", "--env-file",
        "--home", "--mount", "--network", "--overlay", "--pwd", "--scratch", "--security", "--workdir",
    ],
    runs: &[
        Runs::Rest(Rest { after: &["exec", "run"], skip: 1, ..Rest::PLAIN }),
        Runs::Session(Session { after: &["shell"], skip: 2, with: &[], unless: &[], shell: Any }),
    ],
    ..Program::EMPTY
};
#[rustfmt::skip]
static ASDF: Program<'_> = Program {
    name: "asdf",
    value_options: &["-C"],
    runs: &[Runs::Rest(Rest { after: &["exec"], ..Rest::PLAIN })],
    ..Program::EMPTY
};
#[rustfmt::skip]
static BUNX: Program<'_> = Program {
    name: "bunx",
    value_options: &["-p", "--package"],
    runs: &[Runs::Rest(Rest::PLAIN)],
    ..Program::EMPTY
};
#[rustfmt::skip]
static CATATONIT: Program<'_> = Program {
    name: "catatonit",
    runs: &[Runs::Rest(Rest::PLAIN)],
    ..Program::EMPTY
};
#[rustfmt::skip]
static CHRONIC: Program<'_> = Program {
    name: "chronic",
    runs: &[Runs::Rest(Rest::PLAIN)],
    ..Program::EMPTY
};
#[rustfmt::skip]
static CONDA: Program<'_> = Program {
    name: "conda",
    value_options: &["-e", "-n", "-p", "-r", "--cwd", "--env", "--name", "--prefix", "--root-prefix"],
    directory_options: &["--cwd"],
    runs: &[Runs::Rest(Rest { after: &["run"], ..Rest::PLAIN })],
    ..Program::EMPTY
};
#[rustfmt::skip]
static CRICTL: Program<'_> = Program {
    name: "crictl",
    value_options: &[
        "-a", "-c", "-i?", "-n", "-r", "-t", "--address", "--config", "--exec-id", "--namespace", "--runtime-endpoint",
        "--cap-add", "--device", "--env", "--label", "--mount", "--runtime", "--snapshotter", "--with-ns",
    ],
    runs: &[Runs::Rest(Rest { after: &["exec"], skip: 1, ..Rest::PLAIN })],
    ..Program::EMPTY
};
#[rustfmt::skip]
static DOCKER: Program<'_> = Program {
    name: "docker",
    value_options: &[
        "-H", "-a", "-c", "-e", "-f", "-l", "-p", "-u", "-v", "-w", "--address", "--cap-add", "--cgroup-manager",
        "--config", "--connection", "--context", "--detach-keys", "--device", "--entrypoint", "--env", "--env-file",
        "--file", "--filter", "--format", "--host", "--identity", "--index", "--ipc", "--log-level", "--mount",
        "--name", "--namespace", "--net", "--network", "--pid", "--profile", "--project-directory", "--project-name",
        "--publish", "--root", "--runroot", "--runtime", "--security-opt", "--snapshotter", "--storage-driver",
        "--storage-opt", "--tag", "--tls?", "--tlscacert", "--tlscert", "--tlskey", "--tmpdir", "--url", "--user",
        "--userns", "--volume", "--workdir", "-h", "-m", "-o", "--add-host", "--annotation", "--authfile",
        "--build-arg", "--cap-drop", "--cgroup-parent", "--cgroupns", "--cidfile", "--cpus", "--cpuset-cpus", "--dns",
        "--driver", "--expose", "--gpus", "--health-cmd", "--hostname", "--ip", "--label", "--label-file", "--link",
        "--log-driver", "--log-opt", "--memory", "--opt", "--platform", "--pull", "--restart", "--rootfs?", "--secret",
        "--shm-size", "--stop-signal", "--sysctl", "--target", "--tmpfs", "--ulimit", "--uts", "--volume-driver",
        "--volumes-from",
    ],
    elsewhere: &["create", "run"],
    runs: &[
        Runs::Rest(Rest { after: &["exec"], skip: 1, ..Rest::PLAIN }),
        Runs::Rest(Rest { after: &["unshare"], ..Rest::PLAIN }),
    ],
    writes: &[Writes::LastOperandOf(&[&["compose", "cp", "*"], &["container", "cp", "*"], &["cp", "*"]])],
    ..Program::EMPTY
};
#[rustfmt::skip]
static ENV: Program<'_> = Program {
    name: "env",
    value_options: &[
        "-C", "-L", "-P", "-S", "-U", "-a", "-u", "--argv0", "--chdir", "--split-string", "--unset",
    ],
    directory_options: &["-C", "--chdir"],
    runs: &[Runs::Rest(Rest { split: &["-S", "--split-string"], assignments: true, ..Rest::PLAIN })],
    ..Program::EMPTY
};
#[rustfmt::skip]
static ENVDIR: Program<'_> = Program {
    name: "envdir",
    runs: &[Runs::Rest(Rest { skip: 1, ..Rest::PLAIN })],
    ..Program::EMPTY
};
#[rustfmt::skip]
static FAB: Program<'_> = Program {
    name: "fab",
    value_options: &[
        "-H", "-S", "-c", "-f", "-i", "-r", "-t", "-u", "--config", "--hosts", "--identity", "--search-root",
        "--ssh-config",
    ],
    runs: &[Runs::Joined { after: &[], skip: 0, shell: Any, unless: &[] }],
    ..Program::EMPTY
};
#[rustfmt::skip]
static FD: Program<'_> = Program {
    name: "fd",
    value_options: &[
        "-E", "-S", "-c", "-d", "-e", "-j", "-o", "-t", "--and", "--base-directory", "--batch-size",
        "--changed-before", "--changed-within", "--color", "--exact-depth", "--exclude", "--extension", "--format",
        "--ignore-file", "--max-depth", "--max-results", "--min-depth", "--owner", "--path-separator", "--search-path",
        "--size", "--threads", "--type",
    ],
    runs: &[Runs::Between { starts: &["-x", "--exec", "-X", "--exec-batch"], ends: &[";"], placeholder: "{}" }],
    ..Program::EMPTY
};
#[rustfmt::skip]
static FIND: Program<'_> = Program {
    name: "find",
    value_options: &["-fls", "-fprint", "-fprint0", "-fprintf"],
    runs: &[Runs::Between { starts: &["-exec", "-execdir", "-ok", "-okdir"], ends: &[";", "+"], placeholder: "{}" }],
    writes: &[
        Writes::OperandsWith(&["-delete"]),
        Writes::Values(&["-fls", "-fprint", "-fprint0", "-fprintf"]),
    ],
    ..Program::EMPTY
};
#[rustfmt::skip]
static FLATPAK_SPAWN: Program<'_> = Program {
    name: "flatpak-spawn",
    runs: &[Runs::Rest(Rest::PLAIN)],
    ..Program::EMPTY
};
#[rustfmt::skip]
static FLY: Program<'_> = Program {
    name: "fly",
    value_options: &[
        "-C", "-a", "-c", "-o", "-r", "-t", "--access-token", "--app", "--command", "--config", "--org", "--region",
    ],
    runs: &[
        Runs::Code { options: &["-C", "--command"], shell: Any, first_operand: false },
        Runs::Session(Session { after: &["console"], skip: 0, with: &[], unless: &["-C", "--command"], shell: Any }),
    ],
    ..Program::EMPTY
};
#[rustfmt::skip]
static GNOME_TERMINAL: Program<'_> = Program {
    name: "gnome-terminal",
    value_options: &["-t", "--geometry", "--profile", "--title", "--working-directory"],
    directory_options: &["--working-directory"],
    runs: &[Runs::Rest(Rest::PLAIN)],
    ..Program::EMPTY
};
#[rustfmt::skip]
static GOSU: Program<'_> = Program {
    name: "gosu",
    runs: &[Runs::Rest(Rest { skip: 1, ..Rest::PLAIN })],
    ..Program::EMPTY
};
#[rustfmt::skip]
static I3_MSG: Program<'_> = Program {
    name: "i3-msg",
    value_options: &["-s", "-t", "--socket", "--type"],
    runs: &[Runs::Joined { after: &[], skip: 0, shell: Any, unless: &[] }],
    ..Program::EMPTY
};
#[rustfmt::skip]
static K3S: Program<'_> = Program {
    name: "k3s",
    runs: &[Runs::Rest(Rest::PLAIN)],
    ..Program::EMPTY
};
#[rustfmt::skip]
static KUBECTL: Program<'_> = Program {
    name: "kubectl",
    value_options: &[
        "-c", "-f", "-l", "-n", "-o", "-s", "-v", "--as", "--as-group", "--as-uid", "--cache-dir",
        "--certificate-authority", "--client-certificate", "--client-key", "--cluster", "--container", "--context",
        "--filename", "--kubeconfig", "--namespace", "--output", "--pod-running-timeout", "--request-timeout",
        "--selector", "--server", "--tls-server-name", "--token", "--user",
    ],
    runs: &[Runs::Rest(Rest { after: &["exec", "rsh"], skip: 1, ..Rest::PLAIN })],
    writes: &[Writes::LastOperandOf(&[&["cp", "*"]])],
    ..Program::EMPTY
};
#[rustfmt::skip]
static LERNA: Program<'_> = Program {
    name: "lerna",
    value_options: &["--concurrency", "--scope"],
    runs: &[Runs::Rest(Rest { after: &["exec", "run"], ..Rest::PLAIN })],
    ..Program::EMPTY
};
#[rustfmt::skip]
static LINUX64: Program<'_> = Program {
    name: "linux64",
    value_options: &["-p"],
    runs: &[
        Runs::Rest(Rest::PLAIN),
        Runs::Session(Session { after: &[], skip: 0, with: &[], unless: &[], shell: Any }),
    ],
    ..Program::EMPTY
};
#[rustfmt::skip]
static LUA: Program<'_> = Program {
    name: "lua",
    value_options: &["-e", "-l"],
    options_first: true,
    runs: &[Runs::File { after: &[], options: &[], unless: &["-e"] }],
    ..Program::EMPTY
};
#[rustfmt::skip]
static LXC: Program<'_> = Program {
    name: "lxc",
    value_options: &["--cwd", "--env", "--group", "--mode", "--project", "--user"],
    runs: &[
        Runs::Rest(Rest { after: &["exec"], skip: 1, ..Rest::PLAIN }),
        Runs::Session(Session { after: &["shell"], skip: 1, with: &[], unless: &[], shell: Any }),
    ],
    ..Program::EMPTY
};
#[rustfmt::skip]
static MAKE: Program<'_> = Program {
    name: "make",
    value_options: &[
        "-C", "-E", "-I", "-W", "-f", "-o", "--assume-new", "--assume-old", "--directory", "--eval", "--file",
        "--include-dir", "--makefile", "--new-file", "--old-file", "--what-if",
    ],
    runs: &[Runs::File { after: &[], options: &["-f", "--file", "--makefile"], unless: &[] }],
    ..Program::EMPTY
};
#[rustfmt::skip]
static MISE: Program<'_> = Program {
    name: "mise",
    value_options: &["-C", "-E", "-c", "-j", "--cd", "--command", "--env", "--jobs"],
    directory_options: &["-C", "--cd"],
    runs: &[
        Runs::Rest(Rest { after: &["exec", "x"], ..Rest::PLAIN }),
        Runs::Rest(Rest { after: &["exec", "x"], skip: 1, ..Rest::PLAIN }),
        Runs::Rest(Rest { after: &["exec", "x"], skip: 2, ..Rest::PLAIN }),
        Runs::Code { options: &["-c", "--command"], shell: Any, first_operand: false },
    ],
    ..Program::EMPTY
};
#[rustfmt::skip]
static MPIRUN: Program<'_> = Program {
    name: "mpirun",
    value_options: &[
        "-H", "-N", "-a", "-c", "-d", "-f", "-g", "-n", "-r", "-x", "-bind-to", "-host", "-hostfile", "-hosts",
        "-machinefile", "-map-by", "-np", "-ppn", "-wdir", "--bind-to", "--host", "--hostfile", "--machinefile",
        "--map-by", "--np", "--report-bindings?", "--wdir",
    ],
    directory_options: &["-wdir", "--wdir"],
    runs: &[
        Runs::Rest(Rest::PLAIN),
        Runs::Rest(Rest { skip: 1, ..Rest::PLAIN }),
    ],
    ..Program::EMPTY
};
#[rustfmt::skip]
static NIRI: Program<'_> = Program {
    name: "niri",
    runs: &[
        Runs::Rest(Rest { after: &["spawn"], ..Rest::PLAIN }),
        Runs::Joined { after: &["spawn", "spawn-sh"], skip: 0, shell: Any, unless: &[] },
    ],
    ..Program::EMPTY
};
#[rustfmt::skip]
static NODE: Program<'_> = Program {
    name: "node",
    value_options: &[
        "-C", "-e", "-p", "-r", "--conditions", "--eval", "--import", "--loader", "--print", "--require", "--env-file",
        "--env-file-if-exists", "--experimental-loader", "--input-type", "--title", "--test-reporter",
        "--test-reporter-destination", "--test-name-pattern", "--icu-data-dir", "--diagnostic-dir", "--watch?",
        "--watch-path",
    ],
    options_first: true,
    runs: &[
        Runs::File { after: &[], options: &[], unless: &["-e", "-p", "--eval", "--print", "--run"] },
        Runs::File { after: &[], options: &["-r", "--import", "--require"], unless: &[] },
    ],
    ..Program::EMPTY
};
#[rustfmt::skip]
static ONCHANGE: Program<'_> = Program {
    name: "onchange",
    value_options: &["-d", "-e", "-f", "-j", "--delay", "--exclude", "--filter", "--jobs"],
    runs: &[Runs::Rest(Rest { skip: 1, ..Rest::PLAIN })],
    ..Program::EMPTY
};
#[rustfmt::skip]
static PARALLEL: Program<'_> = Program {
    name: "parallel",
    value_options: &[
        "-C", "-E", "-I", "-J", "-L", "-N", "-P", "-S", "-a", "-d", "-e?", "-i?", "-j", "-l?", "-n", "-s",
        "--arg-file", "--arg-file-sep", "--arg-sep", "--basefile", "--basenameextensionreplace", "--basenamereplace",
        "--bf", "--bin", "--block", "--block-size", "--block-timeout", "--bner", "--bnr", "--bt", "--colsep",
        "--compress?", "--compress-program", "--ctag?", "--ctagstring", "--decompress-program", "--delay",
        "--delimiter", "--dirnamereplace", "--dnr", "--env", "--eof?", "--er", "--extensionreplace", "--filter",
        "--group?", "--group-by", "--halt", "--halt-on-error", "--header", "--id", "--jl", "--joblog", "--jobs",
        "--limit", "--load", "--max-args", "--max-chars", "--max-lines?", "--max-procs", "--max-replace-args",
        "--memfree", "--memsuspend", "--minversion", "--nice", "--parens", "--process-slot-var", "--profile",
        "--recend", "--recstart", "--replace?", "--res", "--results", "--retries", "--return", "--rpl", "--rsync-opts",
        "--semaphore?", "--semaphore-name", "--semaphore-timeout", "--semaphorename", "--semaphoretimeout",
        "--seqreplace", "--shard", "--shell-completion", "--slf", "--slotreplace", "--sql", "--sql-and-worker",
        "--sql-master", "--sql-worker", "--ssh", "--ssh-delay", "--sshdelay", "--sshlogin", "--sshloginfile", "--st",
        "--tag?", "--tagstring", "--tempdir", "--template", "--term-seq", "--termseq", "--tf", "--timeout", "--tmpdir",
        "--tmpl", "--total", "--total-jobs", "--transfer?", "--transferfile", "--trc", "--trim", "--wd", "--workdir",
        "--bar?", "--eta?", "--progress?", "--dry-run?", "--keep-order?", "--line-buffer?", "--lb?", "--ungroup?",
        "--verbose?", "--null?", "--link?", "--xapply?", "--silent?", "--bg?", "--fg?", "--plain?", "-k?", "-u?",
        "-v?", "-t?", "-X?", "-m?", "-q?", "-0?",
    ],
    directory_options: &["--wd", "--workdir"],
    runs: &[
        Runs::Rest(Rest { placeholder: &["-I"], appends: true, ..Rest::PLAIN }),
        Runs::Operand { skip: 0, shell: Any },
        Runs::Input { shell: Any },
    ],
    writes: &[Writes::Values(&["--joblog", "--results"])],
    ..Program::EMPTY
};
#[rustfmt::skip]
static PDSH: Program<'_> = Program {
    name: "pdsh",
    value_options: &[
        "-H", "-R", "-S?", "-f", "-g", "-h", "-l", "-m", "-o", "-p", "-t", "-u", "-w", "-x", "--host", "--hosts",
        "--timeout", "--user",
    ],
    runs: &[
        Runs::Joined { after: &[], skip: 0, shell: Any, unless: &[] },
        Runs::Session(Session { after: &[], skip: 0, with: &[], unless: &[], shell: Any }),
    ],
    ..Program::EMPTY
};
#[rustfmt::skip]
static PROXYCHAINS: Program<'_> = Program {
    name: "proxychains",
    value_options: &["-f"],
    runs: &[Runs::Rest(Rest::PLAIN)],
    ..Program::EMPTY
};
#[rustfmt::skip]
static PY_SPY: Program<'_> = Program {
    name: "py-spy",
    value_options: &["-d", "-f", "-o", "-p", "-r", "--duration", "--format", "--output", "--pid", "--rate"],
    runs: &[Runs::Rest(Rest { after: &["record", "top"], ..Rest::PLAIN })],
    ..Program::EMPTY
};
#[rustfmt::skip]
static PYTHON: Program<'_> = Program {
    name: "python",
    value_options: &["-W", "-X", "-c", "-m", "--check-hash-based-pycs"],
    options_first: true,
    last_options: &["-c", "-m"],
    runs: &[Runs::File { after: &[], options: &[], unless: &["-c", "-m"] }],
    ..Program::EMPTY
};
#[rustfmt::skip]
static QEMU_X86_64: Program<'_> = Program {
    name: "qemu-x86_64",
    value_options: &["-0", "-B", "-E", "-L", "-R", "-U", "-cpu", "-g", "-p", "-r", "-s"],
    runs: &[Runs::Rest(Rest::PLAIN)],
    ..Program::EMPTY
};
#[rustfmt::skip]
static QSUB: Program<'_> = Program {
    name: "qsub",
    value_options: &[
        "-A", "-J", "-M", "-N", "-P", "-R", "-W", "-b", "-cwd?", "-e", "-l", "-m", "-n", "-o", "-p", "-pe", "-q", "-t",
        "-v", "-w",
    ],
    runs: &[
        Runs::Rest(Rest::PLAIN),
        Runs::Operand { skip: 0, shell: Any },
    ],
    ..Program::EMPTY
};
#[rustfmt::skip]
static SALT: Program<'_> = Program {
    name: "salt",
    value_options: &[
        "-L?", "-b", "-c", "-l", "-t", "--batch-size", "--config-dir", "--log-level", "--out", "--timeout",
    ],
    runs: &[Runs::Joined { after: &[], skip: 2, shell: Any, unless: &[] }],
    ..Program::EMPTY
};
#[rustfmt::skip]
static SCHROOT: Program<'_> = Program {
    name: "schroot",
    value_options: &[
        "-c", "-d", "-n", "-o", "-s", "-u", "--chroot", "--directory", "--option", "--session-name", "--shell",
        "--user",
    ],
    directory_options: &["-d", "--directory"],
    runs: &[
        Runs::Rest(Rest::PLAIN),
        Runs::Session(Session { after: &[], skip: 0, with: &[], unless: &[], shell: Any }),
    ],
    ..Program::EMPTY
};
#[rustfmt::skip]
static SRUN: Program<'_> = Program {
    name: "srun",
    value_options: &[
        "-A", "-C", "-D", "-G", "-J", "-K?", "-L", "-M", "-N", "-S", "-T", "-W", "-c", "-d", "-e", "-i", "-m", "-n",
        "-o", "-p", "-q", "-r", "-t", "-w", "-x", "--account", "--chdir", "--constraint", "--cpus-per-task", "--error",
        "--gpus", "--gres", "--input", "--job-name", "--jobid", "--mem", "--mpi", "--nodelist", "--nodes", "--ntasks",
        "--output", "--partition", "--qos", "--time",
    ],
    directory_options: &["-D", "--chdir"],
    runs: &[Runs::Rest(Rest::PLAIN)],
    writes: &[Writes::Values(&["-e", "-o", "--error", "--output"])],
    ..Program::EMPTY
};
#[rustfmt::skip]
static START_SERVER_AND_TEST: Program<'_> = Program {
    name: "start-server-and-test",
    runs: &[
        Runs::Operand { skip: 0, shell: Any },
        Runs::Operand { skip: 1, shell: Any },
        Runs::Operand { skip: 2, shell: Any },
        Runs::Operand { skip: 3, shell: Any },
        Runs::Operand { skip: 4, shell: Any },
        Runs::Operand { skip: 5, shell: Any },
    ],
    ..Program::EMPTY
};
#[rustfmt::skip]
static SU: Program<'_> = Program {
    name: "su",
    value_options: &[
        "-c", "-g", "-G", "-s", "-u", "-w", "--command", "--group", "--session-command", "--shell", "--supp-group",
        "--user", "--whitelist-environment",
    ],
    runs: &[
        Runs::Code { options: &["-c", "--command", "--session-command"], shell: Any, first_operand: false },
        Runs::Session(Session { after: &[], skip: 2, with: &[], unless: &["-c", "--command", "--session-command"], shell: Any }),
    ],
    ..Program::EMPTY
};
#[rustfmt::skip]
static SUDO: Program<'_> = Program {
    name: "sudo",
    value_options: &[
        "-C", "-D", "-R", "-T", "-U", "-a", "-c", "-g", "-h", "-p", "-r", "-t", "-u", "--auth-type", "--chdir",
        "--chroot", "--close-from", "--command-timeout", "--group", "--host", "--login?", "--login-class",
        "--other-user", "--prompt", "--role", "--type", "--user",
    ],
    directory_options: &["-D", "--chdir"],
    runs: &[
        Runs::Rest(Rest { assignments: true, ..Rest::PLAIN }),
        Runs::Session(Session { after: &[], skip: 0, with: &["-i", "-s", "--login", "--shell"], unless: &[], shell: Any }),
    ],
    writes: &[Writes::OperandsWith(&["-e", "--edit"])],
    ..Program::EMPTY
};
#[rustfmt::skip]
static TCPSVD: Program<'_> = Program {
    name: "tcpsvd",
    value_options: &["-C", "-E", "-b", "-c", "-g", "-l", "-u", "-x"],
    runs: &[Runs::Rest(Rest { skip: 2, ..Rest::PLAIN })],
    ..Program::EMPTY
};
#[rustfmt::skip]
static TIME: Program<'_> = Program {
    name: "time",
    value_options: &["-f", "-o", "--format", "--output"],
    runs: &[Runs::Rest(Rest::PLAIN)],
    writes: &[Writes::Values(&["-o", "--output"])],
    ..Program::EMPTY
};
#[rustfmt::skip]
static TIMEOUT: Program<'_> = Program {
    name: "timeout",
    value_options: &["-k", "-s", "--kill-after", "--signal"],
    runs: &[Runs::Rest(Rest { skip: 1, ..Rest::PLAIN })],
    ..Program::EMPTY
};
#[rustfmt::skip]
static TORSOCKS: Program<'_> = Program {
    name: "torsocks",
    value_options: &["-P", "-a", "-p", "-u", "--address", "--pass", "--port", "--user"],
    runs: &[Runs::Rest(Rest::PLAIN)],
    ..Program::EMPTY
};
#[rustfmt::skip]
static VALGRIND: Program<'_> = Program {
    name: "valgrind",
    runs: &[Runs::Rest(Rest::PLAIN)],
    ..Program::EMPTY
};
#[rustfmt::skip]
static WAIT_FOR_IT: Program<'_> = Program {
    name: "wait-for-it",
    value_options: &["-h", "-p", "-t", "--host", "--port", "--timeout"],
    runs: &[
        Runs::Rest(Rest::PLAIN),
        Runs::Rest(Rest { skip: 1, ..Rest::PLAIN }),
    ],
    ..Program::EMPTY
};
#[rustfmt::skip]
static XARGS: Program<'_> = Program {
    name: "xargs",
    value_options: &[
        "-E", "-I", "-J", "-L", "-P", "-R", "-S", "-a", "-d", "-e?", "-i?", "-l?", "-n", "-s", "--arg-file",
        "--delimiter", "--eof?", "--max-args", "--max-chars", "--max-lines?", "--max-procs", "--process-slot-var",
        "--replace?",
    ],
    runs: &[Runs::Rest(Rest { placeholder: &["-I", "-J", "-i", "--replace"], appends: true, ..Rest::PLAIN })],
    ..Program::EMPTY
};
