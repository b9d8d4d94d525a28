//! Files that a skill has no business with, and files that run or steer something later.
//!
//! A pattern is a part of a path in lower case with `/` as the separator. `|` at its beginning or end is the border of a component.

use std::sync::LazyLock;

use aho_corasick::AhoCorasick;

use crate::files;
use crate::purpose::Topic;

/// A file or folder: a pattern for its path, what it is, and the topics of a description that declare its use.
#[derive(Debug)]
pub(crate) struct Place {
    pub(crate) pattern: &'static str,
    pub(crate) what: &'static str,
    pub(crate) topics: &'static [Topic],
}

const fn place(pattern: &'static str, what: &'static str, topics: &'static [Topic]) -> Place {
    Place { pattern, what, topics }
}

const SSH: &[Topic] = &[Topic::Ssh, Topic::Backup];
const CLOUD: &[Topic] = &[Topic::Cloud, Topic::Backup];
const KEYS: &[Topic] = &[Topic::Passwords, Topic::Backup];
const WALLET: &[Topic] = &[Topic::Wallet];
const BROWSER: &[Topic] = &[Topic::Browser, Topic::Backup];
const AGENTS: &[Topic] = &[Topic::Agents, Topic::AgentFiles];
const HISTORY: &[Topic] = &[Topic::Shell, Topic::Backup];
const GIT: &[Topic] = &[Topic::Git];
const PACKAGES: &[Topic] = &[Topic::Packages];
const CHAT: &[Topic] = &[];

/// Files with keys, passwords, tokens or other private data of the user.
pub(crate) static SECRETS: &[Place] = &[
    place("|.ssh/|", "the folder of SSH keys", SSH),
    place("|.ssh|", "the folder of SSH keys", SSH),
    place("|id_rsa|", "a private SSH key", SSH),
    place("|id_ed25519|", "a private SSH key", SSH),
    place("|id_ecdsa|", "a private SSH key", SSH),
    place("|id_dsa|", "a private SSH key", SSH),
    place("|.gnupg|", "the folder of PGP keys", KEYS),
    place("|.aws/credentials|", "the credentials of AWS", CLOUD),
    place("|.aws|", "the credentials of AWS", CLOUD),
    place("|.azure|", "the credentials of Azure", CLOUD),
    place("|.config/gcloud|", "the credentials of Google Cloud", CLOUD),
    place("|gcloud/application_default_credentials.json|", "the credentials of Google Cloud", CLOUD),
    place("|.oci/|", "the credentials of Oracle", CLOUD),
    place("|.kube/config|", "the credentials of clusters", CLOUD),
    place("|.docker/config.json|", "the credentials of registries", CLOUD),
    place("|.terraform.d/credentials", "the credentials of Terraform", CLOUD),
    place("|.vault-token|", "a token of Vault", CLOUD),
    place("|.netrc|", "stored passwords of hosts", KEYS),
    place("|_netrc|", "stored passwords of hosts", KEYS),
    place("|.pgpass|", "passwords of databases", KEYS),
    place("|.my.cnf|", "passwords of databases", KEYS),
    place("|.git-credentials|", "stored passwords of git", GIT),
    place("|.config/gh/hosts.yml|", "the token of GitHub", GIT),
    place("|.npmrc|", "the token of npm", PACKAGES),
    place("|.pypirc|", "the token of PyPI", PACKAGES),
    place("|.cargo/credentials", "the token of crates.io", PACKAGES),
    place("|.gem/credentials|", "the token of RubyGems", PACKAGES),
    place("|library/keychains|", "the keychain", KEYS),
    place("|login.keychain", "the keychain", KEYS),
    place("|.local/share/keyrings|", "the keyring", KEYS),
    place("|.password-store|", "the password store", KEYS),
    place("|1password/", "the password store", KEYS),
    place(".kdbx|", "a password database", KEYS),
    place("|etc/shadow|", "the hashes of passwords", CHAT),
    place("|google/chrome/", "the profile of a browser", BROWSER),
    place("|google-chrome/", "the profile of a browser", BROWSER),
    place("|google-chrome|", "the profile of a browser", BROWSER),
    place("|google/chrome|", "the profile of a browser", BROWSER),
    place("|chromium/default", "the profile of a browser", BROWSER),
    place("|bravesoftware", "the profile of a browser", BROWSER),
    place("|microsoft/edge/", "the profile of a browser", BROWSER),
    place("|.mozilla/", "the profile of a browser", BROWSER),
    place("|.mozilla|", "the profile of a browser", BROWSER),
    place("|firefox/profiles", "the profile of a browser", BROWSER),
    place("|library/cookies|", "the cookies of a browser", BROWSER),
    place("|login data|", "the passwords of a browser", BROWSER),
    place("|logins.json|", "the passwords of a browser", BROWSER),
    place("|key4.db|", "the passwords of a browser", BROWSER),
    place("|cookies.sqlite|", "the cookies of a browser", BROWSER),
    place("|local state|", "the keys of a browser", BROWSER),
    place("|wallet.dat|", "a wallet", WALLET),
    place("|.bitcoin|", "a wallet", WALLET),
    place("|.ethereum/keystore", "a wallet", WALLET),
    place("|.electrum|", "a wallet", WALLET),
    place("|exodus.wallet|", "a wallet", WALLET),
    place("|.config/solana/id.json|", "a wallet", WALLET),
    place("|.config/solana|", "a wallet", WALLET),
    place("nkbihfbeogaeaoehlefnkodbefgpgknn", "a wallet in a browser", WALLET),
    place("|local extension settings|", "the data of browser extensions, such as wallets", WALLET),
    place("|.bash_history|", "the history of a shell", HISTORY),
    place("|.zsh_history|", "the history of a shell", HISTORY),
    place("|.local/share/fish/fish_history|", "the history of a shell", HISTORY),
    place("|.python_history|", "the history of a shell", HISTORY),
    place("|.psql_history|", "the history of a database client", HISTORY),
    place("|.mysql_history|", "the history of a database client", HISTORY),
    place("|consolehost_history.txt|", "the history of a shell", HISTORY),
    place("|.claude/.credentials.json|", "the token of an agent", AGENTS),
    place("|.claude.json|", "the settings of an agent", AGENTS),
    place("|.codex/auth.json|", "the token of an agent", AGENTS),
    place("|.config/claude", "the settings of an agent", AGENTS),
    place("|claude_desktop_config.json|", "the settings of an agent", AGENTS),
    place("|.openclaw/|", "the settings of an agent", AGENTS),
    place("|.openclaw|", "the settings of an agent", AGENTS),
    place("|.clawdbot|", "the settings of an agent", AGENTS),
    place("|.hermes/.env|", "the keys of an agent", AGENTS),
    place("|.toolc|", "the settings of an agent", AGENTS),
    place("|.claude/projects", "the conversations of an agent", AGENTS),
    place("|.codex/sessions", "the conversations of an agent", AGENTS),
    place("|.gemini/oauth_creds.json|", "the token of an agent", AGENTS),
    place("|telegram desktop/tdata", "the session of a messenger", CHAT),
    place("|discord/local storage", "the session of a messenger", CHAT),
    place("|slack/local storage", "the session of a messenger", CHAT),
    place("|library/messages/chat.db|", "the messages of the user", &[Topic::Messages]),
    place("|library/mail|", "the mail of the user", &[Topic::Messages]),
    place("|proc/self/environ|", "the variables of a process", CHAT),
    place("/environ|", "the variables of a process", CHAT),
];

/// Files of variables of a project, which can hold keys. Reading one is usual; sending it is not.
pub(crate) const VARIABLES: &[&str] = &[
    "|.env|",
    "|.env.local|",
    "|.env.production|",
    "|.envrc|",
    "|.env.",
    "|secrets.yaml|",
    "|secrets.yml|",
    "|secrets.json|",
    "|credentials.json|",
];

/// The pattern of the keys that open an account.
pub(crate) const AUTHORIZED_KEYS: &str = "|.ssh/authorized_keys|";

/// Files that run something later, or on their own.
pub(crate) const START_UP: &[Place] = &[
    place("|.bashrc|", "a start-up file of a shell", &[Topic::Shell]),
    place("|.bash_profile|", "a start-up file of a shell", &[Topic::Shell]),
    place("|.bash_login|", "a start-up file of a shell", &[Topic::Shell]),
    place("|.bash_logout|", "a start-up file of a shell", &[Topic::Shell]),
    place("|.profile|", "a start-up file of a shell", &[Topic::Shell]),
    place("|.zshrc|", "a start-up file of a shell", &[Topic::Shell]),
    place("|.zshenv|", "a start-up file of a shell", &[Topic::Shell]),
    place("|.zprofile|", "a start-up file of a shell", &[Topic::Shell]),
    place("|fish/config.fish|", "a start-up file of a shell", &[Topic::Shell]),
    place("|fish/conf.d/", "a start-up file of a shell", &[Topic::Shell]),
    place("|etc/profile", "a start-up file of a shell", &[Topic::Shell]),
    place("microsoft.powershell_profile.ps1|", "a start-up file of a shell", &[Topic::Shell]),
    place("|launchagents|", "the programs that start with a session", &[Topic::Schedule]),
    place("|launchdaemons|", "the programs that start with the machine", &[Topic::Schedule]),
    place("|systemd/system|", "a service", &[Topic::Schedule]),
    place("|systemd/user|", "a service", &[Topic::Schedule]),
    place("|config/autostart|", "the programs that start with a session", &[Topic::Schedule]),
    place("|.config/autostart|", "the programs that start with a session", &[Topic::Schedule]),
    place("|start menu/programs/startup", "the programs that start with a session", &[Topic::Schedule]),
    place("|currentversion/run", "the programs that start with a session", &[Topic::Schedule]),
    place("|etc/cron", "scheduled commands", &[Topic::Schedule]),
    place("|spool/cron", "scheduled commands", &[Topic::Schedule]),
    place("|etc/rc.local|", "the start of the machine", &[Topic::Schedule]),
    place("|etc/ld.so.preload|", "the libraries of every program", &[]),
    place("|.git/hooks|", "a hook of git", &[Topic::Git]),
    place("|.git/hooks/|", "a hook of git", &[Topic::Git]),
    place("|.gitconfig|", "the settings of git", &[Topic::Git]),
    place("|.git/config|", "the settings of git", &[Topic::Git]),
    place("|sitecustomize.py|", "code that every Python program runs", &[]),
    place("|usercustomize.py|", "code that every Python program runs", &[]),
    place(".pth|", "code that every Python program runs", &[]),
    place(AUTHORIZED_KEYS, "the keys that open this account", &[]),
    place("|.ssh/rc|", "the start-up file of SSH", &[]),
    place("|.vscode/tasks.json|", "the tasks of an editor", &[Topic::Editor]),
    place("|etc/sudoers", "who may act as administrator", &[]),
    place("|etc/hosts|", "the addresses of hosts", &[Topic::Network]),
    place("|.npmrc|", "the settings of npm", &[Topic::Packages]),
    place("|pip.conf|", "the settings of pip", &[Topic::Packages]),
    place("|.config/nvim/init", "the start-up file of an editor", &[Topic::Editor]),
    place("|.vimrc|", "the start-up file of an editor", &[Topic::Editor]),
];

/// Files that steer agents.
pub(crate) const AGENT_FILES: &[Place] = &[
    place("|claude.md|", "the instructions of an agent", &[Topic::AgentFiles]),
    place("|claude.local.md|", "the instructions of an agent", &[Topic::AgentFiles]),
    place("|agents.md|", "the instructions of an agent", &[Topic::AgentFiles]),
    place("|gemini.md|", "the instructions of an agent", &[Topic::AgentFiles]),
    place("|soul.md|", "the instructions of an agent", &[Topic::AgentFiles]),
    place("|identity.md|", "the instructions of an agent", &[Topic::AgentFiles]),
    place("|heartbeat.md|", "the instructions of an agent", &[Topic::AgentFiles]),
    place("|memory.md|", "the memory of an agent", &[Topic::AgentFiles]),
    place("|.cursorrules|", "the instructions of an agent", &[Topic::AgentFiles]),
    place("|.cursor/rules", "the instructions of an agent", &[Topic::AgentFiles]),
    place("|.windsurfrules|", "the instructions of an agent", &[Topic::AgentFiles]),
    place("|.clinerules", "the instructions of an agent", &[Topic::AgentFiles]),
    place("|copilot-instructions.md|", "the instructions of an agent", &[Topic::AgentFiles]),
    place("|.claude/settings.json|", "the settings of an agent", &[Topic::AgentFiles]),
    place("|.claude/settings.local.json|", "the settings of an agent", &[Topic::AgentFiles]),
    place("|.claude/hooks", "the hooks of an agent", &[Topic::AgentFiles]),
    place("|.claude/commands", "the commands of an agent", &[Topic::AgentFiles, Topic::Skills]),
    place("|.claude/agents", "the helpers of an agent", &[Topic::AgentFiles]),
    place("|.claude.json|", "the settings of an agent", &[Topic::AgentFiles]),
    place("|.codex/config.toml|", "the settings of an agent", &[Topic::AgentFiles]),
    place("|.openclaw/openclaw.json|", "the settings of an agent", &[Topic::AgentFiles]),
    place("|.hermes/config.yaml|", "the settings of an agent", &[Topic::AgentFiles]),
    place("|.gemini/settings.json|", "the settings of an agent", &[Topic::AgentFiles]),
    place("|.toolc|", "the settings of an agent", &[]),
    place("|.mcp.json|", "the MCP servers of an agent", &[Topic::AgentFiles]),
    place("|mcp.json|", "the MCP servers of an agent", &[Topic::AgentFiles]),
    place("|mcp_settings.json|", "the MCP servers of an agent", &[Topic::AgentFiles]),
    place("|claude_desktop_config.json|", "the MCP servers of an agent", &[Topic::AgentFiles]),
    place("|skill.md|", "the text of a skill", &[Topic::AgentFiles, Topic::Skills]),
];

/// All patterns without their borders, to skip most texts at once.
static ANY: LazyLock<AhoCorasick> = LazyLock::new(|| {
    let all = [SECRETS, START_UP, AGENT_FILES].into_iter().flatten().map(|place| place.pattern.trim_matches('|'));
    AhoCorasick::new(all).expect("the patterns are few")
});

/// Returns the first place of a list that a path is in. The path may be a part of a longer text, such as an argument.
pub(crate) fn find<'p>(places: &'p [Place], path: &str) -> Option<&'p Place> {
    let path = normal(path);
    let is_secrets = std::ptr::eq(places, SECRETS);
    if is_secrets
        && path.len() < 256
        && let Some(sample) = sample(&path)
    {
        return places.iter().find(|place| contains(sample, place.pattern));
    }
    if !ANY.is_match(&path) {
        return None;
    }
    let is_public = is_secrets && is_public(&path);
    places.iter().filter(|_| !is_public).find(|place| contains(&path, place.pattern))
}

/// Private files, for paths in which signs stand for letters.
const SAMPLES: &[&str] = &[
    "~/.ssh/id_rsa",
    "~/.ssh/id_ed25519",
    "~/.aws/credentials",
    "~/.gnupg/secring.gpg",
    "~/.kube/config",
    "~/.netrc",
    "~/.docker/config.json",
    "~/.config/gcloud/credentials.db",
    "~/.git-credentials",
    "~/.pgpass",
];

/// Returns a private file that a pattern such as `~/.s*/id_*` matches.
fn sample(path: &str) -> Option<&'static str> {
    let is_wild = |part: &str| part.contains(['*', '?', '[']);
    let wanted: Vec<&str> = path.split('/').filter(|part| !matches!(*part, "" | ".")).collect();
    // A folder that is named only in part is hidden on purpose. `*` alone is any folder.
    let hides = |part: &&&str| part.starts_with('.') && part.len() > 1 && is_wild(part) && **part != ".*";
    let last = wanted.last()?;
    // Keys of SSH have names that no other files have.
    if last.starts_with("id_") && is_wild(last) && matches_sign(last, "id_rsa") {
        return SAMPLES.first().copied();
    }
    wanted.iter().find(hides)?;
    SAMPLES.iter().copied().find(|sample| {
        let parts = sample.split('/').collect::<Vec<_>>();
        let own = wanted.iter().rev().zip(parts.iter().rev());
        wanted.len() >= 2 && own.clone().count() >= 2 && own.take(2).all(|(wanted, part)| matches_sign(wanted, part))
    })
}

/// Returns whether a part of a path, with `*`, `?` and `[…]`, can be a name.
fn matches_sign(part: &str, name: &str) -> bool {
    match part.chars().next() {
        None => name.is_empty(),
        Some('*') => (0..=name.len()).any(|at| name.is_char_boundary(at) && matches_sign(&part[1..], &name[at..])),
        Some('[') => {
            let end = part.find(']').map_or(part.len(), |end| end + 1);
            !name.is_empty() && matches_sign(&part[end..], &name[1..])
        }
        Some(letter) => name.chars().next().is_some_and(|own| {
            (letter == '?' || letter == own) && matches_sign(&part[letter.len_utf8()..], &name[own.len_utf8()..])
        }),
    }
}

/// Returns whether a file in a private folder holds nothing private: public keys, and the names of known hosts.
fn is_public(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default().trim_end_matches(['"', '\'', '`']);
    matches!(name, "authorized_keys" | "known_hosts") || files::end_of(name) == "pub" && !name.contains(['*', ' '])
}

/// Returns whether a path leads to a file of variables, and not to an example of one.
pub(crate) fn is_file_of_variables(path: &str) -> bool {
    let path = normal(path);
    let is_example = ["example", "sample", "template", "dist"].iter().any(|word| path.contains(word));
    !is_example && VARIABLES.iter().any(|pattern| contains(&path, pattern))
}

/// Returns a path with `/` as the only separator, in lower case.
fn normal(path: &str) -> String {
    let path = path.replace('\\', "/").to_lowercase();
    let mut normal = String::with_capacity(path.len());
    for letter in path.chars() {
        if !(letter == '/' && normal.ends_with('/')) {
            normal.push(letter);
        }
    }
    normal.replace("/./", "/")
}

/// Returns whether a path contains a pattern at the borders that the pattern asks for.
fn contains(path: &str, pattern: &str) -> bool {
    let text = pattern.trim_matches('|');
    let is_border = |letter: Option<char>| {
        letter.is_none_or(|letter| !(letter.is_alphanumeric() || matches!(letter, '_' | '-' | '.')))
    };
    path.match_indices(text).any(|(at, _)| {
        let before = !pattern.starts_with('|') || is_border(path[..at].chars().next_back());
        let after = !pattern.ends_with('|') || text.ends_with('/') || is_border(path[at + text.len()..].chars().next());
        before && after
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_found_at_borders_of_names() {
        for path in [
            "~/.ssh/id_rsa",
            "C:\\Users\\a\\.ssh\\id_ed25519",
            "$HOME/.aws/credentials",
            "/home/a/.config/google-chrome/Default/Login Data",
        ] {
            assert!(find(SECRETS, path).is_some(), "{path}");
        }
        for path in ["texts/my.sshfs.md", "id_rsa_test", "x.awsome", "environment", "id_rsa.pub"] {
            assert!(find(SECRETS, path).is_none(), "{path}");
        }
        assert!(
            is_file_of_variables("./.env")
                && !is_file_of_variables(".env.example")
                && !is_file_of_variables("process.env")
        );
    }
}
