//! Tests of `import`: each in a project of its own.

mod files;
mod meaning;
mod openapi;
mod project;
mod python;
mod real;
mod servers;
mod updates;
