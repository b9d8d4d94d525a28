//! Wheels for Python. A wheel is a zip file with the program, which `pip` puts next to the interpreter, and a list of digests.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest as _, Sha256};

use crate::archive::{File, zip};
use crate::error::Error;
use crate::platform::Platform;
use crate::program::{LICENSE, LICENSES, Program};
use crate::{third_party, version};

/// Returns the name of the wheel of a program, and its bytes.
pub(crate) fn write(
    program: &Program,
    version: &str,
    platform: &Platform,
    binary: &[u8],
    notices: &str,
) -> Result<(String, Vec<u8>), Error> {
    let version = version::of_python(version)?;
    let tags = platform.wheel_tags();
    let base = format!("{}-{version}", program.name.replace('-', "_"));
    let mut files = vec![File {
        path: format!("{base}.data/scripts/{}{}", program.name, platform.suffix()),
        content: binary.to_vec(),
        is_program: true,
    }];
    let about = |name: &str, text: String| File::text(format!("{base}.dist-info/{name}"), text);
    files.push(about("METADATA", metadata(program, &version)));
    files.push(about("WHEEL", wheel(&tags)));
    files.extend(LICENSES.map(|(name, text)| about(&format!("licenses/{name}"), text.to_owned())));
    files.push(about(&format!("licenses/{}", third_party::FILE), notices.to_owned()));
    files.push(about("RECORD", record(&files, &format!("{base}.dist-info/RECORD"))));
    Ok((format!("{base}-py3-none-{tags}.whl"), zip(&files)?))
}

fn metadata(program: &Program, version: &str) -> String {
    let Program { name, summary, readme, .. } = program;
    let names = LICENSES.iter().map(|(name, _)| *name).chain([third_party::FILE]);
    let licenses = names.map(|name| format!("License-File: {name}\n")).collect::<Vec<_>>().concat();
    format!(
        "Metadata-Version: 2.4\nName: {name}\nVersion: {version}\nSummary: {summary}\nLicense-Expression: {LICENSE}\n{licenses}\
         Requires-Python: >=3.8\nDescription-Content-Type: text/markdown; charset=UTF-8\n\n{readme}"
    )
}

fn wheel(tags: &str) -> String {
    let tags = tags.split('.').map(|tag| format!("Tag: py3-none-{tag}\n")).collect::<Vec<_>>().concat();
    let version = env!("CARGO_PKG_VERSION");
    format!("Wheel-Version: 1.0\nGenerator: toolc-packaging {version}\nRoot-Is-Purelib: false\n{tags}")
}

/// Returns the list of digests, which names itself without one.
fn record(files: &[File], own: &str) -> String {
    let line = |file: &File| {
        let digest = URL_SAFE_NO_PAD.encode(Sha256::digest(&file.content));
        format!("{},sha256={digest},{}\n", file.path, file.content.len())
    };
    files.iter().map(line).chain([format!("{own},,\n")]).collect()
}
