//! Checks the form of single values: names, options, patterns and paths.

use toolc_commands::rules::{PatternFault, pattern_fault};

/// A mistake in a value: what was expected, and what to write instead.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Fault {
    pub(super) expected: String,
    pub(super) help: Option<String>,
}

impl Fault {
    fn new(expected: &str) -> Self {
        Self { expected: expected.to_owned(), help: None }
    }

    fn help(self, help: impl Into<String>) -> Self {
        Self { help: Some(help.into()), ..self }
    }
}

/// The character before the name of a group, where a rule names it instead of a program.
pub(super) const GROUP: char = '@';

/// Checks the name of a rule, a place or a group.
pub(super) fn name(text: &str) -> Option<Fault> {
    let is_allowed = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_');
    (!text.chars().all(is_allowed)).then(|| Fault::new("ASCII letters, digits, `-` and `_`"))
}

/// Checks the name of a program.
pub(super) fn program(text: &str) -> Option<Fault> {
    let fault = || Fault::new("a program's name, without its folder");
    if text.starts_with(GROUP) {
        let is_package = text.split_once('/').is_some_and(|(scope, name)| scope.len() > 1 && program(name).is_none());
        return (!is_package).then(|| fault().help("only a rule can name a group"));
    }
    match text.rsplit('/').next() {
        Some(name) if name != text && !name.is_empty() => Some(fault().help(format!("write `{name}`"))),
        _ if text.is_empty() || text.contains(char::is_whitespace) || text.contains('/') => Some(fault()),
        _ => None,
    }
}

/// Checks a pattern for the names of programs.
pub(super) fn program_pattern(text: &str) -> Option<Fault> {
    // `[` is another name of the program `test`, and `[[` the keyword of bash. They are not patterns.
    if matches!(text, "[" | "[[") {
        return None;
    }
    program(text).or_else(|| pattern(text))
}

/// Checks a pattern for the name of a program, which can have subcommands.
pub(super) fn command(text: &str) -> Option<Fault> {
    if text.starts_with(GROUP) { program(text) } else { subcommand(text) }
}

/// Checks an option. One of a group without a dash, as in `ps eww`, is a letter.
pub(super) fn option(text: &str) -> Option<Fault> {
    let is_letter = text.len() == 1 && text.bytes().all(|byte| byte.is_ascii_alphabetic());
    let is_option = is_letter
        || text.starts_with(['-', '+']) && text.len() > 1 && text != "--" && !text.contains(char::is_whitespace);
    (!is_option || text.contains('=')).then(|| Fault::new("an option, such as `-r` or `--recursive`"))
}

/// Checks an option, and others before it.
pub(super) fn options(text: &str) -> Option<Fault> {
    text.split(' ').find_map(option)
}

/// Checks an operand that is one whole word, such as a subcommand.
pub(super) fn word(text: &str) -> Option<Fault> {
    let fault = || Fault::new("a word that is an operand, such as `exec`");
    if text.starts_with(GROUP) {
        return Some(fault().help("only a rule can name a group"));
    }
    if text.contains(['*', '?', '[']) {
        return Some(fault().help("write each word: patterns have no meaning here"));
    }
    (text.is_empty() || text.starts_with('-') || text.contains(char::is_whitespace)).then(fault)
}

/// Checks operands that follow one another, such as `exec` and `compose run`.
pub(super) fn words(text: &str) -> Option<Fault> {
    text.split(' ').find_map(word)
}

/// Checks an option that can have a pattern for its value.
pub(super) fn option_pattern(text: &str) -> Option<Fault> {
    let (name, value) = text.split_once('=').unwrap_or((text, ""));
    match option(name) {
        Some(_) => Some(Fault::new("an option, such as `-r`, `--recursive` or `-c=core.pager=*`")),
        None => pattern(value),
    }
}

/// Checks a subcommand: words, each an option or a pattern for an operand.
pub(super) fn subcommand(text: &str) -> Option<Fault> {
    if text.trim() != text || text.is_empty() {
        return Some(Fault::new("words, such as `reset --hard`"));
    }
    text.split_whitespace().find_map(|word| if word.starts_with('-') { option_pattern(word) } else { pattern(word) })
}

/// Checks a pattern for a text.
pub(super) fn pattern(text: &str) -> Option<Fault> {
    match pattern_fault(text)? {
        PatternFault::Unclosed => Some(
            Fault::new("a pattern in which each `[` has a `]` after its characters")
                .help("write `[[]` for the character itself"),
        ),
        PatternFault::EmptyRange(range) => {
            let mut ends: Vec<&str> = range.split('-').collect();
            ends.reverse();
            Some(
                Fault::new(&format!("a pattern without the empty range `{range}`"))
                    .help(format!("write `{}`", ends.join("-"))),
            )
        }
    }
}

/// Returns why a text cannot be the path of a file or folder.
pub(super) fn file(text: &str) -> Option<Fault> {
    let is_rooted = text.starts_with('/') || text.starts_with("~/");
    if !is_rooted || text.contains(['*', '?', '[']) {
        return Some(Fault::new("a path that begins with `/` or `~/`, without a pattern"));
    }
    path(text)
}

/// Checks a pattern for paths.
pub(super) fn path(text: &str) -> Option<Fault> {
    let fault = || Fault::new("a path that begins with `/`, `~/`, `./` or `**/`");
    if let Some(below) = text.strip_prefix("$HOME").or_else(|| text.strip_prefix("${HOME}")) {
        return Some(fault().help(format!("write `~{below}`")));
    }
    let components = match text.strip_prefix(['~', '.', '@']).unwrap_or(text) {
        "" if matches!(text, "~" | "." | "@") => return None,
        "/.." if text == "@/.." => return None,
        "/" if text == "/" => return None,
        below if text.starts_with("**/") => below,
        below => match below.strip_prefix('/') {
            Some(components) => components,
            None if text.starts_with('~') => {
                return Some(fault().help("`~` stands for the home folder of the user who runs the command"));
            }
            None => {
                return Some(fault().help(format!(
                    "write `./{text}` for a path below the working directory, or `**/{text}` for one in any folder"
                )));
            }
        },
    };
    components.split('/').find_map(|component| match component {
        "" => Some(Fault::new("a path without an empty component").help("remove the extra `/`")),
        "." | ".." => {
            Some(Fault::new(&format!("a path without `{component}`")).help("write the path that it resolves to"))
        }
        "**" => None,
        _ if component.contains("**") => {
            Some(Fault::new("`**` as a whole component").help("write `*` for any text within a name"))
        }
        _ => pattern(component),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_the_right_form_are_accepted() {
        type Form = fn(&str) -> Option<Fault>;
        let cases: [(Form, &[&str]); 8] = [
            (word, &["exec", "run:detached", "a-b", "a.b"]),
            (name, &["recursive-deletion", "a_1", "A"]),
            (program, &["rm", "python3.11", "7z", "[", "g++"]),
            (program_pattern, &["mkfs*", "[", "[[", "[[]", "python[0-9]*"]),
            (option, &["-r", "--recursive", "-exec", "+o"]),
            (option_pattern, &["-r", "-c=core.pager=*", "--to=", "-x=[ab]"]),
            (subcommand, &["reset --hard", "push", "push --force-with-lease=*", "stash  clear"]),
            (
                path,
                &[
                    "/",
                    "~",
                    "/etc",
                    "/etc/**",
                    "~/.ssh/id_*",
                    "**/.git/hooks/*",
                    "/**/x",
                    ".",
                    "./**",
                    "./.git",
                    "/dev/sd[a-z]",
                    "/a b/c",
                ],
            ),
        ];
        for (form, texts) in cases {
            for text in texts {
                assert_eq!(form(text), None, "{text}");
            }
        }
    }

    #[test]
    fn texts_of_another_form_are_refused() {
        type Form = fn(&str) -> Option<Fault>;
        let cases: [(Form, &[&str]); 8] = [
            (word, &["", "a exec", "--exec", "*", "@x"]),
            (name, &["a b", "a.b", "größe"]),
            (program, &["", "/bin/rm", "rm -r", "a/", "@downloaders"]),
            (program_pattern, &["mkfs[", "[x", "bin/*"]),
            (option, &["recursive", "-", "--", "", "--a=b", "-a b"]),
            (option_pattern, &["recursive", "=x", "-=x", "-x=["]),
            (subcommand, &["", " reset", "reset ", "-", "push [", "push -c=["]),
            (
                path,
                &[
                    "", "etc", "~root/x", "$HOME/x", "/etc/", "//etc", "/a/../b", "/a/./b", "/a**", "/a[b/c]", "~/",
                    "./", "..", "../x",
                ],
            ),
        ];
        for (form, texts) in cases {
            for text in texts {
                assert!(form(text).is_some(), "{text}");
            }
        }
    }

    #[test]
    fn the_help_says_what_to_write() {
        let help = |fault: Option<Fault>| fault.and_then(|fault| fault.help).unwrap_or_default();
        assert_eq!(help(program("/usr/bin/rm")), "write `rm`");
        assert_eq!(help(path("${HOME}/.ssh")), "write `~/.ssh`");
        assert_eq!(
            help(path(".git/hooks")),
            "write `./.git/hooks` for a path below the working directory, or `**/.git/hooks` for one in any folder"
        );
        assert_eq!(help(pattern("[z-a]")), "write `a-z`");
    }
}
