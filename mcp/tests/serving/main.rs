//! The server of tools, in both forms of the protocol, over HTTP and over streams.
#![expect(clippy::needless_pass_by_value, reason = "values are written where they are passed")]

mod access;
mod approval;
mod calls;
mod fixture;
mod odd_lines;
mod skills;
mod streams;
mod tasks;
