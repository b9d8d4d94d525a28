//! Notes: what is wrong with a skill, what was guessed, and how to mend it.

use std::cmp::Reverse;
use std::fmt;
use std::ops::Range;

use serde::{Serialize, Serializer};

/// How serious a note is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The skill is read as its author meant it. Other readers may read it otherwise.
    Hint,
    /// Something was guessed.
    Warning,
    /// Something is missing or was left out, or `agentskills validate` refuses the file.
    Error,
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Hint => "hint",
            Self::Warning => "warning",
            Self::Error => "error",
        })
    }
}

/// What a reading is for. It decides how serious the notes are, not what is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Strictness {
    /// To use the skill.
    #[default]
    Use,
    /// To check the skill. Everything that `agentskills validate`, the validator of the format, refuses is an error, and rules that
    /// concern only authors are checked too.
    Check,
}

/// Declares the codes of notes: the variant, the code, its severity for each [`Strictness`] (`-` means that it is not reported), and a
/// sentence that explains it.
macro_rules! codes {
    ($($name:ident $code:literal $reading:tt $checking:tt $explanation:literal)*) => {
        /// The kind of a note. Codes are stable: a code never changes its meaning.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum Code {
            $(#[doc = $explanation] $name,)*
        }

        impl Code {
            /// All codes.
            pub const ALL: &'static [Self] = &[$(Self::$name),*];

            /// Returns the code in kebab case, such as `colon-in-value`.
            pub fn name(self) -> &'static str {
                match self { $(Self::$name => $code),* }
            }

            /// Returns a sentence that explains the code.
            pub fn explanation(self) -> &'static str {
                match self { $(Self::$name => $explanation),* }
            }

            /// Returns how serious notes with this code are, or `None` if they are not reported.
            pub fn severity(self, strictness: Strictness) -> Option<Severity> {
                match (self, strictness) {
                    $((Self::$name, Strictness::Use) => codes!(@ $reading), (Self::$name, Strictness::Check) => codes!(@ $checking),)*
                }
            }
        }
    };
    (@ -) => { None };
    (@ H) => { Some(Severity::Hint) };
    (@ W) => { Some(Severity::Warning) };
    (@ E) => { Some(Severity::Error) };
}

codes! {
    // The file.
    ByteOrderMark "byte-order-mark" H E "The file begins with a byte order mark, after which some readers do not find the front matter."
    Utf16 "utf-16" W E "The file is UTF-16, and skills are UTF-8."
    InvalidBytes "invalid-bytes" W E "The file is not UTF-8; it is read as Windows-1252, or U+FFFD replaces single bytes."
    NotText "not-text" E E "The file is binary."
    EmptyFile "empty-file" E E "The file is empty."
    TooLarge "too-large" E E "The file, its front matter or its folder exceeds a bound of this reader."
    CannotRead "cannot-read" E E "The system refuses to read the file or folder."
    // The fences around the front matter.
    MergeConflict "merge-conflict" E E "The front matter contains the markers of a merge conflict."
    MissingFrontMatter "missing-front-matter" E E "The file has no front matter: a block of YAML between two lines with `---` at its beginning."
    TextBefore "text-before" W E "Blank lines, comments or text come before the line that opens the front matter."
    CodeFence "code-fence" W E "The front matter is inside a Markdown code fence."
    MissingOpening "missing-opening" W E "The line `---` that opens the front matter is missing."
    MissingClosing "missing-closing" W E "The line `---` that closes the front matter is missing."
    OddFence "odd-fence" W E "The line that opens or closes the front matter is not exactly `---`."
    SecondFrontMatter "second-front-matter" W W "A second front matter follows the first; it belongs to the body."
    // Keys.
    KeySpelling "key-spelling" W E "A key is written in another way than in the format, such as `Name` or `allowed_tools`."
    KeySeparator "key-separator" W E "A key and its value are not separated by a colon and a space."
    TabSeparator "tab-separator" H E "A tab follows the colon of a key, which YAML allows and common readers refuse."
    KeyIndent "key-indent" W E "A key of the front matter is indented differently from the keys before it, or is decorated like an item of a list."
    DuplicateKey "duplicate-key" W E "A key occurs twice; its last value that is not empty is used."
    UnknownKey "unknown-key" H E "The format does not define the key."
    StrayLine "stray-line" W E "A line of the front matter belongs to no key."
    // Values.
    ColonInValue "colon-in-value" W E "A value without quotes contains a colon and a space, which YAML reads as a key."
    CommentInValue "comment-in-value" W W "A value without quotes contains ` #`, where YAML begins a comment, in the middle of a sentence."
    ReservedStart "reserved-start" W E "A value without quotes begins with a character that has a meaning in YAML."
    UnclosedQuote "unclosed-quote" W E "The quote that begins a value is not closed."
    QuoteInValue "quote-in-value" W E "A value contains its own quote, or text after the closing quote."
    SmartQuotes "smart-quotes" W W "A value is in typographic quotes, which YAML does not know."
    BadEscape "bad-escape" W E "A value in double quotes contains a backslash that begins no escape of YAML."
    OddSpace "odd-space" W E "A line is indented with a tab or another white space that YAML does not allow."
    BlockIndent "block-indent" W E "The lines of a block after `|` or `>` are not indented."
    UnreadableText "unreadable-text" W E "YAML cannot read the value; its text is used as it is written."
    UnreadableValue "unreadable-value" E E "YAML cannot read the value of the key; it is left out."
    ListForText "list-for-text" W E "A list is written where the format expects a text."
    MapForText "map-for-text" W E "Keys and values are written where the format expects a text."
    NotQuoted "not-quoted" H H "A text looks like a number, a date or a truth value, and YAML readers convert it."
    // The rules of the format.
    MissingName "missing-name" W E "The name is missing; the name of the folder is used."
    OddName "odd-name" W E "The name has characters that names of skills cannot have, or too many; the name of the folder is used."
    NameFormat "name-format" H E "The name is not 1 to 64 of a-z, 0-9 and single inner hyphens."
    NameNotFolder "name-not-folder" H E "The name differs from the folder's name."
    MissingDescription "missing-description" E E "The description is missing, so a model cannot know when to use the skill."
    LongDescription "long-description" H E "The description has more than 1,024 characters."
    LongCompatibility "long-compatibility" H E "The key `compatibility` has more than 500 characters."
    AllowedToolsForm "allowed-tools-form" H H "The format expects `allowed-tools` as one text with spaces between the tools."
    MetadataForm "metadata-form" H H "The format expects `metadata` to map texts to texts."
    UnreadableMetadata "unreadable-metadata" E E "The key `metadata` is not a mapping, and is left out."
    StrictYaml "strict-yaml" - E "The front matter uses YAML that the validator refuses: flow style, tags, anchors, or three dashes in a value."
    // Conditions.
    UnreadableCondition "unreadable-condition" W W "A condition under which the skill is shown has an unknown form, and is ignored."
    // Folders and libraries.
    FileName "file-name" H H "The file is called `skill.md` instead of `SKILL.md`."
    MissingSkillFile "missing-skill-file" E E "The folder holds files, but no SKILL.md."
    Link "link" W W "The folder contains a symbolic link, which is not followed."
    OddFileName "odd-file-name" W W "The name of a file is not valid UTF-8, or contains a backslash; the file cannot be read by name."
    NotRegular "not-regular" W W "The folder contains something that is not a file, a folder or a link."
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Serialize for Code {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

/// A change that mends what a note is about: replaces a range of bytes of the decoded text with another text.
///
/// For a file in UTF-8 without damage, the decoded text is the file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Fix {
    /// The bytes to replace.
    pub range: Range<usize>,
    /// The text to write there.
    pub text: String,
}

/// Something that is wrong with a skill.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Note {
    /// The line in the file, from 1, or 0 if the note is about a whole file or folder.
    pub line: usize,
    /// The column in characters, from 1, or 0 as for the line.
    pub column: usize,
    /// The kind of the note.
    pub code: Code,
    /// How serious it is.
    pub severity: Severity,
    /// What is wrong, what was read instead, and what to do.
    pub message: String,
    /// A change that mends it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fix: Option<Fix>,
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.line > 0 {
            write!(f, "{}:{}: ", self.line, self.column)?;
        }
        write!(f, "{}[{}]: {}", self.severity, self.code, self.message)
    }
}

/// Why a skill cannot be read. The notes are not empty.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Unreadable {
    /// What is wrong.
    pub notes: Vec<Note>,
}

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, note) in self.notes.iter().enumerate() {
            write!(f, "{}{note}", if index > 0 { "\n" } else { "" })?;
        }
        Ok(())
    }
}

impl std::error::Error for Unreadable {}

/// Collects the notes of one reading.
#[derive(Debug)]
pub(crate) struct Notes {
    strictness: Strictness,
    notes: Vec<Note>,
}

impl Notes {
    pub(crate) fn new(strictness: Strictness) -> Self {
        Self { strictness, notes: Vec::new() }
    }

    /// Adds a note at a place: a line and a column.
    pub(crate) fn add(&mut self, place: (usize, usize), code: Code, message: impl Into<String>) {
        self.push(place, code, message.into(), None);
    }

    /// Adds a note with a change that mends it.
    pub(crate) fn fix(
        &mut self,
        place: (usize, usize),
        code: Code,
        message: impl Into<String>,
        range: Range<usize>,
        text: &str,
    ) {
        self.push(place, code, message.into(), Some(Fix { range, text: text.to_owned() }));
    }

    fn push(&mut self, (line, column): (usize, usize), code: Code, message: String, fix: Option<Fix>) {
        if let Some(severity) = code.severity(self.strictness) {
            self.notes.push(Note { line, column, code, severity, message, fix });
        }
    }

    /// Returns the notes by their place. Notes about the same place keep their order.
    pub(crate) fn sorted(mut self) -> Vec<Note> {
        self.notes.sort_by_key(|note| (note.line, note.column));
        self.notes
    }

    pub(crate) fn unreadable(self) -> Unreadable {
        Unreadable { notes: self.sorted() }
    }
}

/// Applies the fixes of notes to the text that was read. A fix that overlaps an earlier one is left out; reading the result again
/// reports it again.
pub(crate) fn apply(text: &str, notes: &[Note]) -> String {
    let mut fixes: Vec<&Fix> = notes.iter().filter_map(|note| note.fix.as_ref()).collect();
    // Insertions come first, then the longest change.
    fixes.sort_by_key(|fix| (fix.range.start, !fix.range.is_empty(), Reverse(fix.range.end)));
    let (mut result, mut at) = (String::with_capacity(text.len()), 0);
    for fix in fixes {
        let (Some(before), true) = (text.get(at..fix.range.start), fix.range.end <= text.len()) else { continue };
        result.push_str(before);
        result.push_str(&fix.text);
        at = fix.range.end;
    }
    result.push_str(text.get(at..).unwrap_or_default());
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_distinct_and_explained_in_a_sentence() {
        for (index, code) in Code::ALL.iter().enumerate() {
            assert!(
                code.name().bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-'),
                "{code}"
            );
            assert!(Code::ALL[..index].iter().all(|other| other.name() != code.name()), "{code}");
            let explanation = code.explanation();
            assert!(explanation.ends_with('.') && explanation.starts_with(|c: char| c.is_uppercase()), "{explanation}");
            assert!(code.severity(Strictness::Use) <= code.severity(Strictness::Check), "{code}");
        }
    }

    #[test]
    fn overlapping_fixes_are_applied_once() {
        let note = |range: Range<usize>, text: &str| {
            let fix = Some(Fix { range, text: text.to_owned() });
            Note { line: 1, column: 1, code: Code::OddFence, severity: Severity::Warning, message: String::new(), fix }
        };
        let notes = [note(4..6, "X"), note(0..2, ""), note(5..9, "Y"), note(9..9, "Z"), note(20..30, "W")];
        assert_eq!(apply("0123456789", &notes), "23X678Z9");
    }
}
