//! The words that synthetic tools are made of. No word holds a digit, a quote or an underscore.

/// A parameter: its name, and what the model is told about it, with `{}` for what the tool is about.
pub(super) type Entry = (&'static str, &'static str);

#[rustfmt::skip]
pub(super) const AREAS: &[&str] = &[
    "billing", "calendar", "catalogue", "contacts", "contracts", "delivery", "finance", "fleet", "helpdesk",
    "insurance", "inventory", "library", "logistics", "mail", "marketing", "payroll", "planning", "projects",
    "purchasing", "quality", "recruiting", "research", "sales", "support", "survey", "training", "travel", "warehouse",
];

#[rustfmt::skip]
pub(super) const KINDS: &[&str] = &[
    "admin", "archive", "basics", "board", "control", "desk", "editing", "intake", "office", "reports", "review",
    "routine", "search", "upkeep",
];

/// Each takes something in the plural.
#[rustfmt::skip]
pub(super) const VERBS: &[&str] = &[
    "approve", "archive", "assign", "check", "collect", "compare", "copy", "count", "describe", "export", "fetch",
    "find", "freeze", "group", "import", "inspect", "label", "list", "measure", "merge", "move", "order", "preview",
    "publish", "reject", "remove", "rename", "repair", "restore", "review", "schedule", "share", "sort", "summarize",
    "update", "verify",
];

#[rustfmt::skip]
pub(super) const ADJECTIVES: &[&str] = &[
    "active", "blocked", "closed", "daily", "external", "final", "frequent", "hidden", "internal", "late", "linked",
    "local", "monthly", "nested", "open", "overdue", "pending", "pinned", "public", "recent", "related", "shared",
    "stale", "urgent",
];

#[rustfmt::skip]
pub(super) const NOUNS: &[&str] = &[
    "accounts", "alerts", "appointments", "bookings", "branches", "budgets", "campaigns", "comments", "customers",
    "deadlines", "documents", "drafts", "entries", "expenses", "files", "folders", "forms", "goals", "images",
    "invoices", "items", "labels", "letters", "meetings", "messages", "notes", "offers", "orders", "pages", "parcels",
    "payments", "records", "reminders", "requests", "routes", "samples", "tasks", "tickets", "vehicles", "visits",
];

/// What a description goes on with; any two or three that follow one another.
pub(super) const SENTENCES: &[&str] = &[
    "Use it when the request says plainly which ones are meant; where it does not, ask before you call.",
    "Results are sorted by their last change, the newest first, and come one page at a time.",
    "Nothing is sent to anyone, and a second call with the same arguments does no further harm.",
    "Whatever the current user may not see is left out without a word, so a short answer is no error.",
    "Times are in UTC, amounts in the smallest unit of the account's currency.",
    "Large selections take a while: narrow them down by text or by label before calling it.",
    "Returns the identifiers of all that was touched, and for each that was not, the reason why.",
    "Not meant for what is open on somebody's screen: it would change under their hands.",
    "If the service cannot be reached, the answer says so and nothing has been changed.",
];

pub(super) const TEXTS: &[Entry] = &[
    ("query", "Words that must occur in the title or the body of the {}; case does not matter."),
    ("owner", "Login name of the person who is responsible for the {}."),
    ("folder", "Folder in which the {} are, written as a path from the top."),
    ("reason", "Why this is done, in one sentence. It is kept in the history."),
    ("since", "Only {} that changed on this day or later, written as 2026-03-31."),
    ("team", "Name of the team whose {} are meant, as the directory spells it."),
    ("template", "Name of the template after which the {} are written."),
    ("reference", "Identifier in another system, exactly as it stands there."),
];

/// With the least and the greatest value.
pub(super) const INTEGERS: &[(&str, &str, usize, usize)] = &[
    ("limit", "How many {} to return at most.", 1, 200),
    ("offset", "How many {} to skip, to get at a later page.", 0, 10_000),
    ("days", "How many days back to look, today included.", 1, 365),
    ("priority", "Only {} of this priority or a higher one; 1 is the lowest.", 1, 5),
    ("retries", "How often to try again where the service is busy.", 0, 8),
    ("depth", "How many levels of folders to go down from where the search begins.", 0, 12),
    ("width", "How many characters of each text to show.", 20, 400),
];

pub(super) const FLAGS: &[Entry] = &[
    ("recursive", "Also take the {} in folders further down."),
    ("verbose", "Add the history of each to the result."),
    ("preview", "Only say what would happen; change nothing."),
    ("notify", "Tell the owners of the {} by mail."),
    ("strict", "Stop at the first of the {} that cannot be read, instead of passing over it."),
    ("archived", "Also look at {} that have been put into the archive."),
    ("exact", "Compare whole words instead of parts of them."),
];

/// With the values.
pub(super) const CHOICES: &[(&str, &str, &[&str])] = &[
    ("format", "How the {} are written in the result.", &["short", "table", "full"]),
    ("sort", "In which order the {} come.", &["changed", "created", "name", "size"]),
    ("scope", "Whose {} to look at.", &["own", "team", "company"]),
    ("state", "Only {} in this state.", &["new", "started", "waiting", "done", "any"]),
    ("channel", "Over which channel the {} came in.", &["mail", "phone", "web", "letter"]),
    ("action", "What to do with {} that are there already.", &["keep", "replace", "ask"]),
];

pub(super) const LISTS: &[Entry] = &[
    ("tags", "Labels that all of the {} must have."),
    ("identifiers", "Identifiers of the {}, as an earlier result gave them."),
    ("columns", "Columns of the result, in this order."),
    ("recipients", "Mail addresses of those who are told about it."),
    ("exclude", "Words that must not occur in any of the {}."),
    ("languages", "Languages in which the {} may be written, as two letters each."),
];

pub(super) const OBJECTS: &[Entry] = &[
    ("filter", "Further conditions, all of which the {} must meet."),
    ("target", "Where the {} are to go."),
    ("window", "The part of the {} to look at."),
    ("options", "Finer points, for whoever knows the service."),
    ("origin", "Where the {} came from, as far as that is known."),
    ("fallback", "What to do for {} to which nothing else applies."),
];
