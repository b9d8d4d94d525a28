//! llguidance, which binds models to grammars, refuses what lint refuses in grammars of Lark, and accepts what it accepts.

use std::collections::BTreeSet;
use std::process::{Command, Stdio};

use serde_json::json;
use toolc_codegen::compile;
use toolc_codegen::diagnostic::Level;
use toolc_codegen::source::Sources;
use toolc_test_support::packages;
use toolc_tests::random::Random;

const DECODER: &str = "llguidance==1.9.1\n";

/// Reads a list of grammars, and writes whether each is accepted.
const DRIVER: &str = r#"
import json, sys
from llguidance import LLMatcher, grammar_from
print(json.dumps([not LLMatcher.validate_grammar(grammar_from("lark", one)) for one in json.load(sys.stdin)]))
"#;

const GRAMMARS: &[&str] = &[
    "start: expr\nexpr: term (SP ADD SP term)*\nterm: INT\n    | \"(\" expr \")\"\n\nADD: \"+\"\nSP: \" \"\nINT: /[0-9]+/\n",
    "// A list.\n?start: _list~2..3\n_list: [item (\",\" item)*] # more\nitem: ITEM+ | ESCAPED_STRING?\nITEM: \"a\"..\"f\" | \"x\"i\n%import common.ESCAPED_STRING\n%import common (WS, INT)\n%ignore WS\n",
    "%llguidance {}\nstart: body{1,3} part{2} NAME\nbody: %json {\n  \"type\": \"object\"\n} \"x\"\npart[lazy]: /.*<end>/ \"y\"\nNAME: /[a-z]+/ & ~END\nEND: \"end\" /x/{1,}\n",
    "start: begin_patch change+ end_patch\nbegin_patch: \"*** Begin\" LF\nend_patch: \"*** End\" LF?\nchange: (\"+\" | \"-\" | \" \") /(.+)/ LF\n%import common.LF\n",
];

/// Returns grammars, and many more with a mistake in each, or without one.
fn grammars(random: &mut Random) -> BTreeSet<String> {
    let mut all: BTreeSet<String> = GRAMMARS.iter().map(|grammar| (*grammar).to_owned()).collect();
    while all.len() < 1_500 {
        let mut letters: Vec<char> = random.pick(GRAMMARS).chars().collect();
        let at = random.below(letters.len());
        match random.below(3) {
            0 => drop(letters.remove(at)),
            1 => letters.insert(
                at,
                *random.pick(&['(', ')', '[', ']', '"', '/', ':', '|', 'A', 'b', '?', '.', '2', '%', '{', '\n', '~']),
            ),
            _ => {
                let other = random.below(letters.len());
                letters.swap(at, other);
            }
        }
        all.insert(letters.into_iter().collect());
    }
    all
}

#[test]
fn lint_and_a_decoder_agree_about_grammars() {
    let python = match packages::python("llguidance", DECODER) {
        Ok(python) => python,
        Err(why) => return packages::missing("no llguidance", &why),
    };
    let grammars: Vec<String> = grammars(&mut Random(11)).into_iter().collect();
    let tools = grammars.iter().enumerate().map(|(number, grammar)| {
        let grammar = toml::Value::String(grammar.clone());
        let text = format!(
            "name = \"t{number}\"\ntoolset = \"s\"\ndescription = \"Reads the text {number}.\"\ntext_input = {{ syntax = \"lark\", definition = {grammar} }}\n[params.x]\ntype = \"string\"\nrequired = true\ndescription = \"The text.\"\n"
        );
        (format!("manifests/tools/t{number}.toml"), text)
    });
    let home = ("manifests/toolsets/s.toml".to_owned(), "name = \"s\"\ndescription = \"Tools.\"\n".to_owned());
    let sources = Sources::from_memory(tools.chain([home]));
    let found = compile(&sources).diagnostics;
    let refused: BTreeSet<String> = found
        .iter()
        .filter(|found| found.code.name == "unsupported-grammar" && found.level == Level::Error)
        .map(|found| sources.get(found.at.0.source).path.clone())
        .collect();
    let mut command = Command::new(python);
    command.args(["-c", DRIVER]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().expect("Python starts");
    let input = child.stdin.take().expect("a pipe");
    serde_json::to_writer(input, &json!(grammars)).expect("Python reads its input");
    let output = child.wait_with_output().expect("Python ends");
    let accepted: Vec<bool> = serde_json::from_slice(&output.stdout).expect("a list");
    let (mut false_errors, mut missed): (Vec<&str>, Vec<&str>) = (Vec::new(), Vec::new());
    for (number, (grammar, accepted)) in grammars.iter().zip(&accepted).enumerate() {
        let is_refused = refused.contains(&format!("manifests/tools/t{number}.toml"));
        match (accepted, is_refused) {
            (true, true) => false_errors.push(grammar),
            (false, false) => missed.push(grammar),
            _ => {}
        }
    }
    assert_eq!(false_errors, [""; 0], "llguidance accepts what lint refuses");
    let count = accepted.iter().filter(|accepted| **accepted).count();
    println!("{count} of {} grammars are accepted; lint misses {} mistakes", grammars.len(), missed.len());
    // Lint does not read the extensions of a decoder, such as `%json {...}`.
    let in_lark: Vec<_> = missed.iter().filter(|grammar| !grammar.contains("llguidance")).collect();
    assert!(count > 150 && in_lark.len() < 40, "{count} {in_lark:#?}");
}
