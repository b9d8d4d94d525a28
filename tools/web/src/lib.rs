//! The handlers of the shipped toolset `web`.
