//! Keys, possibly dotted.

use toml_edit::Key;

/// Returns keys in their original notation, with dots between them.
pub(super) fn dotted(path: &[&Key]) -> String {
    path.iter().map(|key| key.display_repr()).collect::<Vec<_>>().join(".")
}

/// Returns the white space and comments before a dotted key.
pub(super) fn comments_before<'k>(path: &[&'k Key]) -> &'k str {
    let decor = path.last().map(|key| key.leaf_decor());
    decor.and_then(|decor| decor.prefix()?.as_str()).unwrap_or_default()
}
