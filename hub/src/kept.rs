//! What changes have replaced is kept for an undo up to an age and a size. Beyond them, the oldest changes are deleted first.

use std::fs;
use std::path::PathBuf;

use jiff::{SignedDuration, Timestamp};

use crate::error::HubError;
use crate::journal::{delete, removed, undoable};
use crate::place::{HUB, Place};

/// How much is kept.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bounds {
    age: SignedDuration,
    bytes: u64,
}

/// The bounds of every hub. The largest of the 36 official skills had 5.5 MB in November 2026.
pub(crate) const BOUNDS: Bounds = Bounds { age: SignedDuration::from_hours(90 * 24), bytes: 100 << 20 };

/// Deletes the changes that are older than the bounds, and the oldest ones as long as all together have more bytes than the bounds. The last
/// change stays. The caller holds the lock, and no change is unfinished. Returns how many were deleted.
pub(crate) fn prune(place: &Place, bounds: Bounds, now: Timestamp) -> Result<usize, HubError> {
    let changes = undoable(place)?;
    // A process that was killed while it deleted a change may have left a part of it.
    for id in removed(place)?.into_iter().filter(|id| changes.iter().all(|change| change.id != *id)) {
        delete(place, id)?;
    }
    let mut bytes = 0;
    let is_kept = |(index, change): (usize, &crate::journal::Undoable)| {
        bytes += size(place.at(&format!("{HUB}/removed/{:016}", change.id)));
        index == 0 || (bytes <= bounds.bytes && now.duration_since(change.time) <= bounds.age)
    };
    let kept = changes.iter().rev().enumerate().map(is_kept).take_while(|is_kept| *is_kept).count();
    let old = changes.len() - kept;
    for change in &changes[..old] {
        delete(place, change.id)?;
    }
    Ok(old)
}

/// Returns the size of the files in a folder. Links are not followed, and what cannot be read counts nothing.
fn size(folder: PathBuf) -> u64 {
    let (mut bytes, mut waiting) = (0, vec![folder]);
    while let Some(folder) = waiting.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            match entry.metadata() {
                Ok(meta) if meta.is_dir() => waiting.push(entry.path()),
                Ok(meta) => bytes += meta.len(),
                Err(_) => {}
            }
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use tempfile::TempDir;

    use super::*;
    use crate::journal::{Draft, Steps};

    /// Replaces a file of the hub's folder three times. Each time, about 100,000 bytes are kept.
    fn place() -> (TempDir, Place) {
        let folder = tempfile::tempdir().expect("failed to make a folder");
        let place = Place::new(folder.path().join("skills"));
        let _exclusive = place.exclusive().expect("it is free");
        fs::write(place.at("a"), "x".repeat(100_000)).expect("failed to write");
        for number in 0..3 {
            let mut draft = Draft::new(&place, format!("change {number}")).expect("it can be written");
            draft.take("a").expect("it is a path");
            draft.put("a", |path| fs::write(path, "x".repeat(100_000))).expect("it can be written");
            draft.commit(&Steps::default()).expect("nothing is in its way");
        }
        (folder, place)
    }

    fn left(place: &Place) -> Vec<String> {
        undoable(place).expect("it is valid").into_iter().map(|change| change.what).collect()
    }

    #[test]
    fn the_oldest_changes_are_deleted_beyond_the_size_and_the_last_one_stays() {
        let (_folder, place) = place();
        let now = Timestamp::now();
        let prune = |bytes| prune(&place, Bounds { bytes, ..BOUNDS }, now).expect("it can be deleted");
        assert_eq!((prune(1_000_000), left(&place).len()), (0, 3));
        assert_eq!((prune(250_000), left(&place)), (1, vec!["change 1".to_owned(), "change 2".to_owned()]));
        assert_eq!((prune(0), left(&place)), (1, vec!["change 2".to_owned()]));
        assert_eq!(prune(0), 0);
    }

    #[test]
    fn changes_are_deleted_beyond_the_age_and_the_last_one_stays() {
        let (_folder, place) = place();
        let later = Timestamp::now() + SignedDuration::from_hours(91 * 24);
        assert_eq!(prune(&place, BOUNDS, Timestamp::now()).expect("it can be deleted"), 0);
        assert_eq!(prune(&place, BOUNDS, later).expect("it can be deleted"), 2);
        assert_eq!(left(&place), ["change 2"]);
    }

    #[test]
    fn a_part_of_a_deleted_change_is_deleted_too() {
        let (_folder, place) = place();
        let id = undoable(&place).expect("it is valid")[0].id;
        fs::remove_file(place.at(&format!("{HUB}/removed/{id:016}/undo.json"))).expect("failed to remove");
        prune(&place, BOUNDS, Timestamp::now()).expect("it can be deleted");
        assert!(!place.at(&format!("{HUB}/removed/{id:016}")).exists());
        assert_eq!(left(&place).len(), 2);
    }
}
