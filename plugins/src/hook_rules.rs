//! Which calls the hooks of a plugin see, as data.

use std::time::Duration;

use toolc::Registry;
use toolc::suggest::suggestion;
use toolc_codegen::diagnostic::At;
use toolc_codegen::manifest::{HookManifest, HooksManifest, ObserverManifest};

use crate::report::HookReport;

/// The default of `timeout`.
const TIMEOUT: Duration = Duration::from_secs(5);

/// The stage of a call at which a hook runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stage {
    Before,
    Transform,
    After,
}

/// The hooks of a plugin.
#[derive(Debug, Clone, Default)]
pub(crate) struct HookRules {
    pub(crate) before: Option<HookRule>,
    pub(crate) transform: Option<HookRule>,
    pub(crate) after: Option<HookRule>,
}

/// One hook.
#[derive(Debug, Clone)]
pub(crate) struct HookRule {
    pub(crate) stage: Stage,
    tools: Vec<String>,
    toolsets: Vec<String>,
    pub(crate) timeout: Duration,
    /// Whether a failure of the hook fails the call.
    pub(crate) required: bool,
}

impl Stage {
    /// Returns the word for it in a manifest and a request.
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Before => "before",
            Self::Transform => "transform",
            Self::After => "after",
        }
    }
}

impl HookRules {
    pub(crate) fn new(hooks: &HooksManifest) -> Self {
        let deciding = |stage, hook: &Option<HookManifest>| {
            hook.as_ref().map(|HookManifest { tools, toolsets, timeout, required, .. }| {
                HookRule::new(stage, tools, toolsets, timeout.as_ref(), *required)
            })
        };
        let observing = |ObserverManifest { tools, toolsets, timeout, .. }: &ObserverManifest| {
            HookRule::new(Stage::After, tools, toolsets, timeout.as_ref(), false)
        };
        Self {
            before: deciding(Stage::Before, &hooks.before),
            transform: deciding(Stage::Transform, &hooks.transform),
            after: hooks.after.as_ref().map(observing),
        }
    }

    /// Returns the hooks in the order of a call.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &HookRule> {
        [&self.before, &self.transform, &self.after].into_iter().flatten()
    }
}

impl HookRule {
    fn new(
        stage: Stage,
        tools: &[At<String>],
        toolsets: &[At<String>],
        timeout: Option<&At<Duration>>,
        required: bool,
    ) -> Self {
        let names = |names: &[At<String>]| names.iter().map(|name| name.value.clone()).collect();
        let timeout = timeout.map_or(TIMEOUT, |timeout| timeout.value);
        Self { stage, tools: names(tools), toolsets: names(toolsets), timeout, required }
    }

    /// Returns whether the hook sees calls of a tool. Toolsets are looked up at each call, because their tools can change.
    pub(crate) fn is_about(&self, tool: &str, registry: &Registry) -> bool {
        let contains = |toolset: &String| {
            is_all(toolset)
                || registry.toolset(toolset).is_some_and(|info| info.resolved.iter().any(|name| name == tool))
        };
        self.tools.iter().any(|name| name == tool) || self.toolsets.iter().any(contains)
    }

    /// Returns a message for each name that the registry does not know.
    pub(crate) fn unknown_names(&self, registry: &Registry) -> Vec<String> {
        let tools = self.tools.iter().filter(|name| registry.tool(name).is_none());
        let tools = tools.map(|name| ("tool", name, suggestion(name, registry.tools().iter().map(AsRef::as_ref))));
        let toolsets = self.toolsets.iter().filter(|name| !is_all(name) && registry.toolset(name).is_none());
        let toolsets =
            toolsets.map(|name| ("toolset", name, suggestion(name, registry.toolsets().iter().map(AsRef::as_ref))));
        let stage = self.stage.word();
        let message = |(noun, name, near): (&str, &String, String)| {
            format!("the hook `{stage}` sees no calls of the {noun} `{name}`, which does not exist{near}")
        };
        tools.chain(toolsets).map(message).collect()
    }

    pub(crate) fn report(&self) -> HookReport {
        HookReport {
            hook: self.stage.word(),
            tools: self.tools.clone(),
            toolsets: self.toolsets.clone(),
            required: self.required,
        }
    }
}

/// Returns whether a name stands for all calls, also of tools that do not exist.
fn is_all(toolset: &String) -> bool {
    toolset == "all" || toolset == "*"
}
