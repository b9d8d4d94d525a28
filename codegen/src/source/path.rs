//! The paths of files relative to their project.

use std::path::{Component, MAIN_SEPARATOR, Path};

/// Returns the path relative to `root`, with `/` as separator.
///
/// # Errors
/// If the path is not UTF-8: the path with replacement characters.
pub(super) fn relative(root: &Path, path: &Path) -> Result<String, String> {
    if let Some(relative) = plain(root, path) {
        return Ok(relative.to_owned());
    }
    let parts = path.strip_prefix(root).unwrap_or(path).components().filter_map(|part| match part {
        Component::Normal(part) => Some(part),
        _ => None,
    });
    let (mut relative, mut is_text) = (Vec::new(), true);
    for part in parts {
        is_text &= part.to_str().is_some();
        relative.push(part.to_string_lossy());
    }
    let relative = relative.join("/");
    if is_text { Ok(relative) } else { Err(relative) }
}

/// Returns the path relative to `root` if it is a part of the text of `path`, as it usually is.
fn plain<'p>(root: &Path, path: &'p Path) -> Option<&'p str> {
    let relative = path.to_str()?.strip_prefix(root.to_str()?)?.strip_prefix('/')?;
    let is_plain = MAIN_SEPARATOR == '/' && !relative.split('/').any(|part| matches!(part, "" | "." | ".."));
    is_plain.then_some(relative)
}

/// Returns the path relative to `root`, with replacement characters for what is not UTF-8.
pub(super) fn relative_or_lossy(root: &Path, path: &Path) -> String {
    relative(root, path).unwrap_or_else(|lossy| lossy)
}
