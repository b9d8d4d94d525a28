//! Unpacks an untrusted archive.

use std::ffi::{OsStr, OsString};
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _, symlink};
use std::path::PathBuf;

use super::tar::{self, BLOCK, Entry, Header, Kind, Overrides, TextKind};
use super::tree::{Node, Tree, relative_path};
use super::{Copied, Limits};

/// The maximum number of bytes after the end of an archive. `tar` fills the last part of the archive with zeros.
const MAX_TRAILER: usize = 1 << 20;

/// Unpacks an archive as it is received: one file or folder, to a path in a folder that no other program uses.
///
/// Nothing is written through a link: links are made at the end, and an entry whose parent is not a folder of the archive is refused.
#[derive(Debug)]
pub(super) struct Unpacker {
    /// Where the file or folder is unpacked.
    target: PathBuf,
    /// Its name in the archive.
    name: OsString,
    limits: Limits,
    /// The entries that have been unpacked, by their paths relative to `target`. Links are made at the end.
    tree: Tree,
    copied: Copied,
    headers: usize,
    overrides: Overrides,
    state: UnpackState,
}

#[derive(Debug)]
enum UnpackState {
    /// Reads a header.
    Header(Vec<u8>),
    /// Reads a text that belongs to the next entry.
    Text { kind: TextKind, text: Vec<u8>, remaining: usize, padding: usize },
    /// Reads the content of an entry. Without a file, the content is skipped.
    Content { file: Option<File>, remaining: u64, padding: usize },
    /// Skips the padding after a content or a text.
    Padding(usize),
    /// The archive has ended. At most this many bytes may follow.
    End(usize),
}

impl UnpackState {
    fn begin() -> Self {
        Self::Header(Vec::new())
    }
}

fn refused(name: &OsStr, reason: &str) -> io::Error {
    let name = name.display().to_string().escape_debug().to_string();
    io::Error::new(io::ErrorKind::InvalidData, format!("the archive is refused: `{name}` {reason}"))
}

impl Unpacker {
    /// Returns an unpacker for the entry with this name. It is unpacked to `target`, which must not exist.
    pub(super) fn new(target: PathBuf, name: OsString, limits: Limits) -> Self {
        let (tree, copied, overrides) = Default::default();
        Self { target, name, limits, tree, copied, headers: 0, overrides, state: UnpackState::begin() }
    }

    /// Unpacks the next bytes of the archive.
    ///
    /// # Errors
    /// If the archive is damaged or refused, or a file cannot be written.
    pub(super) fn push(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        while !bytes.is_empty() {
            let state = std::mem::replace(&mut self.state, UnpackState::End(0));
            self.state = match state {
                UnpackState::End(remaining) => {
                    let text = "the archive is damaged: too many bytes follow its end";
                    let count = std::mem::take(&mut bytes).len();
                    let remaining = remaining.checked_sub(count);
                    UnpackState::End(remaining.ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, text))?)
                }
                UnpackState::Header(mut block) => {
                    block.extend(take(&mut bytes, BLOCK - block.len()));
                    match <&[u8; BLOCK]>::try_from(&block[..]) {
                        Ok(block) => self.header(block)?,
                        Err(_) => UnpackState::Header(block),
                    }
                }
                UnpackState::Text { kind, mut text, remaining, padding } => {
                    let part = take(&mut bytes, remaining);
                    text.extend(part);
                    match remaining - part.len() {
                        0 => {
                            self.overrides.add(kind, &text)?;
                            UnpackState::Padding(padding)
                        }
                        remaining => UnpackState::Text { kind, text, remaining, padding },
                    }
                }
                UnpackState::Content { mut file, remaining, padding } => {
                    let part = take(&mut bytes, usize::try_from(remaining).unwrap_or(usize::MAX));
                    if let Some(file) = &mut file {
                        file.write_all(part)?;
                    }
                    match remaining - part.len() as u64 {
                        0 => UnpackState::Padding(padding),
                        remaining => UnpackState::Content { file, remaining, padding },
                    }
                }
                UnpackState::Padding(remaining) => UnpackState::Padding(remaining - take(&mut bytes, remaining).len()),
            };
            if let UnpackState::Padding(0) = self.state {
                self.state = UnpackState::begin();
            }
        }
        Ok(())
    }

    /// Ends the archive: makes its links, and returns what was copied.
    ///
    /// # Errors
    /// If the archive is not complete.
    pub(super) fn finish(mut self) -> io::Result<Copied> {
        let is_complete = match &self.state {
            UnpackState::Header(block) => block.is_empty(),
            UnpackState::End(_) => true,
            _ => false,
        };
        if !is_complete || self.tree.0.is_empty() {
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the archive ends too early"));
        }
        for (path, node) in &self.tree.0 {
            let Node::Link(to) = node else { continue };
            if self.tree.stays_inside(path, to) {
                symlink(to, self.target.join(path))?;
            } else {
                self.copied.skipped.push(path.clone());
            }
        }
        Ok(self.copied)
    }

    fn header(&mut self, block: &[u8; BLOCK]) -> io::Result<UnpackState> {
        self.headers += 1;
        // Each entry can have up to two texts, which have headers of their own.
        if self.headers > self.limits.max_entries.saturating_mul(3) {
            return Err(self.limits.too_many());
        }
        Ok(match tar::header(block)? {
            Header::Zeros => UnpackState::End(MAX_TRAILER),
            Header::Text(kind, length) => UnpackState::Text {
                kind,
                text: Vec::new(),
                remaining: length,
                padding: tar::padding(length as u64).len(),
            },
            Header::Entry(mut entry) => {
                std::mem::take(&mut self.overrides).apply(&mut entry);
                let file = self.entry(&entry)?;
                match entry.size {
                    0 => UnpackState::begin(),
                    size => UnpackState::Content { file, remaining: size, padding: tar::padding(size).len() },
                }
            }
        })
    }

    /// Begins an entry. Returns the file for its content.
    fn entry(&mut self, entry: &Entry) -> io::Result<Option<File>> {
        let Entry { name, kind, mode, size } = entry;
        let path = self.below(name)?;
        if path.components().count() > self.limits.max_depth {
            return Err(refused(name, &format!("is more than {} folders deep", self.limits.max_depth)));
        }
        if self.tree.0.len() + self.copied.skipped.len() >= self.limits.max_entries {
            return Err(self.limits.too_many());
        }
        self.copied.bytes = self.copied.bytes.saturating_add(*size);
        if self.copied.bytes > self.limits.max_bytes {
            return Err(self.limits.too_large());
        }
        let is_root = path.as_os_str().is_empty();
        let parent = path.parent().filter(|_| !is_root);
        if parent.is_some_and(|parent| self.tree.0.get(parent) != Some(&Node::Folder)) {
            return Err(refused(name, "is not in a folder of the archive"));
        }
        if let Some(existing) = self.tree.0.get(&path) {
            let is_same_folder = (existing, kind) == (&Node::Folder, &Kind::Folder);
            return if is_same_folder { Ok(None) } else { Err(refused(name, "occurs twice")) };
        }
        // `join` with an empty path would add a slash at the end.
        let full_path = if is_root { self.target.clone() } else { self.target.join(&path) };
        let (node, file) = match kind {
            Kind::Folder => {
                DirBuilder::new().mode(0o700 | mode).create(&full_path)?;
                (Node::Folder, None)
            }
            Kind::File => {
                self.copied.files += 1;
                let new = OpenOptions::new().write(true).create_new(true).mode(0o600 | mode).open(&full_path)?;
                (Node::File, Some(new))
            }
            Kind::HardLink(to) => {
                let to = self.below(to)?;
                if self.tree.0.get(&to) != Some(&Node::File) {
                    return Err(refused(name, "is another name of a file that is not in the archive"));
                }
                self.copied.files += 1;
                fs::hard_link(self.target.join(to), &full_path)?;
                (Node::File, None)
            }
            Kind::Link(to) if !is_root && !to.is_empty() => (Node::Link(to.into()), None),
            Kind::Link(_) | Kind::Other => {
                self.copied.skipped.push(path);
                return Ok(None);
            }
        };
        self.tree.0.insert(path, node);
        Ok(file)
    }

    /// Returns the path of an entry relative to the file or folder that is unpacked.
    fn below(&self, name: &OsStr) -> io::Result<PathBuf> {
        let path = relative_path(name).ok_or_else(|| refused(name, "is absolute or has `..`"))?;
        let below = path.strip_prefix(&self.name).map_err(|_| refused(name, "was not requested"))?;
        Ok(below.to_owned())
    }
}

/// Removes and returns at most `max` bytes from the beginning of `bytes`.
fn take<'b>(bytes: &mut &'b [u8], max: usize) -> &'b [u8] {
    let (taken, rest) = bytes.split_at(max.min(bytes.len()));
    *bytes = rest;
    taken
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use tempfile::TempDir;

    use super::super::tar::write_header;
    use super::*;

    const LIMITS: Limits = Limits { max_entries: 6, max_bytes: 1_000_000, max_depth: 3 };

    fn entry(name: &str, kind: Kind, content: &[u8]) -> Vec<u8> {
        let entry = Entry { name: name.into(), kind, mode: 0o6755 & 0o777, size: content.len() as u64 };
        [write_header(&entry), content.to_vec(), tar::padding(content.len() as u64).to_vec()].concat()
    }

    fn folder(name: &str) -> Vec<u8> {
        entry(name, Kind::Folder, b"")
    }

    fn link(name: &str, to: &str) -> Vec<u8> {
        entry(name, Kind::Link(to.into()), b"")
    }

    /// Unpacks `it`, and checks that nothing else has changed. The bytes arrive in parts of this length.
    fn unpack_in_parts(length: usize, entries: &[Vec<u8>]) -> (TempDir, io::Result<Copied>) {
        let outer = TempDir::new().unwrap();
        let root = outer.path().join("root");
        fs::create_dir(&root).unwrap();
        fs::write(outer.path().join("secret"), "old").unwrap();
        let mut unpacker = Unpacker::new(root.join("new"), "it".into(), LIMITS);
        let pushed = entries.concat().chunks(length).try_for_each(|part| unpacker.push(part));
        let copied = pushed.and_then(|()| unpacker.finish());
        assert_eq!(fs::read(outer.path().join("secret")).unwrap(), b"old");
        assert_eq!(fs::read_dir(outer.path()).unwrap().count(), 2);
        assert!(fs::read_dir(&root).unwrap().all(|entry| entry.unwrap().file_name() == "new"));
        (outer, copied)
    }

    #[track_caller]
    fn refusal(entries: &[Vec<u8>]) -> String {
        unpack_in_parts(512, entries).1.expect_err("it is refused").to_string()
    }

    #[test]
    fn files_folders_and_links_are_unpacked() {
        let entries = [
            folder("./it/"),
            folder("./it/d"),
            entry("./it/d/f", Kind::File, b"content"),
            link("./it/d/l", "../d/f"),
            entry("./it/h", Kind::HardLink("./it/d/f".into()), b""),
            vec![0; 1024],
        ];
        for length in [1, 7, 512, 100_000] {
            let (outer, copied) = unpack_in_parts(length, &entries);
            let new = outer.path().join("root/new");
            assert_eq!(copied.unwrap(), Copied { files: 2, bytes: 7, skipped: Vec::new() });
            for name in ["d/f", "d/l", "h"] {
                assert_eq!(fs::read(new.join(name)).unwrap(), b"content", "{name}");
            }
            assert!(new.join("d/l").is_symlink());
            assert_eq!(fs::metadata(new.join("d/f")).unwrap().permissions().mode() & 0o7700, 0o700);
        }
        let (outer, copied) = unpack_in_parts(512, &[entry("it", Kind::File, b"x")]);
        assert_eq!((copied.unwrap().files, fs::read(outer.path().join("root/new")).unwrap()), (1, b"x".to_vec()));
    }

    #[test]
    fn names_that_lead_out_are_refused() {
        for name in ["/secret", "../secret", "it/../../secret", "it/d/../../../secret", "secret", "./../it"] {
            let text = refusal(&[folder("it"), entry(name, Kind::File, b"new")]);
            assert!(text.contains("is absolute or has `..`") || text.contains("was not requested"), "{name}: {text}");
        }
        for to in ["/etc/passwd", "../../secret", "it/none", "it"] {
            let text = refusal(&[folder("it"), entry("it/h", Kind::HardLink(to.into()), b"")]);
            assert!(text.contains("refused"), "{to}: {text}");
        }
    }

    #[test]
    fn nothing_is_written_through_links_and_those_that_lead_out_are_skipped() {
        for to in ["../..", "/tmp", "."] {
            let text = refusal(&[folder("it"), link("it/l", to), entry("it/l/secret", Kind::File, b"new")]);
            assert!(text.contains("is not in a folder of the archive"), "{to}: {text}");
            let text = refusal(&[folder("it"), link("it/l", to), folder("it/l")]);
            assert!(text.contains("twice"), "{text}");
        }
        let entries = [folder("it"), folder("it/d"), link("it/d/up", ".."), link("it/a", "d/up/../secret")];
        let (outer, copied) = unpack_in_parts(512, &entries);
        assert_eq!(copied.unwrap().skipped, [PathBuf::from("a")]);
        assert!(outer.path().join("root/new/d/up").is_symlink() && !outer.path().join("root/new/a").is_symlink());
        let (_, copied) = unpack_in_parts(512, &[link("it", "../secret")]);
        assert_eq!(copied.unwrap_err().kind(), io::ErrorKind::UnexpectedEof);
    }

    #[test]
    fn devices_are_skipped() {
        let mut device = entry("it/dev", Kind::File, b"");
        for flag in [b'3', b'4', b'6', b'?'] {
            device[156] = flag;
            device[148..156].copy_from_slice(b"        ");
            let sum: u64 = device[..512].iter().map(|byte| u64::from(*byte)).sum();
            device[148..154].copy_from_slice(format!("{sum:06o}").as_bytes());
            let (outer, copied) = unpack_in_parts(512, &[folder("it"), device.clone()]);
            assert_eq!(copied.unwrap().skipped, [PathBuf::from("dev")]);
            assert!(!outer.path().join("root/new/dev").exists());
        }
    }

    #[test]
    fn archives_are_limited_in_entries_size_and_depth() {
        let many: Vec<_> = (0..9).map(|number| entry(&format!("it/{number}"), Kind::File, b"")).collect();
        assert!(refusal(&[vec![folder("it")], many].concat()).contains("limit of 6 files"));
        assert!(refusal(&[]).contains("ends too early"));
        let big = Entry { name: "it".into(), kind: Kind::File, mode: 0o644, size: 1 << 40 };
        assert!(refusal(&[write_header(&big)]).contains("bytes is exceeded"), "before its content arrives");
        let deep = [folder("it"), folder("it/a"), folder("it/a/b"), folder("it/a/b/c"), folder("it/a/b/c/d")];
        assert!(refusal(&deep).contains("is more than 3 folders deep"));
        let long = "x".repeat(20_000);
        assert!(refusal(&[entry(&long, Kind::File, b"")]).contains("a name is too long"));
    }

    #[test]
    fn archives_that_are_cut_or_damaged_are_refused() {
        let whole = [folder("it"), entry("it/f", Kind::File, b"content")].concat();
        for length in [0, 1, 511, 1000, 1025, 1100, 1535] {
            assert!(refusal(&[whole[..length].to_vec()]).contains("ends too early"), "{length}");
        }
        let mut damaged = whole;
        damaged[600] ^= 1;
        assert!(refusal(&[damaged]).contains("damaged"));
        assert!(refusal(&[b"bash: tar: not found\n".repeat(30)]).contains("damaged"));
    }

    #[test]
    fn changed_archives_write_nothing_elsewhere() {
        let whole = [
            folder("./it/"),
            entry(&format!("./it/{}", "x".repeat(150)), Kind::File, b"content"),
            entry("././@pax", Kind::File, b"13 path=it/f\n"),
            link("./it/l", "../it"),
            entry("./it/h", Kind::HardLink("./it/f".into()), b""),
            vec![0; 1024],
        ]
        .concat();
        let mut random = 0x2545_f491_4f6c_dd1d_u64;
        let mut next = |max: usize| {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            usize::try_from(random % max as u64).unwrap()
        };
        for _ in 0..300 {
            let mut changed = whole.clone();
            for _ in 0..=next(3) {
                let (at, block) = (next(changed.len()), next(whole.len() / BLOCK) * BLOCK);
                changed[at] = b"\0/.xLKg15\x80\xff"[next(11)];
                // With a right sum, the header is read.
                let header: [u8; BLOCK] = changed[block..block + BLOCK].try_into().unwrap();
                changed[block + 148..block + 154].copy_from_slice(format!("{:06o}", tar::checksum(&header)).as_bytes());
            }
            let _ = unpack_in_parts(1 + next(3000), &[changed]);
        }
    }
}
