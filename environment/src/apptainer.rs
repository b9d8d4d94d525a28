//! Containers of Apptainer, or of Singularity, whose command line is the same.
//!
//! A container belongs to one environment: an instance is started, programs run in it, and it is stopped. The lease stops what is left.

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
use crate::remote::{self, Client, Reach, Remote, Streams};
use crate::{
    Abilities, Environment, Files, Kind, Launch, Leases, Local, Program, Promises, Resource, Running, ShellCache,
    ShellFiles, Site,
};

/// The time limit for starting an instance. An image that is not a folder may have to be unpacked.
const LIMIT: Duration = Duration::from_mins(5);

/// The kind of containers of Apptainer: their image, and what they see.
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

    /// Adds a folder of this machine that programs see, as `apptainer` expects it: `SOURCE`, `SOURCE:TARGET` or `SOURCE:TARGET:ro`.
    #[must_use]
    pub fn bind(mut self, bind: impl Into<String>) -> Self {
        self.binds.push(bind.into());
        self
    }

    /// Checks that the program and the image exist.
    ///
    /// # Errors
    /// The text says what is missing, and how to get it.
    pub fn check(&self) -> io::Result<()> {
        self.checked().map(drop)
    }

    /// Returns the program.
    fn checked(&self) -> io::Result<PathBuf> {
        let program = match &self.program {
            Some(program) => program.clone(),
            None => found()?,
        };
        // The lease has only the name.
        if !instance::PROGRAMS.iter().any(|name| program.file_name() == Some(OsStr::new(name))) {
            let text = format!("`{}` is neither `apptainer` nor `singularity`", program.display());
            return Err(io::Error::new(io::ErrorKind::InvalidInput, text));
        }
        instance::output(&program, &["version".into()], LIMIT)?;
        if let Err(error) = self.image.metadata() {
            let image = self.image.display();
            let text = format!(
                "the image `{image}` cannot be found: {error}. It is a file or a folder, such as one that `{} build {image} \
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

/// Returns the program that this machine has.
fn found() -> io::Result<PathBuf> {
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

    /// The administrator of a machine can let containers see more of it, so nothing is promised.
    fn promises(&self) -> Promises {
        Promises::default()
    }

    fn make(&self, site: &Site<'_>) -> io::Result<Arc<dyn Environment>> {
        Ok(Arc::new(Apptainer::new(self, site)?))
    }
}

/// A container.
#[derive(Debug)]
struct Apptainer {
    instance: Instance,
    directory: PathBuf,
    variables: Vec<(OsString, OsString)>,
    remote: Remote,
    cache: ShellCache,
    /// For temporary files, with the same path in the container.
    own: OwnFolder,
    /// Keeps the file of the lease locked until the container is stopped.
    _leases: Option<Arc<Leases>>,
}

impl Apptainer {
    fn new(kind: &ApptainerKind, site: &Site<'_>) -> io::Result<Self> {
        let directory = place::directory(site, "container")?;
        place::check_characters(&directory, b",:\"\\\n", "a comma, a colon, a quote, a backslash or a line break")?;
        let program = kind.checked()?;
        let instance = Instance { program, name: resource_name() };
        let add = |resource| match site.leases {
            Some(leases) => leases.add(&resource),
            None => Ok(()),
        };
        add(Resource::Instance(instance.clone()))?;
        let own = OwnFolder::new(ApptainerKind::NAME, |path| add(Resource::Folder(path.to_owned())))?;
        let reach = Exec(instance.clone());
        let local = Local::new("/").with_variables(instance::variables());
        let mut it = Self {
            instance,
            directory,
            variables: Vec::new(),
            remote: Remote::new(Box::new(reach), local, remote::prefix()),
            cache: ShellCache::default(),
            own,
            _leases: site.leases.cloned(),
        };
        let arguments = kind.arguments(&it.instance.name, &it.directory, it.own.path());
        instance::output(&it.instance.program, &arguments, LIMIT).map_err(|error| {
            io::Error::new(
                error.kind(),
                format!("`{}` cannot start a container: {error}", it.instance.program.display()),
            )
        })?;
        it.variables = remote::variables(&it.remote.output(&["cat", "/proc/self/environ"].map(OsStr::new))?);
        Ok(it)
    }
}

/// Reaches an instance.
#[derive(Debug)]
struct Exec(Instance);

impl Reach for Exec {
    fn client(&self, words: Vec<OsString>, _: Streams) -> io::Result<Client> {
        let instance = format!("instance://{}", self.0.name);
        let start = ["exec", "--cleanenv", "--pwd", "/", &instance].map(OsString::from);
        let arguments = start.into_iter().chain(words).collect();
        Ok(Client { program: Program::Command(self.0.program.clone().into(), arguments), on_end: None })
    }
}

impl Environment for Apptainer {
    fn name(&self) -> &str {
        ApptainerKind::NAME
    }

    fn abilities(&self) -> Abilities {
        Abilities { terminal: true, background: true, channel: false }
    }

    fn promises(&self) -> Promises {
        Promises::default()
    }

    fn directory(&self) -> &Path {
        &self.directory
    }

    fn variables(&self) -> io::Result<Vec<(OsString, OsString)>> {
        Ok(self.variables.clone())
    }

    fn temporary_folder(&self) -> Option<PathBuf> {
        Some(self.own.path().to_owned())
    }

    fn start(&self, launch: Launch) -> io::Result<Box<dyn Running>> {
        self.remote.start(launch, &self.directory)
    }

    fn end_released(&self) {
        self.remote.end_released();
    }

    fn files(&self) -> Box<dyn Files + '_> {
        Box::new(ShellFiles::new(self, &self.cache))
    }

    fn clean_up(&self) {
        if !self.remote.close() {
            return;
        }
        let _ = self.remote.end_all();
        let _ = self.instance.stop();
        self.remote.end_commands();
    }
}

impl Drop for Apptainer {
    fn drop(&mut self) {
        self.clean_up();
    }
}
