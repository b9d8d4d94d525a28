//! Which package a command line of `npx` or `uvx` runs, and the command line that runs one version of it.

use std::path::Path;

use super::Ecosystem;

/// The package that a command line runs, as one of its arguments names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PackageArgument {
    pub(super) ecosystem: Ecosystem,
    /// The name, without extras.
    pub(super) name: String,
    /// What the command line says about the version: an exact version, a tag of npm, or nothing.
    pub(super) wanted: Option<String>,
    /// The argument that names the package.
    argument: usize,
    /// The part of that argument before the name.
    before: String,
    /// The part between the name and the version.
    between: String,
}

/// What a command line runs: a package, an unknown package, or another program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Runs {
    /// A package of a registry.
    Package(PackageArgument),
    /// A package that no registry has, or that this program cannot determine.
    Unknown(String),
    /// A program other than `npx` and `uvx`.
    Program,
}

/// Returns what a command line runs.
pub(super) fn read(command: &str, args: &[String]) -> Runs {
    let program = Path::new(command).file_name().and_then(|name| name.to_str()).unwrap_or(command);
    let program = program.trim_end_matches(".cmd").trim_end_matches(".exe");
    match (program, args.iter().map(String::as_str).collect::<Vec<_>>().as_slice()) {
        ("npx", _) => npx(args, 0),
        ("uvx", _) => uvx(args, 0),
        ("npm", ["exec" | "x", ..]) => npx(args, 1),
        ("uv", ["tool", "run", ..]) => uvx(args, 2),
        _ => Runs::Program,
    }
}

fn npx(args: &[String], first: usize) -> Runs {
    let mut package = None;
    let mut at = first;
    while let Some(arg) = args.get(at) {
        match arg.as_str() {
            "-y" | "--yes" | "-q" | "--quiet" | "--prefer-offline" | "--prefer-online" | "--offline" => {}
            "-p" | "--package" if package.is_none() => {
                package = Some((at + 1, ""));
                at += 1;
            }
            "--" => return npm_package(args, package.unwrap_or((at + 1, ""))),
            word if word.starts_with("--package=") && package.is_none() => package = Some((at, "--package=")),
            word if word.starts_with('-') => {
                return Runs::Unknown(format!("the option `{word}` of npx is not known here"));
            }
            _ => return npm_package(args, package.unwrap_or((at, ""))),
        }
        at += 1;
    }
    Runs::Unknown("npx gets no package".to_owned())
}

fn npm_package(args: &[String], (argument, before): (usize, &str)) -> Runs {
    let Some(spec) = args.get(argument).and_then(|arg| arg.strip_prefix(before)) else {
        return Runs::Unknown("npx gets no package".to_owned());
    };
    // The name of a package in a scope begins with `@`.
    let at = spec.char_indices().skip(1).find(|(_, c)| *c == '@').map(|(at, _)| at);
    let (name, wanted) = at.map_or((spec, None), |at| (&spec[..at], Some(&spec[at + 1..])));
    let is_word = |word: &str| {
        let is_name_char = |c: char| c.is_ascii_alphanumeric() || "-._~".contains(c);
        !word.is_empty() && word.chars().all(is_name_char) && !word.starts_with('.')
    };
    let is_name = match name.strip_prefix('@') {
        Some(scoped) => scoped.split_once('/').is_some_and(|(scope, name)| is_word(scope) && is_word(name)),
        None => is_word(name),
    };
    if !is_name {
        return Runs::Unknown(format!("`{spec}` is not a package of the registry of npm"));
    }
    if let Some(wanted) = wanted.filter(|wanted| !is_version_or_tag(wanted)) {
        return Runs::Unknown(format!("`{wanted}` is neither a version nor a tag: write an exact version"));
    }
    Runs::Package(PackageArgument {
        ecosystem: Ecosystem::Npm,
        name: name.to_owned(),
        wanted: wanted.map(str::to_owned),
        argument,
        before: before.to_owned(),
        between: "@".to_owned(),
    })
}

fn uvx(args: &[String], first: usize) -> Runs {
    let mut package = None;
    let mut at = first;
    while let Some(arg) = args.get(at) {
        match arg.as_str() {
            "-q" | "--quiet" | "--isolated" | "--offline" => {}
            "-p" | "--python" => at += 1,
            "--from" if package.is_none() => {
                package = Some((at + 1, ""));
                at += 1;
            }
            word if word.starts_with("--from=") && package.is_none() => package = Some((at, "--from=")),
            word if word.starts_with("--python=") => {}
            word if word.starts_with('-') => {
                return Runs::Unknown(format!("the option `{word}` of uvx is not known here"));
            }
            _ => return pypi_package(args, package.unwrap_or((at, ""))),
        }
        at += 1;
    }
    Runs::Unknown("uvx gets no package".to_owned())
}

fn pypi_package(args: &[String], (argument, before): (usize, &str)) -> Runs {
    let Some(spec) = args.get(argument).and_then(|arg| arg.strip_prefix(before)) else {
        return Runs::Unknown("uvx gets no package".to_owned());
    };
    let parts = spec.split_once("==").or_else(|| spec.split_once('@'));
    let (name, wanted) =
        parts.map_or((spec, None), |(name, wanted)| (name, Some(wanted).filter(|wanted| *wanted != "latest")));
    let (plain, extras) = name.split_once('[').map_or((name, ""), |(plain, _)| (plain, &name[plain.len()..]));
    let is_name_char = |c: char| c.is_ascii_alphanumeric() || "-._".contains(c);
    let is_edge = |c: char| c.is_ascii_alphanumeric();
    let is_extras = extras.is_empty()
        || extras.ends_with(']') && extras[1..extras.len() - 1].chars().all(|c| is_name_char(c) || c == ',');
    if !plain.chars().all(is_name_char) || !plain.starts_with(is_edge) || !plain.ends_with(is_edge) || !is_extras {
        return Runs::Unknown(format!("`{spec}` is not a package of PyPI with an exact version"));
    }
    if let Some(wanted) = wanted.filter(|wanted| !is_version_or_tag(wanted) || wanted.contains('*')) {
        return Runs::Unknown(format!("`{wanted}` is not an exact version"));
    }
    Runs::Package(PackageArgument {
        ecosystem: Ecosystem::PyPi,
        name: plain.to_owned(),
        wanted: wanted.map(str::to_owned),
        argument,
        before: before.to_owned(),
        between: format!("{extras}=="),
    })
}

/// Returns whether a text is an exact version, or a tag of npm.
fn is_version_or_tag(text: &str) -> bool {
    !text.is_empty() && text.len() <= 100 && text.chars().all(|c| c.is_ascii_alphanumeric() || "-._+!".contains(c))
}

impl PackageArgument {
    /// Returns whether the command line names an exact version, as opposed to a tag.
    pub(super) fn is_exact(&self) -> bool {
        let is_number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        match (&self.wanted, self.ecosystem) {
            (Some(wanted), Ecosystem::Npm) => {
                // `1.2` is a range.
                let core = wanted.split(['-', '+']).next().unwrap_or_default();
                core.split('.').count() == 3 && core.split('.').all(is_number)
            }
            (wanted, Ecosystem::PyPi) => wanted.is_some(),
            (None, Ecosystem::Npm) => false,
        }
    }

    /// Returns the arguments that run this version.
    pub(super) fn pinned(&self, args: &[String], version: &str) -> Vec<String> {
        let mut args = args.to_vec();
        if let Some(arg) = args.get_mut(self.argument) {
            *arg = format!("{}{}{}{version}", self.before, self.name, self.between);
        }
        args
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn runs(line: &str) -> Runs {
        let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
        read(&words[0], &words[1..])
    }

    /// Returns the package, the wanted version and the pinned command line.
    fn pinned(line: &str) -> (String, Option<String>, String) {
        let args: Vec<String> = line.split(' ').skip(1).map(str::to_owned).collect();
        match runs(line) {
            Runs::Package(named) => {
                let pinned = named.pinned(&args, "9.8.7").join(" ");
                (named.name, named.wanted, pinned)
            }
            other => panic!("{line}: {other:?}"),
        }
    }

    #[test]
    fn a_package_is_found_and_pinned_where_it_stands() {
        for (line, name, wanted, args) in [
            ("npx -y @a/b /home/me", "@a/b", None, "-y @a/b@9.8.7 /home/me"),
            ("/usr/bin/npx @a/b@1.2.3 -p", "@a/b", Some("1.2.3"), "@a/b@9.8.7 -p"),
            ("npx -y left-pad@latest", "left-pad", Some("latest"), "-y left-pad@9.8.7"),
            ("npx --package=@a/b@next tool --x", "@a/b", Some("next"), "--package=@a/b@9.8.7 tool --x"),
            ("npx -y -p pkg tool", "pkg", None, "-y -p pkg@9.8.7 tool"),
            ("npm exec -y -- pkg run", "pkg", None, "exec -y -- pkg@9.8.7 run"),
            ("uvx mcp-server-git --repository x", "mcp-server-git", None, "mcp-server-git==9.8.7 --repository x"),
            ("uvx mcp[cli]==1.0 run", "mcp", Some("1.0"), "mcp[cli]==9.8.7 run"),
            ("uvx pkg@latest", "pkg", None, "pkg==9.8.7"),
            ("uvx --python 3.12 --from pkg@2.0 tool", "pkg", Some("2.0"), "--python 3.12 --from pkg==9.8.7 tool"),
            ("uv tool run pkg", "pkg", None, "tool run pkg==9.8.7"),
        ] {
            assert_eq!(pinned(line), (name.to_owned(), wanted.map(str::to_owned), args.to_owned()), "{line}");
        }
    }

    #[test]
    fn what_no_registry_has_is_not_taken_for_a_package() {
        for line in [
            "npx ./server.js",
            "npx github:a/b",
            "npx a/b",
            "npx https://example.com/x.tgz",
            "npx -c ls",
            "npx",
            "npx -y",
            "npx pkg@^1.0",
            "npx @a",
            "npx -y ../x",
            "uvx --from git+https://example.com/x tool",
            "uvx ./x",
            "uvx --with other pkg",
            "uvx pkg>=1",
            "uvx pkg@1.*",
            "uvx",
        ] {
            assert!(matches!(runs(line), Runs::Unknown(_)), "{line}: {:?}", runs(line));
        }
        for line in ["node server.js", "npm run x", "uv run x", "docker run npx"] {
            assert_eq!(runs(line), Runs::Program, "{line}");
        }
    }

    #[test]
    fn a_range_or_a_tag_is_not_an_exact_version() {
        let is_exact = |line: &str| matches!(runs(line), Runs::Package(named) if named.is_exact());
        for line in ["npx a@1.2.3", "npx a@1.2.3-beta.1", "uvx a==1.2"] {
            assert!(is_exact(line), "{line}");
        }
        for line in ["npx a@1.2", "npx a@latest", "npx a@1", "npx a", "uvx a", "npx a@1.x.0"] {
            assert!(!is_exact(line), "{line}");
        }
    }
}
