//! The requests to the model that a conversation and its helpers may still make.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

/// A number of requests to the model. Each request of a helper counts for the budget of the helper and for the budget of its parent.
#[derive(Debug)]
pub(crate) struct Budget {
    max: u32,
    left: AtomicU32,
    parent: Option<Arc<Budget>>,
}

impl Budget {
    pub(crate) fn new(max: u32) -> Arc<Self> {
        Arc::new(Self { max, left: AtomicU32::new(max), parent: None })
    }

    /// Returns the budget of a helper.
    pub(crate) fn for_helper(max: u32, parent: Arc<Self>) -> Arc<Self> {
        Arc::new(Self { max, left: AtomicU32::new(max), parent: Some(parent) })
    }

    /// Takes a request from the budget, and returns whether one was left. A helper leaves one request in each
    /// budget above its own, so that each parent can use the results.
    pub(crate) fn take(&self) -> bool {
        self.take_leaving(0)
    }

    /// Returns the number of requests taken so far.
    pub(crate) fn used(&self) -> u32 {
        self.max - self.left.load(Ordering::SeqCst)
    }

    fn take_leaving(&self, reserve: u32) -> bool {
        let less = |left: u32| (left > reserve).then(|| left - 1);
        if self.left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, less).is_err() {
            return false;
        }
        if self.parent.as_ref().is_none_or(|parent| parent.take_leaving(reserve + 1)) {
            return true;
        }
        self.left.fetch_add(1, Ordering::SeqCst);
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn helpers_share_the_budget_of_their_parent_and_leave_it_a_request() {
        let parent = Budget::new(5);
        let helper = Budget::for_helper(50, Arc::clone(&parent));
        let grandchild = Budget::for_helper(2, Arc::clone(&helper));
        assert!(parent.take());
        let made = (0..9).filter(|_| grandchild.take()).count();
        assert_eq!((made, grandchild.used(), helper.used(), parent.used()), (2, 2, 2, 3));
        let other = Budget::for_helper(50, Arc::clone(&helper));
        assert!(!other.take(), "one request is left for the helper, and one for the parent");
        assert!(helper.take() && !helper.take());
        assert_eq!((other.used(), helper.used(), parent.used()), (0, 3, 4));
        assert!(parent.take() && !parent.take());
    }
}
