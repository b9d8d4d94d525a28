//! The `write_file` tool.

use std::fs;

use serde::Serialize;
use toolc::{Call, Output, ToolError};
use toolc_catalog::file::write_file::Args;

use super::open::explain;
use super::seen::Stamp;
use super::store;
use crate::Handlers;

#[derive(Serialize)]
struct Written {
    path: String,
    action: &'static str,
    bytes: usize,
    lines: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    warning: Option<&'static str>,
}

pub(super) fn write(host: &Handlers, args: &Args, call: &Call<'_>) -> Result<Output, ToolError> {
    let path = host.place.locate(&args.path)?;
    host.files.guard.check(&host.place, &path)?;
    if args.path.ends_with(['/', std::path::MAIN_SEPARATOR]) {
        return Err(ToolError::new(format!("`{}` names a directory; add the file's name", args.path)));
    }
    let failed = |error| explain(&host.place, &path, "write", &error);
    let _lock = host.files.write_lock();
    let old = store::existing(&host.place, &path)?;
    if let (None, Some(dir)) = (&old, path.parent()) {
        fs::create_dir_all(dir).map_err(failed)?;
    }
    let warning = host.files.seen.with(call.task(), |seen| seen.warning(&path, old.as_ref().map(Stamp::of)));
    let new = store::save(&path, old.as_ref(), args.content.as_bytes()).map_err(failed)?;
    host.files.seen.with(call.task(), |seen| seen.note(&path, Stamp::of(&new)));
    Output::json(&Written {
        path: host.place.show(&path),
        action: if old.is_some() { "overwritten" } else { "created" },
        bytes: args.content.len(),
        lines: args.content.lines().count(),
        warning,
    })
}
