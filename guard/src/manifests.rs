//! Judges manifests and settings files: what they make other programs run, and where they get packages from.

use crate::codes::{Code, Severity};
use crate::entries::{self, Entry};
use crate::files;
use crate::hosts::{self, Standing};
use crate::lookalikes::{self, Registry};
use crate::recipes;
use crate::shell::look_alike;
use crate::unit::{Found, Inner, Judged, Unit};

/// Scripts of a package that run without being named.
const HOOKS: &[&str] = &[
    "preinstall",
    "install",
    "postinstall",
    "prepare",
    "preprepare",
    "postprepare",
    "prepublish",
    "dependencies",
    "post-install-cmd",
    "post-update-cmd",
    "post-autoload-dump",
];

/// What such scripts usually do: set up git hooks, apply patches, or build.
const USUAL_HOOKS: &[&str] = &[
    "husky",
    "husky install",
    "husky || true",
    "patch-package",
    "tsc",
    "npm run build",
    "pnpm build",
    "pnpm run build",
    "yarn build",
    "bun run build",
    "lefthook install",
    "simple-git-hooks",
    "node-gyp rebuild",
    "electron-builder install-app-deps",
    "prisma generate",
    "playwright install",
    "npx playwright install",
    "playwright install chromium",
    "npx playwright install chromium",
    "svelte-kit sync",
    "nuxt prepare",
    "is-ci || husky install",
    "wireit",
];

/// Keys whose values are commands.
const COMMAND_KEYS: &[&str] = &[
    "run",
    "script",
    "command",
    "cmd",
    "entrypoint",
    "before_script",
    "after_script",
    "shell",
    "postcreatecommand",
    "poststartcommand",
    "oncreatecommand",
    "postattachcommand",
    "initializecommand",
    "updatecontentcommand",
    "entry",
    "exec",
];

/// Judges a manifest by its name.
pub(crate) fn check(path: &str, unit: &Unit) -> Judged {
    let name = path.rsplit('/').next().unwrap_or_default().to_ascii_lowercase();
    let end = files::end_of(path);
    let mut judged = Judged::default();
    match name.as_str() {
        "package.json" | "composer.json" | "deno.json" => package(&entries::json(&unit.text), unit, &mut judged),
        "pyproject.toml" | "setup.cfg" | "pipfile" | "requirements.txt" | ".npmrc" | ".yarnrc" | ".yarnrc.yml"
        | "pip.conf" | "bunfig.toml" | ".pypirc" | "cargo.toml" => lines(&name, unit, &mut judged),
        "makefile" | "gnumakefile" | "justfile" | "procfile" | "vagrantfile" | "jenkinsfile" | "dockerfile"
        | "containerfile" => recipes::check(&name, unit, &mut judged),
        _ if matches!(end.as_str(), "mk" | "mak" | "make") => recipes::check("makefile", unit, &mut judged),
        _ if end == "just" => recipes::check("justfile", unit, &mut judged),
        _ if end == "dockerfile" => recipes::check("dockerfile", unit, &mut judged),
        _ if end == "json" => settings(path, &entries::json(&unit.text), unit, &mut judged),
        _ if matches!(end.as_str(), "yml" | "yaml") => {
            let entries = entries::yaml(&unit.text);
            commands(&entries, &mut judged);
            workflow(&entries, unit, &mut judged);
            containers(&entries, unit, &mut judged);
        }
        "tox.ini" | ".gitattributes" => {}
        ".gitmodules" => judged.found.push(Found::in_unit(
            unit,
            Code::CloneAndRun,
            0..unit.text.len().min(80),
            "The skill has modules of other repositories, whose content is not judged.",
        )),
        _ => judged.inner.push(Inner { language: "sh", text: unit.text.clone(), at: 0 }),
    }
    judged
}

fn package(entries: &[Entry], unit: &Unit, judged: &mut Judged) {
    for entry in entries {
        let range = entry.at..entry.at + entry.value.len();
        if let Some(script) = entry.path.strip_prefix("scripts/").or_else(|| entry.path.strip_prefix("tasks/")) {
            judged.inner.push(Inner { language: "sh", text: entry.value.clone(), at: entry.at });
            let value = entry.value.trim();
            let builds = ["tsc ", "tsup ", "rollup ", "vite build", "esbuild ", "husky "]
                .iter()
                .any(|start| value.starts_with(start));
            let is_usual =
                USUAL_HOOKS.contains(&value) || builds && !value.contains(['|', ';', '&', '$', '`', '>', '<']);
            if HOOKS.contains(&script) && !is_usual {
                judged.found.push(Found::in_unit(
                    unit,
                    Code::InstallHook,
                    range,
                    format!("An installation of the package runs its script `{script}`."),
                ));
            }
        } else if entry.path.to_ascii_lowercase().contains("dependencies/") {
            dependency(entry, unit, judged);
            let range = entry.at..entry.at + entry.value.len();
            twin(Registry::Npm, entry.key(), unit, range, judged);
        }
    }
}

fn dependency(entry: &Entry, unit: &Unit, judged: &mut Judged) {
    for address in hosts::addresses(&entry.value) {
        let range = entry.at..entry.at + entry.value.len();
        foreign(&address, false, unit, range, judged);
    }
}

fn foreign(address: &hosts::Address, is_index: bool, unit: &Unit, range: std::ops::Range<usize>, judged: &mut Judged) {
    if address.is_registry() || address.is_known_installer() || address.standing() == Standing::Local {
        return;
    }
    let found = Found::in_unit(
        unit,
        Code::ForeignPackage,
        range,
        format!("A package is installed from {}, which is not a public registry.", address.host),
    );
    let is_note = !is_index && address.is_forge() && address.standing() == Standing::Named;
    judged.found.push(if is_note { found.into_note() } else { found });
}

/// A package with a name that is almost the name of a well-known one.
fn twin(registry: Registry, name: &str, unit: &Unit, range: std::ops::Range<usize>, judged: &mut Judged) {
    if let Some(known) = lookalikes::twin(registry, name) {
        judged.found.push(Found::in_unit(unit, Code::LookAlikePackage, range, look_alike(name, known)));
    }
}

/// Manifests in lines: dependencies with addresses, indices, and builds of their own.
fn lines(name: &str, unit: &Unit, judged: &mut Judged) {
    let mut at = 0;
    let mut section = String::new();
    for line in unit.text.split_inclusive('\n') {
        let plain = line.trim();
        let range = at..at + line.trim_end().len();
        at += line.len();
        if plain.starts_with('[') {
            section = plain.to_ascii_lowercase();
        }
        if plain.starts_with('#') || plain.starts_with(';') {
            continue;
        }
        let is_index = ["index-url", "extra-index-url", "--find-links", "-f ", "-i ", "registry", "index =", "index="]
            .iter()
            .any(|word| plain.contains(word))
            || section.contains("source")
            || section.contains("index")
            || section.contains("registr");
        let is_package = is_index
            || matches!(name, "requirements.txt" | "pipfile")
            || section.contains("dependencies")
            || plain.contains(" @ ");
        let is_name = plain.starts_with(|letter: char| letter.is_ascii_alphanumeric());
        if is_name && (name == "requirements.txt" || section.contains("dependencies") && name == "pyproject.toml") {
            twin(Registry::PyPi, plain, unit, range.clone(), judged);
        }
        if is_package {
            for address in hosts::addresses(plain) {
                foreign(&address, is_index, unit, range.clone(), judged);
            }
        }
        if name == "pyproject.toml" && plain.starts_with("backend-path") {
            judged.found.push(Found::in_unit(
                unit,
                Code::InstallHook,
                range,
                "The package is built by code of its own.",
            ));
        }
    }
}

/// Values of keys that are commands.
pub(crate) fn commands(entries: &[Entry], judged: &mut Judged) {
    for entry in entries {
        let is_command =
            COMMAND_KEYS.contains(&entry.key().to_ascii_lowercase().as_str()) || entry.path.contains("healthcheck/");
        if is_command && entry.value.len() > 2 {
            judged.inner.push(Inner { language: "sh", text: entry.value.clone(), at: entry.at });
        }
    }
}

/// Settings of agents and editors.
fn settings(path: &str, entries: &[Entry], unit: &Unit, judged: &mut Judged) {
    commands(entries, judged);
    let lower = path.to_ascii_lowercase();
    let whole = 0..unit.text.len().min(80);
    let has = |part: &str| entries.iter().any(|entry| entry.path.to_ascii_lowercase().contains(part));
    let is_agent = lower.contains(".claude/")
        || lower.contains(".codex/")
        || lower.contains(".cursor/")
        || lower.contains(".gemini/")
        || lower.contains(".openclaw/")
        || lower.contains(".agents/");
    if is_agent
        && lower.contains("settings")
        && (has("hooks") || has("permissions") || has("mcpservers") || has("env/") || has("apikeyhelper"))
    {
        judged.found.push(Found::in_unit(
            unit,
            Code::AgentFiles,
            whole.clone(),
            "The skill brings settings of an agent, with permissions, hooks or servers.",
        ));
    }
    let opens = entries.iter().find(|entry| entry.key().eq_ignore_ascii_case("runOn") && entry.value == "folderOpen");
    if let Some(entry) = opens {
        judged.found.push(Found::in_unit(
            unit,
            Code::StartUp,
            entry.at..entry.at + entry.value.len(),
            "A task runs as soon as an editor opens the folder.",
        ));
    }
    for entry in entries {
        for address in hosts::addresses(&entry.value) {
            let hides = matches!(address.standing(), Standing::Number | Standing::Hiding(_));
            if hides {
                judged.found.push(Found::in_unit(
                    unit,
                    Code::SuspiciousHost,
                    entry.at..entry.at + entry.value.len(),
                    format!("The settings name {}, which hides its owner.", address.host),
                ));
            }
        }
    }
    servers(entries, unit, judged);
}

/// Judges the commands that settings start as MCP servers.
fn servers(entries: &[Entry], unit: &Unit, judged: &mut Judged) {
    let servers: Vec<&Entry> =
        entries.iter().filter(|entry| entry.path.to_ascii_lowercase().contains("mcpservers/")).collect();
    for command in servers.iter().filter(|entry| entry.key() == "command") {
        let owner = command.path.rsplit_once('/').map_or("", |(owner, _)| owner);
        let arguments = servers.iter().filter(|entry| {
            entry.path.strip_prefix(owner) == Some("/args") || entry.path == format!("{owner}/args/args")
        });
        let line =
            std::iter::once(command.value.as_str()).chain(arguments.map(|entry| entry.value.as_str())).map(|word| {
                if word.contains(' ') { format!("'{}'", word.replace('\'', "'\\''")) } else { word.to_owned() }
            });
        judged.inner.push(Inner { language: "sh", text: line.collect::<Vec<_>>().join(" "), at: command.at });
        judged.found.push(Found::in_unit(
            unit,
            Code::ManifestHook,
            command.at..command.at + command.value.len(),
            "The settings start a program as an MCP server.",
        ));
    }
}

/// Containers that get the machine, and values that a reader of YAML makes into objects by running code.
fn containers(entries: &[Entry], unit: &Unit, judged: &mut Judged) {
    // An anchor outside of the services can be a part of each.
    let parts = ["services/", "containers/", "spec/"];
    let is_service = entries.iter().any(|entry| parts.iter().any(|part| entry.path.contains(part)));
    for entry in entries {
        let (key, value) = (entry.key().to_ascii_lowercase(), entry.value.trim());
        let is_root = value.starts_with("/:") || value.starts_with('/') && value.contains("docker.sock");
        let gets_machine = match key.as_str() {
            "privileged" | "hostpid" => value == "true",
            "source" => value == "/" || is_root,
            "path" => entry.path.to_ascii_lowercase().contains("hostpath") && value == "/" || is_root,
            "pid" | "userns_mode" => value == "host",
            _ => is_root,
        };
        if is_service && gets_machine {
            let range = entry.at..entry.at + entry.value.len();
            let message = "The settings give the whole machine to a container.";
            judged.found.push(Found::in_unit(unit, Code::HostAccess, range, message));
        }
    }
    for tag in
        ["!!python/object", "tag:yaml.org,2002:python/", "!!python/name", "!!python/module", "!ruby/object", "!!javax."]
    {
        if let Some(at) = unit.text.find(tag) {
            let message = "A reader of YAML runs code to make this value.";
            let found = Found::in_unit(unit, Code::DynamicCode, at..at + tag.len(), message);
            judged.found.push(Found { severity: Severity::Block, ..found });
        }
    }
}

/// A workflow that gives its secrets away, or code of strangers its rights.
fn workflow(entries: &[Entry], unit: &Unit, judged: &mut Judged) {
    let is_workflow = entries.iter().any(|entry| entry.path.starts_with("jobs/"));
    if !is_workflow {
        return;
    }
    let all = entries.iter().find(|entry| {
        let plain: String = entry.value.to_ascii_lowercase().split_whitespace().collect();
        plain.contains("tojson(secrets)") || plain.contains("secrets[")
    });
    if let Some(entry) = all {
        judged.found.push(Found::in_unit(
            unit,
            Code::SendsEnvironment,
            entry.at..entry.at + entry.value.len(),
            "The workflow collects all secrets of the repository.",
        ));
    }
    let is_privileged = unit.text.contains("pull_request_target") || unit.text.contains("workflow_run:");
    let head = entries.iter().find(|entry| {
        entry.key() == "ref" && (entry.value.contains("pull_request.head") || entry.value.contains("workflow_run.head"))
    });
    let runs = entries.iter().any(|entry| entry.key() == "run");
    if let Some(entry) = head.filter(|_| is_privileged && runs) {
        judged.found.push(Found::in_unit(
            unit,
            Code::HostAccess,
            entry.at..entry.at + entry.value.len(),
            "The workflow runs code of a pull request with the rights and secrets of the repository.",
        ));
    }
}
