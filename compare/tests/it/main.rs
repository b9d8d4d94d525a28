//! Tests of the comparison, from manifests to reports.

mod classes;
mod command;
mod contain;
mod keywords;
mod manifest_keys;
mod project;
mod real;
mod same;
mod speed;
