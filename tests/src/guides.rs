//! Runs the examples of the guides in `docs/`. They are run here because a published package contains only files of its own folder.

#[doc = include_str!("../../docs/availability.md")]
struct Availability;

#[doc = include_str!("../../docs/calls.md")]
struct Calls;

#[doc = include_str!("../../docs/plugins.md")]
struct Plugins;

#[doc = include_str!("../../docs/registry.md")]
struct Registry;

#[doc = include_str!("../../docs/repair.md")]
struct Repair;

#[doc = include_str!("../../docs/scripts.md")]
struct Scripts;

#[doc = include_str!("../../docs/search.md")]
struct Search;

#[doc = include_str!("../../docs/testing.md")]
struct Testing;

#[doc = include_str!("../../docs/wire.md")]
struct Wire;
