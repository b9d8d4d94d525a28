//! Safety: what a tool does to the world, and what a text does to a model.

use super::rules;

rules! {}
