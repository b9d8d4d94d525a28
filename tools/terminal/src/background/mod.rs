//! Background processes: their output and their end.

pub(crate) mod log;
pub(crate) mod processes;
mod screen;
mod watch;

use std::io;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use toolc_environment::{EndReason, Environment, Exit, Launch, OnEnd, Outcome, Output, Running, Sink};

use crate::events::{EventSink, ProcessEvent, ProcessEventKind};
use crate::signals::signal_of;
use crate::transcript::Transcript;
use crate::typed::TypedInput;
use log::{Log, NewOutput, Page};
use processes::Slot;
pub(crate) use screen::SIZE;
use screen::Screen;
use watch::{Watch, WatchEvent};

/// A background process. Dropping the value ends the process.
#[derive(Debug)]
pub(crate) struct Background {
    /// The id of the process in its task.
    pub(crate) id: String,
    pub(crate) command: String,
    pub(crate) started: Instant,
    /// The start as wall-clock time.
    pub(crate) started_at: SystemTime,
    running: Box<dyn Running>,
    /// Keeps the environment alive, because the process can outlive its task.
    _environment: Arc<dyn Environment>,
    shared: Arc<Shared>,
    /// The input so far. Locked while new input is checked for approval and written.
    pub(crate) typed: Mutex<TypedInput>,
    timed_out: OnceLock<()>,
}

/// The state that the threads of a process share.
#[derive(Debug)]
struct Shared {
    output: Mutex<ProcessOutput>,
    ended: OnceLock<(Instant, Outcome)>,
    /// A template for the events sent to the host. `kind` is replaced in each event.
    event: ProcessEvent,
    sink: Option<EventSink>,
}

#[derive(Debug)]
struct ProcessOutput {
    log: Log,
    screen: Option<Screen>,
    watch: Watch,
}

/// Receives the output of a process.
#[derive(Debug)]
struct OutputSink(Arc<Shared>);

/// The new output, the screen and the matches of a process.
#[derive(Debug)]
pub(crate) struct Snapshot {
    pub(crate) new: NewOutput,
    pub(crate) screen: Option<String>,
    /// Whether a program draws the whole screen.
    pub(crate) is_drawn: bool,
    pub(crate) matches: Vec<String>,
    pub(crate) is_muted: bool,
}

/// The parameters of a process to start.
#[derive(Debug)]
pub(crate) struct Start {
    pub(crate) id: String,
    pub(crate) task: String,
    pub(crate) command: String,
    pub(crate) launch: Launch,
    pub(crate) has_terminal: bool,
    pub(crate) timeout: Option<Duration>,
    pub(crate) notify: bool,
    pub(crate) patterns: Vec<String>,
    pub(crate) typed: TypedInput,
}

impl Background {
    /// Starts a process. The process keeps its slot until it ends.
    pub(crate) fn start(
        start: Start,
        environment: Arc<dyn Environment>,
        slot: Slot,
        sink: Option<EventSink>,
    ) -> io::Result<Arc<Self>> {
        let Start { id, task, command, mut launch, has_terminal, timeout, notify, patterns, typed } = start;
        let kind = ProcessEventKind::Muted;
        let shared = Arc::new(Shared {
            output: Mutex::new(ProcessOutput {
                log: Log::default(),
                screen: has_terminal.then(Screen::new),
                watch: Watch::new(patterns),
            }),
            ended: OnceLock::new(),
            event: ProcessEvent { task, session_id: id.clone(), command: command.clone(), kind },
            sink,
        });
        let output = Box::new(OutputSink(Arc::clone(&shared)));
        launch.output =
            if has_terminal { Output::Terminal { size: SIZE, screen: output } } else { Output::Merged(output) };
        let shared_for_end = Arc::clone(&shared);
        launch.on_end = Some(OnEnd(Box::new(move |outcome| {
            drop(slot);
            shared_for_end.end(*outcome, notify);
        })));
        let running = environment.start(launch)?;
        let process = Arc::new(Self {
            id,
            command,
            started: Instant::now(),
            started_at: SystemTime::now(),
            running,
            _environment: environment,
            shared,
            typed: Mutex::new(typed),
            timed_out: OnceLock::new(),
        });
        if let Some(timeout) = timeout {
            // The thread holds only a weak reference, so the process is dropped when its task ends.
            let weak_process = Arc::downgrade(&process);
            let deadline = Instant::now() + timeout;
            thread::Builder::new().name("timeout of a process".to_owned()).spawn(move || {
                while let Some(left) = deadline.checked_duration_since(Instant::now()) {
                    thread::sleep(left.min(Duration::from_millis(100)));
                    if weak_process.upgrade().is_none_or(|process| process.outcome().is_some()) {
                        return;
                    }
                }
                if let Some(process) = weak_process.upgrade() {
                    let _ = process.timed_out.set(());
                    let _ = process.end();
                }
            })?;
        }
        Ok(process)
    }

    /// Returns the id of the process in its environment.
    pub(crate) fn pid(&self) -> Option<u32> {
        self.running.id()
    }

    /// Returns the outcome if the process has ended.
    pub(crate) fn outcome(&self) -> Option<Outcome> {
        // If the status cannot be read, the process no longer exists.
        self.running.outcome().unwrap_or(Some(UNKNOWN))
    }

    /// Returns whether the timeout has ended the process.
    pub(crate) fn has_timed_out(&self) -> bool {
        self.timed_out.get().is_some()
    }

    /// Returns how long the process has run.
    pub(crate) fn age(&self) -> Duration {
        let end = self.shared.ended.get().map_or_else(Instant::now, |(end, _)| *end);
        end.saturating_duration_since(self.started)
    }

    /// Returns how long ago the process has ended.
    pub(crate) fn ended_ago(&self) -> Option<Duration> {
        self.shared.ended.get().map(|(end, _)| end.elapsed())
    }

    /// Waits until the process ends or `should_stop` returns true.
    pub(crate) fn wait(&self, should_stop: &dyn Fn() -> bool) {
        let _ = self.running.wait(should_stop);
    }

    /// Ends the process and all processes that it has started.
    pub(crate) fn end(&self) -> io::Result<Outcome> {
        self.running.end()
    }

    /// Returns the line ending of the input.
    pub(crate) fn line_end(&self) -> &'static str {
        if self.shared.output().screen.is_some() { "\r" } else { "\n" }
    }

    pub(crate) fn write(&self, bytes: &[u8]) -> io::Result<()> {
        self.running.write(bytes)
    }

    pub(crate) fn close_input(&self) -> io::Result<()> {
        self.running.close_input()
    }

    /// Returns the output so far, or the text of the screen if a program draws the screen.
    pub(crate) fn first_output(&self) -> String {
        let mut output = self.shared.output();
        let new = output.log.take_new();
        let drawn = output.screen.as_ref().filter(|screen| screen.is_drawn()).and_then(Screen::text);
        drawn.unwrap_or_else(|| Transcript::shorten(&new.text))
    }

    /// Returns the new output and matches, and the screen.
    pub(crate) fn snapshot(&self) -> Snapshot {
        let mut output = self.shared.output();
        let (matches, is_muted) = output.watch.take();
        let (new, screen) = (output.log.take_new(), output.screen.as_ref());
        let is_drawn = screen.is_some_and(Screen::is_drawn);
        Snapshot { new, screen: screen.and_then(Screen::text), is_drawn, matches, is_muted }
    }

    /// Returns a page of the output.
    pub(crate) fn page(&self, first: Option<usize>, limit: usize) -> Page {
        self.shared.output().log.page(first, limit)
    }
}

/// The outcome of a process whose status is unknown.
const UNKNOWN: Outcome = Outcome { exit: Exit::Code(-1), reason: EndReason::Exited, left_running: false };

impl Shared {
    fn output(&self) -> MutexGuard<'_, ProcessOutput> {
        self.output.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn send(&self, kind: ProcessEventKind) {
        if let Some(sink) = &self.sink {
            sink.send(&ProcessEvent { kind, ..self.event.clone() });
        }
    }

    fn end(&self, outcome: Outcome, notify: bool) {
        let _ = self.ended.set((Instant::now(), outcome));
        if notify {
            let (exit_code, signal) = (outcome.exit.code(), signal_of(outcome.exit));
            self.send(ProcessEventKind::Ended { exit_code, signal });
        }
    }
}

impl Sink for OutputSink {
    fn push(&mut self, bytes: &[u8]) -> bool {
        let events = {
            let ProcessOutput { log, screen, watch } = &mut *self.0.output();
            if let Some(screen) = screen {
                screen.push(bytes);
            }
            watch.push(&log.push(bytes), Instant::now())
        };
        // The function of the host is called without the lock, because it may read the state of the process.
        for event in events {
            self.0.send(match event {
                WatchEvent::Match { pattern, line } => ProcessEventKind::Matched { pattern, line },
                WatchEvent::Muted => ProcessEventKind::Muted,
            });
        }
        true
    }
}
