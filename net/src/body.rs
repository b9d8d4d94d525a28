//! Reads and decompresses the body of an answer, within bounds.

use std::cell::Cell;
use std::io::{self, Read};
use std::rc::Rc;

use crate::error::FetchFault;

/// The encodings that a server may use.
pub(crate) const ENCODINGS: &str = "gzip, br";
/// A body of more than [`FREE`] bytes may be at most this many times as large as what the server has sent. Pages are rarely compressed to a
/// twentieth, and a body of zeros to a thousandth.
const MAX_RATIO: usize = 200;
/// The size that a body may have after decompression in any ratio, in bytes.
const FREE: usize = 1 << 20;
const CHUNK: usize = 16 << 10;

/// Reads a body. Returns its first `limit` bytes after decompression, and whether there are more.
pub(crate) fn read(body: impl Read, encoding: &str, limit: usize) -> Result<(Vec<u8>, bool), FetchFault> {
    let received = Rc::new(Cell::new(0));
    let body = Counted { body, received: Rc::clone(&received) };
    let mut decoded = decoder(body, encoding)?;
    let (mut bytes, mut chunk) = (Vec::new(), vec![0; CHUNK]);
    loop {
        let read = match decoded.read(&mut chunk) {
            Ok(0) => return Ok((bytes, false)),
            Ok(read) => read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(FetchFault::of_body(error)),
        };
        let size = bytes.len() + read;
        if size > FREE && size / MAX_RATIO > received.get() {
            return Err(FetchFault::Bomb);
        }
        bytes.extend_from_slice(&chunk[..read.min(limit - bytes.len())]);
        if size > limit {
            return Ok((bytes, true));
        }
    }
}

/// Counts the bytes that a server has sent.
struct Counted<R> {
    body: R,
    received: Rc<Cell<usize>>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.body.read(buffer)?;
        self.received.set(self.received.get() + read);
        Ok(read)
    }
}

fn decoder<'b>(body: impl Read + 'b, encoding: &str) -> Result<Box<dyn Read + 'b>, FetchFault> {
    match encoding.trim().to_ascii_lowercase().as_str() {
        "" | "identity" => Ok(Box::new(body)),
        "gzip" | "x-gzip" => Ok(Box::new(flate2::read::MultiGzDecoder::new(body))),
        "br" => Ok(Box::new(brotli_decompressor::Decompressor::new(body, CHUNK))),
        _ => Err(FetchFault::Encoding(encoding.chars().take(40).collect())),
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
        encoder.write_all(bytes).and_then(|()| encoder.finish()).expect("memory does not fail")
    }

    #[test]
    fn a_body_is_cut_at_its_limit() {
        assert_eq!(read(&b"abc"[..], "", 3), Ok((b"abc".to_vec(), false)));
        assert_eq!(read(&b"abcd"[..], "identity", 3), Ok((b"abc".to_vec(), true)));
        assert_eq!(read(&*gzip(b"abcd"), " GZip ", 3), Ok((b"abc".to_vec(), true)));
        assert_eq!(read(&b""[..], "", 3), Ok((Vec::new(), false)));
        let brotli = [0x8b, 0x01, 0x80, b'a', b'b', b'c', b'd', 0x03];
        assert_eq!(read(&brotli[..], "br", 9), Ok((b"abcd".to_vec(), false)));
        let two = [gzip(b"ab"), gzip(b"cd")].concat();
        assert_eq!(read(&*two, "x-gzip", 9), Ok((b"abcd".to_vec(), false)));
    }

    #[test]
    fn a_body_that_grows_out_of_nothing_is_refused() {
        let bomb = gzip(&vec![0; 64 << 20]);
        assert_eq!(read(&*bomb, "gzip", usize::MAX), Err(FetchFault::Bomb));
        let small = gzip(&vec![0; FREE]);
        assert_eq!(read(&*small, "gzip", usize::MAX), Ok((vec![0; FREE], false)));
        // Ten times as large as what was sent, which pages are.
        let page: Vec<u8> = (0..4_u32 << 20).map(|at| (at.wrapping_mul(2_654_435_761) >> 24) as u8 & 7).collect();
        assert_eq!(read(&*gzip(&page), "gzip", usize::MAX), Ok((page, false)));
    }

    #[test]
    fn what_is_not_its_encoding_is_an_error() {
        assert_eq!(read(&b"x"[..], "zstd", 9), Err(FetchFault::Encoding("zstd".to_owned())));
        assert_eq!(read(&b"x"[..], "gzip, gzip", 9), Err(FetchFault::Encoding("gzip, gzip".to_owned())));
        for encoding in ["gzip", "br"] {
            assert!(matches!(read(&b"no such thing"[..], encoding, 99), Err(FetchFault::Broken(_))), "{encoding}");
        }
        let cut = &gzip(b"abcdefgh")[..12];
        assert!(matches!(read(cut, "gzip", 99), Err(FetchFault::Broken(_))));
    }
}
