//! Versions as Python writes them.

use crate::error::Error;

/// Returns a version of cargo as PEP 440 writes it: `0.1.0`, or `0.1.0a2` for `0.1.0-alpha.2`.
///
/// # Errors
/// If the version has a form that has no counterpart, such as build metadata.
pub(crate) fn of_python(version: &str) -> Result<String, Error> {
    let unknown = || {
        Error::new(format!(
            "the version `{version}` has no form in Python: expected X.Y.Z, X.Y.Z-alpha.N, X.Y.Z-beta.N or X.Y.Z-rc.N"
        ))
    };
    let (release, pre) = version.split_once('-').map_or((version, None), |(release, pre)| (release, Some(pre)));
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if release.split('.').count() != 3 || !release.split('.').all(is_number) {
        return Err(unknown());
    }
    let Some(pre) = pre else { return Ok(release.to_owned()) };
    let letter = |name: &str| [("alpha", "a"), ("beta", "b"), ("rc", "rc")].into_iter().find(|(long, _)| *long == name);
    match pre.split_once('.') {
        Some((name, number)) if is_number(number) => {
            let (_, short) = letter(name).ok_or_else(unknown)?;
            Ok(format!("{release}{short}{number}"))
        }
        _ => Err(unknown()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_of_cargo_is_written_as_python_does() {
        for (cargo, python) in [
            ("0.1.0", Some("0.1.0")),
            ("1.20.3", Some("1.20.3")),
            ("0.1.0-alpha.2", Some("0.1.0a2")),
            ("0.1.0-beta.10", Some("0.1.0b10")),
            ("0.1.0-rc.1", Some("0.1.0rc1")),
            ("0.1.0-dev", None),
            ("0.1.0+abc", None),
            ("0.1", None),
            ("0.1.x", None),
        ] {
            assert_eq!(of_python(cargo).ok().as_deref(), python, "{cargo}");
        }
    }
}
