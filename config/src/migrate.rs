//! Older versions of `config.toml` are brought to the current one, step by step.

use toml_edit::DocumentMut;

use crate::error::ConfigError;

/// The version that this program reads.
pub(crate) const CURRENT: u32 = 1;

/// A step from one version to the next.
#[derive(Debug, Clone, Copy)]
struct Migration {
    /// The version before the step.
    from: u32,
    /// Changes the document. Comments and the order of keys stay as they are.
    apply: fn(&mut DocumentMut),
}

/// The steps to the current version, in order. If the name or the meaning of a key changes, add a step, and raise [`CURRENT`].
const MIGRATIONS: &[Migration] = &[];

/// A text of the current version.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Migrated {
    /// It was of the current version, or has syntax errors, which the reader reports.
    Unchanged,
    /// The new text, and the version of the old one.
    From(u32, String),
}

/// Brings a text to the current version.
///
/// # Errors
/// If its version is newer than the current one, or no step leads from it.
pub(crate) fn migrate(text: &str) -> Result<Migrated, ConfigError> {
    migrate_with(text, CURRENT, MIGRATIONS)
}

fn migrate_with(text: &str, current: u32, migrations: &[Migration]) -> Result<Migrated, ConfigError> {
    let Ok(mut document) = text.parse::<DocumentMut>() else { return Ok(Migrated::Unchanged) };
    // A missing version is the current one, and the reader reports a version that is not an integer.
    let Some(version) = document.get("version").and_then(toml_edit::Item::as_integer) else {
        return Ok(Migrated::Unchanged);
    };
    let Ok(first) = u32::try_from(version) else { return Ok(Migrated::Unchanged) };
    if first > current {
        let message =
            format!("it is of version {first}, and this program reads versions up to {current}: update toolc");
        return Err(ConfigError::mistake(message));
    }
    let mut version = first;
    while version < current {
        let step = migrations.iter().find(|step| step.from == version);
        let step = step.ok_or_else(|| {
            ConfigError::mistake(format!("there is no version {version} of the format: the current one is {current}"))
        })?;
        (step.apply)(&mut document);
        version += 1;
        document["version"] = set_version(&document["version"], version);
    }
    Ok(if version == first { Migrated::Unchanged } else { Migrated::From(first, document.to_string()) })
}

/// Returns the new version with the comments of the old one.
fn set_version(old: &toml_edit::Item, version: u32) -> toml_edit::Item {
    let mut value = toml_edit::Value::from(i64::from(version));
    if let Some(old) = old.as_value() {
        *value.decor_mut() = old.decor().clone();
    }
    value.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    const STEPS: &[Migration] = &[
        Migration {
            from: 1,
            apply: |document| {
                if let Some(item) = document.remove("old_name") {
                    document.insert("name", item);
                }
            },
        },
        Migration { from: 2, apply: |document| document["added"] = toml_edit::value(true) },
    ];

    #[test]
    fn every_step_from_the_version_of_the_file_is_applied_and_comments_stay() {
        let text = "# mine\nversion = 1 # why\nold_name = 'x'\n\n[table] # here\nkey = 1\n";
        let Ok(Migrated::From(1, migrated)) = migrate_with(text, 3, STEPS) else { panic!("it is not migrated") };
        assert_eq!(migrated, "# mine\nversion = 3 # why\nname = 'x'\nadded = true\n\n[table] # here\nkey = 1\n");
        assert_eq!(migrate_with(&migrated, 3, STEPS), Ok(Migrated::Unchanged));
        let second = migrate_with("version = 2\nold_name = 1\n", 3, STEPS);
        assert_eq!(second, Ok(Migrated::From(2, "version = 3\nold_name = 1\nadded = true\n".to_owned())));
    }

    #[test]
    fn newer_and_impossible_versions_are_refused() {
        assert!(migrate_with("version = 4", 3, STEPS).is_err_and(|error| error.to_string().contains("update toolc")));
        assert!(migrate_with("version = 0", 3, STEPS).is_err_and(|error| error.to_string().contains("no version 0")));
        assert!(migrate(&format!("version = {}", CURRENT + 1)).is_err());
    }

    #[test]
    fn what_the_reader_reports_stays_as_it_is() {
        for text in ["", "version = 'x'", "version = -1", "[broken", "key = 1"] {
            assert_eq!(migrate_with(text, 3, STEPS), Ok(Migrated::Unchanged), "{text}");
        }
    }
}
