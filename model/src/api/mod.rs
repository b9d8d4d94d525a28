//! The APIs of language models. Each has one record, which says everything that differs from one API to the next: its names, addresses
//! and key, the form of requests, and what its servers refuse.
//!
//! To add an API, write its record in `api/NAME.rs`, and add its line to `apis!`.

mod anthropic;
mod chat;
mod gemini;
mod interactions;
mod responses;
mod variables;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;
use toolc::wire;
use toolc::{Dialect, Image};
use toolc_tables::Words;

use crate::error::Refusal;
use crate::request::{ModelParameters, Request};
use variables::AddressVariables;

macro_rules! apis {
    ($($name:ident = $module:ident;)+) => {
        /// The API of a server.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Api {
            $(
                #[doc = concat!("The API with the name `", stringify!($module), "`.")]
                $name,
            )+
        }

        impl Api {
            /// All APIs.
            pub const ALL: &[Self] = &[$(Self::$name,)+];

            pub(crate) const fn record(self) -> &'static Record {
                match self {
                    $(Self::$name => &$module::API,)+
                }
            }
        }

        impl Words for Api {
            const WORDS: &'static [(&'static str, &'static str)] = &[$(($module::API.word, $module::API.about),)+];
            const ALL: &'static [Self] = Self::ALL;

            fn word(self) -> &'static str {
                self.record().word
            }
        }
    };
}

apis! {
    Anthropic = anthropic;
    ChatCompletions = chat;
    Responses = responses;
    Gemini = gemini;
    Interactions = interactions;
}

/// Everything about an API.
pub(crate) struct Record {
    /// The name in settings, as in `anthropic:NAME`.
    word: &'static str,
    /// One sentence for users.
    about: &'static str,
    /// The address of the vendor's own server.
    base_url: &'static str,
    /// The environment variable that usually holds the key.
    key_variable: &'static str,
    /// The environment variables with another address.
    address_variables: AddressVariables,
    /// The dialect of the definitions in requests.
    dialect: Dialect,
    /// The form of answers and results.
    wire: wire::Api,
    /// Returns the path of a request to a model, after the base URL.
    pub(crate) path: fn(&str) -> String,
    /// Returns the path of a list of at most this many models, after the base URL. Asking for it costs nothing.
    pub(crate) models_path: fn(u32) -> String,
    /// Returns the header with the key.
    pub(crate) key_header: fn(&str) -> Header,
    /// Returns the headers with the version and the beta features.
    pub(crate) headers: fn(&[&str]) -> Vec<Header>,
    /// Returns the body of a request for a stream, as JSON.
    pub(crate) body: fn(&ModelParameters<'_>, &Request<'_>) -> serde_json::Result<String>,
    /// Returns a message of the user.
    user_message: fn(&str) -> Value,
    /// Returns a part of a message of the user with a text, for a message that has other parts.
    text_part: fn(&str) -> Value,
    /// Returns a part of a message of the user with an image, whose bytes are given in base64.
    image_part: fn(&Image, &str) -> Value,
    /// Whether images of the type GIF are accepted.
    takes_gif: bool,
    /// Returns a message of the model.
    assistant_message: fn(&str) -> Value,
    /// The kinds of errors that only the text of the server tells apart.
    pub(crate) refusals: &'static [Refusal],
    /// Removes what servers refuse after the conversation has changed, if they refuse anything.
    pub(crate) removals: Option<Removals>,
}

/// The name and the value of a header.
pub(crate) type Header = (&'static str, String);

/// Returns whether a tool with this name is defined.
pub(crate) type IsDefined<'a> = &'a dyn Fn(&str) -> bool;

/// Removes from a message what a server refuses.
pub(crate) struct Removals {
    /// A word that every message with thinking contains.
    pub(crate) thinking_word: &'static str,
    /// Removes the thinking of the model. Returns `None` if nothing of the message is left.
    pub(crate) thinking: fn(Value) -> Option<Value>,
    /// Removes references to tools that are not defined, if the API has any.
    pub(crate) tool_references: Option<fn(&mut Value, IsDefined<'_>)>,
}

impl Api {
    /// Returns the name of the API in settings, such as `anthropic`.
    pub const fn word(self) -> &'static str {
        self.record().word
    }

    /// Returns the address of the vendor's own server.
    pub const fn default_base_url(self) -> &'static str {
        self.record().base_url
    }

    /// Returns the environment variable that usually holds the key.
    pub const fn default_key_variable(self) -> &'static str {
        self.record().key_variable
    }

    /// Returns the address of the server that the user of the vendor's SDK has set, after the name of the variable. `variable` returns the
    /// values of environment variables.
    pub fn other_base_url(self, variable: impl Fn(&str) -> Option<String>) -> Option<(&'static str, String)> {
        self.record().address_variables.address(variable)
    }

    /// Returns the environment variables that are set, and with which other programs reach another server, but this one does not.
    /// `has_address` says that the model has an address itself, which counts.
    pub fn ignored_variables(self, has_address: bool, variable: impl Fn(&str) -> Option<String>) -> Vec<String> {
        self.record().address_variables.ignored(has_address, variable)
    }

    /// Returns the environment variable with another address, as the vendor's SDK reads it.
    pub fn address_variable(self) -> &'static str {
        self.record().address_variables.heeded.first().copied().unwrap_or_default()
    }

    /// Returns the dialect of the definitions in requests to the API.
    pub const fn dialect(self) -> Dialect {
        self.record().dialect
    }

    /// Returns whether the API accepts images of a media type, such as `image/png`. Whether a model does is another question.
    pub fn takes_image(self, media_type: &str) -> bool {
        self.record().takes_gif || media_type != "image/gif"
    }

    /// Returns the API of [`toolc::wire`] that reads its answers and writes results.
    pub const fn wire(self) -> wire::Api {
        self.record().wire
    }
}

/// Returns a message of the user.
pub fn user_message(api: Api, text: &str) -> Box<RawValue> {
    raw(&(api.record().user_message)(text))
}

/// Returns a message of the user with images after the text.
pub fn user_message_with_images(api: Api, text: &str, images: &[Image]) -> Box<RawValue> {
    let record = api.record();
    let mut message = (record.user_message)(text);
    let name = if message.get("parts").is_some() { "parts" } else { "content" };
    let text = (!text.is_empty()).then(|| (record.text_part)(text));
    let image = |image: &Image| (record.image_part)(image, &STANDARD.encode(image.bytes()));
    message[name] = text.into_iter().chain(images.iter().map(image)).collect();
    raw(&message)
}

/// Returns a message of the model that the host has written, such as the part of an answer that arrived before it was cancelled.
pub fn assistant_message(api: Api, text: &str) -> Box<RawValue> {
    raw(&(api.record().assistant_message)(text))
}

pub(crate) fn raw(value: &Value) -> Box<RawValue> {
    serde_json::value::to_raw_value(value).unwrap_or_else(|_| RawValue::NULL.to_owned())
}

fn to_json(body: &impl Serialize) -> serde_json::Result<String> {
    serde_json::to_string(body)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fs;
    use std::path::Path;

    use serde_json::json;

    use super::*;

    #[test]
    fn every_file_of_an_api_is_in_the_list() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/api");
        let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        let files: BTreeSet<String> =
            files.map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned()).collect();
        let listed = Api::ALL.iter().map(|api| api.word().to_owned()).chain(["mod", "variables"].map(str::to_owned));
        assert_eq!(files, listed.collect(), "each file is named like its API, and its API is a line of `apis!`");
    }

    #[test]
    fn a_message_has_its_images_in_the_form_of_the_api() {
        let png = Image::new("image/png", *b"\x89PNG\r\n\x1a\n??>").unwrap();
        let (data, url) = ("iVBORw0KGgo/Pz4=", "data:image/png;base64,iVBORw0KGgo/Pz4=");
        let text = json!({ "type": "text", "text": "Look" });
        let source = json!({ "type": "base64", "media_type": "image/png", "data": data });
        let of_gemini = json!([{ "text": "Look" }, { "inlineData": { "mimeType": "image/png", "data": data } }]);
        let of_interactions = json!({ "type": "image", "mime_type": "image/png", "data": data });
        let of_responses =
            json!([{ "type": "input_text", "text": "Look" }, { "type": "input_image", "image_url": url }]);
        for (api, expected) in [
            (
                Api::ChatCompletions,
                json!({ "role": "user", "content": [text, { "type": "image_url", "image_url": { "url": url } }] }),
            ),
            (Api::Responses, json!({ "role": "user", "content": of_responses })),
            (Api::Anthropic, json!({ "role": "user", "content": [text, { "type": "image", "source": source }] })),
            (Api::Gemini, json!({ "role": "user", "parts": of_gemini })),
            (Api::Interactions, json!({ "type": "user_input", "content": [text, of_interactions] })),
        ] {
            let message = user_message_with_images(api, "Look", std::slice::from_ref(&png));
            assert_eq!(serde_json::from_str::<Value>(message.get()).unwrap(), expected, "{}", api.word());
            let gif = api.takes_image("image/gif");
            assert_eq!(gif, !matches!(api, Api::Gemini | Api::Interactions), "{}", api.word());
            assert!(api.takes_image("image/png"));
        }
    }

    #[test]
    fn every_api_is_in_the_guide() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/host.md");
        let guide = fs::read_to_string(path).expect("the guide can be read");
        for api in Api::ALL {
            assert!(guide.contains(&format!("`{}:NAME`", api.word())), "docs/host.md does not name `{}`", api.word());
        }
    }

    #[test]
    fn answers_have_the_form_of_the_api_to_whose_dialect_definitions_belong() {
        for api in Api::ALL {
            assert_eq!(wire::Api::from_dialect(api.dialect()), Some(api.wire()), "{api:?}");
            assert_eq!(<Api as Words>::from_word(api.word()), Some(*api));
        }
    }

    #[test]
    fn a_variable_names_another_server() {
        let variable = |name: &str| (name == "GOOGLE_GEMINI_BASE_URL").then(|| "http://localhost:1/".to_owned());
        let url = Some(("GOOGLE_GEMINI_BASE_URL", "http://localhost:1/v1beta".to_owned()));
        assert_eq!(
            (Api::Gemini.other_base_url(variable), Api::Anthropic.other_base_url(variable)),
            (url.clone(), None)
        );
        assert_eq!(Api::Gemini.other_base_url(|_| Some(" http://localhost:1/v1beta/ ".to_owned())), url);
        for empty in ["", " ", "/"] {
            assert_eq!(Api::ChatCompletions.other_base_url(|_| Some(empty.to_owned())), None, "{empty:?}");
        }
    }
}
