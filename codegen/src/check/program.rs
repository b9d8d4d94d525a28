//! Checks toolsets whose home tools a program runs: the program must be named in a way that is found, and no tool may need what a program
//! cannot do.

use std::path::{Component, Path};

use toolc::behaviour::Execution;

use super::requires::check_variable;
use crate::catalog::{Catalog, Tool, Toolset};
use crate::diagnostic::codes;
use crate::diagnostic::{At, Diagnostic, Place, Sink};
use crate::manifest::HandlerLanguage;

pub(super) fn check(catalog: &Catalog, sink: &Sink) {
    for (_, toolset) in catalog.toolsets() {
        if let Some(program) = &toolset.manifest.program {
            check_command(&program.command, sink);
            program.env.iter().for_each(|name| check_variable(name, sink));
        }
        match (toolset.manifest.program_language(), &toolset.manifest.program) {
            (None, Some(program)) if !toolset.manifest.refused.has("language", true) => {
                let message = "`program` has no effect: the handlers of this toolset are in Rust";
                let help = "add `language = \"python\"` or `language = \"typescript\"`, or remove this table";
                sink.push(Diagnostic::new(codes::INCOMPATIBLE_KEYS, program.place, message).help(help));
            }
            (Some(language), _) => check_toolset(catalog, toolset, language, sink),
            (None, _) => {}
        }
    }
}

fn check_toolset(catalog: &Catalog, toolset: &Toolset, language: &At<HandlerLanguage>, sink: &Sink) {
    if catalog.plugin().is_some() {
        let message = "a toolset of a plugin has no `language`: the program of the plugin runs its tools";
        let found = Diagnostic::new(codes::NOT_IN_A_PLUGIN, language.place, message);
        sink.push(found.help("remove this key, and write `resident = true` in `plugin.toml`"));
        return;
    }
    let has_others = !toolset.manifest.tools.is_empty() || toolset.edges().next().is_some();
    if toolset.home_tools.is_empty() && has_others {
        let message = format!("`language` has no effect: `{}` has no home tools", toolset.name());
        let help = "the handler of a tool has the language of its home toolset, which the key `toolset` of the tool names: move this \
                    key there";
        sink.push(Diagnostic::new(codes::INCOMPATIBLE_KEYS, language.place, message).help(help));
    }
    let refuse = |place: Place, key: &str, help: &str| {
        let message = format!("{key} is not supported: a program in another language runs the tool");
        let found = Diagnostic::new(codes::INCOMPATIBLE_KEYS, place, message);
        sink.push(found.related(language.place, "this is the language of its toolset").help(help));
    };
    let check_help = "use `env`, `programs` or `os`, and report other problems as errors of the handler";
    if let Some(place) = toolset.manifest.requires.checked() {
        refuse(place, "`check`", check_help);
    }
    for tool in toolset.home_tools.iter().map(|id| &catalog[*id]) {
        if let Some(place) = tool.manifest.requires.checked() {
            refuse(place, "`check`", check_help);
        }
        check_tool(tool, &refuse);
    }
}

fn check_tool(tool: &Tool, refuse: &dyn Fn(Place, &str, &str)) {
    let execution = &tool.manifest.execution;
    if execution.value != Execution::Blocking {
        let help = "remove it: tools that a program runs are `blocking` by default";
        refuse(execution.place, &format!("`execution = \"{}\"`", execution.value.word()), help);
    }
    if let Some(At { value: true, place }) = tool.manifest.approval.start_directory {
        refuse(place, "`start_directory`", "remove it, or move the tool to a toolset with handlers in Rust");
    }
}

/// Checks the words of a command. Whether its files exist is only known when it is run.
fn check_command(command: &[At<String>], sink: &Sink) {
    for (index, word) in command.iter().enumerate() {
        let text = word.value.as_str();
        let problem = if let Some(file) = text.strip_prefix("./") {
            (!is_file_below(file)).then_some("expected a file below the folder of the project, without `.` and `..`")
        } else if index == 0 && text.is_empty() {
            Some("expected the name or the path of a program")
        } else {
            let is_of_project = is_script(text) || (index == 0 && is_relative(text));
            is_of_project.then_some("expected `./` before the path of a file of the project")
        };
        if let Some(label) = problem {
            let message = format!("`{text}` cannot be a part of this command");
            let found = Diagnostic::new(codes::INVALID_VALUE, word.place, message).label(label);
            sink.push(found.help("write `command = [\"python3\", \"./python/notes.py\"]`, for example"));
        }
    }
}

/// Returns whether a path without its `./` leads to a file below a folder.
fn is_file_below(path: &str) -> bool {
    !path.is_empty() && Path::new(path).components().all(|part| matches!(part, Component::Normal(_)))
}

/// Returns whether a word is the relative path of a script: the program would look for it where the host was started.
fn is_script(word: &str) -> bool {
    let extension = Path::new(word).extension().and_then(|extension| extension.to_str());
    let is_known = extension.is_some_and(|extension| ["py", "js", "mjs", "cjs", "ts", "mts"].contains(&extension));
    is_known && !word.starts_with('-') && Path::new(word).is_relative()
}

/// Returns whether a word is a relative path, and not a name.
fn is_relative(word: &str) -> bool {
    word.contains(['/', '\\']) && Path::new(word).is_relative()
}
