//! The `search_files` tool: ripgrep's engine with bounded, paged, deterministic results.
//!
//! [`walk`] selects the files, and [`content`] searches one file. [`page`] decides which results are on the requested page, and when
//! the search ends.

mod content;
mod page;
mod walk;

use std::fs;

use toolc::{ErrorKind, ToolError};
use toolc_catalog::file::search_files::{Args, OutputMode, Returns, ReturnsMatchesItem, Target};

use self::content::{ContentSearch, Outcome};
use self::page::Page;
use self::walk::Filter;
use crate::{integer, open};
use toolc_workspace::{Access, Workspace};

pub(super) fn search(workspace: &Workspace, access: &Access, args: &Args) -> Result<Returns, ToolError> {
    let root = workspace.locate(&args.path)?;
    let meta = fs::metadata(&root).map_err(|error| open::explain(workspace, &root, "search", &error))?;
    if !meta.is_dir() {
        open::check_regular(workspace, &root, &meta)?;
    }
    if walk::is_kernel_interface(&root) {
        let reason =
            "interfaces of the kernel, and reading some of them has effects; read the single file that you need";
        return Err(ToolError::with_kind(ErrorKind::Refused, format!("`{}` contains {reason}", workspace.show(&root))));
    }
    if !meta.is_dir() {
        access.check_read(workspace, &root)?;
    }
    let is_restricted = access.restricts_reading_below(workspace, &root);
    let name_pattern = (args.target == Target::Files).then_some(&*args.pattern);
    let globs = [name_pattern, args.file_glob.as_deref()];
    let filters = globs.into_iter().flatten().map(Filter::new).collect::<Result<Vec<_>, _>>()?;
    let mut content = match args.target {
        Target::Files => None,
        Target::Content => Some(ContentSearch::new(args)?),
    };
    let mut page = Page::new(args.offset, args.limit);
    let (mut matches, mut files, mut unreadable) = (Vec::new(), Vec::new(), 0_usize);

    for entry in walk::walk(&root) {
        if page.is_over() {
            break;
        }
        let Ok(entry) = entry else {
            unreadable += 1;
            continue;
        };
        if !walk::is_selected(&entry, &root, &filters) {
            continue;
        }
        let path = workspace.show(entry.path());
        let Some(content) = &mut content else {
            page.add(path, &mut files);
            continue;
        };
        if is_restricted && access.check_read(workspace, entry.path()).is_err() {
            unreadable += 1;
            continue;
        }
        let Ok((file, _)) = open::regular(workspace, entry.path()) else {
            unreadable += 1;
            continue;
        };
        match (content.search(file, &mut page), args.output_mode) {
            (Outcome::Unreadable, _) => unreadable += 1,
            (Outcome::Searched { count: 0, .. }, _) => {}
            (Outcome::Searched { lines, .. }, OutputMode::Content) if lines.is_empty() => {}
            (Outcome::Searched { lines, .. }, OutputMode::Content) => {
                matches.push(ReturnsMatchesItem { path, lines: Some(lines), count: None });
            }
            (_, OutputMode::FilesOnly) => page.add(path, &mut files),
            (Outcome::Searched { count, .. }, OutputMode::Count) => {
                page.add(ReturnsMatchesItem { path, lines: None, count: Some(integer(count)) }, &mut matches);
            }
        }
    }

    let lists_files = args.target == Target::Files || args.output_mode == OutputMode::FilesOnly;
    let (matches, files) = if lists_files { (None, Some(files)) } else { (Some(matches), None) };
    Ok(Returns {
        files,
        total: integer(page.total()),
        truncated: page.is_truncated(),
        partial: page.is_partial().then_some(true),
        unreadable: (unreadable > 0).then(|| integer(unreadable)),
        hint: page.hint(),
        matches,
    })
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

    #[cfg(unix)]
    #[test]
    fn pipes_and_links_are_skipped() {
        let f = project();
        let path = |name: &str| f.dir.path().join(name);
        assert!(std::process::Command::new("mkfifo").arg(path("fifo")).status().unwrap().success());
        std::os::unix::fs::symlink("/dev/zero", path("zero")).unwrap();
        std::os::unix::fs::symlink(".", path("circle")).unwrap();
        assert_eq!(run(&f, content("needle"))["total"], 4);
        let error = f.handlers.search_files(Args { path: "fifo".into(), ..content("x") }, &f.call()).unwrap_err();
        assert!(error.message().contains("a pipe"), "{error}");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn kernel_interfaces_are_not_searched() {
        let f = fixture();
        std::os::unix::fs::symlink("/proc/self", f.dir.path().join("me")).unwrap();
        for path in ["/proc", "/sys/class", "me"] {
            let error = f.handlers.search_files(Args { path: path.into(), ..content("x") }, &f.call()).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Refused, "{path}");
        }
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
