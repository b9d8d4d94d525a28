//! The tables of keys in `docs/manifests.md`.

use minijinja::context;

use super::{Key, KeyType};
use crate::markdown;
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
        out += &format!("{FROM}{path}{TO}{}\n\n{END}{after}", table(keys));
    }
    out
}

/// Returns the table of these keys in Markdown, without a line break at its end.
pub fn table(keys: &[Key]) -> String {
    let rows: Vec<_> = keys.iter().map(row).collect();
    let table = markdown::render(include_str!("docs_table.md.jinja"), context! { rows });
    table.trim_end().to_owned()
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

fn row(key: &Key) -> minijinja::Value {
    let words = match key.key_type {
        KeyType::Word(words) | KeyType::Words(words) | KeyType::WordsByName(words) => words,
        _ => &[],
    };
    let words: Vec<_> = words.iter().map(|(word, doc)| context! { word => *word, doc => *doc }).collect();
    context! { name => key.name, value => key.key_type.noun(), required => key.required, doc => key.doc, words }
}
