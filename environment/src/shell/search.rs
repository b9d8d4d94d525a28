//! Searches with `find` and `grep`.
//!
//! A first script lists all files with a match, which are then filtered and sorted. A second script searches the files for lines until the
//! page is full. Files in UTF-16, which begin with a byte order mark, are converted by `iconv`, if there is one. Files with a line break in their path are left out, because `grep` separates paths by line breaks.

use std::collections::VecDeque;
use std::ffi::OsStr;
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use super::{MAX_NAMES, MAX_PATH, ShellFiles, expression, metadata};
use crate::files::{FileKind, not_regular};
use crate::search::{ContentSearch, Found, FoundFile, FoundLine, Page, Results, Search, is_kernel_interface};

/// The maximum length of the list of files, and of the matching lines of all files.
const MAX_OUTPUT: usize = 64 * 1024 * 1024;
/// The line before the lines of a file. No line of `grep` begins with it.
const NEXT_FILE: &[u8] = b"F";

/// Lists files below the folder `$1`: all files if `$2` is `names`, and otherwise the files with a match for `$3`.
const FIND: &str = r#"
enter "$1"
nl='
'
kernel=
[ "$1" = / ] && kernel='-path ./dev -o -path ./proc -o -path ./sys -o'
what=$2
pattern=$3
if [ "$what" = names ]; then
    set -- -print
else
    set -- -exec grep -l -E -e "$pattern" -- {} +
fi
find . \( $kernel -name '.?*' -o -path "*$nl*" \) -prune -o -type f "$@" 2>/dev/null
[ "$what" = names ] && exit 0
marked='FNR == 1 { begin = substr($0, 1, 2); if (begin == "\377\376" || begin == "\376\377") print FILENAME; nextfile }'
find . \( $kernel -name '.?*' -o -path "*$nl*" \) -prune -o -type f -exec env LC_ALL=C awk "$marked" {} + 2>/dev/null |
while IFS= read -r file; do
    iconv -f UTF-16 -t UTF-8 "$file" 2>/dev/null | grep -q -E -e "$pattern" && printf '%s\n' "$file"
done
exit 0
"#;

/// Searches files for `$2`, with `$3` lines of context, and up to `$4` matches in each file. The input has a line for each file, with its
/// path relative to the folder `$1`.
const LINES: &str = r#"
enter "$1"
mark='BEGIN { status = 1 }
NR == 1 { begin = substr($0, 1, 2); if (begin == "\377\376" || begin == "\376\377") status = 0; exit }
END { exit status }'
while IFS= read -r file; do
    echo F
    [ -f "$file" ] && ! [ -L "$file" ] || continue
    if LC_ALL=C awk "$mark" "./$file" 2>/dev/null; then
        iconv -f UTF-16 -t UTF-8 "./$file" 2>/dev/null | grep -n -E -B "$3" -A "$3" -m "$4" -e "$2"
    else
        grep -n -E -B "$3" -A "$3" -m "$4" -e "$2" -- "$file" 2>/dev/null
    fi || [ $? -eq 1 ] || echo E
done
exit 0
"#;

/// Searches below a root.
pub(super) fn search(files: &ShellFiles<'_>, search: &Search<'_>) -> io::Result<Found> {
    let mut page = Page::new(search.limits);
    let expression = search.content.map(|content| expression::posix(content.pattern.text())).transpose()?;
    let mut found = Found::default();
    let (folder, names) = candidates(files, search, expression.as_deref(), &mut page, &mut found)?;
    let path = |name: &Path| folder.join(name);
    match (search.content, expression) {
        (Some(content), Some(expression)) => {
            lines(files, &folder, &names, content, &expression, &mut page, &mut found)?;
        }
        _ => {
            for name in names {
                if page.must_end() {
                    break;
                }
                page.add(FoundFile { path: path(&name), ..FoundFile::default() }, &mut found.files);
            }
        }
    }
    Ok(Found { total: page.total(), kept: page.kept(), partial: page.is_partial(), ..found })
}

/// Returns the folder of a search, and the files in it that match the globs and have a match, sorted.
fn candidates(
    files: &ShellFiles<'_>,
    search: &Search<'_>,
    expression: Option<&[u8]>,
    page: &mut Page,
    found: &mut Found,
) -> io::Result<(PathBuf, Vec<PathBuf>)> {
    let root = search.root;
    let may_read = |path: &Path| search.may_read.is_none_or(|may_read| may_read(path));
    let is_selected = |path: &Path| search.globs.iter().all(|glob| glob.matches(path, root));
    let kind = metadata::parse(&files.script_for(super::script::METADATA, root)?.output(MAX_PATH).run()?)?.kind;
    if kind != FileKind::Folder {
        if kind != FileKind::Regular {
            return Err(not_regular());
        }
        let (folder, name) = super::split(root)?;
        let is_found = is_selected(root);
        if is_found && !may_read(root) {
            found.unreadable += 1;
        }
        let names = (is_found && may_read(root)).then(|| PathBuf::from(name));
        return Ok((folder.to_owned(), names.into_iter().collect()));
    }
    let script = files
        .script(FIND)
        .argument(root)
        .argument(if expression.is_some() { "content" } else { "names" })
        .argument(OsStr::from_bytes(expression.unwrap_or_default()));
    let deadline = page.deadline();
    let reply = script.output(MAX_OUTPUT).run_until(&|_| std::time::Instant::now() >= deadline)?;
    if reply.partial {
        page.set_partial();
    }
    let mut names = Vec::new();
    // An incomplete line is not a complete name.
    for line in reply.output.split_inclusive(|byte| *byte == b'\n').filter_map(|line| line.strip_suffix(b"\n")) {
        let name = Path::new(OsStr::from_bytes(line.strip_prefix(b"./").unwrap_or(line)));
        let path = root.join(name);
        if is_kernel_interface(&path) || !is_selected(&path) {
            continue;
        }
        if may_read(&path) {
            names.push(name.to_owned());
        } else {
            found.unreadable += 1;
        }
    }
    names.sort_unstable();
    // A file in UTF-16 can have a match before it is converted, too.
    names.dedup();
    Ok((root.to_owned(), names))
}

/// Searches each file for its lines.
fn lines(
    files: &ShellFiles<'_>,
    folder: &Path,
    names: &[PathBuf],
    content: ContentSearch<'_>,
    expression: &[u8],
    page: &mut Page,
    found: &mut Found,
) -> io::Result<()> {
    let mut input = Vec::new();
    for name in names {
        input.extend(name.as_os_str().as_bytes());
        input.push(b'\n');
        if input.len() > MAX_NAMES {
            page.set_partial();
            break;
        }
    }
    let context_lines = if content.results == Results::Lines { content.context } else { 0 };
    let max = match content.results {
        Results::Files => 1,
        Results::Lines => page.limits().max_results,
        Results::Counts => i32::MAX as usize,
    };
    let script = files
        .script(LINES)
        .argument(folder)
        .argument(OsStr::from_bytes(expression))
        .argument(context_lines.to_string())
        .argument(max.to_string())
        .input(input);
    let deadline = page.deadline();
    let reply = script.output(MAX_OUTPUT).run_until(&|_| std::time::Instant::now() >= deadline)?;
    if reply.partial {
        page.set_partial();
    }
    let mut names = names.iter();
    let mut file: Option<FileLines> = None;
    for line in reply.output.split_inclusive(|byte| *byte == b'\n').filter_map(|line| line.strip_suffix(b"\n")) {
        if line == NEXT_FILE {
            finish(file.take(), content.results, page, found);
            if page.must_end() {
                return Ok(());
            }
            file = names.next().map(|name| FileLines::new(folder.join(name), page, context_lines));
        } else if let Some(file) = &mut file {
            file.add(line, content);
        }
    }
    finish(file, content.results, page, found);
    Ok(())
}

/// Adds the results of a file.
fn finish(file: Option<FileLines>, results: Results, page: &mut Page, found: &mut Found) {
    let Some(FileLines { file, page: page_with_file, is_binary, is_unreadable, .. }) = file else { return };
    if is_unreadable {
        found.unreadable += 1;
    }
    if is_binary || is_unreadable || file.count == 0 {
        return;
    }
    match results {
        Results::Lines => {
            *page = page_with_file;
            if !file.lines.is_empty() {
                found.files.push(file);
            }
        }
        Results::Files => page.add(FoundFile { count: 0, ..file }, &mut found.files),
        Results::Counts => page.add(file, &mut found.files),
    }
}

/// The lines of one file.
struct FileLines {
    file: FoundFile,
    /// The page with the results of the file.
    page: Page,
    context: usize,
    /// The last lines, which become context if the next match is kept.
    before: VecDeque<FoundLine>,
    /// The number of further lines that are context of the last kept match.
    after: usize,
    is_binary: bool,
    is_unreadable: bool,
}

impl FileLines {
    fn new(path: PathBuf, page: &Page, context: usize) -> Self {
        let file = FoundFile { path, ..FoundFile::default() };
        Self { file, page: *page, context, before: VecDeque::new(), after: 0, is_binary: false, is_unreadable: false }
    }

    /// Adds a line of `grep`: `12:text`, `13-text`, or a message.
    fn add(&mut self, line: &[u8], content: ContentSearch<'_>) {
        let digits = line.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let number = std::str::from_utf8(&line[..digits]).ok().and_then(|digits| digits.parse().ok());
        let (Some(number), Some(mark @ (b':' | b'-'))) = (number, line.get(digits)) else {
            match line {
                b"--" => {}
                b"E" => self.is_unreadable = true,
                // The message "Binary file ... matches".
                _ => self.is_binary = true,
            }
            return;
        };
        let text = &line[digits + 1..];
        if text.contains(&0) {
            self.is_binary = true;
        }
        let is_match = *mark == b':';
        if is_match {
            self.file.count += 1;
        }
        if content.results == Results::Lines && !self.page.must_end() {
            let pattern = is_match.then_some(content.pattern);
            self.add_line(FoundLine::new(number, pattern, text, self.page.limits().max_line_chars));
        }
    }

    fn add_line(&mut self, line: FoundLine) {
        if !line.is_match {
            if self.after > 0 {
                self.after -= 1;
                self.file.lines.push(line);
            } else if self.page.has_next() {
                if self.before.len() == self.context {
                    self.before.pop_front();
                }
                self.before.push_back(line);
            }
            return;
        }
        let mut chars = 0;
        if self.page.has_next() {
            let from = self.file.lines.len();
            self.file.lines.extend(self.before.drain(..));
            self.file.lines.push(line);
            chars = self.file.lines[from..].iter().map(FoundLine::size).sum();
            self.after = self.context;
        } else {
            self.after = 0;
        }
        self.before.clear();
        self.page.count(chars);
    }
}
