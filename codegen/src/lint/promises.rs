//! Rules about what the tags and the name of a toolset promise, such as `read-only`, and the tools that break it.

use std::borrow::Cow;

use crate::catalog::{Tool, Toolset};
use crate::diagnostic::{Code, Diagnostic, Place, Sink};
use crate::lint::verbs::words;
use crate::lint::{Lint, Path};

/// Reports every tool that breaks a promise of its toolset. `promises` returns what a toolset promises; `breaks` returns how a
/// tool breaks that, and the place that says so.
pub(in crate::lint) fn check(
    lint: &Lint<'_>,
    code: Code,
    promises: impl Fn(&Toolset) -> Option<&'static str>,
    breaks: impl Fn(&Tool) -> Option<(&'static str, Place)>,
    help: &str,
    sink: &Sink,
) {
    for (id, toolset) in lint.toolsets().filter(|(_, toolset)| toolset.declared) {
        let Some(promise) = promises(toolset) else { continue };
        for &member in lint.resolve(id) {
            let tool = &lint[member];
            let Some((problem, place_of_tool)) = breaks(tool) else { continue };
            let path = lint.path(id, member);
            let place = path.as_ref().and_then(Path::start).unwrap_or(toolset.manifest.name.place);
            let name = toolset.name();
            let path_suffix = path.as_ref().map(|path| format!(": {path}")).unwrap_or_default();
            let message = format!("`{name}` {promise} but contains `{}`, which {problem}{path_suffix}", tool.name());
            let found = Diagnostic::new(code, place, message).related(place_of_tool, "the tool");
            let found = path.into_iter().fold(found, |found, path| path.show(found));
            sink.push(found.help(help));
        }
    }
}

/// Returns whether a toolset has one of these tags, or a name that equals one or ends with one.
pub(in crate::lint) fn is_named_or_tagged(toolset: &Toolset, tags: &[&str]) -> bool {
    let equals = |text: &[Cow<'_, str>], tag: &str| text == words(tag);
    let name = words(toolset.name());
    let named = |tag: &&str| (0..name.len()).any(|start| equals(&name[start..], tag));
    let tagged = |tag: &&str| toolset.manifest.tags.iter().any(|own| equals(&words(&own.value), tag));
    tags.iter().any(|tag| named(tag) || tagged(tag))
}
