//! Signs that are harmless alone, and not together: to send something to a host, and to conceal it.
//!
//! `phrase` describes the form of the patterns.

/// What a sentence is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sign {
    /// Something is sent.
    Sends,
    /// Data that a user does not give away.
    Private,
    /// Something is concealed, or explained by something else.
    Conceals,
    /// Something happens only later.
    Delays,
    /// What the user says does not count.
    Disregards,
}

/// The patterns. One that begins with a negation is not negated by it.
pub(crate) const SIGNS: &[(Sign, &str)] = &[
    (
        Sign::Sends,
        "send|post|upload|transmit|forward|submit|hand|pass|deliver|report|push|mail|email|share|include|embed|attach|append|put",
    ),
    (Sign::Sends, "post|put .. request"),
    (Sign::Sends, "carries|carry|contains|encodes|encoded .. context|conversation|values|base64|settings|secrets"),
    (
        Sign::Sends,
        "sende|schicke|lade|envía|sube|manda|envoie|envoyez|transmets|отправь|загрузи|передай|invia|envie|stuur|wyślij",
    ),
    (Sign::Private, "connection_string*|environment_variables|private_key*|ssh_key*|seed_phrase*|recovery_phrase*"),
    (
        Sign::Private,
        "settings|configuration|config .. holds|contains|keeps|has .. connection*|password*|secret*|credential*|token*|key*",
    ),
    (Sign::Private, ".env|.env.local|.envrc|.netrc|.npmrc|id_rsa|id_ed25519|credentials.json|secrets.yml|secrets.yaml"),
    (Sign::Private, "passport*|identity_card*|id_card*|bank_statement*|tax_return*|payslip*|medical_record*"),
    (
        Sign::Private,
        "reisepass*|personalausweis*|kontoausz*|pasaporte*|extracto*_bancario*|passeport*|relevé*_bancaire*|паспорт*|выписк*",
    ),
    (
        Sign::Private,
        "home_folder|home_directory|whole_repository|entire_repository|full_conversation|whole_conversation",
    ),
    (Sign::Conceals, "needs_no|need_no|requires_no|require_no|deserves_no .. mention|comment|explanation|announcement"),
    (
        Sign::Conceals,
        "do_not|don't|never|without .. explain|explaining|announce|announcing|comment|describe|discuss|mention|mentioning",
    ),
    (
        Sign::Conceals,
        "if|when .. user|users|anyone|reader|client|customer|they .. asks|ask|notes|notices|notice|wonders|questions .. say|explain|tell|answer|reply|claim|assure",
    ),
    (Sign::Conceals, "implementation_detail|to_avoid_confusion|to_avoid_questions|behind_the_scenes|in_the_background"),
    (Sign::Conceals, "speak|talk|write|report .. of|about .. only"),
    (Sign::Conceals, "not|never|nothing .. in .. answer|summary|pull_request|report|reply|stand-up|commit_message"),
    (Sign::Delays, "not_earlier|not_before|only_then|only_after|from_then_on|from_that_moment|after_that_day"),
    (
        Sign::Disregards,
        "whichever|whatever|regardless|no_matter|irrespective|instead .. user|customer|client|they|payer|sender .. gives|give|gave|says|said|provides|provided|enters|entered|wants|pastes|pasted|asks|chose|names",
    ),
    (
        Sign::Disregards,
        "replace|swap|exchange|substitute|overwrite|change .. number|account|iban|wallet|payee|recipient|bank_details|payment_details|address .. with|by|to|for",
    ),
];
