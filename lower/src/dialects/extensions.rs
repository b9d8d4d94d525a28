//! What a dialect can say about a tool besides its name, description and schemas.

use toolc::__gen::CallersField;

use super::limits::limits;

limits! {
    /// The fields of a definition that not every vendor has. A dialect without a field omits what the manifest says.
    Extensions {
        /// The field that lists whole calls as examples. Each must match the schema that is sent.
        examples: &'static str,
        /// The field that lists who may call the tool.
        callers: CallersField,
        /// The field with the schema of the result, for code that calls the tool.
        code_result: &'static str,
        /// The field that lets the model continue while a call runs.
        background: &'static str,
        /// The type of tools whose input is plain text, with a `format`.
        text_input: &'static str,
        /// The field with any further information for clients.
        meta: &'static str,
    }
}
