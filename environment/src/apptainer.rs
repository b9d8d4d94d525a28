//! Containers of Apptainer or Singularity, which have the same command line.
//!
//! A container belongs to one environment, which starts an instance, runs programs in it, and stops it. If this process is killed, the
//! clean-up of its lease stops the instance.

use std::env;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use crate::instance::{self, Instance};
use crate::lease::resource_name;
use crate::own::OwnFolder;
use crate::place;
use crate::remote::{self, Client, Place, Remote, RemoteEnvironment, Streams};
use crate::{Environment, Kind, Local, Program, Promises, Resource, Site};

/// The time limit for starting an instance. An image that is not a folder may have to be unpacked.
const LIMIT: Duration = Duration::from_mins(5);

/// The kind of Apptainer containers: their image, and the folders that they see.
///
/// Programs have the files of the image, which they cannot change, the directory of the task, and folders that are [bound](Self::bind).
#[derive(Debug, Clone)]
pub struct ApptainerKind {
    image: PathBuf,
    program: Option<PathBuf>,
    network: bool,
    binds: Vec<String>,
}

impl ApptainerKind {
    /// The name of this kind.
    pub const NAME: &str = "apptainer";

    /// Creates the kind that runs programs in containers of an image: a file or a folder of this machine, with a POSIX shell and the
    /// usual programs.
    pub fn new(image: impl Into<PathBuf>) -> Self {
        Self { image: image.into(), program: None, network: false, binds: Vec::new() }
    }

    /// Sets the program. By default, it is `apptainer`, or else `singularity`.
    #[must_use]
    pub fn program(mut self, program: impl Into<PathBuf>) -> Self {
        self.program = Some(program.into());
        self
    }

    /// Sets whether programs have the network of this machine.
    #[must_use]
    pub fn network(self, network: bool) -> Self {
        Self { network, ..self }
    }

    /// Adds a folder of this machine that programs can see, in the form that `apptainer` expects: `SOURCE`, `SOURCE:TARGET` or `SOURCE:TARGET:ro`.
    #[must_use]
    pub fn bind(mut self, bind: impl Into<String>) -> Self {
        self.binds.push(bind.into());
        self
    }

    /// Returns the program, if it works and the image exists.
    fn find_program(&self) -> io::Result<PathBuf> {
        let program = match &self.program {
            Some(program) => program.clone(),
            None => installed_program()?,
        };
        // A lease records only the name of the program, and the clean-up runs only programs with these names.
        if !instance::PROGRAMS.iter().any(|name| program.file_name() == Some(OsStr::new(name))) {
            let text = format!("`{}` is neither `apptainer` nor `singularity`", program.display());
            return Err(io::Error::new(io::ErrorKind::InvalidInput, text));
        }
        instance::output(&program, &["version".into()], LIMIT)?;
        if let Err(error) = self.image.metadata() {
            let image = self.image.display();
            let text = format!(
                "the image `{image}` cannot be found: {error}. Set the path of an image, for example one that `{} build {image} \
                 docker://docker.io/library/python:3.13` makes",
                program.display()
            );
            return Err(io::Error::new(error.kind(), text));
        }
        Ok(program)
    }

    /// Returns the arguments that start an instance.
    fn arguments(&self, name: &str, directory: &Path, own: &Path) -> Vec<OsString> {
        let mut arguments: Vec<OsString> =
            ["instance", "start", "--containall", "--no-home", "--cleanenv"].map(OsString::from).to_vec();
        if !self.network {
            arguments.extend(["--net", "--network", "none"].map(OsString::from));
        }
        for folder in [directory, own] {
            arguments.extend(["--bind".into(), folder.into()]);
        }
        for bind in &self.binds {
            arguments.extend(["--bind", bind].map(OsString::from));
        }
        arguments.extend([self.image.clone().into_os_string(), name.into()]);
        arguments
    }
}

/// Returns the name of the program that is installed on this machine.
fn installed_program() -> io::Result<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let program =
        instance::PROGRAMS.iter().find(|name| env::split_paths(&path).any(|folder| folder.join(name).is_file()));
    program.map(PathBuf::from).ok_or_else(|| {
        let text = "the programs `apptainer` and `singularity` are missing: install one of them";
        io::Error::new(io::ErrorKind::NotFound, text)
    })
}

impl Kind for ApptainerKind {
    fn name(&self) -> &str {
        Self::NAME
    }

    /// Promises nothing, because the administrator of the machine can let containers see more of it.
    fn promises(&self) -> Promises {
        Promises::default()
    }

    /// Checks that the program and the image exist.
    fn check(&self) -> io::Result<Promises> {
        self.find_program().map(|_| self.promises())
    }

    fn make(&self, site: &Site<'_>) -> io::Result<Arc<dyn Environment>> {
        let directory = place::directory(site, "container")?;
        place::check_characters(&directory, b",:\"\\\n", "a comma, a colon, a quote, a backslash or a line break")?;
        let program = self.find_program()?;
        let name = resource_name();
        let instance = Instance { program: program.clone(), name: name.clone() };
        site.add(&Resource::Instance(instance.clone()))?;
        let own = OwnFolder::new(Self::NAME, site.leases)?;
        let folder = own.path().to_owned();
        let local = Local::for_clients(instance::variables());
        let mut environment =
            RemoteEnvironment::new(self, Remote::new(instance, local, remote::prefix()), own, site.leases);
        instance::output(&program, &self.arguments(&name, &directory, &folder), LIMIT).map_err(|error| {
            let text = format!("`{}` cannot start a container: {error}", program.display());
            io::Error::new(error.kind(), text)
        })?;
        environment.temporary_folder = Some(folder);
        Ok(Arc::new(environment.begin_in(directory)?))
    }
}

impl Place for Instance {
    fn client(&self, words: Vec<OsString>, _: Streams) -> io::Result<Client> {
        let instance = format!("instance://{}", self.name);
        let start = ["exec", "--cleanenv", "--pwd", "/", &instance].map(OsString::from);
        let arguments = start.into_iter().chain(words).collect();
        Ok(Client { program: Program::Command(self.program.clone().into(), arguments), on_end: None })
    }

    fn end(&self, remote: &Remote) {
        let _ = remote.end_all();
        let _ = self.stop();
    }
}
