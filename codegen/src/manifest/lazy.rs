//! The manifest of a tool, read in full on first use. If nothing but its own generated files depends on the rest of a manifest, the keys
//! that other files depend on are kept from one run to the next, and a run in which the file is unchanged need not read it.

use std::ops::Deref;
use std::sync::{Arc, OnceLock};

use toolc::behaviour::Execution;
use toolc_lower::schema::Schema;
use toolc_lower::text::atoms::{AtomTable, Template};
use toolc_lower::text::template::Piece;

use super::{ApprovalManifest, DeprecatedManifest, DialectManifest, RequiresManifest, ToolManifest};
use crate::diagnostic::{At, SourceId};
use crate::source::Source;

/// The manifest of a tool. It has the fields of a [`ToolManifest`] that stages need of every tool. All others are read from the file on
/// first use.
#[derive(Debug)]
pub struct LazyManifest {
    /// See [`ToolManifest::name`].
    pub name: At<String>,
    /// See [`ToolManifest::toolset`].
    pub toolset: Option<At<String>>,
    /// See [`ToolManifest::description`].
    pub description: At<Template>,
    /// See [`ToolManifest::aliases`].
    pub aliases: Vec<At<String>>,
    /// See [`ToolManifest::icons`].
    pub icons: Vec<At<String>>,
    /// See [`ToolManifest::emoji`].
    pub emoji: String,
    /// See [`ToolManifest::execution`].
    pub execution: At<Execution>,
    /// See [`ToolManifest::callers`].
    pub callers: Vec<At<String>>,
    /// See [`ToolManifest::scripts`].
    pub scripts: bool,
    /// See [`ToolManifest::requires`].
    pub requires: RequiresManifest,
    /// See [`ToolManifest::approval`].
    pub approval: ApprovalManifest,
    /// See [`ToolManifest::deprecated`].
    pub deprecated: Option<DeprecatedManifest>,
    /// See [`ToolManifest::dialect`].
    pub dialect: Vec<DialectManifest>,
    /// See [`ToolManifest::atom_table`].
    pub atom_table: AtomTable,
    /// The names of the required parameters.
    pub required: Vec<String>,
    /// The digest of the file: see [`Source::digest`].
    pub(crate) digest: u64,
    /// Whether what an earlier run kept was used: the file is unchanged, and its checks found nothing.
    pub(crate) is_kept: bool,
    is_plain: bool,
    source: (SourceId, Arc<Source>),
    whole: OnceLock<Box<ToolManifest>>,
}

/// The fields of a plain manifest that are kept. All other fields have their defaults.
pub(super) struct PlainManifest {
    pub(super) name: At<String>,
    pub(super) toolset: Option<At<String>>,
    pub(super) description: At<String>,
    pub(super) emoji: String,
    pub(super) execution: At<Execution>,
    pub(super) requires: RequiresManifest,
    pub(super) required: Vec<String>,
}

impl LazyManifest {
    /// Creates it from a manifest that was read in full.
    pub(super) fn new(whole: ToolManifest, source: (SourceId, Arc<Source>)) -> Self {
        Self {
            name: whole.name.clone(),
            toolset: whole.toolset.clone(),
            description: whole.description.clone(),
            aliases: whole.aliases.clone(),
            icons: whole.icons.clone(),
            emoji: whole.emoji.clone(),
            execution: whole.execution.clone(),
            callers: whole.callers.clone(),
            scripts: whole.scripts,
            requires: whole.requires.clone(),
            approval: whole.approval.clone(),
            deprecated: whole.deprecated.clone(),
            dialect: whole.dialect.clone(),
            atom_table: whole.atom_table.clone(),
            required: required(&whole.params),
            digest: source.1.digest(),
            is_kept: false,
            is_plain: is_plain(&whole, &source.1.text),
            source,
            whole: OnceLock::from(Box::new(whole)),
        }
    }

    /// Creates the manifest of an unchanged file, which is not read.
    pub(super) fn kept(plain: PlainManifest, digest: u64, source: (SourceId, Arc<Source>)) -> Self {
        let PlainManifest { name, toolset, description, emoji, execution, requires, required } = plain;
        Self {
            name,
            toolset,
            description: At::new(vec![Piece::Text(description.value)], description.place),
            aliases: Vec::new(),
            icons: Vec::new(),
            emoji,
            execution,
            callers: Vec::new(),
            scripts: false,
            requires,
            approval: ApprovalManifest::default(),
            deprecated: None,
            dialect: Vec::new(),
            atom_table: AtomTable::default(),
            required,
            digest,
            is_kept: true,
            is_plain: true,
            source,
            whole: OnceLock::new(),
        }
    }

    /// Returns whether nothing but its own generated files depends on more than the fields of this type: the manifest has no conditions,
    /// no definitions, no alternatives and no changes for dialects, and its texts have no sign of a placeholder.
    pub fn is_plain(&self) -> bool {
        self.is_plain
    }

    /// Returns whether the manifest was read in full.
    pub fn is_read(&self) -> bool {
        self.whole.get().is_some()
    }

    /// Returns the whole manifest, to change it and then [create](Self::new) it again.
    pub(super) fn into_whole(self) -> (ToolManifest, (SourceId, Arc<Source>)) {
        let whole =
            self.whole.into_inner().unwrap_or_else(|| Box::new(super::read_tool(self.source.0, &self.source.1)));
        (*whole, self.source)
    }
}

impl Deref for LazyManifest {
    type Target = ToolManifest;

    fn deref(&self) -> &ToolManifest {
        let (id, source) = &self.source;
        self.whole.get_or_init(|| Box::new(super::read_tool(*id, source)))
    }
}

fn required(params: &Schema) -> Vec<String> {
    let required = params.properties.iter().filter(|property| property.required);
    required.map(|property| property.name.value.clone()).collect()
}

fn is_plain(whole: &ToolManifest, text: &str) -> bool {
    let ToolManifest { requires, approval, atom_table, .. } = whole;
    let has_sign = |text: &str| ["{", "%", "\\u", "\\U", "\\x"].iter().any(|sign| text.contains(sign));
    let is_plain_schema = |schema: &Schema| {
        let description = schema.description.as_ref().and_then(|description| text.get(description.place.span()));
        schema.in_place().next().is_none() && schema.reference.is_none() && !description.is_some_and(has_sign)
    };
    matches!(whole.description.value.as_slice(), [Piece::Text(_)])
        && text.get(whole.description.place.span()).is_some_and(|text| !has_sign(text))
        && requires.any.is_empty()
        && requires.when.is_none()
        && requires.check.is_none()
        && approval.always.is_none()
        && approval.shell.is_none()
        && approval.start_directory.is_none()
        && atom_table.atoms.is_empty()
        && atom_table.facts.is_empty()
        && [&whole.aliases, &whole.icons, &whole.callers].iter().all(|list| list.is_empty())
        && !whole.scripts
        && whole.deprecated.is_none()
        && whole.dialect.is_empty()
        && whole.text_input.is_none()
        && whole.defs.is_empty()
        && whole.schemas().all(is_plain_schema)
}
