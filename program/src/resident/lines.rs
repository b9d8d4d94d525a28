//! The output of a process that stays running: lines, each of which is the reply to a request.

use std::sync::Arc;

use toolc_process::Sink;

use super::requests::Requests;
use crate::protocol::parse_line;

/// Splits output into lines, and passes each reply to its request. Anything else ends the process: after it, no line could be trusted.
#[derive(Debug)]
pub(super) struct Lines {
    requests: Arc<Requests>,
    /// The beginning of a line.
    line: Vec<u8>,
    /// The maximum length of a line.
    max: usize,
}

impl Lines {
    pub(super) fn new(requests: Arc<Requests>, max: usize) -> Self {
        Self { requests, line: Vec::new(), max }
    }

    /// The error says why the process must end.
    fn add(&mut self, bytes: &[u8]) -> Result<(), String> {
        for part in bytes.split_inclusive(|byte| *byte == b'\n') {
            if self.line.len() + part.len() > self.max {
                let max = self.max;
                return Err(format!("it printed more than {max} bytes in a line: ask for a smaller result"));
            }
            self.line.extend_from_slice(part);
            if part.ends_with(b"\n") {
                let line = std::mem::take(&mut self.line);
                if !line.trim_ascii().is_empty() {
                    let (id, reply) = parse_line(&line)?;
                    self.requests.answer(id, reply)?;
                }
            }
        }
        Ok(())
    }
}

impl Sink for Lines {
    fn push(&mut self, bytes: &[u8]) -> bool {
        match self.add(bytes) {
            Ok(()) => true,
            Err(why) => {
                self.requests.end(why);
                false
            }
        }
    }
}
