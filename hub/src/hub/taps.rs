//! Adds and removes repositories that are searched.

use super::Hub;
use crate::error::HubError;
use crate::place::{json_text, read_json};
use crate::taps::Tap;

impl Hub {
    /// Returns the repositories that a person has added to the search.
    ///
    /// # Errors
    /// If `taps.json` is damaged.
    pub fn taps(&self) -> Result<Vec<Tap>, HubError> {
        Ok(read_json(&self.place.taps_file())?.unwrap_or_default())
    }

    /// Adds a repository to the search. Returns whether it is new.
    ///
    /// # Errors
    /// If `taps.json` is damaged or cannot be written.
    pub fn add_tap(&self, tap: &Tap) -> Result<bool, HubError> {
        let (_exclusive, _) = self.begin()?;
        let mut taps = self.taps()?;
        if taps.contains(tap) {
            return Ok(false);
        }
        taps.push(tap.clone());
        taps.sort();
        self.set_taps(&taps)
    }

    /// Removes a repository from the search. Installed skills stay. Returns whether it was in the list.
    ///
    /// # Errors
    /// If `taps.json` is damaged or cannot be written.
    pub fn remove_tap(&self, tap: &Tap) -> Result<bool, HubError> {
        let (_exclusive, _) = self.begin()?;
        let before = self.taps()?;
        let taps: Vec<Tap> = before.iter().filter(|other| *other != tap).cloned().collect();
        if taps.len() == before.len() {
            return Ok(false);
        }
        self.set_taps(&taps)
    }

    fn set_taps(&self, taps: &[Tap]) -> Result<bool, HubError> {
        self.place.write(&self.place.taps_file(), &json_text(&taps))?;
        self.sources.set_taps(taps);
        Ok(true)
    }
}
