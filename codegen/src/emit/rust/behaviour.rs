//! How a tool behaves, as Rust data.

use proc_macro2::{Literal, TokenStream};
use quote::{format_ident, quote};
use toolc::behaviour::{Annotations, Behaviour};

use super::text;
use crate::catalog::Tool;
use crate::check::Checked;
use crate::manifest::ToolManifest;

/// A reference to it, where the names of the runtime's `behaviour` and `Borrowed` are in scope.
pub(super) fn of(catalog: &Checked, tool: &Tool) -> TokenStream {
    let manifest = &tool.manifest;
    if is_default(manifest) {
        return quote!(Behaviour::DEFAULT);
    }
    let execution = manifest.execution.value;
    let execution = format_ident!("{execution:?}");
    let Annotations { read_only, destructive, idempotent, open_world } = manifest.annotations.value;
    let max_result_chars = option(manifest.max_result_chars.map(Literal::u32_unsuffixed));
    let timeout = option(manifest.timeout.as_ref().map(|timeout| {
        let millis = u64::try_from(timeout.value.as_millis()).unwrap_or(u64::MAX);
        let millis = Literal::u64_unsuffixed(millis);
        quote!(::core::time::Duration::from_millis(#millis))
    }));
    let parallel = match (manifest.parallel.as_ref().map(|word| word.value.as_str()), &manifest.parallel_key) {
        (Some("always"), _) => quote!(Parallel::Always),
        (Some("keyed"), Some(key)) => {
            let space = manifest.parallel_space.as_ref().map_or("", |space| &space.value);
            let (key, space) = (text(&key.value), text(space));
            quote!(Parallel::Keyed { key: #key, space: #space })
        }
        _ => quote!(Parallel::Never),
    };
    let always = manifest.approval.always;
    let shell = option(manifest.approval.shell.as_ref().map(|shell| text(&shell.value)));
    let defer = manifest.defer;
    let deprecated = option(manifest.deprecated.as_ref().map(|deprecated| {
        let replacement = option(tool.replacement.map(|id| text(catalog[id].name())));
        let note = text(&deprecated.note);
        quote!(Deprecated { replacement: #replacement, note: #note })
    }));
    quote! {
        &Behaviour {
            execution: Execution::#execution,
            annotations: Annotations {
                read_only: #read_only,
                destructive: #destructive,
                idempotent: #idempotent,
                open_world: #open_world,
            },
            max_result_chars: #max_result_chars,
            timeout: #timeout,
            parallel: #parallel,
            approval: Approval { always: #always, shell: #shell },
            defer: #defer,
            deprecated: #deprecated,
        }
    }
}

/// Whether nothing was said.
fn is_default(manifest: &ToolManifest) -> bool {
    let default = Behaviour::DEFAULT;
    manifest.execution.value == default.execution
        && manifest.annotations.value == default.annotations
        && manifest.max_result_chars.is_none()
        && manifest.timeout.is_none()
        && manifest.parallel.is_none()
        && !manifest.approval.always
        && manifest.approval.shell.is_none()
        && manifest.defer == default.defer
        && manifest.deprecated.is_none()
}

fn option<T: quote::ToTokens>(value: Option<T>) -> TokenStream {
    value.map_or(quote!(None), |value| quote!(Some(#value)))
}
