//! The policy for host keys of other machines.

use toolc_tables::words;

words! {
    /// What happens if a host key is unknown.
    pub enum HostKeys {
        /// The connection is refused.
        Strict = "strict",
        /// The key is added to the file of known hosts, and the connection is made.
        AcceptNew = "accept-new",
    }
}
