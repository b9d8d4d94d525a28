//! Sandboxes of the service Modal.

#[cfg(unix)]
use std::time::Duration;

use toolc_tables::checks;
use toolc_tables::diagnostic::{At, Sink};
use toolc_tables::kinds::{Count, Flag, Text};
use toolc_tables::table;

#[cfg(unix)]
use super::{Context, KindResult, boxed::boxed};
use super::{FilesOf, KindSettings, Record, text};
#[cfg(unix)]
use crate::{Leases, ModalKind};

pub(super) const KIND: Record = Record {
    name: "modal",
    about: "A sandbox of the service Modal, which has no files of this machine.",
    files: FilesOf::Service,
    secrets: &TOKEN,
};

/// The variables with the token of the service.
const TOKEN: [&str; 2] = ["MODAL_TOKEN_ID", "MODAL_TOKEN_SECRET"];

table! {
    /// Sandboxes of the service Modal. Its token is in the variables `MODAL_TOKEN_ID` and `MODAL_TOKEN_SECRET`, or in `~/.modal.toml`.
    #[derive(Debug, Clone, PartialEq)]
    pub struct Settings {
        /// The Python that has the SDK of Modal.
        python: Text = "python3",
        /// The app of Modal to which the sandboxes belong. It is made if it does not exist.
        app: Text = "toolc",
        /// The image, which must have a POSIX shell with the usual programs. Default: Modal's default image, with Debian and Python.
        image: Text,
        /// The absolute path of the directory of the sandbox in which tools begin. It is created.
        directory: Text = "/root/work",
        /// Whether programs have a network, which reaches the Internet.
        network: Flag = false,
        /// The type of GPU that a sandbox has, and after `:` how many, such as `A100` or `H100:2`. Default: none.
        gpu: Text,
        /// The maximum lifetime of a sandbox in minutes, after which the service ends it.
        max_minutes: Count = 120,
        /// The maximum memory, in MiB.
        max_memory_mib: Count = 2048,
        /// The maximum number of processors.
        max_processors: Count = 2,
        /// The maximum number of sandboxes of the app that run at a time.
        max_sandboxes: Count = 8,
        /// The address of the service. Default: `https://api.modal.com`.
        url: Text,
    }
}

impl KindSettings for Settings {
    fn check(&self, sink: &Sink) {
        checks::encrypted_address(self.url.as_ref(), "url", "https://api.modal.com", sink);
        check_gpu(self.gpu.as_ref(), sink);
        if let Some(directory) = checks::filled(self.directory.written().as_ref())
            .filter(|directory| !directory.value.trim().starts_with('/'))
        {
            let help = "the directory is created in the sandbox";
            checks::report(sink, directory, "`directory` is not absolute", "expected `/...`", help);
        }
    }

    fn directory(&self) -> Option<&str> {
        Some(self.directory.value.trim())
    }

    fn place(&self) -> Option<String> {
        Some("of a sandbox on another machine".to_owned())
    }

    fn doctor_settings(&self) -> Vec<(&'static str, String)> {
        let mut shown = vec![("python", self.python.value.clone()), ("app", self.app.value.clone())];
        shown.extend(text(self.gpu.as_ref()).map(|gpu| ("gpu", gpu.to_owned())));
        shown
    }

    #[cfg(unix)]
    fn kind(&self, context: &Context<'_>) -> KindResult {
        Ok(boxed(self.modal(context)))
    }

    #[cfg(unix)]
    fn leases(&self, leases: Leases, context: &Context<'_>) -> Leases {
        leases.modal(self.modal(context))
    }
}

/// The maximum number of GPUs of a sandbox, as of 2026.
const MAX_GPUS: u32 = 8;

/// Reports a text that is not a type of GPU with an optional number. Which types exist is up to the service.
fn check_gpu(gpu: Option<&At<String>>, sink: &Sink) {
    let Some(gpu) = checks::filled(gpu) else { return };
    let (name, number) = match gpu.value.trim().split_once(':') {
        Some((name, number)) => (name, number.parse().unwrap_or(0)),
        None => (gpu.value.trim(), 1_u32),
    };
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-+!".contains(c);
    let is_type = name.starts_with(|c: char| c.is_ascii_alphanumeric()) && name.chars().all(is_plain);
    if is_type && (1..=MAX_GPUS).contains(&number) {
        return;
    }
    let help = if gpu.value.contains(',') {
        "a sandbox of Modal has one type of GPU: name the one that you want"
    } else {
        "for a sandbox without a GPU, leave it out"
    };
    let expected = format!("expected a type such as `A100`, or a type and a number up to {MAX_GPUS} such as `H100:2`");
    checks::report(sink, gpu, "`gpu` is not a GPU of Modal", &expected, help);
}

#[cfg(unix)]
impl Settings {
    fn modal(&self, context: &Context<'_>) -> ModalKind {
        let mut kind = ModalKind::default()
            .python((context.expand_home)(self.python.value.trim()))
            .app(self.app.value.trim())
            .directory(self.directory.value.trim())
            .network(self.network.value)
            .lifetime(Duration::from_mins(self.max_minutes.value.into()))
            .max_memory(u64::from(self.max_memory_mib.value) << 20)
            .max_processors(self.max_processors.value.into())
            .max_sandboxes(self.max_sandboxes.value)
            .copies(context.copies());
        if let Some(image) = text(self.image.as_ref()) {
            kind = kind.image(image);
        }
        if let Some(gpu) = text(self.gpu.as_ref()) {
            kind = kind.gpu(gpu);
        }
        if let Some(url) = text(self.url.as_ref()) {
            kind = kind.url(url);
        }
        let token = TOKEN.iter().filter_map(|name| Some((*name, (context.variable)(name)?)));
        token.fold(kind, |kind, (name, value)| kind.variable(name, value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kinds::EnvironmentTable;

    fn read(gpu: &str) -> Result<Option<String>, String> {
        let text = format!("[modal]\n{gpu}\n");
        let check = |table: &EnvironmentTable, sink: &Sink| table.check(sink);
        let read = toolc_tables::Document::<EnvironmentTable>::read("`t.toml`", "t.toml", &text, check);
        read.map(|document| document.table.modal.gpu.map(|gpu| gpu.value)).map_err(|error| error.to_string())
    }

    #[test]
    fn a_gpu_is_a_type_and_a_number() {
        for gpu in ["A100", "a100", "H100:2", "A100-80GB:8", "B200+", "H100!", "RTX-PRO-6000", "T4:1", " L4 "] {
            assert_eq!(read(&format!("gpu = '{gpu}'")), Ok(Some(gpu.to_owned())));
        }
        for gpu in [
            ":2",
            "A100:",
            "A100:0",
            "A100:9",
            "A100:-1",
            "A100:two",
            "A100:1:1",
            "A 100",
            "-A100",
            "--gpu",
            "A100,H100",
            "A100\u{1b}",
            "[A100]",
            "A100:4294967297",
        ] {
            let error = read(&format!("gpu = {gpu:?}")).expect_err(gpu);
            assert!(error.contains("`gpu` is not a GPU of Modal") || error.contains("escape"), "{gpu}: {error}");
        }
        assert!(read("gpu = 'A100,H100'").expect_err("two").contains("one type of GPU"));
        for gpu in ["gpu = 1", "gpu = true", "gpu = ['A100', 'H100']", "gpu = { type = 'A100' }"] {
            assert!(read(gpu).expect_err(gpu).contains("expected a string"), "{gpu}");
        }
    }

    #[test]
    fn a_kind_without_gpus_says_which_kind_has_them() {
        for text in [
            "gpu = 'A100'",
            "[container]\ngpu = 'A100'",
            "[ssh]\ngpu = 'A100'",
            "[daytona]\ngpu = 'A100'",
            "[apptainer]\ngpu = 'A100'",
        ] {
            let read = toolc_tables::Document::<EnvironmentTable>::read("`t.toml`", "t.toml", text, |_, _| {});
            let error = read.expect_err(text).to_string();
            assert!(error.contains("unknown key `gpu`") && error.contains("it belongs in `[modal]`"), "{error}");
        }
    }
}
