//! Passwords on command lines: what a log of commands must not contain.

use crate::flags::{self, Argument, Value};
use crate::programs::without_version;
use crate::reading::{Command, Input, Reading};
use crate::span::Span;
use crate::syntax::{CommandId, Word};

/// How a program gets a password.
enum By {
    /// The value of an option.
    Option(&'static str),
    /// The rest of the option's own word: `-pPASSWORD`.
    Attached(&'static str),
    /// The operands from this one on, if the option is given.
    Operands(&'static str, usize),
    /// Standard input, if the option is given; always for an empty option.
    Input(&'static str),
}

/// The programs, from their manuals. Options whose names say that the value is secret, such as `--password`, are not listed.
const PROGRAMS: &[(&[&str], &[By])] = &[
    (
        &["mysql", "mysqldump", "mysqladmin", "mysqlimport", "mariadb", "mariadb-dump", "mariadb-admin"],
        &[By::Attached("-p")],
    ),
    (&["sshpass"], &[By::Option("-p")]),
    (&["docker", "podman", "buildah", "skopeo", "helm"], &[By::Option("-p")]),
    (&["redis-cli"], &[By::Option("-a"), By::Option("--pass")]),
    (
        &["openssl"],
        &[By::Option("-k"), By::Option("-K"), By::Option("-pass"), By::Option("-passin"), By::Option("-passout")],
    ),
    (&["useradd", "usermod"], &[By::Option("-p")]),
    (&["htpasswd"], &[By::Operands("-b", 2)]),
    (&["zip", "unzip"], &[By::Option("-P")]),
    (&["7z", "7za", "7zz"], &[By::Attached("-p")]),
    (&["ldapsearch", "ldapmodify", "ldapadd", "ldapdelete"], &[By::Option("-w")]),
    (&["mongo", "mongosh", "mongodump", "mongorestore"], &[By::Option("-p")]),
    (&["smbclient", "rpcclient"], &[By::Option("-U")]),
    (&["sudo"], &[By::Input("-S"), By::Input("--stdin")]),
    (&["chpasswd", "passwd", "cryptsetup"], &[By::Input("")]),
];

/// Returns the texts of a line that are passwords by their position: `mysql -pPASSWORD`, `echo PASSWORD | sudo -S`. Passwords with a
/// telling name, such as `--password=VALUE`, are not among them.
pub fn password_spans(reading: &Reading) -> Vec<Span> {
    let mut spans = Vec::new();
    for id in reading.ids() {
        let command = reading.command(id);
        let Some(name) = command.program.name() else { continue };
        let programs =
            PROGRAMS.iter().filter(|(names, _)| names.contains(&name) || names.contains(&without_version(name)));
        for by in programs.flat_map(|(_, by)| *by) {
            add(&mut spans, by, command, reading, id);
        }
        if name == "aws" {
            add_aws(&mut spans, command);
        }
    }
    spans
}

fn add(spans: &mut Vec<Span>, by: &By, command: &Command, reading: &Reading, id: CommandId) {
    let words = command.arguments();
    let has = |option: &str| {
        let is_given = |argument: Argument<'_>| matches!(argument, Argument::Option { name, .. } if name == option);
        option.is_empty()
            || flags::arguments(words, &[]).any(is_given)
            || words.iter().any(|word| is_text(word, option))
    };
    match by {
        By::Option(option) => {
            for argument in flags::arguments(words, &[option]) {
                if let Argument::Option { name, value: Some(value), index } = argument
                    && name == *option
                {
                    spans.push(match value {
                        Value::Word(word) => word.span,
                        Value::Text(_) | Value::Built(_) => words[index].span,
                    });
                }
            }
        }
        By::Attached(option) => {
            let is_attached = |word: &&Word| {
                let start = word.certain_start();
                start.starts_with(option) && (start.len() > option.len() || word.text().is_none())
            };
            spans.extend(words.iter().filter(is_attached).map(|word| word.span));
        }
        By::Operands(option, first) if has(option) => {
            let operands = words.iter().filter(|word| !word.certain_start().starts_with('-'));
            spans.extend(operands.skip(*first).map(|word| word.span));
        }
        By::Input(option) if has(option) => match reading.input(id) {
            Input::Redirect(redirect) => spans.push(redirect.target.span),
            Input::Commands(range) => {
                let printers = range.map(|id| reading.command(id));
                spans.extend(printers.flat_map(|printer| printer.arguments().iter().map(|word| word.span)));
            }
            Input::Inherited => {}
        },
        By::Operands(..) | By::Input(_) => {}
    }
}

/// Adds the value of `aws configure set NAME VALUE`.
fn add_aws(spans: &mut Vec<Span>, command: &Command) {
    let words = command.arguments();
    if let Some(at) = words.windows(2).position(|pair| is_text(&pair[0], "configure") && is_text(&pair[1], "set")) {
        spans.extend(words.get(at + 3).map(|word| word.span));
    }
}

fn is_text(word: &Word, text: &str) -> bool {
    word.text().is_some_and(|own| own == text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::programs::USUAL;

    #[test]
    fn passwords_are_found_by_their_position() {
        for (line, expected) in [
            ("mysql -u me -phunter2 db", &["-phunter2"][..]),
            ("mysql -p db", &[]),
            ("sshpass -p secret ssh h", &["secret"]),
            ("docker login -u me -p secret host", &["secret"]),
            ("redis-cli -a secret ping", &["secret"]),
            ("openssl enc -k secret -in f", &["secret"]),
            ("useradd -psecret me", &["-psecret"]),
            ("htpasswd -b file me secret", &["secret"]),
            ("htpasswd file me", &[]),
            ("aws --profile p configure set aws_secret_access_key secret", &["secret"]),
            ("echo secret | sudo -S ls", &["secret"]),
            ("sudo -S ls <<< secret", &["secret"]),
            ("echo root:secret | chpasswd", &["root:secret"]),
            ("echo x | sudo tee f", &[]),
            ("sudo mysql -psecret", &["-psecret"]),
        ] {
            let reading = crate::read(line, &USUAL, &crate::Surroundings::default());
            let found: Vec<&str> = password_spans(&reading).into_iter().map(|span| &line[span.range()]).collect();
            assert_eq!(found, expected, "{line}");
        }
    }
}
