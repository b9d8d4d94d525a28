//! The `search_files` tool: searches names and contents of files, with bounded, paged, deterministic results. On this machine, ripgrep's
//! engine searches. Other environments search with their own programs.

use std::path::Path;
use std::time::Duration;

use toolc::{ErrorKind, ToolError};
use toolc_catalog::file::search_files::{Args, OutputMode, Returns, ReturnsMatchesItem, Target};
use toolc_environment::files::{FileAbilities, FileKind};
use toolc_environment::search::{
    ContentSearch, Found, FoundLine, NameGlob, Pattern, Results, Search, SearchLimits, is_kernel_interface,
};

use crate::handlers::integer;
use crate::open;
use crate::task_files::TaskFiles;

/// The maximum number of results that are counted. A pattern with more is too general to be useful.
const MAX_RESULTS: usize = 10_000;
/// The number of characters after which a page is full.
const MAX_CHARS: usize = 60_000;
/// The maximum number of characters of a line in the result; the rest is cut off.
const MAX_LINE_CHARS: usize = 500;
/// The time limit for filling the page.
const SEARCH_TIMEOUT: Duration = Duration::from_secs(30);
/// The time limit for the search if the page is full and only the total is missing.
const COUNT_TIMEOUT: Duration = Duration::from_secs(5);

pub(super) fn search(task: &TaskFiles, args: &Args) -> Result<Returns, ToolError> {
    let root = task.locate(&args.path)?;
    let failed = |error| open::explain(task, &root, "search", &error);
    let metadata = task.files().metadata(&root);
    let is_folder = metadata.as_ref().is_ok_and(|metadata| metadata.kind == FileKind::Folder);
    if !is_folder {
        // Check access before `check_regular`, whose errors show the names of neighbouring files.
        task.access().check_read(&root)?;
        open::check_regular(task, &root, metadata.map_err(failed)?)?;
    }
    if is_kernel_interface(&root) {
        let reason = "kernel interfaces, and reading some of them has side effects; read the single file that you need";
        return Err(ToolError::with_kind(ErrorKind::Refused, format!("`{}` contains {reason}", task.show(&root))));
    }
    let name_pattern = (args.target == Target::Files).then_some(&*args.pattern);
    let globs = [name_pattern, args.file_glob.as_deref()];
    let globs = globs.into_iter().flatten().map(glob).collect::<Result<Vec<_>, _>>()?;
    let pattern = match args.target {
        Target::Files => None,
        Target::Content => Some(pattern(&args.pattern)?),
    };
    let results = match args.output_mode {
        OutputMode::Content => Results::Lines,
        OutputMode::FilesOnly => Results::Files,
        OutputMode::Count => Results::Counts,
    };
    let context = usize::try_from(args.context).unwrap_or(0).min(20);
    let may_read = |path: &Path| task.access().check_read(path).is_ok();
    let is_restricted = task.access().restricts_reading_below(&root);
    let search = Search {
        root: &root,
        globs: &globs,
        content: pattern.as_ref().map(|pattern| ContentSearch { pattern, results, context }),
        limits: limits(args),
        may_read: if is_restricted { Some(&may_read) } else { None },
    };
    let found = task.files().search(&search).map_err(failed)?;
    Ok(returns(task, args, found))
}

fn limits(args: &Args) -> SearchLimits {
    SearchLimits {
        offset: usize::try_from(args.offset).unwrap_or(0),
        limit: usize::try_from(args.limit).unwrap_or(1).clamp(1, 500),
        max_chars: MAX_CHARS,
        max_line_chars: MAX_LINE_CHARS,
        max_results: MAX_RESULTS,
        timeout: SEARCH_TIMEOUT,
        count_timeout: COUNT_TIMEOUT,
    }
}

fn glob(glob: &str) -> Result<NameGlob, ToolError> {
    NameGlob::new(glob).map_err(|error| ToolError::new(format!("`{glob}` is {error}")))
}

fn pattern(pattern: &str) -> Result<Pattern, ToolError> {
    Pattern::new(pattern).map_err(|error| ToolError::new(format!("the pattern is {error}")))
}

fn returns(task: &TaskFiles, args: &Args, found: Found) -> Returns {
    let hint = hint(args, &found, task.files().abilities());
    let lists_files = args.target == Target::Files || args.output_mode == OutputMode::FilesOnly;
    let (mut matches, mut files) = (Vec::new(), Vec::new());
    for file in found.files {
        let path = task.show(&file.path);
        if lists_files {
            files.push(path);
        } else if args.output_mode == OutputMode::Count {
            matches.push(ReturnsMatchesItem { path, lines: None, count: Some(integer(file.count)) });
        } else {
            let lines = file.lines.iter().map(result_line).collect();
            matches.push(ReturnsMatchesItem { path, lines: Some(lines), count: None });
        }
    }
    let (matches, files) = if lists_files { (None, Some(files)) } else { (Some(matches), None) };
    Returns {
        files,
        total: integer(found.total),
        truncated: is_truncated(args, found.total, found.kept),
        partial: found.partial.then_some(true),
        unreadable: (found.unreadable > 0).then(|| integer(found.unreadable)),
        hint,
        matches,
    }
}

/// Returns a line of the result: `12:text`, or `12-text` for context. A part of a long line has marks where it is cut.
fn result_line(line: &FoundLine) -> String {
    let mark = if line.is_match { ':' } else { '-' };
    let end = if line.is_cut { "… [line cut here]" } else { "" };
    let begin = match line.skipped {
        0 => String::new(),
        skipped => format!("[from column {}] …", skipped + 1),
    };
    format!("{}{mark}{begin}{}{end}", line.number, line.text)
}

fn is_truncated(args: &Args, total: usize, kept: usize) -> bool {
    total > limits(args).offset + kept
}

/// Returns advice for the next call, or `None` if the page has all results.
fn hint(args: &Args, found: &Found, abilities: FileAbilities) -> Option<String> {
    let Found { total, kept, partial, .. } = *found;
    let offset = limits(args).offset;
    let next = offset + kept;
    let more = if partial { "more than " } else { "" };
    if total == 0 && !partial {
        let ignored = if abilities.full_search { ", ignored" } else { "" };
        Some(format!("no results; hidden{ignored} and binary files were not searched"))
    } else if kept == 0 && offset > 0 {
        Some(format!("offset {offset} is past the {more}{total} results"))
    } else if is_truncated(args, total, kept) {
        Some(format!("results {} to {next} of {more}{total}; continue with offset {next}", offset + 1))
    } else if partial {
        Some("the search took too long and was stopped; search a smaller directory".to_owned())
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use toolc_catalog::file::FileTools;

    use super::*;
    use crate::fixture::{Fixture, fixture, value};

    fn content(pattern: &str) -> Args {
        Args {
            pattern: pattern.into(),
            target: Target::Content,
            path: ".".into(),
            file_glob: None,
            output_mode: OutputMode::Content,
            context: 0,
            limit: 50,
            offset: 0,
        }
    }

    fn files(pattern: &str) -> Args {
        Args { target: Target::Files, ..content(pattern) }
    }

    fn run(f: &Fixture, args: Args) -> Value {
        value(f.handlers.search_files(args, &f.call()))
    }

    fn project() -> Fixture {
        let f = fixture();
        f.put(".gitignore", "target/\n*.log\n");
        f.put(".hidden/a.rs", "needle");
        f.put("target/a.rs", "needle");
        f.put("x.log", "needle");
        f.put("blob", b"needle\0needle");
        f.put("src/b.rs", "one\nneedle two\nthree\nneedle four\n");
        f.put("src/a.rs", "a needle\r\n");
        f.put("src/a/deep.txt", "needle");
        f
    }

    #[cfg(unix)]
    #[test]
    fn an_ignore_file_that_cannot_be_read_to_its_end_does_not_stop_a_search() {
        let found = |f: &Fixture| run(f, files("*.rs"))["files"].clone();
        let make_pipe = |f: &Fixture, path: &str| {
            let status = std::process::Command::new("mkfifo").arg(f.dir.path().join(path)).status().unwrap();
            assert!(status.success());
        };
        let f = fixture();
        f.put("target/a.rs", "x");
        f.put("src/b.rs", "x");
        make_pipe(&f, "src/.ignore");
        assert_eq!(found(&f), json!(["target/a.rs"]));
        make_pipe(&f, ".gitignore");
        assert_eq!(found(&f), json!(["src/b.rs", "target/a.rs"]));
        std::fs::remove_file(f.dir.path().join(".gitignore")).unwrap();
        std::os::unix::fs::symlink("/dev/zero", f.dir.path().join(".gitignore")).unwrap();
        assert_eq!(found(&f), json!(["src/b.rs", "target/a.rs"]));
    }

    #[test]
    fn matching_lines_are_sorted_by_path() {
        let f = project();
        assert_eq!(
            run(&f, content("need+le")),
            json!({
                "matches": [
                    {"path": "src/a/deep.txt", "lines": ["1:needle"]},
                    {"path": "src/a.rs", "lines": ["1:a needle"]},
                    {"path": "src/b.rs", "lines": ["2:needle two", "4:needle four"]},
                ],
                "total": 4,
                "truncated": false,
            })
        );
        let empty = run(&f, content("absent"));
        assert_eq!((&empty["matches"], &empty["total"]), (&json!([]), &json!(0)));
        assert!(empty["hint"].as_str().unwrap().starts_with("no results"));
        assert_eq!(run(&f, content("(?i)NEEDLE T"))["total"], 1);
    }

    #[test]
    fn pages_do_not_overlap() {
        let f = project();
        let page = |offset| run(&f, Args { offset, limit: 2, ..content("needle") });
        assert_eq!(page(0)["hint"], "results 1 to 2 of 4; continue with offset 2");
        assert_eq!(page(1)["matches"][1], json!({"path": "src/b.rs", "lines": ["2:needle two"]}));
        assert_eq!(page(3)["matches"], json!([{"path": "src/b.rs", "lines": ["4:needle four"]}]));
        assert_eq!(page(3)["truncated"], false);
        assert_eq!(page(9)["hint"], "offset 9 is past the 4 results");
    }

    #[test]
    fn context_is_on_the_page_of_its_match() {
        let f = fixture();
        f.put("a", "1\n2\nx3\n4\nx5\n6\n7\n8\n9\nx10\n");
        let run =
            |offset, limit| run(&f, Args { context: 1, offset, limit, ..content("x") })["matches"][0]["lines"].clone();
        assert_eq!(run(0, 50), json!(["2-2", "3:x3", "4-4", "5:x5", "6-6", "9-9", "10:x10"]));
        assert_eq!(run(0, 1), json!(["2-2", "3:x3", "4-4"]));
        assert_eq!(run(1, 1), json!(["4-4", "5:x5", "6-6"]));
        assert_eq!(run(2, 1), json!(["9-9", "10:x10"]));
    }

    #[test]
    fn output_modes_list_files_or_counts() {
        let f = project();
        let mode = |output_mode| run(&f, Args { output_mode, ..content("needle") });
        assert_eq!(mode(OutputMode::FilesOnly)["files"], json!(["src/a/deep.txt", "src/a.rs", "src/b.rs"]));
        let counts = mode(OutputMode::Count);
        assert_eq!(counts["matches"][2], json!({"path": "src/b.rs", "count": 2}));
        assert_eq!(counts["total"], 3);
    }

    #[test]
    fn files_are_found_by_name() {
        let f = project();
        assert_eq!(run(&f, files("*.rs"))["files"], json!(["src/a.rs", "src/b.rs"]));
        assert_eq!(run(&f, files("src/**/*.txt"))["files"], json!(["src/a/deep.txt"]));
        assert_eq!(run(&f, Args { path: "src".into(), ..files("a/*") })["files"], json!(["src/a/deep.txt"]));
        let page = run(&f, Args { limit: 1, offset: 1, ..files("*") });
        assert_eq!((&page["files"], &page["total"]), (&json!(["src/a/deep.txt"]), &json!(4)));
    }

    #[test]
    fn a_search_is_limited_by_glob_and_path() {
        let f = project();
        assert_eq!(run(&f, Args { file_glob: Some("*.{txt,md}".into()), ..content("needle") })["total"], 1);
        assert_eq!(run(&f, Args { path: "src/b.rs".into(), ..content("needle") })["total"], 2);
        assert_eq!(
            run(&f, Args { path: "target".into(), ..content("needle") })["total"],
            1,
            "the path is named, so it is not ignored"
        );
        assert_eq!(
            run(&f, Args { path: ".hidden".into(), ..content("needle") })["total"],
            1,
            "the path is named, so it is not hidden"
        );
    }

    #[test]
    fn invalid_patterns_and_paths_are_explained() {
        let f = project();
        let error = |args| f.handlers.search_files(args, &f.call()).unwrap_err();
        assert!(error(content("a(b")).message().contains("unclosed group"));
        assert!(error(files("a{b")).message().contains("is not a glob"));
        assert!(error(content("(a{1000}){1000}{1000}")).message().contains("not a regular expression"));
        let missing = error(Args { path: "scr".into(), ..content("x") });
        assert!(missing.message().contains("did you mean `src`?"), "{missing}");
    }

    #[test]
    fn long_lines_are_shortened() {
        let f = fixture();
        f.put("a", format!("needle{}\n", "é".repeat(1_000_000)));
        let line = run(&f, content("needle"))["matches"][0]["lines"][0].as_str().unwrap().to_owned();
        assert!(line.starts_with("1:needleéé") && line.ends_with("é… [line cut here]") && line.chars().count() < 530);
    }

    #[test]
    fn the_text_around_a_match_in_a_long_line_is_shown() {
        let f = fixture();
        f.put("a.json", format!("[{}\"needle\", {}]", "1, ".repeat(10_000), "2, ".repeat(10_000)));
        let line = run(&f, content("needle"))["matches"][0]["lines"][0].as_str().unwrap().to_owned();
        assert!(line.starts_with("1:[from column 29878] …") && line.ends_with("… [line cut here]"), "{line}");
        assert!(line.contains("1, \"needle\", 2,") && line.chars().count() < 560, "{line}");
    }

    #[test]
    fn a_text_in_utf_16_is_searched_like_any_other() {
        let f = fixture();
        let text = "first\r\nsecond née dle\r\n日本 needle 😀\r\n";
        let units = |swap: bool| {
            let units = "\u{feff}".encode_utf16().chain(text.encode_utf16());
            units.flat_map(|unit| if swap { unit.to_be_bytes() } else { unit.to_le_bytes() }).collect::<Vec<u8>>()
        };
        f.put("be.txt", units(true));
        f.put("le.txt", units(false));
        f.put("marked.txt", format!("\u{feff}{text}"));
        let lines = |pattern: &str| run(&f, content(pattern))["matches"].clone();
        let all =
            |line: &str| json!(["be.txt", "le.txt", "marked.txt"].map(|path| json!({"path": path, "lines": [line]})));
        assert_eq!(lines("needle"), all("3:日本 needle 😀"));
        assert_eq!(lines("^first$"), all("1:first"));
        assert_eq!(lines("n.e dle"), all("2:second née dle"));
        // Half a unit at the end, and a file that has only its mark.
        f.put("be.txt", [units(true), vec![0]].concat());
        f.put("le.txt", [0xff, 0xfe]);
        f.put("marked.txt", "");
        assert_eq!(lines("needle"), json!([{"path": "be.txt", "lines": ["3:日本 needle 😀"]}]));
        // Data that begins with such a mark is not text.
        f.put("be.txt", [&[0xff, 0xfe, 0, 0][..], &b"n\0\0\0e\0\0\0needle"[..]].concat());
        assert_eq!(lines("needle"), json!([]));
    }

    #[test]
    fn a_pattern_matches_the_end_of_a_line_with_any_ending() {
        let f = fixture();
        f.put("crlf.c", "return 0;\r\n\r\n");
        f.put("lf.c", "return 0;\n\n");
        f.put("open.c", "return 0;");
        for (pattern, total) in
            [("return 0;$", 3), ("^return 0;$", 3), ("^$", 2), ("0;.$", 0), ("[^;]$", 0), ("; *$", 3)]
        {
            assert_eq!(run(&f, content(pattern))["total"], total, "{pattern}");
        }
    }

    #[test]
    fn a_named_folder_is_searched_even_if_it_is_ignored() {
        for (file, patterns, path) in [
            (".gitignore", "target/\n", "target"),
            (".gitignore", "target/\n", "target/debug"),
            (".gitignore", "/target/*\n", "target"),
            (".gitignore", "target/**\n", "target/debug"),
            (".gitignore", "**/debug/**\n", "target/debug"),
            (".gitignore", "*\n!.gitignore\n", "target"),
            ("target/.gitignore", "*\n", "target"),
            ("target/.gitignore", "*\n", "target/debug"),
            ("target/.ignore", "/debug\n", "target/debug"),
            (".ignore", "target\n", "target"),
            (".git/info/exclude", "target\n", "target/debug"),
        ] {
            let f = fixture();
            f.put("target/debug/a.rs", "needle");
            f.put("src/a.rs", "needle");
            f.put(file, patterns);
            let total = run(&f, Args { path: path.into(), ..content("needle") })["total"].clone();
            assert_eq!(total, 1, "{file} {patterns:?} {path}");
        }
        let f = fixture();
        f.put(".gitignore", "*.log\n/build\n*\n!src\n!src/**\n");
        f.put("src/x.rs", "needle");
        f.put("src/.ignore", "generated.rs\n");
        f.put("src/generated.rs", "needle");
        f.put("other.txt", "needle");
        for (path, total) in [(".", 1), ("src", 1)] {
            let found = run(&f, Args { path: path.into(), ..content("needle") });
            assert_eq!(found["total"], total, "what is not named stays ignored: {path}");
        }
        f.put("vendor/.gitignore", "cache\n");
        f.put("vendor/lib.rs", "needle");
        f.put("vendor/cache/x.rs", "needle");
        let found = run(&f, Args { path: "vendor".into(), ..content("needle") });
        assert_eq!(found["total"], 1, "the ignore files below a named folder hold");
    }

    #[test]
    fn a_search_ends_after_its_maximum_number_of_results() {
        let f = fixture();
        f.put("a", "x\n".repeat(30_000));
        let many = run(&f, content("x"));
        assert_eq!((&many["total"], &many["partial"]), (&json!(10_000), &json!(true)));
        assert_eq!(many["hint"], "results 1 to 50 of more than 10000; continue with offset 50");
    }
}
