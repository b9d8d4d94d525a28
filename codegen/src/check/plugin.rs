//! Checks a plugin: its program must be a file of the plugin, each hook must say which calls it is about, and its tools must not need
//! what a program cannot do.

use std::path::{Component, Path};

use toolc::behaviour::Execution;

use super::requires::check_variable;
use crate::catalog::Catalog;
use crate::diagnostic::codes;
use crate::diagnostic::{At, Diagnostic, Place, Sink};
use crate::manifest::HooksManifest;

pub(super) fn check(catalog: &Catalog, sink: &Sink) {
    let Some(plugin) = catalog.plugin() else { return };
    if let Some(executable) = &plugin.executable {
        check_executable(executable, sink);
    }
    for name in &plugin.env {
        check_variable(name, sink);
    }
    if let (Some(timeout), false) = (&plugin.idle_timeout, plugin.resident) {
        let message = "`idle_timeout` has no effect on a program that each call starts";
        let found = Diagnostic::new(codes::INCOMPATIBLE_KEYS, timeout.place, message);
        sink.push(found.help("add `resident = true`, or remove this key"));
    }
    check_hooks(&plugin.hooks, sink);
    for (_, tool) in catalog.tools() {
        check_execution(&tool.manifest.execution, sink);
        check_availability_check(tool.manifest.requires.checked(), sink);
    }
    for (_, toolset) in catalog.toolsets() {
        check_availability_check(toolset.manifest.requires.checked(), sink);
    }
}

/// Checks the path of the program. Whether the file exists is only checked when it is run.
fn check_executable(executable: &At<String>, sink: &Sink) {
    let mut parts = Path::new(&executable.value).components();
    if executable.value.is_empty() || !parts.all(|part| matches!(part, Component::Normal(_))) {
        let message = format!("`{}` is not a file of the plugin", executable.value);
        sink.push(
            Diagnostic::new(codes::INVALID_VALUE, executable.place, message)
                .label("expected a path below the plugin's folder, without `.` and `..`")
                .help("write `executable = \"run\"`, and start programs elsewhere from that file"),
        );
    }
}

/// Reports hooks that name no calls: no default is right for both a guard and a log.
fn check_hooks(hooks: &HooksManifest, sink: &Sink) {
    let deciding = [("before", &hooks.before), ("transform", &hooks.transform)];
    let deciding = deciding.into_iter().filter_map(|(name, hook)| {
        hook.as_ref().map(|hook| (name, hook.place, hook.tools.is_empty() && hook.toolsets.is_empty()))
    });
    let observing = hooks.after.as_ref();
    let observing = observing.map(|hook| ("after", hook.place, hook.tools.is_empty() && hook.toolsets.is_empty()));
    for (name, place, _) in deciding.chain(observing).filter(|(_, _, is_empty)| *is_empty) {
        let message = format!("the hook `{name}` names no tools and no toolsets");
        sink.push(
            Diagnostic::new(codes::MISSING_KEY, place, message)
                .help("name them with `tools` and `toolsets`; `toolsets = [\"all\"]` stands for all calls"),
        );
    }
}

fn check_execution(execution: &At<Execution>, sink: &Sink) {
    if execution.value == Execution::Blocking {
        return;
    }
    let message = format!("tools of a plugin cannot be `{}`: a program runs them", execution.value.word());
    sink.push(
        Diagnostic::new(codes::NOT_IN_A_PLUGIN, execution.place, message)
            .help("remove `execution`: tools of a plugin are `blocking` by default"),
    );
}

/// Reports checks: a plugin has no handlers to run them.
fn check_availability_check(check: Option<Place>, sink: &Sink) {
    if let Some(place) = check {
        let message = "tools of a plugin cannot have a `check`, because they have no handlers";
        sink.push(
            Diagnostic::new(codes::NOT_IN_A_PLUGIN, place, message).help(
                "use `env`, `programs` or `os` in `requires`, and report other problems as errors of the program",
            ),
        );
    }
}
