//! Hostile manifests end in findings, never in a panic or an overflow.

use std::collections::BTreeSet;

use toolc_codegen::diagnostic::{Level, Renderer};
use toolc_codegen::source::Sources;
use toolc_tests::random::Random;

const TOOL: &str = "name = \"t\"\ntoolset = \"s\"\ndescription = \"Do something.\"\n";

/// Compiles `text` as `manifests/tools/t.toml`, and returns the distinct codes of the errors.
fn codes(text: String) -> Vec<&'static str> {
    let toolset = "name = \"s\"\ndescription = \"Tools.\"\n".to_owned();
    let files = [("manifests/tools/t.toml".to_owned(), text), ("manifests/toolsets/s.toml".to_owned(), toolset)];
    let sources = Sources::from_memory(files);
    let compilation = toolc_codegen::compile(&sources);
    if let Some(catalog) = &compilation.catalog {
        toolc_codegen::emit::emit(catalog);
    }
    let found = compilation.diagnostics;
    let renderer = Renderer::new(&sources, false);
    // Only a few, because rendering one in a line of 500 kB takes a second.
    for diagnostic in found.iter().take(5) {
        let shown = renderer.render(diagnostic);
        assert!(shown.contains("manifests/tools/t.toml:"), "a finding has a place: {shown:.400}");
    }
    let codes: BTreeSet<_> =
        found.iter().filter(|found| found.level == Level::Error).map(|found| found.code.id).collect();
    codes.into_iter().collect()
}

/// Returns a tool with one parameter, whose table has these lines.
fn parameter(lines: &str) -> String {
    format!("{TOOL}[params.x]\ndescription = \"Something.\"\n{lines}\n")
}

#[test]
fn deep_nesting_is_refused_everywhere() {
    const DEEP: usize = 100_000;
    let keys = vec!["a"; DEEP].join(".");
    let (open, close) = ("[".repeat(DEEP), "]".repeat(DEEP));
    let (open_table, close_table) = ("{ a = ".repeat(DEEP), " }".repeat(DEEP));
    for text in [
        format!("{TOOL}{open}"),
        format!("{TOOL}x = {open}"),
        format!("{TOOL}x = {open}{close}"),
        format!("{TOOL}x = {open_table}1{close_table}"),
        format!("{TOOL}{keys} = 1"),
        format!("{TOOL}[{keys}]"),
        format!("{TOOL}[[{keys}]]"),
        parameter(&format!("default = {open}{close}")),
        parameter(&format!("default = {open_table}1{close_table}")),
        parameter(&format!("default.{keys} = 1")),
        format!("{TOOL}[params.x{}]\ntype = \"array\"", ".items".repeat(DEEP)),
        format!("{TOOL}[params.x{}]\ntype = \"object\"", ".properties.x".repeat(DEEP)),
    ] {
        assert_eq!(codes(text), ["C001"]);
    }
}

#[test]
fn a_recursive_union_is_compiled_in_finite_time() {
    let defs = |defs: &str| format!("{TOOL}params.x = {{ \"$ref\" = \"#/$defs/f\" }}\n[schema.\"$defs\"]\n{defs}\n");
    let object = |properties: &str| format!("{{ type = \"object\", properties = {{ {properties} }} }}");
    let either = |word: &str, one: &str, other: &str| defs(&format!("f.{word} = [{}, {}]", object(one), object(other)));
    let kind = |of: &str| format!("kind = {{ const = \"{of}\", required = true }}");
    let f = "{ \"$ref\" = \"#/$defs/f\" }";
    for text in [
        // The tag after the recursive reference, and no tag.
        either("oneOf", &format!("inner = {f}, {}", kind("a")), &kind("b")),
        either("anyOf", "not = { \"$ref\" = \"#/$defs/f\", required = true }", "value = { type = \"number\" }"),
        either("anyOf", &format!("p = {{ anyOf = [{f}, {{ type = \"null\" }}] }}"), "q = { type = \"string\" }"),
        either("oneOf", &format!("p = {{ anyOf = [{f}, {{ type = \"integer\" }}] }}"), "q = { type = \"string\" }"),
        either("anyOf", &format!("p = {{ oneOf = [{f}] }}"), "q = { type = \"string\" }"),
        either("oneOf", &format!("p = {{ allOf = [{f}] }}, {}", kind("a")), &format!("p = {f}, {}", kind("b"))),
        // Through another definition.
        defs(&format!(
            "f.oneOf = [{{ oneOf = [{{ \"$ref\" = \"#/$defs/g\" }}] }}]\ng.oneOf = [{}, {}]",
            object(&format!("k = {f}")),
            object("l = { type = \"string\" }")
        )),
    ] {
        assert_eq!(codes(text.clone()), [""; 0], "{text}");
    }
}

/// Returns whether each of these unions is nullable depends on the nested one.
#[test]
fn nested_nullable_unions_take_linear_time() {
    let nested = |word: &str| {
        let inner = (0..30).fold("{ type = \"string\" }".to_owned(), |inner, _| {
            format!("{{ {word} = [{inner}, {{ type = \"null\" }}] }}")
        });
        parameter(&format!("{word} = [{inner}]"))
    };
    for word in ["anyOf", "oneOf"] {
        assert_eq!(codes(nested(word)), [""; 0]);
    }
}

/// The parser limits the depth; the later stages must handle every depth below that limit.
#[test]
fn every_depth_that_the_parser_accepts_is_handled() {
    for deep in [20, 60, 70, 79, 80, 100] {
        let keys = vec!["a"; deep].join(".");
        let nested = [
            parameter(&format!("default = {}{}", "[".repeat(deep), "]".repeat(deep))),
            parameter(&format!("default.{keys} = 1")),
            parameter(&format!("enum = [[{{ {keys} = 1 }}]]")),
        ];
        for text in nested {
            let found = codes(text);
            assert!(found.is_empty() || found == ["C001"], "{deep}: {found:?}");
        }
        let found = codes(format!(
            "{TOOL}[params.x]\ndescription = \"Deep.\"\n[params.x{}]\ntype = \"array\"",
            ".items".repeat(deep)
        ));
        assert!(found.is_empty() || found == ["S005"] || found == ["C001"], "{deep}: {found:?}");
    }
}

#[test]
fn random_bytes_are_reported_as_a_syntax_error() {
    let mut random = Random(2);
    let letters: Vec<char> = "abc019=.,#'\"[]{}\\\t \nü\u{1f600}".chars().collect();
    let dense: String = (0..1 << 20).map(|_| *random.pick(&letters)).collect();
    let line = dense.replace('\n', " ");
    let any: String = (0..1 << 20).filter_map(|_| char::from_u32(random.below(256).try_into().ok()?)).collect();
    for text in [dense, line, any] {
        assert_eq!(codes(text), ["C001"]);
    }
    for text in ["\0", "\u{feff}\0", "name = \"t\0\"", "\r", "\u{1b}[31m", "=", "[", "\"", "'''", "name"] {
        assert_eq!(codes(text.to_owned()), ["C001"], "{text:?}");
    }
    assert_eq!(codes(format!("{TOOL}{}", "\0".repeat(1 << 20))), ["C001"]);
}

#[test]
fn an_empty_file_is_reported_for_its_missing_keys() {
    for text in ["", "\n", "# Nothing.", "\u{feff}", "\r\n\r\n"] {
        assert_eq!(codes(text.to_owned()), ["C004"], "{text:?}");
    }
}

#[test]
fn numbers_out_of_range_are_refused() {
    let long = "9".repeat(100_000);
    for lines in [
        format!("default = {long}"),
        "maximum = 9223372036854775808".to_owned(),
        "minimum = -9223372036854775809".to_owned(),
        "minimum = 0xffffffffffffffff".to_owned(),
        "maximum = 1e999".to_owned(),
        format!("maximum = {long}.0"),
        "multipleOf = nan".to_owned(),
        "examples = [-inf]".to_owned(),
    ] {
        assert_eq!(codes(parameter(&lines)), ["C005"], "{lines:.40}");
    }
    assert_eq!(codes(parameter("multipleOf = -0.0")), ["S002"]);
    assert_eq!(codes(parameter("minLength = -9223372036854775808")), ["S002"]);
    assert!(
        codes(parameter("type = \"integer\"\nminimum = -9223372036854775808\nmaxLength = 9223372036854775807"))
            .is_empty()
    );
}

#[test]
fn long_strings_are_handled() {
    let long = "x".repeat(1 << 18);
    assert_eq!(codes(format!("{TOOL}x = '{long}'")), ["C002"]);
    assert_eq!(codes(format!("{TOOL}{long} = 1")), ["C002"]);
    assert_eq!(codes(parameter(&format!("type = '{long}'"))), ["S001"]);
    assert_eq!(codes(TOOL.replace("\"t\"", &format!("'{long}'"))), ["C006", "C013"]);
    assert_eq!(codes(TOOL.replace("\"s\"", &format!("'{long}'"))), ["C010"]);
    assert!(codes(parameter(&format!("title = '{long}'"))).is_empty());
}

#[test]
fn what_every_list_of_tools_repeats_is_limited() {
    let meta = |length: usize| format!("{TOOL}meta = {{ \"com.example/x\" = '{}' }}\n", "x".repeat(length));
    assert!(codes(meta(16_000)).is_empty());
    assert_eq!(codes(meta(16 << 10)), ["C024"]);
    let icon = |length: usize| format!("{TOOL}icons = ['https://example.com/{}']\n", "x".repeat(length));
    assert!(codes(icon(16_000)).is_empty());
    assert_eq!(codes(icon(16 << 10)), ["C024"]);
}

/// Generated code counts parts in 16 bits.
#[test]
fn schemas_and_templates_with_too_many_parts_are_refused() {
    let numbers = |count| parameter(&format!("enum = {:?}", (0..count).collect::<Vec<u32>>()));
    assert!(codes(numbers(1_000)).is_empty());
    assert_eq!(codes(numbers(12_000)), ["S005"]);
    for text in
        ["{{ '{{' }}{% if tools.t %}.{% endif %}", "{% if tools.t %}{% if not tools.t %}.{% endif %}{% endif %}"]
    {
        let texts =
            |count| TOOL.replace("Do something", &format!("{{% if tools.t %}}{}{{% endif %}}", text.repeat(count)));
        assert!(codes(texts(1_000)).is_empty(), "{text}");
        assert_eq!(codes(texts(12_000)), ["S005"], "{text}");
    }
}

#[test]
fn a_cycle_of_thousands_of_toolsets_is_reported_completely() {
    const LONG: usize = 5_000;
    let toolset = |i: usize, next: usize| {
        let text = format!("name = \"s{i}\"\ndescription = \"A link.\"\nincludes = [\"s{next}\"]\n");
        (format!("manifests/toolsets/s{i}.toml"), text)
    };
    let sources = Sources::from_memory((0..LONG).map(|i| toolset(i, (i + 1) % LONG)));
    let found = toolc_codegen::compile(&sources).diagnostics;
    let found: Vec<_> = found.iter().map(|found| (found.code.id, found.related.len())).collect();
    assert_eq!(found, [("C011", LONG - 1)]);
}
