//! Packages of npm: one per platform with the program, and a launcher that depends on all of them. npm installs only the package of its own
//! platform, without a script that runs at the installation.

use serde_json::{Map, Value, json};

use crate::archive::{File, tar_gz};
use crate::error::Error;
use crate::platform::Platform;
use crate::program::{LICENSE, LICENSES, Program};
use crate::third_party;

/// The owner of the packages with programs.
const SCOPE: &str = "@toolc";

/// The platforms with a package, as Node.js names them. The release workflow builds them.
pub const PLATFORMS: [&str; 5] = ["darwin-arm64", "darwin-x64", "linux-arm64", "linux-x64", "win32-x64"];

const LAUNCHER: &str = include_str!("launcher.js");

/// Returns the name of the file of a program's package for a platform, and its bytes.
///
/// # Errors
/// If the packages do not have this platform.
pub(crate) fn platform_package(
    program: &Program,
    version: &str,
    platform: &Platform,
    binary: &[u8],
    notices: &str,
) -> Result<(String, Vec<u8>), Error> {
    let (system, processor, libc) = platform.npm();
    let place = format!("{system}-{processor}");
    if !PLATFORMS.contains(&place.as_str()) {
        return Err(Error::new(format!("npm has no package for {place}: add it to `PLATFORMS`")));
    }
    let path = format!("bin/{}{}", program.name, platform.suffix());
    let mut about = about(&package_name(program, &place), version, program);
    about.insert("os".to_owned(), json!([system]));
    about.insert("cpu".to_owned(), json!([processor]));
    if let Some(libc) = libc {
        about.insert("libc".to_owned(), json!([libc]));
    }
    about.insert("preferUnplugged".to_owned(), json!(true));
    let readme =
        format!("The program of the package [{0}](https://www.npmjs.com/package/{0}) for {platform}.\n", program.name);
    let binary = File { path, content: binary.to_vec(), is_program: true };
    let notices = File::text(third_party::FILE, notices);
    let name = format!("toolc-{}-{place}-{version}.tgz", program.name);
    Ok((name, package(about, readme, vec![binary, notices])?))
}

/// Returns the name of the file of a program's package with the launcher, and its bytes. They are the same on each platform.
pub(crate) fn main_package(program: &Program, version: &str) -> Result<(String, Vec<u8>), Error> {
    let path = format!("bin/{}.js", program.name);
    let mut about = about(program.name, version, program);
    about.insert("bin".to_owned(), json!({ program.name: path.as_str() }));
    about.insert("engines".to_owned(), json!({ "node": ">=16" }));
    let packages = PLATFORMS.map(|place| (package_name(program, place), json!(version)));
    about.insert("optionalDependencies".to_owned(), packages.into_iter().collect::<Map<_, _>>().into());
    let launcher = LAUNCHER.replace("{{ program }}", program.name);
    let launcher = File { path, content: launcher.into_bytes(), is_program: true };
    Ok((format!("{}-{version}.tgz", program.name), package(about, program.readme.to_owned(), vec![launcher])?))
}

fn package_name(program: &Program, place: &str) -> String {
    format!("{SCOPE}/{}-{place}", program.name)
}

fn about(name: &str, version: &str, program: &Program) -> Map<String, Value> {
    let about = json!({ "name": name, "version": version, "description": program.summary, "license": LICENSE });
    let Value::Object(about) = about else { unreachable!("it is an object") };
    about
}

fn package(about: Map<String, Value>, readme: String, content: Vec<File>) -> Result<Vec<u8>, Error> {
    let mut files = vec![File::text("package.json", format!("{:#}\n", Value::Object(about)))];
    files.extend(content);
    files.extend(LICENSES.map(|(name, text)| File::text(name, text)));
    files.push(File::text("README.md", readme));
    for file in &mut files {
        file.path = format!("package/{}", file.path);
    }
    tar_gz(&files)
}
