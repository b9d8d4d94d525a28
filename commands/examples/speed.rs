use std::time::Instant;
use toolc_commands::programs::USUAL;
use toolc_commands::{Surroundings, read};
fn main() {
    let lines: Vec<String> =
        std::fs::read_to_string("/tmp/w/shx/lines.txt").unwrap().split('\u{1}').map(str::to_owned).collect();
    let s = Surroundings::default();
    for _ in 0..3 {
        let t = Instant::now();
        let mut n = 0;
        for _ in 0..200 {
            for l in &lines {
                n += read(l, &USUAL, &s).commands.len();
            }
        }
        println!("mean {:?} per line, {} lines, {n}", t.elapsed() / (200 * lines.len() as u32), lines.len());
    }
    let big = 48_000;
    let mut worst = vec![];
    for unit in [
        "a;",
        "(",
        "((",
        "$(",
        "$((",
        "`",
        "\"",
        "'",
        "{",
        "[[ ",
        "a|",
        "a&",
        "a && ",
        "<<E\n",
        "cat <<E\n",
        "$'",
        "\\\n",
        "{a,b}",
        "{1..9}",
        "{a,",
        "a=b ",
        "$a ",
        "a=b;$a;",
        "if ",
        "case a in a) ",
        "f() { ",
        "alias a=b;",
        "alias a=b;a;",
        "sudo ",
        "env -S 'a' ",
        "eval ",
        "sh -c ",
        "sh -c \"",
        "${a:-",
        "\"${a:-",
        "${a[",
        "a[",
        "a[1]=2 ",
        "x@(",
        "é",
        "\u{200b}",
        "((a))",
        "$((a)) ",
        "((a);",
        "[a",
        "[a]",
        "~",
        "<(",
        "&>a b ",
        "echo a|sh;",
        "cd a;",
        "cd a&&",
        "{fd}>a ",
        "for i in a;do ",
        "while a;do ",
        "function a { ",
        "sh -c 'a';",
        "find -exec a \\; ",
        "a`b`",
        "`\\`",
        "\\`",
        "xargs -I{} {}",
        "a= ;",
        "a=$a$a;",
        "a=x;b=$a$a;",
        "trap 'a' b;",
        "coproc ",
        "time ",
        "! ",
        "a {b..c}\n",
        "$[",
        "$\"",
        "#\n",
        "<<<a ",
        "declare a=(",
        "a=(",
        "a |& ",
        "${!a} ",
        "[[ a ]] && ",
        "e=sh;$e -c 'a';",
        "su -c a;",
        ". <(a);",
        "{ ",
        "} ",
        ") ",
        "sh <<E\na\nE\n",
        "x=a;",
        "((1))\n sh -c '((1))';",
        "${a/$(",
        "a '$(b)' [[ -v c ]];",
    ] {
        let line = unit.repeat(big / unit.len());
        let t = Instant::now();
        let r = read(&line, &USUAL, &s);
        let e = t.elapsed();
        worst.push((e, unit, r.commands.len(), r.doubts.len()));
    }
    worst.sort();
    worst.reverse();
    for w in &worst[..25] {
        println!("{w:?}");
    }
}
