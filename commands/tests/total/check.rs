//! What holds for the reading and the judgement of any text.

use std::sync::LazyLock;

use toolc_commands::programs::USUAL;
use toolc_commands::rules::{Conditions, ExpansionKind, InputKind, Place, Rule, RuleSet, Statement, Verdict};
use toolc_commands::syntax::{Operation, Redirect};
use toolc_commands::{
    Command, Input, MAX_BYTES, Part, Program, Reading, ScopeKind, Shells, Span, Surroundings, Word, judge, read,
};

/// Lines that mutations begin with.
pub const SEEDS: &[&str] = &[
    "xargs \u{10ffff}{2..9}{2..9}\u{10ffff}",
    "`a $(b)`() { c; }; $(d)() { e; }",
    "[[ a && { b; } > f && { c; } > g; d",
    "curl -o a/i.py u | tar xz -C \"$T\"; cd a; python3 -m i; ./a/*/b < <(c) > ~/.x 2>&1",
    "cargo build --release 2>&1 | tee log && echo \"done: $?\"",
    "for f in *.c; do [[ -f $f ]] && gcc -c \"$f\" || exit 1; done",
    "sudo -u root env A=1 sh -c 'rm -rf / # x'",
    "cat <<'E' > f\n$(a) `b` \"c\nE\n",
    "bash <<-E\n\ta $(b)\n\tE\nc",
    "x=$((1 + ${a[$(b)]:-2})); ((x++)); let y=1; echo $[x + 1] ${x@Q} ${!x} \"${x:-'}'}\"",
    "f() { \"$@\"; }; function g { eval \"$1\"; }; alias h='i j'; f g; h",
    "find . -name '*.o' -exec sh -c 'a {}' \\; -o -execdir b {} +",
    "ls | xargs -I{} -n1 a {} $'\\x41\\'' $\"b\" {c,d{1..3}} ~/e @(f|g)",
    "case $x in (a|b) c;; *) d;& esac >&2 <<<w &>g {fd}<>h <(i) >(j)",
    "if ! a; then b; elif c; then d; else e; fi; while :; do break; done; until f\ndo g\ndone",
    "a=rm; $a${IFS}-rf \"$HOME\"/*; cd / && rm -rf *; IFS=x; trap 'a' EXIT; coproc b",
    "curl x | (cd y; sh); sh < <(a); . <(b); echo 'a; b' | bash -s; su -c \"a 'b'\"; time -p c",
    "echo $(cat <<E\n`a \\`b\\``\nE\n) $(( (1) )) $((a); (b)) ((c)) \\\n d",
    "declare -A m=([a]=1 [b]=$(c)); export PS4='$(d)'; printf -v 'a[$(e)]' f; [[ -v 'a[$(g)]' && $h =~ ^(i|j)$ ]]",
    "р̀m ｒｍ a\u{200b}b \u{202e} \u{10ffff} é $é ${é} 'é' \\é\u{0}",
];

/// Text that mutations insert.
pub const WORDS: &[&str] = &[
    "'",
    "\"",
    "`",
    "$",
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    ";",
    "&",
    "|",
    "<",
    ">",
    "\n",
    " ",
    "\\",
    "\\\n",
    "#",
    "!",
    "~",
    "*",
    "?",
    "=",
    "$(",
    "${",
    "$((",
    "))",
    "((",
    "[[ ",
    " ]]",
    "<<E\n",
    "\nE\n",
    "<<<",
    "<(",
    ">(",
    "&>",
    "|&",
    ";;",
    "$'",
    "$\"",
    "$[",
    "@(",
    "!(",
    "..",
    "{1..9}",
    "if ",
    "then ",
    "fi",
    "for x in ",
    "do ",
    "done",
    "case x in ",
    "esac",
    "function ",
    "coproc ",
    "time ",
    "eval ",
    "sh -c ",
    "sudo ",
    "env -S ",
    "xargs -I{} ",
    "find -exec ",
    " \\;",
    "alias a=",
    "trap ",
    "export ",
    "é",
    "\u{10ffff}",
    "\0",
    "\r",
    "a=b; $a ",
    "${x:-",
    "${x/",
    "${x[",
    "a[",
];

/// Rules for all programs, with the conditions that look into words, files and other commands.
static RULES: LazyLock<RuleSet<'static>> = LazyLock::new(|| {
    const PLACE: &[&str] = &["place"];
    const ANY: &[&str] = &["*"];
    let rule = |conditions| Rule {
        name: "rule",
        description: "",
        check: "",
        low_risk: false,
        optional: None,
        verdict: Verdict::Deny,
        can_be_exempted: true,
        exempts: &[],
        conditions,
    };
    let conditions = [
        Conditions { writes: PLACE, ..Conditions::EMPTY },
        Conditions { reads: PLACE, ..Conditions::EMPTY },
        Conditions { operands_outside: PLACE, ..Conditions::EMPTY },
        Conditions { flags: &["-r", "--recursive", "-o=*x*"], values_in: PLACE, ..Conditions::EMPTY },
        Conditions { directory_in: PLACE, ..Conditions::EMPTY },
        Conditions { input: &[InputKind::Pipe], input_from: ANY, ..Conditions::EMPTY },
        Conditions { file_from: ANY, ..Conditions::EMPTY },
        Conditions { flags: &["-m", "-f"], file_from: ANY, ..Conditions::EMPTY },
        Conditions { program_from: ANY, ..Conditions::EMPTY },
        Conditions { input_only_from: &["a b"], ..Conditions::EMPTY },
        Conditions { subcommands: &[&["a", "-x", "b*"]], ignore_case: true, ..Conditions::EMPTY },
        Conditions { arguments: &["a*b", "[!x]?"], ..Conditions::EMPTY },
        Conditions { expansions: &[ExpansionKind::Variable], ..Conditions::EMPTY },
        Conditions { variables: &["V", "P*=*"], ..Conditions::EMPTY },
        Conditions { statements: &[Statement::DeleteWithoutWhere], ..Conditions::EMPTY },
        Conditions { input_lines: &["rm*"], ..Conditions::EMPTY },
        Conditions { forks_itself: true, ..Conditions::EMPTY },
        Conditions { folders_after: &[&["a"], &["a", "-s", "*"]], ..Conditions::EMPTY },
        Conditions { data_in: PLACE, without_data: &["ls"], ..Conditions::EMPTY },
        Conditions { data_from: ANY, ..Conditions::EMPTY },
        Conditions { own_processes: true, ..Conditions::EMPTY },
    ];
    let places = [Place {
        name: "place",
        description: "",
        paths: &["/etc/**", "~/.x*", "./a/**", "**/b.*"],
        except: &["/etc/c"],
    }];
    RuleSet::new(&conditions.map(rule), &places, USUAL)
});

/// Reads and judges a text in every way, and checks the results.
pub fn line(text: &str) {
    for shells in [Shells::ALL, Shells::BASH, Shells::POSIX] {
        let surroundings = Surroundings { shells, variables: &[("V", "a b*")], ..Surroundings::default() };
        check(text, &read(text, &USUAL, &surroundings));
        let judgement = judge(text, &RULES, &surroundings);
        let is_first = |verdict| judgement.findings.first().is_some_and(|finding| finding.verdict == verdict);
        assert!(judgement.verdict == Verdict::Allow || is_first(judgement.verdict));
        assert!(text.len() <= MAX_BYTES || judgement.verdict != Verdict::Allow);
    }
}

fn check(text: &str, reading: &Reading) {
    let span = |span: Span| assert!(text.len() > MAX_BYTES || text.get(span.range()).is_some(), "{span:?} in {text:?}");
    reading.doubts.iter().for_each(|doubt| span(doubt.span));
    assert!(text.len() <= MAX_BYTES || !reading.doubts.is_empty());
    let mut size = reading.scopes.len() + reading.doubts.len();
    for (id, command) in (0..).zip(&reading.commands) {
        span(command.span);
        size += 1 + command.words.len() + command.assignments.len() + command.redirects.len();
        let unread = reading.doubts.iter().any(|doubt| doubt.kind == toolc_commands::DoubtKind::TooMuchWork);
        assert!(unread || command.words.is_empty() == (command.program == Program::None), "{command:?}");
        for word in words(command) {
            span(word.span);
            size += word.parts.len();
            assert!(word.literal().is_none() || word.literal() == word.text());
            assert!(word.text().is_none_or(|text| word.could_be(&text)), "{word:?}");
            parts(&word.parts, reading);
        }
        assert!(reading.wrappers(id).count() <= 2 * toolc_commands::MAX_DEPTH);
        assert!(reading.scopes(command.scope).last().is_some_and(|scope| scope.kind == ScopeKind::Line));
        if let Input::Commands(ids) = reading.input(id) {
            assert!(ids.end as usize <= reading.commands.len());
        }
        for argument in toolc_commands::flags::arguments(command.arguments(), &["-o", "--user"]) {
            let _ = argument;
        }
    }
    // The work is in proportion to the length.
    assert!(size <= 10_000 + 24 * text.len(), "{size} for {} bytes", text.len());
}

fn words(command: &Command) -> impl Iterator<Item = &Word> {
    let values = command.assignments.iter().map(|assignment| &assignment.value);
    let targets = command.redirects.iter().map(|Redirect { target, .. }| target);
    command.words.iter().chain(values).chain(targets)
}

fn parts(parts: &[Part], reading: &Reading) {
    for part in parts {
        match part {
            Part::Substitution { commands, .. } | Part::ProcessSubstitution { commands, .. } => {
                assert!(
                    commands.start <= commands.end && commands.end as usize <= reading.commands.len(),
                    "{commands:?}"
                );
            }
            Part::Variable { operation: Some(operation), .. } => {
                let Operation { operand, .. } = &**operation;
                self::parts(operand, reading);
            }
            _ => {}
        }
    }
}
