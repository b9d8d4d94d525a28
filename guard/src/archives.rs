//! Looks into archives, so that what is packed is judged like what is not.

use std::io::{self, Cursor, Read};

use flate2::read::MultiGzDecoder;
use zip::ZipArchive;

/// The maximum number of entries of one archive, and of bytes that are unpacked for a skill.
const MAX_ENTRIES: usize = 1_000;
pub(crate) const MAX_UNPACKED: usize = 32 << 20;
/// The maximum number of bytes of a tar with its headers, so that an archive of many empty files ends.
const MAX_TAR: u64 = MAX_UNPACKED as u64 * 2;

/// Unpacks the files of a zip, a tar or a tar.gz. Takes their sizes from `left`.
///
/// # Errors
/// With the reason why not all of it can be judged, as the end of a sentence.
pub(crate) fn unpack(archive: &[u8], left: &mut usize) -> Result<Vec<(String, Vec<u8>)>, String> {
    match archive {
        [b'P', b'K', ..] => zip(archive, left),
        [0x1f, 0x8b, ..] => tar(MultiGzDecoder::new(archive), left),
        _ if archive.get(257..262) == Some(b"ustar") => tar(archive, left),
        _ => Err("its format is not unpacked".to_owned()),
    }
}

/// Reads a file of an archive.
fn read(file: impl Read, left: &mut usize) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    file.take(*left as u64 + 1).read_to_end(&mut bytes).map_err(|error| damaged(&error))?;
    *left = left
        .checked_sub(bytes.len())
        .ok_or_else(|| format!("it has more than {MAX_UNPACKED} bytes with the other archives of the skill"))?;
    Ok(bytes)
}

fn damaged(error: &impl ToString) -> String {
    format!("it is damaged: {}", error.to_string())
}

fn zip(archive: &[u8], left: &mut usize) -> Result<Vec<(String, Vec<u8>)>, String> {
    let mut zip = ZipArchive::new(Cursor::new(archive)).map_err(|error| damaged(&error))?;
    if zip.len() > MAX_ENTRIES {
        return Err(format!("it has more than {MAX_ENTRIES} entries"));
    }
    // Programs differ in which of two files with the same name or the same bytes they take.
    if zip.has_duplicate_names() || zip.has_overlapping_entries().map_err(|error| damaged(&error))? {
        return Err("two of its files have the same name or the same bytes".to_owned());
    }
    // What comes before the first entry is not in the list: a script that unpacks itself, for example.
    if zip.offset() > 0 {
        return Err("something comes before its first entry".to_owned());
    }
    let mut files = Vec::new();
    for index in 0..zip.len() {
        let file = zip.by_index(index).map_err(|error| damaged(&error))?;
        if file.is_dir() {
            continue;
        }
        if !file.is_file() {
            return Err("it has a link".to_owned());
        }
        let name = file.name().map_err(|error| damaged(&error))?.into_owned();
        files.push((name, read(file, left)?));
    }
    Ok(files)
}

fn tar(archive: impl Read, left: &mut usize) -> Result<Vec<(String, Vec<u8>)>, String> {
    let mut tar = tar::Archive::new(archive.take(MAX_TAR));
    let entries = tar.entries().map_err(|error| damaged(&error))?;
    let mut files = Vec::new();
    for (number, entry) in entries.enumerate() {
        let entry = entry.map_err(|error: io::Error| damaged(&error))?;
        if number >= MAX_ENTRIES {
            return Err(format!("it has more than {MAX_ENTRIES} entries"));
        }
        let kind = entry.header().entry_type();
        if kind.is_dir() || kind.is_pax_global_extensions() {
            continue;
        }
        if !kind.is_file() && !kind.is_contiguous() {
            return Err("it has a link or a device".to_owned());
        }
        let path = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
        files.push((path, read(entry, left)?));
    }
    check_end(tar.into_inner())?;
    if files.is_empty() { Err("it has no files".to_owned()) } else { Ok(files) }
}

/// Fails if something that was not read follows the end of a tar: programs differ in whether they read on.
fn check_end(mut rest: io::Take<impl Read>) -> Result<(), String> {
    let mut bytes = [0; 8 << 10];
    loop {
        match rest.read(&mut bytes).map_err(|error| damaged(&error))? {
            0 if rest.limit() == 0 => return Err(format!("it has more than {MAX_TAR} bytes")),
            0 => return Ok(()),
            read if bytes[..read].iter().any(|byte| *byte != 0) => {
                return Err("something comes after its end".to_owned());
            }
            _ => {}
        }
    }
}
