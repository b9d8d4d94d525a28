//! Any bytes are read or refused within bounds.

use toolc_skill::{Strictness, read};

use super::front_matter::assert_fixed;

/// A small generator of numbers: xorshift.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % u64::try_from(bound).unwrap()).unwrap()
    }

    fn pick<'a>(&mut self, items: &[&'a str]) -> &'a str {
        items[self.below(items.len())]
    }
}

/// Parts of front matters, whole and damaged.
const PARTS: &[&str] = &[
    "---\n",
    "---\n",
    "---\n",
    "...\n",
    "----\n",
    " ---\n",
    "```yaml\n",
    "```\n",
    "name: x\n",
    "name: ",
    "Name: X y\n",
    "name:x\n",
    "description: d\n",
    "description: ",
    "description: >\n",
    "description: |\n",
    "metadata:\n",
    "metadata: {",
    "allowed-tools: ",
    "license: ",
    "compatibility = ",
    "version: 1\n",
    "  ",
    "\t",
    "- ",
    "a: b",
    "a: ",
    ": ",
    " #",
    "# c\n",
    "\"",
    "'",
    "“",
    "”",
    "[",
    "]",
    "{",
    "}",
    "*a",
    "&a ",
    "!t ",
    "%",
    "@",
    "`",
    "|",
    ">",
    "\\",
    ",",
    "?",
    "text",
    "é",
    "\r\n",
    "\r",
    "\n",
    "\n",
    "\n\n",
    "<!-- ",
    " -->",
    "(",
    ")",
    "1",
    "true",
    "~",
    "—",
];

/// Characters that YAML does not allow, or takes for white space in some versions.
const ODD: &[&str] = &["\u{85}", "\u{2028}", "\u{1}", "\u{7f}", "\u{fffd}", "\u{0}", "\u{a0}", "\u{feff}"];

#[test]
fn any_text_made_of_parts_is_read_or_refused_and_its_fixes_keep_what_was_read() {
    let mut random = Random(0x5eed);
    let mut were_read = 0;
    for round in 0..6_000 {
        let mut text = String::from(if random.below(20) == 0 { "\u{feff}" } else { "" });
        if random.below(4) > 0 {
            text.push_str("---\nname: x\ndescription: d");
            text.push_str(random.pick(&["\n", "", " ", "\n\n"]));
        }
        for _ in 0..random.below(16) {
            text.push_str(random.pick(PARTS));
        }
        if random.below(4) > 0 {
            text.push_str("\n---\nBody\n");
        }
        if let Ok(reading) = read(text.as_bytes(), Some("x"), Strictness::Use) {
            were_read += 1;
            assert_fixed(&reading, "x", &format!("round {round}:\n{text}\n{text:?}"));
        }
    }
    assert!(were_read > 2_000, "{were_read} were read");
}

#[test]
fn any_bytes_are_read_or_refused() {
    let mut random = Random(0xb17e5);
    for _ in 0..4_000 {
        let mut bytes = match random.below(3) {
            0 => b"---\nname: x\ndescription: d\n".to_vec(),
            1 => vec![0xff, 0xfe],
            _ => Vec::new(),
        };
        for _ in 0..random.below(8) {
            bytes.extend_from_slice(random.pick(PARTS).as_bytes());
            bytes.extend_from_slice(random.pick(ODD).as_bytes());
        }
        let count = random.below(100);
        bytes.extend((0..count).map(|_| u8::try_from(random.below(256)).unwrap()));
        if let Err(unreadable) = read(&bytes, Some("x"), Strictness::Check) {
            assert!(!unreadable.notes.is_empty());
        }
    }
}

#[test]
fn large_files_made_of_one_part_are_read_or_refused() {
    for part in PARTS.iter().chain(ODD) {
        for head in ["---\n", "---\nname: x\ndescription: d\nmetadata:\n"] {
            let text = format!("{head}{}", part.repeat((32 << 10) / part.len()));
            if let Err(unreadable) = read(text.as_bytes(), Some("x"), Strictness::Check) {
                assert!(!unreadable.notes.is_empty(), "{part:?} after {head:?}");
            }
        }
    }
}
