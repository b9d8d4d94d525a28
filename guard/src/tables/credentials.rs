//! Variables of well-known services, and the hosts that may get them.

/// The beginnings of names of variables, with the hosts of the service. A key that is sent to another host is stolen, or shared with a
/// stranger.
pub(crate) const OWNERS: &[(&str, &[&str])] = &[
    ("AWS_", &["amazonaws.com", "aws.amazon.com", "amazonaws.com.cn", "api.aws"]),
    ("ANTHROPIC_", &["anthropic.com", "claude.ai", "claude.com"]),
    ("CLAUDE_", &["anthropic.com", "claude.ai", "claude.com"]),
    ("OPENAI_", &["openai.com", "azure.com", "openrouter.ai", "chatgpt.com"]),
    ("AZURE_", &["azure.com", "microsoft.com", "microsoftonline.com", "windows.net", "azure.net"]),
    ("GOOGLE_", &["googleapis.com", "google.com", "google.dev"]),
    ("GEMINI_", &["googleapis.com", "google.com", "google.dev"]),
    ("GCP_", &["googleapis.com", "google.com"]),
    ("GITHUB_TOKEN", &["github.com", "githubusercontent.com", "githubcopilot.com", "github.ai", "azure.com"]),
    ("GH_TOKEN", &["github.com", "githubusercontent.com", "githubcopilot.com"]),
    ("GITHUB_PAT", &["github.com", "githubusercontent.com"]),
    ("GITLAB_TOKEN", &["gitlab.com"]),
    ("NPM_TOKEN", &["npmjs.org", "npmjs.com"]),
    ("PYPI_", &["pypi.org"]),
    ("HF_TOKEN", &["huggingface.co", "hf.co", "hf.space"]),
    ("HUGGINGFACE_", &["huggingface.co", "hf.co", "hf.space"]),
    ("STRIPE_", &["stripe.com"]),
    ("SLACK_", &["slack.com"]),
    ("DISCORD_", &["discord.com", "discordapp.com", "discord.gg"]),
    ("TELEGRAM_", &["telegram.org"]),
    ("NOTION_", &["notion.com", "notion.so"]),
    ("LINEAR_", &["linear.app"]),
    ("VERCEL_", &["vercel.com", "vercel.app"]),
    ("CLOUDFLARE_", &["cloudflare.com"]),
    ("SUPABASE_", &["supabase.co", "supabase.com"]),
    ("DATABASE_URL", &[]),
    ("SSH_", &[]),
    ("XAI_", &["x.ai"]),
    ("GROQ_", &["groq.com"]),
    ("MISTRAL_", &["mistral.ai"]),
    ("DEEPSEEK_", &["deepseek.com"]),
    ("OPENROUTER_", &["openrouter.ai"]),
    ("FIGMA_", &["figma.com"]),
    ("SENTRY_", &["sentry.io"]),
    ("DIGITALOCEAN_", &["digitalocean.com"]),
    ("ELEVENLABS_", &["elevenlabs.io"]),
    ("REPLICATE_", &["replicate.com", "replicate.delivery"]),
];

/// Words in the names of variables that hold keys.
pub(crate) const SECRET_WORDS: &[&str] = &[
    "TOKEN",
    "SECRET",
    "PASSWORD",
    "PASSWD",
    "API_KEY",
    "APIKEY",
    "PRIVATE_KEY",
    "ACCESS_KEY",
    "CREDENTIAL",
    "_KEY",
    "_PAT",
    "MNEMONIC",
    "SEED_PHRASE",
    "DATABASE_URL",
];

/// Returns the hosts of the service to which a variable belongs. `None` if the service is unknown.
pub(crate) fn hosts_of(variable: &str) -> Option<&'static [&'static str]> {
    OWNERS.iter().find(|(start, _)| variable.starts_with(start)).map(|(_, hosts)| *hosts)
}

/// Returns whether a variable holds a key, by its name.
pub(crate) fn is_secret(variable: &str) -> bool {
    let name = variable.to_ascii_uppercase();
    SECRET_WORDS.iter().any(|word| name.contains(word))
}
