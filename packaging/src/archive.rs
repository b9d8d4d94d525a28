//! Archives whose bytes depend only on their content: the same order, times and permissions on each machine.

use std::io::{Cursor, Write as _};

use flate2::Compression;
use flate2::write::GzEncoder;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipWriter};

use crate::error::Error;

/// A file of an archive.
#[derive(Debug, Clone)]
pub(crate) struct File {
    /// The path, with `/`.
    pub(crate) path: String,
    pub(crate) content: Vec<u8>,
    /// Whether it is a program.
    pub(crate) is_program: bool,
}

impl File {
    pub(crate) fn text(path: impl Into<String>, content: impl Into<String>) -> Self {
        Self { path: path.into(), content: content.into().into_bytes(), is_program: false }
    }

    fn mode(&self) -> u32 {
        if self.is_program { 0o755 } else { 0o644 }
    }
}

/// 26 October 1985, as `npm pack` writes it. Some programs refuse a time of zero.
const TIME: u64 = 499_162_500;

/// How much is compressed. The highest level takes three times as long, for one percent.
const LEVEL: u32 = 6;

/// Returns a zip file, with the files in this order.
pub(crate) fn zip(files: &[File]) -> Result<Vec<u8>, Error> {
    let failed = |error: zip::result::ZipError| Error::new(format!("failed to write a zip file: {error}"));
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for file in files {
        let options = SimpleFileOptions::default()
            .compression_method(CompressionMethod::Deflated)
            .compression_level(Some(LEVEL.into()))
            .last_modified_time(DateTime::default())
            .unix_permissions(file.mode());
        zip.start_file(file.path.as_str(), options).map_err(failed)?;
        zip.write_all(&file.content).map_err(|error| failed(error.into()))?;
    }
    Ok(zip.finish().map_err(failed)?.into_inner())
}

/// Returns a compressed tar file, with the files in this order.
pub(crate) fn tar_gz(files: &[File]) -> Result<Vec<u8>, Error> {
    let failed = |error: std::io::Error| Error::new(format!("failed to write a tar file: {error}"));
    // Neither a name nor a time in the header.
    let mut tar = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::new(LEVEL)));
    for file in files {
        let mut header = tar::Header::new_ustar();
        header.set_mode(file.mode());
        header.set_mtime(TIME);
        header.set_size(u64::try_from(file.content.len()).unwrap_or(u64::MAX));
        tar.append_data(&mut header, &file.path, file.content.as_slice()).map_err(failed)?;
    }
    tar.into_inner().and_then(GzEncoder::finish).map_err(failed)
}
