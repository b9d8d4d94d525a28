//! The settings of git that run programs, each with what replaces it where the user has not trusted the project.

/// What git does without the program of a setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Neutral {
    /// The same as with this value.
    Value(&'static str),
    /// No value undoes the setting, so git does not run at all.
    Off,
}

use Neutral::{Off, Value};

/// A kind of setting: `SECTION.NAME`, or `SECTION.*.NAME` with any text between them.
struct Kind {
    section: &'static str,
    /// Whether the key has a text between section and name. `None`: it may.
    has_subsection: Option<bool>,
    /// The name in lower case, or `*` for any.
    name: &'static str,
    neutral: Neutral,
}

const fn plain(section: &'static str, name: &'static str, neutral: Neutral) -> Kind {
    Kind { section, has_subsection: Some(false), name, neutral }
}

const fn named(section: &'static str, name: &'static str, neutral: Neutral) -> Kind {
    Kind { section, has_subsection: Some(true), name, neutral }
}

const fn any(section: &'static str, name: &'static str, neutral: Neutral) -> Kind {
    Kind { section, has_subsection: None, name, neutral }
}

/// Shows the difference of two files as git does without a driver. The arguments are those of a driver: the path, the old file, its
/// hash and mode, the new file, its hash and mode.
const DIFF: &str = "show() { git diff --no-ext-diff --no-index -- \"$2\" \"$5\" || :; }; show";

/// All kinds. The values were tried with git 2.47.
const KINDS: &[Kind] = &[
    any("alias", "*", Value("")),
    any("browser", "cmd", Value("false")),
    any("browser", "path", Value("false")),
    plain("core", "alternaterefscommand", Value("true")),
    plain("core", "askpass", Value("")),
    plain("core", "editor", Value(":")),
    plain("core", "fsmonitor", Value("false")),
    // The first value counts, and not the last one.
    plain("core", "gitproxy", Off),
    plain("core", "pager", Value("cat")),
    plain("core", "sshcommand", Value("ssh")),
    any("credential", "helper", Value("")),
    plain("diff", "external", Value(DIFF)),
    named("diff", "command", Value(DIFF)),
    named("diff", "textconv", Value("cat")),
    named("difftool", "cmd", Value("false")),
    named("difftool", "path", Value("false")),
    named("filter", "clean", Value("")),
    named("filter", "process", Value("")),
    named("filter", "smudge", Value("")),
    // Each value is run.
    plain("gc", "recentobjectshook", Off),
    plain("gpg", "program", Value("gpg")),
    named("gpg", "defaultkeycommand", Value("false")),
    named("gpg", "program", Value("false")),
    named("guitool", "cmd", Value("false")),
    named("hook", "command", Value(":")),
    plain("imap", "tunnel", Value("false")),
    // The file can appear later, and a condition can become true.
    plain("include", "path", Off),
    named("includeif", "path", Off),
    any("instaweb", "*", Value("false")),
    plain("interactive", "difffilter", Value("cat")),
    named("lfs", "clean", Value("false")),
    named("lfs", "path", Value("false")),
    named("lfs", "smudge", Value("false")),
    named("man", "cmd", Value("false")),
    named("man", "path", Value("false")),
    named("merge", "driver", Value("false")),
    named("mergetool", "cmd", Value("false")),
    named("mergetool", "path", Value("false")),
    any("pager", "*", Value("false")),
    // The first value counts, and not the last one.
    named("remote", "receivepack", Off),
    named("remote", "uploadpack", Off),
    named("remote", "vcs", Off),
    any("sendemail", "cccmd", Value("false")),
    any("sendemail", "headercmd", Value("false")),
    any("sendemail", "sendmailcmd", Value("false")),
    any("sendemail", "smtpserver", Value("false")),
    any("sendemail", "tocmd", Value("false")),
    plain("sequence", "editor", Value(":")),
    named("submodule", "update", Value("checkout")),
    named("tar", "command", Value("false")),
    named("trailer", "cmd", Value("true")),
    named("trailer", "command", Value("true")),
    plain("web", "browser", Value("false")),
];

/// Returns what replaces a setting, or `None` if it runs no program.
pub(super) fn neutral(key: &str, value: &str) -> Option<Neutral> {
    let (section, rest) = key.split_once('.')?;
    let (subsection, name) = match rest.rsplit_once('.') {
        Some((subsection, name)) => (Some(subsection), name),
        None => (None, rest),
    };
    let fits = |kind: &&Kind| {
        kind.section.eq_ignore_ascii_case(section)
            && kind.has_subsection.is_none_or(|has| has == subsection.is_some())
            && (kind.name == "*" || kind.name.eq_ignore_ascii_case(name))
    };
    let kind = KINDS.iter().find(fits)?;
    let is_harmless = match (kind.section, kind.name) {
        (_, "fsmonitor") | ("pager", _) => is_boolean(value),
        ("submodule", _) => !value.starts_with('!'),
        ("sendemail", "smtpserver") => !value.starts_with(['/', '~']),
        // The helpers that git has, such as `cache` and `store`.
        ("credential", _) => value.bytes().all(|byte| byte.is_ascii_lowercase()),
        // As `git lfs install --local` writes it.
        ("filter", _) => {
            let words = value.strip_prefix("git-lfs ").or_else(|| value.strip_prefix("git lfs "));
            value.is_empty() || words.is_some_and(|words| LFS.contains(&words))
        }
        _ => false,
    };
    (!is_harmless).then_some(kind.neutral)
}

/// What `git lfs install` makes of a file.
const LFS: &[&str] = &[
    "clean -- %f",
    "smudge -- %f",
    "smudge --skip -- %f",
    "filter-process",
    "filter-process --skip",
    "clean %f",
    "smudge %f",
];

fn is_boolean(value: &str) -> bool {
    ["", "true", "false", "yes", "no", "on", "off", "1", "0"].iter().any(|word| word.eq_ignore_ascii_case(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_that_run_programs_are_known_in_any_case_and_with_any_name() {
        for (key, value) in [
            ("core.fsmonitor", "./x"),
            ("Core.FSMonitor", "./x"),
            ("filter.a.b.clean", "./x"),
            ("diff.a.textconv", "./x"),
            ("diff.external", "./x"),
            ("alias.st", "status"),
            ("alias.st.command", "!x"),
            ("credential.helper", "!x"),
            ("credential.https://a.b/.helper", "/x"),
            ("pager.log", "./x"),
            ("submodule.s.update", "!x"),
            ("remote.o.uploadpack", "./x"),
            ("include.path", "x"),
            ("includeIf.onbranch:a.b.path", "x"),
            ("filter.lfs.clean", "git-lfs clean -- %f; ./x"),
        ] {
            assert!(neutral(key, value).is_some(), "{key}");
        }
        for (key, value) in [
            ("core.fsmonitor", "true"),
            ("core.bare", "false"),
            ("user.name", "me"),
            ("remote.o.url", "https://a.b/c.git"),
            ("pager.log", "true"),
            ("submodule.s.update", "rebase"),
            ("credential.helper", "cache"),
            ("filter.lfs.clean", "git-lfs clean -- %f"),
            ("filter.lfs.required", "true"),
            ("diff.a.xfuncname", "x"),
            ("core", "x"),
        ] {
            assert_eq!(neutral(key, value), None, "{key}");
        }
    }
}
