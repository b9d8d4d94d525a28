//! The stand-in for Modal: `server.py`. `TOOLC_TEST_MODAL` names a Python that has the SDK.

use std::env;
use std::io::{BufRead as _, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;

use tempfile::TempDir;

use crate::skip::Missing;

/// A running stand-in. Dropping it ends it, with all sandboxes.
pub struct Service {
    child: Child,
    /// The Python that has the SDK.
    pub python: PathBuf,
    address: String,
    said: Arc<Mutex<Vec<String>>>,
    _folder: TempDir,
}

/// Returns the Python that has the SDK of Modal, or why there is none.
pub fn python() -> Result<PathBuf, Missing> {
    let python = env::var_os("TOOLC_TEST_MODAL").map(PathBuf::from);
    python.ok_or_else(|| Missing::new("there is no Python with the SDK of Modal", "`cargo xtask soak modal`"))
}

impl Service {
    /// Starts a stand-in.
    pub fn start(python: PathBuf, arguments: &[&str]) -> Self {
        let folder = TempDir::new().expect("failed to make a folder");
        let mut command = Command::new(&python);
        command.args(["-c", include_str!("server.py"), "--folder"]).arg(folder.path()).args(arguments);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("failed to start Python");
        let mut lines = BufReader::new(child.stdout.take().expect("a pipe")).lines().map_while(Result::ok);
        let first = lines.next().expect("it says its address");
        let address = first.split('"').find(|part| part.starts_with("http")).expect("an address").to_owned();
        let said = Arc::new(Mutex::new(Vec::new()));
        let sink = Arc::clone(&said);
        thread::spawn(move || lines.for_each(|line| sink.lock().unwrap().push(line)));
        Self { child, python, address, said, _folder: folder }
    }

    /// Returns the variables with which the SDK finds this stand-in.
    pub fn variables(&self) -> [(&'static str, String); 4] {
        [
            ("MODAL_SERVER_URL", self.address.clone()),
            ("MODAL_TOKEN_ID", "ak-test".to_owned()),
            ("MODAL_TOKEN_SECRET", "as-test".to_owned()),
            ("MODAL_CONFIG_PATH", "/dev/null".to_owned()),
        ]
    }

    /// Returns what has happened, as lines of JSON that contain a text.
    pub fn said(&self, text: &str) -> Vec<String> {
        let said = self.said.lock().unwrap();
        said.iter().filter(|line| line.contains(text)).cloned().collect()
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        let _ = self.child.wait();
    }
}
