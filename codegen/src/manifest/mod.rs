//! Parse: each file on its own, from TOML to a typed manifest. Names are still text here.

pub mod keys;
mod misplaced;
mod model;
mod offsets;
mod read;
mod standard;
mod syntax;

use std::cell::RefCell;

use rayon::prelude::*;
use toolc::behaviour::Execution;

use crate::diagnostic::{At, Code, Diagnostic, Sink, SourceId};
use crate::source::{Kind, Source, Sources};
use crate::text::atoms::AtomTable;
pub use model::*;
pub(crate) use offsets::written;
use read::Reader;

/// Parses every source.
pub fn parse(sources: &Sources, sink: &Sink) -> Manifests {
    let parts: Vec<Manifests> =
        misplaced::manifests(sources, sink).into_par_iter().map(|source| parse_one(source, sink)).collect();
    let mut manifests = Manifests::default();
    for part in parts {
        manifests.append(part);
    }
    if sources.all().iter().any(|source| source.kind == Some(Kind::Plugin)) {
        run_as_processes(&mut manifests.tools);
    }
    manifests
}

/// The tools of a plugin are waited for, as their authors need not say.
fn run_as_processes(tools: &mut [ToolManifest]) {
    for tool in tools.iter_mut().filter(|tool| tool.execution.place == tool.name.place) {
        tool.execution.value = Execution::Blocking;
    }
}

fn parse_one((id, kind, source): (SourceId, Kind, &Source), sink: &Sink) -> Manifests {
    let mut manifests = Manifests::default();
    let Some(document) = syntax::parse(id, source, sink) else {
        manifests.broken.push((kind, source.stem.clone()));
        return manifests;
    };
    let atom_table = RefCell::default();
    let reader = Reader::document((id, source), kind, &document, &atom_table, sink);
    let mut named = || {
        let name = name(&reader, kind, source, sink);
        if name.value != source.stem {
            manifests.broken.push((kind, source.stem.clone()));
        }
        name
    };
    match kind {
        Kind::Tool => {
            let tool = tool(&reader, named());
            manifests.tools.push(ToolManifest { atom_table: atom_table.take(), ..tool });
        }
        Kind::Toolset => {
            let toolset = toolset(&reader, named());
            manifests.toolsets.push(ToolsetManifest { atom_table: atom_table.take(), ..toolset });
        }
        Kind::Distribution => manifests.distributions.push(distribution(&reader, named())),
        Kind::Commands => manifests.commands.push(commands(&reader, named())),
        Kind::Facts => {
            let (facts, broken) = facts(&reader);
            manifests.facts = facts;
            manifests.broken.extend(broken.into_iter().map(|name| (kind, name)));
        }
        Kind::Env => manifests.variables = variables(&reader),
        Kind::Settings => manifests.settings = Some(settings(&reader, sink)),
        Kind::Plugin => manifests.plugin = Some(plugin(&reader)),
    }
    manifests
}

fn tool(reader: &Reader<'_>, name: At<String>) -> ToolManifest {
    let execution = reader.text("execution").and_then(|word| {
        let execution = Execution::ALL.into_iter().find(|execution| execution.word() == word.value)?;
        Some(At::new(execution, word.place))
    });
    let deprecated = reader
        .table("deprecated")
        .map(|reader| DeprecatedManifest { replacement: reader.text("replacement"), note: string(&reader, "note") });
    let (params, defs) = reader.arguments(name.place);
    ToolManifest {
        toolset: reader.text("toolset"),
        description: reader.template("description").unwrap_or_else(|| At::new(Vec::new(), name.place)),
        title: reader.text("title").map(|title| title.value),
        emoji: string(reader, "emoji"),
        // Which other keys go with a word that there is not, nobody knows: all of them go with this one.
        execution: execution.unwrap_or_else(|| {
            let is_said = reader.text("execution").is_some();
            At::new(if is_said { Execution::Async } else { Execution::Sync }, name.place)
        }),
        timeout: reader.duration("timeout"),
        max_result_chars: reader.count("max_result_chars"),
        parallel: reader.text("parallel"),
        parallel_key: reader.text("parallel_key"),
        parallel_space: reader.text("parallel_space"),
        defer: reader.flag("defer").unwrap_or(true),
        annotations: annotations(reader),
        requires: requires(reader),
        approval: approval(reader),
        deprecated,
        dialects: dialects(reader),
        params,
        returns: reader.subschema("returns"),
        defs,
        atom_table: AtomTable::default(),
        name,
    }
}

fn annotations(reader: &Reader<'_>) -> AnnotationsManifest {
    let reader = reader.table("annotations");
    let flag = |key| reader.as_ref().and_then(|reader| reader.flag_at(key));
    AnnotationsManifest {
        place: reader.as_ref().map(Reader::place),
        read_only: flag("read_only"),
        destructive: flag("destructive"),
        idempotent: flag("idempotent"),
        open_world: flag("open_world"),
    }
}

fn requires(reader: &Reader<'_>) -> RequiresManifest {
    let Some(reader) = reader.table("requires") else { return RequiresManifest::default() };
    RequiresManifest {
        env: reader.texts("env"),
        any_env: reader.texts("any_env"),
        programs: reader.texts("programs"),
        os: reader.texts("os"),
        tools: reader.texts("tools"),
        any_tools: reader.texts("any_tools"),
        when: reader.condition("when"),
        check: reader.flag_at("check").filter(|check| check.value).map(|check| check.place),
    }
}

fn approval(reader: &Reader<'_>) -> ApprovalManifest {
    let Some(reader) = reader.table("approval") else { return ApprovalManifest::default() };
    ApprovalManifest { always: reader.text("always").is_some(), shell: reader.text("shell") }
}

fn dialects(reader: &Reader<'_>) -> Vec<DialectManifest> {
    let one = |(dialect, reader): (At<String>, Reader<'_>)| DialectManifest {
        dialect,
        name: reader.text("name"),
        description: reader.template("description"),
    };
    let mut dialects: Vec<DialectManifest> = reader.tables("dialect").into_iter().map(one).collect();
    dialects.sort_by(|a, b| a.dialect.value.cmp(&b.dialect.value));
    dialects
}

fn toolset(reader: &Reader<'_>, name: At<String>) -> ToolsetManifest {
    ToolsetManifest {
        name,
        description: string(reader, "description"),
        preset: reader.text("kind").is_some_and(|kind| kind.value == "preset"),
        tools: reader.texts("tools"),
        includes: reader.texts("includes"),
        base: reader.text("base"),
        excludes: reader.texts("excludes"),
        closed: reader.flag("closed").unwrap_or(false),
        aliases: reader.texts("aliases"),
        tags: reader.texts("tags"),
        token_budget: reader.count("token_budget"),
        requires: requires(reader),
        atom_table: AtomTable::default(),
    }
}

fn distribution(reader: &Reader<'_>, name: At<String>) -> DistributionManifest {
    let toolsets = reader.numbers_by_name("toolsets");
    DistributionManifest { name, description: string(reader, "description"), toolsets }
}

fn commands(reader: &Reader<'_>, name: At<String>) -> CommandsManifest {
    let rule = |reader: Reader<'_>| {
        let conditions = ["programs", "subcommands", "flags", "arguments", "input_from", "output_to"];
        Some(RuleManifest {
            name: reader.text("name")?,
            description: string(&reader, "description"),
            verdict: string(&reader, "verdict"),
            conditions: conditions.map(|key| (key, reader.texts(key))).into(),
            matches: reader.texts("matches"),
            ignores: reader.texts("ignores"),
        })
    };
    let rules = reader.list("rules").into_iter().filter_map(rule).collect();
    CommandsManifest { name, description: string(reader, "description"), rules }
}

/// The facts, and the names of those that have no value.
fn facts(reader: &Reader<'_>) -> (Vec<FactManifest>, Vec<String>) {
    let (mut facts, mut broken) = (Vec::new(), Vec::new());
    for (name, reader) in reader.tables("facts") {
        match reader.fact_value("default") {
            Some(default) => facts.push(FactManifest { name, default, description: string(&reader, "description") }),
            None => broken.push(name.value),
        }
    }
    (facts, broken)
}

fn variables(reader: &Reader<'_>) -> Vec<VariableManifest> {
    let variable = |(name, reader): (At<String>, Reader<'_>)| VariableManifest {
        name,
        description: string(&reader, "description"),
        prompt: string(&reader, "prompt"),
        url: string(&reader, "url"),
        secret: reader.flag("secret").unwrap_or(true),
    };
    reader.tables("env").into_iter().map(variable).collect()
}

fn settings(reader: &Reader<'_>, sink: &Sink) -> SettingsManifest {
    let external = reader.table("external").map(|external| external.texts("tools")).unwrap_or_default();
    for name in &external {
        check_name(name, Kind::Tool, sink);
    }
    let budgets = reader.table("budgets");
    let budget = |key| budgets.as_ref().and_then(|budgets| budgets.count(key));
    SettingsManifest {
        dialects: reader.texts("dialects"),
        rust: reader.text("rust"),
        levels: reader.texts_by_name("lint"),
        baseline: reader.text("baseline"),
        tools: budget("tools"),
        tokens: budget("tokens"),
        description: budget("description"),
        parameters: budget("parameters"),
        external,
    }
}

fn plugin(reader: &Reader<'_>) -> PluginManifest {
    PluginManifest {
        executable: reader.text("executable"),
        description: string(reader, "description"),
        environment: reader.texts("environment"),
        max_output_bytes: reader.count("max_output_bytes"),
        place: reader.place(),
    }
}

/// A text that means nothing to the compiler; empty where there is none.
fn string(reader: &Reader<'_>, key: &str) -> String {
    reader.text(key).map(|text| text.value).unwrap_or_default()
}

/// The manifest's name, checked. Where there is none, the file's stem has to do.
fn name(reader: &Reader<'_>, kind: Kind, source: &Source, sink: &Sink) -> At<String> {
    let noun = kind.noun();
    let Some(name) = reader.text("name") else { return At::new(source.stem.clone(), reader.place()) };
    if name.value != source.stem {
        let message = format!("the {noun} `{}` stands in a file named `{}.toml`", name.value, source.stem);
        sink.push(
            Diagnostic::new(Code::FILE_NAME_MISMATCH, name.place, message)
                .label(format!("expected `{}`, the file's stem", source.stem))
                .help(format!("rename the file to `{}.toml`, or the {noun} to `{}`", name.value, source.stem)),
        );
    }
    check_name(&name, kind, sink);
    name
}

fn check_name(name: &At<String>, kind: Kind, sink: &Sink) {
    let noun = kind.noun();
    if is_reserved(kind, &name.value) {
        let message = format!("`{}` is a {noun} of toolc's own", name.value);
        sink.push(Diagnostic::new(Code::RESERVED_NAME, name.place, message).help("choose another name"));
    } else if !is_portable(&name.value) {
        let message = format!("`{}` is not a name that every provider takes", name.value);
        sink.push(
            Diagnostic::new(Code::INVALID_NAME, name.place, message)
                .label("expected a letter or `_`, then letters, digits, `_` or `-`; at most 64 in all")
                .help("use snake_case, and leave room for the prefixes that clients add"),
        );
    }
}

/// Whether toolc itself answers to this name.
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

/// Whether every known provider takes this as a tool's name: `^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$`.
pub(crate) fn is_portable(name: &str) -> bool {
    let mut letters = name.chars();
    letters.next().is_some_and(|first| first.is_ascii_alphabetic() || first == '_')
        && letters.all(|letter| letter.is_ascii_alphanumeric() || letter == '_' || letter == '-')
        && name.len() <= 64
}
