//! The messages of the user: texts and pictures.

use serde_json::value::RawValue;
use toolc::Image;
use toolc_model::{Api, user_message, user_message_with_images};

/// About the number of tokens that the vendors count for a picture, which they make smaller.
pub(super) const PICTURE_TOKENS: u64 = 1_600;

/// Returns what stands for a picture that is not sent again.
pub(super) fn picture_text(name: &str, image: &Image) -> String {
    let kib = image.bytes().len().div_ceil(1024);
    format!("[The user has attached the picture {name}: {}, {kib} KiB.]", image.media_type())
}

/// The parts of a message of the user.
#[derive(Default)]
pub(super) struct UserParts<'e> {
    pub(super) texts: Vec<&'e str>,
    pub(super) images: Vec<Image>,
}

impl UserParts<'_> {
    /// Returns the message with the parts, if there are any, and removes them.
    pub(super) fn take_message(&mut self, api: Api) -> Option<Box<RawValue>> {
        let Self { texts, images } = std::mem::take(self);
        if texts.is_empty() && images.is_empty() {
            return None;
        }
        let text = texts.join("\n\n");
        Some(if images.is_empty() { user_message(api, &text) } else { user_message_with_images(api, &text, &images) })
    }
}
