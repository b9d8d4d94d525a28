//! Which host keys of other machines are accepted.

use toolc_tables::words;

words! {
    /// What happens to host keys that are not known.
    pub enum HostKeys {
        /// The connection is refused.
        Strict = "strict",
        /// The key is written to the file of known hosts, and is known from then on.
        AcceptNew = "accept-new",
    }
}
