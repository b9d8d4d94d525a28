//! The reader accepts any text, in bounded work.

#[expect(unreachable_pub, reason = "in `fuzz/` it is a library")]
mod check;
#[path = "../shells/random.rs"]
mod random;

use check::{SEEDS, WORDS};
use random::Random;
use toolc_commands::Surroundings;

#[test]
fn any_mutation_of_a_line_can_be_read() {
    let mut random = Random(7);
    for number in 0..10_000 {
        let mut text = SEEDS[number % SEEDS.len()].to_owned();
        for _ in 0..=random.below(4) {
            let at = text.floor_char_boundary(random.below(text.len() + 1));
            match random.below(4) {
                0 => text.insert_str(at, random.pick(WORDS)),
                1 if at < text.len() => drop(text.remove(at)),
                2 => text.truncate(at),
                _ => {
                    let other = random.pick(SEEDS);
                    let from = other.floor_char_boundary(random.below(other.len()));
                    let to = other.floor_char_boundary((from + random.below(20)).min(other.len()));
                    text.insert_str(at, &other[from..to.max(from)]);
                }
            }
        }
        let result = std::panic::catch_unwind(|| check::line(&text));
        assert!(result.is_ok(), "input {number}: {text:?}");
    }
}

/// The budget of work ends exactly where a text ends.
#[test]
fn a_line_that_is_not_read_to_its_end_has_a_doubt() {
    let text = [
        "f() { adb xalintr\u{fffd}\u{fffd}\u{fffd}\u{fffd}\u{fffd}\u{fffd}\u{fffd}\u{fffd}\u{fffd}_gs { adb <",
        "b db < \u{fffd}_gs { adb < \u{fffd}_gs -s-Icsh-a< \u{fffd}_gs { adb < \u{fffd}_ \u{fffd}_gs -s-Is { ",
        "adb <b db < \u{fffd}_gs { adb < \u{fffd}_gs -s-Icsh-a< \u{fffd}_gs { adb < \u{fffd}_ \u{fffd}_gs ",
        "\u{fffd}s-Ic0a< \u{fffd}_gs { ad\u{fffd}c0a< \u{fffd}_gs { ad\u{fffd}\\140b < \u{fffd}_gs -s-I{ec wh",
        "en =\u{fffd}$a$-f\u{fffd}read_cr&a>",
    ];
    check::line(&text.concat());
}

/// The limits hold before copies are made, not only afterwards.
#[test]
fn copies_of_a_word_are_limited() {
    let expanded = "{2..9}{2..9}";
    for line in
        [format!("echo {expanded}{}", "*?".repeat(20_000)), format!("echo {expanded}{}", "$a\"b\"".repeat(8_000))]
    {
        let reading = toolc_commands::read(&line, &toolc_commands::programs::USUAL, &Surroundings::default());
        let words = &reading.commands[0].words;
        assert!(matches!(&*words[1].parts, [toolc_commands::Part::Unknown { splits: true }]), "{} words", words.len());
        check::line(&line);
    }
    // Assignments that `sudo` passes on are copies, too.
    check::line(&format!("sudo -= .9}}{expanded}cia=r.{}d x", "*".repeat(112)));
    // So are the substitutions in code that is read once for each word.
    let (before, after) = (
        "9.}.{1..9}; su -c\u{fffd}{3..9}{2..9}g'urx `ar!|&(<  `lr+ar!|\u{fffd}\u{fffd}\u{fffd}{2...8 \u{fffd}env <(a\u{fffd}\u{fffd}\u{fffd}\u{fffd}`a$.[",
        "]\\\n`=' +.",
    );
    check::line(&format!("{before}{}@{}{after}", "`".repeat(11), "`".repeat(89)));
}

/// An option of `su` that no table knows is read both ways, so each of the 64 words that the braces make is read as code.
#[test]
fn code_that_is_read_for_each_word_is_limited() {
    let units = [
        "*?", "?", "[a]", "$a", "$a\"b\"", "$[1]", "$((1))", "${a:-b}", "`a`", "$(a)", "<(a)", "$'a'", "''", "a b ",
        "a=* ", "a[1]=b ", "{a,b} ", "~ ", "a;", "a|", "<a ", "{ ", "(", "\\a", "a\n", "é",
    ];
    for unit in units {
        for count in [50, 1_000] {
            check::line(&format!("su -c\u{fffd}{{2..9}}{{2..9}}g'x {}'", unit.repeat(count)));
        }
    }
}

#[test]
fn lists_that_become_arguments_are_limited() {
    let items = "a ".repeat(8_000);
    for line in [
        format!("parallel '{}' ::: {items}", "{}".repeat(8_000)),
        format!("parallel '{}' ::: '{}'", "{//}".repeat(4_000), "a/".repeat(8_000)),
        format!("parallel x {}", "::: a b ".repeat(4_000)),
        format!("parallel x ::: {items} ::: {items}"),
        format!("echo {items} | xargs -I{{}} x '{}'", "{}".repeat(8_000)),
        format!("echo {items} | xargs -n1 x {items}"),
        format!("printf '{}' {items} | xargs x", "%s ".repeat(4_000)),
        format!("{{ {} }} | {{ {} }}", "echo a; ".repeat(2_000), "xargs x; ".repeat(2_000)),
        format!("echo {items} | {{ {} }}", "xargs x; ".repeat(2_000)),
        format!("{{ {} }} <<< '{items}'", "xargs x; ".repeat(2_000)),
        format!("echo {items} > l; {}", "xargs x < l; ".repeat(2_000)),
        format!("{} | {{ {} }}", format_args!("find {items}"), "xargs tee; ".repeat(2_000)),
    ] {
        check::line(&line);
    }
}

#[test]
fn any_characters_can_be_read() {
    let mut random = Random(8);
    let special: Vec<char> = "'\"`$(){}[];&|<>\n \\#!~*=ab1é\u{10ffff}\u{200b}\0\t".chars().collect();
    for number in 0..8_000 {
        let text: String = (0..random.below(60)).map(|_| random.pick(&special)).collect();
        let text = if random.one_in(4) { text.repeat(3) } else { text };
        let result = std::panic::catch_unwind(|| check::line(&text));
        assert!(result.is_ok(), "input {number}: {text:?}");
    }
}

#[test]
fn every_beginning_of_a_line_can_be_read() {
    for seed in SEEDS {
        for (at, _) in seed.char_indices() {
            check::line(&seed[..at]);
            check::line(&seed[at..]);
        }
    }
}

#[test]
fn repetition_and_nesting_are_bounded() {
    let mut random = Random(9);
    for word in WORDS {
        for count in [1, 70, 5_000] {
            check::line(&word.repeat(count));
            check::line(&format!("{}a", word.repeat(count)));
        }
    }
    for _ in 0..60 {
        let unit: String = (0..=random.below(4)).map(|_| random.pick(WORDS)).collect();
        check::line(&unit.repeat(20_000 / unit.len()));
    }
    check::line(&"a ".repeat(40_000));
}
