//! The report on the files and folders that the user protects.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use toolc_commands::rules::RuleSet;
use toolc_config::expanded;
use toolc_environment::HiddenFolder;

use crate::ground::show;
use crate::profile::Profile;

/// A protected place.
pub(super) struct Place<'p> {
    /// As the configuration has it.
    text: &'p str,
    /// Why commands see it, or `None` if it is hidden.
    visible: Option<String>,
    /// What is known besides: whether it exists, and where it is visible.
    caveat: Option<&'static str>,
    /// The programs that may read it.
    readers: Vec<String>,
}

/// Returns the protected places, for tasks that begin in `directory`.
pub(super) fn places<'p>(profile: &'p Profile, directory: &Path) -> Vec<Place<'p>> {
    let protect = &profile.config().protect;
    let unavailable = HiddenFolder::check_available().err().map(|error| error.to_string());
    let own = protect.readers.iter().map(|reader| (reader.name.as_str(), reader.reads.as_slice()));
    let own: Vec<(&str, &[String])> = own.collect();
    let place = |text: &'p String| {
        let path = expanded(text);
        let is_around = path.canonicalize().is_ok_and(|path| directory.starts_with(path));
        let around = is_around.then(|| "the working directory is in it".to_owned());
        Place {
            text,
            visible: unavailable.clone().or(around),
            caveat: caveat(&path),
            readers: readers(&path, toolc_catalog::commands::rules(), &own),
        }
    };
    protect.places.iter().map(place).collect()
}

/// Returns what limits how a place is hidden.
fn caveat(path: &Path) -> Option<&'static str> {
    match fs::metadata(path) {
        Err(_) => Some("it does not exist, and is hidden from commands that start after it has been made"),
        #[cfg(unix)]
        Ok(found) if found.is_file() && std::os::unix::fs::MetadataExt::nlink(&found) > 1 => {
            Some("the file has other names, by which it is visible: it has several hard links")
        }
        Ok(_) => None,
    }
}

/// Returns the programs that may read a place, in alphabetical order.
fn readers(place: &Path, rules: &RuleSet<'_>, own: &[(&str, &[String])]) -> Vec<String> {
    let is_in = |path: &str| place.starts_with(expanded(path));
    let known = rules.access().iter().filter(|access| access.reads.iter().any(|path| is_in(path)));
    let known = known.flat_map(|access| access.programs).copied();
    let own = own.iter().filter(|(_, reads)| reads.iter().any(|path| is_in(path))).map(|(name, _)| *name);
    let mut names: Vec<String> = known.chain(own).map(ToOwned::to_owned).collect();
    names.sort();
    names.dedup();
    names
}

impl Place<'_> {
    /// Returns the line of the report.
    pub(super) fn text(&self) -> String {
        let mut text = format!("protected: {}: ", show::one_line(self.text));
        match &self.visible {
            Some(why) => text += &format!("visible to commands, and only judged: {}", show::one_line(why)),
            None => text += "hidden from commands",
        }
        if let (Some(caveat), None) = (self.caveat, &self.visible) {
            text += &format!("; {caveat}");
        }
        if !self.readers.is_empty() && self.visible.is_none() {
            text += &format!("; read by {}", self.readers.join(", "));
        }
        text
    }

    pub(super) fn json(&self) -> Value {
        json!({
            "place": self.text,
            "hidden": self.visible.is_none(),
            "problem": self.visible,
            "caveat": self.caveat,
            "readers": self.readers,
        })
    }

    /// Returns the place as the configuration has it, and why commands see it.
    pub(super) fn why_visible(&self) -> Option<(&str, &str)> {
        Some((self.text, self.visible.as_deref()?))
    }
}

/// Returns the paths of the protected places.
pub(super) fn paths(profile: &Profile) -> impl Iterator<Item = PathBuf> {
    profile.config().protect.places.iter().map(|place| expanded(place))
}
