//! Properties of the modes `replace` and `patch`, on random texts and randomly damaged patches.

use std::collections::BTreeMap;
use std::fs;

use toolc::ToolError;
use toolc_catalog::file::patch::{Args, Mode, Returns, ReturnsFilesItemAction as Action};
use toolc_catalog::file::{FileTools, read_file};

use super::difference::Differences;
use super::endings::to_lf;
use crate::fixture::{Fixture, fixture};

/// A generator of numbers that are the same in every run.
struct Random(u64);

impl Random {
    /// Returns a number below `end`.
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from((self.0 >> 16) % end as u64).unwrap()
    }

    fn line(&mut self) -> String {
        const INDENTS: [&str; 4] = ["", "  ", "    ", "\t"];
        const WORDS: [&str; 6] = ["a", "b", "}", "- c", "+ d", ""];
        INDENTS[self.below(4)].to_owned() + WORDS[self.below(6)]
    }

    fn text(&mut self, ending: &str) -> String {
        let lines: Vec<_> = (0..self.below(40)).map(|_| self.line()).collect();
        let last = if !lines.is_empty() && self.below(3) > 0 { ending } else { "" };
        lines.join(ending) + last
    }

    /// Returns a text with some lines added, removed or replaced.
    fn edited(&mut self, text: &str, ending: &str) -> String {
        let mut lines: Vec<_> = text.split(ending).map(str::to_owned).collect();
        for _ in 0..=self.below(4) {
            let at = self.below(lines.len());
            match self.below(3) {
                0 => lines.insert(at, self.line()),
                1 if lines.len() > 1 => drop(lines.remove(at)),
                _ => lines[at] = self.line(),
            }
        }
        lines.join(ending)
    }
}

fn apply_patch(f: &Fixture, patch: &str) -> Result<Returns, ToolError> {
    let patch = Some(patch.to_owned());
    let args = Args { mode: Mode::Patch, path: None, old_string: None, new_string: None, replace_all: false, patch };
    f.handlers.patch(args, &f.call())
}

fn unified(old: &str, new: &str) -> String {
    Differences::default().unified(Some(("f", old)), Some(("f", new)))
}

/// Applies a unified diff of one file exactly as it is written: every line number and every line must be right.
fn apply_strictly(text: &str, diff: &str) -> String {
    let old: Vec<_> = text.split_inclusive('\n').collect();
    let mut new = String::new();
    let mut copied = 0;
    let mut lines = diff.lines().skip(2).peekable();
    while let Some(header) = lines.next() {
        let (start, count) = {
            let range = header.strip_prefix("@@ -").unwrap().split(' ').next().unwrap();
            let (start, count) = range.split_once(',').unwrap_or((range, "1"));
            (start.parse::<usize>().unwrap(), count.parse::<usize>().unwrap())
        };
        let first = if count == 0 { start } else { start - 1 };
        old[copied..first].iter().for_each(|line| new.push_str(line));
        copied = first;
        while let Some(line) = lines.next_if(|line| !line.starts_with("@@ ")) {
            let is_unterminated = lines.next_if(|line| line.starts_with('\\')).is_some();
            let text = line[1..].to_owned() + if is_unterminated { "" } else { "\n" };
            if !line.starts_with('+') {
                assert_eq!(old[copied], text, "{diff}");
                copied += 1;
            }
            if !line.starts_with('-') {
                new.push_str(&text);
            }
        }
        assert_eq!(copied, first + count, "{diff}");
    }
    old[copied..].iter().for_each(|line| new.push_str(line));
    new
}

#[test]
fn the_difference_of_two_texts_turns_one_into_the_other() {
    let (f, mut random) = (fixture(), Random(0x5eed));
    for case in 0..1_500 {
        let ending = if case % 4 == 0 { "\r\n" } else { "\n" };
        let old = random.text(ending);
        let new = random.edited(&old, ending);
        if old == new || old.is_empty() || new.is_empty() {
            continue;
        }
        f.put("f", &old);
        let diff = unified(&old, &new);
        assert_eq!(apply_strictly(&to_lf(&old), &diff), to_lf(&new), "case {case}");
        let result = apply_patch(&f, &diff).unwrap_or_else(|error| panic!("case {case}: {old:?}\n{diff}\n{error}"));
        assert_eq!(to_lf(&f.get("f")), to_lf(&new), "case {case}: {old:?}\n{diff}");
        if old.matches('\n').count() == old.matches("\r\n").count() {
            let has_bare_lf = f.get("f").replace("\r\n", "").contains('\n');
            assert!(!has_bare_lf || !old.contains('\r'), "case {case}: {:?}", f.get("f"));
        }
        assert_eq!(result.files[0].diff, diff, "case {case}");
    }
}

#[test]
fn wrong_line_numbers_do_not_matter_if_the_context_is_unique() {
    let (f, mut random) = (fixture(), Random(0xc0de));
    for case in 0..300 {
        let lines: Vec<_> = (0..5 + random.below(40)).map(|i| format!("line {i}")).collect();
        let old = lines.join("\n") + "\n";
        let mut new = lines;
        for _ in 0..=random.below(3) {
            let at = random.below(new.len());
            new[at] = format!("new {case} {at}");
        }
        let new = new.join("\n") + "\n";
        let mut patch = String::new();
        for line in unified(&old, &new).lines() {
            match line.strip_prefix("@@ ") {
                Some(_) if random.below(3) == 0 => patch.push_str("@@ ... @@"),
                Some(_) => {
                    let (start, count) = (random.below(90), random.below(9));
                    patch.push_str(&format!("@@ -{start},{count} +{start},{count} @@"));
                }
                None => patch.push_str(line),
            }
            patch.push('\n');
        }
        f.put("f", &old);
        let result = apply_patch(&f, &patch).unwrap_or_else(|error| panic!("case {case}: {old:?}\n{patch}\n{error}"));
        assert_eq!(f.get("f"), new, "case {case}: {old:?}\n{patch}");
        assert_eq!(apply_strictly(&old, &result.files[0].diff), new);
    }
}

#[test]
fn a_damaged_patch_is_refused_or_its_reported_diffs_match_the_changes() {
    let (f, mut random) = (fixture(), Random(0xdead));
    let (mut refused, mut applied) = (0, 0);
    for case in 0..1_500 {
        let texts = [random.text("\n") + "end\n", random.text("\n") + "end\n"];
        let mut patch = String::new();
        for (name, text) in ["f", "g"].into_iter().zip(&texts) {
            f.put(name, text);
            let new = random.edited(text, "\n");
            patch.push_str(&Differences::default().unified(Some((name, text)), Some((name, &new))));
        }
        let mut lines: Vec<_> = patch.lines().map(str::to_owned).collect();
        for _ in 0..=random.below(2) {
            let at = random.below(lines.len());
            match random.below(4) {
                0 => drop(lines.remove(at)),
                1 => lines.insert(at, random.line()),
                2 => lines[at].insert(0, ['+', '-', ' ', '@'][random.below(4)]),
                _ => {
                    let other = random.below(lines.len());
                    lines.swap(at, other);
                }
            }
            if lines.is_empty() {
                break;
            }
        }
        let now = |f: &Fixture| [f.get("f"), f.get("g")];
        match apply_patch(&f, &(lines.join("\n") + "\n")) {
            Err(_) => {
                assert_eq!(now(&f), texts, "case {case}");
                refused += 1;
            }
            Ok(result) => {
                let mut expected = texts.clone();
                for file in &result.files {
                    let at = usize::from(file.path == "g");
                    assert!(["f", "g"].contains(&&*file.path), "case {case}: {}", file.path);
                    expected[at] = apply_strictly(&expected[at], &file.diff);
                }
                assert_eq!(now(&f), expected, "case {case}");
                applied += 1;
            }
        }
    }
    assert!(refused > 100 && applied > 100, "{refused} refused, {applied} applied");
}

/// The files of a test, each a name and a text.
type Tree = BTreeMap<String, String>;

const NAMES: [&str; 4] = ["a", "b", "c", "d/e"];

fn tree(f: &Fixture) -> Tree {
    let mut tree = Tree::new();
    for name in NAMES {
        if let Ok(text) = fs::read_to_string(f.dir.path().join(name)) {
            tree.insert(name.to_owned(), text);
        }
    }
    tree
}

/// Makes some of the files, one with CRLF.
fn fill(f: &Fixture, random: &mut Random) {
    for name in NAMES {
        let path = f.dir.path().join(name);
        if random.below(3) == 0 {
            let _ = fs::remove_file(path);
        } else {
            f.put(name, random.text(if name == "c" { "\r\n" } else { "\n" }));
            if random.below(2) == 0 {
                let args = read_file::Args { path: name.to_owned(), offset: 1, limit: 500, column: 1 };
                f.handlers.read_file(args, &f.call()).unwrap();
            }
        }
    }
}

/// Returns arguments of the mode `replace`. The old text is usually lines of a file, and the new text is a random line.
fn replacing(tree: &Tree, random: &mut Random) -> Args {
    let name = NAMES[random.below(4)];
    let lines: Vec<&str> = tree.get(name).map(|text| text.lines().collect()).unwrap_or_default();
    let at = random.below(lines.len() + 1);
    let old: Vec<&str> = lines.iter().skip(at).take(1 + random.below(3)).copied().collect();
    let old = if random.below(4) == 0 { random.line() } else { old.join("\n") };
    let (path, old_string, new_string) = (Some(name.to_owned()), Some(old), Some(random.line()));
    Args { mode: Mode::Replace, path, old_string, new_string, replace_all: random.below(3) == 0, patch: None }
}

/// Returns arguments of the mode `patch`, which create, delete, change and move files.
fn patching(tree: &Tree, random: &mut Random) -> Args {
    let mut patch = "*** Begin Patch\n".to_owned();
    for _ in 0..=random.below(3) {
        let name = NAMES[random.below(4)];
        match (random.below(6), tree.get(name)) {
            (0, _) => patch.push_str(&format!("*** Add File: {name}\n+{}\n", random.line())),
            (1, _) => patch.push_str(&format!("*** Delete File: {name}\n")),
            (kind, text) => {
                patch.push_str(&format!("*** Update File: {name}\n"));
                if kind < 4 {
                    patch.push_str(&format!("*** Move to: {}\n", NAMES[random.below(4)]));
                }
                let lines: Vec<&str> = text.map(|text| text.lines().collect()).unwrap_or_default();
                let at = random.below(lines.len() + 1);
                for (index, line) in lines.iter().skip(at).take(3).enumerate() {
                    patch.push_str(&if index == 1 {
                        format!("-{line}\n+{}\n", random.line())
                    } else {
                        format!(" {line}\n")
                    });
                }
            }
        }
    }
    let patch = Some(patch + "*** End Patch\n");
    Args { mode: Mode::Patch, path: None, old_string: None, new_string: None, replace_all: false, patch }
}

/// Applies the reported diffs to the files as they were before the call.
fn apply_reported(tree: &Tree, result: &Returns) -> Tree {
    let mut after = tree.clone();
    for file in &result.files {
        let old = file.from.as_ref().unwrap_or(&file.path);
        let text = to_lf(after.get(old).map_or("", String::as_str)).into_owned();
        let new = apply_strictly(&text, &file.diff);
        if file.from.is_some() {
            after.remove(old);
        }
        if matches!(file.action, Action::Deleted) {
            assert_eq!(new, "", "a deleted file has no lines left");
            after.remove(&file.path);
        } else {
            after.insert(file.path.clone(), new);
        }
    }
    after
}

#[test]
fn a_call_of_either_mode_is_refused_or_its_reported_diffs_match_the_changes() {
    let (f, mut random) = (fixture(), Random(0xbeef));
    let mut counts = BTreeMap::new();
    for case in 0..1_200 {
        fill(&f, &mut random);
        let before = tree(&f);
        let args = if case % 2 == 0 { replacing(&before, &mut random) } else { patching(&before, &mut random) };
        let mode = args.mode;
        let shown = format!("case {case}: {args:?}\n{before:?}");
        match f.handlers.patch(args, &f.call()) {
            Err(_) => {
                assert_eq!(tree(&f), before, "{shown}");
                *counts.entry((mode == Mode::Patch, "refused")).or_insert(0) += 1;
            }
            Ok(result) => {
                let lf = |tree: Tree| tree.into_iter().map(|(name, text)| (name, to_lf(&text).into_owned())).collect();
                let (expected, after): (Tree, Tree) = (lf(apply_reported(&before, &result)), lf(tree(&f)));
                assert_eq!(after, expected, "{shown}\n{result:?}");
                *counts.entry((mode == Mode::Patch, "applied")).or_insert(0) += 1;
                for file in &result.files {
                    *counts.entry((mode == Mode::Patch, action(file.action))).or_insert(0) += 1;
                }
            }
        }
    }
    let leftovers = fs::read_dir(f.dir.path()).unwrap().map(|entry| entry.unwrap().file_name());
    assert!(leftovers.into_iter().all(|name| NAMES.contains(&name.to_str().unwrap()) || name == "d"));
    for kind in ["refused", "applied", "created", "modified", "deleted", "moved"] {
        assert!(counts.get(&(true, kind)).is_some_and(|count| *count > 8), "{kind}: {counts:?}");
    }
    assert!(counts[&(false, "refused")] > 100 && counts[&(false, "applied")] > 100, "{counts:?}");
}

fn action(action: Action) -> &'static str {
    match action {
        Action::Created => "created",
        Action::Modified => "modified",
        Action::Deleted => "deleted",
        Action::Moved => "moved",
    }
}

#[test]
fn any_text_is_a_patch_or_an_error() {
    let (f, mut random) = (fixture(), Random(0xfeed));
    f.put("f", "a\nb\n");
    let pieces = [
        "--- a/f",
        "+++ b/f",
        "@@ -1 +1 @@",
        "@@",
        "@@ b",
        "-a",
        "+c",
        " b",
        "",
        "\\ No newline",
        "diff --git a/f b/f",
        "*** Begin Patch",
        "*** Update File: f",
        "*** End of File",
        "*** End Patch",
        "*** Move to: f",
        "<<<<<<< SEARCH",
        "=======",
        ">>>>>>> REPLACE",
        "f",
        "a",
        "```",
        "--- \"a/\\3",
        "é",
        "@@ -9999999999999999999999 +1 @@",
        "-- ",
    ];
    for _ in 0..5_000 {
        let patch: String =
            (0..random.below(12)).map(|_| pieces[random.below(pieces.len())].to_owned() + "\n").collect();
        let before = f.get("f");
        if apply_patch(&f, &patch).is_err() {
            assert_eq!(f.get("f"), before);
        } else {
            f.put("f", "a\nb\n");
        }
    }
}
