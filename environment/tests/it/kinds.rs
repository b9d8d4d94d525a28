//! The kinds of environments that tests can make on this machine.

use std::env;

use toolc_environment::{ApptainerKind, ContainerKind, Kind as _, ModalKind, Promises, SandboxKind, SshKind};
use toolc_test_support::apptainer::Recorder;
use toolc_test_support::programs::INSTALL;
use toolc_test_support::{Missing, SANDBOX, modal, ssh};

/// A server or program of tests, as a kind of environment.
pub(crate) trait AsKind {
    type Kind;

    fn kind(&self) -> Self::Kind;
}

impl AsKind for Recorder {
    type Kind = ApptainerKind;

    fn kind(&self) -> ApptainerKind {
        ApptainerKind::new(self.file("image")).program(self.file("apptainer"))
    }
}

impl AsKind for ssh::Server {
    type Kind = SshKind;

    /// The user of the tests.
    fn kind(&self) -> SshKind {
        SshKind::new("127.0.0.1", self.file("known_hosts")).port(self.port).key(self.file("key"))
    }
}

#[cfg(feature = "daytona")]
impl AsKind for toolc_test_support::daytona::Service {
    type Kind = toolc_environment::DaytonaKind;

    fn kind(&self) -> Self::Kind {
        Self::Kind::new(toolc_test_support::daytona::KEY, self.known_hosts()).url(self.url())
    }
}

impl AsKind for modal::Service {
    type Kind = ModalKind;

    fn kind(&self) -> ModalKind {
        self.variables()
            .into_iter()
            .fold(ModalKind::default().python(&self.python), |kind, (name, value)| kind.variable(name, value))
    }
}

/// Returns containers of the image that `TOOLC_TEST_IMAGE` names.
pub(crate) fn container() -> Result<ContainerKind, Missing> {
    let missing = |reason: String| Missing::new(reason, format!("{INSTALL} as root, or `cargo xtask soak containers`"));
    let image =
        env::var("TOOLC_TEST_IMAGE").map_err(|_| missing("there is no engine with an image for tests".to_owned()))?;
    let kind = ContainerKind::new(image);
    kind.check().map_err(|error| missing(error.to_string()))?;
    Ok(kind)
}

/// Returns what a sandbox of this kind promises.
pub(crate) fn sandbox(kind: &SandboxKind) -> Result<Promises, Missing> {
    let missing = |error| Missing::new(format!("no sandbox can be made: {error}"), SANDBOX);
    kind.check().map_err(missing)
}
