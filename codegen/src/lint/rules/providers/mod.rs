//! What providers take. Such a rule looks only where the project declares the dialect that it is about: limits are
//! data, in [`providers`](crate::providers).

use super::rules;

rules! {}
