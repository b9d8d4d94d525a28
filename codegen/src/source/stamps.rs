//! Stamps of the manifests of tools: what the system says about a file, and what an unchanged file contains. A file with the same stamp as in
//! the last run is not read unless its text is needed.
//!
//! A stamp has the size, the times of modification and of change, and the inode of a file, so that a change is noticed even if another program
//! sets the time of modification back. As in the index of git, a file has no stamp if it was changed right before it was read, because the
//! next change could have the same times. Where the standard library has no time of change, no file has a stamp.

use std::fmt::Write as _;
use std::fs::Metadata;
use std::time::SystemTime;

use rayon::prelude::*;

/// The stamps that the last run kept, sorted by path.
#[derive(Debug, Default)]
pub(crate) struct Stamps<'t>(Vec<(&'t str, Stamp)>);

/// The stamp of a file.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stamp {
    /// The digest of what the system says about the file.
    pub(super) state: u64,
    /// The digest of the text.
    pub(super) text: u64,
    /// The digest of the text for a build script.
    pub(super) manifest: u64,
    /// Whether the text may have a comment to the linter.
    pub(super) has_comments: bool,
}

impl<'t> Stamps<'t> {
    /// Reads what [`write`] wrote. Lines that are damaged are left out.
    pub(crate) fn new(text: &'t str) -> Self {
        let lines: Vec<&str> = text.lines().collect();
        let mut stamps: Vec<(&str, Stamp)> = lines.par_iter().filter_map(|line| read(line)).collect();
        // They are sorted already, unless the file is damaged.
        stamps.sort_by_key(|(path, _)| *path);
        Self(stamps)
    }

    /// Returns the stamp of a file.
    pub(super) fn find(&self, path: &str) -> Option<Stamp> {
        let index = self.0.binary_search_by_key(&path, |(path, _)| path).ok()?;
        Some(self.0[index].1)
    }
}

fn read(line: &str) -> Option<(&str, Stamp)> {
    let (numbers, path) = line.split_once('\t')?;
    let mut numbers = numbers.split(' ').map(|number| u64::from_str_radix(number, 16).ok());
    let mut next = || numbers.next()?;
    Some((path, Stamp { state: next()?, text: next()?, manifest: next()?, has_comments: next()? == 1 }))
}

/// Adds the line of a stamp.
pub(super) fn write(to: &mut String, path: &str, stamp: Stamp) {
    let Stamp { state, text, manifest, has_comments } = stamp;
    let _ = writeln!(to, "{state:x} {text:x} {manifest:x} {}\t{path}", u8::from(has_comments));
}

/// Returns the digest of what the system says about a file, or `None` if that says too little.
#[cfg(unix)]
pub(super) fn state(metadata: &Metadata) -> Option<u64> {
    use std::hash::{DefaultHasher, Hash as _, Hasher as _};
    use std::os::unix::fs::MetadataExt as _;
    let modified = (metadata.mtime(), metadata.mtime_nsec());
    let changed = (metadata.ctime(), metadata.ctime_nsec());
    let mut hasher = DefaultHasher::new();
    (metadata.len(), modified, changed, metadata.ino(), metadata.dev()).hash(&mut hasher);
    metadata.is_file().then(|| hasher.finish())
}

#[cfg(not(unix))]
pub(super) fn state(_: &Metadata) -> Option<u64> {
    None
}

/// Returns whether a file was last changed so long before `now` that its next change has other times.
#[cfg(unix)]
pub(super) fn is_settled(metadata: &Metadata, now: SystemTime) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    use std::time::{Duration, UNIX_EPOCH};
    let Ok(now) = now.duration_since(UNIX_EPOCH) else { return false };
    let times = [(metadata.mtime(), metadata.mtime_nsec()), (metadata.ctime(), metadata.ctime_nsec())];
    times.into_iter().all(|(seconds, nanoseconds)| {
        let time = u64::try_from(seconds).ok().zip(u32::try_from(nanoseconds).ok());
        let Some((seconds, nanoseconds)) = time else { return false };
        // Some file systems only store whole seconds, or every other one. All others are exact to a hundredth.
        let exactness = Duration::from_millis(if nanoseconds == 0 { 3_000 } else { 100 });
        now.checked_sub(Duration::new(seconds, nanoseconds)).is_some_and(|age| age > exactness)
    })
}

#[cfg(not(unix))]
pub(super) fn is_settled(_: &Metadata, _: SystemTime) -> bool {
    false
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs::{self, File};
    use std::path::Path;
    use std::thread::sleep;
    use std::time::Duration;

    use super::*;
    use crate::source::Sources;

    const TOOL: &str = "manifests/tools/greet.toml";

    fn scan(root: &Path, stamps: &str) -> Sources {
        Sources::scan_with(root, &Stamps::new(stamps)).expect("the project has manifests")
    }

    fn text(sources: &Sources) -> Option<&str> {
        sources.get(sources.find(TOOL).expect("it was found")).text.read()
    }

    #[test]
    fn a_file_with_its_stamp_is_read_only_on_first_use() {
        let folder = tempfile::tempdir().expect("failed to make a folder");
        let (root, path) = (folder.path(), folder.path().join(TOOL));
        fs::create_dir_all(root.join("manifests/tools")).expect("failed to make a folder");
        fs::write(&path, "name = \"greet\" # lint: x").expect("failed to write");
        // Right after it was written, it could be written again at the same time.
        let about = fs::metadata(&path).expect("failed to ask for the time");
        let written = about.modified().expect("the system has times");
        assert!(!is_settled(&about, written) && !is_settled(&about, written + Duration::from_millis(20)));
        sleep(Duration::from_millis(150));
        let read = scan(root, "");
        let stamps = read.stamps().expect("the file has a stamp");
        assert!(text(&read).is_some_and(|text| text.contains("greet")));

        let unread = scan(root, &stamps);
        let source = &unread.all()[0];
        assert_eq!(text(&unread), None);
        assert_eq!((source.digest(), source.has_comments()), (read.all()[0].digest(), true));
        assert!(unread.stamps().is_none() && *source.text == *read.all()[0].text && unread.check_unchanged().is_ok());

        // A change that keeps the size and the time of modification.
        let unread = scan(root, &stamps);
        let modified = fs::metadata(&path).and_then(|about| about.modified()).expect("failed to ask for the time");
        fs::write(&path, "name = \"gruss\" # lint: x").expect("failed to write");
        let file = File::options().append(true).open(&path).expect("failed to open");
        file.set_modified(modified).expect("failed to set the time");
        assert!(text(&scan(root, &stamps)).is_some_and(|text| text.contains("gruss")));
        // It came too late for the earlier scan, which notices that on first use.
        assert!(unread.check_unchanged().is_ok() && unread.all()[0].text.contains("gruss"));
        let failure = unread.check_unchanged().expect_err("the text is another one").to_string();
        assert!(failure.contains(TOOL), "{failure}");
    }

    #[test]
    fn damaged_stamps_are_left_out() {
        let mut text = String::new();
        for path in ["a", "b"] {
            write(&mut text, path, Stamp { state: 1, text: 2, manifest: 3, has_comments: true });
        }
        assert!(Stamps::new(&text).find("b").is_some_and(|stamp| stamp.manifest == 3 && stamp.has_comments));
        for cut in 0..text.len() {
            let stamps = Stamps::new(&text[..cut]);
            assert!(["a", "b"].iter().filter_map(|path| stamps.find(path)).all(|stamp| stamp.state == 1), "{cut}");
        }
        assert!(Stamps::new("1 2\ta\n1 2 x 0\tb").find("a").is_none());
    }
}
