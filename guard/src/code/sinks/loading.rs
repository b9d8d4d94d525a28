//! Modules and objects that a program loads.

use super::{Call, Sinks};
use crate::codes::Code;
use crate::shell;
use crate::unit::Judged;

/// Modules that run programs or connect with the network.
const POWERFUL: &[&str] =
    &["child_process", "node:child_process", "os", "subprocess", "socket", "http", "https", "net", "ctypes", "vm"];

impl Sinks<'_, '_> {
    pub(super) fn load(&mut self, call: &Call, judged: &mut Judged) {
        let Some(&(from, to)) = call.arguments.first() else { return };
        let folded = self.flow.fold(from, to);
        if folded.is_complete {
            let is_plain = to == from + 1 && self.program.is_text(from);
            if !is_plain && POWERFUL.contains(&folded.text.as_str()) {
                judged.found.push(self.found(
                    call,
                    Code::BuiltCode,
                    format!("The name of the module `{}` is put together from pieces.", folded.text),
                ));
            }
            if folded.text.starts_with("http://") || folded.text.starts_with("https://") {
                let found = self.found(call, Code::FetchAndRun, "The code loads a module from an address.");
                judged.found.extend(shell::fetched(found, self.unit, &folded.text, &(0..folded.text.len())));
            }
            return;
        }
        let value = self.flow.value(from, to);
        self.run_value(call, &value, "a module", judged);
    }

    pub(super) fn unpickle(&mut self, call: &Call, judged: &mut Judged) {
        let value = self.flow.value(call.brackets.0 + 1, call.brackets.1);
        if self.run_value(call, &value, "a serialized object", judged) {
            return;
        }
        if call.chain.path.starts_with("marshal.") {
            judged.found.push(self.found(call, Code::HiddenPayload, "The code loads bytecode."));
        } else if call.chain.first != "yaml" {
            judged.found.push(self.found(call, Code::DynamicCode, "The code loads an object that can contain code."));
        }
    }
}
