//! Containers of Apptainer or Singularity.

use toolc_tables::checks;
use toolc_tables::diagnostic::Sink;
use toolc_tables::kinds::{Flag, Text, Texts};
use toolc_tables::table;

#[cfg(unix)]
use super::{Context, KindResult, boxed::boxed};
use super::{FilesOf, KindSettings, Record, RequiredSetting, text};

pub(super) const KIND: Record = Record {
    name: "apptainer",
    about: "A container of Apptainer or Singularity, which has the files of its image and the current directory.",
    files: FilesOf::Task,
    secrets: &[],
};

table! {
    /// Containers of Apptainer or Singularity.
    #[derive(Debug, Clone, PartialEq)]
    pub struct Settings {
        /// The image: the path of a file or a folder, such as `~/python.sif`. It must have a POSIX shell with the usual programs. Needed
        /// for the kind `apptainer`.
        image: Text,
        /// The path of the program, whose name is `apptainer` or `singularity`. Default: the first of these that is installed.
        program: Text,
        /// Whether programs have the network of this machine.
        network: Flag = false,
        /// Further folders of this machine that programs see: `SOURCE`, `SOURCE:TARGET` or `SOURCE:TARGET:ro`.
        binds: Texts,
    }
}

impl KindSettings for Settings {
    fn required(&self) -> Option<RequiredSetting<'_>> {
        let value = text(self.image.as_ref());
        Some(RequiredSetting { what: "an image", key: "environment.apptainer.image", value })
    }

    fn check(&self, sink: &Sink) {
        checks::path(self.image.as_ref(), "`image`", sink);
        checks::path(self.program.as_ref(), "`program`", sink);
        for bind in self.binds.iter().filter(|bind| !bind.value.starts_with('/')) {
            let help = "a relative path would depend on the directory in which toolc is started";
            checks::report(sink, bind, "the path of a bound folder is not absolute", "expected `/...`", help);
        }
    }

    #[cfg(unix)]
    fn kind(&self, context: &Context<'_>) -> KindResult {
        let image = (context.expand_home)(text(self.image.as_ref()).unwrap_or_default());
        let kind = crate::ApptainerKind::new(image).network(self.network.value);
        let kind = self.binds.iter().fold(kind, |kind, bind| kind.bind(&*bind.value));
        match text(self.program.as_ref()) {
            Some(program) => Ok(boxed(kind.program((context.expand_home)(program)))),
            None => Ok(boxed(kind)),
        }
    }
}
