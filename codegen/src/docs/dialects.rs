//! `docs/dialects.md`, made from the records.

use std::collections::BTreeMap;

use minijinja::{Value, context};
use toolc::__gen::CallersField;
use toolc_lower::dialects::{Confidence, DIALECTS, Dialect, Enums, Extensions, KEYWORDS, Limit, NameGrammar, Refs};

use crate::markdown;

/// Returns `docs/dialects.md`.
pub(super) fn page() -> String {
    let dialects = DIALECTS.iter().map(|dialect| {
        let names =
            |limit: Option<Limit<NameGrammar>>| limit.map_or("any".to_owned(), |limit| code(&limit.value.pattern()));
        context! {
            name => dialect.name,
            about => dialect.about,
            schemas => if dialect.accepts_any_schema() { "as written" } else { "narrowed: see below" },
            root => if dialect.tool.root_keywords().is_some() { "an object, no combinators" } else { "an object" },
            tools => names(dialect.tool.tool_name()),
            parameters => names(dialect.tool.parameter_name()),
        }
    });
    let narrowed: Vec<&Dialect> = DIALECTS.iter().filter(|dialect| !dialect.accepts_any_schema()).collect();
    let extended: Vec<&Dialect> = DIALECTS.iter().filter(|dialect| !dialect.extensions.stated().is_empty()).collect();
    let context = context! {
        extended => extended.iter().map(|dialect| code(dialect.name)).collect::<Vec<_>>(),
        extension_rows => extension_rows(&extended),
        dialects => dialects.collect::<Vec<_>>(),
        narrowed => narrowed.iter().map(|dialect| code(dialect.name)).collect::<Vec<_>>(),
        rows => rows(&narrowed),
        limits => limits(),
    };
    markdown::render(include_str!("dialects.md.jinja"), context)
}

/// Returns a row for each further field of definitions.
fn extension_rows(dialects: &[&Dialect]) -> Vec<Value> {
    let field = |field: Option<Limit<&'static str>>| field.map_or(String::new(), |field| code(field.value));
    let row = |name: &str, cell: &dyn Fn(&Extensions) -> String| {
        context! { name, cells => dialects.iter().map(|dialect| cell(&dialect.extensions)).collect::<Vec<_>>() }
    };
    vec![
        row("examples of calls", &|extensions| field(extensions.examples())),
        row("callers: the model, code", &|extensions| {
            let words = extensions.callers().map(|limit| limit.value);
            words.map_or(String::new(), |CallersField { field, model, code: by_code }| {
                format!("{}: {}, {}", code(field), code(model), code(by_code))
            })
        }),
        row("the schema of the result, for code", &|extensions| field(extensions.code_result())),
        row("calls in the background", &|extensions| field(extensions.background())),
        row("the type of text tools", &|extensions| field(extensions.text_input())),
        row("further information", &|extensions| field(extensions.meta())),
    ]
}

/// Returns a row for each keyword, with what each of the dialects makes of it.
// This function is long because it is a table: a statement for each row.
fn rows(dialects: &[&Dialect]) -> Vec<Value> {
    let mut rows = Vec::new();
    let mut row = |name: String, cell: &dyn Fn(&Dialect) -> String| {
        let cells: Vec<String> = dialects.iter().map(|dialect| cell(dialect)).collect();
        rows.push(context! { name, cells });
    };
    for keyword in KEYWORDS {
        row(code(keyword), &|dialect| {
            let becomes = becomes(keyword, dialect);
            let is_ignored = dialect.tool.ignored_keywords().is_some_and(|ignored| ignored.value.contains(keyword));
            match (is_ignored, *keyword) {
                (true, "format") => "the values below kept, all in words".to_owned(),
                (true, _) => format!("{becomes}; also in words"),
                (false, _) => becomes.to_owned(),
            }
        });
    }
    row("values of `format`".to_owned(), &|dialect| {
        dialect.schema.formats().map_or("any".to_owned(), |known| known.value.join(", "))
    });
    row("`$ref`".to_owned(), &|dialect| {
        match dialect.schema.refs().map(|refs| refs.value) {
            None => "kept",
            Some(Refs::Alone { recursive: true }) => "alone; keywords next to it are merged into its target",
            Some(Refs::Alone { recursive: false }) => "alone; a recursive one becomes JSON text",
            Some(Refs::Never) => "replaced by its target; a recursive one becomes JSON text",
        }
        .to_owned()
    });
    row("null".to_owned(), &|dialect| {
        match (dialect.schema.null().is_some(), dialect.spelling.openapi) {
            (true, _) => "dropped",
            (false, true) => "`nullable`",
            (false, false) => "a type",
        }
        .to_owned()
    });
    row("several types".to_owned(), &|dialect| {
        let lists = dialect.schema.type_lists().is_none();
        if lists { "a list; arrays and objects as `anyOf`" } else { "`anyOf`" }.to_owned()
    });
    row("an optional property".to_owned(), &|dialect| {
        let stays = dialect.schema.optional_properties().is_none();
        if stays { "stays optional" } else { "required, and null stands for absence" }.to_owned()
    });
    row("an open object".to_owned(), &|dialect| {
        if dialect.schema.open_objects().is_none() { "kept" } else { "JSON text" }.to_owned()
    });
    row("an object without properties".to_owned(), &|dialect| {
        if dialect.schema.empty_objects().is_none() { "kept" } else { "JSON text" }.to_owned()
    });
    row("an array without `items`".to_owned(), &|dialect| {
        if dialect.schema.untyped_arrays().is_none() { "kept" } else { "of scalars" }.to_owned()
    });
    row("`additionalProperties: false`".to_owned(), &|dialect| {
        if dialect.spelling.says_closed { "written" } else { "implied" }.to_owned()
    });
    row("levels of schemas".to_owned(), &|dialect| {
        dialect.schema.max_depth().map_or("24".to_owned(), |most| most.value.to_string())
    });
    rows
}

/// Returns what a dialect makes of a keyword.
fn becomes(keyword: &str, dialect: &Dialect) -> &'static str {
    let accepts = |keyword| dialect.schema.keywords().is_none_or(|keywords| keywords.value.contains(&keyword));
    match keyword {
        "enum" => match dialect.schema.enums().map(|enums| enums.value) {
            None => "kept",
            Some(Enums::Scalars) => "kept; arrays and objects as JSON text",
            Some(Enums::Strings) => "of strings that are not empty; others in words, integers also as bounds",
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
            "kept for parameters if anchored and without shorthands; otherwise in words"
        }
        "format" if accepts(keyword) => "the values below kept, others in words",
        "minItems" if accepts(keyword) && dialect.schema.max_min_items().is_some() => "0 or 1; more in words",
        _ if accepts(keyword) => "kept",
        _ => "in words",
    }
}

/// Returns every limit with its evidence. Dialects that share a limit share its line.
fn limits() -> Vec<Value> {
    let mut lines: BTreeMap<(&str, String, &str, &str, Confidence), Vec<String>> = BTreeMap::new();
    for dialect in DIALECTS {
        for limit in dialect.limits() {
            let line = (limit.name, limit.value, limit.source, limit.verified_on, limit.confidence);
            lines.entry(line).or_default().push(code(dialect.name));
        }
    }
    let lines = lines.into_iter().map(|((name, value, source, date, confidence), dialects)| {
        let (value, confidence) = (value.replace('|', "\\|"), confidence.word());
        context! { name, dialects, value, source, date, confidence }
    });
    lines.collect()
}

fn code(text: &str) -> String {
    format!("`{text}`")
}
