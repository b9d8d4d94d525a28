//! Every kind of finding, with the code by which people and programs know it. Codes are never reused.

/// How much a finding matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// Nothing is written while there is one.
    Error,
    /// Shown, and otherwise let pass.
    Warning,
}

/// A kind of finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Code {
    /// Its short form: a category (`C` the catalog and its language, `S` schemas, `M` what a model reads) and a number.
    pub id: &'static str,
    /// Its name.
    pub name: &'static str,
    /// How much it matters.
    pub level: Level,
}

macro_rules! codes {
    ($($constant:ident $id:literal $name:literal $level:ident $doc:literal)*) => {
        impl Code {
            $(#[doc = $doc] pub const $constant: Code = Code { id: $id, name: $name, level: Level::$level };)*

            /// All of them, by id.
            pub const ALL: &'static [Code] = &[$(Code::$constant),*];
        }
    };
}

codes! {
    SYNTAX "C001" "syntax" Error "The file is not TOML. It gets no further checks."
    UNKNOWN_KEY "C002" "unknown-key" Error "A key that this kind of manifest does not have."
    UNKNOWN_WORD "C003" "unknown-word" Error "A word that this key does not take."
    MISSING_KEY "C004" "missing-key" Error "A key that must be there is not."
    WRONG_TYPE "C005" "wrong-type" Error "A value of another TOML type than the key takes."
    FILE_NAME_MISMATCH "C006" "file-name-mismatch" Error "`name` is not the file's stem."
    DUPLICATE_TOOL "C007" "duplicate-tool" Error "Two manifests declare one tool."
    DUPLICATE_TOOLSET "C008" "duplicate-toolset" Error "Two manifests declare one toolset."
    UNKNOWN_TOOL "C009" "unknown-tool" Error "A tool that nobody declares."
    UNKNOWN_TOOLSET "C010" "unknown-toolset" Error "A toolset that nobody declares."
    INCLUDE_CYCLE "C011" "include-cycle" Error "Toolsets that bring themselves along."
    RESERVED_NAME "C012" "reserved-name" Error "A name that toolc keeps for itself."
    INVALID_NAME "C013" "invalid-name" Error "A name that some provider refuses."
    RUST_NAME_COLLISION "C014" "rust-name-collision" Error "Two names that become one in Rust."
    MISPLACED_FILE "C015" "misplaced-file" Error "A TOML file where no manifest is read."
    CONDITION "C016" "condition" Error "A condition that cannot be read."
    TEMPLATE "C017" "template" Error "A text whose conditions cannot be read."
    UNKNOWN_FACT "C018" "unknown-fact" Error "A fact that nobody declares."
    FACT_TYPE "C019" "fact-type" Error "A fact that is compared with, or used as, another type."
    TOO_MANY_ATOMS "C020" "too-many-atoms" Error "More questions than one tool's conditions may ask."
    REQUIRED_WITH_WHEN "C021" "required-with-when" Error "A parameter that must be sent and is not always there."
    ENUM_CAN_VANISH "C022" "enum-can-vanish" Error "An enum that has no value left in some turns."
    AVAILABLE_CAN_BE_EMPTY "C023" "available-can-be-empty" Error "A list of tools that comes to nothing in some turns."
    INVALID_VALUE "C024" "invalid-value" Error "A value of the right type that the key does not take."
    UNKNOWN_VARIABLE "C025" "unknown-variable" Error "An environment variable that `env.toml` does not describe."
    REQUIRES_CYCLE "C026" "requires-cycle" Error "Tools that require themselves."
    REQUIRES_WHEN "C027" "requires-when" Error "A requirement's condition asks for something else than facts."
    UNKNOWN_PARAMETER "C028" "unknown-parameter" Error "A key names a parameter that the tool does not have."
    INCOMPATIBLE_KEYS "C029" "incompatible-keys" Error "Keys that mean nothing together, or one without the other."
    DUPLICATE_NAME "C030" "duplicate-name" Error "A name that something else of the same kind has."
    UNKNOWN_DIALECT "C031" "unknown-dialect" Error "A dialect that there is not."
    UNKNOWN_CODE "C032" "unknown-code" Error "A level for a finding that there is not, or whose level is fixed."
    UNLISTED_HOME_TOOL "C033" "unlisted-home-tool" Warning "A closed toolset that does not list a tool whose home it is."
    NOT_IN_A_PLUGIN "C034" "not-in-a-plugin" Error "Something that a plugin's program cannot do."
    NOT_PASSED_ON "C035" "not-passed-on" Warning "A variable that a plugin's tools require and its program does not get."
    UNKNOWN_TYPE "S001" "unknown-type" Error "A type that JSON Schema does not have."
    NOT_2020_12 "S002" "not-2020-12" Error "Not a JSON Schema of draft 2020-12."
    DEFAULT_VIOLATES_SCHEMA "S003" "default-violates-schema" Error "A default that its own schema refuses."
    ENUM_TYPE_MISMATCH "S004" "enum-type-mismatch" Error "An enum value that its own schema refuses."
    SCHEMA_TOO_LARGE "S005" "schema-too-large" Error "A schema too deep or too large to be compiled."
    UNKNOWN_DEF "S006" "unknown-definition" Error "A `$ref` to a definition that is not there."
    REF_ELSEWHERE "S007" "ref-elsewhere" Error "A `$ref` to anything but a definition."
    REF_RING "S008" "ref-ring" Error "Definitions that are nothing but one another."
    EXAMPLE_VIOLATES_SCHEMA "S009" "example-violates-schema" Error "An example that its own schema refuses."
    DUPLICATE_PARAMETER "S010" "duplicate-parameter" Error "A parameter that is declared twice."
    ENDLESS_DEFAULT "S011" "endless-default" Error "A default that brings itself along."
    UNUSED_DEF "S012" "unused-definition" Warning "A definition that nothing leads to."
    DUPLICATE_ENUM_VALUE "S013" "duplicate-enum-value" Error "A value that an enum names twice."
    PARAMETER_DESCRIPTION_MISSING "M001" "parameter-description-missing" Warning "A parameter that the model gets no word about."
    TOKEN_BUDGET "M002" "token-budget" Warning "A toolset whose definitions take more tokens than they should."
    TOO_MANY_TOOLS "M003" "too-many-tools" Warning "A toolset that resolves to more tools than it should."
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_and_names_are_unique_and_ids_are_sorted_within_their_category() {
        for (i, code) in Code::ALL.iter().enumerate() {
            for later in &Code::ALL[i + 1..] {
                assert!(code.id != later.id && code.name != later.name, "{code:?} {later:?}");
                assert!(code.id[..1] != later.id[..1] || code.id < later.id, "{code:?} {later:?}");
            }
        }
    }
}
