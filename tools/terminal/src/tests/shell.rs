//! Commands are for bash, where there is one.

use super::*;

/// Lines that other shells refuse or understand in another way, each with its output.
const LINES: &[(&str, &str)] = &[
    ("false &> log; echo $?", "1\n"),
    ("echo out &>> log; cat log", "out\n"),
    ("{ echo a; echo b >&2; } |& sort", "a\nb\n"),
    ("mkdir -p q/{a,b}; ls q", "a\nb\n"),
    ("for i in {1..3}; do echo $i; done", "1\n2\n3\n"),
    ("echo {01..10..3}", "01 04 07 10\n"),
    ("echo -e 'a\\tb'", "a\tb\n"),
    ("echo 'X=5' > env.sh; source ./env.sh; echo $X", "5\n"),
    ("[[ abc == a* ]] && echo yes", "yes\n"),
    ("[[ v12 =~ ^v([0-9]+)$ ]] && echo ${BASH_REMATCH[1]}", "12\n"),
    ("set -o pipefail; false | true; echo $?", "1\n"),
    ("a=(x 'y z'); echo ${#a[@]} \"${a[1]}\"", "2 y z\n"),
    ("declare -A m=([k]=v); echo ${m[k]}", "v\n"),
    ("diff <(echo a) <(echo a) && echo same", "same\n"),
    ("cat <<< here", "here\n"),
    ("read -r first _ <<< 'one two'; echo $first", "one\n"),
    ("s=abcdef; echo ${s:1:3} ${s^^} ${s//b/x}", "bcd ABCDEF axcdef\n"),
    ("((2 > 1)) && echo yes", "yes\n"),
    ("for ((i = 0; i < 2; i++)); do echo $i; done", "0\n1\n"),
    ("printf -v x '%03d' 7; echo $x", "007\n"),
    ("function f { local n=$1; echo $((n ** 2)); }; f 3", "9\n"),
    ("mapfile -t l < <(printf 'a\\nb\\n'); echo ${#l[@]}", "2\n"),
    ("shopt -s extglob\ntouch a.txt b.md; echo !(*.md|log|q|env.sh)", "a.txt\n"),
    ("test -n \"$RANDOM\" && echo $'tab\\there'", "tab\there\n"),
    ("echo ${PIPESTATUS[@]}; true | false; echo ${PIPESTATUS[@]}", "0\n0 1\n"),
];

#[test]
fn commands_run_in_bash_where_there_is_one() {
    if !toolc_test_support::programs::has("bash") {
        toolc_test_support::skip("`bash` is missing", "the Debian package `bash`");
        return;
    }
    let f = fixture();
    for (line, expected) in LINES {
        fs::remove_file(f.path().join("log")).unwrap_or_default();
        let ran = f.run(line);
        assert_eq!((&ran["output"], ran.get("shell")), (&json!(expected), None), "{line}");
    }
    let apart = value(f.terminal(terminal::Args { pty: true, ..args("[[ -t 1 ]] && echo $0") }));
    assert_eq!(apart["output"], "bash\n");
    let started = value(f.terminal(terminal::Args { background: true, ..args("echo {a,b}") }));
    assert_eq!((&started["output"], started.get("shell")), (&json!("a b\n"), None));
}
