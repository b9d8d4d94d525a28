//! The client with scripted servers.

mod client;
mod faults;
mod fixture;
mod http;
mod peers;
mod pins;
