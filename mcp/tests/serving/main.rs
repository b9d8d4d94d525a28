//! The server of tools, in both eras of the protocol, over HTTP and over streams.

mod access;
mod approval;
mod calls;
mod fixture;
mod streams;
mod tasks;
