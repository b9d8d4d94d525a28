//! What is listed for whole lines.

use crate::programs::USUAL;
use crate::{Directory, DoubtKind, Input, Program, Reading, Shells, Surroundings, read};

fn reading(line: &str) -> Reading {
    read(line, &USUAL, &Surroundings::default())
}

/// Returns the programs and the doubts of a line: `=NAME` is built at run time, `?` is unknown, `-` has no program.
fn programs(reading: &Reading) -> String {
    let mut names: Vec<String> = Vec::new();
    for command in &reading.commands {
        names.push(match &command.program {
            Program::Known { name, built: false } => name.clone(),
            Program::Known { name, built: true } => format!("={name}"),
            Program::Unknown => "?".to_owned(),
            Program::None => "-".to_owned(),
        });
    }
    names.extend(reading.doubts.iter().map(|doubt| format!("!{:?}", doubt.kind)));
    names.join(" ")
}

#[track_caller]
fn check(cases: &[(&str, &str)]) {
    for (line, expected) in cases {
        assert_eq!(programs(&reading(line)), *expected, "{line}");
    }
}

#[test]
fn every_command_of_a_list_is_listed() {
    check(&[
        ("", ""),
        (" # rm -rf /", ""),
        ("a; b && c || d | e & f", "a b c d e f"),
        ("(a; { b; }) 2>&1 | c", "a b - c"),
        ("if a; then b; elif c; then d; else e; fi", "a b c d e"),
        ("while a; do b; done; until c; do d; done", "a b c d"),
        ("for i in x $(a); do b; done", "- a b"),
        ("case $x in a|b) c ;; (*) d; esac", "c d"),
        ("! a; time b; time -p c", "a time b time c"),
        ("f() { a; }; function g { b; }; f", "a b f a function"),
        ("echo $(a `b` \"$(c)\") <(d) ${x:-$(e)} $((1 + $(g)))", "echo a b c d e g"),
        ("cat <<E\n$(a)\nE\nb", "cat a b"),
        ("cat <<'E'\n$(a)\nE\nb", "cat b"),
        ("a\\\nb; 'c d'; \"e\"f", "ab c d ef"),
        ("x=1 y=(2 $(a)) z[$(b)]=3", "- a b -"),
        ("coproc a; coproc n { b; }", "coproc a coproc b"),
    ]);
}

#[test]
fn text_is_not_a_command() {
    check(&[
        ("echo 'rm -rf /; a' \"b; c\" d\\;e # f", "echo"),
        ("git commit -m \"fix (a) & 'b'\" -- 'c | d'", "git"),
        ("[[ -f a && b =~ ^(c|d)$ ]] && e", "[[ e [[ [["),
        ("echo $((a > 3)) ${x/;b/}", "echo"),
        ("x=(a b)", "-"),
        ("awk '{print $1; system(a)}' f", "awk"),
    ]);
}

#[test]
fn an_unclosed_quote_is_not_a_doubt() {
    check(&[("echo \"a", "echo"), ("a\necho 'b", "a echo"), ("echo \"`a`", "echo a")]);
}

#[test]
fn a_syntax_error_does_not_hide_the_lines_before_it() {
    check(&[("a\n)\nb", "a !Syntax"), ("a; fi", "a !Syntax"), ("if a; then", "a !Syntax"), ("a $(b", "a b !Syntax")]);
}

#[test]
fn shells_that_differ_are_all_read() {
    check(&[
        ("((a)) && b", "(( b a b"),
        ("a &>f b", "a a b"),
        ("echo $'a\\'; b; '", "echo echo b"),
        ("echo $[1; a]", "echo echo a]"),
        ("echo $(cat <<E)\na\nE", "echo cat echo cat a E !ShellsDiffer"),
        ("{fd}>f a", "a {fd}"),
    ]);
}

#[test]
fn a_known_shell_is_the_only_one_that_is_read() {
    let names = |shells| {
        let surroundings = Surroundings { shells, ..Surroundings::default() };
        programs(&read("((a)) && b", &USUAL, &surroundings))
    };
    assert_eq!(names(Shells::BASH), "(( b");
    assert_eq!(names(Shells::POSIX), "a b");
    // busybox has this quoting, and dash does not.
    let surroundings = Surroundings { shells: Shells::POSIX, ..Surroundings::default() };
    assert_eq!(programs(&read("a $'\\'; b; '", &USUAL, &surroundings)), "a b a");
}

#[test]
fn wrappers_are_opened() {
    check(&[
        ("sudo -u root X=1 rm -rf /", "sudo rm"),
        ("env -i A=1 nice -n 5 nohup timeout -k 1 5 a", "env nice nohup timeout a"),
        ("command -v a; command a; exec -a b c; builtin cd", "command command exec builtin a c cd"),
        ("x | xargs -n 1 -I{} a {} | y", "x xargs y a"),
        ("find . -name '*.o' -exec a {} \\; -execdir b {} +", "find a b"),
        ("busybox rm x; env -S 'a b' c", "busybox env rm a"),
        ("/usr/bin/sudo ./a", "sudo a"),
        ("sudo $opts a", "sudo ? a"),
        ("sudo --user root -- a", "sudo a"),
        ("flock -n /tmp/l a; flock /tmp/l -c 'b c'", "flock flock a b"),
        ("ssh -p 22 host -l me a b", "ssh a"),
    ]);
}

#[test]
fn code_inside_of_words_is_read() {
    check(&[
        ("sh -c 'a; b'", "sh a b"),
        ("bash -euo pipefail -c 'a | b' name", "bash a b"),
        ("bash -c \"sudo sh -c 'rm -rf /'\"", "bash sudo sh rm"),
        ("eval 'a;' b", "eval a b"),
        ("trap 'a' EXIT; trap - INT", "trap trap a"),
        ("sh <<E\na\nE\nbash <<<'b'", "sh bash a b"),
        ("echo 'a; b' | sh; printf 'c\\n' | bash -s x", "echo sh printf bash a b c"),
        ("su - me -c 'a'", "su a"),
        ("su me -- -c 'a'", "su a"),
        ("bash script.sh a; sh ./configure", "bash sh"),
        ("bash -c \"cd $HOME && a\"", "bash cd a"),
        ("bash --version | a", "bash a"),
        ("x | bash --version", "x bash"),
    ]);
}

#[test]
fn code_that_is_built_is_a_doubt() {
    check(&[
        ("sh -c \"$x\"", "sh ? !BuiltCode"),
        ("sh -c \"a $x; b\"", "sh a b !BuiltCode"),
        ("eval \"$(a)\"", "eval a !OutputAsCode"),
        ("a | sh", "a sh !OutputAsCode"),
        ("bash <(a); . <(b)", "bash a . b !OutputAsCode !OutputAsCode"),
        ("x | xargs sh -c", "x xargs sh !BuiltCode"),
        ("x | xargs -I{} sh -c 'rm {}'", "x xargs sh rm !BuiltCode"),
        ("zsh -c a", "zsh !ForeignCode"),
    ]);
}

#[test]
fn values_that_the_line_sets_are_filled_in() {
    check(&[
        ("a=rm; $a -rf /", "- =rm"),
        ("a=r; b=m; $a$b x", "- - =rm"),
        ("rm${IFS}-rf${IFS}/", "=rm"),
        ("a=; $a rm", "- =rm"),
        ("a='b c'; sh -c \"$a\"", "- sh b"),
        ("export a=b; $a", "export =b"),
        ("$HOME/bin/a; \"$x\"/b; ~/c", "a b c"),
    ]);
}

#[test]
fn values_that_are_not_certain_are_unknown() {
    check(&[
        ("$a", "?"),
        ("a=b; a=c; $a", "- - ?"),
        ("(a=b); $a", "- ?"),
        ("x && a=b; $a", "x - ?"),
        ("$a; a=b", "? -"),
        ("a=b; eval 'a=c'; $a", "- eval ? -"),
        ("a=b; read a; $a", "- read ?"),
        ("a=b; . ./f; $a", "- . ?"),
        ("a=b; ((a = 1)); $a", "- (( ? - a =b"),
        ("while x; do $a; a=b; done", "x ? -"),
        ("IFS=x; a=bxc; $a", "- - ?"),
        ("a=b sh -c '$a'", "sh ?"),
        ("declare -n a=b; b=c; b=d; $a", "declare - - ?"),
        ("f() { \"$@\"; }; f a", "? f"),
        ("r* x; $(a) b", "? ? a"),
    ]);
}

#[test]
fn given_values_are_used_in_the_shell_of_the_line_only() {
    let variables = [("EDITOR", "vi -R"), ("HOME", "/root")];
    let surroundings = Surroundings { variables: &variables, ..Surroundings::default() };
    for (line, expected) in [
        ("$EDITOR f", "=vi"),
        ("\"$EDITOR\" f", "=vi -R"),
        ("EDITOR=a; $EDITOR f", "- =a"),
        ("env EDITOR=a sh -c '$EDITOR f'", "env sh ?"),
        ("env -i sh -c '$EDITOR f'", "env sh ?"),
        ("r\"ea\"d EDITOR; $EDITOR", "read ?"),
        ("$HOME", "?"),
    ] {
        assert_eq!(programs(&read(line, &USUAL, &surroundings)), expected, "{line}");
    }
}

#[test]
fn aliases_are_followed_or_doubted() {
    check(&[
        ("alias a='b c'\na d", "alias a b"),
        ("alias a='b;'\na d", "alias a !Redefined"),
        ("alias if=b", "alias !Redefined"),
        ("alias ls='ls --color'\nls", "alias ls ls"),
        ("alias a=b; alias b=c\na", "alias alias a b c"),
    ]);
}

#[test]
fn text_that_runs_is_a_doubt() {
    for line in [
        "[[ -v 'a[$(b)]' ]]",
        "test -v 'a[$(b)]'",
        "let 'a[$(b)]=1'",
        "x='a[$(b)]'; echo $((x))",
        "x='a[`b`]'; [[ x -eq 1 ]]",
        "printf -v 'a[$(b)]' x",
        "echo \"${x@P}\"",
        "PS4='$(b)'; set -x",
        "mapfile -C b x",
        "PROMPT_COMMAND=b",
        "x='a['; y='$(b)]'; z=$x$y; echo $((z))",
    ] {
        let kinds: Vec<DoubtKind> = reading(line).doubts.iter().map(|doubt| doubt.kind).collect();
        assert_eq!(kinds, [DoubtKind::HiddenCode], "{line}");
    }
    check(&[
        ("n=$(wc -l < f); echo $((n + 1)) 'costs $(x)'", "- wc echo"),
        ("hash -p /bin/rm ls; ls", "hash ls !Redefined"),
    ]);
}

#[test]
fn disguises_are_doubts() {
    for (line, kind) in [
        ("рm x", DoubtKind::LookAlike),
        ("'рm' x", DoubtKind::LookAlike),
        ("rm\u{a0}-rf", DoubtKind::Invisible),
        ("a \r\n", DoubtKind::Invisible),
        ("a \u{200b}b", DoubtKind::Invisible),
        ("echo 'a\u{202e}b'", DoubtKind::Invisible),
        ("a\0b", DoubtKind::Invisible),
    ] {
        assert!(reading(line).doubts.iter().any(|doubt| doubt.kind == kind), "{line:?}");
    }
    check(&[("echo 'ｒｍ' héllo ✔\u{fe0f} 文件", "echo"), ("./скрипт.sh", "скрипт.sh")]);
}

#[test]
fn the_directory_follows_cd() {
    let directory = |line: &str| reading(line).commands.last().expect("a command").directory.clone();
    for (line, expected) in [
        ("a", Directory::Start),
        ("cd / && a", Directory::At("/".to_owned())),
        ("cd b; cd c; a", Directory::At("b/c".to_owned())),
        ("cd ~/b; a", Directory::At("~/b".to_owned())),
        ("cd; a", Directory::At("~".to_owned())),
        ("(cd /); a", Directory::Start),
        ("x && cd /; a", Directory::Unknown),
        ("cd $x; a", Directory::Unknown),
        ("cd -; a", Directory::Unknown),
        ("f() { a; }; cd /; f", Directory::At("/".to_owned())),
        ("cd /; f() { a; }", Directory::Unknown),
        ("while x; do cd ..; a; done", Directory::Unknown),
        ("while cd ..; do a; done", Directory::Unknown),
        ("cd / && sh -c 'a'", Directory::At("/".to_owned())),
    ] {
        assert_eq!(directory(line), expected, "{line}");
    }
}

#[test]
fn input_is_found_through_wrappers_and_groups() {
    let line = "a | { sudo b; c < f; sh -c 'd | e'; }";
    let reading = reading(line);
    let input = |name: &str| {
        let id =
            reading.commands.iter().position(|command| command.program.name() == Some(name)).expect("it is listed");
        match reading.input(u32::try_from(id).expect("it is small")) {
            Input::Inherited => "inherited".to_owned(),
            Input::Redirect(redirect) => redirect.target.text().expect("it is a literal").into_owned(),
            Input::Commands(ids) => {
                let names = ids.filter_map(|id| reading.command(id).program.name());
                names.collect::<Vec<_>>().join(" ")
            }
        }
    };
    assert_eq!(["a", "b", "c", "d", "e"].map(input), ["inherited", "a", "f", "a", "d"]);
}

#[test]
fn limits_are_doubts() {
    let kinds = |line: &str| reading(line).doubts.iter().map(|doubt| doubt.kind).collect::<Vec<_>>();
    assert_eq!(kinds(&"a".repeat(crate::MAX_BYTES + 1)), [DoubtKind::TooLong]);
    assert_eq!(kinds(&format!("{}a", "(".repeat(200))), [DoubtKind::TooDeep]);
    assert_eq!(kinds(&format!("{}a", "sudo ".repeat(70))), [DoubtKind::TooDeep]);
    assert!(kinds(&"a;".repeat(crate::MAX_BYTES / 2)).contains(&DoubtKind::TooMuchWork));
}

#[test]
fn ordinary_lines_have_no_doubt() {
    for line in [
        "cargo build --release 2>&1 | tail -n 20",
        "for f in *.{c,h}; do echo \"$f: $(wc -l < \"$f\")\"; done",
        "[[ -n \"$x\" && $y == z* ]] && echo yes || echo no",
        "n=$((n + 1)); echo ${#a[@]} ${a[0]} \"${a[@]}\"",
        "find . -type f -name '*.rs' -print0 | xargs -0 grep -n 'fn main' | head",
        "cat > f <<'EOF'\n#!/bin/sh\necho \"$1\" `x`\nEOF",
        "git log --format='%h %s' HEAD~3..HEAD | while read -r h s; do echo \"$h\"; done",
        "python - <<'EOF'\nprint('a[$(x)]')\nEOF",
        "export PATH=\"$HOME/bin:$PATH\" && make -j\"$(nproc)\"",
        "curl -s https://x.example | jq -r '.[] | select(.a > 1) | .b'",
        "if ! command -v node >/dev/null 2>&1; then echo missing; fi",
        "echo \"${x:-it's}\" && echo done",
        "sed -i 's/a\\(b\\)/\\1/g; s/$/x/' f && test -f f || exit 1",
        "declare -A m=([a]=1 [b]=2); echo \"${m[a]}\"",
        "docker ps --format '{{.Names}}' | grep x",
        "trap 'rm -f \"$tmp\"' EXIT",
        "diff <(sort a) <(sort b)",
        "printf '%s\\n' \"$a\" >&2",
    ] {
        assert_eq!(reading(line).doubts, [], "{line}");
    }
}
