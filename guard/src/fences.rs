//! In which language code is: by the name after a fence, by its first line, or by its words.

use crate::language;
use crate::unit::Unit;

/// Returns the language of a script by its first line.
pub(crate) fn by_shebang(text: &str) -> &'static str {
    let line = text.lines().next().unwrap_or_default();
    let known = [
        ("python", "python"),
        ("node", "javascript"),
        ("deno", "javascript"),
        ("bun", "javascript"),
        ("ruby", "ruby"),
        ("perl", "perl"),
        ("php", "php"),
        ("lua", "lua"),
        ("pwsh", "powershell"),
        ("osascript", "applescript"),
        ("uv", "python"),
    ];
    known.iter().find(|(program, _)| line.contains(program)).map_or("python", |(_, language)| language)
}

/// The names of blocks with data, in which only settings can be commands.
const DATA: &[&str] = &[
    "json",
    "jsonc",
    "json5",
    "jsonl",
    "yaml",
    "yml",
    "toml",
    "ini",
    "cfg",
    "conf",
    "properties",
    "env",
    "dotenv",
    "csv",
    "tsv",
    "xml",
    "html",
    "css",
    "scss",
    "svg",
    "diff",
    "patch",
    "sql",
    "graphql",
    "proto",
    "protobuf",
    "hcl",
    "terraform",
    "tf",
    "nginx",
    "mermaid",
    "dot",
    "latex",
    "tex",
    "bibtex",
    "log",
    "http",
    "regex",
    "ebnf",
    "gitignore",
];

/// Returns the language of a block of code.
pub(crate) fn language_of(name: &str, text: &str) -> Option<&'static str> {
    match name {
        "sh" | "bash" | "zsh" | "ksh" | "dash" | "ash" | "csh" | "tcsh" | "shell" | "console" | "terminal" | "fish"
        | "shellsession" | "sh-session" | "command" | "dockerfile" | "makefile" | "make" => return Some("sh"),
        "text" | "txt" | "markdown" | "md" | "plaintext" | "plain" | "prompt" => return Some("text"),
        _ => {}
    }
    if let Some(language) = language::language(name) {
        return Some(language.name);
    }
    if DATA.contains(&name) {
        return None;
    }
    // An unknown name says nothing about the content.
    let is_python = text.lines().any(|line| {
        line.starts_with("import ")
            || line.starts_with("from ") && line.contains(" import ")
            || line.starts_with("def ")
    });
    let is_javascript = text.contains("require(")
        || text.lines().any(|line| line.starts_with("const ") || line.starts_with("import {"));
    match () {
        () if is_javascript => Some("javascript"),
        () if is_python => Some("python"),
        () if text.lines().any(|line| looks_like_command(line.trim().trim_start_matches(['$', '>', '%', ' ']))) => {
            Some("sh")
        }
        () => Some("text"),
    }
}

/// Programs with which a command in a sentence begins.
const PROGRAMS: &[&str] = &[
    "curl",
    "wget",
    "bash",
    "sh",
    "zsh",
    "sudo",
    "python",
    "python3",
    "node",
    "npx",
    "npm",
    "pnpm",
    "yarn",
    "bun",
    "pip",
    "pip3",
    "uv",
    "uvx",
    "pipx",
    "git",
    "rm",
    "cat",
    "echo",
    "env",
    "printenv",
    "export",
    "eval",
    "source",
    "chmod",
    "nc",
    "ncat",
    "scp",
    "ssh",
    "rsync",
    "dig",
    "nslookup",
    "crontab",
    "launchctl",
    "systemctl",
    "osascript",
    "powershell",
    "pwsh",
    "iex",
    "iwr",
    "irm",
    "base64",
    "tar",
    "zip",
    "unzip",
    "cp",
    "mv",
    "ln",
    "tee",
    "sed",
    "dd",
    "mkfs",
    "docker",
    "go",
    "cargo",
    "gem",
    "brew",
    "apt",
    "apt-get",
    "perl",
    "ruby",
    "php",
    "deno",
    "openssl",
    "xattr",
    "spctl",
    "security",
    "find",
    "grep",
    "gh",
    "aws",
    "kubectl",
    "claude",
    "codex",
    "toolc",
    ".",
    "set",
    "defaults",
    "printf",
    "xxd",
    "cd",
    "mkdir",
    "nohup",
    "make",
    "gmake",
    "just",
    "dash",
    "ksh",
    "fish",
    "lua",
    "tsx",
    "awk",
    "gawk",
    "xargs",
    "psql",
    "sqlite3",
    "history",
    "socat",
    "telnet",
    "ping",
    "host",
    "head",
    "tail",
    "shred",
    "history",
];

/// Returns whether code in a sentence is a command of a shell.
pub(crate) fn looks_like_command(text: &str) -> bool {
    let first = text.split_whitespace().find(|word| !word.contains('=') || word.starts_with('-')).unwrap_or_default();
    let name = first.rsplit('/').next().unwrap_or_default();
    PROGRAMS.contains(&name.to_ascii_lowercase().as_str()) && text.contains(' ')
        || text.contains(" | ") && text.contains("sh")
        || text.contains("/dev/tcp/")
}

/// Returns a unit without the signs of a prompt at the beginnings of lines, if it has some.
pub(crate) fn without_prompts(unit: &Unit) -> Option<Unit> {
    let is_prompt = |line: &str| line.starts_with("$ ") || line.starts_with("% ") || line.starts_with("> ");
    if !unit.text.lines().any(|line| is_prompt(line.trim_start())) {
        return None;
    }
    let mut at = 0;
    let lines = unit.text.split_inclusive('\n').map(|line| {
        let start = at;
        at += line.len();
        let indent = line.len() - line.trim_start().len();
        let skipped = if is_prompt(line.trim_start()) { indent + 2 } else { 0 };
        (unit.place(start + skipped), line[skipped..].trim_end_matches('\n'))
    });
    Some(Unit::of_lines(lines.collect::<Vec<_>>(), unit.voice))
}
