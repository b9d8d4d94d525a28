//! The client with scripted servers.

mod asking;
mod client;
mod conformance;
mod faults;
mod fixture;
mod http;
mod login;
mod packages;
mod peers;
mod person;
mod pins;
