//! The program `toolc`, its example hosts, and the shipped tools.

#[cfg(target_os = "linux")]
mod agent;
#[cfg(target_os = "linux")]
mod approval;
#[cfg(unix)]
mod completion;
#[cfg(unix)]
mod configuration;
#[cfg(target_os = "linux")]
mod daytona;
#[cfg(target_os = "linux")]
mod ends;
mod host;
mod hosts;
#[cfg(target_os = "linux")]
mod mcp;
#[cfg(target_os = "linux")]
mod modal;
mod results;
#[cfg(target_os = "linux")]
mod same_tools;
#[cfg(target_os = "linux")]
mod skills;
#[cfg(target_os = "linux")]
mod ssh;
mod state;
