//! Turns what a server has sent, such as a page, a PDF or a feed, into Markdown for a language model.
//!
//! [`extract`] takes the bytes of an answer and makes a [`Page`]: its text as Markdown, what the page says about itself, and the
//! [`Quality`] of the text, which says if the page is a login form, a check for robots, or made by scripts. [`headings`], [`section`] and
//! [`part`] read long Markdown part by part. [`links()`] and [`sitemap()`] are for crawlers.
//!
//! The crate has no network. All that it reads is bounded in size, depth and time: see [`Options`]. PDF files are the exception that [`extract`]
//! describes.

mod charset;
mod clean;
mod code;
mod content;
mod date;
mod dom;
mod error;
mod extract;
mod feed;
mod formula;
mod html;
mod json;
mod links;
mod markdown;
mod metadata;
mod options;
mod page;
mod parts;
#[cfg(feature = "pdf")]
mod pdf;
mod phrases;
mod plain;
mod quality;
mod sitemap;
mod sniff;
mod xml;

pub use date::Published;
pub use error::ExtractError;
pub use extract::{extract, is_pdf};
pub use links::{Link, PageLinks, links};
pub use options::Options;
pub use page::{Document, Page, PageKind};
pub use parts::{Heading, Part, headings, part, section};
pub use quality::{Fault, Quality};
pub use sitemap::{Sitemap, sitemap};
