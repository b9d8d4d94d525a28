//! Dialects. Each but OpenAI's first one stands behind a feature of its own, and what is generated for it stands in a
//! macro that leaves nothing of it without: a program carries no definitions in dialects that it does not speak.

use std::sync::OnceLock;

macro_rules! dialects {
    ($d:tt $($number:literal $variant:ident, $with:ident, $feature:literal, $about:literal;)*) => {
        /// The shape in which one family of providers wants tool definitions. Each but [`OpenAi`](Dialect::OpenAi) is
        /// there with the feature of its name: `openai-strict`, `openai-responses`, `anthropic`, `anthropic-strict`,
        /// `gemini`, `gemini-openapi`, `mcp`, `portable`. The feature `all-dialects` is all of them.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum Dialect {
            /// OpenAI's Chat Completions: `{"type": "function", "function": {"name", "description", "parameters"}}`.
            OpenAi = 0,
            $(
                #[doc = $about]
                #[cfg(feature = $feature)]
                $variant = $number,
            )*
        }

        impl Dialect {
            /// Those that there are features for.
            pub const ALL: &[Dialect] = &[Dialect::OpenAi $(, #[cfg(feature = $feature)] Dialect::$variant)*];
        }

        /// rustc does not say of a variant that a feature is missing; of these it does.
        #[allow(non_upper_case_globals, reason = "they stand in for variants")]
        impl Dialect {
            $(
                #[cfg(not(feature = $feature))]
                #[doc(hidden)]
                #[deprecated = concat!("it needs a feature: `toolc = { features = [\"", $feature, "\"] }`")]
                pub const $variant: FeatureOfToolcIsMissing = FeatureOfToolcIsMissing;
            )*
        }

        $(
            /// Code that there is only where this crate has the dialect's feature.
            #[cfg(feature = $feature)]
            #[doc(hidden)]
            #[macro_export]
            macro_rules! $with {
                ($d($d code:tt)*) => { $d($d code)* };
            }

            /// Code that there is only where this crate has the dialect's feature.
            #[cfg(not(feature = $feature))]
            #[doc(hidden)]
            #[macro_export]
            macro_rules! $with {
                ($d($d code:tt)*) => {};
            }
        )*

        /// How many there are with every feature.
        const COUNT: usize = [0 $(, $number)*].len();
    };
}

// The numbers stand in generated data.
dialects! { $
    1 OpenAiStrict, with_openai_strict, "openai-strict",
        "The same with `\"strict\": true`: every parameter is required, and null where it is absent.";
    2 OpenAiResponses, with_openai_responses, "openai-responses",
        "OpenAI's Responses: `{\"type\": \"function\", \"name\", \"description\", \"parameters\", \"strict\": false}`.";
    3 Anthropic, with_anthropic, "anthropic", "Anthropic's Messages: `{\"name\", \"description\", \"input_schema\"}`.";
    4 AnthropicStrict, with_anthropic_strict, "anthropic-strict", "The same with `\"strict\": true`.";
    5 Gemini, with_gemini, "gemini",
        "Gemini's function declarations: `{\"name\", \"description\", \"parametersJsonSchema\"}`.";
    6 GeminiOpenApi, with_gemini_openapi, "gemini-openapi",
        "The same for servers that want the `OpenAPI` subset: `{\"name\", \"description\", \"parameters\"}`.";
    7 Mcp, with_mcp, "mcp",
        "MCP's `tools/list`: `{\"name\", \"title\", \"description\", \"inputSchema\", \"outputSchema\", \"annotations\"}`.";
    8 Portable, with_portable, "portable",
        "[`OpenAi`](Dialect::OpenAi)'s shape with schemas that every provider takes, llama.cpp included.";
}

/// Code that there is always, as OpenAI's dialect is.
#[doc(hidden)]
#[macro_export]
macro_rules! with_openai {
    ($($code:tt)*) => { $($code)* };
}

/// What stands in for a dialect whose feature is missing.
#[doc(hidden)]
#[derive(Debug, Clone, Copy)]
pub struct FeatureOfToolcIsMissing;

impl Dialect {
    /// The one of this number, if there is a feature for it.
    pub(crate) fn numbered(number: u8) -> Option<Self> {
        Self::ALL.iter().copied().find(|dialect| *dialect as u8 == number)
    }
}

/// Something for each dialect, made when it is first asked for.
#[derive(Debug)]
pub struct PerDialect<T>([OnceLock<T>; COUNT]);

impl<T> PerDialect<T> {
    /// For none yet.
    pub const fn new() -> Self {
        Self([const { OnceLock::new() }; COUNT])
    }

    /// That for `dialect`, which `make` makes where nobody has asked before.
    pub fn get_or_init(&self, dialect: Dialect, make: impl FnOnce() -> T) -> &T {
        self.0[dialect as usize].get_or_init(make)
    }
}

impl<T> Default for PerDialect<T> {
    fn default() -> Self {
        Self::new()
    }
}
