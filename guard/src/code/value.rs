//! What is known about a value: where it comes from, and what it is if it is constant.

use crate::hosts::{self, Address};
use crate::tables::places::{self, Place};

/// A kind of source.
pub(crate) mod bits {
    /// The path of a private file.
    pub(crate) const SECRET_PATH: u16 = 1;
    /// Private data.
    pub(crate) const SECRET: u16 = 1 << 1;
    /// All variables of the environment.
    pub(crate) const ENVIRONMENT: u16 = 1 << 2;
    /// A variable of the environment that holds a key.
    pub(crate) const KEY: u16 = 1 << 3;
    /// From the network.
    pub(crate) const NETWORK: u16 = 1 << 4;
    /// Decoded.
    pub(crate) const DECODED: u16 = 1 << 5;
    /// The content of a file.
    pub(crate) const FILE: u16 = 1 << 6;
    /// The path of a file of variables.
    pub(crate) const VARIABLES_PATH: u16 = 1 << 7;
    /// The content of a file of variables.
    pub(crate) const VARIABLES: u16 = 1 << 8;
    /// The path of a file whose name says that it is data.
    pub(crate) const DATA_PATH: u16 = 1 << 9;
    /// Put together from several values.
    pub(crate) const BUILT: u16 = 1 << 10;
    /// The home folder itself.
    pub(crate) const HOME: u16 = 1 << 11;
    /// The files in the home folder, whatever they are.
    pub(crate) const HOME_FILES: u16 = 1 << 12;
    /// Encoded for the names of hosts, such as in hexadecimal digits.
    pub(crate) const ENCODED: u16 = 1 << 13;
    /// The content of a page that a browser shows.
    pub(crate) const PAGE: u16 = 1 << 14;
}

/// What is known about a value.
#[derive(Debug, Clone, Default)]
pub(crate) struct Value {
    pub(crate) bits: u16,
    /// The names of variables of the environment that hold keys.
    pub(crate) keys: Vec<String>,
    /// The private file.
    pub(crate) place: Option<&'static Place>,
    /// The addresses in its texts.
    pub(crate) addresses: Vec<Address>,
}

/// The maximum number of keys and of addresses of one value.
const MAX_ITEMS: usize = 8;

/// Ends of names of files that are data.
const DATA: &[&str] = &[
    ".png", ".jpg", ".jpeg", ".gif", ".txt", ".dat", ".bin", ".ico", ".svg", ".pdf", ".md", ".csv", ".log", ".ttf",
    ".wav", ".enc", ".b64",
];

impl Value {
    pub(crate) fn has(&self, bits: u16) -> bool {
        self.bits & bits != 0
    }

    /// Adds what reading files by this value, or listing a folder, gives.
    pub(crate) fn look(&mut self, reads: bool, lists: bool) {
        if lists && self.has(bits::HOME) {
            self.bits |= bits::HOME_FILES;
        }
        if !reads {
            return;
        }
        self.bits |= bits::FILE;
        if self.has(bits::SECRET_PATH) || !lists && self.has(bits::HOME_FILES) {
            self.bits |= bits::SECRET;
        }
        if self.has(bits::VARIABLES_PATH) {
            self.bits |= bits::VARIABLES;
        }
    }

    /// Adds another value, and returns whether this one has changed.
    pub(crate) fn add(&mut self, other: &Self) -> bool {
        let before = (self.bits, self.keys.len(), self.place.is_some(), self.addresses.len());
        self.bits |= other.bits;
        self.place = self.place.or(other.place);
        for key in &other.keys {
            if self.keys.len() < MAX_ITEMS && !self.keys.contains(key) {
                self.keys.push(key.clone());
            }
        }
        for address in &other.addresses {
            if self.addresses.len() < MAX_ITEMS && !self.addresses.contains(address) {
                self.addresses.push(address.clone());
            }
        }
        before != (self.bits, self.keys.len(), self.place.is_some(), self.addresses.len())
    }

    /// Adds what a text says: a path or an address.
    pub(crate) fn add_text(&mut self, text: &str) {
        if text.len() > 4096 {
            return;
        }
        if text.contains("://") {
            for address in hosts::addresses(text) {
                if self.addresses.len() < MAX_ITEMS {
                    self.addresses.push(address);
                }
            }
            return;
        }
        let Some(place) = places::find(places::SECRETS, text) else {
            if places::is_file_of_variables(text) {
                self.bits |= bits::VARIABLES_PATH;
            }
            let lower = text.to_ascii_lowercase();
            if DATA.iter().any(|end| lower.ends_with(end)) {
                self.bits |= bits::DATA_PATH;
            }
            return;
        };
        self.bits |= bits::SECRET_PATH;
        self.place = self.place.or(Some(place));
    }
}
