//! What a toolset promises about its tools, by its tags and its name, and which of its tools break that.

use std::borrow::Cow;

use crate::catalog::{Tool, Toolset};
use crate::diagnostic::{Code, Diagnostic, Place, Sink};
use crate::lint::words::words;
use crate::lint::{Lint, Path};

/// Tells of every tool of a toolset for which `promises` holds and which `breaks` the promise: how, and where that is
/// said.
pub(super) fn check(
    lint: &Lint<'_>,
    code: Code,
    promises: impl Fn(&Toolset) -> Option<&'static str>,
    breaks: impl Fn(&Tool) -> Option<(&'static str, Place)>,
    help: &str,
    sink: &Sink,
) {
    for (id, toolset) in lint.toolsets().filter(|(_, toolset)| toolset.declared) {
        let Some(promise) = promises(toolset) else { continue };
        for &member in lint.resolved(id) {
            let tool = &lint[member];
            let Some((how, said)) = breaks(tool) else { continue };
            let path = lint.path(id, member);
            let place = path.as_ref().and_then(Path::start).unwrap_or(toolset.manifest.name.place);
            let name = toolset.name();
            let way = path.as_ref().map(|path| format!(": {path}")).unwrap_or_default();
            let message = format!("`{name}` {promise}, and resolves to `{}`, which {how}{way}", tool.name());
            let found = Diagnostic::new(code, place, message).related(said, "the tool");
            let found = path.into_iter().fold(found, |found, path| path.show(found));
            sink.push(found.help(help));
        }
    }
}

/// Whether a toolset has one of these tags, or a name that ends, or is, like one of them.
pub(super) fn is_called(toolset: &Toolset, tags: &[&str]) -> bool {
    let is = |own: &[Cow<'_, str>], tag: &str| own == words(tag);
    let name = words(toolset.name());
    let named = |tag: &&str| (0..name.len()).any(|start| is(&name[start..], tag));
    let tagged = |tag: &&str| toolset.manifest.tags.iter().any(|own| is(&words(&own.value), tag));
    tags.iter().any(|tag| named(tag) || tagged(tag))
}
