//! What the rules of `toolc-catalog` about commands mean for a skill.

use crate::codes::Code;
use crate::purpose::Topic;

/// A pattern for the names of rules, with `*` at the end for the rest, what it means, and the topics that declare such commands.
pub(crate) struct Meaning {
    pub(crate) pattern: &'static str,
    pub(crate) code: Code,
    pub(crate) topics: &'static [Topic],
}

const fn meaning(pattern: &'static str, code: Code, topics: &'static [Topic]) -> Meaning {
    Meaning { pattern, code, topics }
}

/// The rules that matter. The others are about what a person decides when a command runs, such as a push or a deletion in a project.
pub(crate) const MEANINGS: &[Meaning] = &[
    meaning("run-a-download*", Code::FetchAndRun, &[]),
    meaning("run-downloaded-statements", Code::FetchAndRun, &[]),
    meaning("send-a-download-to-a-shell", Code::FetchAndRun, &[]),
    meaning("git-remote-program*", Code::FetchAndRun, &[]),
    meaning("program-of-a-connection", Code::RemoteControl, &[]),
    meaning("program-of-a-relay", Code::RemoteControl, &[]),
    meaning("send-private-keys*", Code::SendsSecrets, &[]),
    meaning("copy-private-keys", Code::SendsSecrets, &[Topic::Ssh, Topic::Backup]),
    meaning("upload-a-home-folder", Code::SendsSecrets, &[Topic::Backup]),
    meaning("serve-a-home-folder*", Code::SendsSecrets, &[]),
    meaning("send-variables*", Code::SendsSecrets, &[]),
    meaning("send-data-of-variables*", Code::SendsSecrets, &[]),
    meaning("send-a-file-of-variables*", Code::SendsSecrets, &[]),
    meaning("publish-variables*", Code::SendsSecrets, &[]),
    meaning("look-up-variables*", Code::SendsSecrets, &[]),
    meaning("send-the-environment", Code::SendsEnvironment, &[]),
    meaning("read-private-keys*", Code::ReadsSecrets, &[Topic::Ssh, Topic::Cloud, Topic::Passwords, Topic::Backup]),
    meaning("print-a-home-folder-by-find", Code::ReadsSecrets, &[]),
    meaning("archive-a-home-folder*", Code::ReadsSecrets, &[Topic::Backup]),
    meaning("archive-private-keys-of-a-folder", Code::ReadsSecrets, &[Topic::Backup, Topic::Passwords]),
    meaning("copy-a-home-folder", Code::ReadsSecrets, &[Topic::Backup]),
    meaning("print-the-shadow-database", Code::ReadsSecrets, &[Topic::Security]),
    meaning("export-private-keys", Code::ReadsSecrets, &[Topic::Passwords, Topic::Backup, Topic::Wallet]),
    meaning("print-credentials-of-git", Code::ReadsSecrets, &[Topic::Passwords, Topic::Git]),
    meaning("print-credentials-of-docker", Code::ReadsSecrets, &[Topic::Passwords, Topic::Cloud]),
    meaning("print-a-password", Code::ReadsSecrets, &[Topic::Passwords]),
    meaning("read-a-password-database", Code::ReadsSecrets, &[Topic::Passwords]),
    meaning("read-a-wallet-of-the-desktop", Code::ReadsSecrets, &[Topic::Passwords]),
    meaning("search-private-keys-by-git", Code::ReadsSecrets, &[Topic::Security]),
    meaning("variables-of-processes*", Code::ReadsSecrets, &[Topic::Security]),
    meaning("memory-of-a-process*", Code::ReadsSecrets, &[Topic::Security, Topic::Faults]),
    meaning("print-credentials-of-a-machine", Code::CloudMetadata, &[]),
    meaning("write-start-up-files", Code::StartUp, &[Topic::Shell, Topic::Schedule]),
    meaning("name-start-up-files", Code::StartUp, &[Topic::Shell, Topic::Schedule]),
    meaning("write-git-hooks", Code::StartUp, &[Topic::Git]),
    meaning("git-setting-that-runs-a-program", Code::StartUp, &[Topic::Git]),
    meaning("write-credentials", Code::StartUp, &[Topic::Ssh, Topic::Cloud, Topic::Passwords, Topic::Packages]),
    meaning("scheduled-commands", Code::StartUp, &[Topic::Schedule]),
    meaning("schedule-commands-from-input", Code::StartUp, &[Topic::Schedule]),
    meaning("edit-sudoers", Code::StartUp, &[]),
    meaning("set-user-id", Code::StartUp, &[Topic::Security]),
    meaning("agent-without-approval", Code::Approval, &[Topic::Agents]),
    meaning("toolc-*", Code::Approval, &[]),
    meaning("write-toolc-home", Code::AgentFiles, &[]),
    meaning("delete-a-system-folder*", Code::Destroys, &[]),
    meaning("archive-and-delete-a-system-folder*", Code::Destroys, &[]),
    meaning("empty-a-system-folder-for-*", Code::Destroys, &[]),
    meaning("write-to-a-disk*", Code::Destroys, &[Topic::Disk]),
    meaning("make-a-file-system", Code::Destroys, &[Topic::Disk]),
    meaning("move-a-system-folder*", Code::Destroys, &[]),
    meaning("delete-backups", Code::Destroys, &[Topic::Backup]),
    meaning("fork-bomb", Code::Destroys, &[]),
    meaning("kill-everything*", Code::Destroys, &[]),
    meaning("overwriting-deletion", Code::Destroys, &[Topic::Security, Topic::Disk, Topic::Passwords]),
    meaning("security-modules", Code::Approval, &[Topic::Security]),
];

/// What a command about scheduled jobs of toolc means.
static JOBS: Meaning = meaning("toolc-changes-itself", Code::StartUp, &[Topic::Schedule]);

/// Returns what a rule means for a command.
pub(crate) fn meaning_of(rule: &str, command: &str) -> Option<&'static Meaning> {
    if matches!(rule, "toolc-changes-itself" | "toolc-starts-an-agent")
        && command.split_whitespace().nth(1) == Some("cron")
    {
        return Some(&JOBS);
    }
    MEANINGS.iter().find(|meaning| match meaning.pattern.strip_suffix('*') {
        Some(start) => rule.starts_with(start),
        None => rule == meaning.pattern,
    })
}
