//! The parse stage: reads each file separately, from TOML to a typed manifest.

mod kept;
pub mod keys;
mod lazy;
mod misplaced;
mod read;
mod standard;
mod tables;

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::sync::Arc;

use rayon::prelude::*;
use toolc::__gen::name::PORTABLE;
use toolc::FactValue;
use toolc::behaviour::Execution;
use toolc_lower::schema::Property;
use toolc_tables::{Form, HasKeys as _, Key, ReadTable as _, syntax};

use toml::Spanned;
use toml::de::DeTable;

use crate::diagnostic::{At, Diagnostic, Place, Sink, SourceId, codes, ticked};
use crate::source::{Fault, Kind, Source, Sources};
pub use kept::KeptManifests;
pub use lazy::LazyManifest;
use read::{ManifestReader, declared_name, reader, schema};
pub(crate) use standard::text_pattern_error;
pub use tables::*;
pub use toolc_tables::Refused;

/// Parses every source.
pub fn parse(sources: &Sources, sink: &Sink) -> Manifests {
    parse_with(sources, None, sink)
}

/// Parses every source, except the manifests of tools that are kept.
pub(crate) fn parse_with(sources: &Sources, kept: Option<&KeptManifests<'_>>, sink: &Sink) -> Manifests {
    let is_plugin = sources.all().iter().any(|source| source.kind == Some(Kind::Plugin));
    // The tools of a plugin have other defaults.
    let kept = kept.filter(|_| !is_plugin);
    let found = misplaced::manifests(sources, sink).into_par_iter().map(|(id, kind, source)| {
        let tool = kept.filter(|_| kind == Kind::Tool).and_then(|kept| kept.find(id, source));
        tool.map(Box::new).ok_or_else(|| Box::new(parse_one((id, kind, source), sink)))
    });
    let parts: Vec<Result<Box<LazyManifest>, Box<Manifests>>> = found.collect();
    let mut manifests = Manifests::default();
    for part in parts {
        match part {
            Ok(tool) => manifests.tools.push(tool),
            Err(read) => manifests.append(*read),
        }
    }
    let by_program: BTreeSet<&str> = (manifests.toolsets.iter())
        .filter(|toolset| toolset.program_language().is_some())
        .map(|toolset| toolset.name.value.as_str())
        .collect();
    let default = |tool: &LazyManifest| {
        let has_program = |home: &At<String>| by_program.contains(home.value.as_str());
        // Each call waits for a process.
        if is_plugin || tool.toolset.as_ref().is_some_and(has_program) { Execution::Blocking } else { Execution::Sync }
    };
    let tools = std::mem::take(&mut manifests.tools).into_iter();
    manifests.tools = tools.map(|tool| with_default_execution(default(&tool), tool)).collect();
    #[cfg(feature = "emit")]
    {
        let digest = |source: &Arc<Source>| (source.path.clone(), source.manifest_digest());
        manifests.digests = sources.all().par_iter().map(digest).collect();
    }
    manifests
}

/// Sets the execution of a tool that names none. That of a manifest which was just read is `sync`, or was reported; that of a kept one is
/// the default of the last run.
fn with_default_execution(default: Execution, tool: Box<LazyManifest>) -> Box<LazyManifest> {
    let is_read = !tool.is_kept && default == Execution::Sync;
    if is_read || tool.execution.place != tool.name.place || tool.execution.value == default {
        return tool;
    }
    let (mut whole, source) = tool.into_whole();
    whole.execution.value = default;
    Box::new(LazyManifest::new(whole, source))
}

impl Manifests {
    /// Adds the facts of a manifest. One without a value is broken.
    fn add_facts(&mut self, manifest: FactsManifest, sink: &Sink) {
        for FactTable { name, default, values, description, per_session, .. } in manifest.facts {
            match default {
                Some(default) => {
                    if let Some(found) = misfit(&name.value, &default, &values) {
                        sink.push(found);
                    }
                    self.facts.push(FactManifest { name, default, values, description, per_session });
                }
                None => self.broken.push((Kind::Facts, name.value)),
            }
        }
    }
}

/// Returns what is wrong with the values of a fact.
fn misfit(name: &str, default: &FactValue, values: &[At<String>]) -> Option<Diagnostic> {
    let first = values.first()?;
    match default {
        FactValue::Text(text) if values.iter().any(|value| value.value == **text) => None,
        FactValue::Text(text) => {
            let message = format!("the default of the fact `{name}` is not one of its values");
            let found = Diagnostic::new(codes::INVALID_VALUE, first.place, message);
            Some(
                found.label(format!("expected `{text}` among them")).help(format!("add `{text}`, or change `default`")),
            )
        }
        FactValue::Boolean(_) | FactValue::Integer(_) => {
            let message = format!("the fact `{name}` is {}, and only a text can have `values`", default.noun());
            Some(Diagnostic::new(codes::INCOMPATIBLE_KEYS, first.place, message).help("remove `values`"))
        }
    }
}

fn parse_one((id, kind, source): (SourceId, Kind, &Arc<Source>), sink: &Sink) -> Manifests {
    let mut manifests = Manifests::default();
    let Some(document) = toml(id, source, sink) else {
        // Without a stem, it is a folder that cannot be read.
        let name = if source.stem.is_empty() { ANY.to_owned() } else { source.stem.clone() };
        manifests.broken.push((kind, name));
        return manifests;
    };
    if let Some(found) = of_another_kind(id, kind, source, document.get_ref()) {
        sink.push(found);
        manifests.broken.extend(Kind::ALL.map(|kind| (kind, source.stem.clone())));
        return manifests;
    }
    let atom_table = RefCell::default();
    let reader = reader((id, kind, source), kind.into(), &document, &atom_table, sink);
    let is_named = matches!(kind, Kind::Tool | Kind::Toolset | Kind::Distribution | Kind::Commands);
    if is_named && let Some(name) = declared_name(&reader) {
        check_file_name(&name, kind, source, sink);
        check_name(&name, kind, sink);
        if name.value != source.stem {
            manifests.broken.push((kind, source.stem.clone()));
        }
    }
    match kind {
        Kind::Tool => {
            let tool = tool(&reader);
            let whole = ToolManifest { atom_table: atom_table.take(), ..tool };
            manifests.tools.push(Box::new(LazyManifest::new(whole, (id, Arc::clone(source)))));
        }
        Kind::Toolset => {
            let toolset = ToolsetManifest::read(&reader);
            manifests.toolsets.push(ToolsetManifest { atom_table: atom_table.take(), ..toolset });
        }
        Kind::Distribution => manifests.distributions.push(DistributionManifest::read(&reader)),
        Kind::Commands => manifests.commands.push(commands(&reader)),
        Kind::Facts => {
            if reader.refused().is_any() {
                manifests.broken.push((kind, ANY.to_owned()));
            }
            manifests.add_facts(FactsManifest::read(&reader), sink);
        }
        Kind::Env => {
            if reader.refused().is_any() {
                manifests.broken.push((kind, ANY.to_owned()));
            }
            manifests.variables = EnvManifest::read(&reader).env;
        }
        Kind::Settings => {
            let settings = SettingsManifest::read(&reader);
            if settings.refused.has("external", true) || settings.external.refused.is_any() {
                manifests.broken.push((Kind::Tool, ANY.to_owned()));
            }
            settings.external.tools.iter().for_each(|name| check_name(name, Kind::Tool, sink));
            manifests.settings = Some(settings);
        }
        Kind::Plugin => manifests.plugin = Some(PluginManifest::read(&reader)),
    }
    manifests
}

/// Returns the tree of a file, or `None` if it has errors, which are reported.
fn toml<'s>(id: SourceId, source: &'s Source, sink: &Sink) -> Option<Spanned<DeTable<'s>>> {
    match &source.fault {
        None => syntax::parse(id, &source.text, sink),
        Some(Fault::Text { at, message, help }) => {
            sink.push(Diagnostic::new(codes::SYNTAX, Place::new(id, *at..*at), message).help(*help));
            None
        }
        // It was reported as a file that is not a manifest.
        Some(Fault::File { .. }) => None,
    }
}

/// Stands for every name, in the list of broken names: what declares them could not be read.
pub(crate) const ANY: &str = "*";

/// Returns the finding about a file that is empty, or whose keys are those of another kind of manifest. Each key would be a
/// finding of its own.
fn of_another_kind(id: SourceId, kind: Kind, source: &Source, document: &DeTable<'_>) -> Option<Diagnostic> {
    let keys = |kind: Kind| kind.keys().iter().copied().flatten();
    let required: Vec<&str> = keys(kind).filter(|key| key.required).map(|key| key.name).collect();
    if document.is_empty() {
        let found = Diagnostic::new(codes::MISSING_KEY, Place::new(id, 0..0), "the file is empty");
        let found = found.label(format!("{} needs {}", kind.document(), ticked(&required, ", ")));
        return (!required.is_empty()).then(|| found.help("write the manifest, or delete the file"));
    }
    let is_known = |kind: Kind, name: &str| keys(kind).any(|key| key.name == name);
    let foreign =
        document.keys().filter(|name| !is_known(kind, name.get_ref())).min_by_key(|name| name.span().start)?;
    let has_all = |kind: Kind| keys(kind).filter(|key| key.required).all(|key| document.contains_key(key.name));
    let is_complete = |other: &Kind| {
        // A key that both kinds have says nothing.
        let is_own = |name: &str| keys(*other).any(|key| key.required && key.name == name) && !is_known(kind, name);
        *other != kind
            && document.keys().all(|name| is_known(*other, name.get_ref()))
            && (document.keys().any(|name| is_own(name.get_ref())) || has_all(*other) && !has_all(kind))
    };
    let other = Kind::ALL.into_iter().find(is_complete)?;
    let place = Place::new(id, foreign.span());
    let message = format!("`{}` is a key of {}, not of {}", foreign.get_ref(), other.document(), kind.document());
    let found = Diagnostic::new(codes::UNKNOWN_KEY, place, message);
    let to = if other.place().ends_with('/') {
        format!("{}{}.toml", other.place(), source.stem)
    } else {
        other.place().to_owned()
    };
    let found = found.label(format!("all keys of this file are those of {}", other.document()));
    Some(found.help(format!("move the file to `{to}`, or remove this key")))
}

/// Reads a user's own files of command rules, in which the name and the description may be missing. A file with syntax errors, which are
/// reported, is left out.
pub(crate) fn user_rules(sources: &Sources, sink: &Sink) -> Vec<CommandsManifest> {
    const KEYS: [Key; CommandsManifest::KEYS.len()] = {
        let mut keys = [CommandsManifest::KEYS[0]; CommandsManifest::KEYS.len()];
        let mut at = 0;
        while at < keys.len() {
            keys[at] = Key { required: false, ..CommandsManifest::KEYS[at] };
            at += 1;
        }
        keys
    };
    let read = sources.iter().filter_map(|(id, source)| {
        let document = toml(id, source, sink)?;
        let atom_table = RefCell::default();
        let form = Form { keys: &[&KEYS], ..Kind::Commands.into() };
        Some(commands(&reader((id, Kind::Commands, source), form, &document, &atom_table, sink)))
    });
    read.collect()
}

fn commands(reader: &ManifestReader<'_>) -> CommandsManifest {
    let mut commands = CommandsManifest::read(reader);
    let count = |commands: &CommandsManifest| {
        commands.programs.len()
            + commands.groups.len()
            + commands.places.len()
            + commands.access.len()
            + commands.rules.len()
    };
    let all = count(&commands);
    // Those without a name were reported.
    commands.programs.retain(|program| !program.name.value.is_empty());
    commands.groups.retain(|group| !group.name.value.is_empty());
    commands.places.retain(|place| !place.name.value.is_empty());
    commands.access.retain(|access| !access.programs.is_empty());
    commands.rules.retain(|rule| !rule.name.value.is_empty());
    if count(&commands) < all {
        commands.refused.set_missing();
    }
    commands
}

/// Reads the manifest of a tool that had no findings when it was kept.
fn read_tool(id: SourceId, source: &Source) -> ToolManifest {
    let (document, _) = DeTable::parse_recoverable(&source.text);
    let (atom_table, sink) = (RefCell::default(), Sink::default());
    let reader = reader((id, Kind::Tool, source), Kind::Tool.into(), &document, &atom_table, &sink);
    let tool = tool(&reader);
    ToolManifest { atom_table: atom_table.take(), ..tool }
}

fn tool(reader: &ManifestReader<'_>) -> ToolManifest {
    let (params, defs) = schema::arguments(reader);
    let mut tool = ToolManifest { params, defs, ..ToolManifest::read(reader) };
    set_text_pattern(&mut tool);
    tool.dialect.sort_by(|a, b| a.dialect.value.cmp(&b.dialect.value));
    tool
}

/// Makes the regular expression of a plain text the pattern of its parameter, for dialects that have no tools with plain text.
fn set_text_pattern(tool: &mut ToolManifest) {
    let Some(pattern) = tool.text_input.as_ref().and_then(TextInputManifest::pattern) else { return };
    if let [Property { schema, .. }] = tool.params.properties.as_mut_slice()
        && schema.pattern.is_none()
        && standard::pattern_error(&pattern.value).is_none()
    {
        schema.pattern = Some(pattern);
    }
}

fn check_file_name(name: &At<String>, kind: Kind, source: &Source, sink: &Sink) {
    let noun = kind.noun();
    if name.value != source.stem {
        let message = format!("the {noun} `{}` is declared in a file named `{}.toml`", name.value, source.stem);
        sink.push(
            Diagnostic::new(codes::FILE_NAME_MISMATCH, name.place, message)
                .label(format!("expected `{}`, the file's stem", source.stem))
                .help(format!("rename the file to `{}.toml`, or the {noun} to `{}`", name.value, source.stem)),
        );
    }
}

fn check_name(name: &At<String>, kind: Kind, sink: &Sink) {
    let noun = kind.noun();
    if is_reserved(kind, &name.value) {
        let message = format!("the {noun} name `{}` is reserved", name.value);
        let found = Diagnostic::new(codes::RESERVED_NAME, name.place, message);
        sink.push(found.label("toolc uses this name itself").help("choose another name"));
    } else if !PORTABLE.accepts(&name.value) {
        let message = format!("`{}` is not a name that every vendor accepts", name.value);
        sink.push(
            Diagnostic::new(codes::INVALID_NAME, name.place, message)
                .label(format!("expected {}", PORTABLE.expected()))
                .help("use snake_case, and keep the name short, because clients add prefixes"),
        );
    }
}

/// Returns whether toolc uses this name itself.
pub(crate) fn is_reserved(kind: Kind, name: &str) -> bool {
    RESERVED.contains(&(kind, name))
}

const RESERVED: [(Kind, &str); 5] = [
    (Kind::Tool, "tool_call"),
    (Kind::Tool, "tool_describe"),
    (Kind::Tool, "tool_search"),
    (Kind::Toolset, "all"),
    (Kind::Toolset, "*"),
];
