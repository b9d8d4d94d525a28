//! Replaces the kinds of environments that need Unix. Tasks that choose such a kind are refused.

use std::io;

use serde_json::{Value, json};
use toolc_environment::Leases;
use toolc_workspace::Environments;

use super::EnvironmentKind;
use crate::profile::Profile;

/// Adds no kinds.
pub(super) fn add(environments: Environments, _: EnvironmentKind, _: &Profile) -> Environments {
    environments
}

/// Returns the leases in the home of the profile.
pub(crate) fn leases(profile: &Profile) -> Leases {
    Leases::new(profile.home.leases())
}

/// Returns an error for each kind that has settings, because these kinds need Unix.
pub(super) fn check(kind: EnvironmentKind, _: &Profile) -> Option<(String, Value, io::Result<()>)> {
    let needs_unix = !matches!(kind, EnvironmentKind::Local | EnvironmentKind::Sandbox);
    let error = || io::Error::new(io::ErrorKind::Unsupported, "this kind of environment needs Unix");
    needs_unix.then(|| (kind.name().to_owned(), json!({}), Err(error())))
}
