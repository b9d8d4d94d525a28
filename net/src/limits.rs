//! The bounds of a fetch.

use std::time::Duration;

/// The bounds of a fetch. Every fetch has all of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The longest time from the first lookup of a name to the last byte, redirects included.
    pub time: Duration,
    /// The maximum number of redirects.
    pub redirects: usize,
    /// The maximum size of the headers of an answer, in bytes.
    pub header_bytes: usize,
    /// The maximum size of a body after decompression, in bytes.
    pub body_bytes: usize,
}

impl Default for Limits {
    /// Thirty seconds, five redirects, 64 KiB of headers and 10 MiB of body.
    fn default() -> Self {
        Self { time: Duration::from_secs(30), redirects: 5, header_bytes: 64 << 10, body_bytes: 10 << 20 }
    }
}
