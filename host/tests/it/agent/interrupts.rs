//! Ctrl-C: it cancels a call, and pressed twice the turn.

use std::io::{BufRead as _, BufReader, Read as _};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;

use serde_json::{Value, json};
use toolc_test_support::LIMIT;

use crate::agent::server::{Reply, Server};
use crate::agent::vendors::{VENDORS, Vendor};
use crate::agent::{environment, folder, run};

/// `toolc agent --json` in its own process.
pub(super) struct Running {
    child: Child,
    events: Receiver<Value>,
    seen: Vec<Value>,
}

impl Running {
    pub(super) fn start(vendor: &Vendor, folder: &std::path::Path, server: &Server) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_toolc"));
        command.args(["agent", "Wait.", "--json", "--model", &format!("{}:m-1", vendor.api)]);
        environment(&mut command, folder, &[(vendor.base, &server.url), (vendor.key, "sk-a-secret-key")]);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("failed to start toolc");
        let lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
        let (sender, events) = channel();
        thread::spawn(move || {
            for line in lines.map_while(Result::ok) {
                let _ = sender.send(serde_json::from_str(&line).expect("each line is JSON"));
            }
        });
        Self { child, events, seen: Vec::new() }
    }

    pub(super) fn wait_for(&mut self, event: &str) {
        while !self.seen.last().is_some_and(|seen| seen["event"] == event) {
            match self.events.recv_timeout(LIMIT) {
                Ok(next) => self.seen.push(next),
                Err(error) => panic!("{error} while waiting for {event}: {:?}", self.seen),
            }
        }
    }

    /// Waits for an answer with this text.
    pub(super) fn wait_for_text(&mut self, text: &str) {
        while !self.last().get("text").is_some_and(|seen| seen == text) || self.last()["event"] != "answer" {
            let next = self.events.recv_timeout(LIMIT);
            self.seen.push(next.unwrap_or_else(|error| panic!("{error} while waiting for {text}: {:?}", self.seen)));
        }
    }

    /// Returns the last event.
    pub(super) fn last(&self) -> &Value {
        self.seen.last().expect("an event")
    }

    pub(super) fn kill(&mut self) {
        self.child.kill().expect("failed to kill");
    }

    pub(super) fn press(&self) {
        toolc_test_support::send_signal("INT", self.child.id());
    }

    /// Returns the exit status, and what went to standard error.
    pub(super) fn end(mut self) -> (Option<i32>, String) {
        let mut err = String::new();
        self.child.stderr.take().expect("a pipe").read_to_string(&mut err).expect("the output is text");
        (self.child.wait().expect("failed to wait").code(), err)
    }
}

#[test]
fn the_first_press_cancels_the_call_and_the_model_goes_on() {
    for vendor in &VENDORS {
        let folder = folder();
        let server = Server::start(vec![
            Reply::Events((vendor.answer)("", &[("c1", "terminal", json!({ "command": "sleep 600" }))])),
            Reply::Events((vendor.answer)("You stopped it.", &[])),
        ]);
        let mut running = Running::start(vendor, folder.path(), &server);
        running.wait_for("call_begins");
        running.press();
        running.wait_for("notice");
        running.wait_for("ends");
        assert_eq!(running.seen.last().expect("an event")["text"], "You stopped it.", "{}", vendor.api);
        let (status, err) = running.end();
        assert_eq!(status, Some(0), "{err}");
        let requests = server.requests();
        assert!(requests[1][vendor.conversation].to_string().contains("cancelled"), "{}: {}", vendor.api, requests[1]);
    }
}

#[test]
fn a_second_press_ends_the_turn() {
    for vendor in &VENDORS {
        let folder = folder();
        // The call ignores its cancellation for a while.
        let command = "trap '' TERM INT; sleep 3";
        let server = Server::start(vec![
            Reply::Events((vendor.answer)("", &[("c1", "terminal", json!({ "command": command }))])),
            // If the call ends before the second press, that interrupts the model.
            Reply::Stalled((vendor.answer)("Not to its end", &[])[..1].to_vec()),
        ]);
        let mut running = Running::start(vendor, folder.path(), &server);
        running.wait_for("call_begins");
        running.press();
        running.wait_for("notice");
        running.press();
        let (status, err) = running.end();
        assert_eq!(status, Some(130), "{err}");
    }
}

#[test]
fn the_model_learns_that_a_call_was_running_when_the_program_was_killed() {
    for (index, vendor) in VENDORS.iter().enumerate() {
        let other = &VENDORS[(index + 1) % VENDORS.len()];
        for next in [vendor, other] {
            let folder = folder();
            let call = ("c1", "terminal", json!({ "command": "sleep 600" }));
            let server = Server::start(vec![Reply::Events((vendor.answer)("", &[call]))]);
            let mut running = Running::start(vendor, folder.path(), &server);
            running.wait_for("call_begins");
            running.child.kill().expect("failed to kill");
            running.end();
            let server = Server::start(vec![Reply::Events((next.answer)("I will look.", &[]))]);
            let variables = [(next.base, &*server.url), (next.key, "sk-a-secret-key")];
            let model = format!("{}:m-1", next.api);
            let run = run(folder.path(), &["agent", "Go on.", "--model", &model, "--resume"], &variables);
            assert_eq!(run.status, Some(0), "{}", run.err);
            let conversation = server.requests()[0][next.conversation].to_string();
            for part in ["sleep 600", "it is unknown what the call has done", "Go on."] {
                assert!(conversation.contains(part), "{} {}: {conversation}", vendor.api, next.api);
            }
        }
    }
}

#[test]
fn a_press_while_the_model_answers_ends_the_turn() {
    for vendor in &VENDORS {
        let folder = folder();
        let beginning = (vendor.answer)("A long story begins here", &[]);
        let server = Server::start(vec![Reply::Stalled(beginning[..4.min(beginning.len() - 1)].to_vec())]);
        let mut running = Running::start(vendor, folder.path(), &server);
        running.wait_for("text");
        running.press();
        let (status, err) = running.end();
        assert_eq!(status, Some(130), "{err}");
    }
}
