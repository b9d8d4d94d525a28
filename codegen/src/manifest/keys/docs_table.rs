//! The tables of keys in `docs/manifests.md`.

use toolc_tables::docs_table;

use super::{Key, KeyType};
use crate::source::Kind;

/// The start of a generated table. The path of its keys and [`TO`] follow.
const FROM: &str = "<!-- keys: ";
const TO: &str = " -->\n";
/// The end of a generated table.
const END: &str = "<!-- end of keys -->";

/// Returns a guide with its generated tables renewed. Each table is between two comments, and the first comment names the table's
/// keys: `<!-- keys: tool.requires -->` and `<!-- end of keys -->`.
///
/// # Panics
/// If a comment names unknown keys, or has no end.
pub fn renew_tables(guide: &str) -> String {
    let mut parts = guide.split(FROM);
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (path, rest) = part.split_once(TO).expect("the comment ends with the path of the keys");
        let (_, after) = rest.split_once(END).expect("the table has an end");
        let keys = find(path).unwrap_or_else(|| panic!("`{path}` has no keys"));
        out += &format!("{FROM}{path}{TO}{}\n\n{END}{after}", docs_table(keys));
    }
    out
}

/// Returns the keys of a kind of manifest, or of a table in it.
fn find(path: &str) -> Option<&'static [Key]> {
    let mut parts = path.split('.');
    let kind = parts.next()?;
    let keys = Kind::ALL.into_iter().find(|known| known.noun() == kind)?.keys().first()?;
    parts.try_fold(*keys, |keys, name| match keys.iter().find(|key| key.name == name)?.key_type {
        KeyType::Table(keys) | KeyType::Tables(keys) | KeyType::List(keys) => Some(keys),
        _ => None,
    })
}
