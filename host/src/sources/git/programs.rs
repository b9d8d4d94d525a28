//! The git settings that run programs, and the harmless replacement of each in an untrusted project.

/// How to disable the program of a setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Replacement {
    /// Override the setting with this value.
    Value(&'static str),
    /// Do not run git at all, because no value disables the program.
    Off,
}

use Replacement::{Off, Value};

/// A setting that runs a program: `SECTION.NAME`, or `SECTION.SUBSECTION.NAME` with any subsection.
struct ProgramSetting {
    section: &'static str,
    /// Whether the key has a subsection. `None` if the subsection is optional.
    has_subsection: Option<bool>,
    /// The name in lower case, or `*` for any name.
    name: &'static str,
    replacement: Replacement,
}

const fn without_subsection(section: &'static str, name: &'static str, replacement: Replacement) -> ProgramSetting {
    ProgramSetting { section, has_subsection: Some(false), name, replacement }
}

const fn with_subsection(section: &'static str, name: &'static str, replacement: Replacement) -> ProgramSetting {
    ProgramSetting { section, has_subsection: Some(true), name, replacement }
}

const fn any_subsection(section: &'static str, name: &'static str, replacement: Replacement) -> ProgramSetting {
    ProgramSetting { section, has_subsection: None, name, replacement }
}

/// Shows the difference of two files like git without a driver. The arguments of a driver are: the path, the old file, its hash and
/// mode, the new file, its hash and mode.
const DIFF: &str = "show() { git diff --no-ext-diff --no-index -- \"$2\" \"$5\" || :; }; show";

/// All settings that run programs. The replacements were tested with git 2.47.
const PROGRAM_SETTINGS: &[ProgramSetting] = &[
    any_subsection("alias", "*", Value("")),
    any_subsection("browser", "cmd", Value("false")),
    any_subsection("browser", "path", Value("false")),
    without_subsection("core", "alternaterefscommand", Value("true")),
    without_subsection("core", "askpass", Value("")),
    without_subsection("core", "editor", Value(":")),
    without_subsection("core", "fsmonitor", Value("false")),
    // Git uses the first value, so a later value cannot override it.
    without_subsection("core", "gitproxy", Off),
    without_subsection("core", "pager", Value("cat")),
    without_subsection("core", "sshcommand", Value("ssh")),
    any_subsection("credential", "helper", Value("")),
    without_subsection("diff", "external", Value(DIFF)),
    with_subsection("diff", "command", Value(DIFF)),
    with_subsection("diff", "textconv", Value("cat")),
    with_subsection("difftool", "cmd", Value("false")),
    with_subsection("difftool", "path", Value("false")),
    with_subsection("filter", "clean", Value("")),
    with_subsection("filter", "process", Value("")),
    with_subsection("filter", "smudge", Value("")),
    // Git runs each value, so a later value cannot disable the earlier ones.
    without_subsection("gc", "recentobjectshook", Off),
    without_subsection("gpg", "program", Value("gpg")),
    with_subsection("gpg", "defaultkeycommand", Value("false")),
    with_subsection("gpg", "program", Value("false")),
    with_subsection("guitool", "cmd", Value("false")),
    with_subsection("hook", "command", Value(":")),
    without_subsection("imap", "tunnel", Value("false")),
    // An included file can be created later, and a condition can become true.
    without_subsection("include", "path", Off),
    with_subsection("includeif", "path", Off),
    any_subsection("instaweb", "*", Value("false")),
    without_subsection("interactive", "difffilter", Value("cat")),
    with_subsection("lfs", "clean", Value("false")),
    with_subsection("lfs", "path", Value("false")),
    with_subsection("lfs", "smudge", Value("false")),
    with_subsection("man", "cmd", Value("false")),
    with_subsection("man", "path", Value("false")),
    with_subsection("merge", "driver", Value("false")),
    with_subsection("mergetool", "cmd", Value("false")),
    with_subsection("mergetool", "path", Value("false")),
    any_subsection("pager", "*", Value("false")),
    // Git uses the first value, so a later value cannot override it.
    with_subsection("remote", "receivepack", Off),
    with_subsection("remote", "uploadpack", Off),
    with_subsection("remote", "vcs", Off),
    any_subsection("sendemail", "cccmd", Value("false")),
    any_subsection("sendemail", "headercmd", Value("false")),
    any_subsection("sendemail", "sendmailcmd", Value("false")),
    any_subsection("sendemail", "smtpserver", Value("false")),
    any_subsection("sendemail", "tocmd", Value("false")),
    without_subsection("sequence", "editor", Value(":")),
    with_subsection("submodule", "update", Value("checkout")),
    with_subsection("tar", "command", Value("false")),
    with_subsection("trailer", "cmd", Value("true")),
    with_subsection("trailer", "command", Value("true")),
    without_subsection("web", "browser", Value("false")),
];

/// Returns the replacement of a setting, or `None` if the setting runs no program.
pub(super) fn find_replacement(key: &str, value: &str) -> Option<Replacement> {
    let (section, rest) = key.split_once('.')?;
    let (subsection, name) = match rest.rsplit_once('.') {
        Some((subsection, name)) => (Some(subsection), name),
        None => (None, rest),
    };
    let matches = |setting: &&ProgramSetting| {
        setting.section.eq_ignore_ascii_case(section)
            && setting.has_subsection.is_none_or(|has| has == subsection.is_some())
            && (setting.name == "*" || setting.name.eq_ignore_ascii_case(name))
    };
    let setting = PROGRAM_SETTINGS.iter().find(matches)?;
    let is_harmless = match (setting.section, setting.name) {
        (_, "fsmonitor") | ("pager", _) => is_boolean(value),
        ("submodule", _) => !value.starts_with('!'),
        ("sendemail", "smtpserver") => !value.starts_with(['/', '~']),
        // Helpers that are part of git, such as `cache` and `store`.
        ("credential", _) => value.bytes().all(|byte| byte.is_ascii_lowercase()),
        // Filters that `git lfs install --local` writes.
        ("filter", _) => {
            let words = value.strip_prefix("git-lfs ").or_else(|| value.strip_prefix("git lfs "));
            value.is_empty() || words.is_some_and(|words| LFS.contains(&words))
        }
        _ => false,
    };
    (!is_harmless).then_some(setting.replacement)
}

/// The filter commands that `git lfs install` writes.
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
    fn settings_match_regardless_of_letter_case_and_subsection() {
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
            assert!(find_replacement(key, value).is_some(), "{key}");
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
            assert_eq!(find_replacement(key, value), None, "{key}");
        }
    }
}
