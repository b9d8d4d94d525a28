//! The hub: finds, installs and updates skills of strangers. It is for people: a model has no tool for it.
//!
//! A skill is a folder with a `SKILL.md` and other files. [`Identifier`] names a skill of a [`Source`], and [`Hub`] does with it what a
//! person wants: look at it ([`Hub::preview`]), install it, update it without losing edits, remove it, and undo any of these.
//!
//! - All requests go through `toolc-net`, so by its address policy.
//! - A [`Judge`] decides about the files before they are where a model finds them.
//! - `lock.json` ([`Lock`]) has everything that is needed to install the same files again.
//! - A change is made as a whole, even if the process is killed while it is made.

mod bundle;
mod error;
mod fault;
mod foreign;
mod hub;
pub mod identifier;
mod journal;
mod judge;
mod kept;
mod lock;
mod merge;
mod name;
mod place;
mod plan;
mod secret;
mod source;
mod taps;
mod trust;
mod web;

pub use bundle::{
    Bundle, BundleError, BundleFile, Digest, GitId, Heading, InvalidDigest, Limits, LocalFiles, OddFile, PathFault,
    SKILL_FILE, unpack, zip,
};
pub use error::HubError;
pub use fault::{SourceError, SourceFault};
pub use foreign::{FOREIGN_LOCK, ForeignLock, ForeignOwner, ForeignSkill};
pub use hub::{
    AuditRow, DiskState, Hub, InstallOptions, Installed, Owner, Package, PlannedUpdate, Preview, Problem, RestorePlan,
    Restored, SkillRow, Snapshot,
};
pub use identifier::{Identifier, InvalidIdentifier, MarketPlace, Repository};
pub use journal::{Undoable, Undone};
pub use judge::{Accepted, AcceptedFinding, Finding, Judge, Refused};
pub use lock::{Lock, LockedSkill};
pub use name::{SkillFolder, SkillName};
pub use plan::{FileAction, FileChange, UpdatePlan, UpdateState};
pub use secret::Secret;
pub use source::{
    AppAuth, ClawHub, Description, Fetched, Folder, Found, GitHub, GitHubAuth, GitHubHost, Hit, InvalidKey, LobeHub,
    Marketplace, Origin, PullRequest, Settings, SkillsSh, Source, SourceKind, Sources, UrlSource, WellKnown,
};
pub use taps::{Tap, TapKind};
pub use trust::Trust;
