//! `/skills` in the chat: the commands of `toolc skills`, which print on the screen and ask with the dialog of the chat.
//!
//! A command runs on a thread of its own, because it waits for sources. Ctrl-C leaves it: it prints nothing more
//! and asks nothing more, but it completes a change that has begun.

use clap::Parser as _;
use tokio::sync::{mpsc, oneshot};

use super::screen::Screen;
use crate::agent::Interrupts;
use crate::agent::setup::Setup;
use crate::commands::skills::{Console, Place, SkillsLine};
use crate::ground::error::{Error, Result};
use crate::ground::show;
use crate::profile::Profile;

/// What a command wants of the chat.
enum Wish {
    Show(String),
    Confirm(String, oneshot::Sender<bool>),
}

/// The chat, as a command sees it.
struct ChatConsole(mpsc::UnboundedSender<Wish>);

impl ChatConsole {
    fn send(&self, wish: Wish) -> Result<()> {
        self.0.send(wish).map_err(|_| interrupted())
    }
}

fn interrupted() -> Error {
    Error::Invalid("the command was interrupted".to_owned())
}

impl Console for ChatConsole {
    fn print(&self, text: &str) -> Result<()> {
        self.send(Wish::Show(text.to_owned()))
    }

    fn note(&self, text: &str) {
        // A command that was left has no reader.
        let _ = self.send(Wish::Show(text.to_owned()));
    }

    fn check_open(&self) -> Result<()> {
        if self.0.is_closed() { Err(interrupted()) } else { Ok(()) }
    }

    fn confirm(&self, question: &str, yes: bool) -> Result<bool> {
        if yes {
            return self.check_open().map(|()| true);
        }
        let (answer, answered) = oneshot::channel();
        self.send(Wish::Confirm(question.to_owned(), answer))?;
        answered.blocking_recv().map_err(|_| interrupted())
    }
}

/// Runs the command on a line after `/skills`.
pub(super) async fn run(line: &str, setup: &Setup, interrupts: &mut Interrupts, screen: &Screen) {
    let Some(words) = shlex::split(line) else {
        return screen.error("the quotes of this line do not match");
    };
    let line = match SkillsLine::try_parse_from(words) {
        Ok(line) => line,
        Err(help) => return screen.print(help.render().to_string().trim_end()),
    };
    let (wishes, mut wanted) = mpsc::unbounded_channel();
    let host = &setup.host;
    let (home, directory, registry) = (host.profile.home.clone(), host.directory.clone(), host.registry.clone());
    let command = tokio::task::spawn_blocking(move || {
        let registry = |_: &Profile| Ok(registry.clone());
        line.args.run_in(Place { home, directory: &directory, registry: &registry }, &ChatConsole(wishes))
    });
    interrupts.clear();
    loop {
        let wish = tokio::select! {
            wish = wanted.recv() => wish,
            _ = interrupts.next_press() => return screen.note("interrupted"),
        };
        match wish {
            Some(Wish::Show(text)) => screen.print_as_it_is(show::visible(&text).trim_end()),
            Some(Wish::Confirm(question, answer)) => {
                let agreed = host.person.confirm(&question).await;
                // A command that has ended needs no answer.
                let _ = answer.send(agreed);
            }
            None => break,
        }
    }
    match command.await.unwrap_or_else(|error| Err(Error::failed("run the command", error))) {
        Ok(_) => {}
        Err(error) => screen.error(&host.redactor.text(&error.to_string())),
    }
}
