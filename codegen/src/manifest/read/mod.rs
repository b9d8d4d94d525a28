//! The language of manifests, for the reader of tables: conditions, templates and schemas, and hints about keys of other formats.

mod kinds;
pub(in crate::manifest) mod schema;
mod text;

use std::cell::RefCell;

use toml::Spanned;
use toml::de::DeTable;
use toolc_lower::text::atoms::AtomTable;
use toolc_tables::{Form, Hints, Language, Reader, UnknownKey};

use super::keys::{FOREIGN, FOREIGN_TO_TOOLS, PROPERTY, RENAMED_IN_PLUGINS, SCHEMA, synonyms};
use crate::diagnostic::{At, Diagnostic, Place, Sink, SourceId, codes, ticked};
use crate::source::{Kind, Source};
use text::{condition, description, template};

/// The key of the name of a manifest or a table.
const NAME: &str = "name";

/// The language of manifests, with what the reader of one collects and refers to.
#[derive(Debug, Clone, Copy)]
pub struct ManifestLanguage<'m> {
    kind: Kind,
    /// The atoms of the conditions of the manifest.
    atom_table: &'m RefCell<AtomTable>,
    /// The definitions that a `$ref` can refer to, as written.
    defs: Option<&'m DeTable<'m>>,
}

/// A reader of manifests.
pub(in crate::manifest) type ManifestReader<'t> = Reader<'t, ManifestLanguage<'t>>;

impl From<Kind> for Form {
    fn from(kind: Kind) -> Self {
        Self { noun: kind.document(), keys: kind.keys() }
    }
}

/// Returns the reader of a manifest. The atoms of its conditions are collected in `atom_table`.
pub(in crate::manifest) fn reader<'t>(
    (id, kind, source): (SourceId, Kind, &'t Source),
    form: Form,
    document: &'t Spanned<DeTable<'t>>,
    atom_table: &'t RefCell<AtomTable>,
    sink: &'t Sink,
) -> ManifestReader<'t> {
    let language = ManifestLanguage { kind, atom_table, defs: None };
    let mut reader = Reader::document((id, &source.text, &source.stem), form, document, language, sink);
    reader.language.defs = schema::defs(&reader);
    reader
}

impl Language for ManifestLanguage<'_> {
    /// An empty name of a tool and the like is unknown, which is reported anyway.
    const NOT_EMPTY: &'static [&'static str] =
        &["title", "emoji", "prompt", "note", "parallel_space", "tags", "aliases", "approval", "requires"];

    fn is_schema(&self, keys: &[&[toolc_tables::Key]]) -> bool {
        keys.iter().copied().flatten().any(|key| key.name == "anyOf")
    }

    fn hints(&self, key: &UnknownKey<'_>) -> Hints {
        let root = Some(self.kind).filter(|_| key.is_root);
        Hints {
            instead: self.foreign(key),
            synonym: synonyms::meant(key.name, &key.names(), root),
            belongs: belongs(key),
            elsewhere: root.and_then(|own| elsewhere(own, key.name)),
        }
    }

    /// Only the schema of the arguments has a key `type` with fixed words.
    fn unknown_word(&self, key: &str, word: &str, place: Place) -> Option<Diagnostic> {
        let found = || Diagnostic::new(codes::ROOT_NOT_OBJECT, place, "a tool's arguments are an object");
        (key == "type").then(|| {
            found()
                .label(format!("expected `object`, found `{word}`"))
                .help("remove this key, and declare the value as a parameter: `[params.NAME]`")
        })
    }

    fn no_array(&self, key: &str) -> Option<&'static str> {
        (key == "required").then_some("write `required = true` in each required property instead")
    }
}

impl ManifestLanguage<'_> {
    /// Returns what to write instead of a key of another format.
    fn foreign(&self, key: &UnknownKey<'_>) -> Option<&'static str> {
        let is_root_of = |kind: Kind| self.kind == kind && key.is_root;
        let is_tool = is_root_of(Kind::Tool);
        let of_tools = FOREIGN_TO_TOOLS.iter().filter(|_| is_tool);
        let is_plugin = is_root_of(Kind::Plugin);
        let of_plugins = RENAMED_IN_PLUGINS.iter().filter(|_| is_plugin);
        let is_schema = self.is_schema(key.keys);
        let mut foreign = of_tools.chain(of_plugins).chain(FOREIGN.iter().filter(|_| is_tool || is_schema));
        foreign.find(|(word, _)| *word == key.name).map(|(_, instead)| *instead)
    }
}

/// Returns a help for a key of a property at the root of a manifest.
fn belongs(key: &UnknownKey<'_>) -> Option<String> {
    use toolc_tables::KeyType;

    let is_of_properties = [SCHEMA, PROPERTY].iter().copied().flatten().any(|known| known.name == key.name);
    if !key.is_root || !is_of_properties {
        return None;
    }
    let root = key.keys.iter().copied().flatten();
    let properties = root.filter(|key| matches!(key.key_type, KeyType::Properties));
    let tables: Vec<String> = properties.map(|key| format!("`[{}.NAME]`", key.name)).collect();
    (!tables.is_empty()).then(|| format!("it belongs in {}", tables.join(" or ")))
}

/// Returns a help for a key at the root that belongs to another kind of manifest.
fn elsewhere(own: Kind, name: &str) -> Option<String> {
    let has = |kind: &Kind| kind.keys().iter().copied().flatten().any(|key| key.name == name);
    let kinds: Vec<Kind> = Kind::ALL.into_iter().filter(|kind| *kind != own && has(kind)).collect();
    let first = kinds.first()?;
    let places: Vec<&str> = kinds.iter().map(|kind| kind.place()).collect();
    Some(format!("`{name}` is a key of {}: {}", first.document(), ticked(&places, " or ")))
}

/// Returns the name that the manifest declares, if it does.
pub(in crate::manifest) fn declared_name(reader: &ManifestReader<'_>) -> Option<At<String>> {
    reader.text(NAME)
}

/// Returns the place to point at if a key is missing: the name.
pub(in crate::manifest) fn name_place(reader: &ManifestReader<'_>) -> Place {
    declared_name(reader).map_or(reader.place(), |name| name.place)
}

/// Reads the name of a manifest, or returns the stem of the file. A nested table without a name has the empty name.
pub(in crate::manifest) fn name_or_stem(reader: &ManifestReader<'_>, key: &str) -> At<String> {
    let is_root = reader.depth() == 0;
    let Some(name) = reader.text(key) else {
        let default = if is_root { reader.table_name().value } else { String::new() };
        return At::new(default, reader.place());
    };
    // The names of files are checked together with their stems.
    if name.value.is_empty() && !is_root {
        let found = Diagnostic::new(codes::INVALID_NAME, name.place, "the name is empty");
        reader.sink().push(found.label("expected at least one letter"));
    }
    name
}
