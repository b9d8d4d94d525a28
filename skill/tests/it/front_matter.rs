//! Reading of damaged front matters, kind by kind.

use toolc_skill::{Code, FrontMatter, Reading, Severity, Strictness, Unreadable, Value, fields, read};

pub(crate) fn reading(text: &str) -> Reading {
    read(text.as_bytes(), Some("x"), Strictness::Use).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// Reads a front matter with the given lines, and returns it with the codes of the notes, after a check of the fixes.
fn front(lines: &str) -> (FrontMatter, Vec<(usize, Code)>) {
    let text = format!("---\n{lines}\n---\n\nBody.\n");
    let reading = reading(&text);
    assert_fixed(&reading, "x", &text);
    let codes = reading.notes.iter().map(|note| (note.line, note.code)).collect();
    (reading.front_matter, codes)
}

/// Applies all fixes and reads again: the same values are read, and nothing is left that a fix mends.
pub(crate) fn assert_fixed(reading: &Reading, folder: &str, context: &str) {
    let mut fixed = reading.fixed();
    // Two faults of one value are mended one after the other.
    let mut again = read(fixed.as_bytes(), Some(folder), Strictness::Use);
    if let Ok(reading) = &again
        && reading.notes.iter().any(|note| note.fix.is_some())
    {
        fixed = reading.fixed();
        again = read(fixed.as_bytes(), Some(folder), Strictness::Use);
    }
    let again = again.unwrap_or_else(|error| panic!("{context}\n{error}\nfixed:\n{fixed}"));
    let left: Vec<_> = again.notes.iter().filter(|note| note.fix.is_some()).collect();
    assert!(left.is_empty(), "{context}\n{left:#?}\nfixed:\n{fixed}");
    let mut expected = reading.front_matter.clone();
    expected.written_name = None;
    // While a key occurs twice, the front matter is not YAML, and lines that belong to no key are read one by one.
    if reading.notes.iter().any(|note| note.code == Code::DuplicateKey && note.fix.is_none()) {
        expected.unknown.clone_from(&again.front_matter.unknown);
    }
    assert_eq!(again.front_matter, expected, "{context}\nfixed:\n{fixed}");
    assert_eq!(again.body().trim(), reading.fixed_body().trim(), "{context}\nfixed:\n{fixed}");
}

/// The body after fixes.
trait FixedBody {
    fn fixed_body(&self) -> String;
}

impl FixedBody for Reading {
    fn fixed_body(&self) -> String {
        // The only fix in a body deletes the end of a code fence.
        let deleted = self
            .notes
            .iter()
            .filter_map(|note| note.fix.as_ref())
            .find(|fix| fix.range.start >= self.body && !fix.range.is_empty());
        match deleted {
            Some(fix) => format!("{}{}", &self.text[self.body..fix.range.start], &self.text[fix.range.end..]),
            None => self.body().to_owned(),
        }
    }
}

fn refused(bytes: &[u8]) -> Unreadable {
    read(bytes, Some("x"), Strictness::Use).expect_err("a file that cannot be read")
}

#[test]
fn a_front_matter_of_the_format_is_read_without_notes() {
    let (front, notes) = front(
        "name: x\ndescription: Does x. Use it for y.\nlicense: MIT\ncompatibility: needs git\nallowed-tools: Bash(git:*) Read\nmetadata:\n  author: a\n  \
         version: \"1.0\"",
    );
    assert_eq!(notes, []);
    assert_eq!((front.name.as_str(), front.description.as_str()), ("x", "Does x. Use it for y."));
    assert_eq!((front.license.as_deref(), front.compatibility.as_deref()), (Some("MIT"), Some("needs git")));
    assert_eq!(front.allowed_tools, ["Bash(git:*)", "Read"]);
    assert_eq!(front.metadata.to_string(), r#"{"author": "a", "version": "1.0"}"#);
    assert!(front.conditions.is_empty() && front.unknown.is_empty());
}

#[test]
fn a_damaged_description_is_read_as_meant() {
    for (value, meant, line, code) in [
        ("Use it: now", "Use it: now", 3, Code::ColonInValue),
        ("one\n  two: three", "one two: three", 4, Code::ColonInValue),
        ("Ends with:", "Ends with:", 3, Code::ColonInValue),
        ("Fixes #12 and #general", "Fixes #12 and #general", 3, Code::CommentInValue),
        ("#1 choice", "#1 choice", 3, Code::CommentInValue),
        ("@team uses it", "@team uses it", 3, Code::ReservedStart),
        ("*all* of it", "*all* of it", 3, Code::ReservedStart),
        ("&c. and so on", "&c. and so on", 3, Code::ReservedStart),
        ("!important thing", "!important thing", 3, Code::ReservedStart),
        ("%s is a format", "%s is a format", 3, Code::ReservedStart),
        ("{name} is replaced", "{name} is replaced", 3, Code::ReservedStart),
        ("[beta] does x", "[beta] does x", 3, Code::ReservedStart),
        ("`x` does y", "`x` does y", 3, Code::ReservedStart),
        ("> folded on this line", "folded on this line", 3, Code::ReservedStart),
        ("\"not closed", "not closed", 3, Code::UnclosedQuote),
        ("'it's done'", "it's done", 3, Code::QuoteInValue),
        ("\"say \"hi\" to it\"", "say \"hi\" to it", 3, Code::QuoteInValue),
        ("\"a\" and b", "\"a\" and b", 3, Code::QuoteInValue),
        ("\"in C:\\path\"", "in C:\\path", 3, Code::BadEscape),
        ("“typographic”", "typographic", 3, Code::SmartQuotes),
        ("“typographic: yes”", "typographic: yes", 3, Code::SmartQuotes),
        ("\n  - One.\n  - Two.", "One. Two.", 3, Code::ListForText),
        ("[a, b]", "a, b", 3, Code::ListForText),
        ("\n  use: it", "use: it", 3, Code::MapForText),
        ("|\nnot indented\nat all", "not indented\nat all", 4, Code::BlockIndent),
        ("2026", "2026", 3, Code::NotQuoted),
        ("yes", "yes", 3, Code::NotQuoted),
        ("one\n\ttwo: x", "one two: x", 4, Code::OddSpace),
    ] {
        let (front, notes) = front(&format!("name: x\ndescription: {value}\nlicense: MIT"));
        assert_eq!((front.description.as_str(), front.license.as_deref()), (meant, Some("MIT")), "{value}");
        assert_eq!(notes, [(line, code)], "{value}");
    }
}

#[test]
fn descriptions_that_yaml_reads_as_meant_have_no_notes() {
    for (value, meant) in [
        ("a, b; c - d (e) 50% & more!", "a, b; c - d (e) 50% & more!"),
        ("C# and F#", "C# and F#"),
        ("It does x. # internal", "It does x."),
        ("http://example.com:80/x", "http://example.com:80/x"),
        ("says “hi” and “bye”", "says “hi” and “bye”"),
        ("'quoted: it''s'", "quoted: it's"),
        ("\"quoted: \\\"x\\\"\"", "quoted: \"x\""),
        (">-\n  one\n  two: x\n\n  three", "one two: x\nthree"),
        ("|\n  one\n  two # three", "one\ntwo # three"),
        ("one\n  two", "one two"),
        ("!!str text", "text"),
    ] {
        let (front, notes) = front(&format!("name: x\ndescription: {value}"));
        assert_eq!((front.description.as_str(), notes), (meant, vec![]), "{value}");
    }
}

#[test]
fn allowed_tools_are_read_in_every_form() {
    let expected = ["Bash(git add:*)", "Read", "mcp__a__b"];
    for (value, code) in [
        ("Bash(git add:*) Read mcp__a__b", None),
        ("Bash(git add:*), Read, mcp__a__b", Some(Code::AllowedToolsForm)),
        ("[Bash(git add:*), Read, mcp__a__b]", Some(Code::AllowedToolsForm)),
        ("\n  - Bash(git add:*)\n  - Read\n  - mcp__a__b", Some(Code::AllowedToolsForm)),
        ("\n- Bash(git add:*)\n- Read, mcp__a__b", Some(Code::AllowedToolsForm)),
        ("\"Bash(git add:*),Read,mcp__a__b\"", Some(Code::AllowedToolsForm)),
    ] {
        let (front, notes) = front(&format!("name: x\ndescription: d\nallowed-tools: {value}"));
        assert_eq!(front.allowed_tools, expected, "{value}");
        assert_eq!(notes.iter().map(|(_, code)| *code).collect::<Vec<_>>(), Vec::from_iter(code), "{value}");
    }
    let (every, notes) = front("name: x\ndescription: d\nallowed-tools: *");
    assert_eq!((every.allowed_tools, notes), (vec!["*".to_owned()], vec![(4, Code::ReservedStart)]));
}

#[test]
fn keys_are_read_in_every_spelling() {
    let (front, notes) = front("NAME: x\ndescription:No space\nAllowed_Tools: Read\nlicense = MIT");
    assert_eq!(
        (front.name.as_str(), front.description.as_str(), front.license.as_deref()),
        ("x", "No space", Some("MIT"))
    );
    assert_eq!(front.allowed_tools, ["Read"]);
    assert_eq!(
        notes,
        [(2, Code::KeySpelling), (3, Code::KeySeparator), (4, Code::KeySpelling), (5, Code::KeySeparator)]
    );
}

#[test]
fn a_name_that_is_missing_or_odd_is_taken_from_the_folder() {
    for (lines, line, code) in [
        ("description: d", 1, Code::MissingName),
        ("name:\ndescription: d", 2, Code::MissingName),
        ("name: PDF Tools\ndescription: d", 2, Code::OddName),
        ("name: ../x\ndescription: d", 2, Code::OddName),
    ] {
        let (front, notes) = front(lines);
        assert_eq!((front.name.as_str(), notes), ("x", vec![(line, code)]), "{lines}");
    }
    assert_eq!(front("name: a.b_c\ndescription: d").1, [(2, Code::NameFormat), (2, Code::NameNotFolder)]);
    let text = "---\nname: PDF Tools\ndescription: d\n---\n";
    assert_eq!(read(text.as_bytes(), None, Strictness::Use).unwrap().front_matter.name, "pdf-tools");
    assert_eq!(read(text.as_bytes(), Some("My Tools"), Strictness::Use).unwrap().front_matter.name, "my-tools");
    let text = "---\nname: 技能\ndescription: d\n---\n";
    assert_eq!(read(text.as_bytes(), Some("技能"), Strictness::Use).unwrap_err().notes[0].code, Code::OddName);
}

#[test]
fn a_skill_without_a_description_is_refused_at_its_key_or_at_the_opening_line() {
    for (lines, line) in [
        ("name: x", 1),
        ("name: x\ndescription:", 3),
        ("name: x\ndescription: ~", 3),
        ("name: x\ndescription: \" \"", 3),
    ] {
        let notes = refused(format!("---\n{lines}\n---\nBody.\n").as_bytes()).notes;
        assert_eq!(
            notes.iter().map(|note| (note.line, note.code)).collect::<Vec<_>>(),
            [(line, Code::MissingDescription)],
            "{lines}"
        );
    }
}

#[test]
fn anchors_with_aliases_are_yaml_and_others_are_text() {
    let (aliased, notes) = front("name: x\ndescription: &a Some text\nlicense: *a");
    assert_eq!(
        (aliased.description.as_str(), aliased.license.as_deref(), notes),
        ("Some text", Some("Some text"), vec![])
    );
    assert_eq!(front("name: x\ndescription: &a Some text").0.description, "&a Some text");
    assert_eq!(refused(b"---\nname: x\ndescription: d\nmetadata: &m\n  a: *m\n---\n").notes[0].line, 5);
}

#[test]
fn damaged_metadata_is_mended_line_by_line() {
    let (front, notes) =
        front("name: x\ndescription: d\nmetadata:\n\tauthor: @me\n\ttags:\n\t  - a: b: c\n\t  - *d\n\tversion: 1.10");
    assert_eq!(front.metadata.get("author").and_then(Value::as_text), Some("@me"));
    assert_eq!(front.metadata.get("version").and_then(Value::as_text), Some("1.10"));
    assert_eq!(front.metadata.get("tags").unwrap().to_string(), r#"[{"a": "b: c"}, "*d"]"#);
    let first: Vec<_> = notes.iter().filter(|(line, _)| *line == 5).map(|(_, code)| *code).collect();
    assert_eq!(first, [Code::OddSpace, Code::ReservedStart]);
}

#[test]
fn a_value_that_nothing_mends_is_left_out_with_an_error() {
    let (front, notes) = front("name: x\ndescription: d\nmetadata:\n  a: b\n c: d\nlicense: MIT");
    assert_eq!((front.metadata, front.license.as_deref()), (Value::Null, Some("MIT")));
    assert_eq!(notes, [(4, Code::UnreadableValue)]);
    assert_eq!(self::front("name: x\ndescription: d\nmetadata: text").1, [(4, Code::UnreadableMetadata)]);
    let json = self::front("name: x\ndescription: d\nmetadata: '{\"openclaw\": {\"requires\": {\"bins\": [\"uv\"]}}}'");
    assert_eq!(json.0.conditions.programs, ["uv"]);
}

#[test]
fn keys_that_the_format_does_not_define_are_kept() {
    let (front, notes) = front("name: x\ndescription: d\nversion: 1.0.0\nuser-invocable: true\nhomepage: @odd");
    let unknown: Vec<String> = front.unknown.iter().map(|(key, value)| format!("{key}={value}")).collect();
    assert_eq!(unknown, ["version=\"1.0.0\"", "user-invocable=true", "homepage=\"@odd\""]);
    assert_eq!(notes, [(4, Code::UnknownKey), (5, Code::UnknownKey), (6, Code::UnknownKey), (6, Code::ReservedStart)]);
}

#[test]
fn a_check_reports_what_the_validator_refuses_as_errors() {
    let codes = |text: &str| {
        let notes = read(text.as_bytes(), Some("x"), Strictness::Check).unwrap().notes;
        notes
            .into_iter()
            .filter(|note| note.severity == Severity::Error)
            .map(|note| (note.line, note.code))
            .collect::<Vec<_>>()
    };
    assert_eq!(codes("---\nname: x\ndescription: d\nallowed-tools: Read\n---\n"), []);
    let long =
        format!("---\nname: a--b\ndescription: {}\ncompatibility: {}\n---\n", "d".repeat(1_025), "é".repeat(501));
    let expected =
        [(2, Code::NameFormat), (2, Code::NameNotFolder), (3, Code::LongDescription), (4, Code::LongCompatibility)];
    assert_eq!(codes(&long), expected);
    let odd = "---\nname: x\ndescription: a --- b\nversion: 1\nmetadata: {a: b}\n---\n";
    assert_eq!(codes(odd), [(3, Code::StrictYaml), (4, Code::UnknownKey), (5, Code::StrictYaml)]);
    assert_eq!(codes("---\n{name: x, description: d}\n---\n"), [(2, Code::StrictYaml)]);
    assert_eq!(codes("---\nname: “x”\ndescription: d\n---\n"), [(2, Code::NameFormat)]);
    assert_eq!(codes("\n---\nname: x\ndescription: a: b\n---\n"), [(1, Code::TextBefore), (4, Code::ColonInValue)]);
}

#[test]
fn files_without_a_skill_are_refused_with_a_reason() {
    for (bytes, code) in [
        (&b""[..], Code::EmptyFile),
        (b"# Only Markdown\n\nText.\n", Code::MissingFrontMatter),
        (b"---\njust text\n---\n", Code::MissingFrontMatter),
        (b"---\n- a\n- b\n---\n", Code::MissingFrontMatter),
        (b"---\n---\nbody\n", Code::MissingFrontMatter),
        (b"+++\nname = 'x'\n+++\n", Code::MissingFrontMatter),
        (b"---\nname: x\n<<<<<<< HEAD\ndescription: d\n=======\n", Code::MergeConflict),
        (b"\x7fELF\0\0\x01", Code::NotText),
    ] {
        let notes = refused(bytes).notes;
        assert!(notes.iter().any(|note| note.code == code && note.severity == Severity::Error), "{notes:?}");
    }
    let long = format!("---\nname: x\ndescription: {}\n---\n", "d".repeat(70_000));
    assert_eq!(refused(long.as_bytes()).notes[0].code, Code::TooLarge);
}

#[test]
fn a_file_in_utf_16_is_read_and_fixed_as_utf_8() {
    let text = "---\r\nname: x\r\ndescription: Größe: 1\r\n---\r\nBody\r\n";
    let bytes: Vec<u8> = [0xff, 0xfe].into_iter().chain(text.encode_utf16().flat_map(u16::to_le_bytes)).collect();
    let reading = read(&bytes, Some("x"), Strictness::Use).unwrap();
    assert_eq!((reading.front_matter.description.as_str(), reading.body()), ("Größe: 1", "Body\r\n"));
    assert_eq!(
        reading.notes.iter().map(|note| (note.line, note.code)).collect::<Vec<_>>(),
        [(1, Code::Utf16), (3, Code::ColonInValue)]
    );
    assert_fixed(&reading, "x", text);
}

#[test]
fn the_fields_are_what_the_author_wrote() {
    let text = "---\nname: PDF Tools\ndescription: Use it: always\nallowed-tools: [Read, Write]\nversion: 1.10\nmetadata:\n  a: {b: [1, true]}\n---\nBody.\n";
    let read = fields(text.as_bytes()).expect("it has a front matter");
    let shown: Vec<String> = read.iter().map(|(key, value)| format!("{key}={value}")).collect();
    let expected = [
        "name=\"PDF Tools\"",
        "description=\"Use it: always\"",
        "allowed-tools=[\"Read\", \"Write\"]",
        "version=1.10",
        "metadata={\"a\": {\"b\": [1, true]}}",
    ];
    assert_eq!(shown, expected);
    assert!(fields(b"# No front matter").is_err() && fields(b"\xff\x00").is_err());
}
