//! Rewritings of commands that change the text and not what runs: no dangerous command becomes harmless by them, and no harmless
//! one dangerous.

use base64::Engine as _;
use serde_json::Value;
use toolc::commands::rules::Verdict;
use toolc::commands::{Surroundings, judge};

/// A rewriting of a line, or of a simple command. `None` if it does not apply.
type Rewriting = (&'static str, fn(&str) -> Option<String>);

fn verdict(line: &str) -> Verdict {
    judge(line, toolc_catalog::commands::rules(), &Surroundings::default()).verdict
}

/// Returns the commands of the corpus, and whether they are harmless.
fn corpus() -> Vec<(String, bool)> {
    let rows = include_str!("../../corpora/commands.jsonl").lines().map(|line| {
        let row: Value = serde_json::from_str(line).expect("a row is JSON");
        (row["command"].as_str().expect("a command").to_owned(), row["want"] == "allow")
    });
    rows.collect()
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// Returns whether a line is one command of plain words.
fn is_simple(line: &str) -> bool {
    let plain = |letter: char| !letter.is_control() && !";|&<>()`$#\"'\\\n=*~!".contains(letter);
    line.chars().all(plain) && line.starts_with(|first: char| first.is_ascii_alphanumeric() || "./".contains(first))
}

fn simple(line: &str) -> Option<&str> {
    is_simple(line).then_some(line)
}

/// Returns a line that can be followed by others: with the end of a here-document on a line of its own.
fn body(line: &str) -> String {
    format!("{line}\n")
}

/// Returns the line, unless its quotes are not closed: then the rewriting would be a part of the quoted text.
fn closed(line: &str) -> Option<&str> {
    let quotes = |quote: char| line.matches(quote).count();
    (quotes('"') % 2 == 0 && quotes('\'') % 2 == 0 && quotes('`') % 2 == 0).then_some(line)
}

fn first_word(line: &str) -> Option<(&str, &str)> {
    simple(line).and_then(|line| line.split_once(' ')).filter(|(word, _)| word.len() > 1)
}

const REWRITINGS: &[Rewriting] = &[
    ("sh -c", |line| Some(format!("sh -c {}", quoted(line)))),
    ("bash -c twice", |line| Some(format!("bash -c {}", quoted(&format!("sh -ec {}", quoted(line)))))),
    ("eval", |line| Some(format!("eval {}", quoted(line)))),
    ("subshell", |line| Some(format!("({})", body(line)))),
    ("group", |line| Some(format!("{{ {}}}", body(line)))),
    ("after &&", |line| Some(format!("true && {line}"))),
    ("after ||", |line| Some(format!("false || {line}"))),
    ("after a newline", |line| Some(format!("true\n{line}"))),
    ("if", |line| Some(format!("if true; then {}fi", body(line)))),
    ("condition", |line| Some(format!("if {}then :; fi", body(line)))),
    ("while", |line| Some(format!("while true; do {}break; done", body(line)))),
    ("for", |line| Some(format!("for i in 1; do {}done", body(line)))),
    ("case", |line| Some(format!("case x in x) {};; esac", body(line)))),
    ("substitution", |line| Some(format!("echo $({})", body(line)))),
    ("substitution in quotes", |line| Some(format!("echo \"x $({}) y\"", body(line)))),
    ("backquotes", |line| {
        let escaped = line.replace('\\', "\\\\").replace('`', "\\`").replace('$', "\\$");
        Some(format!("echo `{escaped}\n`"))
    }),
    ("function", |line| Some(format!("f() {{ {}}}; f", body(line)))),
    ("alias", |line| (!line.contains('\n')).then(|| format!("alias zz={}\nzz", quoted(line)))),
    ("here-document", |line| Some(format!("bash <<'END_OF_TEST'\n{line}\nEND_OF_TEST"))),
    ("here-string", |line| Some(format!("bash <<< {}", quoted(line)))),
    ("echo into a shell", |line| Some(format!("echo {} | sh", quoted(line)))),
    ("printf into a shell", |line| Some(format!("printf %s {} | bash", quoted(line)))),
    ("variable", |line| Some(format!("x={}; eval \"$x\"", quoted(line)))),
    ("base64", |line| {
        let encoded = base64::engine::general_purpose::STANDARD.encode(line);
        Some(format!("echo {encoded} | base64 -d | sh"))
    }),
    ("octal escapes", |line| {
        let escaped: Vec<String> = line.bytes().map(|byte| format!("\\{byte:03o}")).collect();
        Some(format!("eval $'{}'", escaped.concat()))
    }),
    ("hexadecimal escapes", |line| {
        let escaped: Vec<String> = line.bytes().map(|byte| format!("\\x{byte:02x}")).collect();
        Some(format!("bash -c $'{}'", escaped.concat()))
    }),
    ("trap", |line| Some(format!("trap {} EXIT", quoted(line)))),
    ("process substitution", |line| Some(format!("cat <({})", body(line)))),
    ("background", |line| Some(format!("{{ {}}} &", body(line)))),
    ("pipe", |line| Some(format!("true | {{ {}}}", body(line)))),
    ("negation", |line| Some(format!("! {line}"))),
    ("env", |line| simple(line).map(|line| format!("env A=1 {line}"))),
    ("nohup", |line| simple(line).map(|line| format!("nohup setsid {line}"))),
    ("timeout", |line| simple(line).map(|line| format!("timeout -k 5 10 nice -n 5 {line}"))),
    ("command", |line| simple(line).map(|line| format!("command {line}"))),
    ("exec", |line| simple(line).map(|line| format!("exec -a ls {line}"))),
    ("sudo", |line| simple(line).map(|line| format!("sudo -u root -- {line}"))),
    ("xargs", |line| simple(line).map(|line| format!("echo | xargs {line}"))),
    ("find -exec", |line| simple(line).map(|line| format!("find . -exec {line} \\;"))),
    ("busybox", |line| simple(line).map(|line| format!("busybox {line}"))),
    ("folder", |line| {
        let line = simple(line).filter(|line| !line.starts_with(['.', '/']))?;
        // Builtins have no file.
        let builtin = ["cd", "eval", "exec", "source", "command", "export", "kill"];
        (!builtin.iter().any(|name| line.split(' ').next() == Some(name))).then(|| format!("/usr/bin/{line}"))
    }),
    ("quotes in the name", |line| {
        first_word(line).map(|(word, rest)| format!("{}''{} {rest}", &word[..1], &word[1..]))
    }),
    ("backslash before the name", |line| first_word(line).map(|(word, rest)| format!("\\{word} {rest}"))),
    ("name in quotes", |line| first_word(line).map(|(word, rest)| format!("\"{word}\" {rest}"))),
    ("line continuation", |line| {
        first_word(line).map(|(word, rest)| format!("{}\\\n{} \\\n{rest}", &word[..1], &word[1..]))
    }),
    ("$IFS", |line| first_word(line).map(|(word, rest)| format!("{word}${{IFS}}{rest}"))),
    ("name from a variable", |line| first_word(line).map(|(word, rest)| format!("a={word}; $a {rest}"))),
    ("name from a substitution", |line| first_word(line).map(|(word, rest)| format!("$(echo {word}) {rest}"))),
    ("name from a part of a variable", |line| {
        first_word(line).map(|(word, rest)| format!("a=x{word}; ${{a#x}} {rest}"))
    }),
    ("braces", |line| {
        let line = simple(line).filter(|line| line.contains(' ') && !line.contains([',', '{', '}']))?;
        Some(format!("{{{}}}", line.split(' ').filter(|word| !word.is_empty()).collect::<Vec<_>>().join(",")))
    }),
    ("arguments of a function", |line| {
        let (word, rest) = first_word(line)?;
        Some(format!("f() {{ {word} \"$@\"; }}; f {rest}"))
    }),
    ("arguments from a variable", |line| {
        let (word, rest) = first_word(line)?;
        Some(format!("a='{rest}'; {word} $a"))
    }),
];

#[test]
fn no_rewriting_makes_a_dangerous_command_harmless() {
    let mut failures = Vec::new();
    let mut tried = 0;
    for (command, _) in corpus().iter().filter(|(_, is_harmless)| !is_harmless) {
        for (name, rewrite) in REWRITINGS {
            let Some(rewritten) = rewrite(command) else { continue };
            tried += 1;
            if verdict(&rewritten) == Verdict::Allow {
                failures.push(format!("{name}: {rewritten:?}"));
            }
        }
    }
    assert!(failures.is_empty(), "{} of {tried}:\n{}", failures.len(), failures.join("\n"));
    assert!(tried > 126 * 30, "only {tried} rewritings");
}

/// Rewritings after which a harmless command is as harmless.
const NEUTRAL: &[Rewriting] = &[
    ("spaces", |line| Some(format!("  {line}  "))),
    ("sh -c", |line| closed(line).map(|line| format!("sh -c {}", quoted(line)))),
    ("bash -lc", |line| closed(line).map(|line| format!("bash -lc {}", quoted(line)))),
    ("subshell", |line| closed(line).map(|line| format!("({})", body(line)))),
    ("group", |line| closed(line).map(|line| format!("{{ {}}}", body(line)))),
    ("after &&", |line| Some(format!("true && {line}"))),
    ("after a newline", |line| Some(format!("echo start\n{line}"))),
    ("before a newline", |line| closed(line).map(|line| format!("{line}\necho end"))),
    ("if", |line| closed(line).map(|line| format!("if true; then {}fi", body(line)))),
    ("for", |line| closed(line).map(|line| format!("for i in 1 2; do {}done", body(line)))),
    ("substitution", |line| closed(line).map(|line| format!("echo \"$({})\"", body(line)))),
    ("variable before", |line| Some(format!("A=1; {line}"))),
    ("cd before", |line| Some(format!("cd sub && {line}"))),
    ("time", |line| simple(line).map(|line| format!("time {line}"))),
    ("env", |line| simple(line).map(|line| format!("env A=1 {line}"))),
    ("timeout", |line| simple(line).map(|line| format!("timeout 10 {line}"))),
    ("nohup", |line| simple(line).map(|line| format!("nohup {line}"))),
    ("comment", |line| simple(line).map(|line| format!("{line} # rm -rf /"))),
    ("errors away", |line| simple(line).map(|line| format!("{line} 2>/dev/null"))),
    ("into cat", |line| simple(line).map(|line| format!("{line} | cat"))),
    ("into a file", |line| simple(line).map(|line| format!("{line} > out.log 2>&1"))),
    ("background", |line| simple(line).map(|line| format!("{line} &"))),
];

#[test]
fn no_neutral_rewriting_makes_a_harmless_command_dangerous() {
    let mut failures = Vec::new();
    for (command, _) in corpus().iter().filter(|(command, is_harmless)| *is_harmless && !command.trim().is_empty()) {
        for (name, rewrite) in NEUTRAL {
            let Some(rewritten) = rewrite(command) else { continue };
            if verdict(&rewritten) != Verdict::Allow {
                failures.push(format!("{name}: {rewritten:?}"));
            }
        }
    }
    assert!(failures.is_empty(), "{}:\n{}", failures.len(), failures.join("\n"));
}
