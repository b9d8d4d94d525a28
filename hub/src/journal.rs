//! Changes that are made as a whole, even if the process is killed.
//!
//! A [`Draft`] collects what a change needs, in `staging`. Nothing that people see changes until the journal is written. From then on the
//! change is completed: by this process, or by the next one, or it is undone as a whole if something is in its way. Each step is a rename,
//! and a step that was already done is recognized. A change keeps what it replaces, so that it can be undone later.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::fs;
use std::io;
use std::path::Path;
use std::sync::Arc;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::bundle::{check_name, sync_folder};
use crate::error::HubError;
use crate::lock::{Lock, LockedSkill};
use crate::name::SkillName;
use crate::place::{HUB, Place, exists, json_text, read_json};
use crate::taps::Tap;

/// Is called before each step that changes something on the disk, with the step in words.
#[derive(Clone, Default)]
pub(crate) struct Steps(Option<Arc<Watch>>);

/// Is called with a step.
type Watch = dyn Fn(&str) + Send + Sync;

impl Steps {
    pub(crate) fn new(watch: impl Fn(&str) + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(watch)))
    }

    fn report(&self, step: &str) {
        if let Some(watch) = &self.0 {
            watch(step);
        }
    }
}

impl fmt::Debug for Steps {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Steps")
    }
}

/// A rename. Paths are below the folder of all skills, with `/`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
enum Move {
    /// Moves away what is at a path, to a path of the hub that no other change uses.
    Take { at: RelativePath, into: RelativePath },
    /// Moves something from a path of the hub to a path where nothing is.
    Put { from: RelativePath, at: RelativePath },
}

/// A path that stays below the folder of all skills.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
struct RelativePath(String);

impl TryFrom<String> for RelativePath {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        match text.split('/').find_map(|name| check_name(name).err()) {
            Some(fault) => Err(format!("the path {text:?} is wrong: {fault}")),
            None => Ok(Self(text)),
        }
    }
}

impl From<RelativePath> for String {
    fn from(path: RelativePath) -> Self {
        path.0
    }
}

/// A change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Change {
    /// What it does, such as "install pdf".
    what: String,
    time: Timestamp,
    moves: Vec<Move>,
    /// The entries of the lock afterwards. Without one, the skill is not in the lock.
    skills: BTreeMap<SkillName, Option<LockedSkill>>,
    /// These entries before.
    before: BTreeMap<SkillName, Option<LockedSkill>>,
    /// The taps that are added (`true`) and removed.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    taps: BTreeMap<Tap, bool>,
}

/// The folder with what changes have replaced, and their records.
const REMOVED: &str = ".hub/removed/";

/// The beginning of what a change does that undoes another one.
const UNDO: &str = "undo: ";

/// A change that can be undone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Undoable {
    /// Its number, which is the name of its folder below `.hub/removed/`. A later change has a greater one.
    pub id: u64,
    /// What it has done, such as "uninstall pdf", or "undo: uninstall pdf".
    pub what: String,
    /// When.
    pub time: Timestamp,
    /// The skills whose entries in the lock it has changed.
    pub skills: Vec<SkillName>,
}

impl Undoable {
    /// Returns whether it has undone another change.
    pub fn is_undo(&self) -> bool {
        self.what.starts_with(UNDO)
    }
}

/// A change that was undone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Undone {
    /// What it was, such as "uninstall pdf".
    pub what: String,
    /// The number of the change that has undone it. Undoing that one repeats the first one.
    pub by: u64,
}

/// What is collected for a change.
#[derive(Debug)]
pub(crate) struct Draft<'p> {
    place: &'p Place,
    id: u64,
    change: Change,
    /// The number of staged and removed things.
    things: usize,
}

impl<'p> Draft<'p> {
    /// Begins a change. The caller holds the lock, and no other change is unfinished.
    pub(crate) fn new(place: &'p Place, what: String) -> Result<Self, HubError> {
        let time = Timestamp::now();
        // Later changes have greater names, even if the clock was set back.
        let last = removed(place)?.pop().unwrap_or(0);
        let now = u64::try_from(time.as_millisecond()).unwrap_or(0);
        let id = now.max(last + 1);
        let staging = place.at(&format!("{HUB}/staging/{id:016}"));
        fs::create_dir(&staging).map_err(HubError::io("make the folder", &staging))?;
        let (skills, before, taps) = Default::default();
        let change = Change { what, time, moves: Vec::new(), skills, before, taps };
        Ok(Self { place, id, change, things: 0 })
    }

    fn next(&mut self, folder: &str) -> String {
        self.things += 1;
        format!("{HUB}/{folder}/{:016}/{}", self.id, self.things)
    }

    /// Stages something that `write` makes at a path, and moves it to `at` later. Nothing may be there when it is moved.
    pub(crate) fn put(&mut self, at: &str, write: impl FnOnce(&Path) -> io::Result<()>) -> Result<(), HubError> {
        let from = self.next("staging");
        let path = self.place.at(&from);
        write(&path).map_err(HubError::io("write", &path))?;
        self.push_put(&from, at)
    }

    /// Moves away what is at a path later.
    pub(crate) fn take(&mut self, at: &str) -> Result<(), HubError> {
        let into = self.next("removed");
        let (at, into) = (relative(at)?, relative(&into)?);
        self.change.moves.push(Move::Take { at, into });
        Ok(())
    }

    fn push_put(&mut self, from: &str, at: &str) -> Result<(), HubError> {
        let (from, at) = (relative(from)?, relative(at)?);
        self.change.moves.push(Move::Put { from, at });
        Ok(())
    }

    /// Sets or removes the entry of a skill later.
    pub(crate) fn set(&mut self, name: &SkillName, skill: Option<LockedSkill>, lock: &Lock) {
        self.change.before.insert(name.clone(), lock.skills.get(name).cloned());
        self.change.skills.insert(name.clone(), skill);
    }

    /// Adds (`true`) or removes a tap later.
    pub(crate) fn set_tap(&mut self, tap: Tap, is_added: bool) {
        self.change.taps.insert(tap, is_added);
    }

    /// Makes the change.
    pub(crate) fn commit(self, steps: &Steps) -> Result<(), HubError> {
        self.check()?;
        let Self { place, id, change, .. } = self;
        let staged = format!("{HUB}/staging/{id:016}/undo.json");
        place.write(&place.at(&staged), &json_text(&change))?;
        let record = Move::Put { from: relative(&staged)?, at: relative(&record_of(id))? };
        let journal = Change { moves: change.moves.into_iter().chain([record]).collect(), ..change };
        steps.report("write the journal");
        place.write(&place.journal_file(), &json_text(&journal))?;
        finish(place, &journal, steps)
    }

    /// Fails if a path leads through a link, or something is where the change puts something, unless the change takes it away before.
    fn check(&self) -> Result<(), HubError> {
        let mut taken: Vec<&str> = Vec::new();
        for one in &self.change.moves {
            let (Move::Take { at: path, .. } | Move::Put { at: path, .. }) = one;
            self.place.check_parents(&path.0, &taken)?;
            match one {
                Move::Take { at, .. } => taken.push(&at.0),
                Move::Put { at, .. } if !is_taken(&at.0, &taken) && exists(&self.place.at(&at.0)) => {
                    return Err(HubError::Occupied(self.place.at(&at.0), None));
                }
                Move::Put { .. } => {}
            }
        }
        Ok(())
    }
}

/// Returns whether a path, or something in the folder at a path, is taken away. A folder that is empty then is removed.
fn is_taken(path: &str, taken: &[&str]) -> bool {
    taken.iter().any(|other| other.strip_prefix(path).is_some_and(|rest| rest.is_empty() || rest.starts_with('/')))
}

/// Completes or undoes what another process has left unfinished, and removes what it has staged. The caller holds the lock.
pub(crate) fn recover(place: &Place, steps: &Steps) -> Result<(), HubError> {
    let path = place.journal_file();
    let found = match read_json::<Change>(&path)? {
        Some(journal) => finish(place, &journal, steps),
        None => Ok(()),
    };
    if !matches!(found, Err(HubError::Unfinished(..))) {
        clear(place);
    }
    found
}

/// Undoes the change with a number, or else the last one that does not undo another one. It is a change itself: undoing that one repeats
/// the first one.
pub(crate) fn undo(place: &Place, id: Option<u64>, lock: &Lock, steps: &Steps) -> Result<Undone, HubError> {
    let changes = undoable(place)?;
    let wanted = match id {
        Some(id) => changes.iter().find(|change| change.id == id).ok_or(HubError::NoChange(id))?,
        None => changes.iter().rfind(|change| !change.is_undo()).ok_or(HubError::NothingToUndo)?,
    };
    let record = record_of(wanted.id);
    let change: Change = read_json(&place.at(&record))?.ok_or(HubError::NoChange(wanted.id))?;
    // What a later change has made of a skill is not what this one knows how to undo.
    if let Some((name, _)) = change.skills.iter().find(|(name, skill)| lock.skills.get(name) != skill.as_ref()) {
        let later = changes.iter().rfind(|later| later.id > wanted.id && later.skills.contains(name));
        let later = later.map(|later| (later.what.clone(), later.id));
        return Err(HubError::ChangedSince(change.what, name.clone(), later));
    }
    let what = change.what.strip_prefix(UNDO).map_or_else(|| format!("{UNDO}{}", change.what), str::to_owned);
    let mut draft = Draft::new(place, what)?;
    for one in change.moves.iter().rev() {
        match one {
            // The record of what that change has undone does not come back: this change is undone instead.
            Move::Take { at, .. } if at.0.starts_with(REMOVED) => {}
            Move::Put { at, .. } if exists(&place.at(&at.0)) => draft.take(&at.0)?,
            Move::Take { at, into } if exists(&place.at(&into.0)) => draft.push_put(&into.0, &at.0)?,
            // A person has removed it since.
            Move::Put { .. } | Move::Take { .. } => {}
        }
    }
    draft.take(&record)?;
    for (name, skill) in change.before {
        draft.set(&name, skill, lock);
    }
    for (tap, was_added) in change.taps {
        draft.set_tap(tap, !was_added);
    }
    let undone = Undone { what: change.what, by: draft.id };
    draft.commit(steps)?;
    Ok(undone)
}

/// Returns the path of the record of a change.
fn record_of(id: u64) -> String {
    format!("{HUB}/removed/{id:016}/undo.json")
}

/// Returns the changes that can be undone, the last one at the end.
pub(crate) fn undoable(place: &Place) -> Result<Vec<Undoable>, HubError> {
    let mut found = Vec::new();
    for id in removed(place)? {
        if let Some(Change { what, time, skills, .. }) = read_json(&place.at(&record_of(id)))? {
            found.push(Undoable { id, what, time, skills: skills.into_keys().collect() });
        }
    }
    Ok(found)
}

/// Deletes what a change has replaced, so that it cannot be undone any more.
pub(crate) fn delete(place: &Place, id: u64) -> Result<(), HubError> {
    let folder = place.at(&format!("{HUB}/removed/{id:016}"));
    // Without the record, no part of the change can be undone.
    let record = folder.join("undo.json");
    match fs::remove_file(&record) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(HubError::io("remove", &record)(error)),
        _ => {}
    }
    fs::remove_dir_all(&folder).map_err(HubError::io("remove", &folder))
}

/// Returns the numbers of the changes with a folder in `removed`, in their order.
pub(crate) fn removed(place: &Place) -> Result<Vec<u64>, HubError> {
    let folder = place.at(&format!("{HUB}/removed"));
    let mut numbers = Vec::new();
    let entries = match fs::read_dir(&folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(numbers),
        entries => entries.map_err(HubError::io("list", &folder))?,
    };
    for entry in entries {
        let name = entry.map_err(HubError::io("list", &folder))?.file_name();
        let number = name.to_str().and_then(|name| name.parse::<u64>().ok());
        numbers.extend(number.filter(|number| name == format!("{number:016}").as_str()));
    }
    numbers.sort_unstable();
    Ok(numbers)
}

fn relative(path: &str) -> Result<RelativePath, HubError> {
    RelativePath::try_from(path.to_owned()).map_err(HubError::Name)
}

/// Completes the change in the journal, or undoes all of it.
fn finish(place: &Place, journal: &Change, steps: &Steps) -> Result<(), HubError> {
    let done = journal.moves.iter().try_for_each(|one| forward(place, one, steps));
    let done = done.and_then(|()| set_taps(place, &journal.taps, true, steps));
    let done = done.and_then(|()| set_lock(place, &journal.skills, steps));
    let result = match done {
        Ok(()) => Ok(()),
        Err(reason) => {
            let undone = set_lock(place, &journal.before, steps)
                .and_then(|()| set_taps(place, &journal.taps, false, steps))
                .and_then(|()| journal.moves.iter().rev().try_for_each(|one| backward(place, one, steps)));
            match undone {
                Ok(()) => Err(HubError::RolledBack(journal.what.clone(), reason.to_string())),
                Err(_) => return Err(HubError::Unfinished(journal.what.clone(), reason.to_string())),
            }
        }
    };
    steps.report("remove the journal");
    let path = place.journal_file();
    fs::remove_file(&path).map_err(HubError::io("remove", &path))?;
    path.parent().into_iter().for_each(sync_folder);
    clear(place);
    result
}

/// Adds and removes taps, or with `forward: false` takes that back, if they are not as they should be.
fn set_taps(place: &Place, taps: &BTreeMap<Tap, bool>, forward: bool, steps: &Steps) -> Result<(), HubError> {
    if taps.is_empty() {
        return Ok(());
    }
    let path = place.taps_file();
    let before: BTreeSet<Tap> = read_json(&path)?.unwrap_or_default();
    let mut after = before.clone();
    for (tap, is_added) in taps {
        if *is_added == forward {
            after.insert(tap.clone());
        } else {
            after.remove(tap);
        }
    }
    if after == before {
        return Ok(());
    }
    steps.report("write the taps");
    place.write(&path, &json_text(&after))
}

/// Sets entries of the lock, if they are not as they should be.
fn set_lock(place: &Place, skills: &BTreeMap<SkillName, Option<LockedSkill>>, steps: &Steps) -> Result<(), HubError> {
    let path = place.lock_file();
    let before = read_lock(place)?;
    let mut lock = before.clone();
    for (name, skill) in skills {
        match skill {
            Some(skill) => lock.skills.insert(name.clone(), skill.clone()),
            None => lock.skills.remove(name),
        };
    }
    if lock == before {
        return Ok(());
    }
    steps.report("write the lock");
    place.write(&path, &lock.text())
}

/// Reads the lock. A missing one has no skills.
pub(crate) fn read_lock(place: &Place) -> Result<Lock, HubError> {
    read_json(&place.lock_file()).map(Option::unwrap_or_default)
}

/// Makes a move, unless it was made before.
fn forward(place: &Place, one: &Move, steps: &Steps) -> Result<(), HubError> {
    match one {
        Move::Take { at, into } if !exists(&place.at(&into.0)) && exists(&place.at(&at.0)) => {
            rename(place, &at.0, &into.0, steps)
        }
        Move::Put { from, at } if exists(&place.at(&from.0)) => rename(place, &from.0, &at.0, steps),
        _ => Ok(()),
    }
}

/// Unmakes a move, if it was made.
fn backward(place: &Place, one: &Move, steps: &Steps) -> Result<(), HubError> {
    match one {
        Move::Take { at, into } if exists(&place.at(&into.0)) => rename(place, &into.0, &at.0, steps),
        Move::Put { from, at } if !exists(&place.at(&from.0)) && exists(&place.at(&at.0)) => {
            rename(place, &at.0, &from.0, steps)
        }
        _ => Ok(()),
    }
}

/// Renames a file or a folder to a path where nothing is. Folders that are empty afterwards are removed.
fn rename(place: &Place, from: &str, to: &str, steps: &Steps) -> Result<(), HubError> {
    let (from_path, to_path) = (place.at(from), place.at(to));
    place.check_parents(from, &[])?;
    place.check_parents(to, &[])?;
    // Some systems replace an empty folder or a file.
    if exists(&to_path) {
        return Err(HubError::Occupied(to_path, None));
    }
    steps.report(&format!("move {from} to {to}"));
    if let Some(folder) = to_path.parent() {
        fs::create_dir_all(folder).map_err(HubError::io("make the folder", folder))?;
    }
    fs::rename(&from_path, &to_path).map_err(HubError::io("move", &from_path))?;
    for path in [&to_path, &from_path] {
        path.parent().into_iter().for_each(sync_folder);
    }
    let mut folder = from;
    while let Some((parent, _)) = folder.rsplit_once('/') {
        // Fails if it is not empty.
        if [HUB, ".hub/base", ".hub/staging", ".hub/removed"].contains(&parent)
            || fs::remove_dir(place.at(parent)).is_err()
        {
            break;
        }
        folder = parent;
    }
    Ok(())
}

/// Empties `staging`, and removes folders of changes that have not begun.
fn clear(place: &Place) {
    let staging = place.at(&format!("{HUB}/staging"));
    for entry in fs::read_dir(&staging).into_iter().flatten().flatten() {
        // If this fails, the next command tries again.
        let _ = match entry.file_type() {
            Ok(kind) if kind.is_dir() => fs::remove_dir_all(entry.path()),
            _ => fs::remove_file(entry.path()),
        };
    }
    for id in removed(place).unwrap_or_default() {
        // Fails if it is not empty.
        let _ = fs::remove_dir(place.at(&format!("{HUB}/removed/{id:016}")));
    }
}
