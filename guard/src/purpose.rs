//! What the description of a skill declares. A person reads it before the skill is used, so that what it says is not a surprise.

use crate::phrase;

/// A subject that a description mentions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Topic {
    Agents,
    AgentFiles,
    Backup,
    Browser,
    Cloud,
    Disk,
    Editor,
    Faults,
    Git,
    Messages,
    Network,
    Packages,
    Passwords,
    Schedule,
    Security,
    Shell,
    Skills,
    Ssh,
    Wallet,
}

/// The words that declare a topic. `*` at the end stands for the rest of a word.
const WORDS: &[(Topic, &[&str])] = &[
    (
        Topic::Agents,
        &[
            "agent*",
            "subagent*",
            "claude*",
            "codex",
            "gemini*",
            "copilot",
            "opencode",
            "openclaw",
            "mcp",
            "session*",
            "transcript*",
        ],
    ),
    (
        Topic::AgentFiles,
        &[
            "agents.md",
            "claude.md",
            "memory.md",
            "soul.md",
            "memory",
            "memories",
            "hook*",
            "settings.json",
            "mcp",
            "onboard*",
            "handoff*",
            "permission*",
            "memor*",
        ],
    ),
    (Topic::Backup, &["backup*", "back-up*", "restore*", "migrat*", "sync*", "dotfile*", "archiv*"]),
    (Topic::Browser, &["browser*", "chrome*", "chromium", "firefox", "cookie*", "bookmark*", "safari"]),
    (
        Topic::Cloud,
        &[
            "aws",
            "azure",
            "gcp",
            "gcloud",
            "cloud*",
            "kubernetes",
            "k8s",
            "kubectl",
            "kubeconfig",
            "cluster*",
            "docker*",
            "terraform",
            "deploy*",
            "s3",
            "container*",
            "credential*",
            "helm",
            "infrastructure",
            "vault",
        ],
    ),
    (Topic::Disk, &["disk*", "partition*", "usb", "sd", "image*", "flash*", "format*", "wipe*", "clean*", "storage"]),
    (Topic::Editor, &["editor*", "vscode", "code", "vim", "neovim", "nvim", "emacs", "ide"]),
    (Topic::Faults, &["debug*", "bug*", "crash*", "profil*", "trac*", "diagnos*", "fault*", "deadlock*", "hang*"]),
    (Topic::Git, &["git", "github", "gitlab", "hook*", "pre-commit", "husky", "commit*", "repositor*", "repo", "gh"]),
    (Topic::Messages, &["message*", "imessage*", "mail*", "email*", "sms", "inbox"]),
    (Topic::Network, &["network*", "dns", "host*", "proxy", "vpn", "local", "domain*"]),
    (
        Topic::Packages,
        &["npm", "pypi", "package*", "registr*", "publish*", "releas*", "dependenc*", "pip", "node", "python"],
    ),
    (
        Topic::Passwords,
        &[
            "password*",
            "keychain*",
            "1password",
            "bitwarden",
            "vault*",
            "secret*",
            "credential*",
            "gpg",
            "pgp",
            "encrypt*",
            "netrc",
        ],
    ),
    (
        Topic::Schedule,
        &[
            "cron*",
            "schedul*",
            "systemd",
            "launchd",
            "timer*",
            "daemon*",
            "autostart",
            "startup",
            "start-up",
            "periodic*",
            "recurring",
            "launchagent*",
            "定时",
            "计划任务",
        ],
    ),
    (
        Topic::Security,
        &[
            "secur*",
            "vulnerab*",
            "audit*",
            "pentest*",
            "penetration",
            "injection*",
            "threat*",
            "malware",
            "malicious",
            "attack*",
            "adversar*",
            "red-team*",
            "red",
            "exploit*",
            "ctf",
            "forensic*",
            "jailbreak*",
            "hardening",
            "guardrail*",
            "harden*",
            "phishing",
            "detect*",
            "yara",
            "semgrep",
            "codeql",
            "sarif",
            "incident",
            "安全",
            "漏洞",
        ],
    ),
    (
        Topic::Shell,
        &[
            "shell*",
            "zsh*",
            "bash*",
            "dotfile*",
            "prompt*",
            "terminal*",
            "alias*",
            "completion*",
            "fish",
            "setup",
            "install*",
            "toolchain*",
            "history",
        ],
    ),
    (Topic::Skills, &["skill*", "plugin*"]),
    (Topic::Ssh, &["ssh*", "remote", "deploy*", "sftp", "scp", "rsync", "vps", "ansible"]),
    (Topic::Wallet, &["wallet*", "crypto*", "bitcoin", "ethereum", "solana", "blockchain", "keypair*"]),
];

/// The topics that the name and the description of a skill mention.
#[derive(Debug, Clone, Default)]
pub(crate) struct Purpose {
    topics: Vec<Topic>,
}

impl Purpose {
    /// Reads the name and the description.
    pub(crate) fn of(text: &str) -> Self {
        let words = phrase::words(text);
        let parts: Vec<&str> = words
            .iter()
            .flat_map(|word| std::iter::once(word.text.as_str()).chain(word.text.split(['-', '_', '/'])))
            .collect();
        let declares = |pattern: &str| match pattern.strip_suffix('*') {
            Some(start) => parts.iter().any(|word| word.starts_with(start)),
            None if pattern.is_ascii() => parts.contains(&pattern),
            None => text.contains(pattern),
        };
        let topics = WORDS.iter().filter(|(_, words)| words.iter().any(|word| declares(word))).map(|(topic, _)| *topic);
        Self { topics: topics.collect() }
    }

    /// Returns whether one of these topics is declared.
    pub(crate) fn declares(&self, topics: &[Topic]) -> bool {
        topics.iter().any(|topic| self.topics.contains(topic))
    }
}
