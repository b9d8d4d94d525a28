//! `toolc cron run`: starts the runs of due jobs, each in its own process, and records and delivers their results.

use std::collections::{HashMap, VecDeque};
use std::fs;
use std::io::{self, IsTerminal as _, Read, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use toolc_config::Home;
use toolc_environment::EnvironmentKind;
use toolc_store::{Claim, Job, JobRun, Jobs, LEASE, Lease, RunOutcome, StoreError};

use super::lock::RunnerLock;
use super::work::Report;
use super::{RunArgs, show};
use crate::environments;
use crate::ground::error::{Error, Result};
use crate::ground::tell::tell;
use crate::options::ToolOptions;
use crate::profile::Profile;

/// The maximum number of jobs that run at the same time.
const MAX_AT_ONCE: usize = 4;
/// The time limit of a run.
const TIME_LIMIT: Duration = Duration::from_hours(1);
/// The interval at which the runner checks for due jobs, and for runs that must be stopped.
const TICK: Duration = Duration::from_millis(500);
/// The interval at which the lease is renewed.
const RENEWAL: Duration = Duration::from_secs(5);
/// How long a process may take to end by itself before it is killed.
const GRACE: Duration = Duration::from_secs(5);
/// The maximum size of the report of a process, in bytes.
const MAX_REPORT_BYTES: u64 = 8 << 20;
/// The maximum number of bytes that are kept of the end of standard error.
const MAX_ERROR_BYTES: usize = 4 << 10;

/// A run that has ended.
struct FinishedRun {
    job: Job,
    run: JobRun,
    outcome: RunOutcome,
    output: String,
}

/// How the process of a run is started.
#[derive(Clone)]
struct Program {
    path: PathBuf,
    /// The arguments before the number of the run.
    arguments: Vec<String>,
    /// The environment of this process. Unless it is `local`, it replaces the environment of each job.
    environment: EnvironmentKind,
}

/// Whether a runner holds the lease. Without the lease, it begins no runs.
enum HeldLease {
    /// Another runner may hold the lease. `is_announced`: the user was informed that this runner waits.
    NotYet { is_announced: bool },
    /// This runner acquired or last renewed the lease at this time.
    Since(Instant),
}

pub(super) struct Runner<'a> {
    args: &'a RunArgs,
    jobs: Jobs,
    home: &'a Home,
    program: Program,
    /// The name of this process in the lease.
    name: String,
    lock: Option<RunnerLock>,
    sender: Sender<FinishedRun>,
    receiver: Receiver<FinishedRun>,
    /// The runs of this process, each with a flag that stops the run.
    running: HashMap<i64, Arc<AtomicBool>>,
    has_failed: bool,
}

impl<'a> Runner<'a> {
    pub(super) fn new(args: &'a RunArgs, options: &ToolOptions, home: &'a Home) -> Result<Self> {
        let (sender, receiver) = mpsc::channel();
        let path = std::env::current_exe().map_err(|error| Error::failed("find this program", error))?;
        let profile = Profile::read(home.clone())?;
        let environment = environments::chosen(options.environment, profile.config())?;
        Ok(Self {
            args,
            jobs: super::jobs(home),
            home,
            program: Program { path, arguments: child_options(args, options, home)?, environment },
            name: format!("{}-{:016x}", std::process::id(), super::random()),
            lock: None,
            sender,
            receiver,
            running: HashMap::new(),
            has_failed: false,
        })
    }

    /// Runs jobs until a signal arrives, or with `--once` until no job is due.
    pub(super) fn run(&mut self) -> Result<ExitCode> {
        let stop = stop_flag()?;
        let result = self.run_until(&stop);
        // Stops the runs, even after an error.
        for stop in self.running.values() {
            stop.store(true, Ordering::Relaxed);
        }
        while !self.running.is_empty()
            && let Ok(ended) = self.receiver.recv_timeout(GRACE * 2)
        {
            self.finish_run(ended)?;
        }
        let released = self.jobs.release(&self.name).map_err(Error::from);
        let was_stopped = result?;
        released?;
        Ok(ExitCode::from(if was_stopped { 130 } else { u8::from(self.has_failed) }))
    }

    /// Runs jobs until all requested jobs have ended, or a signal arrives. Returns whether a signal arrived.
    fn run_until(&mut self, stop: &AtomicBool) -> Result<bool> {
        let mut requested = self.args.ids.iter().copied().collect::<VecDeque<i64>>();
        let mut lease = HeldLease::NotYet { is_announced: false };
        loop {
            if stop.load(Ordering::Relaxed) {
                return Ok(true);
            }
            match lease {
                HeldLease::NotYet { is_announced } => match self.acquire(&requested, is_announced)? {
                    Some(acquired) => lease = acquired,
                    None => return Ok(false),
                },
                HeldLease::Since(renewed) if renewed.elapsed() >= RENEWAL => {
                    let is_held = self.jobs.renew(&self.name, SystemTime::now())?;
                    lease = if is_held { HeldLease::Since(Instant::now()) } else { self.lose_lease() };
                }
                HeldLease::Since(_) => {}
            }
            if matches!(lease, HeldLease::Since(_)) {
                if !self.begin_runs(&mut requested)? {
                    lease = self.lose_lease();
                } else if self.is_once() && self.running.is_empty() && requested.is_empty() && !self.is_due()? {
                    return Ok(false);
                }
            }
            match self.receiver.recv_timeout(TICK) {
                Ok(ended) => self.finish_run(ended)?,
                Err(RecvTimeoutError::Timeout) => self.stop_removed()?,
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(Error::Invalid("the channel of the runs is closed".to_owned()));
                }
            }
        }
    }

    /// Returns whether this runner ends when no job is due.
    fn is_once(&self) -> bool {
        self.args.once || !self.args.ids.is_empty()
    }

    /// Tries to take the lease. Returns `None` if another runner holds the lease and this one does not wait. `is_announced`: the user was
    /// informed that this runner waits.
    ///
    /// # Errors
    /// If another runner holds the lease and the user has named jobs.
    fn acquire(&mut self, requested: &VecDeque<i64>, is_announced: bool) -> Result<Option<HeldLease>> {
        self.release_lease_of_ended_runner()?;
        let expires = match self.jobs.acquire(&self.name, SystemTime::now())? {
            Lease::Held { interrupted } => {
                for job in interrupted {
                    tell!(
                        "note: the last run of job {job} was interrupted, because its process ended. The run is not repeated"
                    );
                }
                if !self.is_once() {
                    tell!("running jobs when they are due; press Ctrl-C to stop");
                }
                return Ok(Some(HeldLease::Since(Instant::now())));
            }
            Lease::Taken { expires } => self.jobs.time_text(expires),
        };
        if !self.is_once() {
            if !is_announced {
                tell!("note: another `toolc cron run` is active; this one begins when the other one has ended");
            }
            return Ok(Some(HeldLease::NotYet { is_announced: true }));
        }
        let active = format!("another `toolc cron run` is active (its lease ends at {expires})");
        if !requested.is_empty() {
            return Err(Error::Invalid(format!("{active}: stop it first")));
        }
        tell!("note: {active}");
        Ok(None)
    }

    /// Releases the lease of the last runner of this machine, if that runner has ended without releasing it.
    fn release_lease_of_ended_runner(&mut self) -> Result<(), StoreError> {
        if self.lock.is_some() {
            return Ok(());
        }
        let Some((lock, ended)) = RunnerLock::take(self.home, &self.name) else { return Ok(()) };
        self.lock = Some(lock);
        ended.map_or(Ok(()), |name| self.jobs.release(&name))
    }

    fn is_due(&self) -> Result<bool> {
        if !self.args.ids.is_empty() {
            return Ok(false);
        }
        let next = self.jobs.next_due()?;
        Ok(next.is_some_and(|next| next <= SystemTime::now()))
    }

    /// Begins runs of the requested jobs, or of due jobs. Returns false if the lease is lost.
    fn begin_runs(&mut self, requested: &mut VecDeque<i64>) -> Result<bool, StoreError> {
        while self.running.len() < MAX_AT_ONCE {
            let only = requested.front().copied();
            // Claiming writes to the store, so first check whether a job is due.
            if only.is_none()
                && (!self.args.ids.is_empty() || self.jobs.next_due()?.is_none_or(|next| next > SystemTime::now()))
            {
                return Ok(true);
            }
            match self.jobs.claim(&self.name, only, SystemTime::now())? {
                Claim::Lost => return Ok(false),
                Claim::Run(claimed) => self.begin(claimed.0, claimed.1),
                Claim::Nothing(_) => {
                    let Some(id) = only else { return Ok(true) };
                    self.has_failed = true;
                    tell!("error: job {id} did not run, because it was removed or is already running");
                }
            }
            requested.pop_front();
        }
        Ok(true)
    }

    fn begin(&mut self, job: Job, run: JobRun) {
        let stop = Arc::new(AtomicBool::new(false));
        self.running.insert(run.id, Arc::clone(&stop));
        let (sender, program, id) = (self.sender.clone(), self.program.clone(), run.id);
        let ended = (job, run);
        let (job, run) = ended.clone();
        let work = move || {
            let (job, run) = ended;
            let (outcome, output) = run_process(&program, &job, &run, &stop);
            // The receiver lives until all runs have ended.
            let _ = sender.send(FinishedRun { job, run, outcome, output });
        };
        if let Err(error) = thread::Builder::new().name(format!("run {id}")).spawn(work) {
            let output = format!("failed to start a thread: {error}");
            let _ = self.sender.send(FinishedRun { job, run, outcome: RunOutcome::Failed, output });
        }
    }

    /// Stops all runs. Another process has recorded them as interrupted.
    fn lose_lease(&mut self) -> HeldLease {
        self.has_failed |= !self.running.is_empty();
        tell!(
            "warning: another `toolc cron run` has taken over, because this one did not respond; the runs of this process are stopped"
        );
        for stop in self.running.values() {
            stop.store(true, Ordering::Relaxed);
        }
        HeldLease::NotYet { is_announced: false }
    }

    /// Stops runs whose jobs were removed.
    fn stop_removed(&self) -> Result<(), StoreError> {
        for (run, stop) in &self.running {
            if !self.jobs.is_open(&self.name, *run)? {
                stop.store(true, Ordering::Relaxed);
            }
        }
        Ok(())
    }

    /// Records and delivers the result of a run.
    fn finish_run(&mut self, ended: FinishedRun) -> Result<()> {
        let FinishedRun { job, mut run, outcome, output } = ended;
        self.running.remove(&run.id);
        let now = SystemTime::now();
        let is_recorded = self.jobs.finish(&self.name, run.id, outcome, &output, now);
        if !is_recorded? {
            return Ok(());
        }
        self.has_failed |= outcome != RunOutcome::Done;
        // The store may have shortened the output.
        run = self.jobs.run(run.id)?.unwrap_or(run);
        let mut file = None;
        if job.work.to_file {
            match write_result(self.home, &job, &show::result_file_text(&self.jobs, &job, &run)) {
                Ok(path) => file = Some(path),
                Err(error) => {
                    self.has_failed = true;
                    tell!("error: failed to write the result of job {} to a file: {error}", job.id);
                }
            }
        }
        let text = match file {
            _ if self.args.json => show::finished_run_json(&job, &run),
            Some(path) => format!("{}the result is in {}\n\n", show::heading(&job, &run), path.display()),
            None => show::finished_run_text(&job, &run, io::stdout().is_terminal()),
        };
        crate::ground::ask::print(&text)
    }
}

/// Returns the options of the process of a run. Relative paths are made absolute, because a run has the directory of its job.
fn child_options(args: &RunArgs, options: &ToolOptions, home: &Home) -> Result<Vec<String>> {
    let absolute = |path: &Path| {
        let path = std::path::absolute(path).map_err(|error| format!("{}: {error}", path.display()))?;
        path.into_os_string().into_string().map_err(|path| format!("the path is not UTF-8: {}", path.display()))
    };
    let mut all = vec!["--profile".to_owned(), home.profile().to_string()];
    for folder in &options.plugins {
        all.extend(["--plugins".to_owned(), absolute(folder)?]);
    }
    all.extend(["cron", "work"].map(ToOwned::to_owned));
    let models = &args.models;
    for (option, model) in [("--model", &models.model), ("--auxiliary-model", &models.auxiliary_model)] {
        let Some(model) = model else { continue };
        let model = match model.strip_prefix("script:") {
            Some(file) => format!("script:{}", absolute(Path::new(file))?),
            None => model.clone(),
        };
        all.extend([option.to_owned(), model]);
    }
    if let Some(max) = models.max_iterations {
        all.extend(["--max-iterations".to_owned(), max.to_string()]);
    }
    if models.no_record {
        all.push("--no-record".to_owned());
    }
    Ok(all)
}

/// Returns the flag that SIGINT and SIGTERM set. A second signal ends this process at once.
fn stop_flag() -> Result<Arc<AtomicBool>> {
    let stop = Arc::new(AtomicBool::new(false));
    #[cfg(unix)]
    for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM] {
        let failed = |error: io::Error| Error::failed("handle signals", error);
        signal_hook::flag::register_conditional_default(signal, Arc::clone(&stop)).map_err(failed)?;
        signal_hook::flag::register(signal, Arc::clone(&stop)).map_err(failed)?;
    }
    Ok(stop)
}

/// Starts the process of a run, and waits for its end.
fn run_process(program: &Program, job: &Job, run: &JobRun, stop: &AtomicBool) -> (RunOutcome, String) {
    let directory = Path::new(&job.work.directory);
    if !directory.is_dir() {
        return (RunOutcome::Failed, format!("the folder {} of the job no longer exists", directory.display()));
    }
    let environment = match program.environment {
        EnvironmentKind::Local => &job.work.environment,
        other => other.name(),
    };
    let mut command = Command::new(&program.path);
    command.args(&program.arguments).arg(run.id.to_string()).args(["--environment", environment]);
    command.current_dir(directory).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    // Ctrl-C must only reach the runner, which then stops the runs.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let mut child = match command.spawn() {
        Ok(child) => child,
        Err(error) => return (RunOutcome::Failed, format!("failed to start {}: {error}", program.path.display())),
    };
    let report = read_on_thread(child.stdout.take(), |stream| {
        let mut bytes = Vec::new();
        let _ = stream.take(MAX_REPORT_BYTES).read_to_end(&mut bytes);
        bytes
    });
    let errors = read_on_thread(child.stderr.take(), last_bytes);
    let started = Instant::now();
    let mut ended_by = None;
    let status = loop {
        match child.try_wait() {
            Ok(Some(status)) => break Some(status),
            Ok(None) => {}
            Err(_) => break None,
        }
        if stop.load(Ordering::Relaxed) {
            ended_by = Some((
                RunOutcome::Interrupted,
                "The runner was stopped before the job had ended. The run is not repeated.".to_owned(),
            ));
        } else if started.elapsed() > TIME_LIMIT {
            let minutes = TIME_LIMIT.as_secs() / 60;
            ended_by =
                Some((RunOutcome::TimedOut, format!("the job took more than {minutes} minutes, and was stopped")));
        }
        if ended_by.is_some() {
            end_process(&mut child);
            break None;
        }
        thread::sleep(Duration::from_millis(20));
    };
    if let Some(ended) = ended_by {
        return ended;
    }
    let report = report.and_then(|report| report.recv_timeout(GRACE).ok()).unwrap_or_default();
    if let Ok(Report { is_done, output }) = serde_json::from_slice(&report) {
        return (if is_done { RunOutcome::Done } else { RunOutcome::Failed }, output);
    }
    let errors = errors.and_then(|errors| errors.recv_timeout(GRACE).ok()).unwrap_or_default();
    let errors = String::from_utf8_lossy(&errors);
    let errors = errors.trim();
    let status = status.map_or_else(|| "its exit status is unknown".to_owned(), |status| status.to_string());
    let problem = if errors.is_empty() {
        format!("the process of the job ended without a result: {status}")
    } else {
        errors.to_owned()
    };
    (RunOutcome::Failed, problem)
}

/// Closes the input of a process, and kills the process if it does not end in time.
fn end_process(child: &mut Child) {
    drop(child.stdin.take());
    let started = Instant::now();
    while started.elapsed() < GRACE {
        if !matches!(child.try_wait(), Ok(None)) {
            return;
        }
        thread::sleep(Duration::from_millis(20));
    }
    let _ = child.kill();
    let _ = child.wait();
}

/// Reads a stream on a thread, so that a process that holds the stream open does not block this one.
fn read_on_thread<S: Read + Send + 'static>(
    stream: Option<S>,
    read: impl FnOnce(&mut S) -> Vec<u8> + Send + 'static,
) -> Option<Receiver<Vec<u8>>> {
    let (mut stream, (sender, receiver)) = (stream?, mpsc::channel());
    let started = thread::Builder::new().name("output".to_owned()).spawn(move || {
        let _ = sender.send(read(&mut stream));
        // The rest is discarded, so that the writer never blocks.
        let _ = io::copy(&mut stream, &mut io::sink());
    });
    started.is_ok().then_some(receiver)
}

fn last_bytes(stream: &mut impl Read) -> Vec<u8> {
    let (mut all, mut part) = (Vec::new(), [0; 4096]);
    while let Ok(count @ 1..) = stream.read(&mut part) {
        all.extend_from_slice(&part[..count]);
        let excess = all.len().saturating_sub(MAX_ERROR_BYTES);
        all.drain(..excess);
    }
    all
}

/// Replaces the file of results of a job.
fn write_result(home: &Home, job: &Job, text: &str) -> io::Result<PathBuf> {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    home.create(&home.cron())?;
    let path = home.cron().join(format!("{}.md", job.id));
    let new =
        home.cron().join(format!("{}.{}.{}.new", job.id, std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed)));
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(&new)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()?;
    drop(file);
    fs::rename(&new, &path)?;
    Ok(path)
}

const _: () = assert!(RENEWAL.as_millis() * 3 < LEASE.as_millis());
