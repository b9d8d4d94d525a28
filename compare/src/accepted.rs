//! `breaking.toml`: the levels of changes, and the changes that people have accepted, each with a reason and a date until which that holds.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::io::ErrorKind;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use serde::Deserialize;
use toolc_codegen::Failure;

use crate::codes::{CODES, Level, named};
use crate::finding::Finding;

/// The name of the file, next to `manifests/`.
pub(crate) const FILE: &str = "breaking.toml";

/// What the file says.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Accepted {
    /// Levels by tier or code.
    #[serde(default)]
    levels: BTreeMap<String, Level>,
    /// Accepted changes.
    #[serde(default)]
    accept: Vec<Acceptance>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Acceptance {
    /// The id or the name of the code.
    code: String,
    /// The name of the tool, toolset and so on.
    name: String,
    /// The place within it. Without it, all places.
    at: Option<String>,
    reason: String,
    /// The last day on which it holds.
    until: Option<toml::value::Datetime>,
}

impl Accepted {
    /// Reads the file of the project in a folder, if it has one.
    pub(crate) fn read(root: &Path) -> Result<Self, Failure> {
        let path = root.join(FILE);
        match fs::read_to_string(&path) {
            Ok(text) => {
                Self::parse(&text).map_err(|error| Failure::new(format!("failed to read {}: {error}", path.display())))
            }
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(Self::default()),
            Err(error) => Err(Failure::new(format!("failed to read {}: {error}", path.display()))),
        }
    }

    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let accepted: Self = toml::from_str(text).map_err(|error| error.to_string())?;
        let words = accepted.levels.keys().chain(accepted.accept.iter().map(|one| &one.code));
        for word in words {
            if named(word).is_empty() {
                let codes: Vec<&str> = CODES.iter().flat_map(|code| [code.tier.word(), code.name]).collect();
                let nearest = toolc::suggest::did_you_mean(&toolc::suggest::nearest(word, codes));
                let help =
                    nearest.unwrap_or_else(|| "expected a tier, such as `wire`, or a code, such as `W002`".to_owned());
                return Err(format!("unknown code `{word}`: {help}"));
            }
        }
        if let Some(one) = accepted.accept.iter().find(|one| one.reason.trim().is_empty()) {
            return Err(format!("the acceptance of `{}` for `{}` needs a `reason`", one.code, one.name));
        }
        Ok(accepted)
    }

    /// Sets the levels of findings, and marks those that are accepted. Returns what is wrong with the acceptances: some have expired, and
    /// others are not needed.
    pub(crate) fn apply(&self, findings: &mut [Finding], today: &str) -> Vec<String> {
        let mut notes = Vec::new();
        let mut is_used = vec![false; self.accept.len()];
        for finding in findings {
            // The name of a code is more specific than that of a tier.
            let levels = [finding.code.tier.word(), finding.code.name, finding.code.id];
            let of = |word: &str| {
                self.levels.iter().find(|(key, _)| key.eq_ignore_ascii_case(word)).map(|(_, level)| *level)
            };
            if let Some(level) = levels.iter().rev().find_map(|word| of(word)) {
                finding.level = level;
            }
            for (index, acceptance) in self.accept.iter().enumerate() {
                if !acceptance.covers(finding) {
                    continue;
                }
                is_used[index] = true;
                match &acceptance.until {
                    Some(until) if *until.to_string() < *today => notes.push(format!(
                        "the acceptance of {} for `{}` has expired on {until}: {}",
                        finding.code.id, finding.name, acceptance.reason
                    )),
                    _ => finding.accepted = Some(acceptance.reason.clone()),
                }
            }
        }
        let unused = self.accept.iter().zip(is_used).filter(|(_, is_used)| !is_used);
        notes.extend(
            unused.map(|(one, _)| {
                format!("{FILE} accepts `{}` for `{}`, which is not found any more", one.code, one.name)
            }),
        );
        notes.dedup();
        notes
    }
}

impl Acceptance {
    fn covers(&self, finding: &Finding) -> bool {
        named(&self.code).iter().any(|code| code.id == finding.code.id)
            && self.name == finding.name
            && self.at.as_ref().is_none_or(|at| *at == finding.at)
    }
}

/// Appends acceptances of findings to the text of the file.
pub(crate) fn append(text: &str, findings: &[&Finding], reason: &str) -> String {
    let mut out = text.trim_end().to_owned();
    let quoted = |text: &str| toml::Value::from(text).to_string();
    for finding in findings {
        let start = if out.is_empty() { "" } else { "\n\n" };
        let (code, name) = (quoted(finding.code.id), quoted(&finding.name));
        let _ = write!(out, "{start}[[accept]]\ncode = {code}\nname = {name}\n");
        if !finding.at.is_empty() {
            let _ = writeln!(out, "at = {}", quoted(&finding.at));
        }
        let _ = write!(out, "reason = {}", quoted(reason));
    }
    out + "\n"
}

/// Returns the date of today in UTC, such as `2026-01-31`.
pub(crate) fn today() -> String {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    date(seconds / 86_400)
}

/// Returns the date of a day, counted from 1970-01-01. The years of the algorithm begin in March, and its eras have 400 years.
fn date(day: u64) -> String {
    let day = day + 719_468;
    let (era, of_era) = (day / 146_097, day % 146_097);
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let shifted = (5 * of_year + 2) / 153;
    let (day, month) = (of_year - (153 * shifted + 2) / 5 + 1, if shifted < 10 { shifted + 3 } else { shifted - 9 });
    format!("{:04}-{month:02}-{day:02}", year + era * 400 + u64::from(month <= 2))
}

#[cfg(test)]
mod tests {
    use super::date;

    #[test]
    fn days_have_dates() {
        for (day, expected) in
            [(0, "1970-01-01"), (11_016, "2000-02-29"), (19_782, "2024-02-29"), (20_819, "2027-01-01")]
        {
            assert_eq!(date(day), expected);
        }
    }
}
