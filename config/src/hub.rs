//! The table `[hub]`: what the table of keys cannot express.

use toolc_tables::checks;
use toolc_tables::diagnostic::Sink;

use crate::keys::HubTable;

/// Reports the mistakes of the table.
pub(crate) fn check(hub: &HubTable, sink: &Sink) {
    checks::encrypted_address(hub.github.as_ref(), "github", "https://github.example.com", sink);
    checks::encrypted_address(hub.clawhub.as_ref(), "clawhub", "https://clawhub.example.com/api/v1", sink);
    checks::encrypted_address(hub.lobehub.as_ref(), "lobehub", "https://agents.example.com", sink);
    checks::encrypted_address(hub.skills_sh.as_ref(), "skills_sh", "https://skills.example.com", sink);
}
