//! The hub against sources on this machine, which answer as they publish, and as they should not.

mod archives;
mod auth;
mod faults;
mod github;
mod home;
mod kills;
mod lives;
mod publish;
mod restore;
mod server;
mod sources;
mod updates;
