//! The table `[hub]`: what the table of keys cannot express.

use toolc_tables::checks;
use toolc_tables::diagnostic::Sink;

use crate::keys::HubTable;

/// Reports the mistakes of the table.
pub(crate) fn check(hub: &HubTable, sink: &Sink) {
    checks::encrypted_address(hub.github.as_ref(), "github", "https://github.example.com", sink);
    checks::address(hub.clawhub.as_ref(), "clawhub", "https://clawhub.example.com/api/v1", sink);
    checks::address(hub.lobehub.as_ref(), "lobehub", "https://agents.example.com", sink);
    checks::address(hub.skills_sh.as_ref(), "skills_sh", "https://skills.example.com", sink);
}

#[cfg(test)]
mod tests {
    use crate::keys::Hub;
    use crate::{ConfigFile, Home};

    fn read(text: &str) -> Result<Hub, String> {
        let folder = tempfile::tempdir().expect("failed to make a folder");
        let home = Home::at(folder.path());
        std::fs::write(home.config(), format!("version = 1\n{text}")).expect("failed to write");
        ConfigFile::read(&home).map(|file| file.config().hub.clone()).map_err(|error| error.to_string())
    }

    #[test]
    fn an_address_of_a_source_is_one_and_a_token_is_sent_encrypted() {
        let hub = read("[hub]\ngithub = 'https://github.example.com'\nclawhub = 'http://mirror.example.com/api'\n");
        let hub = hub.expect("both are addresses");
        assert_eq!(hub.github.as_deref(), Some("https://github.example.com"));
        for (text, part) in [
            ("[hub]\ngithub = 'github.example.com'", "`github` is not an address"),
            ("[hub]\ngithub = 'http://github.example.com'", "`github` is not encrypted"),
            ("[hub]\ngithub = 'https://me:pw@github.example.com'", "contains a user or a password"),
            ("[hub]\nlobehub = 'agents.example.com'", "`lobehub` is not an address"),
            ("[hub]\nskills_sh = 'ftp://skills.example.com'", "`skills_sh` is not an address"),
            ("[hub]\nclawhub = 5", "clawhub"),
            ("[hub]\nclaw = 'x'", "claw"),
        ] {
            let error = read(text).expect_err(text);
            assert!(error.contains(part), "{part}: {error}");
        }
    }
}
