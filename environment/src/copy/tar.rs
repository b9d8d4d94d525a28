//! Reads and writes tar archives: the parts of ustar, GNU long names and pax that the usual programs write.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};

/// The length of a block. Headers and contents begin at a multiple of it.
pub(super) const BLOCK: usize = 512;
/// The maximum length of a name.
pub(super) const MAX_NAME: usize = 16 * 1024;

/// The kind of an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Kind {
    File,
    Folder,
    /// A symbolic link to this target.
    Link(OsString),
    /// Another name of the file with this name in the archive.
    HardLink(OsString),
    /// A device, a pipe, or an entry of another kind.
    Other,
}

/// The header of an entry. The content follows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) name: OsString,
    pub(super) kind: Kind,
    pub(super) mode: u32,
    /// The length of the content, in bytes.
    pub(super) size: u64,
}

/// A parsed header block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Header {
    Entry(Entry),
    /// The header of a text that belongs to the next entry, with its length.
    Text(TextKind, usize),
    /// A block of zeros, which is a part of the end of the archive.
    Zeros,
}

/// A text that belongs to the next entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TextKind {
    Name,
    Target,
    /// Records of pax.
    Records,
    /// Records for all entries, which are not used.
    Ignored,
}

/// Values for the next entry, which texts before it contain.
#[derive(Debug, Default)]
pub(super) struct Overrides {
    name: Option<OsString>,
    target: Option<OsString>,
    size: Option<u64>,
}

fn invalid(text: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("the archive is damaged: {text}"))
}

impl Overrides {
    /// Adds a text.
    pub(super) fn add(&mut self, kind: TextKind, text: &[u8]) -> io::Result<()> {
        let name = |text: &[u8]| OsString::from_vec(until_nul(text).to_vec());
        match kind {
            TextKind::Name => self.name = Some(name(text)),
            TextKind::Target => self.target = Some(name(text)),
            TextKind::Ignored => {}
            TextKind::Records => {
                let mut rest = text;
                while !rest.is_empty() {
                    let (key, value, after) = record(rest).ok_or_else(|| invalid("a record has no length"))?;
                    match key {
                        b"path" => self.name = Some(name(value)),
                        b"linkpath" => self.target = Some(name(value)),
                        b"size" => self.size = Some(decimal(value).ok_or_else(|| invalid("a size is not a number"))?),
                        _ => {}
                    }
                    rest = after;
                }
            }
        }
        Ok(())
    }

    /// Replaces values of the entry to which the texts belong.
    pub(super) fn apply(self, entry: &mut Entry) {
        entry.name = self.name.unwrap_or_else(|| std::mem::take(&mut entry.name));
        entry.size = self.size.unwrap_or(entry.size);
        if let (Some(new), Kind::Link(target) | Kind::HardLink(target)) = (self.target, &mut entry.kind) {
            *target = new;
        }
    }
}

/// Reads a record of pax, `LENGTH KEY=VALUE` and a line break. Returns the key, the value and the rest of the text.
fn record(text: &[u8]) -> Option<(&[u8], &[u8], &[u8])> {
    let space = memchr::memchr(b' ', text)?;
    let length = usize::try_from(decimal(&text[..space])?).ok()?;
    let record = text.get(space + 1..length)?.strip_suffix(b"\n")?;
    let equals = memchr::memchr(b'=', record)?;
    Some((&record[..equals], &record[equals + 1..], &text[length..]))
}

fn decimal(digits: &[u8]) -> Option<u64> {
    std::str::from_utf8(digits).ok().filter(|text| text.bytes().all(|byte| byte.is_ascii_digit()))?.parse().ok()
}

fn until_nul(text: &[u8]) -> &[u8] {
    &text[..memchr::memchr(0, text).unwrap_or(text.len())]
}

/// Reads a number: octal digits, or, if the first bit is set, a binary number.
fn number(field: &[u8]) -> Option<u64> {
    if let [first, rest @ ..] = field
        && first & 0x80 != 0
    {
        let add = |number: u64, byte: &u8| Some(number.checked_mul(256)? | u64::from(*byte));
        return if *first == 0x80 { rest.iter().try_fold(0, add) } else { None };
    }
    let text = std::str::from_utf8(until_nul(field)).ok()?.trim();
    if text.is_empty() { Some(0) } else { u64::from_str_radix(text, 8).ok() }
}

/// Returns the checksum of a header, for which the field of the checksum counts as spaces.
pub(super) fn checksum(block: &[u8; BLOCK]) -> u64 {
    let spaces = 8 * u64::from(b' ');
    let count = |bytes: &[u8]| bytes.iter().map(|byte| u64::from(*byte)).sum::<u64>();
    count(&block[..148]) + spaces + count(&block[156..])
}

/// Reads a header.
pub(super) fn header(block: &[u8; BLOCK]) -> io::Result<Header> {
    if block.iter().all(|byte| *byte == 0) {
        return Ok(Header::Zeros);
    }
    if number(&block[148..156]) != Some(checksum(block)) {
        return Err(invalid("a header has a wrong checksum"));
    }
    let size = number(&block[124..136]).ok_or_else(|| invalid("a size is not a number"))?;
    let text = |kind| {
        let length = usize::try_from(size).ok().filter(|length| *length <= MAX_NAME);
        length.map(|length| Header::Text(kind, length)).ok_or_else(|| invalid("a name is too long"))
    };
    let target = || OsString::from_vec(until_nul(&block[157..257]).to_vec());
    let kind = match block[156] {
        b'L' => return text(TextKind::Name),
        b'K' => return text(TextKind::Target),
        b'x' | b'X' => return text(TextKind::Records),
        b'g' => return text(TextKind::Ignored),
        0 | b'0' | b'7' => Kind::File,
        b'1' => Kind::HardLink(target()),
        b'2' => Kind::Link(target()),
        b'5' => Kind::Folder,
        _ => Kind::Other,
    };
    let name = until_nul(&block[..100]);
    // The older GNU format uses this field for other data.
    let prefix = if &block[257..263] == b"ustar\0" { until_nul(&block[345..500]) } else { b"" };
    let name = if prefix.is_empty() { name.to_vec() } else { [prefix, b"/", name].concat() };
    // Old programs write a folder as a file whose name ends in a slash.
    let kind = if kind == Kind::File && name.ends_with(b"/") { Kind::Folder } else { kind };
    let mode = number(&block[100..108]).and_then(|mode| u32::try_from(mode & 0o777).ok()).unwrap_or(0);
    // Links and folders have no content, whatever their size field says.
    let size = if matches!(kind, Kind::File | Kind::Other) { size } else { 0 };
    Ok(Header::Entry(Entry { name: OsString::from_vec(name), kind, mode, size }))
}

/// Writes the header of an entry, with long names as GNU writes them.
pub(super) fn write_header(entry: &Entry) -> Vec<u8> {
    let mut archive = Vec::new();
    let mut short = |kind: u8, text: &OsStr| -> Vec<u8> {
        let text = text.as_bytes();
        if text.len() > 100 {
            let content = [text, b"\0"].concat();
            archive.extend(block(b"././@LongLink", kind, 0o644, content.len() as u64, b""));
            archive.extend(&content);
            archive.extend(padding(content.len() as u64));
        }
        text[..text.len().min(100)].to_vec()
    };
    let (flag, target) = match &entry.kind {
        Kind::File | Kind::Other => (b'0', Vec::new()),
        Kind::Folder => (b'5', Vec::new()),
        Kind::Link(target) => (b'2', short(b'K', target)),
        Kind::HardLink(target) => (b'1', short(b'K', target)),
    };
    let name = short(b'L', &entry.name);
    archive.extend(block(&name, flag, entry.mode, entry.size, &target));
    archive
}

/// Returns the zeros that follow a content of this length.
pub(super) fn padding(size: u64) -> &'static [u8] {
    const ZEROS: [u8; BLOCK] = [0; BLOCK];
    let used = usize::try_from(size % BLOCK as u64).unwrap_or(0);
    &ZEROS[..(BLOCK - used) % BLOCK]
}

fn block(name: &[u8], flag: u8, mode: u32, size: u64, target: &[u8]) -> [u8; BLOCK] {
    let mut block = [0; BLOCK];
    block[..name.len()].copy_from_slice(name);
    block[100..107].copy_from_slice(format!("{mode:07o}").as_bytes());
    block[108..115].copy_from_slice(b"0000000");
    block[116..123].copy_from_slice(b"0000000");
    if size < 1 << 33 {
        block[124..135].copy_from_slice(format!("{size:011o}").as_bytes());
    } else {
        block[124] = 0x80;
        block[128..136].copy_from_slice(&size.to_be_bytes());
    }
    block[136..147].copy_from_slice(b"00000000000");
    block[156] = flag;
    block[157..157 + target.len()].copy_from_slice(target);
    block[257..265].copy_from_slice(b"ustar  \0");
    let checksum = checksum(&block);
    block[148..154].copy_from_slice(format!("{checksum:06o}").as_bytes());
    block[155] = b' ';
    block
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_read_as_they_are_written() {
        let long = "x".repeat(300);
        for (name, kind, size) in [
            ("a", Kind::File, 7),
            ("a", Kind::File, 9 << 30),
            ("a/", Kind::Folder, 0),
            ("b", Kind::Link("c/d".into()), 0),
            (&long, Kind::Link(long.clone().into()), 0),
            ("b", Kind::HardLink("a".into()), 0),
        ] {
            let entry = Entry { name: name.into(), kind, mode: 0o750, size };
            let written = write_header(&entry);
            let (mut overrides, mut at) = (Overrides::default(), 0);
            let read = loop {
                let block = written[at..at + BLOCK].try_into().unwrap();
                at += BLOCK;
                match header(block).unwrap() {
                    Header::Entry(mut entry) => {
                        std::mem::take(&mut overrides).apply(&mut entry);
                        break entry;
                    }
                    Header::Text(kind, length) => {
                        overrides.add(kind, &written[at..at + length]).unwrap();
                        at += length + padding(length as u64).len();
                    }
                    Header::Zeros => panic!("it ends"),
                }
            };
            assert_eq!(read, entry);
            assert_eq!(at, written.len());
        }
    }

    #[test]
    fn damaged_headers_and_records_are_refused() {
        let good: [u8; BLOCK] =
            write_header(&Entry { name: "a".into(), kind: Kind::File, mode: 0o644, size: 1 }).try_into().unwrap();
        assert!(header(&good).is_ok());
        for at in [0, 100, 124, 148, 156, 300] {
            let mut damaged = good;
            damaged[at] ^= 0x41;
            assert!(header(&damaged).is_err(), "{at}");
        }
        let mut huge = block(b"x", b'L', 0o644, 1 << 40, b"");
        assert!(header(&huge).is_err());
        huge[124] = 0xff;
        assert!(header(&huge).is_err());
        // A sum that is a binary number.
        let mut binary = good;
        binary[148] = 0x80;
        assert!(header(&binary).is_err());
        for text in ["x", "5 a", "999 path=a\n", "4 a\n", "0 path=a\n", " path=a\n", "11 size=-1\n", "-1 a=b\n"] {
            assert!(Overrides::default().add(TextKind::Records, text.as_bytes()).is_err(), "{text:?}");
        }
        assert!(Overrides::default().add(TextKind::Records, b"10 path=a\n7 x=yz\n").is_ok());
    }
}
