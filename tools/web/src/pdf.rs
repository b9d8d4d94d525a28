//! PDF files are read by a process of its own.
//!
//! What reads them does what the files say: a page can take any time and any memory, or end the process. So the process is ended after a time,
//! its memory is limited, and its messages are discarded.

use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::process::Command;
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use toolc_extract::{Document, ExtractError, Options, Page, extract};
use toolc_process::{EndReason, Process, Sink};
use url::Url;

/// The time for a file, from which the process that reads it keeps some for what it has read.
const TIME: Duration = Duration::from_secs(30);
/// The maximum number of processes. Others wait until one of them has ended.
const AT_ONCE: usize = 4;
/// The maximum memory of a process, in bytes.
#[cfg(target_os = "linux")]
const MEMORY: u64 = 1 << 30;
/// The maximum size of an answer, in bytes. The text is at most half of it.
const MAX_ANSWER: usize = 32 << 20;

/// The program that reads a PDF file: it calls [`read_pdf`] with its standard input and its standard output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PdfProgram {
    command: Vec<OsString>,
    time: Duration,
}

/// What the program writes.
#[derive(Debug, Serialize, Deserialize)]
enum Answer {
    Page(Box<Page>),
    Problem(String),
}

/// Reads a PDF file from `input`, and writes its text to `output` as a line of JSON. Limits the memory of this process on Linux: nothing
/// else should be left to do.
///
/// # Errors
/// If the file cannot be read from `input`, or the text not be written.
pub fn read_pdf(mut input: impl Read, mut output: impl Write) -> io::Result<()> {
    #[cfg(target_os = "linux")]
    limit_memory();
    let mut bytes = Vec::new();
    input.read_to_end(&mut bytes)?;
    let address = Url::parse("about:blank").map_err(io::Error::other)?;
    let document = Document { bytes: &bytes, content_type: Some("application/pdf"), address: &address };
    let answer = match extract(&document, &Options::default()) {
        Ok(page) => Answer::Page(Box::new(page)),
        Err(ExtractError::Pdf(problem)) => Answer::Problem(problem),
        Err(error) => Answer::Problem(error.to_string()),
    };
    let mut line = serde_json::to_vec(&answer)?;
    line.push(b'\n');
    output.write_all(&line)
}

#[cfg(target_os = "linux")]
fn limit_memory() {
    use rustix::process::{Resource, Rlimit, setrlimit};
    // A lower limit that this process already has stays.
    let _ = setrlimit(Resource::As, Rlimit { current: Some(MEMORY), maximum: Some(MEMORY) });
}

impl PdfProgram {
    /// Returns the program of a command: its path, and its arguments.
    pub fn new(command: impl IntoIterator<Item = impl Into<OsString>>) -> Self {
        Self { command: command.into_iter().map(Into::into).collect(), time: TIME }
    }

    /// Sets the time for a file.
    #[must_use]
    pub fn with_time(self, time: Duration) -> Self {
        Self { time, ..self }
    }

    /// Reads a PDF file.
    pub(crate) fn read(&self, bytes: &[u8]) -> Result<Page, ExtractError> {
        let most = Options::default().pdf_bytes;
        if bytes.len() > most {
            return Err(ExtractError::TooLarge { bytes: bytes.len(), most });
        }
        match self.answer(bytes) {
            Ok(Answer::Page(page)) => Ok(*page),
            Ok(Answer::Problem(problem)) | Err(problem) => Err(ExtractError::Pdf(problem)),
        }
    }

    fn answer(&self, bytes: &[u8]) -> Result<Answer, String> {
        let end = Instant::now() + self.time;
        let _place = Place::wait(end).ok_or("other PDF files are being read: try again later")?;
        let failed = |error: io::Error| format!("the process that reads it cannot be started: {error}");
        let (program, arguments) = self.command.split_first().ok_or("the program that reads it has no name")?;
        let mut command = Command::new(program);
        command.args(arguments);
        let mut process = Process::new(command);
        let output = process.stdout(Output::default()).map_err(failed)?;
        let outcome = process.run(Some(bytes.to_vec()), || Instant::now() >= end).map_err(failed)?;
        let Output(output) = output.take();
        match outcome.reason {
            EndReason::Stopped => Err(format!("it takes more than {} s", self.time.as_secs_f32())),
            EndReason::OutputLimit => Err(format!("its text has more than {} MiB", MAX_ANSWER >> 20)),
            EndReason::Exited => {
                let line = output.trim_ascii_end().rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
                serde_json::from_slice(line).map_err(|_| "it is damaged, or takes too much memory".to_owned())
            }
        }
    }
}

/// Output up to [`MAX_ANSWER`].
#[derive(Debug, Default)]
struct Output(Vec<u8>);

impl Sink for Output {
    fn push(&mut self, bytes: &[u8]) -> bool {
        self.0.extend_from_slice(bytes);
        self.0.len() <= MAX_ANSWER
    }
}

/// One of the processes that may run, until it is dropped.
struct Place;

static RUNNING: Mutex<usize> = Mutex::new(0);
static ENDED: Condvar = Condvar::new();

impl Place {
    /// Waits for a place. Returns `None` if there is none until `end`.
    fn wait(end: Instant) -> Option<Self> {
        let running = RUNNING.lock().unwrap_or_else(PoisonError::into_inner);
        let left = end.saturating_duration_since(Instant::now());
        let waited = ENDED.wait_timeout_while(running, left, |running| *running >= AT_ONCE);
        let (mut running, waited) = waited.unwrap_or_else(PoisonError::into_inner);
        if waited.timed_out() {
            return None;
        }
        *running += 1;
        Some(Self)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        *RUNNING.lock().unwrap_or_else(PoisonError::into_inner) -= 1;
        ENDED.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_processes_run_at_the_same_time() {
        let places: Vec<Place> = (0..AT_ONCE).filter_map(|_| Place::wait(Instant::now())).collect();
        assert_eq!(places.len(), AT_ONCE);
        assert!(Place::wait(Instant::now() + Duration::from_millis(50)).is_none());
        let file = PdfProgram::new(["no-such-program"]).with_time(Duration::from_millis(50)).read(b"%PDF-1.4");
        let busy = ExtractError::Pdf("other PDF files are being read: try again later".to_owned());
        assert_eq!(file, Err(busy));
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| Place::wait(Instant::now() + Duration::from_mins(1)).is_some());
            drop(places);
            assert!(waiting.join().expect("it does not panic"));
        });
    }
}
