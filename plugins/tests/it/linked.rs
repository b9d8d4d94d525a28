//! A plugin in a crate: the binary of the host contains its folder, which is written to the disk when the host starts.

use std::fs;
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::Path;

use toolc::testing::assert_reply;
use toolc::{Dialect, Registry, ToolCall};
use toolc_plugins::{PluginState, Plugins};
use toolc_test_support::Missing;

/// The files of the plugin, each with its mode.
const FILES: [(&str, &str, u32); 4] = [
    ("plugin.toml", include_str!("linked/plugin.toml"), 0o600),
    ("run", include_str!("linked/run"), 0o700),
    ("manifests/tools/greet.toml", include_str!("linked/manifests/tools/greet.toml"), 0o600),
    ("manifests/toolsets/greetings.toml", include_str!("linked/manifests/toolsets/greetings.toml"), 0o600),
];

/// Writes the plugin `greeter` into `folder`, where only the user can change it.
fn install(folder: &Path) -> io::Result<()> {
    for (path, text, mode) in FILES {
        let path = folder.join("greeter").join(path);
        let parent = path.parent().unwrap_or(folder);
        fs::DirBuilder::new().recursive(true).mode(0o700).create(parent)?;
        let mut file = fs::OpenOptions::new().write(true).create(true).truncate(true).mode(mode).open(&path)?;
        io::Write::write_all(&mut file, text.as_bytes())?;
    }
    Ok(())
}

#[test]
fn a_plugin_that_is_part_of_the_host_is_loaded() {
    if !Path::new("/bin/sh").exists() {
        return Missing::program("sh").skip();
    }
    let folder = tempfile::tempdir().expect("failed to make a folder");
    install(folder.path()).expect("failed to write");
    let registry = Registry::new();
    let reports = Plugins::new().folder(folder.path()).load(&registry);
    assert_eq!(reports[0].state, PluginState::Loaded, "{}", reports[0]);
    let turn = registry.session().build().expect("the session is valid").turn_blocking(Dialect::OpenAi);
    assert_reply!(turn.call_blocking(&ToolCall::new("greet", "{}")), "hello");
}
