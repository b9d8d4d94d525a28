//! The client with scripted servers.

mod asking;
mod client;
mod conformance;
mod faults;
mod fixture;
mod http;
mod login;
mod odd;
mod packages;
mod peers;
mod person;
mod pins;
mod skills;
