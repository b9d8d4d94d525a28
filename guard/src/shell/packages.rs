//! Packages that are installed from addresses or indices of their own, and repositories that are cloned and run.

use super::command::Plain;
use crate::codes::Code;
use crate::hosts::{self, Address, Standing};
use crate::lookalikes::{self, Registry};
use crate::unit::{Found, Judged};
use crate::visible::visible;

/// Programs that install packages.
const MANAGERS: &[&str] = &[
    "pip",
    "pip3",
    "pipx",
    "uv",
    "uvx",
    "npm",
    "npx",
    "pnpm",
    "pnpx",
    "yarn",
    "bun",
    "bunx",
    "gem",
    "cargo",
    "go",
    "conda",
    "mamba",
    "poetry",
    "easy_install",
    "deno",
    "composer",
    "brew",
    "python",
    "python3",
    "py",
    "apt",
    "apt-get",
    "dpkg",
    "rpm",
    "dnf",
    "yum",
];

/// Options that name another index, or that switch checks off.
const INDEX_OPTIONS: &[&str] = &[
    "--index-url",
    "-i",
    "--extra-index-url",
    "--index",
    "--default-index",
    "--registry",
    "--find-links",
    "-f",
    "--source",
    "--trusted-host",
    "--index-strategy",
];

/// Adds what an installation does.
pub(super) fn check(command: &Plain, found: impl Fn(Code, String) -> Found, judged: &mut Judged) {
    if !MANAGERS.contains(&command.name.as_str()) {
        return;
    }
    let is_module = matches!(command.name.as_str(), "python" | "python3" | "py");
    if is_module
        && !(command.arguments.iter().any(|word| word == "-m")
            && command.arguments.iter().any(|word| matches!(word.as_str(), "pip" | "easy_install")))
    {
        return;
    }
    let installs = command.arguments.iter().any(|word| {
        matches!(
            word.as_str(),
            "install"
                | "add"
                | "i"
                | "ci"
                | "run"
                | "dlx"
                | "exec"
                | "x"
                | "tool"
                | "get"
                | "global"
                | "create"
                | "init"
                | "sync"
                | "tap"
                | "download"
                | "config"
                | "set"
        )
    }) || matches!(command.name.as_str(), "npx" | "uvx" | "pnpx" | "bunx" | "easy_install");
    if !installs {
        return;
    }
    look_alikes(command, &found, judged);
    let mut after_index = false;
    for word in &command.arguments {
        let option = word.split('=').next().unwrap_or_default();
        let is_index = after_index || INDEX_OPTIONS.contains(&option) && word.contains('=');
        after_index = INDEX_OPTIONS.contains(&word.as_str());
        for address in hosts::addresses(word) {
            judge(&address, is_index, &found, judged);
        }
        let short = ["github:", "gitlab:", "git@"].iter().any(|start| word.starts_with(start));
        if short {
            judged.found.push(
                found(
                    Code::ForeignPackage,
                    "A package of a repository is installed, which is in no registry.".to_owned(),
                )
                .into_note(),
            );
        }
    }
}

/// Packages with names that are almost the names of well-known ones.
fn look_alikes(command: &Plain, found: &impl Fn(Code, String) -> Found, judged: &mut Judged) {
    let registry = match command.name.as_str() {
        "pip" | "pip3" | "pipx" | "uv" | "uvx" | "poetry" | "python" | "python3" | "py" => Registry::PyPi,
        "npm" | "npx" | "pnpm" | "pnpx" | "yarn" | "bun" | "bunx" => Registry::Npm,
        _ => return,
    };
    let names = command.arguments.iter().skip_while(|word| {
        !matches!(word.as_str(), "install" | "add" | "i" | "dlx" | "exec") && !command.name.ends_with('x')
    });
    for name in
        names.filter(|word| !word.starts_with(['-', '.', '/', '$']) && !word.contains("://") && !word.contains('*'))
    {
        if let Some(known) = lookalikes::twin(registry, name) {
            judged.found.push(found(Code::LookAlikePackage, look_alike(name, known)));
        }
    }
}

/// Returns the message about a package with such a name.
pub(crate) fn look_alike(name: &str, known: &str) -> String {
    format!("The name of the package `{}` is almost `{known}`.", visible(name))
}

fn judge(address: &Address, is_index: bool, found: &impl Fn(Code, String) -> Found, judged: &mut Judged) {
    if address.is_registry() || address.is_known_installer() || address.standing() == Standing::Local {
        return;
    }
    let note = found(
        Code::ForeignPackage,
        format!("A package is installed from {}, which is not a public registry.", address.host),
    );
    let is_note = !is_index && address.is_forge() && address.standing() == Standing::Named;
    judged.found.push(if is_note { note.into_note() } else { note });
}
