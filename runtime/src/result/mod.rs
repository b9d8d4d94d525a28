//! Results of handlers: conversion to JSON, scrubbing of errors, limits, and storage of results that are too long.

pub mod attachment;
pub(crate) mod error;
pub(crate) mod image;
pub(crate) mod limit;
pub(crate) mod output;
pub(crate) mod scrub;
pub(crate) mod spill;
