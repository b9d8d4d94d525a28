//! Compiles the folder of a plugin: checks permissions, runs the compiler's pipeline on the manifests, and checks the program.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use toolc::approval::code_parameters;
use toolc_codegen::catalog::{FactId, VariableId};
use toolc_codegen::check::Checked;
use toolc_codegen::lint::Options;
use toolc_codegen::lint::codes;
use toolc_codegen::lower::lower;
use toolc_codegen::manifest::PluginManifest;
use toolc_codegen::source::Sources;
use walkdir::WalkDir;

use crate::fingerprint::MAX_FILES;
use crate::hook_rules::HookRules;
use crate::plugin::Plugin;
use crate::report::{FileProblem, Finding};
use crate::schema_values::ToolSchemas;
use crate::trust;
use toolc_program::parts::{IDLE_TIMEOUT, MAX_OUTPUT, PassedVariables, Program};

/// The result of compiling a folder.
#[derive(Debug, Default)]
pub(crate) struct Compiled {
    /// The plugin, if it has no errors.
    pub(crate) plugin: Option<Plugin>,
    pub(crate) description: String,
    /// The path of the program, if `plugin.toml` could be read.
    pub(crate) executable: Option<PathBuf>,
    pub(crate) findings: Vec<Finding>,
}

/// Compiles the plugin in the folder `root`. Opens only files that other users cannot write to.
pub(crate) fn compile(name: &str, root: &Path) -> Compiled {
    let findings = untrusted_files(root);
    if !findings.is_empty() {
        return Compiled { findings, ..Compiled::default() };
    }
    let mut compiled = compile_unchecked(name, root);
    if let Some(executable) = &compiled.executable
        && let Err(problem) = trust::check_executable(root, executable)
    {
        compiled.plugin = None;
        compiled.findings.push(problem.into());
    }
    compiled
}

/// Compiles the plugin in the folder `root`, also if other users can write to its files.
pub(crate) fn compile_unchecked(name: &str, root: &Path) -> Compiled {
    let sources = match Sources::scan(root) {
        Ok(sources) => sources,
        Err(failure) => {
            let help = "the tools of a plugin are in `manifests/tools/NAME.toml`";
            return Compiled {
                findings: vec![FileProblem::new(root, failure.to_string(), help).into()],
                ..Compiled::default()
            };
        }
    };
    // Most lint findings concern only the author of the plugin, so run just the rule that concerns its users.
    let compilation = toolc_codegen::compile_with(&sources, &Options::only(codes::NOT_PASSED_ON));
    let diagnosed = compilation.diagnostics.iter().map(|found| Finding::from_diagnostic(found, &sources, root));
    let mut compiled = Compiled { findings: diagnosed.collect(), ..Compiled::default() };
    let Some(catalog) = &compilation.catalog else { return compiled };
    // If one of these is missing, an error has been reported.
    let Some(manifest) = catalog.plugin() else { return compiled };
    let Some(executable) = &manifest.executable else { return compiled };
    compiled.description.clone_from(&manifest.description);
    let executable = root.join(&executable.value);
    compiled.executable = Some(executable.clone());
    let plugin = plugin(name, root, executable, catalog, manifest);
    if plugin.tools.is_empty() && plugin.hooks.iter().next().is_none() && !plugin.memory {
        let help = "declare tools in `manifests/tools/NAME.toml`, or hooks or `memory` in `plugin.toml`";
        compiled.findings.push(FileProblem::new(root, "the plugin has no tools, no hooks and no memory", help).into());
    } else {
        compiled.plugin = Some(plugin);
    }
    compiled
}

/// Returns a finding for each file of the plugin that other users can write to, or that is outside the folder.
fn untrusted_files(root: &Path) -> Vec<Finding> {
    let manifest = root.join("plugin.toml");
    if !manifest.exists() {
        let help = "write one: `executable = \"run\"` names the program that runs the tools";
        return vec![FileProblem::new(root, "the folder has no `plugin.toml`", help).into()];
    }
    let settings = Some(root.join("toolc.toml")).filter(|settings| settings.exists());
    let mut findings = Vec::new();
    for path in std::iter::once(manifest).chain(settings) {
        findings.extend(trust::check_within(root, &path).err().map(Finding::from));
    }
    let manifests = root.join("manifests");
    let (mut walk, mut count) = (WalkDir::new(&manifests).follow_links(true).sort_by_file_name().into_iter(), 0);
    while let Some(entry) = walk.next() {
        count += 1;
        if count > MAX_FILES {
            let help = "check for links that lead to the same folders repeatedly";
            findings
                .push(FileProblem::new(&manifests, format!("more than {MAX_FILES} files and folders"), help).into());
            break;
        }
        // Unreadable entries are reported by the scan.
        let Ok(entry) = entry else { continue };
        // Only a link can lead out of the folder, so only links need the check of the whole path.
        let is_link = entry.path_is_symlink();
        let problem =
            if is_link { trust::check_within(root, entry.path()).err() } else { trust::check(entry.path()).err() };
        if problem.is_some() && is_link && entry.file_type().is_dir() {
            walk.skip_current_dir();
        }
        findings.extend(problem.map(Finding::from));
    }
    findings
}

/// Builds the plugin from its checked manifests.
fn plugin(name: &str, root: &Path, executable: PathBuf, catalog: &Checked, manifest: &PluginManifest) -> Plugin {
    let lowered = lower(catalog);
    let tools = catalog.tools().map(|(id, _)| {
        let mut tool = lowered.tool(id).clone();
        // The program gets the arguments as one JSON value, because a plugin has no Rust types.
        tool.arguments = (*tool.arguments).clone().untyped().into();
        tool
    });
    let code_parameters = catalog.tools().map(|(id, tool)| {
        let (lowered, manifest) = (lowered.tool(id), &tool.manifest);
        let schema = manifest.defs.full_schema(&manifest.params);
        code_parameters(&lowered.name, &lowered.description, lowered.behaviour.annotations.read_only, &schema)
    });
    let mut definitions = BTreeMap::new();
    for (at, dialect) in catalog.settings().dialects.iter().enumerate() {
        // The runtime was built without the other dialects.
        if let Some(dialect) = dialect.in_runtime() {
            let defined = catalog.tools().map(|(id, _)| lowered.definitions(id)[at].clone());
            definitions.insert(dialect, defined.collect());
        }
    }
    let variables = (0..catalog.variables().len()).map(|id| lowered.variable(VariableId(id)));
    let variables: Vec<toolc::catalog::Variable> = variables.collect();
    // An undescribed variable is treated as a secret.
    let is_secret =
        |name: &str| variables.iter().find(|variable| variable.name == name).is_none_or(|variable| variable.secret);
    let passed = manifest.env.iter().map(|name| (name.value.clone(), is_secret(&name.value)));
    let max_output = manifest.max_output_bytes.as_ref().map_or(MAX_OUTPUT, |max| max.value);
    Plugin {
        name: name.to_owned(),
        program: Program {
            title: format!("the plugin `{name}`"),
            version: Program::next_version(),
            root: root.to_owned(),
            executable,
            arguments: Vec::new(),
            passed: PassedVariables { names: passed.collect() },
            max_output: usize::try_from(max_output).unwrap_or(usize::MAX),
            resident: manifest.resident.then(|| manifest.idle_timeout.as_ref().map_or(IDLE_TIMEOUT, |idle| idle.value)),
        },
        tools: tools.collect(),
        definitions,
        code_parameters: code_parameters.collect(),
        schemas: catalog.tools().map(|(_, tool)| ToolSchemas::new(&tool.manifest)).collect(),
        toolsets: catalog.toolsets().map(|(id, _)| lowered.toolset(id)).collect(),
        facts: (0..catalog.facts().len()).map(|id| lowered.fact(FactId(id))).collect(),
        variables,
        memory: manifest.memory,
        hooks: HookRules::new(&manifest.hooks),
    }
}
