//! A plugin: its program is a file of its own, and its tools ask for nothing that a program of one call cannot do.

use std::path::{Component, Path};

use toolc::behaviour::Execution;

use super::requires::check_variable;
use crate::catalog::Catalog;
use crate::diagnostic::{At, Code, Diagnostic, Place, Sink};

pub(super) fn check(catalog: &Catalog, sink: &Sink) {
    let Some(plugin) = catalog.plugin() else { return };
    if let Some(executable) = &plugin.executable {
        check_executable(executable, sink);
    }
    for name in &plugin.env {
        check_variable(name, sink);
    }
    for (_, tool) in catalog.tools() {
        check_execution(&tool.manifest.execution, sink);
        check_asked(tool.manifest.requires.checked(), sink);
    }
    for (_, toolset) in catalog.toolsets() {
        check_asked(toolset.manifest.requires.checked(), sink);
    }
}

/// Whether the file is there is for whoever runs it.
fn check_executable(executable: &At<String>, sink: &Sink) {
    let mut parts = Path::new(&executable.value).components();
    if executable.value.is_empty() || !parts.all(|part| matches!(part, Component::Normal(_))) {
        let message = format!("`{}` is not a file of the plugin", executable.value);
        sink.push(
            Diagnostic::new(Code::INVALID_VALUE, executable.place, message)
                .label("expected a path below the plugin's folder, without `.` and `..`")
                .help("write `executable = \"run\"`, and let that file start what is elsewhere"),
        );
    }
}

fn check_execution(execution: &At<Execution>, sink: &Sink) {
    if execution.value == Execution::Blocking {
        return;
    }
    let message = format!("the tools of a plugin cannot be `{}`: each call is a process", execution.value.word());
    sink.push(
        Diagnostic::new(Code::NOT_IN_A_PLUGIN, execution.place, message)
            .help("take `execution` out: they are `blocking`, also where nothing is said"),
    );
}

/// There are no handlers that could be asked.
fn check_asked(check: Option<Place>, sink: &Sink) {
    if let Some(place) = check {
        let message = "the tools of a plugin have no handlers that could be asked whether they are there";
        sink.push(
            Diagnostic::new(Code::NOT_IN_A_PLUGIN, place, message).help(
                "say in `requires` what they need: `env`, `programs`, `os`; the program tells the rest as an error",
            ),
        );
    }
}
