//! The command line with which a program joins the namespaces of a sandbox.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::Path;

use super::bounds::Bounds;
use super::holder::{CLOSE, JOIN, Namespaces};
use super::programs::Programs;
use crate::Program;

/// A script that joins the control groups before `--`. [`JOIN`] follows it.
const OUTSIDE: &str = r#"while [ "$1" != -- ]; do echo $$ > "$1" || exit 125; shift; done; shift"#;
/// A script that runs a program in a directory, after [`CLOSE`]. `$2` is what [`Launch::directory_check`](crate::Launch) returns.
const INSIDE: &str = r#"
cd -P -- "$1" || exit 125
case $2 in
any) same=1 ;;
*:*) [ "$PWD" = "$1" ] && [ "$(stat -c %d:%i .)" = "$2" ] && same=1 ;;
*) [ "$PWD" = "$1" ] && same=1 ;;
esac
if ! [ "$same" ]; then
    echo "toolc: a symbolic link or another folder has taken the place of the working directory: nothing was run" >&2
    exit 125
fi
unset same
shift 2
exec "$@"
"#;

/// A program that joins a sandbox.
#[derive(Debug)]
pub(super) struct Entry<'a> {
    pub(super) directory: &'a Path,
    /// What is known about the directory.
    pub(super) check: String,
    pub(super) variables: &'a [(OsString, OsString)],
    pub(super) program: Program,
}

impl Entry<'_> {
    /// Returns the command line.
    ///
    /// The variables are set in the sandbox, not outside: otherwise, `LD_PRELOAD` could load code of the task into programs that still have
    /// the privileges of this process.
    ///
    /// # Errors
    /// If the name of a variable is invalid, or the namespaces are unknown.
    pub(super) fn command(self, programs: &Programs, namespaces: &Namespaces, bounds: &Bounds) -> io::Result<Program> {
        let mut words: Vec<OsString> = vec!["-c".into(), format!("{OUTSIDE}{JOIN}").into(), "toolc-sandbox".into()];
        words.extend(bounds.groups().map(Into::into));
        words.push("--".into());
        words.extend(namespaces.arguments()?);
        words.push((&programs.nsenter).into());
        words.extend(Namespaces::options());
        // The kernel gives root of a namespace all capabilities. With an empty bounding set, they are lost when the next program starts.
        words.extend(["--preserve-credentials".into(), "--".into(), (&programs.setpriv).into()]);
        let options = ["--no-new-privs", "--bounding-set=-all", "--inh-caps=-all", "--ambient-caps=-all", "--"];
        words.extend(options.map(Into::into));
        words.push((&programs.prlimit).into());
        words.extend(bounds.limits().map(Into::into));
        words.extend(["--", "env", "-i"].map(Into::into));
        for (name, value) in self.variables {
            words.push(assignment(name, value)?);
        }
        words.extend(["sh".into(), "-c".into(), format!("{CLOSE}{INSIDE}").into(), "sh".into()]);
        words.extend([self.directory.into(), self.check.into()]);
        match self.program {
            Program::Shell(line) => words.extend(["sh".into(), "-c".into(), line.into()]),
            Program::Command(program, arguments) => {
                words.push(program);
                words.extend(arguments);
            }
        }
        Ok(Program::Command("/bin/sh".into(), words))
    }
}

fn assignment(name: &OsStr, value: &OsStr) -> io::Result<OsString> {
    let bytes = name.as_encoded_bytes();
    if bytes.is_empty() || bytes.contains(&b'=') || bytes.starts_with(b"-") {
        let text = format!("a program cannot have a variable of this name: `{}`", name.display());
        return Err(io::Error::new(io::ErrorKind::InvalidInput, text));
    }
    let mut word = name.to_owned();
    word.push("=");
    word.push(value);
    Ok(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_variables_are_no_options() {
        assert_eq!(assignment("A".as_ref(), "b=c".as_ref()).expect("a name"), "A=b=c");
        for name in ["", "-S", "A=B"] {
            assert!(assignment(name.as_ref(), "x".as_ref()).is_err(), "{name}");
        }
    }
}
