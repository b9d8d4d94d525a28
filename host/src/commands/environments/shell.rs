//! A shell for the person at the terminal, in an environment of the profile.

use toolc_environment::EnvironmentKind;

use crate::ground::error::{Error, Result};
use crate::profile::Profile;

/// Opens a shell for the current directory, and waits for its end. Returns its exit status.
#[cfg(not(unix))]
pub(super) fn run(_: EnvironmentKind, _: &Profile) -> Result<u8> {
    Err(Error::Invalid("a shell in an environment needs Unix".to_owned()))
}

#[cfg(unix)]
pub(super) use unix::run;

#[cfg(unix)]
mod unix {
    use std::io::{self, IsTerminal as _, Read as _, Write as _};
    use std::os::fd::AsFd as _;
    use std::sync::Arc;
    use std::thread;
    use std::time::Duration;

    use rustix::termios::{OptionalActions, Termios, tcgetattr, tcgetwinsize, tcsetattr};
    use toolc_environment::{Exit, Launch, Output, Program, Running};
    use toolc_process::{Sink, TerminalSize};
    use toolc_workspace::Workspace;

    use super::{EnvironmentKind, Error, Profile, Result};
    use crate::environments::{Start, environments, on_this_machine};

    /// Runs bash if it is installed, and otherwise `sh`, which every environment has.
    const SHELL: &str = "command -v bash > /dev/null 2>&1 && exec bash; exec sh -i";
    /// How long to wait before input is written again to a shell that does not read it.
    const PAUSE: Duration = Duration::from_millis(10);

    pub(crate) fn run(kind: EnvironmentKind, profile: &Profile) -> Result<u8> {
        if !io::stdin().is_terminal() {
            return Err(Error::Invalid("a shell needs a terminal as its input".to_owned()));
        }
        let failed = |error: io::Error| format!("the environment `{}` cannot be used: {error}", kind.name());
        let workspace = Workspace::new(on_this_machine(Start::Configured, kind, profile.config())?);
        let offered = environments(kind, profile, &workspace, true);
        let environment = offered.make_for(kind.name(), workspace.dir(), Some(profile.home.path())).map_err(failed)?;
        let mut launch =
            Launch::new(Program::Shell(SHELL.to_owned()), Output::Terminal { size: size(), screen: Box::new(Screen) });
        let term = std::env::var_os("TERM").filter(|term| !term.is_empty());
        launch.variables.extend(term.map(|term| ("TERM".into(), Some(term))));
        let raw = RawTerminal::new().map_err(failed)?;
        let shell: Arc<dyn Running> = Arc::from(environment.start(launch).map_err(failed)?);
        let input_shell = Arc::clone(&shell);
        // This thread ends with the process, because reading from a terminal cannot be interrupted.
        thread::spawn(move || forward_input(&*input_shell));
        let mut last_size = size();
        let outcome = loop {
            let is_resized = || size() != last_size;
            if let Some(outcome) = shell.wait(&is_resized).map_err(failed)? {
                break outcome;
            }
            last_size = size();
            let _ = shell.resize(last_size);
        };
        drop(raw);
        let _ = shell.end();
        environment.clean_up();
        Ok(match outcome.exit {
            Exit::Code(code) => u8::try_from(code).unwrap_or(u8::MAX),
            // Shells report the end by a signal like this.
            Exit::Signal(signal) => u8::try_from(128 + signal).unwrap_or(u8::MAX),
        })
    }

    /// Forwards the input of the person to the shell.
    fn forward_input(shell: &dyn Running) {
        let mut keys = [0; 4096];
        while let Ok(length @ 1..) = io::stdin().lock().read(&mut keys) {
            loop {
                match shell.write(&keys[..length]) {
                    Err(error) if error.kind() == io::ErrorKind::WouldBlock => thread::sleep(PAUSE),
                    Err(_) => return,
                    Ok(()) => break,
                }
            }
        }
        let _ = shell.close_input();
    }

    /// Returns the size of the terminal.
    fn size() -> TerminalSize {
        match tcgetwinsize(io::stdin()) {
            Ok(size) if size.ws_col > 0 && size.ws_row > 0 => TerminalSize { rows: size.ws_row, columns: size.ws_col },
            _ => TerminalSize::default(),
        }
    }

    /// Shows the output of the shell.
    #[derive(Debug)]
    struct Screen;

    impl Sink for Screen {
        fn push(&mut self, bytes: &[u8]) -> bool {
            let mut terminal = io::stdout().lock();
            terminal.write_all(bytes).and_then(|()| terminal.flush()).is_ok()
        }
    }

    /// Switches the terminal to raw mode, in which the shell gets each key. Dropping the value restores the previous mode.
    struct RawTerminal(Termios);

    impl RawTerminal {
        fn new() -> io::Result<Self> {
            let before = tcgetattr(io::stdin().as_fd())?;
            let mut raw = before.clone();
            raw.make_raw();
            tcsetattr(io::stdin().as_fd(), OptionalActions::Drain, &raw)?;
            Ok(Self(before))
        }
    }

    impl Drop for RawTerminal {
        fn drop(&mut self) {
            let _ = tcsetattr(io::stdin().as_fd(), OptionalActions::Drain, &self.0);
        }
    }
}
