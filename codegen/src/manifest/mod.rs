//! Parse: each file on its own, from TOML to a typed manifest. Names are still text here.

pub mod keys;
mod offsets;
mod read;
mod standard;
mod syntax;

use std::cell::RefCell;

use toolc::segment::FactValue;

use crate::diagnostic::{At, Code, Diagnostic, Place, Sink};
use crate::schema::{Property, Schema};
use crate::source::{Kind, Source, Sources};
use crate::text::questions::{Questions, Template};
use read::Reader;

/// A tool, as its author wrote it.
#[derive(Debug, Clone)]
pub struct ToolManifest {
    /// Its name.
    pub name: At<String>,
    /// Its home. None where the key is missing, which has been reported.
    pub toolset: Option<At<String>>,
    /// What the model is told.
    pub description: At<Template>,
    /// For a person's eyes.
    pub emoji: String,
    /// How its handler runs.
    pub execution: Execution,
    /// Its parameters: an object.
    pub params: Schema,
    /// What its conditions and texts ask.
    pub questions: Questions,
}

/// How a handler runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Execution {
    /// Inline.
    Sync,
    /// As a future.
    Async,
}

impl Execution {
    /// The word for it in a manifest.
    pub const fn word(self) -> &'static str {
        match self {
            Execution::Sync => "sync",
            Execution::Async => "async",
        }
    }
}

/// A toolset, as its author wrote it.
#[derive(Debug, Clone)]
pub struct ToolsetManifest {
    /// Its name.
    pub name: At<String>,
    /// For a person who chooses.
    pub description: String,
    /// Whether it stands for a platform.
    pub preset: bool,
    /// Tools that have another home.
    pub tools: Vec<At<String>>,
    /// Toolsets that it brings along.
    pub includes: Vec<At<String>>,
    /// The toolset that it builds on.
    pub base: Option<At<String>>,
}

/// A fact, as its author wrote it.
#[derive(Debug, Clone)]
pub struct FactManifest {
    /// Its name.
    pub name: At<String>,
    /// What is assumed where the host says nothing.
    pub default: FactValue,
    /// For whoever writes a host.
    pub description: String,
}

/// Everything that could be parsed, and the names of what could not: nobody is told twice about a broken file.
#[derive(Debug, Default)]
pub struct Manifests {
    /// In the order of their paths.
    pub tools: Vec<ToolManifest>,
    /// In the order of their paths.
    pub toolsets: Vec<ToolsetManifest>,
    /// In the author's order.
    pub facts: Vec<FactManifest>,
    /// Names that a file stands for without declaring them well.
    pub broken: Vec<(Kind, String)>,
}

/// Parses every source.
pub fn parse(sources: &Sources, sink: &Sink) -> Manifests {
    let mut manifests = Manifests::default();
    for (id, kind, source) in sources.manifests(sink) {
        let Some(document) = syntax::parse(id, source, sink) else {
            manifests.broken.push((kind, source.stem.clone()));
            continue;
        };
        let questions = RefCell::default();
        let reader = Reader::document((id, source), kind, &document, &questions, sink);
        if kind == Kind::Facts {
            manifests.facts = reader.facts("facts");
            continue;
        }
        let name = name(&reader, kind, source, sink);
        if name.value != source.stem {
            manifests.broken.push((kind, source.stem.clone()));
        }
        if kind == Kind::Toolset {
            manifests.toolsets.push(toolset(&reader, name));
        } else {
            let tool = tool(&reader, name);
            manifests.tools.push(ToolManifest { questions: questions.take(), ..tool });
        }
    }
    manifests
}

fn tool(reader: &Reader<'_>, name: At<String>) -> ToolManifest {
    ToolManifest {
        toolset: reader.text("toolset"),
        description: reader.template("description").unwrap_or_else(|| At::new(Vec::new(), name.place)),
        emoji: reader.text("emoji").map(|emoji| emoji.value).unwrap_or_default(),
        execution: match reader.text("execution") {
            Some(word) if word.value == Execution::Async.word() => Execution::Async,
            _ => Execution::Sync,
        },
        params: Schema::arguments(name.place, reader.properties("params")),
        questions: Questions::default(),
        name,
    }
}

fn toolset(reader: &Reader<'_>, name: At<String>) -> ToolsetManifest {
    ToolsetManifest {
        name,
        description: reader.text("description").map(|text| text.value).unwrap_or_default(),
        preset: reader.text("kind").is_some_and(|kind| kind.value == "preset"),
        tools: reader.texts("tools"),
        includes: reader.texts("includes"),
        base: reader.text("base"),
    }
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
    if RESERVED.iter().any(|(of, reserved)| *of == kind && *reserved == name.value) {
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
    name
}

const RESERVED: [(Kind, &str); 5] = [
    (Kind::Tool, "tool_call"),
    (Kind::Tool, "tool_describe"),
    (Kind::Tool, "tool_search"),
    (Kind::Toolset, "all"),
    (Kind::Toolset, "*"),
];

/// Whether every known provider takes this as a tool's name: `^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$`.
fn is_portable(name: &str) -> bool {
    let mut letters = name.chars();
    letters.next().is_some_and(|first| first.is_ascii_alphabetic() || first == '_')
        && letters.all(|letter| letter.is_ascii_alphanumeric() || letter == '_' || letter == '-')
        && name.len() <= 64
}

impl Schema {
    /// The schema of a tool's arguments: an object of these properties and no others.
    fn arguments(place: Place, properties: Vec<Property>) -> Schema {
        use toolc::table::Type;
        Schema { types: vec![Type::Object], properties, ..Schema::new(place) }
    }
}
