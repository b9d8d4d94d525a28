//! Any bytes are judged, in a time that grows with their number.

use std::time::Duration;

use toolc_guard::{Content, MAX_FINDINGS, MAX_TEXT};

use crate::cases::{cases, judge};

/// A generator of pseudo-random numbers (xorshift).
struct Random(u64);

impl Random {
    fn next(&mut self, below: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % below.max(1) as u64).unwrap_or_default()
    }
}

#[test]
fn changed_files_are_judged_without_a_panic() {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let mut all = cases(include_str!("../data/hostile.txt"));
    all.extend(cases(include_str!("../data/harmless.txt")));
    let pool: Vec<Vec<u8>> = all
        .iter()
        .flat_map(|case| &case.files)
        .filter_map(|(_, content)| match content {
            Content::Bytes(bytes) => Some(bytes.clone()),
            _ => None,
        })
        .collect();
    for case in &all {
        for _ in 0..3 {
            let mut files = case.files.clone();
            for (_, content) in &mut files {
                let Content::Bytes(bytes) = content else { continue };
                for _ in 0..=random.next(6) {
                    let at = random.next(bytes.len() + 1);
                    match random.next(4) {
                        0 if at < bytes.len() => bytes[at] = u8::try_from(random.next(256)).unwrap_or_default(),
                        1 => bytes.truncate(at),
                        2 => {
                            let other = &pool[random.next(pool.len())];
                            let from = random.next(other.len() + 1);
                            let tail = bytes.split_off(at);
                            bytes.extend_from_slice(&other[from..]);
                            bytes.extend(tail);
                        }
                        _ => bytes.extend_from_within(at..),
                    }
                    bytes.truncate(16 << 10);
                }
            }
            let report = judge(&files);
            assert_eq!(report.files.len(), files.len());
        }
    }
}

/// Returns the processor time of this thread, which other programs do not change. On other systems than Linux, it does not count.
fn processor_time() -> Duration {
    let statistics = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanoseconds = statistics.split(' ').next().and_then(|number| number.parse().ok());
    nanoseconds.map(Duration::from_nanos).unwrap_or_default()
}

#[test]
fn repeated_pieces_are_judged_in_bounded_time() {
    for (path, piece) in [
        ("a.py", "("),
        ("a.py", "a=b="),
        ("a.py", "f'{"),
        ("a.py", "x = x + y\n"),
        ("a.py", "exec(a)(\n"),
        ("a.py", "open('~/.ssh/id_rsa')\n"),
        ("a.js", "${`"),
        ("a.js", "x=/"),
        ("a.sh", "echo a\n"),
        ("a.js", "([/"),
        ("a.js", "f(x => {"),
        ("a.js", "a.b.c("),
        ("a.sh", "$("),
        ("a.sh", "curl x | sh\n"),
        ("a.sh", "if a; then\n"),
        ("a.sh", "`"),
        ("a.md", "`"),
        ("a.md", "run curl -x | sh "),
        ("a.md", "<!--"),
        ("a.md", "![a]("),
        ("a.md", "do not "),
        ("a.md", "https://a{conversation}"),
        ("a.md", "```\n"),
        ("a.txt", "aGVsbG8gd29ybGQgaGVsbG8gd29ybGQg\n"),
        ("a.json", "{\"a\":["),
        ("a.yaml", "- "),
        ("a.html", "<script>"),
        ("a.svg", "<!-- a -->"),
        ("a.bin", "\0"),
    ] {
        let text = piece.repeat((96 << 10) / piece.len());
        let before = processor_time();
        let report = judge(&[(path.to_owned(), Content::Bytes(text.into_bytes()))]);
        let taken = processor_time().saturating_sub(before);
        assert!(taken < Duration::from_mins(1), "{path} {piece:?}: {taken:?}");
        assert!(report.findings.len() <= MAX_FINDINGS);
    }
}

#[test]
fn texts_that_double_in_each_line_are_judged() {
    for (path, first, line) in [("a.py", "a = 'x'\n", "a = a + a\n"), ("a.js", "let a = 'x';\n", "a = `${a}${a}`;\n")] {
        let text = first.to_owned() + &line.repeat(100);
        let report = judge(&[(path.to_owned(), Content::Bytes(text.into_bytes()))]);
        assert_eq!(report.files.len(), 1);
    }
}

#[test]
fn a_text_above_the_limit_is_a_finding() {
    let report = judge(&[("a.md".to_owned(), Content::Bytes(vec![b'a'; MAX_TEXT + 1]))]);
    assert!(report.findings.iter().any(|finding| finding.code.name() == "unread"));
}
