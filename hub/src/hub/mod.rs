//! What a person can do with skills of strangers.

mod audit;
mod install;
mod list;
mod publish;
mod snapshot;
mod taps;
mod update;

use std::fmt;
use std::path::PathBuf;

use jiff::Timestamp;
use toolc_net::Client;

pub use audit::{AuditRow, DiskState};
pub use install::{InstallOptions, Installed, Preview};
pub use list::{Owner, SkillRow};
pub use publish::{Package, Problem};
pub use snapshot::{RestorePlan, Restored, Snapshot};
pub use update::PlannedUpdate;

use crate::bundle::Limits;
use crate::error::HubError;
use crate::fault::SourceError;
use crate::identifier::Identifier;
use crate::journal::{Draft, Steps, Undoable, Undone, read_lock, recover, undo, undoable};
use crate::judge::Judge;
use crate::kept::{self, prune};
use crate::lock::Lock;
use crate::place::{Exclusive, Place, exists, read_json};
use crate::source::{Description, Found, Settings, SourceKind, Sources};
use crate::taps::Tap;

/// The hub over one folder of skills, `HOME/skills`.
///
/// Every method that reads or changes what is installed first completes what a killed process has left, and a method that changes something
/// waits for other processes.
pub struct Hub {
    place: Place,
    sources: Sources,
    judge: Box<dyn Judge>,
    limits: Limits,
    /// The locks of other programs.
    foreign: Vec<PathBuf>,
    steps: Steps,
}

impl fmt::Debug for Hub {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Hub").field("skills", &self.place.skills()).finish_non_exhaustive()
    }
}

impl Hub {
    /// Opens the hub over a folder of skills, which is made by the first change. Sources are asked through `client`, so by its address
    /// policy and with its cache, and `judge` decides what may be installed.
    ///
    /// # Errors
    /// If the list of taps is damaged.
    pub fn open(
        skills: impl Into<PathBuf>,
        client: Client,
        settings: Settings,
        judge: impl Judge + 'static,
    ) -> Result<Self, HubError> {
        let place = Place::new(skills.into());
        let taps: Vec<Tap> = read_json(&place.taps_file())?.unwrap_or_default();
        let limits = settings.limits;
        let sources = Sources::new(client, settings, &taps);
        Ok(Self { place, sources, judge: Box::new(judge), limits, foreign: Vec::new(), steps: Steps::default() })
    }

    /// Names lock files of `vercel-labs/skills`, whose skills are reported as belonging to another program.
    #[must_use]
    pub fn with_foreign_locks(self, foreign: Vec<PathBuf>) -> Self {
        Self { foreign, ..self }
    }

    /// Calls `watch` before each step of a change on the disk, with the step in words.
    #[must_use]
    pub fn watched(self, watch: impl Fn(&str) + Send + Sync + 'static) -> Self {
        Self { steps: Steps::new(watch), ..self }
    }

    /// Returns the sources.
    pub fn sources(&self) -> &Sources {
        &self.sources
    }

    /// Searches all sources, or only one kind of them. Each gives at most `limit` skills.
    pub fn search(&self, query: &str, limit: usize, only: Option<SourceKind>) -> Found {
        self.sources.search(query, limit, only)
    }

    /// Returns what the source says about a skill.
    ///
    /// # Errors
    /// If the source has no such skill for us.
    pub fn inspect(&self, id: &Identifier) -> Result<Description, SourceError> {
        self.sources.inspect(id)
    }

    /// Returns what is installed, as `lock.json` has it.
    ///
    /// # Errors
    /// If the file is damaged.
    pub fn lock(&self) -> Result<Lock, HubError> {
        // A change that another process has left is completed first.
        if exists(&self.place.journal_file()) {
            return self.begin().map(|(_, lock)| lock);
        }
        read_lock(&self.place)
    }

    /// Returns the changes that can be undone, the last one at the end: those of the last 90 days, up to 100 MiB, and always the last one.
    ///
    /// # Errors
    /// If a record is damaged.
    pub fn undoable(&self) -> Result<Vec<Undoable>, HubError> {
        undoable(&self.place)
    }

    /// Undoes the change with a number, or without one the last change that does not undo another one: each call goes back one change. What
    /// has been edited since is moved away, not lost.
    ///
    /// # Errors
    /// If nothing can be undone, a later change has changed the same skill, or something is in its way.
    pub fn undo(&self, id: Option<u64>) -> Result<Undone, HubError> {
        let (_exclusive, lock) = self.begin()?;
        let undone = undo(&self.place, id, &lock, &self.steps)?;
        self.sources.set_taps(&self.taps()?);
        self.tidy();
        Ok(undone)
    }

    /// Makes a change, and deletes the oldest ones that are kept for an undo beyond the bounds.
    fn commit(&self, draft: Draft<'_>) -> Result<(), HubError> {
        draft.commit(&self.steps)?;
        self.tidy();
        Ok(())
    }

    fn tidy(&self) {
        // The change is made. If this fails, the next change tries again.
        let _ = prune(&self.place, kept::BOUNDS, Timestamp::now());
    }

    /// Waits for other processes, completes what a killed one has left, and reads the lock.
    fn begin(&self) -> Result<(Exclusive, Lock), HubError> {
        let exclusive = self.place.exclusive()?;
        recover(&self.place, &self.steps)?;
        let lock = read_lock(&self.place)?;
        Ok((exclusive, lock))
    }
}
