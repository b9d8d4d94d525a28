//! Environments: what all of them do, and what is special about each.
#![cfg(unix)]

#[cfg(target_os = "linux")]
mod apptainer;
#[cfg(target_os = "linux")]
mod attempts;
mod behaviours;
#[cfg(target_os = "linux")]
mod containers;
#[cfg(target_os = "linux")]
mod copy;
#[cfg(all(target_os = "linux", feature = "daytona"))]
mod daytona;
#[cfg(target_os = "linux")]
mod hidden;
mod kinds;
#[cfg(target_os = "linux")]
mod modal;
#[cfg(target_os = "linux")]
mod ssh;
mod text;
