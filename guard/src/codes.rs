//! The kinds of findings: one table with a stable name, a category, the severity, and whether a person may accept the finding.

use serde::{Serialize, Serializer};

/// What kind of harm a finding is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Category {
    /// Data that is not the skill's leaves the machine, or is read without a need.
    Disclosure,
    /// Code from elsewhere runs.
    FetchAndRun,
    /// Something is written so that neither a person nor a reader of code sees it.
    Hiding,
    /// Something stays, or spreads: start-up files, hooks, instructions of agents, other skills.
    Persistence,
    /// The text tells the model to act against its user.
    Manipulation,
    /// Data of the user are destroyed.
    Destruction,
    /// The skill asks for more rights than it needs.
    Rights,
    /// A file cannot be judged.
    Unjudged,
}

/// Whether a finding blocks a skill of the community.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Severity {
    /// Worth a look. Never blocks.
    Note,
    /// Blocks until a person has accepted it, if that is possible.
    Block,
}

/// Declares [`Code`] and its table.
macro_rules! codes {
    ($($variant:ident $name:literal $category:ident $severity:ident $acceptable:literal $explanation:literal $help:literal;)*) => {
        /// A kind of finding.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum Code {
            $(#[doc = $explanation] $variant,)*
        }

        impl Code {
            /// Every kind, in the order of the table.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            const fn row(self) -> Row {
                match self {
                    $(Self::$variant => Row {
                        name: $name,
                        category: Category::$category,
                        severity: Severity::$severity,
                        is_acceptable: $acceptable,
                        explanation: $explanation,
                        help: $help,
                    },)*
                }
            }
        }
    };
}

struct Row {
    name: &'static str,
    category: Category,
    severity: Severity,
    is_acceptable: bool,
    explanation: &'static str,
    help: &'static str,
}

codes! {
    SendsSecrets "sends-secrets" Disclosure Block true
        "Keys, passwords, tokens or other private data are sent away."
        "remove the code that sends them; a skill needs only the credentials of its own service";
    ReadsSecrets "reads-secrets" Disclosure Block true
        "Keys, passwords, tokens or other private files are read, although the description does not mention them."
        "remove the access, or let the description say which files the skill reads and why";
    SendsEnvironment "sends-environment" Disclosure Block true
        "All variables of the environment, which hold passwords and tokens, are sent or collected."
        "read only the variable that the skill needs, by its name";
    ForeignCredential "foreign-credential" Disclosure Block true
        "The key of one service is sent to another one."
        "send the key only to the service that has issued it";
    CloudMetadata "cloud-metadata" Disclosure Block true
        "The address at which a cloud gives credentials to its machines is asked."
        "remove the address; use the credentials that the user has configured";
    SuspiciousHost "suspicious-host" Disclosure Block true
        "Something is sent to or fetched from an address that hides its owner: a bare IP address, a collector, a tunnel or a paste service."
        "use the documented address of a service that can be named";
    FillInAddress "fill-in-address" Disclosure Block true
        "The model is to put private data into an address, which sends them when the address is opened or shown."
        "remove the placeholder from the address";
    AsksForSecrets "asks-for-secrets" Disclosure Block true
        "The text asks the model to print, collect or send private data."
        "remove the request; data of the user stay where they are";
    FetchAndRun "fetch-and-run" FetchAndRun Block false
        "Something is downloaded and run at once, so that its author can change it at any time."
        "put the code into the skill, or name a package with a version of a public registry";
    RemoteControl "remote-control" FetchAndRun Block false
        "A shell or a program is connected with the network, so that others control it."
        "remove it; no skill needs a shell that others control";
    ForeignPackage "foreign-package" FetchAndRun Block true
        "A package is installed from an address or an index of its own, and its code runs."
        "install the package from the public registry, with a version";
    LookAlikePackage "look-alike-package" FetchAndRun Block true
        "A package is installed whose name is almost the name of a well-known one."
        "install the package that you mean, or accept the finding if the name is right";
    CloneAndRun "clone-and-run" FetchAndRun Block true
        "A repository is cloned, and a program in it is run."
        "put the code into the skill, or name a package of a public registry";
    RemoteInstructions "remote-instructions" FetchAndRun Block true
        "The model is to follow instructions or commands that it fetches, which their author can change at any time."
        "put the instructions into the skill";
    KnownInstaller "known-installer" FetchAndRun Note true
        "The installer of a well-known program is downloaded and run."
        "";
    BuiltCode "built-code" FetchAndRun Block true
        "Code is put together when it runs, so that what it does cannot be judged."
        "write the code down as it is";
    DynamicCode "dynamic-code" FetchAndRun Note true
        "A value is run as code."
        "";
    HiddenText "hidden-text" Hiding Block false
        "The text has characters that a person does not see, or that change what a person sees."
        "remove the characters";
    HiddenInstruction "hidden-instruction" Hiding Block false
        "A place that is not displayed, such as a comment, has instructions for the model."
        "remove the instructions, or write them where a person reads them";
    CommentOrder "comment-order" Hiding Block true
        "A comment, which is not displayed, has the form of an order."
        "write it where a person reads it, or remove it";
    HiddenPayload "hidden-payload" Hiding Block false
        "Encoded text stands for commands, code or instructions, or is decoded and run."
        "write it down without the encoding";
    BlankRun "blank-run" Hiding Block true
        "A long run of blanks moves text out of sight."
        "remove the blanks";
    LookAlike "look-alike" Hiding Block true
        "A host or a command is written with letters of another script that look like others."
        "write it with the usual letters";
    DisguisedFile "disguised-file" Hiding Block true
        "The content of a file is not what its name says, or has something appended."
        "rename the file after its content, or remove what is appended";
    LinkOutside "link-outside" Hiding Block true
        "A symbolic link leads out of the folder, or the path of a file does."
        "replace the link by the file";
    StartUp "start-up" Persistence Block true
        "Something is entered where it runs on its own later: start-up files, schedulers, services, hooks."
        "remove it, or let the description say that the skill does this";
    AgentFiles "agent-files" Persistence Block true
        "Files are changed that steer agents: their instructions, memory, settings, or other skills."
        "remove it, or let the description say that the skill does this";
    InstallHook "install-hook" Persistence Block true
        "A manifest makes a usual step, such as an installation or a test, run code of its own."
        "remove the hook, so that the model sees what it runs";
    ManifestHook "manifest-hook" Persistence Note true
        "A manifest or a settings file names commands that other programs run."
        "";
    Override "overrides-instructions" Manipulation Block true
        "The text tells the model to set its instructions or rules aside, or claims an authority that it does not have."
        "remove the sentence; if it is a quotation, say that it is an example of an attack";
    Concealment "conceals-from-user" Manipulation Block true
        "The text tells the model to keep something from its user, or to report what did not happen."
        "remove the sentence";
    Approval "weakens-approval" Manipulation Block true
        "Approvals, permissions, a sandbox or a check are to be switched off or answered in advance."
        "remove it; what needs approval is decided by the user";
    Memory "plants-memory" Manipulation Block true
        "The model is to keep something for later conversations, or to change its own instructions."
        "remove it, or let the description say that the skill does this";
    Trigger "hidden-trigger" Manipulation Block true
        "Something is done only at a later time, on certain machines or after a secret word, so that a trial does not show it."
        "remove the condition";
    Manipulates "manipulates" Manipulation Block true
        "The text manipulates a language model."
        "remove the sentence; if it is a quotation, say that it is an example of an attack";
    Destroys "destroys" Destruction Block true
        "Data or the system of the user are destroyed."
        "limit the command to files that the skill has made";
    Tampers "tampers" Destruction Block true
        "Data of the user, such as payment details, are replaced by others."
        "remove it; the user decides to whom they pay";
    HostAccess "host-access" Rights Block true
        "A container or a workflow gets the machine, its processes or its keys."
        "give it only the folders and rights that it needs";
    AllTools "all-tools" Rights Block true
        "The skill asks for every tool without a question."
        "list the tools that the skill needs";
    BroadTools "broad-tools" Rights Note true
        "The skill asks for any shell command without a question."
        "";
    Program "program" Unjudged Block true
        "The file is a compiled program or bytecode, which cannot be judged."
        "put the source into the skill instead";
    Archive "archive" Unjudged Block true
        "The file is an archive."
        "put the files into the skill as they are";
    ActiveDocument "active-document" Unjudged Block true
        "The document has macros, scripts or actions that run when it is opened."
        "remove them from the document";
    UnknownBinary "unknown-binary" Unjudged Block true
        "The file is neither text nor of a known format."
        "remove the file, or replace it by text";
    Unread "unread" Unjudged Block true
        "The file could not be read, or is larger than what is judged."
        "make the file smaller, or remove it";
    NoSkill "no-skill" Unjudged Block true
        "The folder has no SKILL.md."
        "add the file SKILL.md";
    OddEncoding "odd-encoding" Unjudged Note true
        "The text is not in UTF-8."
        "";
    UnreadCommand "unread-command" Unjudged Note true
        "A command cannot be read with certainty."
        "";
    TooManyFindings "too-many-findings" Unjudged Block true
        "More was found than is listed."
        "remove what is listed, and judge the skill again";
}

impl Code {
    /// Returns the stable name, such as `fetch-and-run`.
    pub const fn name(self) -> &'static str {
        self.row().name
    }

    /// Returns the kind of harm.
    pub const fn category(self) -> Category {
        self.row().category
    }

    /// Returns the severity, unless the description of the skill declares such a behaviour.
    pub const fn severity(self) -> Severity {
        self.row().severity
    }

    /// Returns whether a person may accept such a finding.
    pub const fn is_acceptable(self) -> bool {
        self.row().is_acceptable
    }

    /// Returns one sentence about what was found.
    pub const fn explanation(self) -> &'static str {
        self.row().explanation
    }

    /// Returns what the author of the skill should do, or an empty text if nothing needs to be done.
    pub const fn help(self) -> &'static str {
        self.row().help
    }

    /// Returns the kind with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|code| code.name() == name)
    }
}

impl Serialize for Code {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}
