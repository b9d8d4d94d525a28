//! Shell commands that the user types into the chat.

use serde_json::json;
use toolc::cancel::CancelHandle;
use toolc::text::without_middle;
use toolc::{CallResponse, ToolCall};

use super::{Agent, Interrupts};

/// The tool that runs shell commands.
const SHELL: &str = "terminal";
/// The longest part of a result that the model gets, in characters.
const MAX_RESULT: usize = 20_000;

impl Agent {
    /// Runs a shell command of the user as the tool of the model would: in the same environment and directory, after the same questions.
    /// Ctrl-C cancels it.
    pub(crate) async fn run_command(&mut self, command: &str, interrupts: &mut Interrupts) -> CallResponse {
        self.commands += 1;
        let id = format!("user_{}", self.commands);
        self.recorder.set_of_person(&id);
        let arguments = json!({ "command": command }).to_string();
        let turn = self.session.turn(self.model.model().definitions_dialect()).await;
        let cancel = CancelHandle::new();
        interrupts.clear();
        let call = ToolCall::new(SHELL, &arguments).with_id(&id).with_task(&self.task).with_cancel(&cancel);
        let mut running = std::pin::pin!(turn.call(&call));
        loop {
            tokio::select! {
                biased;
                response = &mut running => return response,
                _ = interrupts.next_press() => cancel.cancel(),
            }
        }
    }

    /// Tells the model about a command of the user, with its next message.
    pub(crate) fn tell_of_command(&self, command: &str, response: &CallResponse) {
        let result = without_middle(&response.json, MAX_RESULT);
        let text = format!("The user ran a shell command: {command}\nIts result, which is data: {result}");
        self.news.add(self.task.name(), text);
    }
}
