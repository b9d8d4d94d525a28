//! Records what a task has read and written. The tools use the record to refuse to overwrite a file that the task does not know, and to
//! stop loops of identical reads. The host can query it.

use std::collections::{BTreeMap, VecDeque};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use toolc_environment::files::{Line, Version};

use crate::content::Beginning;

/// The maximum number of files per task. The least recently used file is removed first.
const MAX_FILES: usize = 1_000;
/// The maximum number of ranges of lines per file, and of lines that were cut. Lines beyond it count as unread.
const MAX_RANGES: usize = 256;
/// The maximum number of bytes of a file whose content is compared if its time has changed.
const MAX_COMPARED: usize = 16 << 20;

/// The latest 1,000 files that a task has read or written with the tools of this crate. The log is part of the task's state
/// ([`Call::state`](toolc::Call::state)), which is kept in memory only.
///
/// Searches, commands and other programs are not recorded.
///
/// ```
/// use toolc::{Call, Task, ToolCall};
/// use toolc_files::{AccessLog, FileAccess};
///
/// /// Returns the files that the task of a call has written, for example in a hook of the host.
/// fn written(call: &Call<'_>) -> Vec<FileAccess> {
///     call.state::<AccessLog>().files().into_iter().filter(|file| file.writes > 0).collect()
/// }
///
/// let task = Task::new("errand");
/// let call = Call::new(ToolCall::new("read_file", "{}").with_task(&task));
/// assert!(written(&call).is_empty());
/// ```
#[derive(Debug, Default)]
pub struct AccessLog(Mutex<Entries>);

/// A file that a task has read or written.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct FileAccess {
    /// The absolute path, without symbolic links.
    pub path: PathBuf,
    /// How often the task has read the file, or a part of it.
    pub reads: u64,
    /// How often the task has written, deleted or moved the file.
    pub writes: u64,
    /// The time of the last read.
    pub last_read: Option<SystemTime>,
    /// The time of the last write.
    pub last_write: Option<SystemTime>,
    /// Whether the task knows the whole content of the version that it last read or wrote: it has read every line, or has written
    /// all of it.
    pub is_whole: bool,
}

/// What a task knows about the current content of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Knowledge {
    /// The task has neither read nor written the file.
    Nothing,
    /// Another program has changed the file since the task last read or wrote it.
    Outdated,
    /// The task has read only a part of the file. `missing` is the first line that it has not read.
    Part { missing: u64 },
    /// The task has read only the beginning of this line, because `read_file` cuts long lines. `column` is the first character that it has
    /// not read.
    CutLine { line: u64, column: u64 },
    /// The task knows the whole content.
    Whole,
}

/// The lines of one version of a file that a task has seen.
#[derive(Debug, Clone, Default)]
pub(super) struct SeenLines {
    /// Ranges of line numbers, ascending, with gaps between them.
    ranges: Vec<Range<u64>>,
    /// The number of lines of the file, or `None` if it is unknown.
    total: Option<u64>,
    /// The number of characters that were read of each line that was cut.
    cut: BTreeMap<u64, u64>,
    /// The part of a line that was read from a character in its middle.
    part: Option<LinePart>,
}

/// A part of a long line.
#[derive(Debug, Clone, Copy)]
pub(super) struct LinePart {
    pub(super) line: u64,
    /// The number of characters before the part.
    pub(super) before: u64,
    /// The number of characters up to the end of the part.
    pub(super) end: u64,
    /// Whether the line ends there.
    pub(super) is_last: bool,
}

/// The key by which a repeated read is recognised.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ReadKey {
    pub(super) path: PathBuf,
    pub(super) offset: i64,
    pub(super) limit: i64,
    pub(super) column: i64,
    pub(super) version: Version,
}

#[derive(Debug, Default)]
struct Entries {
    /// The files, in the order of their last use.
    files: VecDeque<Entry>,
    /// The last read, and how often it was repeated in a row.
    last_read: Option<(ReadKey, u32)>,
}

#[derive(Debug)]
struct Entry {
    path: PathBuf,
    /// The version that the task last read or wrote, or `None` if it has deleted the file.
    version: Option<Version>,
    /// The beginning of the content that the task last read or wrote.
    beginning: Beginning,
    seen: SeenLines,
    reads: u64,
    writes: u64,
    last_read: Option<SystemTime>,
    last_write: Option<SystemTime>,
}

impl AccessLog {
    /// Returns the files in the order of their last use.
    pub fn files(&self) -> Vec<FileAccess> {
        self.entries().files.iter().map(Entry::access).collect()
    }

    /// Returns the record of the file at `path`, an absolute path without symbolic links, or `None` if the task has not used it.
    pub fn file(&self, path: &Path) -> Option<FileAccess> {
        self.entries().files.iter().find(|entry| entry.path == path).map(Entry::access)
    }

    /// Allows the task to repeat its last read. A host calls this when it has removed results from the conversation, for example to
    /// compact it: the content of the file may have been removed, so an identical read is not a loop.
    pub fn forget_repeated_reads(&self) {
        self.entries().last_read = None;
    }

    /// Records that the task has read lines of a file: those in `seen`, which are `lines` from the number `first`.
    pub(super) fn note_read(&self, path: &Path, version: Version, seen: SeenLines, (first, lines): (u64, &[Line])) {
        let mut entries = self.entries();
        let entry = entries.entry(path);
        if entry.version != Some(version) {
            entry.seen = SeenLines::default();
            entry.beginning = Beginning::default();
        }
        entry.version = Some(version);
        entry.beginning.add(first, lines);
        entry.seen.merge(seen);
        entry.reads += 1;
        entry.last_read = Some(SystemTime::now());
    }

    /// Records that the task has written a file, or deleted it if `version` is `None`. `knows_all` says whether the task knows the
    /// whole new content.
    pub(super) fn note_write(&self, path: &Path, version: Option<Version>, knows_all: bool, content: &[u8]) {
        let beginning = Beginning::from_content(content);
        let mut entries = self.entries();
        let entry = entries.entry(path);
        entry.version = version;
        entry.beginning = beginning;
        entry.seen = if knows_all { SeenLines::whole() } else { SeenLines::default() };
        entry.writes += 1;
        entry.last_write = Some(SystemTime::now());
    }

    /// Replaces the version of a file whose content is unchanged.
    pub(super) fn note_restored(&self, path: &Path, old: Version, new: Version) {
        let mut entries = self.entries();
        if let Some(entry) = entries.files.iter_mut().find(|entry| entry.path == path && entry.version == Some(old)) {
            entry.version = Some(new);
        }
    }

    /// Recognises a file whose version, but not its content, has changed since the task last used it, for example by `touch`. `read` returns
    /// the first bytes of the file, and is called only if the content may be the same.
    pub(super) fn recognise(&self, path: &Path, current: Version, read: impl FnOnce(usize) -> Option<Vec<u8>>) {
        let known = {
            let entries = self.entries();
            let Some(entry) = entries.files.iter().find(|entry| entry.path == path) else { return };
            let has_changed = entry.version != Some(current);
            let has_same_length = entry.version.is_some_and(|last| last.len == current.len);
            if !has_changed || !has_same_length || !entry.seen.is_within(entry.beginning.lines()) {
                return;
            }
            entry.beginning.clone()
        };
        let Some(bytes) = usize::try_from(known.bytes()).ok().filter(|bytes| (1..=MAX_COMPARED).contains(bytes)) else {
            return;
        };
        if read(bytes).is_some_and(|content| known.is_of(&content)) {
            let mut entries = self.entries();
            if let Some(entry) = entries.files.iter_mut().find(|entry| entry.path == path) {
                entry.version = Some(current);
            }
        }
    }

    /// Returns what the task knows about the content of a file, whose version is `current`.
    pub(super) fn knowledge(&self, path: &Path, current: Version) -> Knowledge {
        let entries = self.entries();
        match entries.files.iter().find(|entry| entry.path == path) {
            None => Knowledge::Nothing,
            Some(entry) if entry.version != Some(current) => Knowledge::Outdated,
            Some(entry) => entry.seen.knowledge(),
        }
    }

    /// Returns a warning if the file has changed since the task last used it. `current` is the file's version, or `None` if the file does
    /// not exist.
    pub(super) fn warning(&self, path: &Path, current: Option<Version>) -> Option<&'static str> {
        let entries = self.entries();
        let entry = entries.files.iter().find(|entry| entry.path == path)?;
        match (entry.version, current) {
            (last, current) if last == current => None,
            (None, Some(_)) => Some("another program created this file since this task deleted it: read it again"),
            (_, Some(_)) => Some("another program changed this file since this task last read it: read it again"),
            (_, None) => {
                Some("another program deleted this file since this task last read it: this call has created a new file")
            }
        }
    }

    /// Counts a read, and returns how often it has occurred in a row.
    pub(super) fn count_read(&self, key: ReadKey) -> u32 {
        let mut entries = self.entries();
        let count = match &entries.last_read {
            Some((last, count)) if *last == key => count.saturating_add(1),
            _ => 1,
        };
        entries.last_read = Some((key, count));
        count
    }

    fn entries(&self) -> MutexGuard<'_, Entries> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Entries {
    /// Returns the entry of a file, and makes it the most recently used one.
    fn entry(&mut self, path: &Path) -> &mut Entry {
        let index = self.files.iter().position(|entry| entry.path == path);
        let existing = index.and_then(|index| self.files.remove(index));
        let entry = existing.unwrap_or_else(|| Entry {
            path: path.to_owned(),
            version: None,
            beginning: Beginning::default(),
            seen: SeenLines::default(),
            reads: 0,
            writes: 0,
            last_read: None,
            last_write: None,
        });
        if self.files.len() >= MAX_FILES {
            self.files.pop_front();
        }
        self.files.push_back(entry);
        let last = self.files.len() - 1;
        &mut self.files[last]
    }
}

impl Entry {
    fn access(&self) -> FileAccess {
        FileAccess {
            path: self.path.clone(),
            reads: self.reads,
            writes: self.writes,
            last_read: self.last_read,
            last_write: self.last_write,
            is_whole: self.version.is_some() && self.seen.knowledge() == Knowledge::Whole,
        }
    }
}

impl SeenLines {
    /// Returns the set of all lines of a file.
    fn whole() -> Self {
        Self { total: Some(0), ..Self::default() }
    }

    /// Adds a line that was read completely, or whose first characters were read.
    pub(super) fn add(&mut self, line: u64, cut_after: Option<u64>) {
        match cut_after {
            Some(chars) => self.add_cut(line, chars),
            None => self.add_range(line..line + 1),
        }
    }

    /// Adds a part of a line from its middle.
    pub(super) fn set_part(&mut self, part: LinePart) {
        self.part = Some(part);
    }

    fn add_cut(&mut self, line: u64, chars: u64) {
        if self.cut.len() < MAX_RANGES || self.cut.contains_key(&line) {
            let known = self.cut.entry(line).or_default();
            *known = (*known).max(chars);
        }
    }

    /// Returns whether only lines up to this number have been read.
    fn is_within(&self, lines: u64) -> bool {
        self.ranges.last().is_none_or(|last| last.end <= lines + 1) && self.cut.keys().all(|line| *line <= lines)
    }

    /// Sets the number of lines of the file.
    pub(super) fn set_total(&mut self, total: u64) {
        self.total = Some(total);
    }

    fn merge(&mut self, other: Self) {
        if self.knowledge() == Knowledge::Whole {
            return;
        }
        other.ranges.into_iter().for_each(|range| self.add_range(range));
        self.total = other.total.or(self.total);
        other.cut.into_iter().for_each(|(line, chars)| self.add_cut(line, chars));
        if let Some(part) = other.part
            && self.cut.get(&part.line).is_some_and(|known| *known >= part.before)
        {
            if part.is_last {
                self.add_range(part.line..part.line + 1);
            } else {
                self.add_cut(part.line, part.end);
            }
        }
    }

    fn add_range(&mut self, new: Range<u64>) {
        // The ranges that overlap or touch the new one are merged with it.
        let start = self.ranges.partition_point(|range| range.end < new.start);
        let end = self.ranges.partition_point(|range| range.start <= new.end);
        let merged = match self.ranges.get(start..end) {
            Some([first, .., last]) => first.start.min(new.start)..last.end.max(new.end),
            Some([only]) => only.start.min(new.start)..only.end.max(new.end),
            _ if self.ranges.len() >= MAX_RANGES => return,
            _ => new,
        };
        self.ranges.splice(start..end, [merged]);
    }

    fn knowledge(&self) -> Knowledge {
        let missing = self.ranges.first().filter(|first| first.start == 1).map_or(1, |first| first.end);
        match (self.total, self.cut.get(&missing)) {
            (Some(total), _) if missing > total => Knowledge::Whole,
            (_, Some(chars)) => Knowledge::CutLine { line: missing, column: chars + 1 },
            _ => Knowledge::Part { missing },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(lines: impl IntoIterator<Item = u64>, total: Option<u64>) -> SeenLines {
        let mut seen = SeenLines { total, ..SeenLines::default() };
        lines.into_iter().for_each(|line| seen.add(line, None));
        seen
    }

    fn version(len: u64) -> Version {
        Version { len, modified: Some(0) }
    }

    #[test]
    fn seen_lines_are_merged_in_any_order() {
        assert_eq!(seen([1, 2, 3], Some(3)).knowledge(), Knowledge::Whole);
        assert_eq!(seen([5, 1, 4, 2, 2], Some(5)).knowledge(), Knowledge::Part { missing: 3 });
        assert_eq!(seen([3, 5, 1, 4, 2], Some(5)).knowledge(), Knowledge::Whole);
        assert_eq!(seen([2], Some(2)).knowledge(), Knowledge::Part { missing: 1 });
        assert_eq!(seen([1, 2], None).knowledge(), Knowledge::Part { missing: 3 }, "the end is not known");
        let mut pages = seen(1..=10, None);
        pages.merge(seen(11..=20, Some(20)));
        assert_eq!((pages.knowledge(), pages.ranges.len()), (Knowledge::Whole, 1));
    }

    #[test]
    fn a_cut_line_is_not_read() {
        let mut lines = seen([1, 3], Some(3));
        lines.add(2, Some(2_000));
        assert_eq!(lines.knowledge(), Knowledge::CutLine { line: 2, column: 2_001 });
    }

    #[test]
    fn a_long_line_is_known_once_all_of_its_parts_were_read() {
        let part = |before, end, is_last| {
            let mut seen = seen([], Some(1));
            seen.set_part(LinePart { line: 1, before, end, is_last });
            seen
        };
        let mut lines = seen([], Some(1));
        lines.add(1, Some(2_000));
        lines.merge(part(50_000, 60_000, true));
        assert_eq!(lines.knowledge(), Knowledge::CutLine { line: 1, column: 2_001 }, "not from the middle");
        lines.merge(part(2_000, 50_000, false));
        assert_eq!(lines.knowledge(), Knowledge::CutLine { line: 1, column: 50_001 });
        lines.merge(part(50_000, 60_000, true));
        assert_eq!(lines.knowledge(), Knowledge::Whole);
    }

    #[test]
    fn the_number_of_ranges_is_limited() {
        let lines = seen((1..10_000).map(|line| 2 * line), Some(20_000));
        assert_eq!((lines.ranges.len(), lines.knowledge()), (256, Knowledge::Part { missing: 1 }));
    }

    #[test]
    fn the_files_used_last_are_kept() {
        let (log, version) = (AccessLog::default(), version(1));
        let path = |i: usize| PathBuf::from(format!("/f/{i}"));
        for i in 0..MAX_FILES {
            log.note_read(&path(i), version, seen([1], Some(1)), (1, &[]));
        }
        log.note_write(&path(0), Some(version), true, b"");
        log.note_write(&path(MAX_FILES), Some(version), true, b"");
        assert_eq!(log.files().len(), MAX_FILES);
        assert_eq!(log.file(&path(1)), None, "used longest ago");
        let first = log.file(&path(0)).unwrap();
        assert_eq!((first.reads, first.writes, first.is_whole), (1, 1, true));
        assert_eq!(log.files().last().unwrap().path, path(MAX_FILES));
    }

    #[test]
    fn another_version_is_not_known() {
        let (log, path) = (AccessLog::default(), Path::new("/f"));
        let (one, two) = (version(1), version(2));
        assert_eq!(log.knowledge(path, one), Knowledge::Nothing);
        log.note_read(path, one, seen([1], Some(2)), (1, &[]));
        assert_eq!(log.knowledge(path, one), Knowledge::Part { missing: 2 });
        assert_eq!(log.knowledge(path, two), Knowledge::Outdated);
        log.note_read(path, two, seen([2], Some(2)), (1, &[]));
        assert_eq!(log.knowledge(path, two), Knowledge::Part { missing: 1 }, "lines of the old version do not count");
        log.note_write(path, None, false, b"");
        assert!(!log.file(path).unwrap().is_whole);
        assert!(log.warning(path, Some(one)).unwrap().contains("created this file"));
    }
}
