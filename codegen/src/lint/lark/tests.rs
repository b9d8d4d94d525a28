use super::*;

fn messages(grammar: &str) -> Vec<String> {
    let found = mistakes(grammar).into_iter();
    found.map(|mistake| format!("{}: {}", &grammar[mistake.span], mistake.message)).collect()
}

#[test]
fn grammars_without_mistakes_are_accepted() {
    for grammar in [
        "start: \"a\"",
        "start: expr\nexpr: term (SP ADD SP term)*\nterm: INT\n  | \"(\" expr \")\" -> nested\n\nADD: \"+\"\nSP: \" \"\nINT: /[0-9]+/\n",
        "// A comment.\n?start: _list~2..3\n_list: [item (\",\" item)*] // more\n!item: ITEM+ | ESCAPED_STRING?\nITEM: \"a\"..\"f\" | \"x\"i\n%import common.ESCAPED_STRING\n%import common (WS, INT)\n%ignore WS\n",
        "start: (\"a\"\n  | \"b\")\n\n",
        "start: N\n%import common.NUMBER -> N",
        "start: /a\\/b/i /[^\"\\/]+/ \"\\\"\"\n# The end.",
        "start: WORD\r\nWORD: /[a-z]+/\r\n",
        "start: open-tag\nopen-tag: \"<\"",
        "%llguidance {}\nstart: <|tool|> body{1,3} part{2} @other <[128-130]>\nbody: %json {\n  \"type\": \"object\"\n} \"x\"\npart[lazy]: /.*<end>/ \"y\"\n",
        "start: A\nA: /[a-z]+/ & ~B\nB: \"end\" /x/{1,}\n",
    ] {
        assert_eq!(messages(grammar), [""; 0], "{grammar}");
    }
}

#[test]
fn mistakes_are_found_with_their_places() {
    for (grammar, expected) in [
        ("", vec![": the grammar has no rule `start`"]),
        (
            "this is not ( a grammar :: /[",
            vec!["/: a regular expression of the grammar is not closed", "this: expected `:` after `this`"],
        ),
        ("start: \"a", vec!["\": a string of the grammar is not closed"]),
        ("start: iten\nitem: \"a\"", vec!["iten: the grammar does not define `iten`"]),
        ("start: (\"a\" [\"b\")", vec!["(: `(` is not closed", "): `)` closes nothing"]),
        ("start: \"a\")", vec!["): `)` closes nothing"]),
        ("start: A\nA.2: \"a\"", vec![".: priorities are not supported by the decoders of vendors"]),
        (
            "start: two{A}\ntwo{x}: x x\nA: \"a\"",
            vec![
                "{: templates are not supported by the decoders of vendors",
                "{: templates are not supported by the decoders of vendors",
            ],
        ),
        (
            "start: A\nA: /a(?=b)/",
            vec![
                "/a(?=b)/: invalid regular expression: look-around, including look-ahead and look-behind, is not supported",
            ],
        ),
        ("start: A\nA: /a.*?b/s", vec!["/a.*?b/s: the decoders of vendors ignore `?` after a repetition"]),
        (
            "start: A\n%declare A",
            vec![
                "A: the grammar does not define `A`",
                "%declare: `%declare` is not supported by the decoders of vendors",
            ],
        ),
        ("start: NAME\n%import python.NAME", vec!["%import: the decoders of vendors import nothing but `common`"]),
        ("start: A\nA: b\nb: \"b\"", vec!["b: the rule `b` is used in a terminal"]),
        ("start: \"a\"\nstart: \"b\"", vec!["start: `start` is defined twice"]),
        ("start: \"a\"\n\"b\" | \"c\"", vec!["\"b\": expected a definition, found `\"b\"`"]),
        ("start ::= \"a\"", vec!["=: `=` has no meaning in a grammar of Lark", ":: unexpected `:` in a definition"]),
        ("start: <|end\n", vec!["<: `<` has no meaning in a grammar of Lark"]),
        (
            "start: A\nA: \"a\" B?\nB: A | \"b\"",
            vec!["A: the terminal `B` contains itself", "B: the terminal `A` contains itself"],
        ),
        ("start: (\n  \"a\")", vec!["(: `(` is not closed", "\"a\": expected a definition, found `\"a\"`"]),
        ("start: | + \"a\"", vec!["+: `+` repeats nothing"]),
        ("start: \"b\"~2.. \"c\"..", vec!["~: the repetition has no end", "..: a range of characters has no end"]),
        ("start: 2", vec!["2: unexpected `2` in a definition"]),
        ("start: NUMBERS\n%import common.NUMBERS", vec!["NUMBERS: `common` does not define `NUMBERS`"]),
        ("start: %json {", vec!["%json: the braces of `%json` are not closed"]),
        ("start: \"a\"{2", vec!["{: `{` is not closed"]),
    ] {
        let mut found = messages(grammar);
        found.sort();
        let mut expected = expected;
        expected.sort_unstable();
        assert_eq!(found, expected, "{grammar}");
    }
}

#[test]
fn any_text_ends_in_mistakes_without_a_panic() {
    let signs = [
        "start", "A", ":", "|", "(", ")", "[", "{", "}", "\"a\"", "\"", "/b/", "/", "\\", "?", "%import", "%", ".",
        "..", "~", "->", "\n", "é", " ", "#", "1",
    ];
    let mut state = 7_u64;
    for _ in 0..20_000 {
        let mut text = String::new();
        for _ in 0..12 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            text += signs[usize::try_from(state >> 33).unwrap_or_default() % signs.len()];
        }
        for mistake in mistakes(&text) {
            assert!(text.get(mistake.span.clone()).is_some(), "{text}");
        }
    }
}
