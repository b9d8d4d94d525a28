//! The environment variables of a program that inherits none of the host's own.

/// Variables that every program gets, if they are set.
const BASELINE: &[&str] = &[
    "PATH",
    "HOME",
    "LANG",
    "TMPDIR",
    "TZ",
    "LC_ADDRESS",
    "LC_ALL",
    "LC_COLLATE",
    "LC_CTYPE",
    "LC_IDENTIFICATION",
    "LC_MEASUREMENT",
    "LC_MESSAGES",
    "LC_MONETARY",
    "LC_NAME",
    "LC_NUMERIC",
    "LC_PAPER",
    "LC_TELEPHONE",
    "LC_TIME",
];

/// Variables without which most programs fail on Windows.
const BASELINE_ON_WINDOWS: &[&str] = &[
    "APPDATA",
    "COMSPEC",
    "LOCALAPPDATA",
    "PATHEXT",
    "SYSTEMDRIVE",
    "SYSTEMROOT",
    "TEMP",
    "TMP",
    "USERPROFILE",
    "WINDIR",
];

/// Returns the variables of a program that inherits none: those that most programs need, and those that it asks for. `value` looks
/// them up.
pub fn baseline<'n>(
    named: impl IntoIterator<Item = &'n str>,
    value: impl Fn(&str) -> Option<String>,
) -> Vec<(String, String)> {
    let usual = BASELINE.iter().chain(BASELINE_ON_WINDOWS.iter().filter(|_| cfg!(windows))).copied();
    usual.chain(named).filter_map(|name| Some((name.to_owned(), value(name)?))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_baseline_has_usual_and_named_variables_that_are_set() {
        let value = |name: &str| (name != "UNSET" && !name.starts_with("LC_")).then(|| name.to_lowercase());
        let names: Vec<String> = baseline(["KEY", "UNSET"], value).into_iter().map(|(name, _)| name).collect();
        assert!(names.starts_with(&["PATH".to_owned(), "HOME".to_owned()]), "{names:?}");
        assert_eq!(names.last().map(String::as_str), Some("KEY"));
    }
}
