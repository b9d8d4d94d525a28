//! `docs/dialects.md`: what each dialect takes, made of the data by which tools are lowered.

use super::dialects::{DIALECTS, Dialect};
use crate::dialects::NameGrammar;
use crate::dialects::schema_subset::{Enums, Patterns, Refs, SchemaSubset, WORDS};

/// The guide to the dialects, in Markdown.
pub fn guide() -> String {
    let mut out = INTRODUCTION.to_owned();
    out += "\n## The dialects\n\n| dialect | schemas | at the root | names of tools | names of parameters |\n|---|---|---|---|---|\n";
    for dialect in DIALECTS {
        let shape = |name: Option<NameGrammar>| name.map_or("any".to_owned(), |name| code(&name.pattern()));
        let keys = shape(dialect.keys());
        let root = if dialect.plain_root { "an object, no combinators" } else { "an object" };
        let names = shape(dialect.names());
        out += &format!("| `{}` | {} | {root} | {names} | {keys} |\n", dialect.name, schemas(dialect));
    }
    out += ROOTS;
    let narrow: Vec<&Dialect> = DIALECTS.iter().filter(|dialect| !dialect.language.is_whole()).collect();
    let row = |name: &str, cell: &dyn Fn(&SchemaSubset) -> String| {
        let cells: Vec<String> = narrow.iter().map(|dialect| cell(dialect.language)).collect();
        format!("| {name} | {} |\n", cells.join(" | "))
    };
    out += "\n## What the narrow ones take\n\n";
    let heads: Vec<String> = narrow.iter().map(|dialect| format!("`{}`", dialect.name)).collect();
    out += &format!("| | {} |\n|---|{}\n", heads.join(" | "), "---|".repeat(narrow.len()));
    for word in WORDS {
        out += &row(&code(word), &|language| becomes(word, language));
    }
    out += &row("`format`s", &|language| language.formats.map_or("any".to_owned(), |known| known.join(", ")));
    out += &row("`$ref`", &|language| {
        match language.refs {
            Refs::Free => "kept",
            Refs::Alone { recursive: true } => "alone; what stands beside it is merged into what it leads to",
            Refs::Alone { recursive: false } => "alone, and not back to itself: there, JSON text",
            Refs::Never => "what it leads to stands in its place; where that leads back, JSON text",
        }
        .to_owned()
    });
    out += &row("null", &|language| {
        match (language.null, language.spelling.openapi) {
            (false, _) => "left out",
            (true, true) => "`nullable`",
            (true, false) => "a type",
        }
        .to_owned()
    });
    out += &row("several types", &|language| {
        if language.type_lists { "a list; arrays and objects as `anyOf`" } else { "`anyOf`" }.to_owned()
    });
    out += &row("an optional property", &|language| {
        if language.optional { "stays optional" } else { "required, and null stands for absence" }.to_owned()
    });
    out += &row("`additionalProperties: false`", &|language| {
        if language.spelling.says_closed { "written" } else { "goes without saying" }.to_owned()
    });
    out += &row("levels", &|language| language.levels.to_string());
    out += REST;
    out
}

fn schemas(dialect: &Dialect) -> String {
    if dialect.language.is_whole() { "as the author wrote them".to_owned() } else { "narrowed: see below".to_owned() }
}

fn code(text: &str) -> String {
    format!("`{text}`")
}

/// What becomes of a word.
fn becomes(word: &str, language: &SchemaSubset) -> String {
    match word {
        "enum" => match language.enums {
            Enums::Any => "kept",
            Enums::Scalars => "kept; arrays and objects as JSON texts",
            Enums::Strings => "of strings; others in words, integers also by bounds",
        },
        "const" if !language.takes(word) => "`enum` of one",
        "oneOf" if !language.takes(word) => "`anyOf`; in words, too, unless the alternatives exclude one another",
        "allOf" if !language.takes(word) => "merged",
        "anyOf" if !language.described_unions => "alone: what stands beside it is pushed into it",
        "anyOf" => "kept; what says more of values beside it is pushed into it",
        "exclusiveMinimum" | "exclusiveMaximum" if !language.takes(word) && language.takes("minimum") => {
            "in words; of integers, the next one as bound"
        }
        "pattern" if language.takes(word) && language.patterns == Patterns::Grammar => {
            "anchored, without shorthands; otherwise in words"
        }
        "format" if language.takes(word) => "those below; others in words",
        "minItems" if language.takes(word) && language.most_min_items == Some(1) => "0 or 1; more in words",
        _ if language.takes(word) => "kept",
        _ => "in words",
    }
    .to_owned()
}

const INTRODUCTION: &str = "\
<!-- Made of the compiler's own data. `TOOLC_RENEW=1 cargo test -p toolc-tests --test it the_guide` writes it anew. -->
# Dialects

A dialect is the shape in which one family of providers wants tools. Each tool is written in each dialect that `toolc.toml`
declares (all of them, unless it says otherwise): to `generated/schemas/DIALECT/`, and as data for the runtime.
`cargo xtask show TOOL --dialect NAME` shows one; `--available a,b` and `--fact NAME=VALUE` choose the turn.

In a program, each but `openai` is there with the runtime's feature of its name (`toolc = { features = [\"anthropic\"] }`;
`all-dialects` is all of them). Without it, there is nothing of what was generated for it. What is there is unpacked when a
session first makes a turn in it.

Schemas are narrowed from what the manifest says, never by looking for keys in JSON: a parameter may be called `title` or
`type`. What a dialect cannot say is said in words, at the end of the description (\"At most 10 items.\", \"Default: 5.\"),
with its conditions. Whatever a dialect's definition allows, the reader of the arguments takes, unless something was lost.
";

const ROOTS: &str = "
- `openai` is Chat Completions, `openai-responses` Responses, with `\"strict\": false` written out. `openai-strict` and
  `anthropic-strict` have `\"strict\": true`.
- `gemini` has `parametersJsonSchema` and `responseJsonSchema`; `gemini-openapi` has `parameters` and `response` in the OpenAPI
  subset, types in capitals. A tool without parameters has neither `parameters` nor `parametersJsonSchema`.
- `mcp` has `title`, `outputSchema` (from `returns`) and `annotations` (all four hints).
- `portable` is `openai`'s shape with schemas that every provider takes, llama.cpp's grammar included.

Where the root takes no combinators, `allOf` is merged into it, what the alternatives of `anyOf` and `oneOf` name becomes
optional if the arguments are open, and the alternatives are told in the tool's description. An optional parameter whose name
a dialect refuses is left out there; a tool that has a required one, or is called so itself, is not there in that dialect.
`[dialect.NAME]` gives it another name or description.
";

const REST: &str = "
- **JSON text**: a map, an object that may hold more, and whatever leads back to itself where that is refused, become a string
  that holds the value's JSON text. The description says so, with the JSON Schema of the value, and the runtime's repair reads
  it back. Where the schema allows strings as well, that alternative is left out; below `allOf` there is no repair, and the
  text is refused.
- **Any value** (no `type`, and nothing from which to tell it) becomes the scalar types.
- What `returns` says is left out where it could only be told by JSON text.
- Tools of run time have schemas that no compiler has seen: `gemini-openapi` and `portable` do without them, and the strict
  dialects show them as not strict.
- What is not said in the schema is a loss: `Dialect::lower` lists each, with its place, its word, and whether it is said in
  words, sent as JSON text, or left out.
";
