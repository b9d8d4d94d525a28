//! Time zones by their names.

use std::env;

use jiff::tz::TimeZone;

use super::ScheduleError;

/// The variable that names the time zone of a process.
const VARIABLE: &str = "TZ";

/// Returns the time zone of this computer: the variable `TZ`, or else the system's. A system without a time zone has UTC.
///
/// # Errors
/// Returns an error if `TZ` does not name a time zone.
pub(super) fn system_zone() -> Result<TimeZone, ScheduleError> {
    match (TimeZone::try_system(), env::var_os(VARIABLE)) {
        (Ok(zone), _) => Ok(zone),
        (Err(_), None) => Ok(TimeZone::UTC),
        (Err(_), Some(name)) => Err(ScheduleError(format!(
            "the variable `{VARIABLE}` is `{}`, which is not a known time zone on this computer: expected a name such as \
             `Europe/Berlin` or `UTC`, or no variable, for the time zone of the system",
            name.to_string_lossy().escape_debug()
        ))),
    }
}

/// Returns the name of a time zone, by which [`find`] finds it: a name of the database of time zones, or a rule such as
/// `CET-1CEST,M3.5.0,M10.5.0/3` in the variable `TZ`.
pub(super) fn name(zone: &TimeZone) -> Option<String> {
    let name = zone.iana_name().map(ToOwned::to_owned).or_else(|| env::var(VARIABLE).ok());
    name.filter(|name| find(name).as_ref() == Some(zone))
}

/// Returns the error about a name in a schedule that is not a time zone.
pub(super) fn unknown(name: &str) -> ScheduleError {
    ScheduleError(format!(
        "`{}` is not a known time zone on this computer: expected a name such as `Europe/Berlin` or `UTC`",
        name.escape_debug()
    ))
}

/// Returns the time zone with a name.
pub(super) fn find(name: &str) -> Option<TimeZone> {
    TimeZone::get(name).ok().filter(|zone| !zone.is_unknown()).or_else(|| TimeZone::posix(name).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_zone_is_found_again_by_its_name() {
        for text in ["Europe/Berlin", "UTC", "Asia/Kathmandu"] {
            let zone = find(text).expect("it is known");
            assert_eq!(name(&zone).as_deref(), Some(text));
        }
        let rule = find("CET-1CEST,M3.5.0,M10.5.0/3").expect("it is a rule");
        assert_eq!((rule.iana_name(), name(&rule)), (None, None), "the variable has no such rule");
        for text in ["Nowhere/Bad", "", "Etc/Unknown", "../../etc/passwd"] {
            assert_eq!(find(text), None, "{text}");
        }
    }
}
