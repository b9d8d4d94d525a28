//! The pieces of a declaration of TypeScript lead to the text of every turn, whatever the values of facts are.

use std::collections::BTreeSet;

use serde_json::{Map, Value};
use toolc::FactValue;
use toolc_codegen::catalog::FactId;
use toolc_codegen::check::Checked;
use toolc_codegen::compile;
use toolc_codegen::emit;
use toolc_codegen::lower::{Lowered, lower};
use toolc_codegen::source::Sources;
use toolc_tests::random::Random;

use super::{reference_turn, rendered};

/// Values of facts that would leave a comment, change its layout, or look like a mark of the compiler.
const PLACES: &[&str] = &[
    "",
    "home",
    "a */ b",
    "*",
    "/",
    "\r/",
    "@ts-ignore",
    "x\ny \n\n z",
    " first",
    "last ",
    "last\n",
    "\u{1d}",
    "\u{1c} \u{b}",
    "\u{202e}\u{1b}[2J\t\u{2028}\u{feff}é🦀",
    "\u{e000}0\n\u{e000}",
    "\"quoted",
];

/// Descriptions and types that depend on many things at once.
const TOOL: &str = r##"
name = "go"
toolset = "t"
description = "{% if tools.b %}To {{ facts.place }}.{% endif %}{% if tools.c %} Or *{{ facts.place }}/{% endif %}"
dialect.typescript.description = "Go{% if facts.n > 3 %} far{% elif facts.n == 3 %} on{% endif %}.{% if tools.b or tools.c %}\n{{ available('b', 'c', join=' or ') }}{% endif %}"
[params.place]
type = "string"
description = "Where: {{ facts.place }}"
minLength = 2
[params.only]
type = "string"
description = "{% if tools.b %}There with one.{% elif tools.c %} {% endif %}"
[params.kind]
enum = [{ value = "a \"b\" /** c", when = "tools.b" }, "x", { value = "*/", when = "tools.c and facts.n != 3" }]
description = "The kind */{% if tools.b %}, which counts{% endif %}."
[params.any]
description = "/** Anything"
anyOf = [{ description = "At *{{ facts.place }}" }, { description = "/{% if tools.c %} c{% endif %}", minLength = 1 }, {}]
[params.constructor]
type = "object"
properties.a = { type = "string", description = "In {{ facts.place }}." }
[params.empty]
type = "object"
properties.b = { type = "string", when = "tools.b" }
properties.c = { type = "string", when = "tools.c", description = "With {{ facts.place }}" }
properties.n = { type = "integer", when = "facts.n >= 3" }
[params.node]
"$ref" = "#/$defs/node"
when = "tools.b or facts.n < 3"
[schema."$defs".node]
type = "object"
description = "A node{% if tools.c %} of c{% endif %}."
properties.next = { "$ref" = "#/$defs/node" }
[returns]
type = "object"
properties.all = { type = "array", items = { type = "string", description = "One." } }
"##;

#[test]
fn the_pieces_of_a_declaration_lead_to_every_turn() {
    let other = |name: &str| {
        let text = format!("name = \"{name}\"\ntoolset = \"t\"\ndescription = \"Do {name}.\"\n");
        (format!("manifests/tools/{name}.toml"), text)
    };
    let facts = "[facts.place]\ndefault = \"\"\ndescription = \"The place.\"\n[facts.n]\ndefault = 1\ndescription = \"A number.\"\n";
    let files = [
        ("toolc.toml".to_owned(), "dialects = [\"typescript\", \"openai\"]\n".to_owned()),
        ("manifests/facts.toml".to_owned(), facts.to_owned()),
        ("manifests/toolsets/t.toml".to_owned(), "name = \"t\"\ndescription = \"All.\"\n".to_owned()),
        ("manifests/tools/go.toml".to_owned(), TOOL.to_owned()),
        other("b"),
        other("c"),
    ];
    let catalog = compiled(files);
    let lowered = lower(&catalog);
    let turns = turn_declarations(&lowered);
    let conditional = &turns["tools"]["go"];
    assert_eq!(turns["tools"].as_object().map(Map::len), Some(1), "the others depend on nothing");
    let id = |name: &str| FactId(catalog.facts().iter().position(|fact| fact.name.value == name).expect("a fact"));
    let mut different = BTreeSet::new();
    for place in PLACES {
        for n in 1..=4 {
            for shown in 0..4_usize {
                let facts = vec![(id("place"), FactValue::Text((*place).into())), (id("n"), FactValue::Integer(n))];
                let available = catalog.tools().map(|(_, tool)| match tool.name() {
                    "b" => shown & 1 == 1,
                    "c" => shown & 2 == 2,
                    _ => true,
                });
                let turn = emit::Turn { facts, available: Some(available.collect()) };
                let expected = &rendered(&lowered, &turn)["schemas/typescript/tools/go.d.ts"];
                let got = reference_turn(&catalog, &turn, "go").render(conditional);
                assert_eq!(text(&got), text(expected), "{place:?} {n} {shown}");
                different.insert(text(expected).to_owned());
            }
        }
    }
    // A carriage return is left out of comments, and the conditions do not distinguish 1 from 2.
    assert_eq!(different.len(), (PLACES.len() - 1) * 3 * 4);
    let written = conditional.to_string();
    assert!(written.len() < 3 * text(&conditional["full"]).len() + 4_000, "{}", written.len());
}

/// Compiles a project.
fn compiled(files: impl IntoIterator<Item = (String, String)>) -> Checked {
    let compiled = compile(&Sources::from_memory(files));
    compiled.catalog.unwrap_or_else(|| panic!("{:?}", compiled.diagnostics))
}

/// Returns `turns/typescript.json`.
fn turn_declarations(lowered: &Lowered<'_>) -> Value {
    let dialect = toolc_codegen::dialects::find("typescript").expect("a dialect");
    emit::conditional_definitions(lowered, dialect, |_| true)
}

fn text(document: &Value) -> &str {
    document["declaration"].as_str().expect("a text")
}

/// A tool with as many conditions as a tool can have does not make a file of every combination.
#[test]
fn independent_conditions_add_up() {
    let mut tool = "name = \"go\"\ntoolset = \"t\"\ndescription = \"Go.\"\n".to_owned();
    let mut facts = String::new();
    for number in 0..12 {
        tool += &format!(
            "[params.p{number}]\ntype = \"string\"\nwhen = \"facts.f{number}\"\ndescription = \"The text {number}.\"\n"
        );
        tool += &format!("enum = [\"x\", {{ value = \"y\", when = \"facts.f{}\" }}]\n", (number + 1) % 12);
        facts += &format!("[facts.f{number}]\ndefault = false\ndescription = \"A flag.\"\n");
    }
    let files = [
        ("toolc.toml".to_owned(), "dialects = [\"typescript\", \"openai\"]\n".to_owned()),
        ("manifests/facts.toml".to_owned(), facts),
        ("manifests/toolsets/t.toml".to_owned(), "name = \"t\"\ndescription = \"All.\"\n".to_owned()),
        ("manifests/tools/go.toml".to_owned(), tool),
    ];
    let catalog = compiled(files);
    let lowered = lower(&catalog);
    let turns = turn_declarations(&lowered);
    let conditional = &turns["tools"]["go"];
    let mut random = Random(3);
    for _ in 0..200 {
        let facts = (0..12).map(|id| (FactId(id), FactValue::Boolean(random.one_in(2)))).collect();
        let turn = emit::Turn { facts, available: Some(vec![true]) };
        let expected = &rendered(&lowered, &turn)["schemas/typescript/tools/go.d.ts"];
        assert_eq!(reference_turn(&catalog, &turn, "go").render(conditional), *expected);
    }
    let length = conditional.to_string().len();
    eprintln!("{length} bytes for 4,096 turns");
    assert!(length < 20_000, "{length}");
}
