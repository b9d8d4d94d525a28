//! Calls that scripts make, through the handler of the tool that runs them. They take the path of the model's calls.

use crate::call::ToolCall;
use crate::call::response::CallResponse;
use crate::call::scope::ScriptCall;
use crate::dispatch::running;
use crate::result::error::{ErrorKind, ToolError};
use crate::session::turn::Turn;
use crate::text::display::short_name;

impl Turn {
    /// Runs a call of a script.
    pub(crate) async fn call_script_tool(&self, call: ScriptCall<'_>) -> CallResponse {
        let own = self.state().find(call.name).filter(|&id| self.has(id));
        let request = ToolCall::of_script(own.map_or(call.name, |id| self.dialect_name(id)), call);
        // The names in scripts are those of generated functions, which no model has written: nothing is corrected.
        let mut prepared = self.prepare(&request, own);
        let result = match prepared.tool {
            None => Err(self.unknown_tool(call.name)),
            Some(id) if self.state().tool(id).python.is_none() => {
                let text = format!("scripts cannot call `{}`: call it directly", short_name(call.name));
                Err(ToolError::with_kind(ErrorKind::Refused, text))
            }
            Some(_) => self.run(&mut prepared, call.session, &running::no_loop).await,
        };
        self.finish(prepared, result)
    }
}

#[cfg(test)]
mod tests;
