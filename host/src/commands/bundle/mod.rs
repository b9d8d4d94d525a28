//! `toolc doctor --bundle`: one archive for a bug report, without secrets.

mod archive;
mod clean;
mod collect;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{ArgMatches, Args, FromArgMatches as _};
use toolc_cli::View;
use toolc_config::Home;

use crate::ground::ask;
use crate::ground::error::Result;
use crate::ground::show;
use crate::options::ToolOptions;

/// The options that `doctor` has in this program, besides those of [`toolc_cli`].
#[derive(Debug, Args)]
pub(crate) struct BundleArgs {
    /// Write an archive for a bug report (.tar.gz): the versions, this report, the configuration, the tools and the last lines of the log,
    /// without keys, tokens and conversations. If FILE is a folder, by default the current one, the name of the archive contains the time. Does not run inside a tool.
    #[arg(long, value_name = "FILE", num_args = 0..=1, default_missing_value = ".")]
    bundle: Option<PathBuf>,
    /// Add this conversation to the bundle, without secrets: its name, or the beginning of its name.
    #[arg(long, value_name = "ID", requires = "bundle")]
    session: Option<String>,
    /// Replace the file of the bundle if it exists.
    #[arg(long, requires = "bundle")]
    force: bool,
}

/// Adds the options to `doctor`.
pub(crate) fn with_bundle(command_line: clap::Command) -> clap::Command {
    command_line.mut_subcommand("doctor", |doctor| {
        // The comment of the arguments would replace the description of the command.
        let about = doctor.get_about().cloned().unwrap_or_default();
        BundleArgs::augment_args(doctor).about(about)
    })
}

/// A bundle that was asked for.
#[derive(Debug)]
pub(crate) struct Bundle {
    /// The file, or the folder in which it is made.
    file: PathBuf,
    args: BundleArgs,
}

impl Bundle {
    /// Returns the bundle for which a command line asks, if any.
    pub(crate) fn from_matches(matches: &ArgMatches) -> Option<Self> {
        let mut args = BundleArgs::from_arg_matches(matches.subcommand_matches("doctor")?).ok()?;
        let file = args.bundle.take()?;
        Some(Self { file, args })
    }

    /// Writes the bundle, and says what is in it. `view` is what the report is about.
    pub(crate) fn write(self, options: &ToolOptions, home: &Home, view: View) -> Result<ExitCode> {
        ask::require_person("write a bundle for a bug report")?;
        let Self { file, args: BundleArgs { session, force, .. } } = self;
        let file = match file {
            current if current == Path::new(".") => archive::default_path(),
            folder if folder.is_dir() => folder.join(archive::default_path()),
            file => file,
        };
        if file.exists() && !force {
            return Err(archive::exists(&file));
        }
        let entries = collect::entries(options, home, view, session.as_deref())?;
        archive::write(&file, &entries, force)?;
        let mut text = format!("written: {}\n", file.display());
        for entry in &entries {
            let size = show::counted(entry.text.len(), "byte");
            text += &format!("  {:<18} {} ({size})\n", entry.name, entry.about);
        }
        text += "Known keys and tokens are left out or replaced by `[secret]`; a conversation is included only if `--session` names it. No program \
                 knows all secrets: look at the files before you send them:\n";
        text += &format!(
            "  tar -xzf {} && less toolc-report/*\n",
            shlex::try_quote(&file.display().to_string()).unwrap_or_default()
        );
        ask::print(&text).map(|()| ExitCode::SUCCESS)
    }
}
