//! Tests of whole documents.

mod hostile;
mod kinds;
mod pages;
#[cfg(feature = "pdf")]
mod pdf;
mod walls;
