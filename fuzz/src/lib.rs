//! What holds of any input at all, and inputs to begin with. libFuzzer tries it on what it makes of them (see the
//! README); the workspace's own tests include this file, and try it on some thousands of mutations.

use std::collections::BTreeSet;
use std::ops::Range;
use std::path::Path;

use toolc_codegen::compile;
use toolc_codegen::diagnostic::{Level, Renderer};
use toolc_codegen::emit::emit;
use toolc_codegen::lower::DIALECTS;
use toolc_codegen::manifest::keys::{CHOICE, EXECUTIONS, FACT, Key, PROPERTY, SCHEMA, TOOLSET_KINDS};
use toolc_codegen::source::{Kind, MANIFESTS, Sources};
use toolc_codegen::text::condition::{self, Asks, Condition, Written};
use toolc_codegen::text::{Fault, template};

/// A project: its files one after the other, each below a line `--- PATH`, from the folder of manifests.
///
/// It comes to findings that can be shown, or to a catalog that everything can be made of.
pub fn manifest(input: &str) {
    let sources = Sources::from_memory(files(input));
    let compilation = compile(&sources);
    let renderer = Renderer::new(&sources, false);
    for found in &compilation.diagnostics {
        let shown = renderer.render(found);
        assert!(shown.contains(found.code.id) && shown.contains("-->"), "{shown}");
        for (place, _) in std::iter::once(&found.at).chain(&found.related) {
            check_span(place.span(), &sources.get(place.source).text);
        }
    }
    let errors = compilation.diagnostics.iter().any(|found| found.code.level == Level::Error);
    let Some(catalog) = compilation.catalog else { return assert!(errors, "there is neither a catalog nor an error") };
    assert!(!errors, "there are a catalog and an error");
    emit(&catalog);
    let count = catalog.tools().count();
    for (turn, (_, tool)) in catalog.tools().enumerate() {
        // Which tools are there: none, all, and every other.
        let members = (0..count).map(|index| [false, true, index % 2 == 0][turn % 3]).collect::<Vec<_>>();
        for dialect in DIALECTS {
            catalog.setting(tool, &members).value(&(dialect.lower)(tool));
        }
    }
}

/// A condition can be read, and then also written again and within a template; or there is a fault, at its place.
pub fn condition(text: &str) {
    match condition::parse(text) {
        Err(fault) => check_fault(&fault, text),
        Ok(condition) => {
            let bare = condition.clone().map(&mut |atom: Written| {
                check_span(atom.span.clone(), text);
                atom.asks
            });
            let again = condition::parse(&written(&bare)).expect("what is written from a condition is one");
            assert_eq!(again.map(&mut |atom: Written| atom.asks), bare);
            let within = format!("{{% if {text} %}}x{{% endif %}}");
            assert!(template::parse(&within).is_ok(), "a condition is one in a template, too: {within:?}");
        }
    }
}

/// A template can be read, and then also as part of another; or there is a fault, at its place.
pub fn template(text: &str) {
    match template::parse(text) {
        Err(fault) => check_fault(&fault, text),
        Ok(_) => {
            for within in [format!("a {text}\n b"), format!("{{% if tools.a %}}\n{text}\n{{% endif %}}")] {
                if let Err(fault) = template::parse(&within) {
                    assert!(fault.message.contains("deep"), "{within:?}: {fault:?}");
                }
            }
        }
    }
}

fn check_fault(fault: &Fault, text: &str) {
    assert!(!fault.message.is_empty());
    check_span(fault.span.clone(), text);
}

fn check_span(span: Range<usize>, text: &str) {
    assert!(text.get(span.clone()).is_some(), "{span:?} of {} bytes", text.len());
}

/// As it could have been written, with every parenthesis.
fn written(condition: &Condition<Asks>) -> String {
    let joined = |parts: &[Condition<Asks>], word| parts.iter().map(written).collect::<Vec<_>>().join(word);
    match condition {
        Condition::Atom(Asks::Tool(name)) => format!("tools.{name}"),
        Condition::Atom(Asks::Fact(name, None)) => format!("facts.{name}"),
        Condition::Atom(Asks::Fact(name, Some((comparison, value)))) => {
            use toolc::segment::{Comparison, FactValue};
            let sign = match comparison {
                Comparison::Equal => "==",
                Comparison::NotEqual => "!=",
                Comparison::Less => "<",
                Comparison::LessOrEqual => "<=",
                Comparison::Greater => ">",
                Comparison::GreaterOrEqual => ">=",
            };
            let value = match value {
                FactValue::Text(text) => format!("'{}'", text.replace('\\', "\\\\").replace('\'', "\\'")),
                FactValue::Boolean(flag) => flag.to_string(),
                FactValue::Integer(integer) => integer.to_string(),
            };
            format!("facts.{name} {sign} {value}")
        }
        Condition::Not(inner) => format!("not {}", written(inner)),
        Condition::And(parts) => format!("({})", joined(parts, " and ")),
        Condition::Or(parts) => format!("({})", joined(parts, " or ")),
    }
}

/// The files of a project: path below its root, and text.
fn files(input: &str) -> Vec<(String, String)> {
    let parts = input.split("--- ").filter_map(|part| part.split_once('\n'));
    parts.map(|(path, text)| (format!("{MANIFESTS}/{path}"), text.to_owned())).collect()
}

/// What to begin with, and the words of which it is made.
#[derive(Debug, Default)]
pub struct Seeds {
    /// For [`manifest`].
    pub manifests: BTreeSet<String>,
    /// For [`condition`].
    pub conditions: BTreeSet<String>,
    /// For [`template`].
    pub templates: BTreeSet<String>,
    /// Words of the language.
    pub words: BTreeSet<&'static str>,
}

impl Seeds {
    /// Those of this repository: each tool of the golden project with what it needs, and each mistake that has a
    /// fixture, with and without it.
    pub fn collect() -> Self {
        let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests");
        let read = |path: &Path| std::fs::read_to_string(path).expect("failed to read a seed");
        let mut seeds = Self { words: words(), ..Self::default() };

        let golden = tests.join("projects/golden/manifests");
        let shown = |path: &str| format!("--- {path}\n{}", read(&golden.join(path)));
        let facts = shown(Kind::Facts.place());
        let toolsets = "--- toolsets/later.toml\nname = \"later\"\ndescription = \"Tools.\"\n\
                        --- toolsets/lib.toml\nname = \"lib\"\ndescription = \"Tools.\"\n\
                        --- toolsets/shapes.toml\nname = \"shapes\"\ndescription = \"Tools.\"\n";
        for name in entries(&golden.join("tools")) {
            seeds.add(format!("{}{facts}{toolsets}", shown(&format!("tools/{name}"))));
        }
        let all = entries(&golden.join("toolsets")).into_iter().map(|name| shown(&format!("toolsets/{name}")));
        seeds.add(all.collect());

        let base = tests.join("diagnostics/base.txt");
        let base = read(&base).replace(&format!("--- {MANIFESTS}/"), "--- ");
        for folder in entries(&tests.join("diagnostics")) {
            let folder = tests.join("diagnostics").join(folder);
            for path in entries(&folder).iter().map(|name| folder.join(name)) {
                if path.extension().is_none_or(|extension| extension != "txt") {
                    continue;
                }
                let fixture = read(&path);
                for half in ["broken", "mended"] {
                    let lead = format!("{half} {MANIFESTS}/");
                    let own: Vec<&str> = fixture.split("--- ").filter_map(|part| part.strip_prefix(&lead)).collect();
                    let path = |part: &str| part.lines().next().map(str::to_owned);
                    let rest = base.split("--- ").skip(1).filter(|part| !own.iter().any(|own| path(own) == path(part)));
                    let parts: Vec<&str> = own.iter().copied().chain(rest).collect();
                    seeds.add(format!("--- {}", parts.join("--- ")));
                }
            }
        }
        seeds
    }

    fn add(&mut self, project: String) {
        for (_, text) in files(&project) {
            if let Ok(table) = text.parse::<toml::Table>() {
                self.add_texts(&toml::Value::Table(table));
            }
        }
        self.manifests.insert(project);
    }

    fn add_texts(&mut self, value: &toml::Value) {
        for item in value.as_array().into_iter().flatten() {
            self.add_texts(item);
        }
        for (key, value) in value.as_table().into_iter().flatten() {
            match value.as_str() {
                Some(text) if key == "when" => drop(self.conditions.insert(text.to_owned())),
                Some(text) if key == "description" => drop(self.templates.insert(text.to_owned())),
                _ => self.add_texts(value),
            }
        }
    }
}

/// The names of what is in a folder; of nothing, if it is none.
fn entries(folder: &Path) -> BTreeSet<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten();
    entries.map(|entry| entry.expect("failed to read a folder").file_name().to_string_lossy().into_owned()).collect()
}

fn words() -> BTreeSet<&'static str> {
    const SIGNS: [&str; 34] = [
        "tools.",
        "facts.",
        "tools.t",
        "facts.n",
        " and ",
        " or ",
        "not ",
        "==",
        "!=",
        "<=",
        ">=",
        "<",
        ">",
        "(",
        ")",
        "'",
        "true",
        "false",
        "{%",
        "%}",
        "{{",
        "}}",
        "{#",
        "#}",
        "{% if ",
        "{% elif ",
        "{% else %}",
        "{% endif %}",
        "available('t')",
        ", join='",
        "\\",
        "\"\"\"",
        "'''",
        " = ",
    ];
    const TOML: [&str; 18] = [
        "--- tools/t.toml\n",
        "--- toolsets/s.toml\n",
        "--- facts.toml\n",
        "[params.x]\n",
        "[params.x.items]\n",
        "[facts.n]\n",
        "{ value = ",
        ", when = ",
        "{ json = '",
        "null",
        "9223372036854775807",
        "1e999",
        "nan",
        "2026-01-01",
        "\\u00e9",
        "\r\n",
        "\u{feff}",
        "é",
    ];
    let keys: [&[Key]; 7] =
        [Kind::Tool.keys(), Kind::Toolset.keys(), Kind::Facts.keys(), SCHEMA, PROPERTY, CHOICE, FACT];
    let choices = [EXECUTIONS, TOOLSET_KINDS].into_iter().flatten().map(|(word, _)| *word);
    let keys = keys.into_iter().flatten().map(|key| key.name);
    let types = ["string", "integer", "number", "boolean", "array", "object", "null"];
    SIGNS.into_iter().chain(TOML).chain(keys).chain(choices).chain(types).collect()
}
