//! `docs/dialects.md`, made from the records.

use std::collections::BTreeMap;

use super::{Confidence, DIALECTS, Dialect, Enums, KEYWORDS, Limit, NameGrammar, Refs};

/// Returns `docs/dialects.md`.
pub fn docs_page() -> String {
    let mut out = INTRODUCTION.to_owned();
    out += "\n## The dialects\n\n";
    for dialect in DIALECTS {
        out += &format!("- `{}`: {}\n", dialect.name, dialect.about);
    }
    out += "\n| dialect | schemas | root of the parameters | names of tools | names of parameters |\n|---|---|---|---|---|\n";
    for dialect in DIALECTS {
        let names =
            |limit: Option<Limit<NameGrammar>>| limit.map_or("any".to_owned(), |limit| code(&limit.value.pattern()));
        let root = if dialect.tool.root_keywords().is_some() { "an object, no combinators" } else { "an object" };
        let schemas = if dialect.accepts_any_schema() { "as written" } else { "narrowed: see below" };
        let (tools, parameters) = (names(dialect.tool.tool_name()), names(dialect.tool.parameter_name()));
        out += &format!("| `{}` | {schemas} | {root} | {tools} | {parameters} |\n", dialect.name);
    }
    out += NAMES_AND_ROOTS;
    narrowed(&mut out);
    out += REST;
    limits(&mut out);
    out
}

/// What the dialects that do not accept every schema make of each keyword.
fn narrowed(out: &mut String) {
    let narrow: Vec<&Dialect> = DIALECTS.iter().filter(|dialect| !dialect.accepts_any_schema()).collect();
    let heads: Vec<String> = narrow.iter().map(|dialect| code(dialect.name)).collect();
    *out += "\n## Dialects that accept a subset of JSON Schema\n\n";
    *out += &format!("| | {} |\n|---|{}\n", heads.join(" | "), "---|".repeat(narrow.len()));
    let mut row = |name: &str, cell: &dyn Fn(&Dialect) -> String| {
        let cells: Vec<String> = narrow.iter().map(|dialect| cell(dialect)).collect();
        *out += &format!("| {name} | {} |\n", cells.join(" | "));
    };
    for keyword in KEYWORDS {
        row(&code(keyword), &|dialect| becomes(keyword, dialect).to_owned());
    }
    row("values of `format`", &|dialect| {
        dialect.schema.formats().map_or("any".to_owned(), |known| known.value.join(", "))
    });
    row("`$ref`", &|dialect| {
        match dialect.schema.refs().map(|refs| refs.value) {
            None => "kept",
            Some(Refs::Alone { recursive: true }) => "alone; keywords next to it are merged into its target",
            Some(Refs::Alone { recursive: false }) => "alone; a recursive one becomes JSON text",
            Some(Refs::Never) => "replaced by its target; a recursive one becomes JSON text",
        }
        .to_owned()
    });
    row("null", &|dialect| {
        match (dialect.schema.null().is_some(), dialect.spelling.openapi) {
            (true, _) => "dropped",
            (false, true) => "`nullable`",
            (false, false) => "a type",
        }
        .to_owned()
    });
    row("several types", &|dialect| {
        let lists = dialect.schema.type_lists().is_none();
        if lists { "a list; arrays and objects as `anyOf`" } else { "`anyOf`" }.to_owned()
    });
    row("an optional property", &|dialect| {
        let stays = dialect.schema.optional_properties().is_none();
        if stays { "stays optional" } else { "required, and null stands for absence" }.to_owned()
    });
    row("an open object", &|dialect| {
        if dialect.schema.open_objects().is_none() { "kept" } else { "JSON text" }.to_owned()
    });
    row("an object without properties", &|dialect| {
        if dialect.schema.empty_objects().is_none() { "kept" } else { "JSON text" }.to_owned()
    });
    row("an array without `items`", &|dialect| {
        if dialect.schema.untyped_arrays().is_none() { "kept" } else { "of scalars" }.to_owned()
    });
    row("`additionalProperties: false`", &|dialect| {
        if dialect.spelling.says_closed { "written" } else { "implied" }.to_owned()
    });
    row("levels of schemas", &|dialect| {
        dialect.schema.max_depth().map_or("24".to_owned(), |most| most.value.to_string())
    });
}

/// What becomes of a keyword.
fn becomes(keyword: &str, dialect: &Dialect) -> &'static str {
    let accepts = |keyword| dialect.schema.keywords().is_none_or(|keywords| keywords.value.contains(&keyword));
    match keyword {
        "enum" => match dialect.schema.enums().map(|enums| enums.value) {
            None => "kept",
            Some(Enums::Scalars) => "kept; arrays and objects as JSON text",
            Some(Enums::Strings) => "of strings; others in words, integers also as bounds",
        },
        "const" if !accepts(keyword) => "`enum` of one value",
        "oneOf" if !accepts(keyword) => "`anyOf`; also in words, unless the alternatives exclude one another",
        "allOf" if !accepts(keyword) => "merged",
        "anyOf" if dialect.schema.union_siblings().is_some() => "alone; keywords next to it are moved into it",
        "anyOf" => "kept; other keywords about the value are moved into it",
        "exclusiveMinimum" | "exclusiveMaximum" if !accepts(keyword) && accepts("minimum") => {
            "in words; of integers, the next one as bound"
        }
        "pattern" if accepts(keyword) && dialect.schema.non_grammar_patterns().is_some() => {
            "anchored, without shorthands; otherwise in words"
        }
        "format" if accepts(keyword) => "those below; others in words",
        "minItems" if accepts(keyword) && dialect.schema.max_min_items().is_some() => "0 or 1; more in words",
        _ if accepts(keyword) => "kept",
        _ => "in words",
    }
}

/// Every limit with its evidence. Dialects that share one share its line.
fn limits(out: &mut String) {
    *out += LIMITS;
    let mut lines: BTreeMap<(&str, String, &str, &str, Confidence), Vec<String>> = BTreeMap::new();
    for dialect in DIALECTS {
        for limit in dialect.limits() {
            let line = (limit.name, limit.value, limit.source, limit.verified_on, limit.confidence);
            lines.entry(line).or_default().push(code(dialect.name));
        }
    }
    for ((name, value, source, date, confidence), dialects) in lines {
        let (name, value) = (code(name), value.replace('|', "\\|"));
        let dialects = dialects.join(", ");
        *out += &format!("| {name} | {dialects} | {value} | {source} | {date} | {} |\n", confidence.word());
    }
}

fn code(text: &str) -> String {
    format!("`{text}`")
}

const INTRODUCTION: &str = "\
<!-- Generated from the compiler's records of the dialects: `codegen/src/dialects`. -->
# Dialects

A dialect is the shape in which one vendor API or protocol expects tool definitions. Every tool is written in every dialect
that `toolc.toml` lists under `dialects` (by default, in all of them): to `generated/schemas/DIALECT/`, and as data for the
runtime. `cargo xtask show TOOL --dialect NAME` prints one definition; `--available a,b` and `--fact NAME=VALUE` choose the
turn.

In a program, every dialect except `openai` needs the runtime's feature of the same name
(`toolc = { features = [\"anthropic\"] }`); `all-dialects` enables all of them. Without its feature, nothing that was generated
for a dialect is compiled in. The definitions of a dialect are unpacked when a session first makes a turn in it.

Schemas are narrowed from the typed model of the manifest, never by searching JSON for keys, so a parameter may be called
`title` or `type`. What a dialect cannot express as a keyword is stated in words at the end of the description (\"At most 10
items.\", \"Default: 5.\"), with its conditions. The argument reader accepts whatever a dialect's definition allows, except for
what is listed as lost.
";

const NAMES_AND_ROOTS: &str = "
If the root must not have combinators, `allOf` is merged into it. The properties that only the alternatives of `anyOf` and
`oneOf` name become optional if the arguments are open, and the alternatives are stated in the tool's description.

An optional parameter whose name a dialect refuses is left out there. A tool whose own name is refused, or the name of one of
its required parameters, is missing from that dialect. `[dialect.NAME]` in the tool's manifest gives it another name or
description.
";

const REST: &str = "
- **JSON text**: a map, an open object, and a recursive schema where those are refused become a string that contains the JSON
  text of the value. The description says so, with the JSON Schema of the value, and the runtime's repair reads it back. If
  the schema also allows strings, that alternative is dropped. Below `allOf` nothing is repaired, so such a text is refused.
- **Any value** (no `type`, and nothing that implies one) becomes the scalar types.
- `returns` is left out if it could only be expressed as JSON text.
- Tools that are added at run time have schemas that no compiler has seen: `gemini-openapi` and `portable` leave them out, and
  the strict dialects show them as not strict.
- Whatever a definition does not express as the author did is a loss. `cargo xtask lint -W P` reports every loss, with its
  place, its keyword, and whether it is stated in words, sent as JSON text, or dropped.
";

const LIMITS: &str = "
## The limits, and where they were read

The compiler keeps to these. A finding about a limit is an error by default if its confidence is high and `toolc.toml` lists
the dialect; otherwise it is a warning.

| limit | dialects | value | source | read on | confidence |
|---|---|---|---|---|---|
";
