//! Where the tools of this program act: the kind of environment, the lease of this process, and what `doctor` reports about them.

use std::sync::Arc;

use clap::ValueEnum;
use serde_json::json;
use toolc_cli::DoctorSection;
use toolc_config::Home;
use toolc_environment::{HostId, Leases, LocalKind, Promises, Resource, SandboxKind};
use toolc_workspace::{Environments, Workspace};

/// The kind of environment in which tools act.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum EnvironmentKind {
    /// This machine, with your rights.
    Local,
    /// A sandbox on this machine, which sees only the current directory and the installed programs, without network.
    Sandbox,
}

impl EnvironmentKind {
    /// The environment variable that names the kind.
    const VARIABLE: &str = "TOOLC_ENVIRONMENT";

    /// Returns the kind that the command line or the variable names.
    ///
    /// # Errors
    /// If the variable names no kind.
    pub(crate) fn find(argument: Option<Self>) -> Result<Self, String> {
        let variable = std::env::var_os(Self::VARIABLE).filter(|word| !word.is_empty());
        let Some(word) = variable.filter(|_| argument.is_none()) else { return Ok(argument.unwrap_or(Self::Local)) };
        let kind = word.to_str().and_then(|word| <Self as ValueEnum>::from_str(word, false).ok());
        kind.ok_or_else(|| {
            format!("the variable `{}` must be `local` or `sandbox`, not `{}`", Self::VARIABLE, word.display())
        })
    }

    /// Returns the name of the kind.
    pub(crate) fn name(self) -> &'static str {
        use toolc_environment::Kind as _;
        match self {
            Self::Local => LocalKind.name(),
            Self::Sandbox => SandboxKind::NAME,
        }
    }
}

/// Returns the environments of this process. With the home of a profile, this process takes a lease there, and what others have left
/// is removed: for commands that call tools.
pub(crate) fn environments(kind: EnvironmentKind, home: Option<&Home>) -> Environments {
    let environments = toolc_host::environments(&Workspace::current()).by_default(kind.name());
    match home {
        Some(home) => environments.leases(leases(home)),
        None => environments,
    }
}

fn leases(home: &Home) -> Arc<Leases> {
    let leases = Leases::new(home.leases());
    let (_, problems) = leases.clean_up();
    for problem in problems {
        eprintln!("warning: {problem}");
    }
    // Without a lease, only the guardian ends the processes of a killed host.
    let taken = HostId::of_this_process()
        .map(|host| home.create(&home.leases()).and_then(|()| leases.add(&Resource::Processes(host))));
    if let Some(Err(error)) = taken {
        eprintln!("warning: failed to write to `{}`: {error}", home.leases().display());
    }
    Arc::new(leases)
}

/// Returns the section on environments for the report of `doctor`. A sandbox that is the default and cannot be made is a problem.
pub(crate) fn section(default: EnvironmentKind) -> DoctorSection {
    let sandbox = SandboxKind::default().check().map_err(|error| error.to_string());
    let state = match &sandbox {
        Ok(Promises { limited_processes: true, .. }) => "available".to_owned(),
        Ok(_) => "available, but the number of its processes is not limited: this process may not make control groups"
            .to_owned(),
        Err(error) => format!("not available: {error}"),
    };
    let problems = match &sandbox {
        Err(error) if default == EnvironmentKind::Sandbox => vec![format!("the sandbox is not available: {error}")],
        _ => Vec::new(),
    };
    let text = format!("environment: {}\n    sandbox: {}", default.name(), state.replace('\n', "\n    "));
    let json = json!({
        "default": default.name(),
        "sandbox": {
            "available": sandbox.is_ok(),
            "limited_processes": sandbox.as_ref().is_ok_and(|promises| promises.limited_processes),
            "problem": sandbox.as_ref().err(),
        },
    });
    DoctorSection { key: "environment".to_owned(), json, text, problems }
}
