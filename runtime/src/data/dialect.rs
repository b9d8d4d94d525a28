//! Dialects. Each except `openai` has its own Cargo feature. Data that is generated for a dialect is inside a macro that
//! expands to nothing without the feature, so that a program contains no definitions in dialects that it does not use.

use std::borrow::Cow;
use std::sync::OnceLock;

use serde_json::{Value, json};

use crate::data::behaviour::{Annotations, Behaviour, Callers};
use crate::text::identifier::{RESERVED, identifier};

macro_rules! dialects {
    ($d:tt
        OpenAi = $open_ai:expr;
        $($number:literal $variant:ident $module:ident $with:ident, $feature:literal, $shape:expr, $about:literal;)*
    ) => {
        /// The shape in which a vendor's API or a protocol expects tool definitions. Each except
        /// [`OpenAi`](Dialect::OpenAi) needs the feature of its name, such as `anthropic-strict`. The feature
        /// `all-dialects` adds all of them.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum Dialect {
            /// OpenAI's Chat Completions: `{"type": "function", "function": {"name", "description", "parameters"}}`.
            OpenAi = 0,
            $(
                #[doc = $about]
                #[cfg(feature = $feature)]
                #[cfg_attr(docsrs, doc(cfg(feature = $feature)))]
                $variant = $number,
            )*
        }

        impl Dialect {
            /// Every dialect whose feature is enabled.
            pub const ALL: &[Dialect] = &[Dialect::OpenAi $(, #[cfg(feature = $feature)] Dialect::$variant)*];

            /// The names of all dialects, also of those whose feature is missing.
            pub const NAMES: &[&str] = &["openai" $(, $feature)*];

            /// Returns the name of the dialect in `toolc.toml`, such as `openai-strict`.
            pub const fn name(self) -> &'static str {
                Self::NAMES[self as usize]
            }

            /// Returns how definitions are written in the dialect.
            pub(crate) const fn shape(self) -> Shape {
                const SHAPES: [Shape; COUNT] = [$open_ai $(, $shape)*];
                SHAPES[self as usize]
            }
        }

        // The numbers are used as indices of the lists.
        const _: () = {
            let (numbers, mut position) = ([0_usize $(, $number)*], 0);
            while position < COUNT {
                assert!(numbers[position] == position, "dialects are numbered in order, without gaps");
                position += 1;
            }
        };

        /// Replacements for the variants whose feature is missing: the compile error names the feature, which rustc does not do
        /// for a missing variant.
        #[allow(non_upper_case_globals, reason = "they replace variants")]
        impl Dialect {
            $(
                #[cfg(not(feature = $feature))]
                #[doc(hidden)]
                #[deprecated = concat!("it needs a feature: `toolc = { features = [\"", $feature, "\"] }`")]
                pub const $variant: FeatureOfToolcIsMissing = FeatureOfToolcIsMissing;
            )*
        }

        $(
            /// Expands to its code only if this crate has the feature of the dialect.
            #[cfg(feature = $feature)]
            #[doc(hidden)]
            #[macro_export]
            macro_rules! $with {
                ($d($d code:tt)*) => { $d($d code)* };
            }

            /// Expands to its code only if this crate has the feature of the dialect.
            #[cfg(not(feature = $feature))]
            #[doc(hidden)]
            #[macro_export]
            macro_rules! $with {
                ($d($d code:tt)*) => {};
            }
        )*

        /// Passes the names of all dialects, as modules, to a macro of the compiler, which declares the modules of its records.
        #[doc(hidden)]
        #[macro_export]
        macro_rules! for_each_dialect {
            ($d callback:ident) => { $d callback! { openai $($module)* } };
        }

        /// The macros above, which `__gen` exports to generated code and the compiler.
        #[expect(unreachable_pub, reason = "`__gen` exports it")]
        pub mod macros {
            pub use {for_each_dialect, with_openai $(, $with)*};
        }

        /// The numbers and variants of all dialects, for the stamp: generated data contains the numbers.
        pub(crate) const NUMBERS: &str = $crate::data::layout_text::layout_text!($($number $variant)*);

        /// The number of all dialects, whether their features are enabled or not.
        const COUNT: usize = [0 $(, $number)*].len();
    };
}

/// How the definitions of a dialect are written. `lower/src/dialects` describes everything else about a dialect, such as
/// its limits; a test compares the two.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Shape {
    envelope: Envelope,
    /// The key of the parameters' schema.
    parameters: &'static str,
    /// The key of a schema that is not lowered to the dialect's subset, if it differs from `parameters`.
    json_schema_parameters: Option<&'static str>,
    /// Whether tools that are added at run time can be defined: the dialect accepts any JSON Schema, or has a flag for tools
    /// that are not strict. Other dialects need lowered schemas, which only the compiler writes.
    pub(crate) accepts_any_schema: bool,
    /// The fields that the vendor has and others lack.
    fields: VendorFields,
    /// The field with the schema of the result.
    returns: Option<&'static str>,
    /// The search of the vendor for tools whose definitions are deferred, if it has one.
    #[cfg_attr(not(feature = "search"), expect(dead_code, reason = "tool search alone reads it"))]
    pub(crate) search: Option<VendorSearch>,
    /// The tool of the vendor that runs code which calls tools, as JSON, if it has one.
    pub(crate) code_tool: Option<&'static str>,
    /// The API whose requests contain the definitions.
    pub(crate) api: DialectApi,
}

/// Fields of a definition that a vendor has and others lack. The records of the compiler take them from here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VendorFields {
    /// The field that lists who may call a tool.
    pub callers: Option<CallersField>,
    /// The field with the schema of the result of tools that code may call. Other tools lack it.
    pub code_result: Option<&'static str>,
    /// The field that lets the model continue while a call runs.
    pub background: Option<&'static str>,
}

/// The field that lists who may call a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CallersField {
    /// The name of the field.
    pub field: &'static str,
    /// The word for the model.
    pub model: &'static str,
    /// The word for code that the model writes.
    pub code: &'static str,
}

impl VendorFields {
    /// No such fields.
    pub const NONE: Self = Self { callers: None, code_result: None, background: None };
    /// The fields of Anthropic's Messages.
    pub const MESSAGES: Self = Self {
        callers: Some(CallersField { field: "allowed_callers", model: "direct", code: "code_execution_20260120" }),
        ..Self::NONE
    };
    /// The fields of OpenAI's Responses.
    pub const RESPONSES: Self = Self {
        callers: Some(CallersField { field: "allowed_callers", model: "direct", code: "programmatic" }),
        code_result: Some("output_schema"),
        background: Some("async"),
    };
}

/// A vendor's own search for tools.
#[derive(Debug, Clone, Copy)]
#[cfg_attr(not(feature = "search"), expect(dead_code, reason = "tool search alone reads it"))]
pub(crate) struct VendorSearch {
    /// The tool that a request needs for the search, as JSON.
    pub(crate) tool: &'static str,
    /// The maximum number of deferred tools.
    pub(crate) max_deferred: usize,
    /// How deferred tools are listed.
    pub(crate) listing: VendorListing,
}

/// How deferred tools are listed in a request. Each has `"defer_loading": true`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum VendorListing {
    /// Like other tools.
    Plain,
    /// In a namespace for each home toolset.
    Namespaces,
    /// With a short description, which the model sees before the search.
    ShortDescriptions,
}

#[derive(Debug, Clone, Copy)]
enum Envelope {
    /// `{"type": "function", "function": {"name", "description", ...}}`
    Nested,
    /// `{"type": "function", "name", "description", ..., "strict": false}`
    Flat,
    /// `{"type": "function", "name", "description", ...}`
    Typed,
    /// `{"name", "description", ...}`
    Bare,
    /// `{"name", "title", "description", ..., "annotations"}`
    Mcp,
    /// A TypeScript declaration. Its segments are JSON, `{"name", "description", "parameters", "returns"}`, from which
    /// [`written`](Dialect::written) makes the declaration.
    TypeScript,
}

/// A tool whose definition is written at run time.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RuntimeTool<'a> {
    pub(crate) name: &'a str,
    /// Empty if the tool has no title.
    pub(crate) title: &'a str,
    pub(crate) description: &'a str,
    pub(crate) behaviour: &'a Behaviour,
    /// The schema of the arguments, or `None` if the definition has none.
    pub(crate) schema: Option<&'a Value>,
    /// Whether the schema is in the subset that the dialect accepts.
    pub(crate) is_lowered: bool,
    /// The schema of the result, if it is known.
    pub(crate) returns: Option<&'a Value>,
    /// What only MCP clients get: the icons, and `_meta`.
    pub(crate) icons: Option<&'a Value>,
    pub(crate) meta: Option<&'a Value>,
}

/// The API whose requests contain definitions in a dialect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DialectApi {
    ChatCompletions,
    Responses,
    Messages,
    GenerateContent,
    Interactions,
    /// Not the API of a model.
    None,
}

const NESTED: Shape = Shape {
    envelope: Envelope::Nested,
    parameters: "parameters",
    json_schema_parameters: None,
    accepts_any_schema: true,
    fields: VendorFields::NONE,
    returns: None,
    search: None,
    code_tool: None,
    api: DialectApi::ChatCompletions,
};
const ANTHROPIC: Shape = Shape {
    envelope: Envelope::Bare,
    parameters: "input_schema",
    // The types of anthropic 2.14.0, and the limit of its guide to tool search; read on 2026-11-27.
    search: Some(VendorSearch {
        tool: r#"{"type":"tool_search_tool_bm25_20251119","name":"tool_search_tool_bm25"}"#,
        max_deferred: 10_000,
        listing: VendorListing::Plain,
    }),
    fields: VendorFields::MESSAGES,
    code_tool: Some(r#"{"type":"code_execution_20260120","name":"code_execution"}"#),
    api: DialectApi::Messages,
    ..NESTED
};
const GEMINI: Shape =
    Shape { envelope: Envelope::Bare, parameters: "parametersJsonSchema", api: DialectApi::GenerateContent, ..NESTED };

/// Always expands to its code, because the dialect `openai` has no feature.
#[doc(hidden)]
#[macro_export]
macro_rules! with_openai {
    ($($code:tt)*) => { $($code)* };
}

// Generated data contains the numbers.
dialects! { $
    OpenAi = NESTED;
    1 OpenAiStrict openai_strict with_openai_strict, "openai-strict", NESTED,
        "Like [`OpenAi`](Dialect::OpenAi), with `\"strict\": true`: every parameter is required, and null if it is absent.";
    2 OpenAiResponses openai_responses with_openai_responses, "openai-responses",
        Shape {
            envelope: Envelope::Flat,
            fields: VendorFields::RESPONSES,
            // The types of openai 3.57.0, read on 2026-11-27.
            search: Some(VendorSearch {
                tool: r#"{"type":"tool_search"}"#,
                max_deferred: usize::MAX,
                listing: VendorListing::Namespaces,
            }),
            code_tool: Some(r#"{"type":"programmatic_tool_calling"}"#),
            api: DialectApi::Responses,
            ..NESTED
        },
        "OpenAI's Responses: `{\"type\": \"function\", \"name\", \"description\", \"parameters\", \"strict\": false}`.";
    3 Anthropic anthropic with_anthropic, "anthropic", ANTHROPIC,
        "Anthropic's Messages: `{\"name\", \"description\", \"input_schema\"}`.";
    4 AnthropicStrict anthropic_strict with_anthropic_strict, "anthropic-strict", ANTHROPIC,
        "Like `Anthropic`, with `\"strict\": true`.";
    5 Gemini gemini with_gemini, "gemini", GEMINI,
        "Gemini's function declarations: `{\"name\", \"description\", \"parametersJsonSchema\"}`.";
    6 GeminiOpenApi gemini_openapi with_gemini_openapi, "gemini-openapi",
        Shape {
            parameters: "parameters",
            json_schema_parameters: Some("parametersJsonSchema"),
            accepts_any_schema: false,
            ..GEMINI
        },
        "Like `Gemini`, for servers that expect the `OpenAPI` subset: `{\"name\", \"description\", \"parameters\"}`.";
    7 Mcp mcp with_mcp, "mcp",
        Shape {
            envelope: Envelope::Mcp,
            parameters: "inputSchema",
            returns: Some("outputSchema"),
            api: DialectApi::None,
            ..NESTED
        },
        "MCP's `tools/list`: `{\"name\", \"title\", \"description\", \"inputSchema\", \"outputSchema\", \"annotations\"}`.";
    8 Portable portable with_portable, "portable", Shape { accepts_any_schema: false, ..NESTED },
        "The shape of [`OpenAi`](Dialect::OpenAi), with schemas that every vendor accepts, llama.cpp included.";
    9 GeminiInteractions gemini_interactions with_gemini_interactions, "gemini-interactions",
        Shape {
            envelope: Envelope::Typed,
            // The types of google-genai 3.6.1, read on 2026-11-27.
            search: Some(VendorSearch {
                tool: r#"{"type":"tool_search"}"#,
                max_deferred: usize::MAX,
                listing: VendorListing::ShortDescriptions,
            }),
            api: DialectApi::Interactions,
            ..NESTED
        },
        "Gemini's Interactions: `{\"type\": \"function\", \"name\", \"description\", \"parameters\"}`.";
    10 TypeScript typescript with_typescript, "typescript",
        Shape { envelope: Envelope::TypeScript, returns: Some("returns"), api: DialectApi::None, ..NESTED },
        "TypeScript declarations, for models that call tools from code: `declare namespace tools { function NAME(args: {...}): \
         Promise<...>; }`. The definitions are not JSON.";
}

impl Dialect {
    /// Returns the definition of a tool that is made at run time. The definition is never strict.
    pub(crate) fn define(self, tool: &RuntimeTool<'_>) -> Value {
        let RuntimeTool { name, title, description, behaviour, schema, is_lowered, returns, icons, meta } = *tool;
        let shape = self.shape();
        let Shape { envelope, parameters, json_schema_parameters, fields, .. } = shape;
        let key = json_schema_parameters.filter(|_| !is_lowered).unwrap_or(parameters);
        let mut definition = match envelope {
            Envelope::Nested => json!({
                "type": "function", "function": {"name": name, "description": description, key: schema},
            }),
            Envelope::Flat => json!({
                "type": "function", "name": name, "description": description, key: schema, "strict": false,
            }),
            Envelope::Typed => json!({"type": "function", "name": name, "description": description, key: schema}),
            Envelope::Bare | Envelope::TypeScript => json!({"name": name, "description": description, key: schema}),
            Envelope::Mcp => {
                let Annotations { read_only, destructive, idempotent, open_world } = behaviour.annotations;
                let mut definition = json!({"name": name, "description": description, key: schema, "annotations": {
                    "readOnlyHint": read_only, "destructiveHint": destructive, "idempotentHint": idempotent,
                    "openWorldHint": open_world,
                }});
                if !title.is_empty() {
                    definition["title"] = title.into();
                }
                for (field, value) in [("icons", icons), ("_meta", meta)] {
                    if let Some(value) = value {
                        definition[field] = value.clone();
                    }
                }
                definition
            }
        };
        if schema.is_none() {
            let function =
                if matches!(envelope, Envelope::Nested) { &mut definition["function"] } else { &mut definition };
            function.as_object_mut().and_then(|function| function.remove(key));
        }
        let Callers { model, code } = behaviour.callers;
        if let Some(CallersField { field, model: of_model, code: of_code }) = fields.callers.filter(|_| code) {
            let words = [(model, of_model), (code, of_code)].into_iter().filter(|(may_call, _)| *may_call);
            definition[field] = words.map(|(_, word)| word).collect();
        }
        let field = shape.returns.or(fields.code_result.filter(|_| code));
        if let Some((field, returns)) = field.zip(returns) {
            definition[field] = returns.clone();
        }
        if let Some(field) = fields.background.filter(|_| behaviour.background && !code) {
            definition[field] = true.into();
        }
        definition
    }

    /// Returns whether the dialect has a field for callers.
    pub(crate) const fn shows_callers(self) -> bool {
        self.shape().fields.callers.is_some()
    }

    /// Returns whether the dialect can show a tool with these callers. Without a field for callers, the model would call a tool that only code may call.
    pub(crate) fn accepts_callers(self, callers: Callers) -> bool {
        callers.model || self.shows_callers() || !self.is_of_model_api()
    }

    /// Returns whether requests to the API of a model contain the definitions.
    pub(crate) fn is_of_model_api(self) -> bool {
        self.shape().api != DialectApi::None
    }

    /// Returns the description in a definition of this dialect.
    #[cfg(feature = "search")]
    pub(crate) fn description_in(self, definition: &Value) -> Option<&str> {
        self.function_in(definition)["description"].as_str()
    }

    /// Returns the schema of the parameters in a definition of this dialect.
    #[cfg(feature = "search")]
    pub(crate) fn parameters_in(self, definition: &Value) -> Option<&Value> {
        let Shape { parameters, json_schema_parameters, .. } = self.shape();
        let function = self.function_in(definition);
        function.get(parameters).or_else(|| function.get(json_schema_parameters?))
    }

    #[cfg(feature = "search")]
    fn function_in(self, definition: &Value) -> &Value {
        match self.shape().envelope {
            Envelope::Nested => &definition["function"],
            Envelope::Flat | Envelope::Typed | Envelope::Bare | Envelope::Mcp | Envelope::TypeScript => definition,
        }
    }
}

impl Dialect {
    /// Returns whether the definitions are JSON. Otherwise they are text of another language, made from JSON.
    pub const fn is_json(self) -> bool {
        // Known at compile time without the feature, so that a program does not contain what only other dialects need.
        !cfg!(feature = "typescript") || !matches!(self.shape().envelope, Envelope::TypeScript)
    }

    /// Returns a definition as the dialect writes it. `json` is the rendered definition. `None` if it is not such a definition.
    pub(crate) fn written(self, json: Cow<'_, str>) -> Option<Cow<'_, str>> {
        match self.shape().envelope {
            Envelope::Nested | Envelope::Flat | Envelope::Typed | Envelope::Bare | Envelope::Mcp => Some(json),
            #[cfg(feature = "typescript")]
            Envelope::TypeScript => crate::typescript::declaration(&json).map(Cow::Owned),
            #[cfg(not(feature = "typescript"))]
            Envelope::TypeScript => None,
        }
    }

    /// Returns what is before, between and after the definitions of a turn.
    pub(crate) const fn list(self) -> [&'static str; 3] {
        if self.is_json() { ["[", ",", "]"] } else { ["", "\n", ""] }
    }

    /// Returns the name in the dialect for a tool with this own name, unless its declaration sets another one. `None` if no tool can have
    /// this name.
    pub(crate) fn name_of(self, name: &str) -> Option<Cow<'_, str>> {
        if self.is_json() {
            return Some(Cow::Borrowed(name));
        }
        let name = identifier(name);
        (!RESERVED.contains(&&*name)).then_some(name)
    }
}

/// Returns a definition as a dialect writes it. `json` is the rendered definition. Empty if it is not such a definition.
pub fn written(dialect: Dialect, json: String) -> String {
    dialect.written(Cow::Owned(json)).unwrap_or_default().into_owned()
}

/// The type of the constant that replaces a variant of [`Dialect`] whose feature is missing.
#[doc(hidden)]
#[derive(Debug, Clone, Copy)]
pub struct FeatureOfToolcIsMissing;

impl Dialect {
    /// Returns the dialect with this number, if its feature is enabled.
    pub(crate) fn from_number(number: u8) -> Option<Self> {
        Self::ALL.iter().copied().find(|dialect| *dialect as u8 == number)
    }
}

/// A value for each dialect, computed on first use.
#[derive(Debug)]
pub struct PerDialect<T>([OnceLock<T>; COUNT]);

impl<T> PerDialect<T> {
    /// Returns an empty map.
    pub const fn new() -> Self {
        Self([const { OnceLock::new() }; COUNT])
    }

    /// Returns the value for `dialect`. Calls `make` on first use.
    pub fn get_or_init(&self, dialect: Dialect, make: impl FnOnce() -> T) -> &T {
        self.0[dialect as usize].get_or_init(make)
    }
}

impl<T> Default for PerDialect<T> {
    fn default() -> Self {
        Self::new()
    }
}
