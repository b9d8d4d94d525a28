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
];

/// Returns the commands in lines of settings, each with its place in the text.
pub(crate) fn commands(text: &str) -> Vec<(usize, String)> {
    let (mut found, mut at) = (Vec::new(), 0);
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        if let Some(command) = directive(line.trim()).or_else(|| scheduled(line.trim())) {
            found.push((start + line.find(command).unwrap_or_default(), command.to_owned()));
        }
    }
    found
}

/// `LocalCommand x`, `ExecStart=x`, `sshCommand = x`.
fn directive(line: &str) -> Option<&str> {
    let end = line.find(|letter: char| letter.is_whitespace() || letter == '=')?;
    let (name, rest) = line.split_at(end);
    if !DIRECTIVES.contains(&name.to_ascii_lowercase().as_str()) {
        return None;
    }
    let command = rest.trim_start().trim_start_matches('=').trim_start().trim_start_matches(['-', '@', '+', '!']);
    (!command.is_empty()).then_some(command)
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
        let text = "Host *\n  LocalCommand echo a\nExecStart=-/bin/b\n*/5 * * * * c d\n@reboot e\n| 1 * 2 * 3 |\nexecutive f\n";
        let found: Vec<String> = commands(text).into_iter().map(|(_, command)| command).collect();
        assert_eq!(found, ["echo a", "/bin/b", "c d", "e"]);
    }
}
