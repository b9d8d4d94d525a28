//! The builtins that run other commands, and the shells themselves. They apply in addition to every table.

use super::CodeShell::{Any, Bash, Foreign, Posix, Same};
use super::{CodeShell, Program, ProgramTable, Rest, Runs};

/// The builtins and the shells.
pub(crate) static SHELL: ProgramTable<'_> = ProgramTable::new(&[
    (".", &SOURCE),
    ("ash", &POSIX_SHELL),
    ("bash", &BASH),
    ("builtin", &PLAIN),
    ("busybox", &PLAIN),
    ("command", &COMMAND),
    ("csh", &FOREIGN_SHELL),
    ("dash", &POSIX_SHELL),
    ("eval", &EVAL),
    ("exec", &EXEC),
    ("fish", &FOREIGN_SHELL),
    ("hush", &POSIX_SHELL),
    ("ksh", &FOREIGN_SHELL),
    ("mksh", &FOREIGN_SHELL),
    ("rbash", &BASH),
    ("rksh", &FOREIGN_SHELL),
    ("sh", &ANY_SHELL),
    ("source", &SOURCE),
    ("tcsh", &FOREIGN_SHELL),
    ("toybox", &PLAIN),
    ("trap", &TRAP),
    ("yash", &FOREIGN_SHELL),
    ("zsh", &FOREIGN_SHELL),
]);

static PLAIN: Program<'_> = Program { value_options: &[], runs: &[Runs::Rest(Rest::PLAIN)], ..Program::EMPTY };
static COMMAND: Program<'_> = Program {
    value_options: &[],
    runs: &[Runs::Rest(Rest { unless: &["-v", "-V"], ..Rest::PLAIN })],
    ..Program::EMPTY
};
static EXEC: Program<'_> = Program { value_options: &["-a"], runs: &[Runs::Rest(Rest::PLAIN)], ..Program::EMPTY };
static EVAL: Program<'_> = Program {
    value_options: &[],
    runs: &[Runs::Joined { after: &[], skip: 0, shell: Same, unless: &[] }],
    ..Program::EMPTY
};
static SOURCE: Program<'_> = Program { value_options: &["-p"], runs: &[FILE], ..Program::EMPTY };
static TRAP: Program<'_> =
    Program { value_options: &[], runs: &[Runs::Operand { skip: 0, shell: Same }], ..Program::EMPTY };
static ANY_SHELL: Program<'_> = Program { value_options: SHELL_OPTIONS, runs: &shell(Any), ..Program::EMPTY };
static POSIX_SHELL: Program<'_> = Program { value_options: SHELL_OPTIONS, runs: &shell(Posix), ..Program::EMPTY };
static BASH: Program<'_> = Program { value_options: SHELL_OPTIONS, runs: &shell(Bash), ..Program::EMPTY };
static FOREIGN_SHELL: Program<'_> = Program { value_options: SHELL_OPTIONS, runs: &shell(Foreign), ..Program::EMPTY };

const FILE: Runs<'_> = Runs::File { after: &[], options: &[], unless: &[] };
const SHELL_OPTIONS: &[&str] = &["-o", "+o", "-O", "+O", "--init-file", "--rcfile"];

const fn shell(shell: CodeShell) -> [Runs<'static>; 3] {
    [Runs::Code { after: &[], options: &["-c"], shell, first_operand: true }, Runs::Input { shell }, FILE]
}
