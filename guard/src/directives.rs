//! Commands in settings of other programs, which run when these start, connect or wait.

/// Directives whose value is a command: of SSH, systemd, desktop entries, udev, git and multiplexers.
const DIRECTIVES: &[&str] = &[
    "localcommand",
    "proxycommand",
    "knownhostscommand",
    "execstart",
    "execstartpre",
    "execstartpost",
    "execstop",
    "execreload",
    "exec",
    "tryexec",
    "sshcommand",
    "pager",
    "editor",
    "fsmonitor",
    "run-shell",
    "on_connect",
    "askpass",
    "textconv",
    "smudge",
    "clean",
    "gitproxy",
    "packobjectshook",
    // Clients of databases.
    "\\!",
    ".shell",
    ".system",
];

/// What comes before a command in quotes: functions of databases, editors and languages.
const MARKERS: &[&str] = &["from program", "to program", "xp_cmdshell", "sys_exec(", "system(", "systemlist("];

/// What comes before a command at the end of a line of an editor's script.
const BEFORE_COMMANDS: &[&str] =
    &[":!", "silent !", "silent! !", "execute '!", "execute \"!", "exe '!", "exe \"!", "r !"];

/// Returns the commands in lines of settings, each with its place in the text.
pub(crate) fn commands(text: &str) -> Vec<(usize, String)> {
    let (mut found, mut at) = (Vec::new(), 0);
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        if let Some(command) = directive(line.trim()).or_else(|| scheduled(line.trim())) {
            found.push((start + line.find(command).unwrap_or_default(), unquoted(command)));
        }
        found.extend(marked(line).into_iter().map(|(at, command)| (start + at, command)));
    }
    found
}

/// `LocalCommand x`, `ExecStart=x`, `sshCommand = x`.
fn directive(line: &str) -> Option<&str> {
    let end = line.find(|letter: char| letter.is_whitespace() || letter == '=')?;
    let (name, rest) = line.split_at(end);
    // An alias or a helper of git: `name = !command`.
    let is_command = rest.contains('=') && rest.trim_start_matches([' ', '\t', '=', '"']).starts_with('!');
    if !is_command && !DIRECTIVES.contains(&name.to_ascii_lowercase().as_str()) {
        return None;
    }
    let command = rest.trim_start().trim_start_matches('=').trim_start().trim_start_matches(['-', '@', '+', '!']);
    (!command.is_empty()).then_some(command)
}

/// Returns a value without the quotes around it, as settings of git write it.
fn unquoted(value: &str) -> String {
    let inside = value.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    inside.map_or_else(|| value.to_owned(), |inside| inside.trim_start_matches('!').replace("\\\"", "\""))
}

/// `system("x")`, `COPY a FROM PROGRAM 'x'`, `:silent !x`.
fn marked(line: &str) -> Vec<(usize, String)> {
    let lower = line.to_ascii_lowercase();
    let mut found = Vec::new();
    for marker in MARKERS {
        for (at, _) in lower.match_indices(marker).take(16) {
            let rest = line[at + marker.len()..].trim_start();
            let Some(quote) = rest.chars().next().filter(|quote| matches!(quote, '"' | '\'')) else { continue };
            // `\ ` is a blank in a setting of vim, and `''` a quote in SQL.
            let inside = rest[1..].replace("\\ ", " ").replace("\\\"", "\u{1}").replace("''", "\u{2}");
            let command = inside.split(quote).next().unwrap_or_default();
            found.push((at, command.replace('\u{1}', "\"").replace('\u{2}', "'")));
        }
    }
    let before = BEFORE_COMMANDS.iter().filter_map(|before| line.find(before).map(|at| at + before.len())).min();
    if let Some(at) = before.filter(|at| line[..*at].trim_start().len() < 24) {
        found.push((at, line[at..].trim_end().trim_end_matches(['"', '\'']).to_owned()));
    }
    found
}

/// `*/5 * * * * x` and `@reboot x`.
fn scheduled(line: &str) -> Option<&str> {
    let is_nickname = |word: &str| {
        matches!(
            word,
            "@reboot" | "@hourly" | "@daily" | "@weekly" | "@monthly" | "@yearly" | "@annually" | "@midnight"
        )
    };
    let (first, rest) = line.split_once(char::is_whitespace)?;
    if is_nickname(first) {
        return Some(rest.trim_start());
    }
    let is_field = |word: &str| {
        word.starts_with(|letter: char| letter.is_ascii_digit() || letter == '*')
            && word.chars().all(|letter| letter.is_ascii_alphanumeric() || matches!(letter, '*' | '/' | ',' | '-'))
    };
    let mut rest = line;
    for _ in 0..5 {
        let (field, after) = rest.split_once(char::is_whitespace)?;
        rest = after.trim_start();
        if !is_field(field) {
            return None;
        }
    }
    line.contains('*').then_some(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_of_settings_are_found() {
        let text = "x = !f g\nfsmonitor = \"sh -c 'h'\"\n\\! i j\nCOPY t FROM PROGRAM 'k ''l''';\nsilent !m n\nset a=system('o\\ p')\n";
        let found: Vec<String> = commands(text).into_iter().map(|(_, command)| command).collect();
        assert_eq!(found, ["f g", "sh -c 'h'", "i j", "k 'l'", "m n", "o p"]);
        let text = "Host *\n  LocalCommand echo a\nExecStart=-/bin/b\n*/5 * * * * c d\n@reboot e\n| 1 * 2 * 3 |\nexecutive f\n";
        let found: Vec<String> = commands(text).into_iter().map(|(_, command)| command).collect();
        assert_eq!(found, ["echo a", "/bin/b", "c d", "e"]);
    }
}
