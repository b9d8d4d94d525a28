//! From a folder to a plugin: the manifests through the compiler's own pipeline, the program looked at.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use toolc::__gen::table::SlotKind;
use toolc_codegen::catalog::{FactId, VariableId};
use toolc_codegen::check::Checked;
use toolc_codegen::diagnostic::Code;
use toolc_codegen::lint::Options;
use toolc_codegen::lower::lower;
use toolc_codegen::manifest::PluginManifest;
use toolc_codegen::source::Sources;
use walkdir::WalkDir;

use crate::environment::Passed;
use crate::provider::Plugin;
use crate::report::{Finding, Flaw};
use crate::schema_values::Shape;
use crate::trust;

/// Bytes that a program may print for one call, unless its plugin says otherwise.
const MAX_OUTPUT: u32 = 4 << 20;

/// Files and folders below `manifests/`, links followed.
const MOST_FILES: usize = 10_000;

/// The result of compiling a folder.
#[derive(Debug, Default)]
pub(crate) struct Compiled {
    /// The plugin, if nothing is wrong with it.
    pub(crate) plugin: Option<Plugin>,
    pub(crate) description: String,
    /// Its program, as far as that is known.
    pub(crate) executable: Option<PathBuf>,
    pub(crate) findings: Vec<Finding>,
}

/// Makes a plugin of the folder `root`. No file is opened that others could have written.
pub(crate) fn compile(name: &str, root: &Path) -> Compiled {
    let findings = distrusted(root);
    if !findings.is_empty() {
        return Compiled { findings, ..Compiled::default() };
    }
    let sources = match Sources::scan(root) {
        Ok(sources) => sources,
        Err(failure) => {
            let help = "a plugin has its tools in `manifests/tools/NAME.toml`";
            return Compiled {
                findings: vec![Flaw::new(root, failure.to_string(), help).into()],
                ..Compiled::default()
            };
        }
    };
    // Lint is for the author of a plugin; users of a plugin only need its errors.
    let compilation = toolc_codegen::compile_with(&sources, &Options::only(Code::NOT_PASSED_ON));
    let diagnosed = compilation.diagnostics.iter().map(|found| Finding::diagnosed(found, &sources, root));
    let mut compiled = Compiled { findings: diagnosed.collect(), ..Compiled::default() };
    let Some(catalog) = &compilation.catalog else { return compiled };
    // Otherwise an error has been reported, as for a missing `executable`.
    let Some(manifest) = catalog.plugin() else { return compiled };
    let Some(executable) = &manifest.executable else { return compiled };
    compiled.description.clone_from(&manifest.description);
    let executable = root.join(&executable.value);
    compiled.executable = Some(executable.clone());
    match check_executable(root, &executable) {
        Ok(()) => compiled.plugin = Some(plugin(name, root, executable, catalog, manifest)),
        Err(flaw) => compiled.findings.push(flaw.into()),
    }
    compiled
}

/// Which of the files must not be believed.
fn distrusted(root: &Path) -> Vec<Finding> {
    let manifest = root.join("plugin.toml");
    if !manifest.exists() {
        let help = "write one: `executable = \"run\"` names the program that runs the tools";
        return vec![Flaw::new(root, "it has no `plugin.toml`", help).into()];
    }
    let settings = Some(root.join("toolc.toml")).filter(|settings| settings.exists());
    let mut findings = Vec::new();
    for path in std::iter::once(manifest).chain(settings) {
        findings.extend(trust::within(root, &path).err().map(Finding::from));
    }
    let manifests = root.join("manifests");
    let (mut walk, mut count) = (WalkDir::new(&manifests).follow_links(true).sort_by_file_name().into_iter(), 0);
    while let Some(entry) = walk.next() {
        count += 1;
        if count > MOST_FILES {
            let help = "links to folders may lead to the same files again and again";
            findings.push(Flaw::new(&manifests, format!("more than {MOST_FILES} files and folders"), help).into());
            break;
        }
        // What cannot be read, the scan tells.
        let Ok(entry) = entry else { continue };
        // A link may lead out of the folder. Other files cannot, and neither can the folders above them.
        let is_link = entry.path_is_symlink();
        let flaw = if is_link { trust::within(root, entry.path()).err() } else { trust::check(entry.path()).err() };
        if flaw.is_some() && is_link && entry.file_type().is_dir() {
            walk.skip_current_dir();
        }
        findings.extend(flaw.map(Finding::from));
    }
    findings
}

/// Whether this is a program of the plugin, which others cannot have written.
pub(crate) fn check_executable(root: &Path, executable: &Path) -> Result<(), Flaw> {
    let real = trust::within(root, executable)?;
    let failed = |why: &str, help: &str| Err(Flaw::new(executable, why, help));
    match real.metadata() {
        Ok(about) if !about.is_file() => failed("it is not a file", "name the plugin's program in `plugin.toml`"),
        Ok(about) if !trust::is_executable(&about) => {
            failed("it may not be executed", &format!("run `chmod +x {}`", executable.display()))
        }
        Ok(_) => Ok(()),
        Err(error) => failed(&format!("failed to read it: {error}"), "see that it is there"),
    }
}

fn plugin(name: &str, root: &Path, executable: PathBuf, catalog: &Checked, manifest: &PluginManifest) -> Plugin {
    let lowered = lower(catalog);
    let tools = catalog.tools().map(|(id, _)| {
        let mut tool = lowered.tool(id).clone();
        let mut table = (*tool.arguments).clone();
        // As one JSON value: there are no types to be filled.
        table.nodes.iter_mut().for_each(|node| node.form = SlotKind::Value);
        tool.arguments = table.into();
        tool
    });
    let mut definitions = BTreeMap::new();
    for (at, dialect) in catalog.settings().dialects.iter().enumerate() {
        // Sessions of this program cannot ask for the others.
        if let Some(dialect) = dialect.in_runtime() {
            let defined = catalog.tools().map(|(id, _)| lowered.definitions(id)[at].clone());
            definitions.insert(dialect, defined.collect());
        }
    }
    let variables = (0..catalog.variables().len()).map(|id| lowered.variable(VariableId(id)));
    let variables: Vec<toolc::catalog::Variable> = variables.collect();
    // An undescribed variable is treated as a secret.
    let is_secret = |name: &str| variables.iter().find(|one| one.name == name).is_none_or(|one| one.secret);
    let passed = manifest.env.iter().map(|name| (name.value.clone(), is_secret(&name.value)));
    Plugin {
        name: name.to_owned(),
        root: root.to_owned(),
        executable,
        tools: tools.collect(),
        definitions,
        shapes: catalog.tools().map(|(_, tool)| Shape::of(&tool.manifest)).collect(),
        toolsets: catalog.toolsets().map(|(id, _)| lowered.toolset(id)).collect(),
        facts: (0..catalog.facts().len()).map(|id| lowered.fact(FactId(id))).collect(),
        passed: Passed { names: passed.collect() },
        variables,
        max_output: usize::try_from(manifest.max_output_bytes.unwrap_or(MAX_OUTPUT)).unwrap_or(usize::MAX),
    }
}
