//! One reader of archives, with limits, and one writer.

use std::io::{self, Cursor, Read, Write as _};

use flate2::read::GzDecoder;
use zip::read::ZipFile;
use zip::result::ZipError;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipArchive, ZipWriter};

use super::{Bundle, BundleError, BundleFile, Limits, checked, path};

/// The size up to which the content of an archive is never a bomb.
const SMALL: usize = 1 << 20;
/// The size of a block of a tar file. A file has one for its header, and up to two more if its path is long.
const BLOCK: usize = 512;

/// Unpacks a zip or a tar.gz, which are distinguished by their first bytes. The files are sorted by their paths.
///
/// # Errors
/// If the archive is damaged, is not within the limits, or has a link, a device, an encrypted file, or a path that is not on every system.
pub fn unpack(archive: &[u8], limits: &Limits) -> Result<Vec<BundleFile>, BundleError> {
    let room = limits.bytes.min(SMALL.max(archive.len().saturating_mul(limits.ratio)));
    let unpacked = Unpacked { files: Vec::new(), entries: 0, room, limits };
    let unpacked = if archive.starts_with(b"PK") {
        unpacked.zip(archive)?
    } else if archive.starts_with(&[0x1f, 0x8b]) {
        unpacked.tar_gz(archive)?
    } else {
        return Err(BundleError::Archive("it begins with neither `PK` nor the signature of gzip".to_owned()));
    };
    checked(unpacked.files, limits)
}

/// What is unpacked so far.
struct Unpacked<'l> {
    files: Vec<BundleFile>,
    entries: usize,
    /// The number of bytes that may follow.
    room: usize,
    limits: &'l Limits,
}

impl Unpacked<'_> {
    fn zip(mut self, archive: &[u8]) -> Result<Self, BundleError> {
        let damaged = |error: ZipError| BundleError::Archive(error.to_string());
        let mut zip = ZipArchive::new(Cursor::new(archive)).map_err(damaged)?;
        if zip.len() > 2 * self.limits.files {
            return Err(BundleError::TooManyFiles(self.limits.files));
        }
        // The reader keeps only the last of two files with the same name.
        if zip.has_duplicate_names() || zip.has_overlapping_entries().map_err(damaged)? {
            return Err(BundleError::Archive("two of its files have the same name or the same bytes".to_owned()));
        }
        for index in 0..zip.len() {
            let file = zip.by_index(index).map_err(damaged)?;
            self.zip_file(file)?;
        }
        Ok(self)
    }

    fn zip_file<R: Read + io::Seek>(&mut self, mut file: ZipFile<'_, R>) -> Result<(), BundleError> {
        let name = str::from_utf8(file.name_raw()).map(str::to_owned);
        let name = name.map_err(|_| BundleError::Archive("the name of a file is not UTF-8".to_owned()))?;
        let mode = file.unix_mode().unwrap_or(0);
        // The type of the file, in the mode: nothing, a regular file or a folder.
        let kind = mode & 0o170_000;
        if kind == 0o120_000 {
            return Err(BundleError::Link(name.escape_debug().to_string()));
        }
        if ![0, 0o100_000, 0o040_000].contains(&kind) {
            return Err(BundleError::Special(name.escape_debug().to_string()));
        }
        if let Some(folder) = name.strip_suffix('/') {
            return self.enter(folder);
        }
        if file.encrypted() {
            return Err(BundleError::Encrypted(name.escape_debug().to_string()));
        }
        self.add(&name, &mut file, mode & 0o100 != 0)
    }

    fn tar_gz(mut self, archive: &[u8]) -> Result<Self, BundleError> {
        let damaged = |error: io::Error| BundleError::Archive(error.to_string());
        // Headers and padding are bounded too, so that an archive with only these ends.
        let most = self.room + 2 * self.limits.files * 4 * BLOCK;
        let mut unpacked = GzDecoder::new(archive).take(most as u64);
        let mut tar = tar::Archive::new(&mut unpacked);
        for entry in tar.entries().map_err(damaged)? {
            let mut entry = entry.map_err(damaged)?;
            let name = str::from_utf8(&entry.path_bytes()).map(str::to_owned);
            let name = name.map_err(|_| BundleError::Archive("the name of a file is not UTF-8".to_owned()))?;
            let kind = entry.header().entry_type();
            if kind.is_file() {
                let is_executable = entry.header().mode().is_ok_and(|mode| mode & 0o100 != 0);
                self.add(&name, &mut entry, is_executable)?;
            } else if kind.is_dir() {
                self.enter(name.trim_end_matches('/'))?;
            } else if kind.is_symlink() || kind.is_hard_link() {
                return Err(BundleError::Link(name.escape_debug().to_string()));
            } else if kind.is_pax_global_extensions() {
                // `git archive` writes the commit into one.
                self.count()?;
            } else {
                return Err(BundleError::Special(name.escape_debug().to_string()));
            }
        }
        // The checksum comes after the end of the tar.
        io::copy(&mut unpacked, &mut io::sink()).map_err(damaged)?;
        Ok(self)
    }

    fn count(&mut self) -> Result<(), BundleError> {
        self.entries += 1;
        let is_within = self.entries <= 2 * self.limits.files && self.files.len() <= self.limits.files;
        if is_within { Ok(()) } else { Err(BundleError::TooManyFiles(self.limits.files)) }
    }

    /// Checks a folder. Only those with files exist afterwards.
    fn enter(&mut self, folder: &str) -> Result<(), BundleError> {
        self.count()?;
        // `tar -C FOLDER .` writes the folder itself.
        match folder {
            "." => Ok(()),
            _ => path::check(plain(folder), self.limits).map_err(|fault| BundleError::path(folder, fault)),
        }
    }

    fn add(&mut self, name: &str, content: &mut dyn Read, is_executable: bool) -> Result<(), BundleError> {
        self.count()?;
        let path = plain(name).to_owned();
        path::check(&path, self.limits).map_err(|fault| BundleError::path(name, fault))?;
        let most = self.limits.file_bytes.min(self.room);
        let mut bytes = Vec::new();
        let read = content.take(most as u64 + 1).read_to_end(&mut bytes);
        read.map_err(|error| BundleError::Archive(format!("{path}: {error}")))?;
        if bytes.len() > self.limits.file_bytes {
            return Err(BundleError::FileTooLarge(path, self.limits.file_bytes));
        }
        if bytes.len() > self.room {
            let used: usize = self.files.iter().map(|file| file.bytes.len()).sum();
            let is_full = used + bytes.len() > self.limits.bytes;
            return Err(if is_full {
                BundleError::TooLarge(self.limits.bytes)
            } else {
                BundleError::Bomb(self.limits.ratio)
            });
        }
        self.room -= bytes.len();
        self.files.push(BundleFile { path, bytes, is_executable });
        Ok(())
    }
}

/// Removes the `./` that tar writes before the paths of a folder `.`.
fn plain(name: &str) -> &str {
    name.strip_prefix("./").unwrap_or(name)
}

/// Returns a zip of a skill, whose bytes depend only on its files.
///
/// # Errors
/// If it cannot be written, which does not happen within the limits of a bundle.
pub fn zip(bundle: &Bundle) -> io::Result<Vec<u8>> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for file in bundle.files() {
        let options = SimpleFileOptions::default()
            .compression_method(CompressionMethod::Deflated)
            .last_modified_time(DateTime::default())
            .unix_permissions(if file.is_executable { 0o755 } else { 0o644 });
        zip.start_file(file.path.as_str(), options)?;
        zip.write_all(&file.bytes)?;
    }
    Ok(zip.finish()?.into_inner())
}
