//! Measures the reader: `cargo bench -p toolc-commands [-- FILE]`. The file has lines separated by `%%`; by default, the hard lines of
//! the tests are read. Then the longest lines that are made of one unit, over and over.

use std::hint::black_box;
use std::time::{Duration, Instant};

use toolc_commands::programs::USUAL;
use toolc_commands::{Surroundings, read};

const HARD: &str = include_str!("../tests/shells/lines.txt");
/// The length of hostile lines.
const LONG: usize = 48_000;
/// What hostile lines repeat.
const UNITS: &[&str] = &[
    "a;",
    "a|",
    "a&",
    "a && ",
    "a\n",
    "(",
    "((",
    "$(",
    "$((",
    "`",
    "\"",
    "'",
    "{",
    "} ",
    ") ",
    "[[ ",
    "[[ a ]] && ",
    "<<E\n",
    "cat <<E\n",
    "sh <<E\na\nE\n",
    "$'",
    "$\"",
    "$[",
    "\\\n",
    "#\n",
    "{a,b}",
    "{1..9}",
    "{a,",
    "a {b..c}\n",
    "a=b ",
    "$a ",
    "a=b;$a;",
    "a=$a$a;",
    "a=x;b=$a$a;",
    "a[1]=2 ",
    "a=(",
    "declare a=(",
    "${a:-",
    "\"${a:-",
    "${a[",
    "a[",
    "[a]",
    "x@(",
    "é",
    "\u{200b}",
    "((a))",
    "((a);",
    "$((a)) ",
    "((1))\n sh -c '((1))';",
    "<(",
    ". <(a);",
    "&>a b ",
    "{fd}>a ",
    "<<<a ",
    "a |& ",
    "if ",
    "case a in a) ",
    "for i in a;do ",
    "while a;do ",
    "f() { ",
    "function a { ",
    "coproc ",
    "time ",
    "! ",
    "alias a=b;",
    "alias a=b;a;",
    "sudo ",
    "env -S 'a' ",
    "eval ",
    "sh -c ",
    "sh -c \"",
    "sh -c 'a';",
    "su -c a;",
    "sh;",
    "read a;",
    "export a=b;",
    "a=b c;",
    "e=sh;$e -c 'a';",
    "trap 'a' b;",
    "find -exec a \\; ",
    "xargs -I{} {}",
    "echo a|sh;",
    "cd a;",
    "cd a&&",
    "a`b`",
    "`\\`",
    "\\`",
    "a '$(b)' [[ -v c ]];",
];

fn main() {
    // Cargo passes `--bench`.
    let file = std::env::args().skip(1).find(|argument| !argument.starts_with("--"));
    let text =
        file.map_or_else(|| HARD.to_owned(), |file| std::fs::read_to_string(file).expect("failed to read the lines"));
    let lines: Vec<&str> = text.split("%%\n").filter(|line| !line.is_empty()).collect();
    let surroundings = Surroundings::default();
    let all = || lines.iter().for_each(|line| drop(black_box(read(line, &USUAL, &surroundings))));
    let time = fastest(20, all);
    println!(
        "mean of {} lines: {:.2} µs",
        lines.len(),
        time.as_secs_f64() * 1e6 / f64::from(u32::try_from(lines.len()).expect("there are not many lines"))
    );
    let measure = |unit: &&'static str| {
        let line = unit.repeat(LONG / unit.len());
        (fastest(3, || drop(black_box(read(&line, &USUAL, &surroundings)))), *unit)
    };
    let mut times: Vec<(Duration, &str)> = UNITS.iter().map(measure).collect();
    times.sort_unstable();
    println!("hostile lines of {LONG} bytes, the slowest:");
    for (time, unit) in times.iter().rev().take(12) {
        println!("{:6.2} ms  {unit:?}", time.as_secs_f64() * 1e3);
    }
}

/// Returns the shortest time of several tries, because other processes only make it longer.
fn fastest(tries: usize, run: impl Fn()) -> Duration {
    let once = |_| {
        let started = Instant::now();
        run();
        started.elapsed()
    };
    (0..tries).map(once).min().unwrap_or_default()
}
