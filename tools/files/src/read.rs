//! The `read_file` tool: returns a range of lines of a text file.

use std::fmt::Write;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

use toolc::{Call, ErrorKind, ToolError};
use toolc_catalog::file::read_file::{Args, Returns};
use toolc_environment::files::{LineEnding, LineRange, Lines, Version};

use super::{open, sniff};
use crate::access::{AccessLog, LinePart, ReadKey, SeenLines};
use crate::handlers::FileHandlers;
use crate::task_files::TaskFiles;

/// The maximum number of characters of a line; the rest is cut off.
const MAX_LINE_CHARS: usize = 2_000;
/// The maximum number of characters of a result: about 30,000 tokens.
const MAX_CHARS: usize = 100_000;
/// The maximum number of characters of one line in a result that begins within the line.
const MAX_PART_CHARS: usize = MAX_CHARS - 100;
/// The maximum number of the character at which a result begins within a line, because the line is read from its beginning.
const MAX_COLUMN: i64 = 4_000_000;
/// The time limit for reading up to the end of the range.
const SEEK_TIMEOUT: Duration = Duration::from_secs(20);
/// The time limit for counting the lines after the range.
const COUNT_TIMEOUT: Duration = Duration::from_secs(2);
/// How often in a row a task may read the same lines of an unchanged file. The result of the last permitted read has a warning.
const MAX_REPEATED_READS: u32 = 3;
const BOM: &[u8] = b"\xef\xbb\xbf";

/// Lines that were read from a file.
struct ReadLines {
    path: PathBuf,
    version: Version,
    window: Returns,
    /// The lines that the model knows after this read.
    seen: SeenLines,
    /// The whole lines in the result, of which the first has this number.
    whole: (u64, Vec<toolc_environment::files::Line>),
}

pub(super) fn read(handlers: &FileHandlers, args: &Args, call: &Call<'_>) -> Result<Returns, ToolError> {
    let log = call.state::<AccessLog>();
    let read = read_lines(handlers, args, call).inspect_err(|_| log.forget_repeated_reads())?;
    let ReadLines { path, version, mut window, seen, whole } = read;
    // The kernel's files have content, but neither a length nor a meaningful time.
    if version.is_empty() && window.lines > 0 {
        log.forget_repeated_reads();
    } else {
        let Args { offset, limit, column, .. } = *args;
        let key = ReadKey { path: path.clone(), offset, limit, column, version };
        let times = log.count_read(key);
        if times > MAX_REPEATED_READS {
            return Err(repeated(&window));
        }
        if times == MAX_REPEATED_READS {
            window.warning =
                Some(format!("{times} reads in a row have returned this content; the next one will be refused"));
        }
    }
    log.note_read(&path, version, seen, (whole.0, &whole.1));
    Ok(window)
}

/// Returns the error for a read that has been repeated too often.
fn repeated(window: &Returns) -> ToolError {
    let Returns { path, offset, lines, .. } = window;
    let range = match lines {
        0 => "it has no lines".to_owned(),
        _ => format!("the content of lines {offset} to {} is in the results of these reads", offset + lines - 1),
    };
    ToolError::with_kind(
        ErrorKind::Refused,
        format!(
            "`{path}` has not changed since the last {MAX_REPEATED_READS} identical reads: {range}; use that content, or read \
             other lines or another file"
        ),
    )
}

fn read_lines(handlers: &FileHandlers, args: &Args, call: &Call<'_>) -> Result<ReadLines, ToolError> {
    let (task, path) = TaskFiles::for_reading(handlers, &args.path, call)?;
    task.access().check_read(&path)?;
    open::regular_metadata(&task, &path, "read")?;
    let shown = task.show(&path);
    let first = u64::try_from(args.offset).unwrap_or(1).max(1);
    let skipped = skipped_chars(args)?;
    let limit = if skipped > 0 { 1 } else { u64::try_from(args.limit).unwrap_or(1).clamp(1, 2_000) };
    let shown_chars = if skipped > 0 { MAX_PART_CHARS } else { MAX_LINE_CHARS };
    let range = LineRange {
        first,
        limit,
        // A character, like a byte order mark, has at most four bytes.
        max_line_bytes: 4 * (skipped + shown_chars + 1),
        max_bytes: 4 * MAX_CHARS,
        timeout: SEEK_TIMEOUT,
        count_timeout: COUNT_TIMEOUT,
    };
    let read = task.files().read_lines(&path, &range).map_err(ReadFailure::Io);
    let window = read.and_then(|mut lines| {
        let (window, seen) =
            if skipped > 0 { part(&lines, first, skipped, &shown)? } else { window(&lines, first, &shown)? };
        let whole = if skipped > 0 { 0 } else { usize::try_from(window.lines).unwrap_or_default() };
        lines.lines.truncate(whole);
        Ok((lines, window, seen))
    });
    let (lines, window, seen) = window.map_err(|failure| match failure {
        ReadFailure::OtherFormat(format) => ToolError::with_kind(ErrorKind::Refused, format!("`{shown}` is {format}")),
        ReadFailure::PastTheEnd(total) => {
            ToolError::new(format!("offset {} is past the end: `{shown}` has {}", args.offset, counted(total, "line")))
        }
        ReadFailure::PastTheLine(chars) => ToolError::new(format!(
            "column {} is past the end: line {first} of `{shown}` has {}",
            args.column,
            counted(chars, "character")
        )),
        ReadFailure::Io(error) if error.kind() == io::ErrorKind::TimedOut => ToolError::with_kind(
            ErrorKind::Timeout,
            format!(
                "failed to reach line {} of `{shown}` within {} s; use a smaller offset",
                args.offset,
                SEEK_TIMEOUT.as_secs()
            ),
        ),
        ReadFailure::Io(error) => open::explain(&task, &path, "read", &error),
    })?;
    let version = lines.metadata.version;
    open::recognise(&task, &call.state::<AccessLog>(), &path, version);
    Ok(ReadLines { path, version, window, seen, whole: (first, lines.lines) })
}

/// Returns the number of characters of the first line before the result.
fn skipped_chars(args: &Args) -> Result<usize, ToolError> {
    if args.column > MAX_COLUMN {
        let text = format!(
            "`column` can be at most {MAX_COLUMN}: read the rest of the line with a command, such as `tail -c`"
        );
        return Err(ToolError::with_kind(ErrorKind::InvalidArguments, text));
    }
    Ok(usize::try_from(args.column).unwrap_or(1).max(1) - 1)
}

/// The reason why a range could not be read.
enum ReadFailure {
    /// The file has this binary format.
    OtherFormat(sniff::Format),
    /// The file has only this number of lines.
    PastTheEnd(u64),
    /// The line has only this number of characters.
    PastTheLine(usize),
    Io(io::Error),
}

/// Fails if a file is binary, or has no line with the number `first`.
fn check_lines(lines: &Lines, first: u64) -> Result<(), ReadFailure> {
    if let Some(format) = sniff::other_format(&lines.sample) {
        return Err(ReadFailure::OtherFormat(format));
    }
    match lines.total.filter(|total| *total < first && first > 1) {
        Some(total) => Err(ReadFailure::PastTheEnd(total)),
        None => Ok(()),
    }
}

/// Returns the result for the line `first` without its first characters, and what the model knows after it has read the result.
fn part(lines: &Lines, first: u64, skipped: usize, shown: &str) -> Result<(Returns, SeenLines), ReadFailure> {
    check_lines(lines, first)?;
    let Some(read) = lines.lines.first() else { return Err(ReadFailure::PastTheLine(0)) };
    let line = Line::new(read, first == 1, skipped, MAX_PART_CHARS)?;
    let end = skipped + line.chars;
    let follows = lines.total.is_none_or(|total| total > first);
    let hint = match (line.is_cut, follows) {
        (true, _) => {
            let next = end + 1;
            Some(format!(
                "characters {} to {end} of line {first}; continue with offset {first} and column {next}",
                skipped + 1
            ))
        }
        (false, true) => Some(format!("the rest of line {first}; continue with offset {}", first + 1)),
        (false, false) => None,
    };
    let mut seen = SeenLines::default();
    if let Some(total) = lines.total {
        seen.set_total(total);
    }
    let (before, end) = (skipped as u64, end as u64);
    seen.set_part(LinePart { line: first, before, end, is_last: !line.is_cut });
    let window = Returns {
        path: shown.to_owned(),
        content: format!("{first:>6}|{}\n", line.text),
        offset: integer(first),
        lines: 1,
        total_lines: lines.total.map(integer),
        truncated: line.is_cut || follows,
        hint,
        warning: None,
        notes: line.has_replacements.then(|| vec![REPLACED.to_owned()]),
    };
    Ok((window, seen))
}

/// The note about a file that is not UTF-8.
const REPLACED: &str = "not valid UTF-8, perhaps Latin-1: invalid bytes are shown as \u{fffd}";

/// Returns the result for these lines, and the lines that the model knows after it has read the result. `shown` is the path in the result.
fn window(lines: &Lines, first: u64, shown: &str) -> Result<(Returns, SeenLines), ReadFailure> {
    check_lines(lines, first)?;
    let total = lines.total;
    let mut content = String::new();
    let (mut chars, mut shown_lines) = (0, 0);
    let (mut has_replacements, mut has_crlf) = (false, false);
    let mut cut = Vec::new();
    let mut seen = SeenLines::default();
    for line in &lines.lines {
        let line = Line::new(line, first + shown_lines == 1, 0, MAX_LINE_CHARS)?;
        // A number of six digits, `|` and a newline.
        let line_chars = 8 + line.text.chars().count();
        if chars + line_chars > MAX_CHARS {
            break;
        }
        chars += line_chars;
        let number = first + shown_lines;
        let _ = writeln!(content, "{number:>6}|{}", line.text);
        seen.add(number, line.is_cut.then_some(line.chars as u64));
        cut.extend(line.is_cut.then_some(number));
        shown_lines += 1;
        has_replacements |= line.has_replacements;
        has_crlf |= line.ends_in_crlf;
    }
    if let Some(total) = total {
        seen.set_total(total);
    }
    let mut notes = Vec::new();
    if total == Some(0) {
        notes.push("the file is empty");
    }
    if first == 1 && lines.sample.starts_with(BOM) {
        notes.push("begins with a byte order mark");
    }
    if has_crlf {
        notes.push("lines end in CRLF");
    }
    if has_replacements {
        notes.push(REPLACED);
    }
    let next = first + shown_lines;
    let hint = hint(first, next, total, &cut);
    let window = Returns {
        path: shown.to_owned(),
        content,
        offset: integer(first),
        lines: integer(shown_lines),
        total_lines: total.map(integer),
        truncated: hint.is_some(),
        hint,
        warning: None,
        notes: (!notes.is_empty()).then(|| notes.into_iter().map(str::to_owned).collect()),
    };
    Ok((window, seen))
}

/// Returns how to read on after the lines from `first` to before `next`, or `None` if nothing is missing. `cut` has the numbers of lines that
/// are cut.
fn hint(first: u64, next: u64, total: Option<u64>, cut: &[u64]) -> Option<String> {
    let follows = match total {
        Some(total) if total < next => None,
        Some(total) => Some(format!("lines {first} to {} of {total}; continue with offset {next}", next - 1)),
        None => Some(format!("lines {first} to {} of a very long file; continue with offset {next}", next - 1)),
    };
    let column = MAX_LINE_CHARS + 1;
    let rest = match cut {
        [] => None,
        [line] => Some(format!("line {line} is cut; read its rest with offset {line} and column {column}")),
        [line, others @ ..] => Some(format!(
            "line {line} and {} more are cut; read the rest of line {line} with offset {line} and column {column}",
            others.len()
        )),
    };
    let parts: Vec<String> = follows.into_iter().chain(rest).collect();
    (!parts.is_empty()).then(|| parts.join(". Also, "))
}

/// Converts a number of lines to an integer for the result.
fn integer(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// A line for the result.
struct Line {
    /// The line without its ending, shortened to the maximum length.
    text: String,
    /// The number of characters of the line in `text`.
    chars: usize,
    /// Whether the line is longer than the maximum.
    is_cut: bool,
    /// Whether `text` has replacement characters for invalid UTF-8.
    has_replacements: bool,
    /// Whether the line ends in `\r\n`.
    ends_in_crlf: bool,
}

impl Line {
    /// Decodes at most `max` characters of a line, without the first ones. The first line of a file may begin with a byte order mark.
    fn new(
        line: &toolc_environment::files::Line,
        is_first: bool,
        skipped: usize,
        max: usize,
    ) -> Result<Self, ReadFailure> {
        let bytes = line.bytes.strip_prefix(BOM).filter(|_| is_first).unwrap_or(&line.bytes);
        if bytes.contains(&0) {
            return Err(ReadFailure::OtherFormat(sniff::Format::Binary("binary data")));
        }
        let decoded = String::from_utf8_lossy(bytes);
        let position = |chars: usize| decoded.char_indices().nth(chars).map(|(at, _)| at);
        let start = if skipped == 0 { Some(0) } else { position(skipped) };
        let Some(start) = start else { return Err(ReadFailure::PastTheLine(decoded.chars().count())) };
        let cut = position(skipped + max);
        let shown = &decoded[start..cut.unwrap_or(decoded.len())];
        let chars = shown.chars().count();
        let has_replacements =
            std::str::from_utf8(bytes).is_err_and(|error| error.valid_up_to() < cut.unwrap_or(decoded.len()));
        let mut text = shown.to_owned();
        let is_cut = line.is_cut || cut.is_some();
        if is_cut {
            text.push_str("… [line cut here]");
        }
        let ends_in_crlf = line.ending == LineEnding::CrLf;
        Ok(Self { text, chars, is_cut, has_replacements, ends_in_crlf })
    }
}

/// Returns a count with its noun: `1 line`, `2 lines`.
fn counted<N: Copy + std::fmt::Display + TryInto<u64>>(count: N, noun: &str) -> String {
    let is_one = matches!(count.try_into(), Ok(1));
    format!("{count} {noun}{}", if is_one { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use toolc::testing::assert_reply;
    use toolc_catalog::file::FileTools;

    use super::*;
    use crate::fixture::{Fixture, fixture, value};

    fn read(f: &Fixture, path: &str, offset: i64, limit: i64) -> Result<Returns, ToolError> {
        f.handlers.read_file(Args { path: path.into(), offset, limit, column: 1 }, &f.call())
    }

    fn read_all(f: &Fixture, path: &str) -> Result<Returns, ToolError> {
        read(f, path, 1, 500)
    }

    #[test]
    fn a_range_of_lines_is_read() {
        let f = fixture();
        f.put("a.txt", "line 1\nline 2\nline 3\nline 4\nline 5\nline 6\nline 7\n");
        let window = value(read(&f, "a.txt", 3, 2));
        assert_eq!(window["content"], "     3|line 3\n     4|line 4\n");
        assert_eq!((&window["total_lines"], &window["truncated"]), (&7.into(), &true.into()));
        assert_eq!(window["hint"], "lines 3 to 4 of 7; continue with offset 5");
        let end = value(read(&f, "a.txt", 6, 500));
        assert_eq!((&end["lines"], &end["truncated"], end.get("hint")), (&2.into(), &false.into(), None));
        assert_reply!(read(&f, "a.txt", 8, 1), Err(Failed, "offset 8 is past the end: `a.txt` has 7 lines"));
        f.put("one.txt", "a line\n");
        assert_reply!(read(&f, "one.txt", 2, 1), Err(Failed, "offset 2 is past the end: `one.txt` has 1 line"));
        assert_reply!(read(&f, "a.txt", i64::MAX, 1), Err(Failed, "7 lines"));
    }

    #[test]
    fn the_fourth_identical_read_in_a_row_is_refused() {
        let f = fixture();
        f.put("a", "1\n2\n");
        f.put("b", "x\n");
        let warning = |result: Result<Returns, ToolError>| result.unwrap().warning;
        assert_eq!([warning(read_all(&f, "a")), warning(read_all(&f, "./a"))], [None, None]);
        assert!(warning(read_all(&f, "a")).unwrap().contains("3 reads in a row"));
        let refusal =
            "`a` has not changed since the last 3 identical reads: the content of lines 1 to 2 is in the results";
        assert_reply!(read_all(&f, "a"), Err(Refused, refusal));
        assert_reply!(read_all(&f, "a"), Err(Refused, refusal));
        assert_eq!(f.call().state::<AccessLog>().files()[0].reads, 3, "refused reads do not count");
        f.put("a", "changed\n");
        assert_eq!(warning(read_all(&f, "a")), None);
        let other = toolc::testing::Caller::new();
        for _ in 0..3 {
            f.handlers
                .read_file(Args { path: "a".into(), offset: 1, limit: 500, column: 1 }, &other.call("read_file"))
                .unwrap();
        }
        assert_eq!(warning(read_all(&f, "a")), None, "another task does not count");
        f.put("empty", "");
        (0..3).for_each(|_| drop(read_all(&f, "empty").unwrap()));
        assert_reply!(read_all(&f, "empty"), Err(Refused, "it has no lines"));
    }

    #[test]
    fn another_call_ends_a_series_of_identical_reads() {
        use toolc_catalog::file::{patch, search_files, write_file};
        let f = fixture();
        f.put("a", "1\n");
        f.put("b", "1\n");
        let path = || "b".to_owned();
        let search = || {
            let (target, output_mode) = (search_files::Target::Files, search_files::OutputMode::Content);
            let (pattern, path) = ("*".to_owned(), ".".to_owned());
            let args = search_files::Args {
                pattern,
                target,
                path,
                file_glob: None,
                output_mode,
                context: 0,
                limit: 1,
                offset: 0,
            };
            f.handlers.search_files(args, &f.call()).unwrap();
        };
        let write = || drop(f.handlers.write_file(write_file::Args { path: path(), content: "1\n".into() }, &f.call()));
        let edit = || {
            let (old_string, new_string) = (Some("absent".to_owned()), Some(String::new()));
            let (mode, path) = (patch::Mode::Replace, Some(path()));
            let args = patch::Args { mode, path, old_string, new_string, replace_all: false, patch: None };
            drop(f.handlers.patch(args, &f.call()));
        };
        let calls: [&dyn Fn(); 7] = [
            &|| drop(read_all(&f, "b")),
            &|| drop(read(&f, "a", 1, 1)),
            &|| drop(read_all(&f, "absent")),
            &search,
            &write,
            &edit,
            &|| f.call().state::<AccessLog>().forget_repeated_reads(),
        ];
        for (index, call) in calls.iter().enumerate() {
            (0..3).for_each(|_| drop(read_all(&f, "a").unwrap()));
            call();
            assert_eq!(read_all(&f, "a").unwrap().warning, None, "call {index}");
            f.call().state::<AccessLog>().forget_repeated_reads();
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn files_of_the_kernel_can_be_read_again_and_again() {
        let f = fixture();
        (0..5).for_each(|_| drop(read_all(&f, "/proc/loadavg").unwrap()));
    }

    #[test]
    fn line_endings_and_a_byte_order_mark_are_not_shown() {
        let f = fixture();
        f.put("dos.txt", "\u{feff}a\r\nb\r\n\r\nc");
        let dos = value(read_all(&f, "dos.txt"));
        assert_eq!(dos["content"], "     1|a\n     2|b\n     3|\n     4|c\n");
        assert_eq!(dos["notes"], serde_json::json!(["begins with a byte order mark", "lines end in CRLF"]));
        f.put("empty", "");
        let empty = value(read_all(&f, "empty"));
        assert_eq!((&empty["content"], &empty["notes"][0]), (&"".into(), &"the file is empty".into()));
    }

    #[test]
    fn latin_1_is_read_with_a_note() {
        let f = fixture();
        f.put("old.txt", b"caf\xe9 au lait, s'il vous pla\xeet\n");
        let read = value(read_all(&f, "old.txt"));
        assert_eq!(read["content"], "     1|caf\u{fffd} au lait, s'il vous pla\u{fffd}t\n");
        assert!(read["notes"][0].as_str().unwrap().contains("not valid UTF-8"));
    }

    #[test]
    fn long_lines_and_long_results_are_shortened() {
        let f = fixture();
        f.put("long", format!("{}\nshort\n", "é".repeat(1_000_000)));
        let read_long = value(read_all(&f, "long"));
        let lines: Vec<_> = read_long["content"].as_str().unwrap().lines().collect();
        assert_eq!(lines[0].chars().count(), 7 + MAX_LINE_CHARS + "… [line cut here]".chars().count());
        assert!(!lines[0].contains('\u{fffd}') && lines[1] == "     2|short");
        f.put("wide", format!("{}\n", "x".repeat(1_000)).repeat(2_000));
        let wide = value(read(&f, "wide", 1, 2_000));
        assert!(wide["content"].as_str().unwrap().len() <= MAX_CHARS);
        assert_eq!((&wide["lines"], &wide["truncated"]), (&99.into(), &true.into()));
        assert_eq!(value(read(&f, "wide", 100, 1))["total_lines"], 2_000);
    }

    #[test]
    fn the_rest_of_a_long_line_can_be_read_in_parts() {
        let f = fixture();
        let line: String = (10_000..70_000).fold(String::new(), |line, n| line + &format!("é{n},"));
        for (name, text, number) in [
            ("only.json", line.clone(), 1),
            ("ends.json", format!("{line}\n"), 1),
            ("mark.json", format!("\u{feff}{line}\r\n"), 1),
            ("later.json", format!("first\n{line}\nlast\n"), 2),
        ] {
            f.put(name, text);
            let part = |column| {
                let args = Args { path: name.into(), offset: number, limit: 1, column };
                value(f.handlers.read_file(args, &f.call()))
            };
            let (mut column, mut collected, mut calls) = (1, String::new(), 0);
            loop {
                let window = part(column);
                let content = window["content"].as_str().unwrap();
                let text = content.strip_suffix('\n').unwrap().split_once('|').unwrap().1;
                let cut = text.strip_suffix("… [line cut here]");
                collected += cut.unwrap_or(text);
                calls += 1;
                if cut.is_none() {
                    assert_eq!(window["truncated"], name == "later.json", "{name}");
                    break;
                }
                assert_eq!(window["truncated"], true, "{name}");
                column = i64::try_from(collected.chars().count()).unwrap() + 1;
                let advice = format!("offset {number} and column {column}");
                assert!(window["hint"].as_str().unwrap().ends_with(&advice), "{window}");
            }
            assert_eq!((collected == line, calls), (true, 6), "{name}");
            let args = Args { path: name.into(), offset: number, limit: 1, column: 420_001 };
            assert_reply!(f.handlers.read_file(args, &f.call()), Err(Failed, "has 420000 characters"));
            let args = Args { path: name.into(), offset: number, limit: 1, column: i64::MAX };
            assert_reply!(f.handlers.read_file(args, &f.call()), Err(InvalidArguments, "at most 4000000"));
        }
    }

    #[test]
    fn binary_files_and_directories_are_refused() {
        let f = fixture();
        f.put("a.png", b"\x89PNG\r\n\x1a\n\0\0\0");
        assert_reply!(read_all(&f, "a.png"), Err(Refused, "a PNG image"));
        f.put("late", "a".repeat(20_000) + "\n\0\n");
        assert_reply!(read(&f, "late", 2, 1), Err(Refused));
        f.put("dir/inner.txt", "");
        assert_reply!(read_all(&f, "dir"), Err(Failed, "is a directory; it contains `inner.txt`"));
    }

    #[test]
    fn an_error_for_a_missing_file_names_existing_ones() {
        let f = fixture();
        f.put("src/config.rs", "");
        f.put("src/main.rs", "");
        assert_reply!(read_all(&f, "src/confg.rs"), Err(NotFound, "did you mean `src/config.rs`?"));
        assert_reply!(read_all(&f, "src/entirely_else"), Err(NotFound, "`src` contains `config.rs`, `main.rs`"));
        assert_reply!(
            read_all(&f, "scr/a/b"),
            Err(NotFound, "only the part `.` of the path exists; it contains `src`")
        );
        assert_reply!(read_all(&f, "src/main.rs/x"), Err(NotFound));
    }

    #[cfg(unix)]
    #[test]
    fn devices_and_pipes_are_refused_without_waiting() {
        use std::os::unix::fs::symlink;
        use std::os::unix::net::UnixListener;
        let f = fixture();
        let path = |name: &str| f.dir.path().join(name);
        assert!(std::process::Command::new("mkfifo").arg(path("fifo")).status().unwrap().success());
        symlink("fifo", path("link")).unwrap();
        symlink("/dev/zero", path("zeroes")).unwrap();
        let _socket = UnixListener::bind(path("socket")).unwrap();
        for (name, what) in [
            ("fifo", "a pipe"),
            ("link", "a pipe"),
            ("zeroes", "a device"),
            ("/dev/null", "a device"),
            ("socket", "a socket"),
            ("/dev/../dev/zero", "a device"),
        ] {
            assert_reply!(read_all(&f, name), Err(Refused, what));
        }
    }
}
